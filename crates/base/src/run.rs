//! The run loop: issues the I/Os of a phase to a target and records the results.
//!
//! One loop (`flight`) runs every phase, on a ring as on a modelled drive, from any source of I/Os: the streams of a
//! workload (`streams`), the steps of a script (`script`), a trace (`traced`), or the jobs of another program's file,
//! which bring their own [`Source`] ([`Jobs`]).

use crate::record::{AddressBins, Ended, JobRecord, Pauses, PhaseRecord};
use crate::script::Script;
use crate::size::Bytes;
use crate::target::{Info, Target};
use crate::time::{Duration, Instant};
use crate::trace::BadTrace;
use crate::workload::{Look, Unrunnable, Workload};

mod flight;
mod lane;
mod rules;
mod script;
mod streams;
mod traced;
mod watching;

pub use flight::{Flight, Slot, Source};
use streams::Streams;
pub use traced::{Replay, ReplayPace};
use watching::Looks;
pub use watching::{Live, Unwatched, Verdict, Watcher};

/// What a phase issues.
pub enum PhaseInput<'a> {
    /// The streams of a workload, or a part of them.
    Streams(&'a Workload, Part),
    /// The steps of a script, each when those that it waits for are complete.
    Script(&'a Script),
    /// The I/Os of a trace, taken as they are needed.
    Trace(&'a Replay, crate::trace::Source<'a>),
}

impl PhaseInput<'_> {
    /// What is stored with the record: the workload, or what represents it.
    pub fn workload(&self) -> Workload {
        match self {
            PhaseInput::Streams(work, _) => (*work).clone(),
            PhaseInput::Script(script) => script.workload(),
            PhaseInput::Trace(replay, _) => replay.workload.clone(),
        }
    }

    /// Whether it can run on a target. Of a trace each I/O is checked when it is taken.
    ///
    /// # Errors
    /// [`Unrunnable`] where it cannot.
    pub fn check(&self, on: &Info) -> Result<(), Unrunnable> {
        match self {
            PhaseInput::Streams(work, _) => work.check(on),
            PhaseInput::Script(script) => script.check(on),
            PhaseInput::Trace(..) => Ok(()),
        }
    }
}

/// Jobs in another program's language, which each begin and end for themselves: what to do, never on what.
pub trait Jobs: Sync {
    /// The requirements for opening and checking the target: queue depth, largest I/O, and range of the jobs, or of one
    /// ring's share of them.
    fn workload(&self, share: Option<Share>) -> Workload;

    /// On how many rings, `most` at most, they may run side by side and give the same phases.
    fn shares(&self, most: u32) -> u32;

    /// Runs them, or one ring's share, in the run loop until all have ended, the watcher stops them or the drive is
    /// lost; returns the record of them together.
    ///
    /// # Errors
    /// Why they do not fit the target, before anything was issued.
    fn run(
        &self,
        share: Option<Share>,
        target: &mut dyn Target,
        watcher: &mut dyn Watcher,
    ) -> Result<PhaseRecord, String>;

    /// The record of all of them together, divided into those of the parts that are phases of their own.
    fn phases(&self, whole: PhaseRecord) -> Vec<PhaseRecord>;
}

/// Why a phase did not run, or not to its end.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NotRun {
    /// It cannot run on this target.
    #[error(transparent)]
    Unrunnable(#[from] Unrunnable),
    /// A line of a trace makes no sense.
    #[error(transparent)]
    Trace(#[from] BadTrace),
}

/// Runs one phase: from nothing in flight until drained (and flushed, if the workload requests it).
///
/// # Errors
/// [`NotRun`] if it cannot run on this target, before anything is issued; if a trace turns out not to fit, or one of
/// its lines is malformed, after the I/Os in flight have completed.
pub fn run_phase<T: Target + ?Sized>(
    target: &mut T,
    name: &str,
    input: PhaseInput<'_>,
    watcher: &mut dyn Watcher,
) -> Result<PhaseRecord, NotRun> {
    match input {
        PhaseInput::Streams(work, part) => Ok(run_part(target, name, work, part, watcher)?),
        PhaseInput::Script(script) => {
            script.check(&target.info())?;
            Ok(script::run(target, name, script, watcher))
        }
        PhaseInput::Trace(replay, mut trace) => {
            traced::run(target, name, replay, &mut trace, watcher)
        }
    }
}

/// Runs the streams of a workload.
///
/// # Errors
/// [`Unrunnable`] before anything was issued, where the workload cannot run on this target.
pub fn run<T: Target + ?Sized>(
    target: &mut T,
    name: &str,
    work: &Workload,
    watcher: &mut dyn Watcher,
) -> Result<PhaseRecord, Unrunnable> {
    run_part(target, name, work, Part::default(), watcher)
}

/// A part of a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Where a single sequential stream resumes: the remainder of an interrupted scan.
    pub from: Option<Bytes>,
    /// Only one of every N streams runs here, the others on other rings.
    pub share: Option<Share>,
}

/// One ring's share of a phase's streams: those whose number leaves `index` when divided by `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// This ring, from 0.
    pub index: u32,
    /// Number of rings.
    pub of: u32,
}

impl Share {
    /// Whether a stream, by its number among all, runs on this ring.
    pub fn has(self, stream: usize) -> bool {
        stream % self.of.max(1) as usize == self.index as usize
    }
}

/// On how many rings, `most` at most, the streams of a workload may run side by side and give the
/// same phase: one, unless it is one job of several streams that time alone ends.
pub fn shares_of(work: &Workload, most: u32) -> u32 {
    let stop = &work.stop;
    let time_alone = stop.time.is_some()
        && stop.look == Look::Always
        && stop.bytes.is_none()
        && stop.ios.is_none()
        && stop.passes.is_none();
    match work.jobs.as_slice() {
        [job] if time_alone && work.keep.bins.is_none() => job.streams.min(most).max(1),
        _ => 1,
    }
}

/// As [`run`], for a part of the phase.
///
/// # Errors
/// As [`run`].
pub fn run_part<T: Target + ?Sized>(
    target: &mut T,
    name: &str,
    work: &Workload,
    part: Part,
    watcher: &mut dyn Watcher,
) -> Result<PhaseRecord, Unrunnable> {
    let info = target.info();
    work.check(&info)?;
    let record = new_record(name, work, target.now(), info.block);
    let mut streams = Streams::new(work, part, &info, record.began);
    let depth = streams.depth(work, &info);
    let mut flight = Flight::new(record, depth);
    streams.start(work, depth, flight.began);
    flight.go(target, &mut streams, watcher);
    Ok(flight.record)
}

impl Part {
    fn has(&self, stream: u32) -> bool {
        self.share.is_none_or(|share| share.has(stream as usize))
    }
}

/// The record of a phase that begins: a record for each job of its workload.
pub fn new_record(name: &str, work: &Workload, began: Instant, block: Bytes) -> PhaseRecord {
    let jobs = work.jobs.iter().enumerate().map(|(j, job)| {
        let bins = work
            .keep
            .bins
            .filter(|_| j == 0)
            .map(|n| AddressBins::new(job.span, n, block).within(work.keep.interval));
        JobRecord::new(&job.name, work.keep.series, bins)
    });
    PhaseRecord {
        name: name.to_owned(),
        workload: work.clone(),
        began,
        took: Duration::ZERO,
        ended: Ended::Running,
        jobs: jobs.collect(),
        done_below: None,
        pauses: Pauses::default(),
        script: None,
        traced: None,
    }
}

#[cfg(test)]
mod tests;
