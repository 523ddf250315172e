//! A latency histogram: 1 ns to an hour, at most 1 % error, fixed memory, exact to merge.
//!
//! Buckets are those of HdrHistogram with two significant digits: 128 to 255 linear steps in each
//! power of two, so that a bucket is at most 1/128 of its value wide (0.78 %; 0.4 % off its middle).
//! Count, sum, least and greatest value are kept exactly beside it. The memory (36 KiB) is taken at
//! the first value.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use crate::time::Duration;

/// An hour: longer latencies are counted in the last bucket.
const MOST_NANOS: u64 = 3_600_000_000_000;

/// A histogram of latencies.
#[derive(Clone, Debug, Default)]
pub struct Latencies {
    buckets: Option<Box<Histogram<u64>>>,
    count: u64,
    sum_nanos: u128,
    min: Duration,
    max: Duration,
}

fn empty_buckets() -> Box<Histogram<u64>> {
    Box::new(
        Histogram::new_with_bounds(1, MOST_NANOS, 2)
            .expect("constant bounds that the crate accepts"),
    )
}

impl Latencies {
    /// Counts one latency.
    #[inline]
    pub fn keep(&mut self, latency: Duration) {
        let nanos = latency.as_nanos();
        if self.count == 0 {
            self.min = latency;
        }
        self.count += 1;
        self.sum_nanos += u128::from(nanos);
        self.min = self.min.min(latency);
        self.max = self.max.max(latency);
        self.buckets
            .get_or_insert_with(empty_buckets)
            .saturating_record(nanos);
    }

    /// Adds all latencies of another histogram.
    pub fn merge(&mut self, other: &Latencies) {
        let Some(theirs) = &other.buckets else { return };
        self.min = if self.count == 0 {
            other.min
        } else {
            self.min.min(other.min)
        };
        self.max = self.max.max(other.max);
        self.count += other.count;
        self.sum_nanos += other.sum_nanos;
        let mine = self.buckets.get_or_insert_with(empty_buckets);
        mine.add(theirs.as_ref())
            .expect("both have the same bounds");
    }

    /// True where nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
    /// How many were counted.
    pub fn count(&self) -> u64 {
        self.count
    }
    /// The least one, exact; zero where there is none.
    pub fn min(&self) -> Duration {
        self.min
    }
    /// The greatest one, exact; zero where there is none.
    pub fn max(&self) -> Duration {
        self.max
    }
    /// The mean, exact to the nanosecond.
    pub fn mean(&self) -> Option<Duration> {
        let n = u128::from(self.count);
        (n > 0).then(|| Duration::from_nanos(((self.sum_nanos + n / 2) / n) as u64))
    }

    /// The value that `per_cent` of the latencies do not exceed: the middle of its bucket, inside
    /// the exact least and greatest.
    pub fn percentile(&self, per_cent: f64) -> Option<Duration> {
        let buckets = self.buckets.as_ref()?;
        let upper = buckets.value_at_quantile((per_cent / 100.0).clamp(0.0, 1.0));
        let middle = buckets.median_equivalent(upper);
        Some(Duration::from_nanos(middle).clamp(self.min, self.max))
    }

    /// Buckets that hold anything: lower edge, width and count, ascending.
    pub fn buckets(&self) -> impl Iterator<Item = (Duration, Duration, u64)> + '_ {
        self.buckets.iter().flat_map(|b| {
            b.iter_recorded().map(|step| {
                let value = step.value_iterated_to();
                let low = b.lowest_equivalent(value);
                let width = b.equivalent_range(value);
                (
                    Duration::from_nanos(low),
                    Duration::from_nanos(width),
                    step.count_at_value(),
                )
            })
        })
    }
}

impl PartialEq for Latencies {
    fn eq(&self, other: &Latencies) -> bool {
        self.count == other.count
            && self.sum_nanos == other.sum_nanos
            && self.min == other.min
            && self.max == other.max
            && self.buckets().eq(other.buckets())
    }
}

