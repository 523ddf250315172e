//! Was it in a state that passed?
//!
//! Some disks are careful when they were switched on cold: the arm moves more slowly, a change of track no longer fits into
//! the skew, and a stream loses a turn for each track. After some minutes they are as always. An SSD may be busy with itself
//! at first, and a host may wake up late. Whatever was measured meanwhile is that state's, and not the drive's.
//!
//! So a few MiB are read in order at three places at the beginning, and between all questions that only read. Each look reads
//! a little further on, as what was read before may be in a cache. The times of a place are held against its shortest, and
//! the middle one of the three places counts: a single long response spoils no look. A state has passed where all looks until
//! some time are alike, and all later ones are alike and faster. Which state it was is not in the times.
//!
//! What the other questions write changes the rate, too, so nothing is looked at after the first of them.

use base::{Bytes, Io, Message, Stopped, Takes, TrailIo};
use stats::median;

use crate::asked::Asked;
use crate::clock::Clock;
use crate::probe::Probe;
use crate::question::{Estimate, Found};

/// Places, in eighths of what is asked about, and reads in order at each.
const PLACES: [u64; 3] = [1, 3, 5];
const READ: Bytes = Bytes::kib(512);
const READS: u64 = 16;
/// Reads at the beginning of a place that wait for the arm, or were read ahead by the look before.
const ARRIVING: usize = 2;
/// From one look to the next at a place: all looks lie on one surface of a disk, or nearly so.
const FURTHER: Bytes = Bytes::mib(10);
/// In less the places of all looks would overlap.
const LEAST_SPAN: Bytes = Bytes::gib(4);
/// Looks before a step and after it: those before tell a state from what merely has to warm up.
const LEAST_BEFORE: usize = 3;
const LEAST_AFTER: usize = 2;
/// Looks that are alike differ by less from the middle one: a disk that loses a turn for each track has one more or less of
/// them. A step is a larger factor.
const ALIKE: f64 = 0.15;
const STEP: f64 = 1.3;

/// The most that so many looks take.
pub(crate) fn takes(asked: &Asked, looks: u64) -> Takes {
    if asked.span.len < LEAST_SPAN {
        return Takes::default();
    }
    let places = looks * PLACES.len() as u64;
    asked.singles(places).and_reading(READ * (READS * places))
}

/// All looks so far.
#[derive(Debug, Default)]
pub(crate) struct Passing {
    looks: Vec<Look>,
    phases: Vec<String>,
    ios: u64,
}

/// Seconds since the first look, and the seconds that each place took.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Look {
    at: f64,
    took: [f64; PLACES.len()],
}

impl Passing {
    /// Looks once more.
    pub(crate) fn look(&mut self, bench: &mut Clock<'_>, asked: &Asked) -> Result<(), Stopped> {
        if asked.span.len < LEAST_SPAN {
            return Ok(());
        }
        let at = bench.spent().as_secs_f64();
        let mut probe = Probe::new(bench, "passing", asked);
        let further = FURTHER * self.phases.len() as u64;
        let starts = PLACES.map(|eighths| {
            let at = Bytes::new(asked.span.len.get() / 8 * eighths) + further;
            asked.span.start + Bytes::new(at.get() / READ.get() * READ.get())
        });
        let ios = starts
            .iter()
            .flat_map(|start| (0..READS).map(|n| Io::read(*start + READ * n, READ)));
        let name = format!("look {}", self.phases.len() + 1);
        let trail = probe.one_at_a_time(&name, ios)?;
        self.ios += probe.ios;
        self.phases.append(&mut probe.phases);
        if let Some(took) = of_places(&trail) {
            self.looks.push(Look { at, took });
        }
        Ok(())
    }

    /// What came of it.
    pub(crate) fn found(self, bench: &mut Clock<'_>, asked: &Asked) -> Found {
        let mut found = Found::default();
        let passed = match asked.span.len < LEAST_SPAN {
            true => Err(Message::of("why-too-small-to-ask")),
            false => passed(&self.looks),
        };
        let watched = self.looks.last().map_or(0.0, |look| look.at);
        let mut probe = Probe::new(bench, "passing", asked);
        probe.phases = self.phases;
        probe.ios = self.ios;
        let of = |part: fn(&Passed) -> (f64, Option<[f64; 2]>)| -> Estimate {
            passed.as_ref().map(part).map_err(Clone::clone)
        };
        let ends = |it: &Passed| ((it.ends[0] + it.ends[1]) / 2.0, Some(it.ends));
        found.add(&probe, "ends", "s", of(ends));
        found.add(&probe, "before", "MB/s", of(|it| (it.before, None)));
        found.add(&probe, "after", "MB/s", of(|it| (it.after, None)));
        found.add(&probe, "watched", "s", Ok((watched, None)));
        found
    }
}

