//! What I/Os are issued: a workload is a list of jobs and the rule that ends them.
//!
//! A job is a stream of I/Os, closed (the next one is sent when one completes) or open (sent at a rate, whether or not
//! the drive keeps up). It is plain data that is stored with the result, so that a figure can always be traced to the
//! exact workload that produced it. The streams' generators are in [`stream`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::io::{Fill, Op};
use crate::size::Bytes;
use crate::target::Info;
use crate::time::Duration;

pub mod arrival;
mod permutation;
pub mod stream;
pub mod zipf;

pub use crate::span::Span;

/// I/Os to issue, and when to stop.
///
/// ```json
/// {
///   "jobs": [
///     {
///       "name": "watch",
///       "streams": 1,
///       "span": { "start": 0, "len": 67108864 },
///       "order": "random",
///       "accesses": [{ "weight": 1, "size": 4096, "read_percent": 100, "trims": false }],
///       "align": 4096,
///       "shift": 0,
///       "fill": { "kind": "fresh", "compressible_percent": 0 },
///       "pacing": { "open": { "per_second": 200.0, "arrivals": "even" } },
///       "flush_every": null
///     }
///   ],
///   "stop": { "bytes": null, "ios": null, "passes": null, "time": 100000000, "look": "always" },
///   "keep": { "series": 10000000, "bins": null },
///   "flush_at_end": false,
///   "seed": 1
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// The streams, all running at once.
    pub jobs: Vec<Job>,
    /// When to stop issuing.
    pub stop: Stop,
    /// What is recorded in addition to histograms.
    pub keep: Keep,
    /// Send one flush when the jobs are drained, inside the phase's time.
    pub flush_at_end: bool,
    /// Seeds every stream.
    pub seed: u64,
}

/// One stream of I/Os, or several that are alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// What the job is called in the record.
    pub name: String,
    /// Number of parallel streams of this kind, each with its own seed. Sequential streams divide the span among
    /// themselves: reading the same addresses in parallel would measure a cache.
    pub streams: u32,
    /// Where it works.
    pub span: Span,
    /// In which order.
    pub order: Order,
    /// The mix of accesses, by weight.
    pub accesses: Vec<Access>,
    /// Offsets are multiples of this (from the span's start, plus [`Job::shift`]).
    pub align: Bytes,
    /// Added to every offset: a misaligned partition. Below [`Job::align`].
    pub shift: Bytes,
    /// What is written.
    pub fill: Fill,
    /// When the next I/O is sent.
    pub pacing: Pacing,
    /// A flush after every N writes. Its response time counts from submission of the first write that it makes durable:
    /// with one write and a depth of 1 it is the time of a commit.
    pub flush_every: Option<u32>,
    /// Each write is complete only when its data are on stable storage (FUA; `RWF_DSYNC` on Linux).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub durable: bool,
}

/// One kind of access in a job's mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// Its share, relative to the other kinds' weights.
    pub weight: u32,
    /// Bytes moved.
    pub size: Bytes,
    /// Per cent of these I/Os that are reads; the rest are writes (or trims).
    pub read_percent: u8,
    /// Whether the non-reads are trims instead of writes.
    pub trims: bool,
}

/// The order in which a job visits its span.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[expect(
    clippy::large_enum_variant,
    reason = "a phase has a handful of jobs, and an order that is plain data can be copied"
)]
pub enum Order {
    /// From the start to the end, then again.
    Sequential,
    /// Uniformly random, with repetition.
    Random,
    /// Every position once in random order, then again in another order. One size only.
    RandomOnce,
    /// Some accesses go anywhere, the others on from where the last access ended: a "% random" as
    /// Iometer has it.
    Partly {
        /// Per cent of the I/Os at random positions.
        random_percent: u8,
    },
    /// The k-th most popular position is accessed `1 / k^theta` as often as the first; popular positions are scattered
    /// over the span.
    Zipf {
        /// The skew: 0 is even, 0.99 the common choice for key-value stores; below 1.
        theta: f64,
    },
    /// Part of the I/Os go to an area at the start of the span, the others anywhere in the rest.
    HotSpot {
        /// Size of the hot part in per cent of the span, 1 to 99.
        span_percent: u8,
        /// Share of the accesses that go there, in per cent.
        access_percent: u8,
    },
    /// As [`Order::Partly`], but each kind of I/O of the job's mix has its own share and alignment, in the order of the
    /// mix.
    ByAccess {
        /// For each kind of I/O; further entries are ignored.
        own: [OwnOrder; MOST_OWN],
    },
    /// As in a trace: not generated by a stream; represents a replay in a record.
    Recorded,
}

