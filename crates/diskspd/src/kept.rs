//! The statistics of each thread: I/Os, bytes, latencies, and counts per interval.
//!
//! Latencies are in drivelab's histogram, whose buckets are at most 0.8 % wide; minimum, maximum, mean and standard
//! deviation are exact. DiskSpd keeps every value, so its percentiles have the resolution of its clock.

use base::record::Latencies;
use base::spread::Spread;
use base::time::Duration;

/// Reads, or writes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Side {
    /// I/Os that ended while it was measured.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their latencies.
    pub latencies: Latencies,
    millis: Spread,
    /// The latencies in milliseconds by interval, where intervals are counted.
    pub intervals: Vec<Spread>,
}

impl Side {
    /// Empty, with this many intervals.
    pub fn new(intervals: usize) -> Side {
        Side {
            intervals: vec![Spread::default(); intervals],
            ..Side::default()
        }
    }

    /// Keeps an I/O that ended `at` after the beginning; `interval` is the length of each.
    pub fn keep(&mut self, bytes: u64, latency: Duration, at: Duration, interval: Duration) {
        let millis = latency.as_millis_f64();
        self.ios += 1;
        self.bytes += bytes;
        self.latencies.keep(latency);
        self.millis.keep(millis);
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
        self.millis.merge(&other.millis);
        let longest = self.intervals.len().max(other.intervals.len());
        self.intervals.resize(longest, Spread::default());
        for (mine, theirs) in self.intervals.iter_mut().zip(&other.intervals) {
            mine.merge(theirs);
        }
    }

    /// Mean latency in milliseconds; 0 without an I/O.
    pub fn mean_millis(&self) -> f64 {
        self.millis.mean()
    }

    /// Standard deviation of the latencies in milliseconds, nothing without an I/O.
    pub fn deviation_millis(&self) -> Option<f64> {
        (self.ios > 0).then(|| self.millis.population_deviation())
    }

    /// Standard deviation of the I/Os a second, from interval to interval of this many milliseconds.
    pub fn iops_deviation(&self, interval_ms: u32) -> f64 {
        let mut ios = Spread::default();
        for interval in &self.intervals {
            ios.keep(interval.count as f64);
        }
        ios.population_deviation() * 1_000.0 / f64::from(interval_ms)
    }
}

/// What one thread did to its target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// Number of the work.
    pub work: usize,
    /// Number of the thread, among all of the time span.
    pub thread: usize,
    pub reads: Side,
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
