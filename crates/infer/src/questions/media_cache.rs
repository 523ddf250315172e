//! How much goes somewhere else before random writes are slow?
//!
//! A shingled disk puts random writes into a cache on the discs, a log of some tens of GB, and a disk with a media cache
//! into a smaller one. Neither may forget where each piece belongs, so the cache has room for so many bytes *and* for so
//! many pieces. When one of them is used up, every further write waits until a part of the cache has been cleaned: on a
//! shingled disk a band of some tens of MiB is read, merged and written, for a single piece of it. That is the *cliff*: from
//! hundreds of writes a second to one or two.
//!
//! So the disk is written at random places until it falls over the cliff and stays down. Pieces of 256 KiB fill tens of GB in
//! minutes, where 4 KiB would take hours, and are few enough for a map that has room for a few hundred thousand; a disk with
//! less room falls earlier, and which of the two it was cannot be told from one size of pieces. The first part of what was
//! written is saved by a flush, whose time counts: what a host keeps in its own memory takes far longer to save than it took
//! to accept, and that is no cache on the discs.
//!
//! An idle disk cleans by itself. What it cleans while it is written to counts as cache, and what earlier questions left in
//! it is missing; the second is bounded by what they write. Behind the cliff those are cleaned first, many pieces at once,
//! so the rate there is an upper bound.

use base::{Bytes, Duration, Job, Message, Op, Order, Stop, Stopped, Takes, Workload};

use crate::asked::Asked;
use crate::in_order::Curve;
use crate::probe::Probe;
use crate::question::{Estimate, Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "media-cache",
    suits: |known| known.writes_elsewhere,
    writes: |asked| Some(asked.span),
    takes: |asked| Takes::timed(budget(asked).saturating_add(SAVED_IN)),
    ask,
};

/// A piece, and pieces in flight.
const PIECE: Bytes = Bytes::kib(256);
const DEPTH: u32 = 8;
/// All phases together take no longer than so many of the longest: 60 GB at 100 MB/s are ten minutes.
const PHASES: u64 = 30;
/// Behind the cliff, what is in the disk's memory is saved piece by piece. Some hundred of them take a modelled disk half an
/// hour.
const SAVED_IN: Duration = Duration::from_secs(2_700);
/// A smaller part would be overwritten before the cache is full.
const LEAST_SPAN: Bytes = Bytes::gib(256);
/// Bytes are read off in steps of so many seconds.
const STEP: f64 = 0.5;
/// A fall is to less than this of the rate before, whose parts are within so much of it.
const FALLS: f64 = 0.4;
const STAYS: f64 = 1.25;
/// It is watched for so many seconds, and for so much of the time before it.
const WATCHED: f64 = 60.0;
const WATCHED_SHARE: f64 = 0.2;
/// A level before it that is shorter is the disk's memory.
const LEAST_BEFORE: f64 = 10.0;
/// Parts of a level that must have its rate.
const PARTS: usize = 4;
/// Longer than so much of what a phase took, and saving what it wrote is no longer that of a disk's own memory.
const SAVED: f64 = 0.3;
/// What earlier questions wrote at most, in GB, and may still be in it; and how much the place of a fall is off, as a share.
const EARLIER_GB: f64 = 3.0;
const NO_SURER: f64 = 0.03;
/// What is in the disk's memory when it falls, in GB, is not in the cache.
const IN_MEMORY_GB: f64 = 0.3;

fn budget(asked: &Asked) -> Duration {
    asked.patience.saturating_mul(PHASES)
}

fn ask(probe: &mut Probe<'_>, _: &mut Known) -> Result<Found, Stopped> {
    let seen = match probe.asked.span.len < LEAST_SPAN {
        true => Err(Message::of("why-too-small-to-ask")),
        false => written(probe)?,
    };
    let of = |part: fn(&Seen) -> (f64, Option<[f64; 2]>)| -> Estimate {
        seen.as_ref().map(part).map_err(Clone::clone)
    };
    let mut found = Found::default();
    found.add(
        probe,
        "size",
        "GB",
        of(|seen| (seen.gb, Some(seen.between))),
    );
    found.add(probe, "pieces", "count", of(|seen| (seen.pieces(), None)));
    found.add(probe, "before", "IOPS", of(|seen| (seen.before, None)));
    found.add(probe, "after", "IOPS", of(|seen| (seen.after, None)));
    Ok(found)
}

/// Writes until the rate has fallen for good, or for as long as it may.
fn written(probe: &mut Probe<'_>) -> Result<Result<Seen, Message>, Stopped> {
    probe.flush()?;
    let budget = budget(probe.asked).as_secs_f64();
    let mut curve = Curve::default();
    for number in 1.. {
        let name = format!("writes at random part {number}");
        let work = at_random(probe, &name);
        probe.streamed(&name, work, |record| curve.keep(record))?;
        if number == 1 {
            let saved = probe.flush_before("the next part")?.as_secs_f64();
            if saved > SAVED * curve.seconds() {
                return Ok(Err(Message::of("why-kept-in-memory")));
            }
        }
        if cliff(&curve.in_each(STEP)).is_ok() || curve.seconds() > budget {
            break;
        }
    }
    Ok(cliff(&curve.in_each(STEP)))
}

/// Pieces at random places, for as long as a phase may take.
fn at_random(probe: &mut Probe<'_>, name: &str) -> Workload {
    let span = probe.asked.span;
    let job = Job::closed(name, Op::Write, Order::Random, span, PIECE, DEPTH);
    let stop = Stop::after_time(probe.asked.patience);
    Workload::single(job, stop, probe.rng.next_u64())
}