/// Maximum number of kinds of I/O with their own order.
pub const MOST_OWN: usize = 32;

/// The order of one kind of access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnOrder {
    /// Per cent of the I/Os at random positions.
    pub random_percent: u8,
    /// Offsets are multiples of this.
    pub align: Bytes,
}

impl Default for OwnOrder {
    /// Anywhere, at sectors.
    fn default() -> OwnOrder {
        OwnOrder {
            random_percent: 100,
            align: Bytes::SECTOR,
        }
    }
}

/// When the next I/O of a stream is sent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Pacing {
    /// As soon as one completes (and the think time is over).
    Closed {
        /// I/Os in flight, of each stream.
        depth: u32,
        /// Rest after each burst.
        think: Duration,
        /// I/Os in a burst; 1 thinks after each.
        burst: u32,
    },
    /// At fixed intervals, one at a time: if the previous one has not completed when the next is due, the interval
    /// restarts at its completion, so there is never any queueing by the job itself. Response times count from
    /// submission; a response of 100 ms or more is counted once more, each time shorter, for each I/O that was due
    /// meanwhile.
    Paced {
        /// Between two accesses of a stream.
        every: Duration,
    },
    /// At a rate, whether or not earlier ones have completed. An I/O that finds the queue full is sent late, and its
    /// response time counts from its intended submission.
    Open {
        /// I/Os a second, of each stream.
        per_second: f64,
        /// How they are spaced.
        arrivals: Arrivals,
    },
}

/// Spacing of an open stream's I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arrivals {
    /// Equal gaps.
    Even,
    /// Exponential gaps, as from many independent users.
    Poisson,
}

/// When a phase stops issuing; the first rule that applies. A phase ends when the I/Os then in flight have completed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "StopRule")]
pub struct Stop {
    /// After this many bytes in total.
    pub bytes: Option<Bytes>,
    /// After this many I/Os in total (excluding flushes).
    pub ios: Option<u64>,
    /// After each stream has made this many passes over its part of the span.
    pub passes: Option<u32>,
    /// After this time, checked as [`Stop::look`] says.
    pub time: Option<Duration>,
    /// When the time is checked.
    pub look: Look,
}

impl Stop {
    const NEVER: Stop = Stop {
        bytes: None,
        ios: None,
        passes: None,
        time: None,
        look: Look::Always,
    };

    /// After this many bytes alone.
    pub const fn after_bytes(bytes: Bytes) -> Stop {
        let bytes = Some(bytes);
        Stop {
            bytes,
            ..Stop::NEVER
        }
    }

    /// After this many I/Os alone.
    pub const fn after_ios(ios: u64) -> Stop {
        let ios = Some(ios);
        Stop { ios, ..Stop::NEVER }
    }

    /// After this many passes of each stream alone.
    pub const fn after_passes(passes: u32) -> Stop {
        let passes = Some(passes);
        Stop {
            passes,
            ..Stop::NEVER
        }
    }

    /// After this time alone, checked after each I/O.
    pub const fn after_time(time: Duration) -> Stop {
        let time = Some(time);
        Stop {
            time,
            ..Stop::NEVER
        }
    }
}

/// When a phase checks its time. A benchmark that checks only after a whole pass over the file measures longer than it
/// says; a faithful copy of it must do the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Look {
    /// After each I/O.
    #[default]
    Always,
    /// After every N I/Os of the phase.
    EveryIos(u32),
    /// After each whole pass of a stream over its span.
    EveryPass,
}

/// What a record contains in addition to its histograms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keep {
    /// Length of a point of the time series, at least 10 ms.
    pub series: Duration,
    /// Number of address bins over the first job's span, if any.
    pub bins: Option<u32>,
    /// The longest interval that a bin's band is made of; none where a sixteenth of a bin is always
    /// the interval, however long it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Duration>,
}

impl Default for Keep {
    fn default() -> Keep {
        Keep {
            series: Duration::from_secs(1),
            bins: None,
            interval: None,
        }
    }
}

