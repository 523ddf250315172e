//! All that a method sees: a target behind phases.
//!
//! A method is a plain function over a [`Bench`]: it has no clock and does not know whether the
//! drive is real or modelled, unless its card says that it asks ([`Bench::model`]). **Resume is running it again**: phases that are already complete are
//! answered from the store, so a method must ask for the same phases in the same order every time.

use crate::exit::Exit;
use crate::health::Health;
use crate::input::{BadInput, Reader};
use crate::record::PhaseRecord;
use crate::run::{Jobs, Part, PhaseInput, Replay};
use crate::script::Script;
use crate::target::Info;
use crate::time::Duration;
use crate::trace::Source;
use crate::workload::{Unrunnable, Workload};
use crate::zone::Zoned;

/// A target as a method sees it.
pub trait Bench {
    /// What the target says of itself.
    fn info(&self) -> Info;

    /// What all that can be addressed is called in a figure's conditions: a file that is read from end to end is not a
    /// drive that is, but so many bytes of one, as are the first bytes of another drive.
    fn whole(&self) -> String {
        "whole surface".to_owned()
    }

    /// Runs what a phase issues from nothing in flight until drained, and keeps its record under `name`, which is
    /// unique in the run.
    ///
    /// # Errors
    /// [`Stopped`] where the run cannot continue; what was measured is kept.
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

    /// Replays a trace as a phase under the replay's name. The trace is taken as it is needed, a few thousand I/Os
    /// ahead.
    ///
    /// # Errors
    /// As [`Bench::run_phase`].
    fn replay(&mut self, replay: &Replay, trace: Source<'_>) -> Result<&PhaseRecord, Stopped> {
        self.run_phase(&replay.name, PhaseInput::Trace(replay, trace))
    }

    /// Runs the jobs of another program's file, and keeps a record for each that is a phase of its own. They are not
    /// resumed: a run that was interrupted has what was measured until then.
    ///
    /// # Errors
    /// As [`Bench::run_phase`].
    fn jobs(&mut self, jobs: &mut dyn Jobs) -> Result<(), Stopped> {
        let _ = jobs;
        Err(Stopped::Failed("no jobs are run here".to_owned()))
    }

    /// The file that a setting of [`crate::method::Kind::File`] names, from its beginning.
    ///
    /// # Errors
    /// [`Stopped::Input`] where it cannot be opened, or is no longer the one that was looked at.
    fn input(&mut self, key: &str) -> Result<Reader, Stopped> {
        Err(Stopped::Failed(format!("no file is at hand for {key}")))
    }

    /// Leaves the target alone for `time`.
    ///
    /// # Errors
    /// [`Stopped`] where the run cannot go on.
    fn idle(&mut self, name: &str, time: Duration) -> Result<(), Stopped>;

    /// Where test files can lie: a directory, or the host of a modelled drive. Nothing for a bare
    /// drive or a file of the user's.
    fn files(&mut self) -> Option<&mut dyn Files> {
        None
    }

    /// What zones the target has; nothing for one that is written anywhere.
    fn zoned(&mut self) -> Option<&mut dyn Zoned> {
        None
    }

    /// What only a modelled drive can do; `None` for a real one, and for a method whose card does not say that it asks
    /// ([`crate::method::OnModels`]): such a method cannot tell one from the other.
    fn model(&mut self) -> Option<&mut dyn ModelledDrive> {
        None
    }
}

/// A drive whose truth is known, and to which anything can be done.
pub trait ModelledDrive {
    /// What it says of its health now.
    fn health(&mut self) -> Option<Health>;

    /// From here on, what labelled writes left is checked by labelled reads ([`crate::label`]), as a real drive's always
    /// is: the drive, which keeps no bytes, is made again, in the state that the run found it in, with a record of its
    /// contents. False where nothing can be checked.
    ///
    /// # Errors
    /// [`Stopped::Failed`] where it cannot be made again.
    fn keep_contents(&mut self) -> Result<bool, Stopped>;

    /// Its power fails and comes back, between two phases. False where it knows of no power.
    fn power_cut(&mut self) -> bool;

    /// Switches it on anew, in the state that the run found it in but for this: `celsius` given, it is switched on
    /// now and is so cold; else long ago, and warm. False for one that is the same cold and warm.
    ///
    /// # Errors
    /// [`Stopped::Failed`] where it cannot be made again.
    fn switch_on(&mut self, celsius: Option<i32>) -> Result<bool, Stopped>;
}

/// Test files on file systems: of a modelled host, or the one that a directory is on.
pub trait Files {
    /// The file systems that there are, the plainest first: `fat32`, `ntfs`, `ext4`.
    fn systems(&self) -> Vec<String>;

    /// From here on, phases run in a test file on one of them. A modelled drive is then in the state
    /// that the run found it in, whatever was written before; a directory has its one file system,
    /// and its drive is used as it is.
    ///
    /// # Errors
    /// [`Stopped::Failed`] for a name that [`Files::systems`] does not give, or where no test file can
    /// be made.
    fn on(&mut self, system: &str) -> Result<(), Stopped>;
}

/// Why a run ended before its method did.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Stopped {
    /// The user (or a signal) asked for it.
    #[error("interrupted")]
    Interrupted,
    /// The drive is no longer there.
    #[error(
        "the drive went away during phase '{phase}' ({how}); what was measured until then is kept"
    )]
    Gone {
        /// The phase it happened in.
        phase: String,
        /// How it shows: the error of the I/O that found out, and what the system says of the drive.
        how: String,
    },
    /// The way to the drive broke; the drive itself may be well.
    #[error(
        "the path to the drive failed during phase '{phase}' ({why}); what was measured until then is kept"
    )]
    Broken {
        /// The phase it happened in.
        phase: String,
        /// What broke, and the system's answer.
        why: String,
    },
    /// A phase cannot run on this target.
    #[error("phase '{phase}' cannot run here: {why}")]
    Unrunnable {
        phase: String,
        /// Why not.
        why: Unrunnable,
    },
    /// A file that a setting names.
    #[error(transparent)]
    Input(#[from] BadInput),
    /// The target could not be opened for a phase.
    #[error("{0}")]
    Failed(String),
    /// The result could not be kept.
    #[error("{0}")]
    Store(String),
}

impl Stopped {
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
