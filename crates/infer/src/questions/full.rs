//! How much of the one-bit cache is left where the drive is nearly full?
//!
//! A fixed area is as large on a full drive as on an empty one. A cache made of what is free shrinks with it: a drive that
//! takes 100 GB at full rate when it is empty takes 25 GB when it is three quarters full, and nearly nothing at the end.
//! One fill of an empty drive cannot tell them apart; two states can. So three quarters are written, the drive is left
//! alone until the cache is emptied, and then written to until the rate falls, as it was when it was empty.
//!
//! Less may come from a cache that was not emptied yet. So it is done twice, the second time after twice the rest: where
//! that gives more, the first rest was too short, and maybe the second as well. Where next to nothing went fast, a drive
//! that has no cache left looks the same as one that empties it only when it is told to: then it is left open.

use base::{Bytes, Duration, Message, Span, Stopped, Takes};

use crate::asked::Asked;
use crate::in_order::Place;
use crate::probe::Probe;
use crate::question::{Estimate, Fall, Found, GivesBack, Known, Question};
use crate::rounds::{Rounds, bin};

pub(crate) const QUESTION: Question = Question {
    id: "nearly-full",
    suits: |known| known.fall.is_some() && known.obeys_trim,
    writes: |asked| Some(asked.span),
    takes: |asked| Takes::timed(longest_fill(asked)).and_idle(longest(asked).saturating_mul(3)),
    ask,
};

/// So much is full, in per cent.
const FULL_PERCENT: u64 = 75;
/// The fill and what follows take about so many of the longest together: 750 GB at 500 MB/s are 25 minutes. A drive that
/// needs longer is still filled, unless it writes fewer bytes a second than this.
const PHASES: u64 = 90;
const SLOWEST: f64 = 200e6;
/// A rest is as long as all of the cache takes to come back, and a part of that longer: so many phases where that is not
/// known, and no longer than so many. The second is twice as long.
const LONGER: f64 = 1.3;
const UNKNOWN: u64 = 2;
const LONGEST: u64 = 15;
/// After twice the rest no more comes back than this, as a share and in bins.
const NO_MORE: f64 = 0.1;
const NO_MORE_BINS: f64 = 4.0;
/// Less than so much of an empty drive's cache is next to nothing.
const NEXT_TO_NOTHING: f64 = 0.1;
/// No size is surer, as a share and in bins.
const NO_SURER: f64 = 0.05;
const NO_SURER_BINS: f64 = 3.0;
/// What buffers in front of the cache take, in bytes, counts with it.
const IN_FRONT: f64 = 1e8;

fn budget(asked: &Asked) -> Duration {
    asked.patience.saturating_mul(PHASES)
}

/// How long a fill may take.
pub(super) fn longest_fill(asked: &Asked) -> Duration {
    let whole = Duration::from_secs_f64(asked.span.len.get() as f64 / SLOWEST);
    budget(asked).max(whole)
}

pub(super) fn longest(asked: &Asked) -> Duration {
    asked.patience.saturating_mul(LONGEST)
}

/// How long the first rest is.
pub(super) fn rest(asked: &Asked, fall: Fall, gives_back: Option<GivesBack>) -> Duration {
    let Some(GivesBack {
        onset,
        bytes_a_second,
    }) = gives_back
    else {
        return asked.patience.saturating_mul(UNKNOWN);
    };
    let all = onset + fall.after_bytes / bytes_a_second.max(1.0);
    Duration::from_secs_f64(LONGER * all).min(longest(asked))
}

fn ask(probe: &mut Probe<'_>, known: &mut Known) -> Result<Found, Stopped> {
    let mut found = Found::default();
    let Some(fall) = known.fall else {
        return Ok(found);
    };
    let rest = rest(probe.asked, fall, known.gives_back);
    let size = size(probe, fall, rest)?;
    found.add(probe, "size", "GB", size.clone());
    let empty = fall.after_bytes / 1e9;
    let share = |it: f64| 100.0 * it / empty;
    let share = size.map(|(size, between)| (share(size), between.map(|it| it.map(share))));
    found.add(probe, "of-empty", "%", share);
    Ok(found)
}