impl Job {
    /// One stream of accesses of one size, aligned to that size, `depth` in flight.
    pub fn closed(name: &str, op: Op, order: Order, span: Span, size: Bytes, depth: u32) -> Job {
        Job {
            name: name.to_owned(),
            streams: 1,
            span,
            order,
            accesses: vec![Access {
                weight: 1,
                size,
                read_percent: if op == Op::Read { 100 } else { 0 },
                trims: op == Op::Trim,
            }],
            align: size,
            shift: Bytes::ZERO,
            fill: Fill::FRESH,
            pacing: Pacing::Closed {
                depth,
                think: Duration::ZERO,
                burst: 1,
            },
            flush_every: None,
            durable: false,
        }
    }

    /// Whether the job may write or trim.
    pub fn writes(&self) -> bool {
        self.accesses
            .iter()
            .any(|a| a.read_percent < 100 && a.weight > 0)
    }

    /// Whether the job may read.
    pub fn reads(&self) -> bool {
        self.accesses
            .iter()
            .any(|a| a.read_percent > 0 && a.weight > 0)
    }

    /// The largest access.
    pub fn largest(&self) -> Bytes {
        self.accesses
            .iter()
            .map(|a| a.size)
            .max()
            .unwrap_or(Bytes::ZERO)
    }

    /// I/Os that the job keeps in flight, over all its streams; an open job may have any number.
    pub fn depth(&self) -> u32 {
        match self.pacing {
            Pacing::Closed { depth, .. } => depth.saturating_mul(self.streams),
            Pacing::Paced { .. } => self.streams,
            Pacing::Open { .. } => u32::MAX,
        }
    }
}

impl Workload {
    /// One job until `stop`.
    pub fn single(job: Job, stop: Stop, seed: u64) -> Workload {
        Workload {
            jobs: vec![job],
            stop,
            keep: Keep::default(),
            flush_at_end: false,
            seed,
        }
    }

    /// Whether any job may write or trim.
    pub fn writes(&self) -> bool {
        self.jobs.iter().any(Job::writes)
    }

    /// Checks the workload against a target before anything is issued.
    ///
    /// # Errors
    /// What cannot run there, in words.
    pub fn check(&self, on: &Info) -> Result<(), Unrunnable> {
        if self.jobs.is_empty() {
            return Err(Unrunnable::NoJobs);
        }
        if self.keep.series < Duration::from_millis(10) {
            return Err(Unrunnable::SeriesTooFine {
                asked: self.keep.series,
            });
        }
        let s = &self.stop;
        if s.bytes.is_none() && s.ios.is_none() && s.passes.is_none() && s.time.is_none() {
            return Err(Unrunnable::Endless);
        }
        self.jobs.iter().try_for_each(|job| check_job(job, on))
    }
}

fn check_job(job: &Job, on: &Info) -> Result<(), Unrunnable> {
    let name = || job.name.clone();
    let total_weight: u64 = job.accesses.iter().map(|a| u64::from(a.weight)).sum();
    if total_weight == 0 || total_weight > u64::from(u32::MAX) || job.streams == 0 {
        return Err(Unrunnable::NoAccesses { job: name() });
    }
    if job.accesses.iter().any(|a| a.read_percent > 100) {
        return Err(Unrunnable::Percent { job: name() });
    }
    if job.writes() && !on.writable {
        return Err(Unrunnable::ReadOnly { job: name() });
    }
    let unaligned = |b: Bytes| !b.is_multiple_of(on.block);
    let sizes_bad = job
        .accesses
        .iter()
        .any(|a| a.size.is_zero() || unaligned(a.size));
    if sizes_bad
        || job.align.is_zero()
        || unaligned(job.align)
        || unaligned(job.shift)
        || unaligned(job.span.start)
    {
        return Err(Unrunnable::Unaligned {
            job: name(),
            block: on.block,
        });
    }
    if job.shift >= job.align && !job.shift.is_zero() {
        return Err(Unrunnable::Shift { job: name() });
    }
    let end = job.span.start.get().checked_add(job.span.len.get());
    if end.is_none_or(|end| end > on.capacity.get()) {
        return Err(Unrunnable::Outside {
            job: name(),
            span: job.span,
            capacity: on.capacity,
        });
    }
    let parts = if job.order == Order::Sequential {
        u64::from(job.streams)
    } else {
        1
    };
    if job.largest() + job.shift > Bytes::new(job.span.len.get() / parts) {
        return Err(Unrunnable::TooSmall {
            job: name(),
            span: job.span.len,
            needs: job.largest() * parts,
        });
    }
    check_order(job, on)?;
    check_pacing(job)
}

