//! Does it keep its rate while it is read for long?
//!
//! A drive that gets too hot, or that draws more power than it may on average, spaces its commands: the rate falls to a lower
//! level, or goes up and down in a sawtooth between two temperatures. After a rest it is back, and under the same load it
//! falls again. A volume with a quota does the same, and so does a drive whose own work comes back at intervals, so what is
//! told is what was seen: a thermometer tells heat from the others.
//!
//! The same part is read in order again and again, and rates are those of whole passes: a disk is faster outside, and a
//! drive may hold a part of its data in faster cells, but a pass has all of it. A rate that rises is another thing: a drive
//! that was busy with itself at first, a map or a cache that warms up. What fell once, and not again after a rest, may have
//! been the host.

use base::{Bytes, Duration, Job, Message, Op, Order, Span, Stop, Stopped, Takes, Workload};
use stats::median;

use crate::asked::Asked;
use crate::in_order::{Curve, rate};
use crate::probe::Probe;
use crate::question::{Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "sustained",
    // What is read again from memory says nothing of the drive.
    suits: |known| !known.is_behind_a_cache,
    writes: |_| None,
    takes: |asked| {
        let read = asked.patience.saturating_mul(2 * PHASES);
        Takes::timed(read).and_idle(rest(asked))
    },
    ask,
};

/// Phases of the longest: a drive without a heat sink throttles within a minute.
const PHASES: u64 = 3;
/// What is read again and again, more than a disk's buffer keeps, by how much, and how many at once. A disk that reads
/// slower than this, in MB/s, has a small buffer, and would not read it often enough.
const PART: Bytes = Bytes::mib(512);
const PART_OF_A_SLOW_DISK: Bytes = Bytes::mib(256);
const SLOW: f64 = 107.0;
const PIECE: Bytes = Bytes::mib(1);
const DEPTH: u32 = 8;
/// Passes are taken together until they last so many seconds.
const STEP: f64 = 0.5;
/// The first steps have the rate that the others are held against; fewer steps than so many tell nothing.
const FIRST: usize = 3;
const LEAST_STEPS: usize = 8;
/// A fall is to less than this, for so many steps in a row, and is no less for all that follows.
const FALLS: f64 = 0.9;
const IN_A_ROW: usize = 3;
/// A rate that is the same differs by less, and a level has so large a share of its steps there.
const SAME: f64 = 0.05;
const LEVEL: f64 = 0.8;
/// After a rest, a second fall is waited for so many times as long as the first one took.
const AGAIN: f64 = 1.5;

fn rest(asked: &Asked) -> Duration {
    Duration::from_nanos(asked.patience.as_nanos() / 2)
}

fn ask(probe: &mut Probe<'_>, known: &mut Known) -> Result<Found, Stopped> {
    let mut found = Found::default();
    let part = match known.reads_mb_s {
        Some(rate) if rate < SLOW => PART_OF_A_SLOW_DISK,
        _ => PART,
    };
    let part = part.min(probe.asked.span.len).round_down(PIECE);
    if part.is_zero() {
        found.add(
            probe,
            "after",
            "MB/s",
            Err(Message::of("why-too-small-to-ask")),
        );
        return Ok(found);
    }
    let part = Span::new(probe.asked.span.start, part);
    let patience = probe.asked.patience.as_secs_f64();
    let first = read(probe, part, "reads", PHASES as f64 * patience)?;
    let mut seen = fall(&steps(&first, part));
    if let Ok(fell) = seen {
        probe.rest("rest", rest(probe.asked))?;
        let until = (AGAIN * fell.seconds).clamp(patience, PHASES as f64 * patience);
        let second = read(probe, part, "reads after a rest", until)?;
        seen = falls_again(&fell, &steps(&second, part));
    }
    let of = |part: fn(&Fell) -> f64| match &seen {
        Ok(fell) => Ok((part(fell), None)),
        Err(why) => Err(why.clone()),
    };
    let before = steps(&first, part).first_rate();
    let before = before.ok_or_else(|| Message::of("why-nothing-completed"));
    found.add(probe, "before", "MB/s", before.map(|rate| (rate, None)));
    found.add(probe, "after", "MB/s", of(|fell| fell.after));
    found.add(probe, "falls-after", "s", of(|fell| fell.seconds));
    found.add(probe, "read-for", "s", Ok((first.seconds(), None)));
    Ok(found)
}

