//! Where the rate of a long write drops permanently: the end of a fast cache.
//!
//! The rates of equal pieces of the write ("bins") are grouped in fours, and the groups' times are divided into levels
//! by change points (PELT, in [`crate::change_points`]). Times, not rates: a drive that alternates between stopping and
//! writing has the overall rate, bytes over time. Neighbouring levels that differ by less than an eighth are one. Then:
//!
//! * a level counts if it **lasts** ([`lasting`]): for a 512th of the capacity, and at least 40 bins. Drives have about
//!   a thousandth of their capacity as DRAM, so a write buffer lasts at most half as long; a stall or a short
//!   throttling does not last either. Consecutive short levels with that total length are one that lasts;
//! * the drop is the first position where a lasting level follows a higher lasting one;
//! * it is a **sharp edge**: the rates of the bins just outside the position also differ by an eighth. The zones of a
//!   disk get slower by some hundredths each, and however many of them make up a level, there is no sharp edge between
//!   two;
//! * it is **permanent**: if the rate recovers, it does not stay for as long as it was away. So a drive that throttles
//!   for a while and recovers has no drop, and one whose cache occasionally absorbs some more has one.
//!
//! The position is the least-squares cut of the bins around the change, to a fraction of a bin: the time of the bin
//! that contains it shows how much of it was still fast.

use crate::change_points::{LEAST_LENGTH, change_points};
use base::message::Message;
use base::size::Bytes;

/// Bins per group: alternation within a group counts as one rate.
const GROUP: usize = 4;
/// Minimum bins of a lasting level: twice the shortest distance between two change points, since the group that
/// contains a step may produce one of these.
const LEAST: usize = 2 * LEAST_LENGTH * GROUP;
/// Bins on either side of a change among which its position is searched.
const AROUND: usize = 24;
/// A fall is by this share at least: an eighth.
const STEP: f64 = 0.125;
/// A level that lasts holds for this part of the capacity: see the module's account.
const PART_OF_CAPACITY: u64 = 512;

/// The rule in words, for a figure's statistic.
pub fn rule() -> Message {
    let places = [("part", PART_OF_CAPACITY.into()), ("bins", LEAST.into())];
    Message::new("made-drop", places)
}

/// Where the rates fell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fall {
    /// First bin of the first lasting level: what came before it went into a write buffer.
    pub level_from: usize,
    /// The position of the drop, in bins from the beginning.
    pub at: f64,
    /// The bin at which the level that follows the drop ends.
    pub next_to: usize,
    /// First bin of the last lasting level.
    pub last_from: usize,
}

/// How many bins a level must hold to count.
pub fn lasting(capacity: Bytes, bin: Bytes) -> usize {
    let bins = (capacity.get() / PART_OF_CAPACITY).div_ceil(bin.get().max(1));
    usize::try_from(bins).unwrap_or(usize::MAX).max(LEAST)
}

/// The drop in the rates of equal bins, where levels of at least `lasting` bins count.
pub fn fall(rates: &[f64], lasting: usize) -> Option<Fall> {
    let levels = joined(rates, levels(rates, lasting.max(LEAST)));
    let level_from = levels.first()?.begin;
    let at = (1..levels.len()).find(|&at| {
        let (before, on) = (levels[at - 1], &levels[at..]);
        lower(on[0].rate, before.rate)
            && is_cliff(rates, before, on[0])
            && stays_below(before, on, rates.len())
    })?;
    Some(Fall {
        level_from,
        at: place(rates, levels[at - 1], levels[at]),
        next_to: levels[at].end,
        last_from: levels[levels.len() - 1].begin,
    })
}

/// A stretch of bins at one rate.
#[derive(Clone, Copy, Debug)]
struct Level {
    begin: usize,
    end: usize,
    rate: f64,
}

impl Level {
    fn of(rates: &[f64], begin: usize, end: usize) -> Level {
        Level {
            begin,
            end,
            rate: rate(&rates[begin..end]),
        }
    }

