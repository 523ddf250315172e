//! A time series: completions, mean latency and worst latency per interval.
//!
//! Fixed memory: at [`MOST_POINTS`] points neighbours are joined and the interval doubles. (The run
//! loop's watcher sees the record as it grows, so that a store can keep finer rows on disk.)

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::io::Op;
use crate::size::Bytes;
use crate::time::Duration;

/// Maximum number of points; at one per second, more than an hour at full resolution.
pub(crate) const MOST_POINTS: usize = 4_096;

/// What was completed over time.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    /// Length of an interval.
    pub interval: Duration,
    /// Intervals from the beginning of the phase; those without a completion are there, too.
    pub points: Vec<Point>,
    /// The most recent interval: the next completion usually falls into it, which saves a division.
    #[serde(skip)]
    last: Last,
}

#[derive(Clone, Copy, Debug, Default)]
struct Last {
    index: usize,
    start: Duration,
}

impl PartialEq for Series {
    fn eq(&self, other: &Series) -> bool {
        self.interval == other.interval && self.points == other.points
    }
}

/// What was completed in one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SeriesPoint")]
pub struct Point {
    /// Reads that were completed in it.
    pub read: Cell,
    /// Writes and trims that were completed in it.
    pub write: Cell,
}

impl Point {
    /// The cell that counts such I/Os.
    pub fn of(&self, op: Op) -> &Cell {
        match op {
            Op::Read => &self.read,
            _ => &self.write,
        }
    }
}

/// Reads, or writes, of one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SeriesCell")]
pub struct Cell {
    /// How many.
    pub ios: u64,
    /// Bytes that they moved.
    pub bytes: Bytes,
    /// Sum of their latencies.
    pub sum: Duration,
    /// Worst of their latencies.
    pub worst: Duration,
}

impl Cell {
    /// Mean latency of the interval.
    pub fn mean(&self) -> Option<Duration> {
        self.sum
            .as_nanos()
            .checked_div(self.ios)
            .map(Duration::from_nanos)
    }

    fn add(&mut self, other: &Cell) {
        self.ios = self.ios.saturating_add(other.ios);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.sum = self.sum.saturating_add(other.sum);
        self.worst = self.worst.max(other.worst);
    }
}

impl Point {
    #[inline(always)]
    fn keep(&mut self, op: Op, bytes: Bytes, latency: Duration) {
        let cell = match op {
            Op::Read => &mut self.read,
            Op::Write | Op::Trim => &mut self.write,
            Op::Flush => return,
        };
        cell.ios += 1;
        cell.bytes += bytes;
        cell.sum += latency;
        cell.worst = cell.worst.max(latency);
    }
}

impl Series {
    /// An empty series of such intervals.
    pub fn new(interval: Duration) -> Series {
        Series {
            interval,
            points: Vec::new(),
            last: Last::default(),
        }
    }

    /// The interval that a time falls into, made where it is not there yet.
    fn point_at(&mut self, at: Duration) -> &mut Point {
        self.find(at);
        &mut self.points[self.last.index]
    }

    #[cold]
    fn find(&mut self, at: Duration) {
        let mut index = (at.as_nanos() / self.interval.as_nanos().max(1)) as usize;
        while index >= MOST_POINTS {
            self.halve();
            index /= 2;
        }
        if index >= self.points.len() {
            self.points.resize(index + 1, Point::default());
        }
        self.last = Last {
            index,
            start: self.interval.saturating_mul(index as u64),
        };
    }

    #[inline]
    pub(crate) fn keep(&mut self, at: Duration, op: Op, bytes: Bytes, latency: Duration) {
        let into_last = at.as_nanos().wrapping_sub(self.last.start.as_nanos());
        match self.points.get_mut(self.last.index) {
            Some(point) if into_last < self.interval.as_nanos() => point.keep(op, bytes, latency),
            _ => self.point_at(at).keep(op, bytes, latency),
        }
    }

    fn halve(&mut self) {
        // Of a stored series it may be nothing, which never grows by doubling.
        self.interval = self.interval.saturating_mul(2).max(Duration::from_nanos(1));
        self.last = Last::default();
        let joined = self.points.chunks(2).map(|pair| {
            let mut point = pair[0];
            if let Some(second) = pair.get(1) {
                point.read.add(&second.read);
                point.write.add(&second.write);
            }
            point
        });
        self.points = joined.collect();
    }

    /// Adds another series that began `later`.
    pub(crate) fn merge(&mut self, other: &Series, later: Duration) {
        while self.interval < other.interval {
            self.halve();
        }
        for (i, theirs) in other.points.iter().enumerate() {
            let at = later.saturating_add(other.interval.saturating_mul(i as u64));
            let mine = self.point_at(at);
            mine.read.add(&theirs.read);
            mine.write.add(&theirs.write);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_nothing_is_lost() {
        let mut series = Series::new(Duration::from_millis(10));
        let n = 3 * MOST_POINTS as u64 + 7;
        for i in 0..n {
            let at = Duration::from_millis(10 * i);
            series.keep(at, Op::Read, Bytes::kib(4), Duration::from_nanos(i));
        }
        assert!(series.points.len() <= MOST_POINTS);
        assert_eq!(series.interval, Duration::from_millis(40));
        assert_eq!(series.points.iter().map(|p| p.read.ios).sum::<u64>(), n);
        assert_eq!(
            series.points.iter().map(|p| p.read.worst).max(),
            Some(Duration::from_nanos(n - 1))
        );
    }

    #[test]
    fn a_stored_series_without_an_interval_takes_another_one() {
        let mut series = Series::new(Duration::ZERO);
        series.merge(&Series::new(Duration::from_secs(1)), Duration::ZERO);
        assert!(series.interval >= Duration::from_secs(1));
    }

    #[test]
    fn an_interval_without_completions_is_there_and_empty() {
        let mut series = Series::new(Duration::from_secs(1));
        series.keep(
            Duration::ZERO,
            Op::Write,
            Bytes::kib(4),
            Duration::from_micros(1),
        );
        series.keep(
            Duration::from_secs(3),
            Op::Write,
            Bytes::kib(4),
            Duration::from_secs(3),
        );
        assert_eq!(
            series
                .points
                .iter()
                .map(|p| p.write.ios)
                .collect::<Vec<_>>(),
            [1, 0, 0, 1]
        );
    }
}
