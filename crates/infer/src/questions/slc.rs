//! How much goes into the one-bit cache, and how fast is it afterwards?
//!
//! Flash of three or four bits a cell is programmed several times faster with one bit a cell. Nearly all such drives take
//! what the host writes with one bit first, in a fixed area, in what is free at the time, or in both, and move it later.
//! Written in order without a pause, they fall to the rate of the flash itself, or to that of moving the cache out of the
//! way, as soon as it is used up. A fall counts where it lasts, is by a quarter at least, and where nothing before or after
//! it was faster: a stall, a write buffer and a warm start are none, nor is the end of the blocks that were erased in
//! advance, which costs a tenth; and neither is the curve of a drive that was part full and not at rest, which is slow
//! first and fast later.
//!
//! How large the cache is depends on how full the drive is, so it is emptied by TRIM before, which only shows where TRIM is
//! obeyed. What is found is what a host can write until the fall; a drive that moves its cache out meanwhile takes more
//! than the cache holds. A drive that throttles for good shows the same curve, and no fall says nothing of a cache that is
//! larger than what was written, or no faster than the link.

use base::chart::{self, designs};
use base::{Bytes, Chart, Duration, Message, Stopped, Takes};
use stats::{falls, median};

use crate::asked::Asked;
use crate::in_order::{Curve, Place, rate};
use crate::probe::Probe;
use crate::question::{Estimate, Fall, Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "slc",
    suits: Known::may_be_flash,
    writes: |asked| Some(asked.span),
    takes: |asked| Takes::timed(budget(asked)).and_idle(rest(asked)),
    ask,
};

/// All phases together take no longer than so many of the longest: 100 GB at 300 MB/s are five minutes.
const PHASES: u64 = 30;
/// The curve has so many bins at most, of so much at least: below it a bin would be a few writes.
const MOST_BINS: u64 = 8_192;
const LEAST_BIN: Bytes = Bytes::mib(8);
/// In less there are no two levels.
const LEAST_SPAN: Bytes = Bytes::mib(640);
/// A fall is watched for so much of what was written before it.
const WATCHED: f64 = 0.25;
/// Before, the drive is left alone for so long: a part of what was written earlier waits for the first quiet seconds.
const REST: Duration = Duration::from_secs(20);
/// A rate that is higher by more at some time before the fall than it is as a whole, or rises by more after it, has not
/// settled.
const RISES: f64 = 1.3;
/// A fall to more of the rate before is none of other cells: blocks that were erased in advance run out, too, and then
/// each one costs an erase.
const DEEP: f64 = 0.75;
/// With one bit a cell a drive of two holds half of its capacity: what falls later falls because the drive is full.
const MOST_OF_ALL: f64 = 0.55;
/// The place of a fall is no surer, whatever the bins say, in bins and as a share.
const NO_SURER_BINS: f64 = 3.0;
const NO_SURER: f64 = 0.03;
/// What buffers in front of the cache take, in GB, counts with it.
const IN_FRONT_GB: f64 = 0.1;
/// Points that are drawn at most.
const MOST_POINTS: usize = 500;
/// Parts of a level, whose rates are the interval of its own.
const PARTS: usize = 8;

fn budget(asked: &Asked) -> Duration {
    // No drive that has such a cache writes a small part for long.
    let at_least = Duration::from_secs(1 + asked.span.len.get() / Bytes::mib(4).get());
    asked.patience.saturating_mul(PHASES).min(at_least)
}

fn rest(asked: &Asked) -> Duration {
    REST.min(asked.patience)
}

fn ask(probe: &mut Probe<'_>, known: &mut Known) -> Result<Found, Stopped> {
    let mut found = Found::default();
    let span = probe.asked.span;
    if span.len < LEAST_SPAN {
        let why = || Err(Message::of("why-too-small-to-ask"));
        found.add(probe, "size", "GB", why());
        return Ok(found);
    }
    if known.is_drive {
        probe.trim(span)?;
        probe.rest("rest", rest(probe.asked))?;
    }
    let width = bin(span.len);
    let lasting = falls::lasting(span.len, Bytes::new(width as u64));
    let budget = budget(probe.asked).as_secs_f64();
    let (mut curve, mut place) = (Curve::default(), Place::beginning(span));
    for number in 1.. {
        if place.is_at_the_end() || curve.seconds() > budget {
            break;
        }
        let name = format!("writes in order part {number}");
        place.write(probe, &name, span.len, &mut curve)?;
        let rates = curve.rates(width);
        let until = deep_fall(&rates, lasting).map(|fall| fall.at);
        if until.is_some_and(|at| rates.len() as f64 > (1.0 + WATCHED) * at + lasting as f64) {
            break;
        }
    }
    let rates = curve.rates(width);
    let seen = level_and_fall(&rates, lasting, width).and_then(|seen| match known.obeys_trim {
        true if seen.gb.0 * 1e9 < MOST_OF_ALL * probe.asked.capacity.get() as f64 => Ok(seen),
        true => Err(Message::of("why-falls-late")),
        false => Err(Message::of("why-not-emptied")),
    });
    known.fall = seen.as_ref().ok().map(|seen| seen.fall(place));
    let of = |part: fn(&Seen) -> (f64, [f64; 2])| -> Estimate {
        let seen = seen.as_ref().map_err(Clone::clone)?;
        let (value, interval) = part(seen);
        Ok((value, Some(interval)))
    };
    found
        .charts
        .push(evidence(&rates, width, seen.as_ref().ok()));
    found.add(probe, "size", "GB", of(|seen| seen.gb));
    found.add(probe, "before", "MB/s", of(|seen| seen.before));
    found.add(probe, "after", "MB/s", of(|seen| seen.after));
    Ok(found)
}