    fn bins(&self) -> usize {
        self.end - self.begin
    }
}

/// Bytes over time of some bins; 0 where no bin has a rate.
fn rate(rates: &[f64]) -> f64 {
    let there = rates.iter().filter(|rate| **rate > 0.0);
    let (bins, time) = there.fold((0.0, 0.0), |(bins, time), rate| {
        (bins + 1.0, time + 1.0 / rate)
    });
    if bins > 0.0 { bins / time } else { 0.0 }
}

/// Whether `after` is lower than `before` by [`STEP`] at least.
fn lower(after: f64, before: f64) -> bool {
    after < (1.0 - STEP) * before
}

/// The levels that last, in order.
fn levels(rates: &[f64], lasting: usize) -> Vec<Level> {
    let times: Vec<f64> = rates
        .chunks(GROUP)
        .map(rate)
        .map(|rate| if rate > 0.0 { 1.0 / rate } else { f64::NAN })
        .collect();
    let changes = change_points(&times);
    let begins = std::iter::once(0).chain(changes.iter().map(|change| change.index * GROUP));
    let ends = changes.iter().map(|change| change.index * GROUP);
    let mut levels: Vec<Level> = Vec::new();
    for (begin, end) in begins.zip(ends.chain([rates.len()])) {
        // What is short belongs to the short one before it.
        match levels.last_mut() {
            Some(last) if end - begin < lasting && last.bins() < lasting => {
                *last = Level::of(rates, last.begin, end);
            }
            _ => levels.push(Level::of(rates, begin, end)),
        }
    }
    levels.retain(|level| level.bins() >= lasting);
    levels
}

/// The same with similar neighbours merged, the most similar first; levels between two of them that did not last are
/// merged with them.
fn joined(rates: &[f64], mut levels: Vec<Level>) -> Vec<Level> {
    loop {
        let likeness = |pair: &[Level]| {
            let (less, more) = (
                pair[0].rate.min(pair[1].rate),
                pair[0].rate.max(pair[1].rate),
            );
            if more > 0.0 { less / more } else { 1.0 }
        };
        let most_alike = levels
            .windows(2)
            .map(likeness)
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((at, likeness)) = most_alike else {
            return levels;
        };
        if likeness <= 1.0 - STEP {
            return levels;
        }
        let next = levels.remove(at + 1);
        levels[at] = Level::of(rates, levels[at].begin, next.end);
    }
}

/// The rates just outside the bins among which a position is searched.
fn sides(rates: &[f64], before: Level, after: Level) -> (f64, f64) {
    (
        rate(&rates[before.end - LEAST..before.end - AROUND]),
        rate(&rates[after.begin + AROUND..after.begin + LEAST]),
    )
}

fn is_cliff(rates: &[f64], before: Level, after: Level) -> bool {
    let (fast, slow) = sides(rates, before, after);
    lower(slow, fast)
}

/// Whether the rate of `before` does not recover, of `end` bins in total, for as long as it was away; `on` are the
/// levels that follow.
fn stays_below(before: Level, on: &[Level], end: usize) -> bool {
    let is_low = |level: &Level| lower(level.rate, before.rate);
    let Some(back) = on.iter().position(|level| !is_low(level)) else {
        return true;
    };
    let low_again = on[back..].iter().find(|level| is_low(level));
    let until = low_again.map_or(end, |level| level.begin);
    let away = on[back].begin - on[0].begin;
    until - on[back].begin < away
}

