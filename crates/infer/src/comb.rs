//! What comes round in a rate: the unit in which flash is opened, collected and erased.
//!
//! A controller opens a row of blocks over all dies, fills it and opens the next. In the steady state it has to empty a row
//! for each one that it opens, and does some of it at the same place of the row each time. So the time that equal amounts of
//! random overwrites take comes round by what a row holds, and by every multiple of that: a comb in its autocorrelation. A
//! controller that collects evenly has none, whatever its rows hold.

use base::message::Message;

use crate::question::Estimate;

/// Teeth at so many multiples of a unit, each so high, of which those between are lower by so much.
const TEETH: usize = 3;
const HIGH: f64 = 0.5;
const LOWER: f64 = 0.25;
/// A unit takes so many bins at least.
const LEAST_BINS: usize = 4;
/// More multiples, as long as they are teeth, tell it more exactly.
const MOST_TEETH: usize = 16;
/// What changes more slowly than over so many bins is no comb, but the rate itself.
const SLOWLY: usize = 200;

/// The unit in MiB, from the rates of bins of so many bytes.
pub(crate) fn unit(rates: &[f64], width: f64) -> Estimate {
    let none = || Message::of("why-no-comb");
    let times: Vec<f64> = rates.iter().map(|rate| 1.0 / rate.max(1e-9)).collect();
    let alike = alike(&evened(&times), times.len() / TEETH / 2);
    let bins = (LEAST_BINS..alike.len() / TEETH).find(|bins| is_comb(&alike, *bins));
    let bins = bins.ok_or_else(none)?;
    let (mut unit, mut off) = (bins as f64, 1.0);
    for nth in 2..=MOST_TEETH {
        let Some(tooth) = tooth(&alike, libm::round(unit * nth as f64) as usize) else {
            break;
        };
        (unit, off) = (tooth as f64 / nth as f64, 1.0 / nth as f64);
    }
    let mib = |bins: f64| bins * width / f64::from(1 << 20);
    Ok((mib(unit), Some([mib(unit - off), mib(unit + off)])))
}

/// Times less what they are around each: slow changes are left out.
fn evened(times: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0];
    for time in times {
        sums.push(sums[sums.len() - 1] + time);
    }
    let around = |at: usize| {
        let (from, to) = (
            at.saturating_sub(SLOWLY),
            (at + SLOWLY + 1).min(times.len()),
        );
        (sums[to] - sums[from]) / (to - from) as f64
    };
    let left = times.iter().enumerate();
    left.map(|(at, time)| time - around(at)).collect()
}

/// How alike times are so many bins apart, from none to `most`.
fn alike(times: &[f64], most: usize) -> Vec<f64> {
    let of = |apart: usize| {
        let both = times.iter().zip(&times[apart.min(times.len())..]);
        both.map(|(one, other)| one * other).sum::<f64>() / (times.len() - apart).max(1) as f64
    };
    let all = of(0).max(f64::MIN_POSITIVE);
    (0..most).map(|apart| of(apart) / all).collect()
}

/// Whether there are teeth at the first multiples of so many bins, and none between.
fn is_comb(alike: &[f64], bins: usize) -> bool {
    (1..=TEETH).all(|nth| {
        let between = alike.get(bins * nth - bins / 2);
        tooth(alike, bins * nth)
            .is_some_and(|at| between.is_some_and(|between| *between < alike[at] - LOWER))
    }) && tooth(alike, bins) == Some(bins)
}

/// The place of a tooth at or beside another.
fn tooth(alike: &[f64], near: usize) -> Option<usize> {
    let highest = (near - 1..=near + 1).max_by(|one, other| {
        let of = |at: &usize| alike.get(*at).copied().unwrap_or(0.0);
        of(one).total_cmp(&of(other))
    })?;
    alike
        .get(highest)
        .is_some_and(|it| *it > HIGH)
        .then_some(highest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::Rng;

    const MIB: f64 = 1_048_576.0;

    /// Rates of bins that are slower for a part of each unit, while they change slowly, and scatter.
    fn rates(unit: f64, slower: f64, seed: u64) -> Vec<f64> {
        let mut rng = Rng::new(seed);
        (0..3_000)
            .map(|bin| {
                let into = (f64::from(bin) / unit).fract() < 0.1;
                let slowly = 1.0 + 0.3 * f64::from(bin) / 3_000.0;
                let rate = 100.0 * slowly * (0.95 + 0.1 * rng.unit());
                if into { rate / slower } else { rate }
            })
            .collect()
    }

    #[test]
    fn what_comes_round_is_found_and_scatter_and_slow_changes_are_none() {
        for seed in 0..30 {
            for bins in [11.0, 32.0, 40.5, 96.0] {
                let (found, between) = unit(&rates(bins, 2.0, seed), MIB).unwrap();
                let [low, high] = between.unwrap();
                assert!(low <= bins && bins <= high, "{found} for {bins}");
            }
            let even = unit(&rates(32.0, 1.0, seed), MIB);
            assert_eq!(even.unwrap_err().key(), Some("why-no-comb"));
            let mut rng = Rng::new(seed);
            let stalls = (0..3_000).map(|_| if rng.below(20) == 0 { 20.0 } else { 100.0 });
            assert!(unit(&stalls.collect::<Vec<f64>>(), MIB).is_err());
        }
        assert!(unit(&[], MIB).is_err());
        assert!(unit(&[100.0; 10], MIB).is_err());
    }
}
