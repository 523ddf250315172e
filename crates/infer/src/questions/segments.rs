//! How many streams does a disk's read cache follow, and how far does it read ahead?
//!
//! The buffer of a disk is divided into segments. A read that no segment has takes the one that was not used for longest,
//! and where the arm has nothing else to do, what follows on the track is read into it, too. So k reads far apart and the
//! first of them once more: it comes from its segment if there are k of them, in less than a tenth of a turn, and from the
//! medium otherwise. And one read, a rest, and one of what lies some KiB behind it: it is there as far as is read ahead.
//!
//! Both change over at one value, which is found by doubling and then by halving the distance between the largest that is
//! found again and the smallest that is not. Whether a value is found again is decided by the majority of nine tries; where
//! a larger one is found again although a smaller one was not, the cache is not made like this, and nothing is said.

use base::{Argument, Bytes, Duration, Io, Message, Script, Stopped, TrailIo};

use crate::probe::Probe;
use crate::question::{Estimate, Found, Known, Question};
use crate::search::{Ended, Search};

pub(crate) const QUESTION: Question = Question {
    id: "segments",
    suits: Known::may_turn,
    writes: |_| None,
    takes: |asked| {
        let rest = REST + Duration::from_micros(REST_ADDS_US);
        let rests = rest.saturating_mul(TRIES * VALUES);
        // All powers of two a few times, and then a number below the most for each bit of it.
        let bits = u64::from(MOST_STREAMS.ilog2()) + 2;
        let streams = FIRST_TRIES * 2 * MOST_STREAMS + TRIES * bits * MOST_STREAMS;
        asked.singles(streams + 4 * TRIES * VALUES).and_idle(rests)
    },
    ask,
};

/// Tries of each value, and of the first, coarse ones.
const TRIES: u64 = 9;
const FIRST_TRIES: u64 = 5;
/// Values that are tried at most: a search up to a power of two tries each bit twice, and two values once more.
const VALUES: u64 = 20;
/// Streams at most.
const MOST_STREAMS: u64 = 128;
/// What is read ahead is found in steps of so much, at most so many, and to this share.
const STEP: Bytes = Bytes::kib(32);
const MOST_STEPS: u64 = 512;
const WITHIN: f64 = 0.04;
/// Places lie so far apart that none is read ahead of another.
const APART: Bytes = Bytes::mib(64);
/// What is read ahead is there after so long. A longest turn is added in part: after a rest of always the same length the
/// place would always have come round by the same part of a turn, and may be met each time as if it were in a cache.
const REST: Duration = Duration::from_millis(100);
const REST_ADDS_US: u64 = 17_000;
/// A response of less than so much of a turn comes from the cache: with more, places that come round soon would be taken
/// for it.
const CACHED: f64 = 0.08;

fn ask(probe: &mut Probe<'_>, known: &mut Known) -> Result<Found, Stopped> {
    let mut found = Found::default();
    let refused = match known.turn {
        None => Some("why-no-rotation"),
        Some(_) if places(probe) < 2 * MOST_STREAMS => Some("why-too-small-to-ask"),
        // Two sets of arms have a cache each, and it is chance how many of the streams each of them follows.
        Some(_) if !known.has_one_arm => Some("why-no-seek-curve"),
        Some(_) => None,
    };
    let Some(turn) = known.turn.filter(|_| refused.is_none()) else {
        let why = || Err(Message::of(refused.unwrap_or("why-no-rotation")));
        found.add(probe, "streams", "count", why());
        found.add(probe, "ahead", "KiB", why());
        return Ok(found);
    };
    let cached = CACHED * turn.ms;
    let mut streams = Search::up_to(MOST_STREAMS, 0.0);
    while let Some((many, first)) = streams.next() {
        let round = round(&streams, many);
        let share = share_of_streams(probe, many, tries(first), cached, &round)?;
        streams.tried(many, share);
    }
    found.add(probe, "streams", "count", as_estimate(&streams, 1.0));
    if streams.ended() == Ended::BelowAll {
        // What is read ahead is kept nowhere.
        found.add(probe, "ahead", "KiB", Err(Message::of("why-not-kept")));
        return Ok(found);
    }
    let mut ahead = Search::up_to(MOST_STEPS, WITHIN);
    while let Some((steps, first)) = ahead.next() {
        let round = round(&ahead, steps);
        let share = share_ahead(probe, STEP * steps, tries(first), cached, &round)?;
        ahead.tried(steps, share);
    }
    let step_kib = STEP.get() as f64 / Bytes::kib(1).get() as f64;
    // It may end anywhere before the next step, which was not there.
    let ahead = as_estimate(&ahead, step_kib)
        .map(|(kib, between)| (kib, between.map(|[low, high]| [low, high + step_kib])));
    found.add(probe, "ahead", "KiB", ahead);
    Ok(found)
}

fn tries(first: bool) -> u64 {
    if first { FIRST_TRIES } else { TRIES }
}

/// What a phase's name ends with where a number is tried once more.
fn round(search: &Search, number: u64) -> String {
    let again = search.all().iter().any(|(tried, _)| *tried == number);
    if again {
        " round 2".to_owned()
    } else {
        String::new()
    }
}

/// Places that are far enough apart.
fn places(probe: &Probe<'_>) -> u64 {
    probe.asked.span.len.get() / APART.get()
}

/// A read at the beginning of a place, and so far behind it.
fn read_at(probe: &Probe<'_>, place: u64, behind: Bytes) -> Io {
    let start = probe.asked.span.start + APART * place;
    Io::read(start + behind, probe.asked.access)
}

