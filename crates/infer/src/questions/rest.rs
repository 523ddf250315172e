//! What does a rest give back of the one-bit cache?
//!
//! A cache that ran out is emptied when the host is quiet: after an onset, since a pause of a second is often none, and
//! then so many megabytes each second. So the cache is used up, the drive is left alone for some seconds, and then written
//! to until it falls again; what it took until then is what the rest gave back. Two rests or more after which a part came
//! back, but not all, give both onset and rate. They are looked for: rests grow until one gives something back, and then
//! halve the way between the longest that gave nothing and the shortest that did.
//!
//! What comes back need not be even: a drive may keep a part of its data in the cache on purpose, since they are read
//! faster from there, or write it out only under load. Then points are not on a line, or there are none, and nothing is
//! claimed.

use base::{Duration, Message, Stopped, Takes};

use crate::asked::Asked;
use crate::line::Line;
use crate::probe::Probe;
use crate::question::{Estimate, Fall, Found, GivesBack, Known, Question};
use crate::rounds::{Rounds, bin};

pub(crate) const QUESTION: Question = Question {
    id: "rest",
    suits: |known| known.fall.is_some(),
    writes: |asked| Some(asked.span),
    takes: |asked| {
        let rests = rests(asked).len() as u64 + BETWEEN;
        Takes::timed(budget(asked)).and_idle(asked.patience.saturating_mul(rests))
    },
    ask,
};

/// Rests, as far as a phase may take so long, and how many more are tried between two of them.
const RESTS: [u64; 4] = [1, 5, 20, 60];
const BETWEEN: u64 = 3;
/// All phases together take no longer than so many of the longest.
const PHASES: u64 = 15;
/// Before each rest the cache is used up; what it takes after so short a one is what is in front of it.
const NO_REST: Duration = Duration::from_millis(50);
/// So many bins beyond what no rest gives came back; more than so much of the cache is all of it.
const SOMETHING_BINS: f64 = 4.0;
const ALL: f64 = 0.9;
/// More than so much of the cache after hardly any rest is not what is in front of it.
const MOST_IN_FRONT: f64 = 0.1;
/// What came back is no surer, as a share and in bins: it is given back block by block.
const NO_SURER: f64 = 0.05;
const NO_SURER_BINS: f64 = 3.0;
/// The onset is no surer than so many times what a rest's bytes are: drawn drives of known inside were within it, 95 in 100.
const SURE: f64 = 1.2;
/// Points that are off the line by more are on none, as a share.
const OFF_THE_LINE: f64 = 0.2;
/// A rate that is less sure, as a share, is none.
const WIDEST: f64 = 0.7;

fn budget(asked: &Asked) -> Duration {
    asked.patience.saturating_mul(PHASES)
}

fn rests(asked: &Asked) -> Vec<f64> {
    let patience = asked.patience.as_secs_f64();
    let rests = RESTS.into_iter().map(|seconds| seconds as f64);
    rests.filter(|seconds| *seconds <= patience).collect()
}

fn ask(probe: &mut Probe<'_>, known: &mut Known) -> Result<Found, Stopped> {
    let mut found = Found::default();
    let Some(fall) = known.fall else {
        return Ok(found);
    };
    let given = rounds(probe, fall)?;
    known.gives_back = given.as_ref().ok().map(|given| GivesBack {
        onset: given.onset.0,
        bytes_a_second: 1e6 * given.mb_s.0,
    });
    let of = |part: fn(&GivenBack) -> (f64, [f64; 2])| -> Estimate {
        let given = given.as_ref().map_err(Clone::clone)?;
        let (value, interval) = part(given);
        Ok((value, Some(interval)))
    };
    found.add(probe, "onset", "s", of(|given| given.onset));
    found.add(probe, "gives-back", "MB/s", of(|given| given.mb_s));
    Ok(found)
}