/// Reads a part in order, again and again, for so many seconds.
fn read(probe: &mut Probe<'_>, part: Span, name: &str, seconds: f64) -> Result<Curve, Stopped> {
    let mut curve = Curve::default();
    for number in 1..=PHASES {
        let left = Duration::from_secs_f64(seconds - curve.seconds());
        let name = format!("{name} part {number}");
        let job = Job::closed(&name, Op::Read, Order::Sequential, part, PIECE, DEPTH);
        let stop = Stop::after_time(left.min(probe.asked.patience));
        let work = Workload::single(job, stop, probe.rng.next_u64());
        probe.streamed(&name, work, |record| curve.keep(record))?;
        if curve.seconds() >= seconds {
            break;
        }
    }
    Ok(curve)
}

/// Passes that were taken together: seconds, and MB/s.
#[derive(Clone, Debug, Default, PartialEq)]
struct Steps(Vec<(f64, f64)>);

fn steps(curve: &Curve, part: Span) -> Steps {
    let each = part.len.get() as f64 / 1e6;
    let mut steps = Steps::default();
    let mut passes = Vec::new();
    let mut seconds = 0.0;
    for pass in curve.rates(part.len.get() as f64) {
        passes.push(pass);
        seconds += each / pass.max(1e-9);
        if seconds >= STEP {
            steps.0.push((seconds, rate(&passes).unwrap_or(0.0)));
            passes.clear();
            seconds = 0.0;
        }
    }
    steps
}

impl Steps {
    fn rates(&self) -> Vec<f64> {
        self.0.iter().map(|(_, rate)| *rate).collect()
    }

    fn first_rate(&self) -> Option<f64> {
        median(&self.rates()[..FIRST.min(self.0.len())])
    }

    /// The highest rate of some in a row.
    fn best(&self) -> f64 {
        let rates = self.rates();
        let some = rates.windows(IN_A_ROW).filter_map(median);
        some.fold(0.0, f64::max)
    }

    /// Seconds of the steps before one.
    fn until(&self, at: usize) -> f64 {
        self.0[..at].iter().map(|(seconds, _)| seconds).sum()
    }

    /// The step at which the rate falls below a share of another one for some in a row.
    fn falls_below(&self, bound: f64) -> Option<usize> {
        let rates = self.rates();
        let low = |some: &[f64]| some.iter().all(|rate| *rate < bound);
        rates.windows(IN_A_ROW).position(low)
    }
}

/// A fall.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Fell {
    before: f64,
    after: f64,
    seconds: f64,
}

/// The fall of a rate that was level before, and is lower for all that follows.
fn fall(steps: &Steps) -> Result<Fell, Message> {
    let open = || Message::of("why-rate-uneven");
    let rates = steps.rates();
    let before = steps.first_rate().filter(|_| rates.len() >= LEAST_STEPS);
    let before = before.ok_or_else(|| Message::of("why-few-passes"))?;
    let is_level = |some: &[f64]| {
        let same = some
            .iter()
            .filter(|rate| (*rate / before - 1.0).abs() < SAME);
        same.count() as f64 >= LEVEL * some.len() as f64
    };
    let Some(at) = steps.falls_below(FALLS * before) else {
        // What rose may have been slowed down before.
        return Err(match steps.falls_below(FALLS * steps.best()) {
            None => Message::of("why-rate-stays"),
            Some(_) => open(),
        });
    };
    let after = rate(&rates[at..]).unwrap_or(0.0);
    // The step in which it fell is still a part of before.
    let level = &rates[..at.max(FIRST) - 1];
    let rises = rates
        .windows(IN_A_ROW)
        .any(|some| some.iter().all(|rate| *rate > before / FALLS));
    if at < FIRST || !is_level(level) || after > FALLS * before || rises {
        return Err(open());
    }
    Ok(Fell {
        before,
        after,
        seconds: steps.until(at),
    })
}

