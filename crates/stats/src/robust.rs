//! Deviation of one of a few from the others: robust z scores, and the distance of distributions.
//!
//! A mean and a standard deviation are drawn to the very outlier that they should show; the median and
//! the median absolute deviation (MAD) are not, as long as fewer than half are odd. The robust z is the
//! distance from the median in MADs, scaled by 1.4826, which makes it the ordinary z for normal values
//! (Iglewicz and Hoaglin, "How to Detect and Handle Outliers", 1993, section 3.3, who call 3.5 an
//! outlier). With few values the MAD itself is uncertain, and z of 3.5 are common among the best of
//! friends: [`critical_z`] widens the limit so that about one batch in twenty of like members has one
//! beyond it, as the tests draw.
//!
//! The distance of two response distributions is the area between their cumulative curves over the
//! logarithm of time (the first Wasserstein distance): 0.1 means that responses of one take, share by
//! share, a tenth of a decade longer or shorter than the other's.

use super::median;
use base::record::Latencies;

/// MADs to the standard deviation of normal values.
const SCALE: f64 = 1.4826;
/// The greatest z: beyond it, how far does not matter.
pub const MOST_Z: f64 = 99.9;
/// Minimum number of values among which an outlier can be determined.
pub const LEAST_BATCH: usize = 3;

/// The robust z of each value, with the sign of its distance from the median. A spread below `least_spread` counts as
/// that: similar values are not distinguished by their last digits. Empty for fewer than [`LEAST_BATCH`] values.
pub fn robust_z(values: &[f64], least_spread: f64) -> Option<Vec<f64>> {
    if values.len() < LEAST_BATCH {
        return None;
    }
    let middle = median(values)?;
    let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    let spread = (SCALE * median(&distances)?).max(least_spread);
    let z = |value: &f64| {
        let distance = value - middle;
        if distance.abs() <= 0.0 {
            0.0
        } else {
            (distance / spread).clamp(-MOST_Z, MOST_Z)
        }
    };
    Some(values.iter().map(z).collect())
}

/// The z above which one of `n` is an outlier, where `limit` is the value for very many.
pub fn critical_z(limit: f64, n: usize) -> f64 {
    limit * (1.0 + 5.0 / (n.max(LEAST_BATCH) - 2) as f64)
}

/// The distance of two distributions, in decades of time; nothing where one of them is empty.
pub fn distance_decades(a: &Latencies, b: &Latencies) -> Option<f64> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let mut steps: Vec<(f64, f64)> = shares(a, 1.0).chain(shares(b, -1.0)).collect();
    steps.sort_by(|x, y| x.0.total_cmp(&y.0));
    let (mut area, mut gap, mut last) = (0.0, 0.0, steps[0].0);
    for (at, share) in steps {
        area += f64::abs(gap) * (at - last);
        gap += share;
        last = at;
    }
    Some(area)
}

/// Middle of each bucket in decades of nanoseconds, and its signed share.
fn shares(of: &Latencies, sign: f64) -> impl Iterator<Item = (f64, f64)> + '_ {
    let count = of.count() as f64;
    of.buckets().map(move |(low, width, n)| {
        let middle = low.as_nanos() as f64 + width.as_nanos() as f64 / 2.0;
        (libm::log10(middle.max(1.0)), sign * n as f64 / count)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::Rng;
    use base::time::Duration;

    #[test]
    fn one_outlier_neither_hides_itself_nor_makes_others_odd() {
        let z = robust_z(&[10.0, 10.1, 9.9, 10.05, 60.0], 0.01).unwrap();
        assert!(z[4] > 50.0, "{z:?}");
        assert!(z[..4].iter().all(|z| z.abs() < 3.5), "{z:?}");
        let alike = robust_z(&[7.0, 7.0, 7.0, 7.001], 0.07).unwrap();
        assert!(alike.iter().all(|z| z.abs() < 0.1), "{alike:?}");
        assert!(robust_z(&[0.0, 0.0, 0.0, 3.0], 0.0).unwrap()[3] >= MOST_Z);
        assert!(robust_z(&[1.0, 2.0], 0.1).is_none());
    }

    #[test]
    fn of_batches_of_like_members_one_in_fifteen_at_most_has_one_that_stands_out() {
        let mut rng = Rng::new(9);
        for n in [3, 4, 5, 6, 8, 12, 20, 40] {
            let batches = 3_000;
            let odd = (0..batches).filter(|_| {
                // The sum of twelve even numbers is normal enough.
                let values: Vec<f64> = (0..n)
                    .map(|_| (0..12).map(|_| rng.unit()).sum::<f64>())
                    .collect();
                let z = robust_z(&values, 0.0).unwrap();
                z.iter().any(|z| z.abs() > critical_z(3.5, n))
            });
            let share = odd.count() as f64 / f64::from(batches);
            assert!(share < 1.0 / 15.0, "{n}: {share}");
        }
    }

    #[test]
    fn a_distribution_that_is_ten_times_slower_is_a_decade_away() {
        let of = |times: &[u64]| {
            let mut all = Latencies::default();
            times
                .iter()
                .for_each(|us| all.keep(Duration::from_micros(*us)));
            all
        };
        let fast = of(&[100, 100, 200, 400]);
        let slow = of(&[1_000, 1_000, 2_000, 4_000]);
        let near = |a: f64, b: f64| (a - b).abs() < 0.01;
        assert!(near(distance_decades(&fast, &slow).unwrap(), 1.0));
        assert!(near(distance_decades(&slow, &fast).unwrap(), 1.0));
        assert!(near(distance_decades(&fast, &fast).unwrap(), 0.0));
        let one_in_four = of(&[100, 100, 200, 4_000]);
        assert!(near(distance_decades(&fast, &one_in_four).unwrap(), 0.25));
        assert!(distance_decades(&fast, &Latencies::default()).is_none());
    }
}
