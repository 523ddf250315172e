//! A latency histogram: 1 ns to an hour, at most 1 % error, fixed memory, exact to merge.
//!
//! Buckets are those of HdrHistogram with two significant digits: below 256 ns one per nanosecond, then 128 linear
//! steps in each power of two, so that a bucket is at most 1/128 of its value wide (0.78 %; 0.4 % from its middle).
//! Count, sum, minimum and maximum are kept exactly in addition. The memory (36 KiB) is allocated at the first value.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::statistic::least_samples;
use crate::time::Duration;

/// An hour: longer latencies are counted in its bucket.
const MOST_NANOS: u64 = 3_600_000_000_000;
/// Linear steps in a power of two, and their binary digits.
const STEPS: usize = 128;
const STEP_BITS: u32 = STEPS.ilog2();
/// One more than the bucket of an hour, in whole powers of two: 36 of them.
const BUCKETS: usize = (bucket_of(MOST_NANOS) / STEPS + 1) * STEPS;

/// A histogram of latencies.
#[derive(Clone, Debug, Default)]
pub struct Latencies {
    buckets: Option<Box<[u64; BUCKETS]>>,
    count: u64,
    sum_nanos: u128,
    min: Duration,
    max: Duration,
}

#[cold]
fn empty_buckets() -> Box<[u64; BUCKETS]> {
    Box::new([0; BUCKETS])
}

/// A value is shifted right until [`STEP_BITS`] digits and a leading one are left; below `2 * STEPS`
/// it is its own bucket.
#[inline]
const fn bucket_of(nanos: u64) -> usize {
    let nanos = if nanos < MOST_NANOS {
        nanos
    } else {
        MOST_NANOS
    };
    let digits = u64::BITS - (nanos | (2 * STEPS as u64 - 1)).leading_zeros();
    let shift = digits - STEP_BITS - 1;
    shift as usize * STEPS + (nanos >> shift) as usize
}

