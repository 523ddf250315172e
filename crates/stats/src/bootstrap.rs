//! How sure a difference is, by resampling: the percentile bootstrap.
//!
//! The samples are redrawn with replacement, as many as there were, and the statistic is computed for each such
//! resample: its spread estimates that of repeated measurements (Efron and Tibshirani, "An Introduction to the
//! Bootstrap", 1993, chapter 13). The middle 95 % of [`RESAMPLES`] resamples are the interval. The refinement BCa is
//! not used, since its acceleration comes from the jackknife, which fails for medians (ibid., section 10.6). For a
//! single median, order statistics are exact ([`super::median_interval`]); resampling is for statistics without such a
//! form, above all the difference of two medians.
//!
//! Latencies are kept as a histogram of millions. A quantile of a resample is then drawn directly: the k-th of n draws
//! is at a share of the distribution that has the distribution Beta(k, n-k+1) (David and Nagaraja, "Order Statistics",
//! 2003, section 2.1), so that samples need not be drawn individually. This assumes independent draws; latencies of one
//! run are correlated, so the real uncertainty of a difference between two runs may be larger than shown.
//!
//! Seeded, and the same on every machine.

use base::record::Latencies;
use base::result::Interval;
use base::rng::Rng;

use super::median;

/// Resamples: their own scatter moves an end of the interval by a twentieth of its length.
pub const RESAMPLES: usize = 2_000;
/// Fewer values are inconclusive: with three against three, one order in ten separates the two completely by chance;
/// with five against five one in 126.
pub const LEAST_VALUES: usize = 5;
/// The confidence of every interval.
const CONFIDENCE: f64 = 0.95;
/// Up to here a gamma variable is summed from exponential ones, above it is approximated.
const MOST_SUMMED: u64 = 64;

/// What was measured of one thing, and which number of it counts.
#[derive(Clone, Copy, Debug)]
pub enum Sample<'a> {
    /// The median of values, one a repeat.
    Median(&'a [f64]),
    /// A quantile of latencies, in nanoseconds: 0.5 is the median.
    Quantile(&'a Latencies, f64),
    /// The mean of latencies, in nanoseconds.
    Mean(&'a Latencies),
}

/// Two things compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The second less the first, in their unit.
    pub by: f64,
    pub interval: Interval,
    /// The second over the first, less one, in per cent; nothing where the first is 0.
    pub percent: Option<f64>,
    pub percent_interval: Option<Interval>,
}

impl Difference {
    /// True where the interval leaves no difference open: zero is inside, or at an end.
    pub fn may_be_none(&self) -> bool {
        self.interval.low <= 0.0 && self.interval.high >= 0.0
    }
}

/// The number that counts, with its interval; nothing where there are too few values.
pub fn interval(sample: Sample<'_>, seed: u64) -> Option<(f64, Interval)> {
    let source = Source::new(sample)?;
    let mut rng = Rng::stream(seed, 0);
    let mut room = Vec::new();
    let draws = (0..RESAMPLES)
        .map(|_| source.draw(&mut rng, &mut room))
        .collect();
    Some((source.point, middle(draws)))
}

/// The difference of two, with its interval; nothing where either has too few values.
pub fn difference(first: Sample<'_>, second: Sample<'_>, seed: u64) -> Option<Difference> {
    let (a, b) = (Source::new(first)?, Source::new(second)?);
    let (mut of_a, mut of_b) = (Rng::stream(seed, 1), Rng::stream(seed, 2));
    let mut room = Vec::new();
    let pairs: Vec<(f64, f64)> = (0..RESAMPLES)
        .map(|_| (a.draw(&mut of_a, &mut room), b.draw(&mut of_b, &mut room)))
        .collect();
    let percent = |a: f64, b: f64| (b / a - 1.0) * 100.0;
    let positive = a.point > 0.0 && pairs.iter().all(|(a, _)| *a > 0.0);
    let share = positive.then(|| {
        let draws = pairs.iter().map(|(a, b)| percent(*a, *b)).collect();
        (percent(a.point, b.point), middle(draws))
    });
    Some(Difference {
        by: b.point - a.point,
        interval: middle(pairs.iter().map(|(a, b)| b - a).collect()),
        percent: share.map(|(percent, _)| percent),
        percent_interval: share.map(|(_, interval)| interval),
    })
}

/// The middle 95 % of draws.
fn middle(mut draws: Vec<f64>) -> Interval {
    draws.sort_by(f64::total_cmp);
    let tail = (1.0 - CONFIDENCE) / 2.0;
    let cut = (tail * draws.len() as f64) as usize;
    Interval {
        low: draws[cut],
        high: draws[draws.len() - 1 - cut],
        confidence_percent: CONFIDENCE * 100.0,
    }
}

/// A sample, prepared for many draws.
struct Source<'a> {
    point: f64,
    kind: Kind<'a>,
}

