//! Executes a phase on any drive: streams, a script or a trace; real or modelled; recorded or not.
//!
//! The number of rings for a real drive is chosen here ([`rings`]). A trace is read in a separate thread while a real
//! drive is measured: reading and parsing lines between submissions would make them late. The thread is at most a few
//! thousand I/Os ahead; a modelled drive's clock does not advance meanwhile, so it needs none.

use std::sync::mpsc::sync_channel;

use base::run::{Jobs, NotRun, PhaseInput, Watcher, run_phase};
use base::trace::{BadTrace, Source, Traced};
use base::{PhaseRecord, Stopped, Target, Workload};

use crate::recording::{Recorded, Recorder};
use targets::Drive;

mod rings;

pub(crate) use rings::{Beside, Others};

/// I/Os of a trace that are handed over at once, and such batches ahead.
const BATCH: usize = 1_024;
const BATCHES: usize = 8;

/// A phase before it is executed.
pub(crate) struct Phase<'a> {
    pub(crate) name: &'a str,
    /// Its source of I/Os, or what represents it in the record.
    pub(crate) work: &'a Workload,
    pub(crate) input: PhaseInput<'a>,
}

/// Executes a phase; `others` hear of the interrupt, and count, where it takes several rings.
///
/// # Errors
/// If the drive cannot be opened, an I/O does not fit, or a trace has changed.
pub(crate) fn execute(
    drive: &mut Drive,
    phase: Phase<'_>,
    watcher: &mut dyn Watcher,
    recorder: Option<&mut Recorder>,
    others: Others<'_>,
) -> Result<PhaseRecord, Stopped> {
    match (drive, phase.input, recorder) {
        (Drive::Real(real), PhaseInput::Streams(work, part), None) => {
            rings::run(real, phase.name, work, part, watcher, others)
        }
        (Drive::Real(real), input, recorder) => {
            let opened = real.target_for(phase.work);
            let mut target = opened.map_err(|why| Stopped::Failed(why.to_string()))?;
            on_target(target.as_mut(), phase.name, input, watcher, recorder, true)
        }
        (Drive::Model(model), input, recorder) => {
            on_target(model.as_mut(), phase.name, input, watcher, recorder, false)
        }
    }
}

/// Runs the jobs of another program's file on a drive.
///
/// # Errors
/// Where the drive cannot be opened.
pub(crate) fn execute_jobs(
    drive: &mut Drive,
    jobs: &dyn Jobs,
    watcher: &mut dyn Watcher,
    recorder: Option<&mut Recorder>,
    others: Others<'_>,
) -> Result<Vec<PhaseRecord>, Stopped> {
    let whole = match (drive, recorder) {
        (Drive::Real(real), None) => Ok(rings::run_jobs(real, jobs, watcher, others)?),
        (Drive::Real(real), Some(recorder)) => {
            let opened = real.target_for(&jobs.workload(None));
            let mut target = opened.map_err(|why| Stopped::Failed(why.to_string()))?;
            let mut recorded = Recorded::new(target.as_mut(), recorder);
            jobs.run(None, &mut recorded, watcher)
        }
        (Drive::Model(model), None) => jobs.run(None, model.as_mut(), watcher),
        (Drive::Model(model), Some(recorder)) => {
            let mut recorded = Recorded::new(model.as_mut(), recorder);
            jobs.run(None, &mut recorded, watcher)
        }
    };
    Ok(jobs.phases(whole.map_err(Stopped::Failed)?))
}

fn on_target(
    target: &mut dyn Target,
    name: &str,
    input: PhaseInput<'_>,
    watcher: &mut dyn Watcher,
    recorder: Option<&mut Recorder>,
    real: bool,
) -> Result<PhaseRecord, Stopped> {
    match recorder {
        None => run_on(target, name, input, watcher, real),
        Some(recorder) => run_on(
            &mut Recorded::new(target, recorder),
            name,
            input,
            watcher,
            real,
        ),
    }
}

fn run_on(
    target: &mut dyn Target,
    name: &str,
    input: PhaseInput<'_>,
    watcher: &mut dyn Watcher,
    real: bool,
) -> Result<PhaseRecord, Stopped> {
    let ran = match input {
        PhaseInput::Trace(replay, trace) if real => read_beside(trace, |trace| {
            run_phase(target, name, PhaseInput::Trace(replay, trace), watcher)
        }),
        input => run_phase(target, name, input, watcher),
    };
    ran.map_err(|why| stopped(name, why))
}

/// Why a phase that did not run ends the method.
fn stopped(name: &str, why: NotRun) -> Stopped {
    match why {
        NotRun::Unrunnable(why) => Stopped::Unrunnable {
            phase: name.to_owned(),
            why,
        },
        NotRun::Trace(bad) => Stopped::Failed(format!(
            "the trace was changed while it was replayed: {bad}"
        )),
    }
}

type Taken = Result<Traced, BadTrace>;

/// Gives `then` a trace that is read in another thread.
fn read_beside<R>(trace: Source<'_>, then: impl FnOnce(Source<'_>) -> R) -> R {
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel::<Vec<Taken>>(BATCHES);
        scope.spawn(move || {
            let mut trace = trace;
            loop {
                let batch: Vec<Taken> = trace.by_ref().take(BATCH).collect();
                if batch.is_empty() || sender.send(batch).is_err() {
                    return;
                }
            }
        });
        then(Box::new(receiver.into_iter().flatten()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::io::Io;
    use base::size::Bytes;
    use base::trace::Moment;

    #[test]
    fn a_trace_read_beside_is_the_same_and_nobody_waits_for_the_rest_of_it() {
        let traced = |line| Traced {
            sent: Moment {
                line,
                ..Moment::default()
            },
            done: None,
            io: Io::read(Bytes::ZERO, Bytes::SECTOR),
            device: 0,
            late: false,
        };
        let source = || -> Source<'static> { Box::new((0..50_000).map(move |n| Ok(traced(n)))) };
        let lines = read_beside(source(), |trace| {
            trace.map(|t| t.unwrap().sent.line).collect::<Vec<_>>()
        });
        assert_eq!(lines, (0..50_000).collect::<Vec<_>>());
        // The reader ends when nobody takes any more.
        assert!(read_beside(source(), |mut trace| trace.next().is_some()));
    }
}
