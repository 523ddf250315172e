//! Does the drive compress what is written?
//!
//! A drive that compresses programs less than it is sent, so that zeros are written faster than random bytes: benchmarks that
//! write zeros show a drive that nobody has. Bursts of both kinds come in pairs, in random order within a pair, and a pair
//! gives one ratio: a cache that runs out in between makes one pair odd, where two long blocks would show it as
//! compression. Where the link or a cache takes all that is sent, nothing is seen: *not visible*, which is not the same as
//! no compression. Zeros may also be left out without being compressed; half-random data would tell.

use base::io::FillKind;
use base::{Bytes, Duration, Fill, Io, Message, Script, Stopped, Takes, TrailIo};

use crate::evidence::middle;
use crate::probe::{Probe, accesses};
use crate::question::{Estimate, Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "zeros",
    suits: Known::may_be_flash,
    writes: |asked| Some(asked.area()),
    takes: |asked| Takes::moving(burst(asked.area().len) * (2 * PAIRS)),
    ask,
};

/// Pairs of bursts, the longest burst, and the size of its writes.
const PAIRS: u64 = 16;
const BURST: Bytes = Bytes::mib(64);
const WRITE: Bytes = Bytes::kib(128);
const DEPTH: u32 = 8;

fn burst(area: Bytes) -> Bytes {
    let share = Bytes::new(area.get() / 2);
    BURST.min(share.round_down(WRITE)).max(WRITE.min(area))
}

fn ask(probe: &mut Probe<'_>, _: &mut Known) -> Result<Found, Stopped> {
    let mut found = Found::default();
    let area = probe.asked.area();
    if area.len < WRITE * 64 {
        let why = Message::of("why-too-small-to-ask");
        found.add(probe, "faster", "ratio", Err(why));
        return Ok(found);
    }
    let writes = accesses(burst(area.len), WRITE);
    let zeros_first: Vec<bool> = (0..PAIRS).map(|_| probe.rng.below(2) == 0).collect();
    let script = bursts(probe, writes, &zeros_first);
    let trail = probe.script("writes", script)?;
    found.add(
        probe,
        "faster",
        "ratio",
        faster(&trail, writes, &zeros_first),
    );
    Ok(found)
}

/// Pairs of bursts, one after another over the area; each burst begins when the one before is complete.
fn bursts(probe: &mut Probe<'_>, writes: u64, zeros_first: &[bool]) -> Script {
    let area = probe.asked.area();
    let places = accesses(area.len, WRITE);
    let mut script = Script::new("bursts", DEPTH);
    let (mut before, mut place) = (Vec::new(), 0);
    for first in zeros_first {
        for zeros in [*first, !*first] {
            let mut own = Vec::new();
            for _ in 0..writes {
                let fresh = probe.write(area.start + WRITE * (place % places), WRITE);
                let io = match zeros {
                    true => Io {
                        fill: ZEROS,
                        ..fresh
                    },
                    false => fresh,
                };
                own.push(script.io(io, Duration::ZERO, &before));
                place += 1;
            }
            before = own.split_off(own.len().saturating_sub(DEPTH as usize));
        }
    }
    script
}

const ZEROS: Fill = Fill {
    kind: FillKind::Zeros,
    compressible_percent: 0,
};

/// How many times as fast zeros are written: the median over the pairs.
fn faster(trail: &[TrailIo], writes: u64, zeros_first: &[bool]) -> Estimate {
    let end = |burst: u64| -> Option<f64> {
        let own = trail
            .iter()
            .filter(|io| u64::from(io.step) / writes == burst);
        let ends: Vec<f64> = own.map(|io| (io.sent + io.took).as_secs_f64()).collect();
        // A burst with writes that failed ended when it pleased.
        (ends.len() as u64 == writes).then(|| ends.into_iter().fold(0.0, f64::max))
    };
    let took = |burst: u64| {
        let begin = if burst == 0 {
            Some(0.0)
        } else {
            end(burst - 1)
        };
        Some(end(burst)? - begin?)
    };
    let ratios: Vec<f64> = (0..)
        .zip(zeros_first)
        .filter_map(|(pair, zeros_first)| {
            let (first, second) = (took(2 * pair)?, took(2 * pair + 1)?);
            let (zeros, fresh) = if *zeros_first {
                (first, second)
            } else {
                (second, first)
            };
            (zeros > 0.0).then_some(fresh / zeros)
        })
        .collect();
    middle(&ratios)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::io::Op;

    /// Bursts of two writes; zeros take `zeros`, others `fresh`, and all become slower by a tenth from pair to pair.
    fn trail(zeros: f64, fresh: f64, zeros_first: &[bool]) -> Vec<TrailIo> {
        let (mut at, mut step, mut ios) = (0.0, 0, Vec::new());
        for (pair, first) in zeros_first.iter().enumerate() {
            for is_zeros in [*first, !*first] {
                let each = (1.0 + 0.1 * pair as f64) * if is_zeros { zeros } else { fresh };
                for _ in 0..2 {
                    ios.push(TrailIo {
                        step,
                        op: Op::Write,
                        offset: Bytes::ZERO,
                        len: WRITE,
                        sent: Duration::from_secs_f64(at),
                        took: Duration::from_secs_f64(each),
                    });
                    at += each;
                    step += 1;
                }
            }
        }
        ios
    }

    #[test]
    fn zeros_that_are_written_faster_show_whatever_else_becomes_slower() {
        let order: Vec<bool> = (0..PAIRS).map(|n| n % 3 == 0).collect();
        let (ratio, interval) = faster(&trail(1.0, 2.0, &order), 2, &order).unwrap();
        assert!((ratio - 2.0).abs() < 1e-6, "{ratio}");
        assert!(interval.unwrap()[0] > 1.9);
        let (alike, _) = faster(&trail(1.0, 1.0, &order), 2, &order).unwrap();
        assert!((alike - 1.0).abs() < 1e-6, "{alike}");
    }

    #[test]
    fn a_burst_with_a_failed_write_counts_in_no_pair() {
        let order = vec![true; PAIRS as usize];
        let mut ios = trail(1.0, 2.0, &order);
        ios.remove(5);
        let (ratio, _) = faster(&ios, 2, &order).unwrap();
        assert!((ratio - 2.0).abs() < 1e-6, "{ratio}");
        assert!(faster(&[], 2, &order).is_err());
    }
}