/// What is written at full rate to a drive that is three quarters full, in GB.
fn size(probe: &mut Probe<'_>, fall: Fall, rest: Duration) -> Result<Estimate, Stopped> {
    let (full, free) = parts(probe.asked);
    if (free.len.get() as f64) < bin(fall.after_bytes) {
        return Ok(Err(Message::of("why-too-small-to-ask")));
    }
    let budget = longest_fill(probe.asked);
    // At the lower rate all the way.
    let needed = full.len.get() as f64 / (1e6 * fall.after.max(1.0));
    if needed > budget.as_secs_f64() {
        return Ok(Err(Message::of("why-not-filled")));
    }
    probe.trim(probe.asked.span)?;
    let place = Place::beginning(full);
    let Some(curve) = place.fill(probe, "fill", budget)? else {
        return Ok(Err(Message::of("why-not-filled")));
    };
    let left = budget.as_secs_f64() - curve.seconds();
    let mut rounds = Rounds::from(fall, place, Duration::from_secs_f64(left));
    let mut back = [None; 2];
    for (turn, back) in back.iter_mut().enumerate() {
        if turn > 0 {
            probe.trim(free)?;
        }
        let longer = rest.saturating_mul(turn as u64 + 1);
        probe.rest(&format!("rest {turn}"), longer)?;
        rounds.begin_at(Place::beginning(free));
        *back = rounds.one(probe, &format!("writes behind rest {turn}"))?;
        if rounds.is_uneven {
            return Ok(Err(Message::of("why-uneven")));
        }
    }
    Ok(judged(back, fall.after_bytes))
}

/// The part that is full, and the one that is free.
fn parts(asked: &Asked) -> (Span, Span) {
    let mib = Bytes::mib(1);
    let full = Bytes::new(asked.span.len.get() / 100 * FULL_PERCENT).round_down(mib);
    let rest = (asked.span.len - full).round_down(mib);
    let start = asked.span.start;
    (Span::new(start, full), Span::new(start + full, rest))
}

/// What went fast after a rest and after one twice as long, of so many bytes on an empty drive.
fn judged(back: [Option<f64>; 2], empty: f64) -> Estimate {
    let [Some(first), Some(second)] = back else {
        return Err(Message::of("why-not-filled"));
    };
    if second > (1.0 + NO_MORE) * first + NO_MORE_BINS * bin(empty)
        || second < NEXT_TO_NOTHING * empty + IN_FRONT
    {
        return Err(Message::of("why-not-given-back"));
    }
    let off = libm::hypot(NO_SURER * second, NO_SURER_BINS * bin(empty));
    let low = (second.min(first) - off - IN_FRONT).max(0.0);
    Ok((second / 1e9, Some([low / 1e9, (second + off) / 1e9])))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: f64 = 100e9;

    #[test]
    fn what_two_rests_give_alike_is_the_size() {
        let (size, between) = judged([Some(25.2e9), Some(25e9)], EMPTY).unwrap();
        let [low, high] = between.unwrap();
        assert!((size - 25.0).abs() < 1e-6 && low < 25.0 && high > 25.0);
        assert!(high < 0.5 * EMPTY / 1e9);
    }

    #[test]
    fn a_cache_that_was_not_emptied_yet_is_no_small_one() {
        let why = |first: f64, second: f64| {
            let found = judged([Some(first), Some(second)], EMPTY);
            found.unwrap_err().key().map(str::to_owned)
        };
        let open = Some("why-not-given-back".to_owned());
        assert_eq!(why(10e9, 30e9), open);
        assert_eq!(why(0.2e9, 0.2e9), open);
        assert!(judged([None, Some(1e9)], EMPTY).is_err());
    }
}
