//! What is kept of each thread: I/Os, bytes, latencies, and counts an interval.
//!
//! Latencies are in drivelab's histogram, whose steps are at most 0.8 % wide; least, greatest, mean and standard
//! deviation are exact. DiskSpd keeps every value, so its percentiles are those of its clock.

use base::record::Latencies;
use base::time::Duration;

/// I/Os of one interval, with their latencies in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// How many ended in it.
    pub ios: u64,
    /// The shortest.
    pub least: f64,
    /// The longest.
    pub most: f64,
    sum: f64,
    squares: f64,
}

impl Interval {
    fn keep(&mut self, millis: f64) {
        self.least = if self.ios == 0 {
            millis
        } else {
            self.least.min(millis)
        };
        self.most = self.most.max(millis);
        self.ios += 1;
        self.sum += millis;
        self.squares += millis * millis;
    }

    fn merge(&mut self, other: &Interval) {
        if other.ios == 0 {
            return;
        }
        self.least = if self.ios == 0 {
            other.least
        } else {
            self.least.min(other.least)
        };
        self.most = self.most.max(other.most);
        self.ios += other.ios;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// Mean latency.
    pub fn mean(&self) -> f64 {
        if self.ios == 0 {
            0.0
        } else {
            self.sum / self.ios as f64
        }
    }

    /// Their standard deviation.
    pub fn deviation(&self) -> f64 {
        deviation(self.ios as f64, self.sum, self.squares)
    }
}

/// Of `count` values with this sum and sum of squares, as of a whole population.
fn deviation(count: f64, sum: f64, squares: f64) -> f64 {
    if count < 1.0 {
        return 0.0;
    }
    ((squares - sum * sum / count).max(0.0) / count).sqrt()
}

/// Reads, or writes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Side {
    /// I/Os that ended while it was measured.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their latencies.
    pub latencies: Latencies,
    sum_millis: f64,
    squares: f64,
    /// By interval, where intervals are counted.
    pub intervals: Vec<Interval>,
}

impl Side {
    /// Nothing yet, with so many intervals.
    pub fn new(intervals: usize) -> Side {
        Side {
            intervals: vec![Interval::default(); intervals],
            ..Side::default()
        }
    }

    /// Keeps an I/O that ended `at` after the beginning; `interval` is the length of each.
    pub fn keep(&mut self, bytes: u64, latency: Duration, at: Duration, interval: Duration) {
        let millis = latency.as_millis_f64();
        self.ios += 1;
        self.bytes += bytes;
        self.latencies.keep(latency);
        self.sum_millis += millis;
        self.squares += millis * millis;
        let n = at
            .as_nanos()
            .checked_div(interval.as_nanos())
            .unwrap_or(u64::MAX);
        let n = usize::try_from(n).unwrap_or(usize::MAX);
        if let Some(interval) = self.intervals.get_mut(n) {
            interval.keep(millis);
        }
    }

    /// Adds another's.
    pub fn merge(&mut self, other: &Side) {
        self.ios += other.ios;
        self.bytes += other.bytes;
        self.latencies.merge(&other.latencies);
        self.sum_millis += other.sum_millis;
        self.squares += other.squares;
        let longest = self.intervals.len().max(other.intervals.len());
        self.intervals.resize(longest, Interval::default());
        for (mine, theirs) in self.intervals.iter_mut().zip(&other.intervals) {
            mine.merge(theirs);
        }
    }

    /// Mean latency in milliseconds; 0 without an I/O.
    pub fn mean_millis(&self) -> f64 {
        if self.ios == 0 {
            0.0
        } else {
            self.sum_millis / self.ios as f64
        }
    }

    /// Standard deviation of the latencies in milliseconds, nothing without an I/O.
    pub fn deviation_millis(&self) -> Option<f64> {
        (self.ios > 0).then(|| deviation(self.ios as f64, self.sum_millis, self.squares))
    }

    /// Standard deviation of the I/Os a second, from interval to interval of this many milliseconds.
    pub fn iops_deviation(&self, interval_ms: u32) -> f64 {
        let count = self.intervals.len() as f64;
        let of = |power: i32| {
            self.intervals
                .iter()
                .map(|one| (one.ios as f64).powi(power))
                .sum::<f64>()
        };
        deviation(count, of(1), of(2)) * 1_000.0 / f64::from(interval_ms)
    }
}

/// What one thread did to its target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// Number of the work.
    pub work: usize,
    /// Reads.
    pub reads: Side,
    /// Writes.
    pub writes: Side,
}

impl Kept {
    /// Reads and writes together.
    pub fn total(&self) -> Side {
        let mut total = self.reads.clone();
        total.merge(&self.writes);
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_those_of_the_whole_population() {
        let mut side = Side::new(2);
        let second = Duration::from_secs(1);
        for (millis, at) in [
            (2, 0),
            (4, 100),
            (4, 200),
            (4, 1_100),
            (5, 1_200),
            (5, 1_300),
            (7, 1_400),
            (9, 1_500),
        ] {
            side.keep(
                512,
                Duration::from_millis(millis),
                Duration::from_millis(at),
                second,
            );
        }
        assert!((side.deviation_millis().unwrap() - 2.0).abs() < 1e-9);
        assert!((side.mean_millis() - 5.0).abs() < 1e-9);
        // Three and five I/Os a second: one off the mean each.
        assert!((side.iops_deviation(1_000) - 1.0).abs() < 1e-9);
        assert!((side.intervals[1].mean() - 6.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_merged_is_what_one_would_have_kept() {
        let (mut one, mut two, mut both) = (Side::new(1), Side::new(1), Side::new(1));
        for n in 0..100 {
            let side = if n % 3 == 0 { &mut one } else { &mut two };
            let latency = Duration::from_millis(n + 1);
            side.keep(1, latency, Duration::ZERO, Duration::from_secs(1));
            both.keep(1, latency, Duration::ZERO, Duration::from_secs(1));
        }
        one.merge(&two);
        assert_eq!((one.ios, &one.latencies), (both.ios, &both.latencies));
        assert!((one.iops_deviation(1_000) - both.iops_deviation(1_000)).abs() < 1e-9);
    }
}
