//! The record of a phase: every I/O is timed, and memory use does not grow with the length of the run.
//!
//! For each job: a latency histogram per operation ([`Latencies`]), a time series ([`Series`]), for scans a series by
//! address ([`AddressBins`]), the individual worst I/Os ([`Worst`]), and the errors; for scripts that ask for it, every
//! I/O by itself ([`Trail`]). Records of the same workload merge
//! exactly: a resumed scan, or streams on several rings, give the same histogram as an uninterrupted run.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::io::{Io, Op};
use crate::label::{Difference, Differs, EILSEQ};
use crate::size::{Bytes, Rate};
use crate::target::Outcome;
use crate::time::{Duration, Instant};
use crate::workload::Workload;
use crate::zone::ZoneError;

mod bins;
mod latencies;
mod series;
mod stalls;
mod trail;
mod worst;

pub use crate::pauses::{LATE, OWN_PAUSE, Observer, OwnPause, Pauses, WakeUps};
pub use bins::{AddressBin, AddressBins};
pub use latencies::Latencies;
pub use series::{Cell, Point, Series};
pub use stalls::{STALL, Stall, Stalls};
pub use trail::{Trail, TrailIo};
pub use worst::{WORST_KEPT, Worst, WorstIo};

/// A drive's answer to an unsupported command.
const EOPNOTSUPP: i32 = 95;

/// Number of errors kept individually; all are counted.
const ERRORS_KEPT: usize = 1_000;

/// What came of one phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseRecord {
    /// The phase's name, unique in its run.
    pub name: String,
    /// What was issued.
    pub workload: Workload,
    /// When it began, on the target's clock; a real target's starts anew with each phase.
    pub began: Instant,
    /// Time from the first submission until everything was drained (and flushed, if requested), excluding time in which
    /// the program itself was stopped.
    pub took: Duration,
    /// Why it ended.
    pub ended: Ended,
    /// A record for each job, in the workload's order.
    pub jobs: Vec<JobRecord>,
    /// For one sequential stream: everything below this address is done. What a resumed scan resumes
    /// from; without meaning once the phase is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done_below: Option<Bytes>,
    /// When the program that measured stood still itself, and how much of the phase is left out for that; absent of
    /// a modelled drive.
    #[serde(default, skip_serializing_if = "Pauses::is_empty")]
    pub pauses: Pauses,
    /// For a script, where I/Os wait for others: the fields that only scripts have. Its `workload` represents the
    /// script, with a digest of all steps as its seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<ScriptRecord>,
    /// For a replayed trace: the fidelity of the replay. Its `workload` represents the trace, with a digest of all I/Os
    /// and their times as its seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traced: Option<TraceRecord>,
}

/// How faithful the replay of a trace was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceRecord {
    /// I/Os that were sent, flushes included.
    pub sent: u64,
    /// How late each was sent relative to its time in the trace; empty if the trace's timing was not kept.
    #[serde(default, skip_serializing_if = "Latencies::is_empty")]
    pub late: Latencies,
    /// Those that were sent more than 1 ms late.
    pub late_over_1ms: u64,
    /// Those that were held back until an I/O was complete that had been complete in the trace.
    pub held_back: u64,
    /// Most I/Os in flight at once.
    pub most_in_flight: u32,
}

/// Results of a script in addition to its I/Os.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScriptRecord {
    /// Number of steps, the host's own work included.
    pub steps: u64,
    /// Sum of the host's work and think times.
    pub host: Duration,
    /// Time with at least one I/O in flight.
    pub busy: Duration,
    /// When the marked steps were complete, from the beginning of the phase, in order of completion.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Duration>,
    /// Its single I/Os, where they are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trail: Option<Trail>,
    /// True where its time was over before its steps were: the rest was not sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub out_of_time: bool,
}

