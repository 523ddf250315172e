//! Writing in order at a drive's full rate, and how the rate goes with the amount written.
//!
//! A cache that is large against the program's own memory takes minutes to fill, and no phase may be that long: so the
//! writes are several phases, each of which goes on where the one before ended. What counts is not when, but after how
//! many bytes the rate changes: the phases' series over time are put end to end as one curve of time over bytes, and
//! read off in bins of equal bytes. The time between two phases belongs to nobody, and is left out.

use base::{Bytes, Duration, PhaseRecord, Span, Stopped};

use crate::probe::Probe;

/// Time over bytes, from the first write or read on.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    /// Bytes moved, and the seconds that it took, both from the beginning.
    points: Vec<(f64, f64)>,
}

impl Default for Curve {
    fn default() -> Curve {
        Curve {
            points: vec![(0.0, 0.0)],
        }
    }
}

impl Curve {
    /// Everything moved, in bytes.
    pub(crate) fn bytes(&self) -> f64 {
        self.points.last().map_or(0.0, |(bytes, _)| *bytes)
    }

    /// All the time that it took, in seconds.
    pub(crate) fn seconds(&self) -> f64 {
        self.points.last().map_or(0.0, |(_, seconds)| *seconds)
    }

    /// So many bytes more, in so many seconds.
    pub(crate) fn and(&mut self, bytes: f64, seconds: f64) {
        self.points
            .push((self.bytes() + bytes, self.seconds() + seconds));
    }

    /// What a phase wrote or read, interval by interval; the last one ends with the phase.
    pub(crate) fn keep(&mut self, record: &PhaseRecord) {
        let series = &record.job().series;
        let interval = series.interval.as_secs_f64();
        let last = series.points.len().saturating_sub(1);
        for (at, point) in series.points.iter().enumerate() {
            let begun = interval * at as f64;
            let seconds = match at == last {
                true => (record.took.as_secs_f64() - begun).clamp(1e-9, interval),
                false => interval,
            };
            let moved = point.write.bytes + point.read.bytes;
            self.and(moved.get() as f64, seconds);
        }
    }

    /// Bytes in each whole step of so many seconds.
    pub(crate) fn in_each(&self, seconds: f64) -> Vec<f64> {
        let mut steps = vec![0.0; (self.seconds() / seconds) as usize];
        for pair in self.points.windows(2) {
            let middle = (pair[0].1 + pair[1].1) / 2.0;
            if let Some(step) = steps.get_mut((middle / seconds) as usize) {
                *step += pair[1].0 - pair[0].0;
            }
        }
        steps
    }

    /// MB/s of each whole bin of so many bytes.
    pub(crate) fn rates(&self, width: f64) -> Vec<f64> {
        let bins = (self.bytes() / width) as usize;
        let (mut ends, mut at) = (Vec::with_capacity(bins + 1), 0);
        for bin in 0..=bins {
            let bytes = width * bin as f64;
            while self.points.get(at + 1).is_some_and(|next| next.0 < bytes) {
                at += 1;
            }
            let (from, to) = (
                self.points[at],
                self.points[(at + 1).min(self.points.len() - 1)],
            );
            let share = ((bytes - from.0) / (to.0 - from.0).max(1.0)).clamp(0.0, 1.0);
            ends.push(from.1 + share * (to.1 - from.1));
        }
        let mb = width / 1e6;
        ends.windows(2)
            .map(|pair| mb / (pair[1] - pair[0]).max(1e-9))
            .collect()
    }
}

/// Bytes over time of bins of equal bytes, in MB/s: nothing where there are none.
pub(crate) fn rate(rates: &[f64]) -> Option<f64> {
    let time: f64 = rates.iter().map(|rate| 1.0 / rate.max(1e-9)).sum();
    (time > 0.0).then(|| rates.len() as f64 / time)
}

/// Rates of bins that are off by some hundredths; one in two hundred is a stall, one in three hundred too fast.
#[cfg(test)]
pub(crate) fn scattered(rates: impl Iterator<Item = f64>, seed: u64) -> Vec<f64> {
    let mut rng = base::rng::Rng::new(seed);
    rates
        .map(|rate| {
            let rate = rate * (0.96 + 0.08 * rng.unit());
            match (rng.below(200), rng.below(300)) {
                (0, _) => rate / 5.0,
                (_, 0) => rate * 1.5,
                _ => rate,
            }
        })
        .collect()
}

/// Where the next write in order goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    span: Span,
    at: Bytes,
}

impl Place {
    /// The beginning of a part.
    pub(crate) fn beginning(span: Span) -> Place {
        Place {
            span,
            at: Bytes::ZERO,
        }
    }

    /// Whether all of the part was written.
    pub(crate) fn is_at_the_end(&self) -> bool {
        self.left() < Probe::in_order_piece(self.span)
    }

    /// The same at the beginning again, where it is at the end.
    pub(crate) fn round_again(self) -> Place {
        match self.is_at_the_end() {
            true => Place::beginning(self.span),
            false => self,
        }
    }

    /// Writes all that is left, no longer than that; gives how fast, and nothing where the time is over first.
    pub(crate) fn fill(
        mut self,
        probe: &mut Probe<'_>,
        name: &str,
        budget: Duration,
    ) -> Result<Option<Curve>, Stopped> {
        let mut curve = Curve::default();
        for number in 1.. {
            if self.is_at_the_end() {
                break;
            }
            if curve.seconds() > budget.as_secs_f64() {
                return Ok(None);
            }
            let name = format!("{name} part {number}");
            self.write(probe, &name, self.span.len, &mut curve)?;
        }
        Ok(Some(curve))
    }

    fn left(&self) -> Bytes {
        self.span.len - self.at
    }

    /// Writes on from here, so many bytes at most and no longer than a phase may take; gives how far it came.
    pub(crate) fn write(
        &mut self,
        probe: &mut Probe<'_>,
        name: &str,
        most: Bytes,
        curve: &mut Curve,
    ) -> Result<(), Stopped> {
        let piece = Probe::in_order_piece(self.span);
        let len = most.max(piece).min(self.left()).round_down(piece);
        if len.is_zero() {
            return Ok(());
        }
        let part = Span::new(self.span.start + self.at, len);
        let sent = probe.in_order(name, part, piece, |record| curve.keep(record))?;
        self.at = (self.at + piece * sent.max(1)).min(self.span.len);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_read_off_in_equal_bins_whatever_its_intervals_are() {
        let mut curve = Curve::default();
        for n in 1..=40 {
            // 100 MB/s, in intervals of all kinds, and then half of it.
            let bytes = 1e6 * f64::from(n % 7);
            curve.and(bytes, bytes / 100e6);
        }
        let fast = curve.bytes();
        curve.and(200e6, 4.0);
        let rates = curve.rates(10e6);
        assert_eq!(rates.len(), ((fast + 200e6) / 10e6) as usize);
        assert!((rates[0] - 100.0).abs() < 1e-6 && (rates[rates.len() - 1] - 50.0).abs() < 1e-6);
        let all = rate(&rates).unwrap();
        assert!(all > 50.0 && all < 100.0, "{all}");
        assert!(Curve::default().rates(1e6).is_empty() && rate(&[]).is_none());
    }

    #[test]
    fn an_interval_without_a_completion_is_time_all_the_same() {
        let mut curve = Curve::default();
        for bytes in [10e6, 0.0, 0.0, 10e6] {
            curve.and(bytes, 0.1);
        }
        let rates = curve.rates(20e6);
        assert!((rates[0] - 50.0).abs() < 1e-6, "{rates:?}");
    }
}
