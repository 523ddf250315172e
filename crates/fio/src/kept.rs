//! The statistics of one job (or of several together): fio's own figures.
//!
//! fio separates three times: submission (`slat`, from generating an I/O until the drive has it), completion (`clat`,
//! from then on) and both together (`lat`). Rate samples are of half a second each.

pub use base::spread::Spread;
use base::{Duration, Instant, Latencies, Op};

use crate::steady::Steadiness;

/// One kind of latency.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// In nanoseconds.
    pub spread: Spread,
    /// For percentiles.
    pub histogram: Latencies,
}

impl Times {
    fn keep(&mut self, time: Duration) {
        self.spread.keep(time.as_nanos() as f64);
        self.histogram.keep(time);
    }

    fn merge(&mut self, other: &Times) {
        self.spread.merge(&other.spread);
        self.histogram.merge(&other.histogram);
    }
}

/// Reads, writes, trims or flushes.
#[derive(Clone, Debug, Default)]
pub struct OpKept {
    /// How many.
    pub ios: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// I/Os that moved less than they should.
    pub short: u64,
    /// Until the drive had it.
    pub submission: Times,
    /// From then on.
    pub completion: Times,
    /// Both together.
    pub whole: Times,
    /// KiB a second of each half second.
    pub rates: Spread,
    /// I/Os a second of each half second.
    pub iops: Spread,
    /// Time in which these were done.
    pub time: Duration,
    since: (u64, u64),
}

impl OpKept {
    fn merge(&mut self, other: &OpKept) {
        self.ios += other.ios;
        self.bytes += other.bytes;
        self.short += other.short;
        self.submission.merge(&other.submission);
        self.completion.merge(&other.completion);
        self.whole.merge(&other.whole);
        self.rates.merge(&other.rates);
        self.iops.merge(&other.iops);
        self.time = self.time.max(other.time);
    }
}

/// How long a sample of rates is.
const SAMPLE: Duration = Duration::from_millis(500);

/// The statistics of a job.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Reads, writes, trims, flushes.
    pub ops: [OpKept; 4],
    /// I/Os by depth when they were sent: 1, 2, 4, ... 64 and more.
    pub depths: [u64; 7],
    /// Time that is counted.
    pub runtime: Duration,
    /// The first error's number.
    pub errno: i32,
    /// I/Os that failed.
    pub errors: u64,
    /// Zones that were reset.
    pub zone_resets: u64,
    /// The depth that was found, where one was looked for.
    pub depth_found: Option<u32>,
    /// Whether its rate was steady, if requested.
    pub steadiness: Option<Steadiness>,
    sampled: Option<Instant>,
}

/// One completion.
#[derive(Clone, Copy, Debug)]
pub struct One {
    /// Number of its operation.
    pub op: usize,
    /// Bytes moved.
    pub bytes: u64,
    pub drawn: Instant,
    /// When the drive had it.
    pub sent: Instant,
    /// When it was complete.
    pub at: Instant,
    /// In flight when it was sent, itself included.
    pub depth: u32,
}

impl Kept {
    /// Counts a completion.
    pub fn keep(&mut self, one: &One, asynchronous: bool) {
        self.sample(one.at);
        let op = &mut self.ops[one.op];
        op.ios += 1;
        op.bytes += one.bytes;
        if asynchronous {
            op.submission.keep(one.sent.since(one.drawn));
        }
        op.completion.keep(one.at.since(one.sent));
        op.whole.keep(one.at.since(one.drawn));
        if one.op < 3 {
            self.depths[(one.depth.max(1).ilog2() as usize).min(6)] += 1;
        }
    }

    /// Counting begins at a moment.
    pub fn begin(&mut self, at: Instant) {
        *self = Kept {
            sampled: Some(at),
            ..Kept::default()
        };
    }

    fn sample(&mut self, now: Instant) {
        let Some(since) = self.sampled else { return };
        let passed = now.since(since);
        if passed < SAMPLE {
            return;
        }
        let seconds = passed.as_secs_f64();
        for op in &mut self.ops[..3] {
            let (ios, bytes) = (op.ios - op.since.0, op.bytes - op.since.1);
            op.since = (op.ios, op.bytes);
            // fio has no sample where nothing came back.
            if ios > 0 {
                op.rates.keep((bytes as f64 / seconds / 1024.0).floor());
                op.iops.keep((ios as f64 / seconds).floor());
            }
        }
        self.sampled = Some(now);
    }

    /// Time passed in which an operation was done.
    pub fn took(&mut self, op: Op, time: Duration) {
        let all = &mut self.ops[op as usize].time;
        *all = all.saturating_add(time);
    }

    /// Counting ends.
    pub fn end(&mut self, counted_from: Instant, at: Instant) {
        self.sample(at);
        self.runtime = at.since(counted_from);
        // What came between others has their time.
        for op in &mut self.ops {
            if op.time.is_zero() {
                op.time = self.runtime;
            }
        }
    }

    /// Reads, writes and trims become one.
    pub fn unify(&mut self) {
        let [reads, writes, trims, _] = &mut self.ops;
        for other in [writes, trims] {
            reads.merge(other);
            *other = OpKept::default();
        }
    }

    /// Merges another job of its group.
    pub fn merge(&mut self, other: &Kept) {
        for (mine, theirs) in self.ops.iter_mut().zip(&other.ops) {
            mine.merge(theirs);
        }
        for (mine, theirs) in self.depths.iter_mut().zip(other.depths) {
            *mine += theirs;
        }
        self.runtime = self.runtime.max(other.runtime);
        self.errors += other.errors;
        self.zone_resets += other.zone_resets;
        if self.errno == 0 {
            self.errno = other.errno;
        }
        self.depth_found = self.depth_found.or(other.depth_found);
        if self.steadiness.is_none() {
            self.steadiness = other.steadiness.clone();
        }
    }
}
