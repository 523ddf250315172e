//! Is the write cache on, and how much does it take?
//!
//! A disk with its write cache on says that a write is complete when it is in the buffer, in a hundredth of a turn; with it
//! off, when it is on the medium. The buffer is filled by two things: bytes, and entries of the table of what is unwritten.
//! Small writes to random places use up the entries first, larger ones the bytes. From then on a write waits until an
//! earlier one is on the medium, so responses jump from a part of a millisecond to a part of a turn and a seek, and stay
//! there: one long response among short ones is no limit.
//!
//! While it is filled, the disk writes already. How much, follows from how long it took to fill and from how long a write
//! takes afterwards, if it begins after a rest of a turn and needs another one for the first; it is left out of the figure,
//! and what it could be at most is its uncertainty. Where larger writes come to an end at as
//! many as small ones, it is the entries again, and of the bytes nothing is known.

use base::{Bytes, Duration, Io, Message, Stopped, TrailIo};

use crate::probe::Probe;
use crate::question::{Estimate, Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "write-cache",
    suits: |known| known.turns == Some(true),
    writes: |asked| Some(asked.area()),
    takes: |asked| {
        // An eighth, a quarter, a half, and three times all.
        let small = asked.singles((ROUNDS + 1) * MOST_WRITES);
        LARGE.into_iter().fold(small, |takes, large| {
            let writes = (ROUNDS + 1) * MOST_BYTES.get() / large.get();
            takes.and_accesses(writes).and_moving(large * writes)
        })
    },
    ask,
};

/// The same again so often: what they agree on is no accident.
const ROUNDS: u64 = 3;
/// Small writes at most. A round begins with as few as an eighth, and goes on only where they met no limit: beyond it each
/// takes as long as a read.
const MOST_WRITES: u64 = 2_400;
const BEGINS_WITH: u64 = 8;
/// Larger writes, and what they come to at most.
const LARGE: [Bytes; 2] = [Bytes::kib(256), Bytes::mib(1)];
const MOST_BYTES: Bytes = Bytes::mib(288);
/// The first writes, which the cache takes if there is one.
const FIRST: usize = 8;
/// They take less of a turn where it is on, more where it is off.
const ON: f64 = 0.1;
const OFF: f64 = 0.3;
/// Larger writes that are fewer than so much of the small ones did not use up the entries.
const FEWER: f64 = 0.8;
/// Turns until the first write is on the medium.
const RESTS: f64 = 2.0;
/// Rounds that differ by more have no limit in common.
const AGREE: f64 = 0.15;
/// No limit is surer, whatever the rounds say.
const NO_SURER: f64 = 0.047;

/// A flush that takes fewer turns has emptied nothing: a disk that saves its cache when the power fails need not.
const EMPTIED: f64 = 2.0;

/// How a limit is told.
#[derive(Clone, Copy)]
struct Jump {
    /// Whether nothing was written before.
    is_first: bool,
    /// A write at the limit takes so much of a turn longer than the first ones,
    longer: f64,
    /// and so many from it on take so much longer on average, the longest of them left out.
    window: u64,
    stays: f64,
}

const SMALL: Jump = Jump {
    is_first: true,
    longer: 0.2,
    window: 64,
    stays: 0.1,
};
const OF_LARGE: Jump = Jump {
    is_first: false,
    longer: 0.3,
    window: 16,
    stays: 0.15,
};