/// The rate by what was written, and the two levels that it is explained by.
fn evidence(rates: &[f64], width: f64, seen: Option<&Seen>) -> Chart {
    let each = rates.len().div_ceil(MOST_POINTS).max(1);
    let gb = |part: usize| (part as f64 + 0.5) * each as f64 * width / 1e9;
    let written: Vec<f64> = (0..rates.len().div_ceil(each)).map(gb).collect();
    let measured = rates.chunks(each).map(rate).collect();
    let mut curves = vec![chart::Curve::new("measured", written.clone(), measured)];
    if let Some(seen) = seen {
        let level = |gb: &f64| match *gb < seen.gb.0 {
            true => Some(seen.before.0),
            false => Some(seen.after.0),
        };
        let levels = written.iter().map(level).collect();
        curves.push(chart::Curve::new("two-levels", written, levels));
    }
    Chart::new("explain-slc", designs::RATE_BY_WRITTEN, curves)
}

/// Bytes of a bin.
fn bin(span: Bytes) -> f64 {
    (span.get() as f64 / MOST_BINS as f64).max(LEAST_BIN.get() as f64)
}

/// A fall, with what is between: what was written until then, and the rates before and after it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    gb: (f64, [f64; 2]),
    before: (f64, [f64; 2]),
    after: (f64, [f64; 2]),
}

impl Seen {
    fn fall(&self, place: Place) -> Fall {
        Fall {
            after_bytes: self.gb.0 * 1e9,
            before: self.before.0,
            after: self.after.0,
            place,
        }
    }
}

/// The fall of rates of bins of so many bytes, where levels of so many bins last.
fn level_and_fall(rates: &[f64], lasting: usize, width: f64) -> Result<Seen, Message> {
    let gb = |bins: f64| bins * width / 1e9;
    let rises = || Message::of("why-rate-rises");
    let Some(fall) = deep_fall(rates, lasting) else {
        let begun = &rates[..lasting.min(rates.len())];
        let is_even = rates.len() < 2 * lasting || highest(rates, lasting) < RISES * usual(begun);
        let written = format!("{:.1}", gb(rates.len() as f64));
        return Err(match is_even {
            true => Message::new("why-no-fall-within", [("gb", written.into())]),
            false => rises(),
        });
    };
    let at = fall.at as usize;
    let (Some(before), Some(after)) = (
        level(&rates[fall.level_from.min(at)..at]),
        level(&rates[(at + 1).min(fall.next_to)..fall.next_to]),
    ) else {
        return Err(rises());
    };
    let is_first_highest = is_first_highest(&rates[..at], lasting, before.0);
    let next = &rates[(at + 1).min(fall.next_to)..];
    let stays = highest(next, lasting) < RISES * usual(&next[..lasting.min(next.len())]);
    if !is_first_highest || !stays {
        return Err(rises());
    }
    let off = NO_SURER_BINS.max(NO_SURER * fall.at);
    let at_least = gb(fall.at - off) - IN_FRONT_GB;
    Ok(Seen {
        gb: (gb(fall.at), [at_least.max(0.0), gb(fall.at + off)]),
        before,
        after,
    })
}

/// Whether bins before a fall, of such a rate as a whole, were as fast from the beginning and at no time faster.
pub(super) fn is_first_highest(rates: &[f64], lasting: usize, whole: f64) -> bool {
    highest(rates, lasting) < RISES * usual(rates)
        && usual(&rates[..lasting.min(rates.len())]) > whole / RISES
}

/// The rate of bins, and between which the rates of its parts lie.
pub(super) fn level(rates: &[f64]) -> Option<(f64, [f64; 2])> {
    let whole = rate(rates)?;
    let parts = rates.chunks(rates.len().div_ceil(PARTS)).filter_map(rate);
    let between = parts.fold([whole; 2], |[low, high], part| {
        [low.min(part), high.max(part)]
    });
    Some((whole, between))
}