/// Why a phase ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "PhaseEnd")]
pub enum Ended {
    /// It is still running.
    Running,
    /// Its workload's rule applied.
    Complete,
    /// A stop was requested.
    Interrupted,
    /// The device went away, found out by an I/O that failed with this error number.
    Gone(i32),
    /// The path to the device failed, with this error number: the device itself may be fine.
    Broken(i32),
}

impl Ended {
    /// How an I/O's outcome ends its phase, where it does.
    pub const fn by(outcome: Outcome) -> Option<Ended> {
        match outcome {
            Outcome::Failed(errno) if outcome.is_gone() => Some(Ended::Gone(errno)),
            Outcome::Broken(errno) => Some(Ended::Broken(errno)),
            _ => None,
        }
    }

    /// Whether the drive, or the path to it, was lost.
    pub const fn is_loss(self) -> bool {
        matches!(self, Ended::Gone(_) | Ended::Broken(_))
    }
}

/// What came of one job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobRecord {
    /// The job's name.
    pub name: String,
    /// Reads, writes, trims and flushes, in this order (`Op as usize`).
    pub ops: [OpRecord; 4],
    /// Over time. Beyond 4,096 points neighbours are joined and the interval doubles.
    pub series: Series,
    /// By address, if the workload requested it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bins: Option<AddressBins>,
    /// The worst I/Os by response time, worst first, at most 100.
    pub worst: Worst,
    /// Periods of 100 ms or more without a completion although something was in flight (or due).
    #[serde(default, skip_serializing_if = "Stalls::is_empty")]
    pub stalls: Stalls,
    /// What failed.
    pub errors: Errors,
}

/// What came of one job's reads, or writes, trims, flushes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpRecord {
    /// I/Os that were completed whole.
    pub ios: u64,
    /// Bytes that they moved.
    pub bytes: Bytes,
    /// Time from handing over to completion.
    pub service: Latencies,
    /// In an open loop, time from the intended send to completion; empty in a closed one, where it
    /// would be the same. Of a job's flushes, time from the sending of the first write that they make
    /// durable.
    #[serde(default, skip_serializing_if = "Latencies::is_empty")]
    pub response: Latencies,
}

impl OpRecord {
    /// What a user waits: response times where there are any, else service times.
    pub fn felt(&self) -> &Latencies {
        if self.response.is_empty() {
            &self.service
        } else {
            &self.response
        }
    }
}

/// I/Os that failed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "IoErrors")]
pub struct Errors {
    /// How many.
    pub count: u64,
    /// The first of them, up to 1,000.
    pub first: Vec<IoError>,
    /// Sectors that labelled reads found different from what was written, by the first difference of their read; empty
    /// if there are none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub differing: BTreeMap<Difference, u64>,
    /// Reads that had such sectors; they are among [`Errors::count`].
    #[serde(default, skip_serializing_if = "is_none")]
    pub differing_reads: u64,
    /// Latency of I/Os that failed or moved less than they should, from submission to completion; a read that returned
    /// complete but wrong data took normal time, and is not included.
    #[serde(default, skip_serializing_if = "Latencies::is_empty")]
    pub times: Latencies,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_none(count: &u64) -> bool {
    *count == 0
}

impl Errors {
    #[cold]
    fn keep(&mut self, error: IoError) {
        self.count += 1;
        match error.differs {
            None => self.times.keep(error.after),
            Some(differs) => {
                self.differing_reads += 1;
                *self.differing.entry(differs.kind).or_default() += u64::from(differs.sectors);
            }
        }
        if self.first.len() < ERRORS_KEPT {
            self.first.push(error);
        }
    }

    /// Of those kept individually; the others precede them in scan order.
    fn forget_from(&mut self, address: Bytes) {
        if self.first.iter().all(|error| error.offset < address) {
            return;
        }
        let all = std::mem::take(self);
        let unlisted = all.count.saturating_sub(all.first.len() as u64);
        for error in all.first.iter().filter(|error| error.offset < address) {
            self.keep(*error);
        }
        self.count = self.count.saturating_add(unlisted);
    }