fn ask(probe: &mut Probe<'_>, known: &mut Known) -> Result<Found, Stopped> {
    let mut found = Found::default();
    let enough = probe.asked.area().len >= MOST_BYTES * 4;
    let Some(turn) = known.turn.filter(|_| enough) else {
        let why = match known.turn {
            None => "why-no-rotation",
            Some(_) => "why-too-small-to-ask",
        };
        conclude(probe, &mut found, Err(Message::of(why)), None, None);
        return Ok(found);
    };
    let small = probe.asked.access;
    let (firsts, rounds) = rounds(probe, small, MOST_WRITES, turn.ms, SMALL)?;
    let first = first(&firsts);
    // Two sets of arms have a cache each, and the beginning of the drive is one set's.
    let entries = agreed(&rounds).filter(|_| known.has_one_arm);
    let mut bytes = None;
    if known.has_one_arm && matches!(first, Ok((share, _)) if share < ON) {
        for large in LARGE {
            bytes = of_bytes(probe, large, turn.ms, entries)?;
            if bytes.is_some() {
                break;
            }
        }
    }
    conclude(probe, &mut found, first, entries, bytes);
    Ok(found)
}

/// Rounds of writes of one length, up to so many: what the first writes of all take, as a share of a turn, and the limit
/// that each round met.
fn rounds(
    probe: &mut Probe<'_>,
    len: Bytes,
    most: u64,
    turn_ms: f64,
    jump: Jump,
) -> Result<(Vec<f64>, Vec<Option<Limit>>), Stopped> {
    let (mut firsts, mut limits) = (Vec::new(), Vec::new());
    let mut writes = most / BEGINS_WITH;
    for round in 1.. {
        let (flushed, trail) = written(probe, len, writes, round)?;
        let is_first = jump.is_first && round == 1;
        if !is_first && flushed.as_millis_f64() < EMPTIED * turn_ms {
            // It was not emptied, so what it takes now is not all that it takes.
            return Ok((firsts, Vec::new()));
        }
        if is_first {
            let begun = trail.iter().take(2 * FIRST);
            firsts.extend(begun.map(|io| io.took.as_millis_f64() / turn_ms));
        }
        let found = limit(&trail, turn_ms, jump);
        if found.is_none() && limits.is_empty() && writes < most && is_taken(&trail, turn_ms) {
            writes = (2 * writes).min(most);
            continue;
        }
        limits.push(found);
        let Some(found) = found.filter(|_| (limits.len() as u64) < ROUNDS) else {
            break;
        };
        writes = (found.writes + 2 * jump.window).min(most);
    }
    Ok((firsts, limits))
}

/// Whether the first writes did not wait for the medium.
fn is_taken(trail: &[TrailIo], turn_ms: f64) -> bool {
    let first: Vec<f64> = trail
        .iter()
        .take(FIRST)
        .map(|io| io.took.as_millis_f64())
        .collect();
    stats::median(&first).is_some_and(|median| median < OFF * turn_ms)
}

/// Writes to random places, after all earlier ones are on the medium, and how long these took.
fn written(
    probe: &mut Probe<'_>,
    len: Bytes,
    writes: u64,
    round: u64,
) -> Result<(Duration, Vec<TrailIo>), Stopped> {
    let name = format!(
        "writes of {} KiB round {round}",
        len.get() / Bytes::kib(1).get()
    );
    let flushed = probe.flush_before(&name)?;
    let area = probe.asked.area();
    let places = area.len.get() / len.get();
    let ios: Vec<Io> = (0..writes)
        .map(|_| {
            let at = area.start + len * probe.rng.below(places);
            probe.write(at, len)
        })
        .collect();
    Ok((flushed, probe.one_at_a_time(&name, ios)?))
}

/// What larger writes come to, in MiB: nothing where no limit is seen, or where it is that of the entries.
fn of_bytes(
    probe: &mut Probe<'_>,
    large: Bytes,
    turn_ms: f64,
    entries: Option<[f64; 3]>,
) -> Result<Option<[f64; 3]>, Stopped> {
    let most = MOST_BYTES.get() / large.get();
    let (_, rounds) = rounds(probe, large, most, turn_ms, OF_LARGE)?;
    let mib = large.get() as f64 / Bytes::mib(1).get() as f64;
    let found = agreed(&rounds).filter(|[found, ..]| {
        // Without a limit of the entries it is beyond all small writes.
        let entries = entries.map_or(MOST_WRITES as f64, |[entries, ..]| entries);
        *found < FEWER * entries
    });
    // The last one may have found room for a part of it.
    Ok(found.map(|[value, low, high]| [value * mib, low * mib, (high + 1.0) * mib]))
}