/// Where the rates fell between two levels, in bins.
fn place(rates: &[f64], before: Level, after: Level) -> f64 {
    let (from, to) = (before.end - AROUND, after.begin + AROUND);
    let (fast, slow) = sides(rates, before, after);
    // How slow each bin is, from 0 (as before) to 1 (as after).
    let slowness = |rate: &f64| {
        if *rate <= 0.0 {
            return 1.0;
        }
        ((1.0 / rate - 1.0 / fast) / (1.0 / slow - 1.0 / fast)).clamp(0.0, 1.0)
    };
    let slow: Vec<f64> = rates[from..to].iter().map(slowness).collect();
    let mean = slow[slow.len() - AROUND..].iter().sum::<f64>() / AROUND as f64;
    let misfit = |cut: usize| {
        let (before, after) = slow.split_at(cut);
        let left: f64 = before.iter().map(|s| s * s).sum();
        let right: f64 = after.iter().map(|s| (s - mean) * (s - mean)).sum();
        left + right
    };
    let cut = (1..slow.len())
        .min_by(|a, b| misfit(*a).total_cmp(&misfit(*b)))
        .unwrap_or(AROUND);
    (from + cut) as f64 - slow[cut - 1] + (1.0 - slow[cut])
}

/// Where rates that begin at `fast` and end at `slow` pass from the one to the other, in bins: the cut
/// that leaves the least squares. 0 where they are slow from the beginning; all of them where they never
/// become slow.
pub fn place_between(rates: &[f64], fast: f64, slow: f64) -> f64 {
    /// A stall counts as no more than this: one bin must not move the cut by many.
    const SLOWEST: f64 = 2.0;
    let slowness = |rate: &f64| {
        let slow_bin = (1.0 / rate.max(1e-9) - 1.0 / fast) / (1.0 / slow - 1.0 / fast);
        slow_bin.clamp(0.0, SLOWEST)
    };
    // Each bin moved to the fast side adds its square and takes away that of its distance from slow.
    let (mut misfit, mut best, mut cut) = (0.0, 0.0, 0);
    for (i, rate) in rates.iter().enumerate() {
        let slow = slowness(rate);
        misfit += slow * slow - (slow - 1.0) * (slow - 1.0);
        if misfit < best {
            (best, cut) = (misfit, i + 1);
        }
    }
    cut as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rates of bins, each level with its number of bins.
    fn curve(levels: &[(usize, f64)]) -> Vec<f64> {
        levels
            .iter()
            .flat_map(|(bins, rate)| std::iter::repeat_n(*rate, *bins))
            .collect()
    }

    /// The same with a few per cent of noise that repeats itself never quite.
    fn noisy(mut rates: Vec<f64>) -> Vec<f64> {
        for (i, rate) in rates.iter_mut().enumerate() {
            *rate *= 0.97 + 0.06 * (i * 7 % 13) as f64 / 12.0;
        }
        rates
    }

    #[track_caller]
    fn falls_at(rates: &[f64], bins: f64) {
        let found = fall(rates, LEAST).map(|fall| fall.at);
        assert!(
            found.is_some_and(|at| (at - bins).abs() < 1.0),
            "{found:?}, not {bins}"
        );
    }

    #[test]
    fn of_two_levels_the_fall_is_where_they_meet_to_a_part_of_a_bin() {
        for (fast, slow) in [(500.0, 200.0), (517.0, 420.0), (3_500.0, 1_050.0)] {
            falls_at(&curve(&[(300, fast), (700, slow)]), 300.0);
            falls_at(&noisy(curve(&[(300, fast), (700, slow)])), 300.0);
            // A quarter of a bin at the fast rate.
            let mixed = 1.0 / (0.25 / fast + 0.75 / slow);
            let rates = curve(&[(300, fast), (1, mixed), (699, slow)]);
            let found = fall(&rates, LEAST).unwrap();
            assert!((found.at - 300.25).abs() < 1e-9, "{found:?}");
        }
    }

    #[test]
    fn of_three_levels_the_first_fall_counts() {
        falls_at(&curve(&[(200, 900.0), (300, 600.0), (500, 300.0)]), 200.0);
        // Warm-up, then the cache, then the flash.
        falls_at(&curve(&[(50, 400.0), (200, 900.0), (700, 300.0)]), 250.0);
    }

    #[test]
    fn a_burst_into_a_write_buffer_is_no_level() {
        for bins in [1, 2, 8, 20, 32, LEAST - GROUP] {
            let rates = curve(&[(bins, 2_000.0), (300, 900.0), (700, 300.0)]);
            let found = fall(&rates, LEAST).unwrap();
            assert!((found.at - (300 + bins) as f64).abs() < 1e-6, "{found:?}");
            assert!(found.level_from.abs_diff(bins) <= LEAST / 2, "{found:?}");
            assert_eq!(fall(&curve(&[(bins, 2_000.0), (999, 300.0)]), LEAST), None);
        }
    }

    #[test]
    fn stalls_and_throttling_that_passes_are_no_falls() {
        let mut rates = curve(&[(300, 500.0), (700, 200.0)]);
        (rates[100], rates[101], rates[500]) = (10.0, 12.0, 600.0);
        falls_at(&rates, 300.0);
        // Throttled every now and then, each time longer than the least level.
        let dips: Vec<f64> = (0..4_000)
            .map(|i| {
                if i % 400 < 160 && i >= 400 {
                    250.0
                } else {
                    500.0
                }
            })
            .collect();
        assert_eq!(fall(&dips, LEAST), None);
        let rates: Vec<f64> = dips.into_iter().chain(vec![100.0; 4_000]).collect();
        falls_at(&rates, 4_000.0);
    }

    #[test]
    fn a_cache_that_lets_more_through_now_and_then_has_fallen_all_the_same() {
        // Some at the old rate after each move out of the cache, in turns of one to some hundred bins.
        for turn in [4, 7, 20, 50, 200, 400] {
            let after = (0..3_200).map(|i| {
                if i % turn < turn * 3 / 4 {
                    300.0
                } else {
                    900.0
                }
            });
            let rates: Vec<f64> = vec![900.0; 800].into_iter().chain(after).collect();
            falls_at(&rates, 800.0);
        }
    }

    #[test]
    fn the_zones_of_a_disk_and_an_even_rate_are_no_falls() {
        let slope: Vec<f64> = (0..1_000).map(|i| 200.0 - 0.1 * f64::from(i)).collect();
        assert_eq!(fall(&slope, LEAST), None);
        // Twelve zones, each slower by the same share, 210 to 95 MB/s.
        let zones: Vec<f64> = (0..1_200).map(|i| 210.0 * 0.93_f64.powi(i / 100)).collect();
        assert_eq!(fall(&zones, LEAST), None);
        assert_eq!(fall(&noisy(zones), LEAST), None);
        assert_eq!(fall(&[100.0; 64], LEAST), None);
        assert_eq!(fall(&[0.0; 64], LEAST), None);
        assert_eq!(fall(&[], LEAST), None);
    }

    #[test]
    fn between_two_known_rates_the_shortest_stretch_is_found() {
        for fast in [0, 1, 3, 50, 400] {
            let rates = noisy(curve(&[(fast, 900.0), (400 - fast, 300.0)]));
            let found = place_between(&rates, 900.0, 300.0);
            assert!((found - fast as f64).abs() < 0.5, "{fast}: {found}");
        }
        // A stall in the fast stretch is passed over.
        let mut rates = curve(&[(100, 900.0), (300, 300.0)]);
        rates[40] = 1.0;
        assert!((place_between(&rates, 900.0, 300.0) - 100.0).abs() < 0.5);
    }

    #[test]
    fn a_level_lasts_for_a_512th_of_the_capacity() {
        assert_eq!(lasting(Bytes::gb(512), Bytes::new(10_000_000)), 100);
        assert_eq!(lasting(Bytes::gb(512), Bytes::gb(1)), LEAST);
        let rates = curve(&[(100, 900.0), (900, 300.0)]);
        assert_eq!(fall(&rates, 101), None);
        assert!(fall(&rates, 100).is_some());
    }
}