    /// Adds the numbers of another record of the same job.
    fn add(&mut self, other: &Errors) {
        self.count = self.count.saturating_add(other.count);
        self.differing_reads = self.differing_reads.saturating_add(other.differing_reads);
        self.times.merge(&other.times);
        for (kind, sectors) in &other.differing {
            let all = self.differing.entry(*kind).or_default();
            *all = all.saturating_add(*sectors);
        }
    }
}

/// One failed I/O.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IoError {
    /// The request.
    pub op: Op,
    /// First byte.
    pub offset: Bytes,
    /// Number of bytes.
    pub len: Bytes,
    /// The error number; 0 if fewer bytes were moved than requested.
    pub errno: i32,
    /// Bytes moved all the same.
    pub moved: Bytes,
    /// If a labelled read moved all bytes but they were wrong: how they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differs: Option<Differs>,
    /// How long it took to fail.
    pub after: Duration,
    /// When it failed, from the beginning of the phase.
    pub at: Duration,
}

impl IoError {
    fn of(done: &Completion) -> IoError {
        let (errno, moved, differs) = match done.outcome {
            Outcome::Complete => (0, done.io.len, None),
            Outcome::Short(moved) => (0, moved, None),
            Outcome::Differs(differs) => (EILSEQ, done.io.len, Some(differs)),
            Outcome::Failed(errno) | Outcome::Broken(errno) => (errno, Bytes::ZERO, None),
        };
        IoError {
            op: done.io.op,
            offset: done.io.offset,
            len: done.io.len,
            errno,
            moved,
            differs,
            after: done.service,
            at: done.at,
        }
    }
}

/// One completed I/O, as the run loop hands it to the recorder.
#[derive(Clone, Copy, Debug)]
pub struct Completion {
    /// The request.
    pub io: Io,
    /// Since the beginning of the phase.
    pub at: Duration,
    /// From handing over to completion.
    pub service: Duration,
    /// From the intended send, in an open loop.
    pub response: Option<Duration>,
    /// How it ended.
    pub outcome: Outcome,
    /// Reads that were in flight when it was sent.
    pub beside_reads: u16,
    /// Writes, trims and flushes that were in flight when it was sent.
    pub beside_writes: u16,
}

impl JobRecord {
    /// Whether all that failed was refused, and rightly: of a drive that has no trim, a trim that was refused is no
    /// failure, and neither is the opening of one zone more than a drive holds open.
    pub fn only_refused(&self) -> bool {
        let answers = [
            EOPNOTSUPP,
            ZoneError::TooManyOpen.errno(),
            ZoneError::TooManyActive.errno(),
        ];
        let refused = |error: &IoError| error.op == Op::Trim && answers.contains(&error.errno);
        let errors = &self.errors;
        // Those behind the ones that are kept are of the same kind where the job did nothing else.
        let all_are_kept = errors.count == errors.first.len() as u64;
        let did_nothing_else = self.ops.iter().all(|op| op.ios == 0);
        errors.count > 0 && errors.first.iter().all(refused) && (all_are_kept || did_nothing_else)
    }

    /// An empty record, with series points of this length.
    pub fn new(name: &str, series: Duration, bins: Option<AddressBins>) -> JobRecord {
        JobRecord {
            name: name.to_owned(),
            ops: Default::default(),
            series: Series::new(series),
            bins,
            worst: Worst::default(),
            stalls: Stalls::default(),
            errors: Errors::default(),
        }
    }