fn conclude(
    probe: &Probe<'_>,
    found: &mut Found,
    first: Estimate,
    entries: Option<[f64; 3]>,
    bytes: Option<[f64; 3]>,
) {
    let why = match &first {
        Err(why) => why.clone(),
        Ok((share, _)) if *share > OFF => Message::of("why-no-write-cache"),
        Ok(_) => Message::of("why-no-cache-limit"),
    };
    let on = matches!(&first, Ok((share, _)) if *share < ON);
    let of = |limit: Option<[f64; 3]>| -> Estimate {
        let limit = limit.filter(|_| on).ok_or_else(|| why.clone());
        limit.map(|[value, low, high]| (value, Some([low, high])))
    };
    let limits = [
        ("entries", "count", of(entries)),
        ("bytes", "MiB", of(bytes)),
    ];
    found.add(probe, "first", "ratio", first);
    for (key, unit, estimate) in limits {
        found.add(probe, key, unit, estimate);
    }
}

/// What the first writes take, as a share of a turn.
fn first(shares: &[f64]) -> Estimate {
    let middle = stats::median(shares).ok_or_else(|| Message::of("why-nothing-completed"))?;
    let interval = stats::median_interval(shares).map(|it| [it.low, it.high]);
    Ok((middle, interval))
}

/// How many writes were taken at once.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Limit {
    writes: u64,
    /// How many of them were on the medium by then, and could be at most.
    drained: f64,
    drained_at_most: f64,
}

/// The first write that waits, where those after it do, too.
fn limit(trail: &[TrailIo], turn_ms: f64, jump: Jump) -> Option<Limit> {
    let ms: Vec<f64> = trail.iter().map(|io| io.took.as_millis_f64()).collect();
    let fast = stats::median(ms.get(..FIRST)?)?;
    if !is_taken(trail, turn_ms) {
        return None;
    }
    let window = jump.window as usize;
    let waits = |at: &usize| {
        let Some(after) = ms.get(*at..*at + window) else {
            return false;
        };
        let longest = after.iter().copied().fold(0.0, f64::max);
        let mean = (after.iter().sum::<f64>() - longest) / (window - 1) as f64;
        ms[*at] > fast + jump.longer * turn_ms && mean > fast + jump.stays * turn_ms
    };
    let at = (1..ms.len()).find(waits)?;
    let begun = trail[0].sent;
    let filled = (trail[at].sent.saturating_sub(begun)).as_millis_f64();
    let late = &trail[at..];
    let took = (late[late.len() - 1].sent.saturating_sub(late[0].sent)).as_millis_f64();
    let each = took / (late.len() - 1) as f64;
    // By its step: a write that failed may have been taken all the same.
    let writes = u64::from(trail[at].step);
    let begun_after = RESTS * turn_ms;
    let drained = |from: f64| ((filled - from).max(0.0) / each).min(writes as f64 - 1.0);
    Some(Limit {
        writes,
        drained: drained(begun_after),
        drained_at_most: drained(0.0),
    })
}