/// A bucket's lower edge and width, in nanoseconds.
const fn edges_of(bucket: usize) -> (u64, u64) {
    let shift = (bucket / STEPS).saturating_sub(1);
    let low = (bucket - shift * STEPS) as u64;
    (low << shift, 1 << shift)
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
        self.buckets.get_or_insert_with(empty_buckets)[bucket_of(nanos)] += 1;
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
        for (mine, theirs) in mine.iter_mut().zip(theirs.iter()) {
            *mine = mine.saturating_add(*theirs);
        }
    }

    /// What was counted since an `earlier` state of the same histogram. Its least and greatest are exact where the whole
    /// histogram's changed meanwhile, else the edges of their buckets.
    pub fn since(&self, earlier: &Latencies) -> Latencies {
        let mut since = Latencies::default();
        let Some(now) = &self.buckets else {
            return since;
        };
        let then = earlier.buckets.as_deref();
        let (mut lowest, mut highest) = (None, None);
        for (bucket, n) in now.iter().enumerate() {
            let more = n.saturating_sub(then.map_or(0, |then| then[bucket]));
            if more > 0 {
                since.buckets.get_or_insert_with(empty_buckets)[bucket] = more;
                since.count += more;
                lowest = lowest.or(Some(bucket));
                highest = Some(bucket);
            }
        }
        let (Some(lowest), Some(highest)) = (lowest, highest) else {
            return since;
        };
        let (low, _) = edges_of(lowest);
        let (high, width) = edges_of(highest);
        since.sum_nanos = self.sum_nanos.saturating_sub(earlier.sum_nanos);
        since.min = match earlier.count == 0 || self.min < earlier.min {
            true => self.min,
            false => Duration::from_nanos(low).max(self.min),
        };
        since.max = match self.max > earlier.max {
            true => self.max,
            false => Duration::from_nanos(high + width).min(self.max),
        };
        since
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
    /// the exact least and greatest. Nothing where there are too few for so high a percentile
    /// ([`least_samples`]).
    pub fn percentile(&self, per_cent: f64) -> Option<Duration> {
        let enough = self.count >= least_samples(per_cent);
        enough.then(|| self.nearest_rank(per_cent)).flatten()
    }

    /// [`Latencies::percentile`] of however few there are, as fio and DiskSpd print it: of one, every percentile is that
    /// one.
    pub fn nearest_rank(&self, per_cent: f64) -> Option<Duration> {
        let share = (per_cent / 100.0).clamp(0.0, 1.0);
        let rank = ((share * self.count as f64).ceil() as u64).clamp(1, self.count.max(1));
        let mut counted = 0;
        let (low, width, _) = self.buckets().find(|(_, _, n)| {
            counted += n;
            counted >= rank
        })?;
        let middle = low.as_nanos() + width.as_nanos() / 2;
        Some(Duration::from_nanos(middle).clamp(self.min, self.max))
    }

    /// Buckets that hold anything: lower edge, width and count, ascending.
    pub fn buckets(&self) -> impl Iterator<Item = (Duration, Duration, u64)> + '_ {
        let counts = self.buckets.iter().flat_map(|buckets| buckets.iter());
        let filled = counts.enumerate().filter(|(_, n)| **n > 0);
        filled.map(|(bucket, n)| {
            let (low, width) = edges_of(bucket);
            (Duration::from_nanos(low), Duration::from_nanos(width), *n)
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

/// A histogram of latencies. A bucket is 1 ns wide below 256 ns, and at most 1/128 of its lower edge from there on;
/// latencies above an hour are counted in the last one.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Stored {
    /// Latencies in it.
    count: u64,
    /// Their exact sum in ns; a text, since it may exceed 2^53.
    sum_ns: String,
    /// The least one, exact, in ns; 0 if there is none.
    min_ns: u64,
    /// The greatest one, exact, in ns; 0 if there is none.
    max_ns: u64,
    /// Buckets that hold anything, ascending: lower edge in ns, and count.
    buckets_ns: Vec<(u64, u64)>,
}

impl JsonSchema for Latencies {
    fn schema_name() -> Cow<'static, str> {
        "Latencies".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Stored::json_schema(generator)
    }
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

/// More than any run has, and so few that a thousand of them are counted together without overflow.
const MOST_STORED: u64 = 1 << 53;

impl<'de> Deserialize<'de> for Latencies {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Latencies, D::Error> {
        use serde::de::Error as _;
        let stored = Stored::deserialize(deserializer)?;
        let mut buckets = None;
        let mut counted = 0_u64;
        for (low, n) in stored.buckets_ns {
            let bucket = &mut buckets.get_or_insert_with(empty_buckets)[bucket_of(low)];
            *bucket = bucket.saturating_add(n);
            counted = counted.saturating_add(n);
        }
        if counted != stored.count {
            return Err(D::Error::custom(
                "a histogram's buckets do not add up to its count",
            ));
        }
        let sum_nanos: u128 = stored.sum_ns.parse().map_err(D::Error::custom)?;
        let (count, min, max) = (stored.count, stored.min_ns, stored.max_ns);
        let all = |nanos: u64| u128::from(count) * u128::from(nanos);
        if count > MOST_STORED || min > max || !(all(min)..=all(max)).contains(&sum_nanos) {
            return Err(D::Error::custom(
                "a histogram's count, sum, least and greatest do not fit each other",
            ));
        }
        Ok(Latencies {
            buckets,
            count,
            sum_nanos,
            min: Duration::from_nanos(min),
            max: Duration::from_nanos(max),
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
        fn what_was_counted_since_a_state_is_what_was_counted_after_it(
            before in proptest::collection::vec(nanos(), 0..40),
            after in proptest::collection::vec(nanos(), 0..40),
        ) {
            let (earlier, alone) = (of(&before), of(&after));
            let mut now = earlier.clone();
            now.merge(&alone);
            let since = now.since(&earlier);
            prop_assert!(since.buckets().eq(alone.buckets()));
            prop_assert_eq!((since.count, since.sum_nanos), (alone.count, alone.sum_nanos));
            // No value is outside, and none is further from the least or greatest than its bucket is wide.
            let near = |edge: Duration, value: Duration| {
                edge.as_nanos().abs_diff(value.as_nanos()) <= value.as_nanos() / 100 + 1
            };
            prop_assert!(since.min <= alone.min && alone.max <= since.max);
            prop_assert!(near(since.min, alone.min) && near(since.max, alone.max.min(now.max)));
        }
    }

    proptest! {
        #[test]
        fn merging_gives_the_histogram_of_the_union(a in prop::collection::vec(nanos(), 0..200), b in prop::collection::vec(nanos(), 0..200)) {
            let mut merged = of(&a);
            merged.merge(&of(&b));
            prop_assert_eq!(merged, of(&[a, b].concat()));
        }

        #[test]
        fn the_buckets_are_those_of_hdr_histogram(values in prop::collection::vec(nanos(), 1..200)) {
            let mut hdr = hdrhistogram::Histogram::<u64>::new_with_bounds(1, MOST_NANOS, 2).unwrap();
            values.iter().for_each(|&v| hdr.saturating_record(v));
            let theirs: Vec<_> = hdr.iter_recorded().map(|step| {
                let value = step.value_iterated_to();
                (hdr.lowest_equivalent(value), hdr.equivalent_range(value), step.count_at_value())
            }).collect();
            let ours: Vec<_> = of(&values).buckets().map(|(low, width, n)| (low.as_nanos(), width.as_nanos(), n)).collect();
            prop_assert_eq!(ours, theirs);
        }

        #[test]
        fn a_percentile_is_within_one_per_cent(mut values in prop::collection::vec(nanos(), 1..300), p in 0.0..100.0_f64) {
            let found = of(&values).nearest_rank(p).unwrap().as_nanos() as f64;
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
        for text in [
            r#"{"count":2,"sum_ns":"5","min_ns":5,"max_ns":5,"buckets_ns":[[5,1]]}"#,
            // No percentile is between a least of 6 and a greatest of 5.
            r#"{"count":1,"sum_ns":"5","min_ns":6,"max_ns":5,"buckets_ns":[[5,1]]}"#,
            r#"{"count":1,"sum_ns":"999999","min_ns":5,"max_ns":5,"buckets_ns":[[5,1]]}"#,
            r#"{"count":18446744073709551615,"sum_ns":"0","min_ns":0,"max_ns":0,"buckets_ns":[[0,18446744073709551615]]}"#,
        ] {
            assert!(serde_json::from_str::<Latencies>(text).is_err(), "{text}");
        }
    }
}
