//! A method's view of a target: a bench that runs phases.
//!
//! A method is a plain function over a [`Bench`]: it has no clock and does not know whether the drive is real or
//! modelled, unless its card declares that it needs to ([`Bench::model`]). **Resuming is running it again**: phases
//! that are already complete are returned from the store, so a method must request the same phases in the same order
//! every time.

use crate::exit::Exit;
use crate::health::Health;
use crate::input::{BadInput, Reader};
use crate::message::{Argument, Message};
use crate::record::PhaseRecord;
use crate::result::MethodOutput;
use crate::run::{Jobs, Part, PhaseInput, Replay};
use crate::script::Script;
use crate::target::Info;
use crate::time::Duration;
use crate::trace::Source;
use crate::workload::{Unrunnable, Workload};
use crate::zone::Zoned;

/// A target as a method sees it.
pub trait Bench {
    /// Properties of the target.
    fn info(&self) -> Info;

    /// The name of the full range in a figure's conditions: reading a whole file is not reading a whole drive, but only
    /// part of one.
    fn whole(&self) -> Message {
        Message::of("span-whole")
    }

    /// Whether labelled reads are checked against what labelled writes left ([`crate::label`]): always on a real drive;
    /// a modelled one stores no bytes unless it was told to.
    fn checks_labels(&self) -> bool {
        true
    }

    /// Runs a phase, with nothing in flight before and after it, and keeps its record under `name`, which is unique in
    /// the run.
    ///
    /// # Errors
    /// [`Stopped`] if the run cannot continue; what was measured is kept.
    fn run_phase(&mut self, name: &str, input: PhaseInput<'_>) -> Result<&PhaseRecord, Stopped>;

    /// Runs the streams of a workload as a phase.
    ///
    /// # Errors
    /// As [`Bench::run_phase`].
    fn phase(&mut self, name: &str, work: &Workload) -> Result<&PhaseRecord, Stopped> {
        self.run_phase(name, PhaseInput::Streams(work, Part::default()))
    }

    /// Plays a script as a phase, until every step is complete.
    ///
    /// # Errors
    /// As [`Bench::run_phase`].
    fn script(&mut self, name: &str, script: &Script) -> Result<&PhaseRecord, Stopped> {
        self.run_phase(name, PhaseInput::Script(script))
    }

    /// Replays a trace as a phase under the replay's name. The trace is read on demand, a few thousand I/Os ahead.
    ///
    /// # Errors
    /// As [`Bench::run_phase`].
    fn replay(&mut self, replay: &Replay, trace: Source<'_>) -> Result<&PhaseRecord, Stopped> {
        self.run_phase(&replay.name, PhaseInput::Trace(replay, trace))
    }

    /// Runs the jobs of another program's file, and keeps a separate phase record for each. They are not resumed: an
    /// interrupted run keeps what was measured so far.
    ///
    /// # Errors
    /// As [`Bench::run_phase`].
    fn jobs(&mut self, jobs: &dyn Jobs) -> Result<(), Stopped> {
        let _ = jobs;
        Err(Stopped::Failed("no jobs are run here".to_owned()))
    }

    /// The file that a setting of [`crate::method::Kind::File`] names, from its beginning.
    ///
    /// # Errors
    /// [`Stopped::Input`] if it cannot be opened, or has changed since it was surveyed.
    fn input(&mut self, key: &str) -> Result<Reader, Stopped> {
        Err(Stopped::Failed(format!("no file is at hand for {key}")))
    }

    /// Leaves the target alone for `time`.
    ///
    /// # Errors
    /// [`Stopped`] if the run cannot continue.
    fn idle(&mut self, name: &str, time: Duration) -> Result<(), Stopped>;

    /// All that a method of independent parts has found by now: a run that ends early keeps it.
    fn so_far(&mut self, output: &MethodOutput) {
        let _ = output;
    }

    /// Where test files can be created: a directory, or the host of a modelled drive. Empty for a bare drive or a
    /// user's file.
    fn files(&mut self) -> Option<&mut dyn Files> {
        None
    }

    /// The target's zones; empty for a conventional one.
    fn zoned(&mut self) -> Option<&mut dyn Zoned> {
        None
    }

    /// The drive's health now, where it can be asked: a modelled drive, or a whole real one through smartctl.
    fn health(&mut self) -> Option<Health> {
        None
    }

    /// Operations that only modelled drives support; `None` for a real one, and for a method whose card does not
    /// declare them ([`crate::method::OnModels`]): such a method cannot tell real from modelled.
    fn model(&mut self) -> Option<&mut dyn ModelledDrive> {
        None
    }
}

/// A drive whose truth is known, and to which anything can be done.
pub trait ModelledDrive {
    /// From here on, labelled reads check what labelled writes left ([`crate::label`]), as always on a real drive: the
    /// modelled drive, which stores no bytes, is rebuilt in the state in which the run found it, with a record of its
    /// contents. False if nothing can be checked.
    ///
    /// # Errors
    /// [`Stopped::Failed`] if it cannot be rebuilt.
    fn keep_contents(&mut self) -> Result<bool, Stopped>;