/// As it is stored: the buckets that hold anything, by their lower edge.
#[derive(Serialize, Deserialize)]
struct Stored {
    count: u64,
    sum_ns: String,
    min_ns: u64,
    max_ns: u64,
    buckets_ns: Vec<(u64, u64)>,
}

impl Serialize for Latencies {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Stored {
            count: self.count,
            sum_ns: self.sum_nanos.to_string(),
            min_ns: self.min.as_nanos(),
            max_ns: self.max.as_nanos(),
            buckets_ns: self
                .buckets()
                .map(|(low, _, n)| (low.as_nanos(), n))
                .collect(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Latencies {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Latencies, D::Error> {
        use serde::de::Error as _;
        let stored = Stored::deserialize(deserializer)?;
        let mut buckets = None;
        let mut counted = 0_u64;
        for (low, n) in stored.buckets_ns {
            buckets
                .get_or_insert_with(empty_buckets)
                .saturating_record_n(low, n);
            counted = counted.saturating_add(n);
        }
        if counted != stored.count {
            return Err(D::Error::custom(
                "a histogram's buckets do not add up to its count",
            ));
        }
        Ok(Latencies {
            buckets,
            count: stored.count,
            sum_nanos: stored.sum_ns.parse().map_err(D::Error::custom)?,
            min: Duration::from_nanos(stored.min_ns),
            max: Duration::from_nanos(stored.max_ns),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Latencies {
        let mut latencies = Latencies::default();
        values
            .iter()
            .for_each(|&v| latencies.keep(Duration::from_nanos(v)));
        latencies
    }

    fn nanos() -> impl Strategy<Value = u64> {
        // Even in the logarithm, 1 ns to an hour.
        (0_u32..42, 0.0..1.0_f64)
            .prop_map(|(bits, f)| ((((1_u64 << bits) as f64) * (1.0 + f)) as u64).min(MOST_NANOS))
    }

    proptest! {
        #[test]
        fn merging_gives_the_histogram_of_the_union(a in prop::collection::vec(nanos(), 0..200), b in prop::collection::vec(nanos(), 0..200)) {
            let mut merged = of(&a);
            merged.merge(&of(&b));
            prop_assert_eq!(merged, of(&[a, b].concat()));
        }

        #[test]
        fn a_percentile_is_within_one_per_cent(mut values in prop::collection::vec(nanos(), 1..300), p in 0.0..100.0_f64) {
            let found = of(&values).percentile(p).unwrap().as_nanos() as f64;
            values.sort_unstable();
            let rank = ((p / 100.0 * values.len() as f64).ceil() as usize).clamp(1, values.len());
            let exact = values[rank - 1] as f64;
            prop_assert!((found - exact).abs() <= exact * 0.01, "{found} for {exact}");
        }

        #[test]
        fn storing_and_reading_back_changes_nothing(values in prop::collection::vec(nanos(), 0..100)) {
            let latencies = of(&values);
            let text = serde_json::to_string(&latencies).unwrap();
            prop_assert_eq!(serde_json::from_str::<Latencies>(&text).unwrap(), latencies);
        }
    }

    #[test]
    fn mean_and_extremes_are_exact_and_more_than_an_hour_is_not_lost() {
        let latencies = of(&[1, 2, 1_000_003, 2 * MOST_NANOS]);
        assert_eq!(latencies.min(), Duration::from_nanos(1));
        assert_eq!(latencies.max(), Duration::from_nanos(2 * MOST_NANOS));
        assert_eq!(
            latencies.mean().unwrap().as_nanos(),
            (2 * MOST_NANOS + 1_000_006 + 2) / 4
        );
        assert_eq!(latencies.buckets().map(|(_, _, n)| n).sum::<u64>(), 4);
    }

    #[test]
    fn a_stored_histogram_that_does_not_add_up_is_refused() {
        let text = r#"{"count":2,"sum_ns":"5","min_ns":5,"max_ns":5,"buckets_ns":[[5,1]]}"#;
        assert!(serde_json::from_str::<Latencies>(text).is_err());
    }
}