/// The share of tries in which the first of so many streams is found again.
fn share_of_streams(
    probe: &mut Probe<'_>,
    many: u64,
    tries: u64,
    cached_ms: f64,
    round: &str,
) -> Result<f64, Stopped> {
    let mut ios = Vec::new();
    for _ in 0..tries {
        let mut chosen: Vec<u64> = Vec::new();
        while (chosen.len() as u64) < many {
            let place = probe.rng.below(places(probe));
            if !chosen.contains(&place) {
                chosen.push(place);
            }
        }
        chosen.push(chosen[0]);
        ios.extend(
            chosen
                .iter()
                .map(|place| read_at(probe, *place, Bytes::ZERO)),
        );
    }
    let trail = probe.one_at_a_time(&format!("streams {many}{round}"), ios)?;
    Ok(share_found(&trail, many as u32 + 1, cached_ms))
}

/// The share of tries in which what lies so far behind a read is there after a rest.
fn share_ahead(
    probe: &mut Probe<'_>,
    behind: Bytes,
    tries: u64,
    cached_ms: f64,
    round: &str,
) -> Result<f64, Stopped> {
    let name = format!(
        "{} KiB further on{round}",
        behind.get() / Bytes::kib(1).get()
    );
    let mut script = Script::new(&name, 1);
    let mut last = None;
    for _ in 0..tries {
        let place = probe.rng.below(places(probe));
        let rest = REST + Duration::from_micros(probe.rng.below(REST_ADDS_US));
        for (behind, rest) in [(Bytes::ZERO, Duration::ZERO), (behind, rest)] {
            let io = read_at(probe, place, behind);
            last = Some(script.io(io, rest, last.as_slice()));
        }
    }
    let trail = probe.script(&name, script)?;
    Ok(share_found(&trail, 2, cached_ms))
}

/// Of tries of so many reads each: in what share the last read came from the cache, where the first one, which it looks
/// for, was complete. Nothing complete is nothing found.
fn share_found(trail: &[TrailIo], each: u32, cached_ms: f64) -> f64 {
    let (mut tries, mut found) = (0.0, 0.0);
    let has = |step| trail.binary_search_by_key(&step, |io: &TrailIo| io.step);
    for io in trail.iter().filter(|io| io.step % each == each - 1) {
        if has(io.step + 1 - each).is_ok() {
            tries += 1.0;
            found += f64::from(u8::from(io.took.as_millis_f64() < cached_ms));
        }
    }
    if tries > 0.0 { found / tries } else { 0.0 }
}

/// The number that was found, in units.
fn as_estimate(search: &Search, unit: f64) -> Estimate {
    match search.ended() {
        Ended::At(number, [low, high]) => {
            let interval = [low as f64 * unit, high as f64 * unit];
            Ok((number as f64 * unit, Some(interval)))
        }
        Ended::BelowAll => Err(Message::of("why-not-kept")),
        Ended::AboveAll => {
            let most = search.all().last().map_or(0, |(number, _)| *number);
            let most = Argument::text(format!("{:.0}", most as f64 * unit));
            Err(Message::new("why-all-kept", [("n", most)]))
        }
        Ended::Nowhere => Err(Message::of("why-kept-at-random")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::io::Op;
    use base::rng::Rng;

    /// Tries on a cache of so many segments and a turn of 8.3 ms, behind a host that adds 5 to 50 us: one in fifty is
    /// missing, one in a thousand takes a hundred times as long.
    fn tries(segments: u64, many: u64, count: u64, rng: &mut Rng) -> Vec<TrailIo> {
        let mut trail = Vec::new();
        for step in 0..count * (many + 1) {
            let again = step % (many + 1) == many;
            let mut ms = match again && many <= segments {
                true => 0.1,
                // The arm was elsewhere.
                false => 2.0 + 8.3 * rng.unit(),
            };
            ms += 0.005 + 0.045 * rng.unit();
            if rng.below(1_000) == 0 {
                ms *= 100.0;
            }
            if rng.below(50) > 0 {
                trail.push(TrailIo {
                    step: step as u32,
                    op: Op::Read,
                    offset: Bytes::ZERO,
                    len: Bytes::kib(4),
                    sent: Duration::ZERO,
                    took: Duration::from_secs_f64(ms / 1e3),
                });
            }
        }
        trail
    }

    #[test]
    fn segments_are_found_exactly_or_not_visible_whatever_is_odd() {
        let (mut exact, mut all) = (0, 0);
        for seed in 0..40 {
            let mut rng = Rng::new(seed);
            for truth in [1, 5, 8, 16, 32, 64] {
                let mut search = Search::up_to(MOST_STREAMS, 0.0);
                while let Some((many, first)) = search.next() {
                    let trail = tries(truth, many, super::tries(first), &mut rng);
                    search.tried(many, share_found(&trail, many as u32 + 1, CACHED * 8.3));
                }
                all += 1;
                if let Ok((found, between)) = as_estimate(&search, 1.0) {
                    let [low, high] = between.unwrap();
                    assert!(
                        low <= truth as f64 && truth as f64 <= high,
                        "{found} for {truth}"
                    );
                    exact += u32::from((found - truth as f64).abs() < 0.5);
                }
            }
        }
        assert!(exact * 20 > all * 19, "{exact} of {all}");
    }

    #[test]
    fn a_disk_without_a_cache_and_one_that_keeps_all_say_why() {
        let of = |share: f64| {
            let mut search = Search::up_to(MOST_STREAMS, 0.0);
            while let Some((many, _)) = search.next() {
                search.tried(many, share);
            }
            as_estimate(&search, 1.0).unwrap_err()
        };
        assert_eq!(of(0.0).key(), Some("why-not-kept"));
        assert_eq!(of(1.0).key(), Some("why-all-kept"));
    }
}