/// The same fall, where the rate is back after the rest and falls once more.
fn falls_again(fell: &Fell, steps: &Steps) -> Result<Fell, Message> {
    let rates = steps.rates();
    let back = median(&rates[..FIRST.min(rates.len())]).unwrap_or(0.0);
    if back < (1.0 - SAME) * fell.before {
        return Err(Message::of("why-not-back"));
    }
    match steps.falls_below(FALLS * fell.before) {
        Some(_) => Ok(*fell),
        None => Err(Message::of("why-fell-once")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::Rng;

    /// Steps of half a second at the rates of levels, some hundredths off; one of a hundred has a stall.
    fn levels(levels: &[(usize, f64)], seed: u64) -> Steps {
        let mut rng = Rng::new(seed);
        let rates = levels
            .iter()
            .flat_map(|(steps, rate)| std::iter::repeat_n(*rate, *steps));
        let noisy = rates.map(|rate| {
            let rate = rate * (0.98 + 0.04 * rng.unit());
            (
                STEP,
                if rng.below(100) == 0 {
                    0.8 * rate
                } else {
                    rate
                },
            )
        });
        Steps(noisy.collect())
    }

    /// Fast and slow in turn.
    fn sawtooth(seed: u64) -> Steps {
        let mut all = vec![(40, 3_500.0)];
        all.extend([(10, 1_500.0), (8, 3_500.0)].repeat(4));
        levels(&all, seed)
    }

    #[test]
    fn a_fall_to_a_level_or_a_sawtooth_that_comes_again_is_told() {
        for seed in 0..30 {
            let steps = levels(&[(28, 3_500.0), (90, 1_500.0)], seed);
            let fell = fall(&steps).unwrap();
            assert!((fell.seconds - 14.0).abs() < 1.1, "{fell:?}");
            assert!((fell.after / 1_500.0 - 1.0).abs() < 0.05, "{fell:?}");
            let fell = fall(&sawtooth(seed)).unwrap();
            assert!((fell.seconds - 20.0).abs() < 1.1, "{fell:?}");
            assert_eq!(falls_again(&fell, &sawtooth(seed + 100)), Ok(fell));
        }
    }

    #[test]
    fn what_does_not_come_back_or_not_again_is_open() {
        for seed in 0..30 {
            let fell = fall(&levels(&[(28, 500.0), (90, 300.0)], seed)).unwrap();
            let why = |steps: &Steps| falls_again(&fell, steps).unwrap_err();
            let slow = why(&levels(&[(60, 300.0)], seed));
            assert_eq!(slow.key(), Some("why-not-back"));
            let once = why(&levels(&[(60, 500.0)], seed));
            assert_eq!(once.key(), Some("why-fell-once"));
            assert!(falls_again(&fell, &Steps::default()).is_err());
        }
    }

    #[test]
    fn a_level_rate_has_no_fall_and_one_that_rises_or_slopes_is_open() {
        for seed in 0..30 {
            let why = |of: &[(usize, f64)]| fall(&levels(of, seed)).unwrap_err();
            // The second has a cache in front for the first half second.
            for of in [&[(120, 550.0)][..], &[(1, 3_500.0), (100, 2_000.0)]] {
                assert_eq!(why(of).key(), Some("why-rate-stays"));
            }
            for of in [
                // A drive that is busy with itself at first.
                &[(20, 1_400.0), (100, 3_500.0)][..],
                // The host, for some seconds.
                &[(30, 3_500.0), (4, 2_000.0), (80, 3_500.0)],
                &[(20, 2_000.0), (20, 3_500.0), (80, 1_000.0)],
            ] {
                assert_eq!(why(of).key(), Some("why-rate-uneven"), "{of:?}");
            }
            assert_eq!(why(&[(4, 90.0)]).key(), Some("why-few-passes"));
        }
    }
}