/// Rests and what each gives back.
fn rounds(probe: &mut Probe<'_>, fall: Fall) -> Result<Result<GivenBack, Message>, Stopped> {
    let mut rounds = Rounds::from(fall, fall.place, budget(probe.asked));
    // Whatever the fill and the pause after it left of the cache.
    rounds.one(probe, "writes in order")?;
    let mut tried = Vec::new();
    let mut rest = NO_REST.as_secs_f64();
    let mut longer = rests(probe.asked).into_iter();
    let mut between = 0;
    loop {
        probe.rest(
            &format!("rest of {rest:.2} s"),
            Duration::from_secs_f64(rest),
        )?;
        let back = rounds.one(probe, &format!("writes after {rest:.2} s"))?;
        let Some(back) = back else {
            break;
        };
        tried.push((rest, back));
        let is_all = |share: f64| share > ALL * fall.after_bytes;
        let next = longer.next().filter(|_| !is_all(back));
        rest = match next {
            Some(next) => next,
            None if between < BETWEEN => match halfway(&tried, fall.after_bytes) {
                Some(next) => next,
                None => break,
            },
            None => break,
        };
        if next.is_none() {
            between += 1;
            longer = Vec::new().into_iter();
        }
    }
    Ok(match rounds.is_uneven {
        true => Err(Message::of("why-uneven")),
        false => given_back(&tried, fall.after_bytes),
    })
}

/// A rest between the longest that gave nothing back and the shortest that gave more than a part; nothing where enough is
/// known.
fn halfway(tried: &[(f64, f64)], all: f64) -> Option<f64> {
    let none = tried.first()?.1 + SOMETHING_BINS * bin(all);
    let on_the_way = |(_, back): &&(f64, f64)| *back > none && *back < ALL * all;
    let on_the_way = tried.iter().filter(on_the_way).count();
    let nothing = tried.iter().filter(|(_, back)| *back <= none);
    let something = tried.iter().filter(|(_, back)| *back > none);
    let longest = nothing.map(|(rest, _)| *rest).fold(0.0, f64::max);
    let shortest = something.map(|(rest, _)| *rest).fold(f64::MAX, f64::min);
    (on_the_way < 3 && shortest < f64::MAX).then_some((longest + shortest) / 2.0)
}

/// When what was used up begins to come back, in s, and how fast.
#[derive(Clone, Copy, Debug, PartialEq)]
struct GivenBack {
    onset: (f64, [f64; 2]),
    mb_s: (f64, [f64; 2]),
}

/// Onset and rate, from rests and the bytes that each gave back; the first is hardly any.
fn given_back(tried: &[(f64, f64)], all: f64) -> Result<GivenBack, Message> {
    let open = || Message::of("why-rest-open");
    let (_, in_front) = *tried.first().ok_or_else(open)?;
    if in_front > MOST_IN_FRONT * all {
        return Err(open());
    }
    let mut tried: Vec<(f64, f64)> = tried[1..]
        .iter()
        .map(|(rest, back)| (*rest, back - in_front))
        .collect();
    tried.sort_by(|a, b| a.0.total_cmp(&b.0));
    let something = SOMETHING_BINS * bin(all);
    let some = |back: f64| back > something;
    let longest = tried.last().map_or(0.0, |(rest, _)| *rest);
    if !tried.iter().any(|(_, back)| some(*back)) {
        return Err(nothing_back(longest, something));
    }
    let on_the_way = |(_, back): &&(f64, f64)| some(*back) && *back + in_front < ALL * all;
    let ramp: Vec<(f64, f64)> = tried.iter().filter(on_the_way).copied().collect();
    let line = line_of(&ramp, all).ok_or_else(open)?;
    let wide = 2.0 * libm::sqrt(line.slope_variance) / 1e6;
    let mb_s = line.slope / 1e6;
    if wide > WIDEST * mb_s {
        return Err(open());
    }
    let onset = (-line.at_zero / line.slope).max(0.0);
    let spread = libm::sqrt(line.at_zero_variance) / line.slope;
    let nothing = tried.iter().filter(|(_, back)| !some(*back));
    let after = nothing.map(|(rest, _)| *rest).fold(0.0, f64::max);
    let by = ramp[0].0;
    // At the longest rest that gave nothing there may be as much as counts as nothing.
    let hidden = line.at_zero + line.slope * after - something;
    if hidden > 2.0 * error(something, all) || onset > by {
        return Err(open());
    }
    let between = [
        (onset - SURE * spread).max(0.0),
        (onset + SURE * spread).min(by),
    ];
    Ok(GivenBack {
        onset: (onset, between),
        mb_s: (mb_s, [(mb_s - wide).max(0.0), mb_s + wide]),
    })
}

