//! What a drive's own counters say while it is written to.
//!
//! How much more goes to the flash than comes from the host is seen in times only where flash is what limits the rate. A
//! drive that counts both says it outright. Its counters are read between the phases of a stretch of writes; what was
//! written in between is known. A drive that does not count is asked once: some note an error for each time.

use base::write_counters::WriteCounters;
use base::{Bytes, Message};

use crate::probe::Probe;

/// Counters after so many bytes of a stretch of writes.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    readings: Vec<(f64, WriteCounters)>,
}

/// What went to the flash for each byte of the host, from so many bytes of a stretch to so many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Amplified {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) times: f64,
}

impl Counted {
    /// Reads the counters after so many bytes.
    pub(crate) fn look(&mut self, probe: &mut Probe<'_>, bytes: f64) {
        let has_none = self
            .readings
            .first()
            .is_some_and(|(_, it)| !it.is_complete());
        if !has_none {
            self.readings.push((bytes, probe.write_counters()));
        }
    }

    /// How much was amplified between two places of the stretch, by the outermost readings between them.
    pub(crate) fn amplified(&self, from: f64, to: f64) -> Result<Amplified, Message> {
        let mut between = (self.readings.iter()).filter(|(at, _)| (from..=to).contains(at));
        let (Some(first), Some(last)) = (between.next(), between.next_back()) else {
            let is_counting = self.readings.len() > 1;
            return Err(Message::of(match is_counting {
                true => "why-counted-too-seldom",
                false => "why-no-flash-counter",
            }));
        };
        let sent = Bytes::new((last.0 - first.0) as u64);
        Ok(Amplified {
            from: first.0,
            to: last.0,
            times: last.1.amplification(first.1, sent)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_amplified_between_two_readings_is_what_the_counters_grew_by() {
        let reading = |mb: u64, flash: u64| {
            let counters = WriteCounters {
                host: Some(Bytes::new(mb * 1_000_000)),
                flash: Some(Bytes::new(flash * 1_000_000)),
            };
            (mb as f64 * 1e6, counters)
        };
        let counted = Counted {
            readings: vec![
                reading(0, 0),
                reading(100, 100),
                reading(200, 600),
                reading(300, 900),
            ],
        };
        let all = counted.amplified(50e6, 350e6).unwrap();
        assert_eq!((all.from, all.to, all.times), (100e6, 300e6, 4.0));
        assert!(counted.amplified(210e6, 350e6).is_err());
        assert!(Counted::default().amplified(0.0, 1e9).is_err());
        // Somebody else wrote, or the counter is too coarse.
        let mut other = counted;
        other.readings[3].1.host = Some(Bytes::mib(1_000));
        assert!(other.amplified(50e6, 350e6).is_err());
    }
}