/// What rounds agree on: how many, and between which numbers.
fn agreed(rounds: &[Option<Limit>]) -> Option<[f64; 3]> {
    let all: Option<Vec<Limit>> = rounds.iter().copied().collect();
    let all = all.filter(|all| all.len() as u64 == ROUNDS)?;
    let each = |of: fn(&Limit) -> f64| all.iter().map(of).collect::<Vec<f64>>();
    let least = |of: &[f64]| of.iter().copied().fold(f64::MAX, f64::min);
    let most = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
    let held = each(|it| it.writes as f64 - it.drained);
    let middle = stats::median(&held)?;
    let off = (NO_SURER * middle).max(1.0);
    let low = least(&each(|it| it.writes as f64 - it.drained_at_most)).min(middle - off);
    let high = most(&each(|it| it.writes as f64)).max(middle + off);
    (most(&held) - least(&held) <= AGREE * middle).then_some([middle, low, high])
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::io::Op;
    use base::rng::Rng;

    const TURN_MS: f64 = 8.333;

    /// Writes to a disk that takes so many at once, `each_ms` for one of them, and brings one to the medium in 5 ms, some at
    /// a time; behind a host that adds 5 to 50 us. One in fifty is missing, one in a thousand takes a hundred times as long.
    fn disk(takes: u64, each_ms: f64, at_a_time: u64, writes: u64, seed: u64) -> Vec<TrailIo> {
        let mut rng = Rng::new(seed);
        let (mut now, mut held, mut drained_at) = (0.0, 0_u64, 0.0);
        let mut trail = Vec::new();
        for step in 0..writes {
            let mut ms = each_ms + 0.005 + 0.045 * rng.unit();
            let done = ((now - drained_at) / (5.0 * at_a_time as f64)).floor();
            held -= (done as u64 * at_a_time).min(held);
            drained_at += done * 5.0 * at_a_time as f64;
            if held >= takes {
                let room = drained_at + 5.0 * at_a_time as f64;
                ms += room - now;
                drained_at = room;
                held -= at_a_time.min(held);
            }
            held += 1;
            let ms = if rng.below(1_000) == 0 {
                100.0 * ms
            } else {
                ms
            };
            if rng.below(50) > 0 {
                trail.push(TrailIo {
                    step: step as u32,
                    op: Op::Write,
                    offset: Bytes::ZERO,
                    len: Bytes::kib(4),
                    sent: Duration::from_secs_f64(now / 1e3),
                    took: Duration::from_secs_f64(ms / 1e3),
                });
            }
            now += ms;
        }
        trail
    }

    #[test]
    fn entries_and_bytes_are_found_or_not_visible_whatever_is_odd() {
        let (mut seen, mut held) = (0, 0);
        for (takes, each_ms, at_a_time, jump) in [
            (128, 0.1, 1, SMALL),
            (32, 0.1, 1, SMALL),
            (256, 0.1, 16, SMALL),
            (96, 0.6, 1, OF_LARGE),
            (16, 2.5, 1, OF_LARGE),
        ] {
            for seed in 0..40 {
                let rounds: Vec<Option<Limit>> = (0..ROUNDS)
                    .map(|round| {
                        let trail = disk(takes, each_ms, at_a_time, 600, ROUNDS * seed + round);
                        limit(&trail, TURN_MS, jump)
                    })
                    .collect();
                if let Some([found, low, high]) = agreed(&rounds) {
                    seen += 1;
                    let truth = takes as f64;
                    assert!((found / truth - 1.0).abs() < 0.1, "{found} for {truth}");
                    held += u32::from(low <= truth && truth <= high);
                }
            }
        }
        assert!(seen > 150, "{seen} of 200");
        assert!(20 * held >= 19 * seen, "{held} of {seen} intervals of 95 %");
    }

    #[test]
    fn a_cache_that_is_off_and_one_that_never_fills_have_no_limit() {
        assert_eq!(limit(&disk(1, 8.0, 1, 600, 1), TURN_MS, SMALL), None);
        assert_eq!(limit(&disk(10_000, 0.1, 1, 600, 1), TURN_MS, SMALL), None);
        assert_eq!(limit(&[], TURN_MS, SMALL), None);
        // Rounds that do not agree have none in common.
        let of = |writes| {
            Some(Limit {
                writes,
                drained: 1.0,
                drained_at_most: 2.0,
            })
        };
        assert_eq!(agreed(&[of(100), of(200), of(100)]), None);
        assert_eq!(agreed(&[of(100), None]), None);
    }
}