/// The first fall from all that went before it to a rate that is low enough for another kind of cells.
pub(super) fn deep_fall(rates: &[f64], lasting: usize) -> Option<falls::Fall> {
    let mut from = 0;
    loop {
        let next = falls::fall(&rates[from..], lasting)?;
        let fall = falls::Fall {
            level_from: if from == 0 { next.level_from } else { 0 },
            at: next.at + from as f64,
            next_to: next.next_to + from,
            last_from: next.last_from + from,
        };
        let at = fall.at as usize;
        let after = rate(&rates[(at + 1).min(fall.next_to)..fall.next_to])?;
        if after < DEEP * rate(&rates[..at])? {
            return Some(fall);
        }
        from = at + 1;
    }
}

/// The rate that bins have as a whole or in the middle, whichever is higher: a stall makes the one low, and a drive that
/// takes turns between two rates the other.
fn usual(rates: &[f64]) -> f64 {
    let middle = median(rates).unwrap_or(0.0);
    rate(rates).map_or(0.0, |whole| whole.max(middle))
}

/// The rate of the fastest so many bins in a row, whichever of the two is lower.
fn highest(rates: &[f64], many: usize) -> f64 {
    let parts = rates.chunks_exact(many.max(1));
    let lower = parts.filter_map(|part| Some(rate(part)?.min(median(part)?)));
    lower.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::in_order::scattered;

    const WIDTH: f64 = 122e6;
    const LASTING: usize = 40;

    /// Bins at the rates of levels, off by some hundredths; one in two hundred is a stall, one in three hundred too fast.
    fn curve(levels: &[(usize, f64)], seed: u64) -> Vec<f64> {
        let bins = levels
            .iter()
            .flat_map(|(bins, rate)| std::iter::repeat_n(*rate, *bins));
        scattered(bins, seed)
    }

    #[test]
    fn the_fall_is_found_with_its_rates_whatever_stalls() {
        for (bins, fast, slow) in [
            (344, 3_300.0, 1_310.0),
            (100, 520.0, 296.0),
            (1_148, 3_494.0, 283.0),
        ] {
            for seed in 0..20 {
                let rates = curve(&[(bins, fast), (bins, slow)], seed);
                let seen = level_and_fall(&rates, LASTING, WIDTH).unwrap();
                let truth = bins as f64 * WIDTH / 1e9;
                let (gb, [low, high]) = seen.gb;
                assert!(
                    low <= truth && truth <= high,
                    "{gb}: {low} to {high} for {truth}"
                );
                assert!((seen.after.0 / slow - 1.0).abs() < 0.2, "{seen:?}");
                assert!(seen.before.0 > seen.after.0);
            }
        }
    }

    #[test]
    fn a_shallow_fall_before_the_deep_one_is_none() {
        for seed in 0..20 {
            let levels = [(300, 4_360.0), (600, 3_770.0), (400, 430.0)];
            let seen = level_and_fall(&curve(&levels, seed), LASTING, WIDTH).unwrap();
            assert!((seen.gb.0 - 900.0 * WIDTH / 1e9).abs() < 2.0, "{seen:?}");
            let shallow = level_and_fall(&curve(&levels[..2], seed), LASTING, WIDTH);
            assert!(shallow.is_err());
        }
    }

    #[test]
    fn what_never_falls_is_bounded_by_what_was_written() {
        for seed in 0..20 {
            let why = level_and_fall(&curve(&[(1_000, 500.0)], seed), LASTING, WIDTH).unwrap_err();
            assert_eq!(why.key(), Some("why-no-fall-within"));
        }
        let none = level_and_fall(&[], LASTING, WIDTH).unwrap_err();
        assert_eq!(none.key(), Some("why-no-fall-within"));
        assert!(level_and_fall(&[0.0; 30], LASTING, WIDTH).is_err());
    }

    #[test]
    fn a_curve_that_rises_is_open() {
        for levels in [
            &[(200, 321.0), (100, 2_970.0), (600, 311.0)][..],
            &[(200, 321.0), (600, 2_970.0)],
            &[(200, 3_000.0), (100, 300.0), (60, 3_310.0), (400, 319.0)],
            &[(300, 3_000.0), (100, 300.0), (300, 1_200.0)],
        ] {
            for seed in 0..20 {
                let seen = level_and_fall(&curve(levels, seed), LASTING, WIDTH);
                let why = seen.unwrap_err();
                assert_eq!(why.key(), Some("why-rate-rises"), "{levels:?}");
            }
        }
    }

    #[test]
    fn a_small_part_is_filled_in_seconds() {
        let bins = Bytes::gib(1).get() as f64 / bin(Bytes::gib(1));
        assert!((bins - 128.0).abs() < 1e-9, "{bins}");
    }
}