enum Kind<'a> {
    Values(&'a [f64]),
    /// Upper ends of buckets as shares of all, with their values; and k of n.
    Steps(Vec<(f64, f64)>, u64, u64),
    /// Mean and the standard deviation of a mean.
    Normal(f64, f64),
}

impl<'a> Source<'a> {
    fn new(sample: Sample<'a>) -> Option<Source<'a>> {
        match sample {
            Sample::Median(values) => {
                let usable = values.len() >= LEAST_VALUES && values.iter().all(|v| v.is_finite());
                let point = median(values).filter(|_| usable)?;
                Some(Source {
                    point,
                    kind: Kind::Values(values),
                })
            }
            Sample::Quantile(latencies, share) => of_quantile(latencies, share.clamp(0.0, 1.0)),
            Sample::Mean(latencies) => of_mean(latencies),
        }
    }

    fn draw(&self, rng: &mut Rng, room: &mut Vec<f64>) -> f64 {
        match &self.kind {
            Kind::Values(values) => {
                let n = values.len() as u64;
                room.clear();
                room.extend(values.iter().map(|_| values[rng.below(n) as usize]));
                median_in_place(room)
            }
            Kind::Steps(steps, k, n) => {
                let (below, above) = (gamma(rng, *k), gamma(rng, n - k + 1));
                let share = below / (below + above);
                let step = steps.partition_point(|(end, _)| *end < share);
                steps[step.min(steps.len() - 1)].1
            }
            Kind::Normal(mean, deviation) => mean + deviation * normal(rng),
        }
    }
}

/// The median of values that there are; they are put in order.
fn median_in_place(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let n = values.len();
    (values[(n - 1) / 2] + values[n / 2]) / 2.0
}

/// Buckets as steps of the distribution; a bucket counts as its middle, as percentiles do.
fn steps_of(latencies: &Latencies) -> Vec<(f64, f64)> {
    let all = latencies.count() as f64;
    let (least, most) = (latencies.min().as_nanos(), latencies.max().as_nanos());
    let mut counted = 0;
    let steps = latencies.buckets().map(|(low, width, count)| {
        counted += count;
        let middle = low.as_nanos() + width.as_nanos() / 2;
        (counted as f64 / all, middle.clamp(least, most) as f64)
    });
    steps.collect()
}

fn of_quantile(latencies: &Latencies, share: f64) -> Option<Source<'static>> {
    let n = latencies.count();
    if n < LEAST_VALUES as u64 {
        return None;
    }
    let k = ((share * n as f64).ceil() as u64).clamp(1, n);
    let point = latencies.percentile(share * 100.0)?.as_nanos() as f64;
    Some(Source {
        point,
        kind: Kind::Steps(steps_of(latencies), k, n),
    })
}

/// The mean of many is normally distributed, with the variance of one over their number.
fn of_mean(latencies: &Latencies) -> Option<Source<'static>> {
    let n = latencies.count();
    if n < 30 {
        return None;
    }
    let mean = latencies.mean()?.as_nanos() as f64;
    let mut before = 0.0;
    let mut variance = 0.0;
    for (end, value) in steps_of(latencies) {
        variance += (end - before) * (value - mean) * (value - mean);
        before = end;
    }
    Some(Source {
        point: mean,
        kind: Kind::Normal(mean, libm::sqrt(variance / n as f64)),
    })
}

/// A standard normal variable (Box and Muller, 1958).
fn normal(rng: &mut Rng) -> f64 {
    let radius = libm::sqrt(2.0 * rng.exponential());
    radius * libm::cos(2.0 * std::f64::consts::PI * rng.unit())
}