    /// Keeps one completion.
    // Inlined, the completion never exists as a whole in memory: building and reloading it would take
    // as long as all the rest.
    #[inline(always)]
    pub fn keep(&mut self, done: &Completion) {
        self.stalls
            .keep(done.at, done.response.unwrap_or(done.service));
        if done.outcome != Outcome::Complete {
            return self.errors.keep(IoError::of(done));
        }
        let op = &mut self.ops[done.io.op as usize];
        op.ios += 1;
        op.bytes += done.io.len;
        op.service.keep(done.service);
        let felt = match done.response {
            None => done.service,
            Some(response) => {
                op.response.keep(response);
                response
            }
        };
        self.series.keep(done.at, done.io.op, done.io.len, felt);
        if let Some(bins) = &mut self.bins {
            bins.keep(done.io.offset, done.io.len, done.at, done.service);
        }
        if felt > self.worst.threshold() {
            self.worst.keep(WorstIo::of(done, felt));
        }
    }

    /// Counts the bytes of an I/O of whose time at least `ours` was the program's and not the drive's: it is in no
    /// latency distribution.
    pub(crate) fn keep_without_time(&mut self, done: &Completion, ours: Duration) {
        self.stalls
            .keep(done.at, done.response.unwrap_or(done.service));
        if done.outcome != Outcome::Complete {
            return self.errors.keep(IoError::of(done));
        }
        let op = &mut self.ops[done.io.op as usize];
        op.ios += 1;
        op.bytes += done.io.len;
        let rest = |time: Duration| time.saturating_sub(ours);
        let felt = rest(done.response.unwrap_or(done.service));
        self.series.keep(done.at, done.io.op, done.io.len, felt);
        if let Some(bins) = &mut self.bins {
            let service = rest(done.service);
            bins.keep(done.io.offset, done.io.len, done.at, service);
        }
    }

    /// The program itself stood still between two moments of the phase.
    pub(crate) fn stood_still(&mut self, from: Duration, until: Duration) {
        self.stalls.leave_out(from, until);
        if let Some(bins) = &mut self.bins {
            bins.leave_out(until.saturating_sub(from), until);
        }
    }

    /// Nothing more will come: the worst I/Os are put in order.
    pub fn settle(&mut self) {
        self.worst.settle();
        self.stalls.settle();
    }

    /// Merges another record of the same job, except for its stalls; `later` is how much later its phase began.
    fn merge(&mut self, other: &JobRecord, later: Duration) {
        for (mine, theirs) in self.ops.iter_mut().zip(&other.ops) {
            mine.ios = mine.ios.saturating_add(theirs.ios);
            mine.bytes = mine.bytes.saturating_add(theirs.bytes);
            mine.service.merge(&theirs.service);
            mine.response.merge(&theirs.response);
        }
        self.series.merge(&other.series, later);
        match (&mut self.bins, &other.bins) {
            (Some(mine), Some(theirs)) => mine.merge(theirs),
            (mine @ None, Some(theirs)) => *mine = Some(theirs.clone()),
            _ => {}
        }
        self.worst.merge(&other.worst, later);
        self.errors.add(&other.errors);
        let room = ERRORS_KEPT - self.errors.first.len().min(ERRORS_KEPT);
        self.errors
            .first
            .extend(other.errors.first.iter().take(room).map(|e| IoError {
                at: e.at.saturating_add(later),
                ..*e
            }));
    }

    /// I/Os completed, of all operations but flushes.
    pub fn ios(&self) -> u64 {
        sum(self.ops[..3].iter().map(|op| op.ios))
    }
}

/// The sum, or the most that can be named: what a store holds need not have been counted.
fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

/// What the names of a method's phases begin with in its later repeats, before the repeat's number.
pub const REPEAT: &str = "repeat ";

impl PhaseRecord {
    /// Whether a method calls it so, whatever its run puts before the name: a repeat's number, a file system.
    pub fn is_called(&self, name: &str) -> bool {
        let before = self.name.strip_suffix(name);
        before.is_some_and(|before| before.is_empty() || before.ends_with(": "))
    }

    /// The first job's record: most phases have one job.
    pub fn job(&self) -> &JobRecord {
        // A workload without jobs does not pass its check.
        &self.jobs[0]
    }