fn check_order(job: &Job, on: &Info) -> Result<(), Unrunnable> {
    let good = match job.order {
        Order::Sequential | Order::Random => true,
        Order::RandomOnce => job.accesses.len() == 1,
        Order::Partly { random_percent } => random_percent <= 100,
        Order::Zipf { theta } => (0.0..1.0).contains(&theta),
        Order::HotSpot {
            span_percent,
            access_percent,
        } => (1..=99).contains(&span_percent) && access_percent <= 100,
        Order::ByAccess { own } => {
            let good = |own: &OwnOrder| {
                let whole_blocks = !own.align.is_zero() && own.align.is_multiple_of(on.block);
                own.random_percent <= 100 && whole_blocks
            };
            let count = job.accesses.len();
            count <= MOST_OWN && own[..count].iter().all(good)
        }
        Order::Recorded => false,
    };
    if good {
        Ok(())
    } else {
        Err(Unrunnable::Order {
            job: job.name.clone(),
        })
    }
}

fn check_pacing(job: &Job) -> Result<(), Unrunnable> {
    let good = match job.pacing {
        Pacing::Closed { depth, burst, .. } => depth > 0 && burst > 0,
        Pacing::Paced { every } => !every.is_zero(),
        Pacing::Open { per_second, .. } => per_second > 0.0 && per_second <= 1e9,
    };
    if good {
        Ok(())
    } else {
        Err(Unrunnable::Pacing {
            job: job.name.clone(),
        })
    }
}

/// Why a workload cannot run on a target.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unrunnable {
    /// No job at all.
    #[error("the workload has no job")]
    NoJobs,
    /// No rule that ends it.
    #[error("the workload has no end: set bytes, I/Os, passes or a time")]
    Endless,
    /// Series points below 10 ms.
    #[error("a time series with {asked} per point is too fine: the minimum is 10 ms")]
    SeriesTooFine {
        /// The requested value.
        asked: Duration,
    },
    /// No access has a weight, or there are no streams.
    #[error("job '{job}' has no I/Os")]
    NoAccesses {
        /// The job's name.
        job: String,
    },
    /// A share of reads above 100 per cent.
    #[error("job '{job}' has more than 100 % reads")]
    Percent {
        /// The job's name.
        job: String,
    },
    /// It writes, and the target does not take writes.
    #[error("job '{job}' writes, but the target was opened for reading")]
    ReadOnly {
        /// The job's name.
        job: String,
    },
    /// Sizes, alignment or start are no whole blocks.
    #[error(
        "job '{job}': sizes and offsets must be multiples of the target's block size of {block}"
    )]
    Unaligned {
        /// The job's name.
        job: String,
        /// The target's block.
        block: Bytes,
    },
    /// A shift of a whole alignment or more.
    #[error("job '{job}': the misalignment must be smaller than the alignment")]
    Shift {
        /// The job's name.
        job: String,
    },
    /// The span ends after the target.
    #[error("job '{job}' extends to {}, but the target ends at {capacity}", span.end())]
    Outside {
        /// The job's name.
        job: String,
        /// Where it wanted to work.
        span: Span,
        /// Where the target ends.
        capacity: Bytes,
    },
    /// The span holds not even one access (of each stream).
    #[error("job '{job}': a span of {span} is too small; at least {needs} is needed")]
    TooSmall {
        /// The job's name.
        job: String,
        /// The span's length.
        span: Bytes,
        /// What it would have to be.
        needs: Bytes,
    },
    /// The order's parameters, or random-once with several sizes.
    #[error(
        "job '{job}': invalid order (theta from 0 to below 1, hot spot 1 to 99 %, random-once with one size, partly random 0 to 100 %, separate orders in whole blocks)"
    )]
    Order {
        /// The job's name.
        job: String,
    },
    /// Depth, burst or rate out of range.
    #[error(
        "job '{job}': depth and burst must be at least 1, a pace above 0, a rate above 0 and at most 1e9 per second"
    )]
    Pacing {
        /// The job's name.
        job: String,
    },
}