    /// Cuts and restores its power between two phases. False if it does not model power loss.
    fn power_cut(&mut self) -> bool;

    /// Powers it on again in the state in which the run found it: with `celsius`, it was just switched on at that
    /// temperature; otherwise long ago, and is warm. False for a drive that behaves the same cold and warm.
    ///
    /// # Errors
    /// [`Stopped::Failed`] if it cannot be rebuilt.
    fn switch_on(&mut self, celsius: Option<i32>) -> Result<bool, Stopped>;
}

/// Test files on file systems: those of a modelled host, or the one of a directory.
pub trait Files {
    /// The file systems that there are, the plainest first: `fat32`, `ntfs`, `ext4`.
    fn systems(&self) -> Vec<String>;

    /// From here on, phases run in a test file on one of them. A modelled drive is then in the state in which the run
    /// found it, whatever was written before; a directory has only its own file system, and its drive is used as it is.
    ///
    /// # Errors
    /// [`Stopped::Failed`] for a name that [`Files::systems`] does not give, or where no test file can
    /// be made.
    fn on(&mut self, system: &str) -> Result<(), Stopped>;
}

/// Why a run ended before its method did.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", self.said())]
pub enum Stopped {
    /// The user (or a signal) requested it.
    Interrupted,
    /// The drive is no longer there.
    Gone {
        /// The phase it happened in.
        phase: String,
        /// Evidence: the error of the I/O that detected it, and the system's view of the drive.
        how: String,
    },
    /// The path to the drive failed; the drive itself may be fine.
    Broken {
        /// The phase it happened in.
        phase: String,
        /// What failed, and the system's answer.
        why: String,
    },
    /// A phase cannot run on this target.
    Unrunnable {
        phase: String,
        /// Why not.
        why: Unrunnable,
    },
    /// A file that a setting names.
    Input(#[from] BadInput),
    /// The target could not be opened for a phase.
    Failed(String),
    /// The result could not be stored.
    Store(String),
}

impl Stopped {
    /// Why, as results and reports say it; what a system said stands as it is.
    pub fn said(&self) -> Message {
        let places = |phase: &String, why: String| {
            [
                ("phase", Argument::Phase(phase.clone())),
                ("why", why.into()),
            ]
        };
        match self {
            Stopped::Interrupted => Message::of("stopped-interrupted"),
            Stopped::Gone { phase, how } => {
                Message::new("stopped-gone", places(phase, how.clone()))
            }
            Stopped::Broken { phase, why } => {
                Message::new("stopped-broken", places(phase, why.clone()))
            }
            Stopped::Unrunnable { phase, why } => {
                Message::new("stopped-unrunnable", places(phase, why.to_string()))
            }
            Stopped::Input(bad) => Message::as_it_stands(bad.to_string()),
            Stopped::Failed(why) | Stopped::Store(why) => Message::as_it_stands(why),
        }
    }

    /// What the command ends with.
    pub fn exit(&self) -> Exit {
        match self {
            Stopped::Interrupted => Exit::Interrupted,
            Stopped::Gone { .. }
            | Stopped::Broken { .. }
            | Stopped::Unrunnable { .. }
            | Stopped::Input(_)
            | Stopped::Failed(_)
            | Stopped::Store(_) => Exit::Failed,
        }
    }
}
