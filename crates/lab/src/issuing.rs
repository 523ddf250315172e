//! Issuing what a phase consists of: a workload, a script or a trace, on one target, recorded or not.
//!
//! A trace is read in a thread of its own while a real drive is measured: reading and parsing lines beside
//! the run loop would make its sends late. The thread is a few thousand I/Os ahead and no more; a modelled
//! drive's clock stands still meanwhile, so it needs none.

use std::sync::mpsc::sync_channel;

use base::bench::Stopped;
use base::record::PhaseRecord;
use base::run::{NotReplayed, Part, Replay, Watcher, run_part, run_script, run_traced};
use base::script::Script;
use base::target::Target;
use base::trace::{BadTrace, Source, Traced};
use base::workload::{Unrunnable, Workload};

use crate::opening::Drive;
use crate::recording::{Recorded, Recorder};

/// I/Os of a trace that are handed over at once, and such batches ahead.
const BATCH: usize = 1_024;
const BATCHES: usize = 8;

/// What a phase issues, where its workload alone does not say it.
pub(crate) enum Steps<'a> {
    /// The workload says it.
    Workload,
    /// A script's steps.
    Script(&'a Script),
    /// A trace.
    Replay(&'a Replay, Source<'a>),
}

/// A phase before it is issued.
pub(crate) struct Phase<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// What it issues, or what stands for it.
    pub(crate) work: &'a Workload,
    /// Where it goes on.
    pub(crate) part: Part,
    /// What it issues.
    pub(crate) steps: Steps<'a>,
}

/// Issues a phase on one target.
///
/// # Errors
/// Where the drive cannot be opened, an I/O does not fit, or a trace is no longer what it was.
pub(crate) fn issue(
    drive: &mut Drive,
    phase: Phase<'_>,
    watcher: &mut dyn Watcher,
    recorder: Option<&mut Recorder>,
) -> Result<PhaseRecord, Stopped> {
    match drive {
        Drive::Real(real) => {
            let opened = real.target_for(phase.work);
            let mut target = opened.map_err(|why| Stopped::Failed(why.to_string()))?;
            on_target(target.as_mut(), phase, watcher, recorder, true)
        }
        Drive::Model(model) => on_target(model.as_mut(), phase, watcher, recorder, false),
    }
}

fn on_target(
    target: &mut dyn Target,
    phase: Phase<'_>,
    watcher: &mut dyn Watcher,
    recorder: Option<&mut Recorder>,
    real: bool,
) -> Result<PhaseRecord, Stopped> {
    match recorder {
        None => issue_on(target, phase, watcher, real),
        Some(recorder) => issue_on(&mut Recorded::new(target, recorder), phase, watcher, real),
    }
}

fn issue_on(
    target: &mut dyn Target,
    phase: Phase<'_>,
    watcher: &mut dyn Watcher,
    real: bool,
) -> Result<PhaseRecord, Stopped> {
    let unrunnable = |why: Unrunnable| Stopped::Unrunnable {
        phase: phase.name.to_owned(),
        why,
    };
    match phase.steps {
        Steps::Workload => {
            run_part(target, phase.name, phase.work, phase.part, watcher).map_err(unrunnable)
        }
        Steps::Script(script) => {
            run_script(target, phase.name, script, watcher).map_err(unrunnable)
        }
        Steps::Replay(replay, mut trace) => {
            let played = if real {
                read_beside(trace, |trace| run_traced(target, replay, trace, watcher))
            } else {
                run_traced(target, replay, &mut trace, watcher)
            };
            played.map_err(|why| match why {
                NotReplayed::Unrunnable(why) => unrunnable(why),
                NotReplayed::Trace(bad) => Stopped::Failed(format!(
                    "the trace was changed while it was replayed: {bad}"
                )),
            })
        }
    }
}

type Taken = Result<Traced, BadTrace>;

/// Gives `then` a trace that is read in another thread.
fn read_beside<R>(trace: Source<'_>, then: impl FnOnce(&mut dyn Iterator<Item = Taken>) -> R) -> R {
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
        then(&mut receiver.into_iter().flatten())
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
        };
        let source = || -> Source<'static> { Box::new((0..50_000).map(move |n| Ok(traced(n)))) };
        let lines = read_beside(source(), |trace| {
            trace.map(|t| t.unwrap().sent.line).collect::<Vec<_>>()
        });
        assert_eq!(lines, (0..50_000).collect::<Vec<_>>());
        // The reader ends when nobody takes any more.
        assert!(read_beside(source(), |trace| trace.next().is_some()));
    }
}