    /// The reads, writes, trims or flushes of all jobs together.
    pub fn of(&self, op: Op) -> OpRecord {
        let mut all = OpRecord::default();
        for job in &self.jobs {
            let one = &job.ops[op as usize];
            all.ios = all.ios.saturating_add(one.ios);
            all.bytes = all.bytes.saturating_add(one.bytes);
            all.service.merge(&one.service);
            all.response.merge(&one.response);
        }
        all
    }

    /// I/Os completed by all jobs, flushes not counted.
    pub fn ios(&self) -> u64 {
        sum(self.jobs.iter().map(JobRecord::ios))
    }

    /// Bytes moved by all jobs' reads and writes.
    pub fn bytes(&self) -> Bytes {
        let moved = self.jobs.iter().flat_map(|j| &j.ops[..2]);
        Bytes::new(sum(moved.map(|op| op.bytes.get())))
    }

    /// I/Os that failed, and labelled reads that found something else than they looked for.
    pub fn errors(&self) -> u64 {
        sum(self.jobs.iter().map(|j| j.errors.count))
    }

    /// Labelled reads that moved all of their bytes and found something else than they looked for.
    pub fn differing_reads(&self) -> u64 {
        sum(self.jobs.iter().map(|j| j.errors.differing_reads))
    }

    /// I/Os that failed, or moved less than they should have: [`PhaseRecord::errors`] without the reads
    /// that only found something else.
    pub fn failed(&self) -> u64 {
        self.errors().saturating_sub(self.differing_reads())
    }

    /// How long the I/Os that failed took.
    #[cfg(test)]
    pub fn failed_times(&self) -> Latencies {
        let mut all = Latencies::default();
        self.jobs
            .iter()
            .for_each(|job| all.merge(&job.errors.times));
        all
    }

    /// Whether I/Os completed and all of them failed: nothing was measured.
    pub fn all_failed(&self) -> bool {
        let whole = |job: &JobRecord| job.ops.iter().any(|op| op.ios > 0);
        self.failed() > 0 && self.differing_reads() == 0 && !self.jobs.iter().any(whole)
    }

    /// Bytes moved by the whole time of the phase, draining and flush included; nothing where no I/O
    /// was completed: a drive that failed all of them was not slow.
    pub fn rate(&self) -> Option<Rate> {
        let bytes = (self.ios() > 0).then(|| self.bytes())?;
        Rate::of(bytes, self.took)
    }

    /// I/Os a second over the whole time of the phase; nothing where none was completed.
    pub fn iops(&self) -> Option<f64> {
        let ios = self.ios();
        (ios > 0 && !self.took.is_zero()).then(|| ios as f64 / self.took.as_secs_f64())
    }

    /// Adds another ring's share of the same phase, run at the same time.
    pub fn merge_share(&mut self, other: &PhaseRecord) {
        for (mine, theirs) in self.jobs.iter_mut().zip(&other.jobs) {
            mine.merge(theirs, Duration::ZERO);
            mine.stalls.beside(&theirs.stalls);
        }
        self.took = self.took.max(other.took);
        self.pauses.beside(&other.pauses);
        if self.ended == Ended::Complete {
            self.ended = other.ended;
        }
    }

    /// Removes the errors at and after the address at which a scan resumes: they recur if the medium caused them rather
    /// than the loss of the drive.
    pub fn forget_errors_from(&mut self, address: Bytes) {
        for job in &mut self.jobs {
            job.errors.forget_from(address);
        }
    }

    /// Adds the remainder of the same phase, run later: used by a resumed scan.
    pub fn append(&mut self, rest: &PhaseRecord) {
        let later = self.took.saturating_add(self.pauses.on_the_clock());
        for (mine, theirs) in self.jobs.iter_mut().zip(&rest.jobs) {
            mine.merge(theirs, later);
            mine.stalls.append(&theirs.stalls, later);
        }
        self.took = self.took.saturating_add(rest.took);
        self.pauses.append(&rest.pauses);
        self.ended = rest.ended;
        self.done_below = rest.done_below;
    }
}