/// A gamma variable of whole shape: a sum of exponential ones, and for many of them Wilson and
/// Hilferty's cube (1931), whose error is below 1e-3 of the spread there.
fn gamma(rng: &mut Rng, shape: u64) -> f64 {
    if shape <= MOST_SUMMED {
        return (0..shape).map(|_| rng.exponential()).sum();
    }
    let shape = shape as f64;
    let root = 1.0 - 1.0 / (9.0 * shape) + normal(rng) / (3.0 * libm::sqrt(shape));
    shape * root * root * root
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::time::Duration;

    /// How often the interval holds the true value, in 400 experiments.
    fn coverage(mut covers: impl FnMut(&mut Rng, u64) -> bool) -> f64 {
        let mut rng = Rng::new(11);
        let experiments: u64 = 400;
        let held = (0..experiments).filter(|i| covers(&mut rng, *i)).count();
        held as f64 / experiments as f64
    }

    /// The share itself scatters by 1.1 %: twice that, plus the known bias of the method.
    fn is_about_95_percent(coverage: f64) -> bool {
        (0.91..=0.98).contains(&coverage)
    }

    fn drawn(rng: &mut Rng, n: usize, from: fn(&mut Rng) -> f64) -> Vec<f64> {
        (0..n).map(|_| from(rng)).collect()
    }

    /// Draws from a distribution.
    type From = fn(&mut Rng) -> f64;

    #[test]
    fn the_interval_of_a_median_holds_the_true_one_as_often_as_it_says() {
        // Medians: of the exponential distribution ln 2, of the normal 0, of the uniform 1/2.
        let cases: [(From, f64); 3] = [
            (|rng| rng.exponential(), std::f64::consts::LN_2),
            (normal, 0.0),
            (|rng| rng.unit(), 0.5),
        ];
        for (from, truth) in cases {
            for n in [9, 21] {
                let share = coverage(|rng, i| {
                    let values = drawn(rng, n, from);
                    let (_, found) = interval(Sample::Median(&values), i).unwrap();
                    (found.low..=found.high).contains(&truth)
                });
                assert!(is_about_95_percent(share), "n = {n}: {share}");
            }
        }
    }

    #[test]
    fn the_interval_of_a_difference_holds_the_true_one_as_often_as_it_says() {
        let share = coverage(|rng, i| {
            let a = drawn(rng, 12, normal);
            let b: Vec<f64> = drawn(rng, 15, normal).iter().map(|v| v + 3.0).collect();
            let found = difference(Sample::Median(&a), Sample::Median(&b), i).unwrap();
            (found.interval.low..=found.interval.high).contains(&3.0)
        });
        assert!(is_about_95_percent(share), "{share}");
    }

    fn latencies(rng: &mut Rng, n: usize, mean_us: f64) -> Latencies {
        let mut kept = Latencies::default();
        for _ in 0..n {
            let nanos = rng.exponential() * mean_us * 1_000.0;
            kept.keep(Duration::from_nanos(nanos as u64));
        }
        kept
    }

    #[test]
    fn the_intervals_of_a_histogram_hold_the_true_values_as_often_as_they_say() {
        // Exponential with mean 100 us: the q-quantile is -ln(1-q) * 100 us. A bucket is 0.8 % wide,
        // and the interval may miss by half of one.
        for share in [0.5, 0.99] {
            let truth = -libm::log(1.0 - share) * 100_000.0;
            let covered = coverage(|rng, i| {
                let kept = latencies(rng, 2_000, 100.0);
                let (_, found) = interval(Sample::Quantile(&kept, share), i).unwrap();
                (found.low * 0.996..=found.high * 1.004).contains(&truth)
            });
            assert!(is_about_95_percent(covered), "{share}: {covered}");
        }
        let covered = coverage(|rng, i| {
            let kept = latencies(rng, 500, 100.0);
            let (_, found) = interval(Sample::Mean(&kept), i).unwrap();
            (found.low..=found.high).contains(&100_000.0)
        });
        assert!(is_about_95_percent(covered), "mean: {covered}");
    }

    #[test]
    fn a_quantile_drawn_at_once_scatters_as_one_of_a_sample_drawn_one_by_one() {
        let mut rng = Rng::new(3);
        let kept = latencies(&mut rng, 400, 100.0);
        let (_, at_once) = interval(Sample::Quantile(&kept, 0.9), 1).unwrap();
        let steps = steps_of(&kept);
        let mut draws = Vec::new();
        for _ in 0..RESAMPLES {
            let mut values: Vec<f64> = (0..400)
                .map(|_| {
                    let share = rng.unit();
                    steps[steps.partition_point(|(end, _)| *end < share)].1
                })
                .collect();
            values.sort_by(f64::total_cmp);
            draws.push(values[359]);
        }
        let one_by_one = middle(draws);
        assert!((at_once.low / one_by_one.low - 1.0).abs() < 0.03);
        assert!((at_once.high / one_by_one.high - 1.0).abs() < 0.03);
    }

    #[test]
    fn the_same_seed_gives_the_same_interval_and_too_few_values_give_none() {
        let values = [5.0, 7.0, 6.0, 8.0, 9.0, 4.0];
        let once = interval(Sample::Median(&values), 7).unwrap();
        assert_eq!(once, interval(Sample::Median(&values), 7).unwrap());
        assert!(interval(Sample::Median(&values[..4]), 7).is_none());
        assert!(interval(Sample::Quantile(&Latencies::default(), 0.5), 7).is_none());
        assert!(interval(Sample::Median(&[f64::NAN; 6]), 7).is_none());
    }

    #[test]
    fn a_difference_from_nothing_has_no_share() {
        let (none, some) = ([0.0; 6], [2.0, 3.0, 2.0, 3.0, 2.0, 3.0]);
        let found = difference(Sample::Median(&none), Sample::Median(&some), 1).unwrap();
        assert!(!found.may_be_none());
        assert_eq!((found.percent, found.percent_interval), (None, None));
        let back = difference(Sample::Median(&some), Sample::Median(&none), 1).unwrap();
        assert_eq!(back.percent, Some(-100.0));
    }
}