fn nothing_back(longest: f64, something: f64) -> Message {
    let seconds = format!("{longest:.0}");
    let gb = format!("{:.1}", (something / 1e9).max(0.1));
    let values = [("seconds", seconds.into()), ("gb", gb.into())];
    Message::new("why-nothing-back", values)
}

/// By how much what came back of a cache may be off.
fn error(back: f64, all: f64) -> f64 {
    libm::hypot(NO_SURER * back, NO_SURER_BINS * bin(all))
}

/// The rising line that rests and what they gave back lie on; nothing where one of them is off it.
fn line_of(ramp: &[(f64, f64)], all: f64) -> Option<Line> {
    let points = ramp.iter().map(|(rest, back)| {
        let error = error(*back, all);
        (*rest, *back, 1.0 / (error * error))
    });
    let line = Line::through(points).filter(|line| line.slope > 0.0)?;
    let off = |(rest, back): &(f64, f64)| {
        let missed = (line.at_zero + line.slope * rest - back).abs();
        missed > OFF_THE_LINE * back + 2.0 * NO_SURER_BINS * bin(all)
    };
    (!ramp.iter().any(off)).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL_GB: f64 = 42e9;

    /// What rests give back, less a few hundredths, with 100 MB in front of the cache.
    fn back(rests: &[f64], onset: f64, mb_s: f64, all: f64) -> Vec<(f64, f64)> {
        let one = |(nth, rest): (usize, &f64)| {
            let odd = 1.0 + 0.03 * ((nth * 5 % 7) as f64 / 3.0 - 1.0);
            let back = (mb_s * 1e6 * (rest - onset).max(0.0) * odd).min(all);
            (*rest, back + 100e6)
        };
        rests.iter().enumerate().map(one).collect()
    }

    #[test]
    fn two_rests_on_the_way_give_onset_and_rate() {
        for (onset, mb_s, all) in [
            (0.5, 317.0, 3e9),
            (10.0, 1_200.0, ALL_GB),
            (0.0, 900.0, ALL_GB),
        ] {
            let rests = [0.05, 1.0, 5.0, 12.5, 20.0];
            let found = given_back(&back(&rests, onset, mb_s, all), all).unwrap();
            let [low, high] = found.onset.1;
            assert!(low <= onset && onset <= high, "{found:?} for {onset}");
            let [low, high] = found.mb_s.1;
            assert!(low <= mb_s && mb_s <= high, "{found:?} for {mb_s}");
        }
    }

    #[test]
    fn nothing_back_a_single_point_and_what_is_on_no_line_are_told() {
        let why = |tried: &[(f64, f64)]| given_back(tried, ALL_GB).unwrap_err();
        let none = back(&[0.05, 1.0, 5.0, 20.0], 60.0, 900.0, ALL_GB);
        assert_eq!(why(&none).key(), Some("why-nothing-back"));
        let all = back(&[0.05, 1.0, 5.0], 0.0, 1e6, ALL_GB);
        assert_eq!(why(&all).key(), Some("why-rest-open"));
        let bent = [(0.05, 1e8), (1.0, 9e9), (5.0, 10e9), (20.0, 10.1e9)];
        assert_eq!(why(&bent).key(), Some("why-rest-open"));
        assert_eq!(why(&[]).key(), Some("why-rest-open"));
    }

    #[test]
    fn rests_are_tried_where_the_first_gives_something_back() {
        let tried = back(&[0.05, 1.0, 5.0, 20.0], 10.0, 1_200.0, ALL_GB);
        assert_eq!(halfway(&tried, ALL_GB), Some(12.5));
        let none = back(&[0.05, 1.0, 5.0, 20.0], 60.0, 900.0, ALL_GB);
        assert_eq!(halfway(&none, ALL_GB), None);
        assert_eq!(halfway(&[], ALL_GB), None);
    }
}