/// What went in, and how many pieces a second before and after.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    gb: f64,
    between: [f64; 2],
    before: f64,
    after: f64,
}

impl Seen {
    fn pieces(&self) -> f64 {
        (self.gb * 1e9 / PIECE.get() as f64).round()
    }
}

/// The fall of bytes in steps of equal time, where there is one that stays.
fn cliff(bytes: &[f64]) -> Result<Seen, Message> {
    let all: f64 = bytes.iter().sum();
    let within = || {
        Message::new(
            "why-no-cliff-within",
            [("gb", format!("{:.1}", all / 1e9).into())],
        )
    };
    let at = cut(bytes).ok_or_else(within)?;
    let (before, after) = bytes.split_at(at);
    let [fast, slow] = [before, after].map(mean);
    if slow > FALLS * fast {
        let is_even = parts(bytes).all(|part| part * STAYS > mean(bytes));
        return Err(if is_even {
            within()
        } else {
            Message::of("why-no-level")
        });
    }
    let [short, long] = [after, before].map(|level| level.len() as f64 * STEP);
    if short < WATCHED.max(WATCHED_SHARE * long) {
        return Err(within());
    }
    let was_even = parts(before).all(|part| part * STAYS > fast && part < STAYS * fast);
    let stays = parts(after).all(|part| part < FALLS * fast);
    if long < LEAST_BEFORE || !was_even || !stays {
        return Err(Message::of("why-no-level"));
    }
    let gb = before.iter().sum::<f64>() / 1e9;
    let low = gb * (1.0 - NO_SURER) - IN_MEMORY_GB;
    let a_second = |bytes: f64| bytes / STEP / PIECE.get() as f64;
    Ok(Seen {
        gb,
        between: [low.max(0.0), gb * (1.0 + NO_SURER) + EARLIER_GB],
        before: a_second(fast),
        after: a_second(slow),
    })
}

fn mean(level: &[f64]) -> f64 {
    level.iter().sum::<f64>() / level.len().max(1) as f64
}

/// The means of a level's parts.
fn parts(level: &[f64]) -> impl Iterator<Item = f64> + '_ {
    level.chunks(level.len().div_ceil(PARTS).max(1)).map(mean)
}

/// Where two levels explain the steps best: the cut between whose means most of the squares lies.
fn cut(bytes: &[f64]) -> Option<usize> {
    let all: f64 = bytes.iter().sum();
    let mut before = 0.0;
    let mut best = None;
    for at in 1..bytes.len() {
        before += bytes[at - 1];
        let (own, others) = (at as f64, (bytes.len() - at) as f64);
        let apart = before / own - (all - before) / others;
        let explained = apart * apart * own * others;
        if apart > 0.0 && best.is_none_or(|(most, _)| explained > most) {
            best = Some((explained, at));
        }
    }
    best.map(|(_, at)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::Rng;

    /// Pieces a second for so many seconds each, counted one by one, with a stall in one of a hundred steps.
    fn steps(levels: &[(f64, f64)], seed: u64) -> Vec<f64> {
        let mut rng = Rng::new(seed);
        let mut steps = Vec::new();
        for (seconds, a_second) in levels {
            let mut owed = 0.0;
            for _ in 0..(seconds / STEP) as usize {
                owed += a_second * STEP * (0.7 + 0.6 * rng.unit());
                let stalls = rng.below(100) == 0;
                let whole = if stalls { 0.0 } else { libm::floor(owed) };
                owed -= whole;
                steps.push(whole * PIECE.get() as f64);
            }
        }
        steps
    }

    #[test]
    fn the_cliff_is_where_it_fell_for_good() {
        for seed in 0..30 {
            for (seconds, fast, slow) in [
                (340.0, 380.0, 1.4),
                (60.0, 380.0, 90.0),
                (20.0, 200.0, 20.0),
            ] {
                let steps = steps(
                    &[(seconds, fast), (WATCHED.max(0.25 * seconds), slow)],
                    seed,
                );
                let seen = cliff(&steps).unwrap();
                let truth = steps[..(seconds / STEP) as usize].iter().sum::<f64>() / 1e9;
                let [low, high] = seen.between;
                assert!(low <= truth && truth <= high, "{seen:?} for {truth}");
                assert!((seen.gb / truth - 1.0).abs() < 0.04, "{seen:?} for {truth}");
                assert!((seen.after / slow - 1.0).abs() < 0.4, "{seen:?}");
            }
        }
    }

    #[test]
    fn a_level_rate_has_none_within_what_was_written() {
        for seed in 0..30 {
            for levels in [
                &[(600.0, 380.0)][..],
                &[(600.0, 3.0)],
                &[(300.0, 380.0), (20.0, 2.0)],
            ] {
                let why = cliff(&steps(levels, seed)).unwrap_err();
                assert_eq!(why.key(), Some("why-no-cliff-within"), "{levels:?}");
            }
        }
        assert!(cliff(&[]).is_err() && cliff(&[0.0; 40]).is_err());
    }

    #[test]
    fn what_comes_back_and_what_has_no_level_is_open() {
        for seed in 0..30 {
            for levels in [
                // A part of the cache is cleaned, and taken again.
                &[(200.0, 380.0), (80.0, 2.0), (100.0, 380.0), (120.0, 2.0)][..],
                // It gets slower and slower.
                &[(100.0, 380.0), (100.0, 200.0), (100.0, 90.0), (100.0, 20.0)],
                // Nothing but the disk's memory.
                &[(2.0, 1_000.0), (300.0, 20.0)],
            ] {
                let why = cliff(&steps(levels, seed)).unwrap_err();
                assert_eq!(why.key(), Some("why-no-level"), "{levels:?}");
            }
        }
    }
}