/// Seconds that each place took after its first reads; nothing where one has not all of its reads.
fn of_places(trail: &[TrailIo]) -> Option<[f64; PLACES.len()]> {
    let mut took = [0.0; PLACES.len()];
    if trail.len() as u64 != READS * PLACES.len() as u64 {
        return None;
    }
    for (took, place) in took.iter_mut().zip(trail.chunks(READS as usize)) {
        let ios = place.iter().skip(ARRIVING);
        *took = ios.map(|io| io.took.as_secs_f64()).sum();
    }
    took.iter().all(|took| *took > 0.0).then_some(took)
}

/// A state that passed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Passed {
    /// Seconds after the first look: the last one in it, and the first one after it.
    ends: [f64; 2],
    before: f64,
    after: f64,
}

/// The state that passed, where there is one.
fn passed(looks: &[Look]) -> Result<Passed, Message> {
    if looks.len() < LEAST_BEFORE + LEAST_AFTER {
        return Err(Message::of("why-few-looks"));
    }
    let usual: [f64; PLACES.len()] = std::array::from_fn(|place| {
        let took = looks.iter().map(|look| look.took[place]);
        took.fold(f64::MAX, f64::min)
    });
    let middle = |look: &Look| {
        let each = look.took.iter().zip(&usual);
        median(&each.map(|(took, usual)| took / usual).collect::<Vec<_>>()).unwrap_or(1.0)
    };
    let times: Vec<f64> = looks.iter().map(middle).collect();
    if are_alike(&times) {
        return Err(Message::of("why-no-step-of-time"));
    }
    let step = (LEAST_BEFORE..=looks.len() - LEAST_AFTER).find(|at| {
        let (before, after) = times.split_at(*at);
        let both = median(before).zip(median(after));
        let is_step = both.is_some_and(|(before, after)| before > STEP * after);
        is_step && are_alike(before) && are_alike(after)
    });
    let at = step.ok_or_else(|| Message::of("why-looks-uneven"))?;
    let mb = (READS - ARRIVING as u64) as f64 * READ.get() as f64 / 1e6 * PLACES.len() as f64;
    let rate = |times: &[f64]| mb / usual.iter().sum::<f64>() / median(times).unwrap_or(1.0);
    Ok(Passed {
        ends: [looks[at - 1].at, looks[at].at],
        before: rate(&times[..at]),
        after: rate(&times[at..]),
    })
}

fn are_alike(times: &[f64]) -> bool {
    let middle = median(times).unwrap_or(1.0);
    times.iter().all(|time| (time / middle - 1.0).abs() < ALIKE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::Rng;

    /// Looks a few seconds apart, whose places take so many times as long as usual; now and then a place has a long response.
    fn looks(times: &[f64], seed: u64) -> Vec<Look> {
        let mut rng = Rng::new(seed);
        let mut at = 0.0;
        let one = |times: &f64| {
            at += 5.0 + 20.0 * rng.unit();
            let mut took = [0.05, 0.06, 0.08].map(|it| it * times * (0.98 + 0.04 * rng.unit()));
            if rng.below(4) == 0 {
                took[rng.below(3) as usize] += 0.05;
            }
            Look { at, took }
        };
        times.iter().map(one).collect()
    }

    #[test]
    fn a_state_that_passed_ends_between_two_looks() {
        for seed in 0..30 {
            for slow in 3..=9 {
                let times: Vec<f64> = (0..11).map(|n| if n < slow { 2.0 } else { 1.0 }).collect();
                let looks = looks(&times, seed);
                let passed = passed(&looks).unwrap();
                let [low, high] = passed.ends;
                assert!(
                    low >= looks[slow - 1].at && high <= looks[slow].at,
                    "{passed:?}"
                );
                assert!(
                    (passed.after / passed.before - 2.0).abs() < 0.4,
                    "{passed:?}"
                );
            }
        }
    }

    #[test]
    fn a_rate_that_stays_slopes_or_is_slow_once_is_no_such_state() {
        for seed in 0..30 {
            let why = |times: &[f64]| passed(&looks(times, seed)).unwrap_err();
            assert_eq!(why(&[1.0; 11]).key(), Some("why-no-step-of-time"));
            let slope: Vec<f64> = (0..11).map(|n| 1.5 - 0.05 * f64::from(n)).collect();
            let mut once = vec![1.0; 11];
            once[4] = 2.0;
            let mut first = vec![1.0; 11];
            first[..2].fill(1.6);
            let mut falls = vec![1.0; 11];
            falls[5..].fill(2.0);
            for times in [slope, once, first, falls] {
                assert_eq!(why(&times).key(), Some("why-looks-uneven"), "{times:?}");
            }
        }
        assert_eq!(passed(&[]).unwrap_err().key(), Some("why-few-looks"));
    }
}
