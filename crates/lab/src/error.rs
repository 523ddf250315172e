//! Errors, as one line for people: what happened, where, what to do.

use std::path::PathBuf;

use base::exit::Exit;
use base::method::BadSetting;
use base::{Bytes, Interrupt, Stopped};
use inspect::DestroyError;
use results::RunResult;
use store::StoreError;
use targets::error::{TargetError, did_you_mean};

/// What a run may fail with, too, for an error that a [`LabError`] becomes.
#[macro_export]
macro_rules! as_of_the_lab {
    ($becomes:ty: $($error:ty),*) => {
        $(impl From<$error> for $becomes {
            fn from(error: $error) -> $becomes {
                $crate::LabError::from(error).into()
            }
        })*
    };
}

/// What a target may fail with, too.
macro_rules! as_of_a_target {
    ($($error:ty),*) => {
        $(impl From<$error> for LabError {
            fn from(error: $error) -> LabError {
                TargetError::from(error).into()
            }
        })*
    };
}

as_of_a_target!(
    targets::grammar::BadName,
    inspect::InspectError,
    DestroyError,
    sim::catalogue::CatalogueError
);

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The target cannot be opened.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A setting of a method.
    #[error(transparent)]
    Setting(#[from] BadSetting),
    /// A file that a setting names.
    #[error(transparent)]
    Input(#[from] base::input::BadInput),
    /// A file that an interrupted run read has another content now.
    #[error("run {id} cannot be resumed: the content of {key}={path} has changed since")]
    AnotherInput {
        /// The run.
        id: i64,
        key: String,
        path: String,
    },
    /// No such method.
    #[error("there is no method '{id}'{}; `drivelab methods` lists them", did_you_mean(.nearest))]
    NoMethod {
        id: String,
        /// What may have been meant.
        nearest: Vec<String>,
    },
    /// The method would ruin a real drive.
    #[error(
        "{method} wears a drive out, and is never run on a real one: use a modelled drive instead of {target}, such as model:samsung-840-evo-750gb"
    )]
    ModelsOnly { method: String, target: String },
    /// The method requires flash, and the target is a hard disk.
    #[error("{method} does not apply to hard disks, and {target} is one: {why}{known}")]
    MeansNothing {
        method: String,
        target: String,
        /// The reasons, for people.
        why: &'static str,
        /// How that is known, and what to do where it is wrong; nothing of a modelled one.
        known: String,
    },
    /// The method writes zones in order, and the target has none.
    #[error("{method} needs a zoned drive, and {target} has no zones")]
    NotZoned { method: String, target: String },
    /// The target has zones that have to be written in order, and the method writes where it likes.
    #[error(
        "{method} is refused on {target}, whose {zones} zones must be written sequentially: the method writes at arbitrary positions and resets no zone. Read-only methods (or --set ops=read, if a method has it) work, and the methods zones and full-scan can write"
    )]
    ZonesInOrder {
        method: String,
        target: String,
        /// How many it has.
        zones: u64,
    },
    /// The target holds less than the method needs.
    #[error(
        "{target} has {has}, but {method} needs {needs}: choose smaller sizes with --set, or another target"
    )]
    TooSmall {
        target: String,
        method: String,
        /// How much there is.
        has: Bytes,
        /// How much is needed.
        needs: Bytes,
    },
    /// A line that describes no point.
    #[error("'{line}' is no point: {why}")]
    NoPoint {
        /// How it begins.
        line: String,
        why: String,
    },
    /// A point that another machine cannot make.
    #[error(
        "{file} is a file of this machine, which a worker elsewhere may not have: use a drive of the catalogue with its keys set (model:NAME?ssd.nand.dies=32), or run the sweep here"
    )]
    PointNamesAFile { file: String },
    /// A point of another version, whose models may be others.
    #[error(
        "the point is one of drivelab {is}, and this is {here}: install the same version on all machines"
    )]
    PointOfAnotherVersion {
        is: String,
        /// The version of this program.
        here: &'static str,
    },
    /// What a worker elsewhere said.
    #[error("{0}")]
    Elsewhere(String),
    /// An access that does not consist of the target's blocks.
    #[error(
        "'{key}={value}' is invalid here: it must be a multiple of the target's block size of {block}"
    )]
    NotWholeBlocks {
        key: String,
        /// What was given.
        value: String,
        /// The target's block.
        block: Bytes,
    },
    /// The run ended early.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The run ended early and cannot be resumed: what was measured until then is its result.
    #[error("{}", early(.why, .result))]
    Early {
        why: Stopped,
        /// What was measured until then.
        result: Box<RunResult>,
    },
    /// Jobs of another program's file are not resumed.
    #[error(
        "run {id} cannot be resumed: the jobs of {method} always start over; run the command again"
    )]
    BeginsAnew {
        /// The run.
        id: i64,
        method: String,
    },
    /// The run ended early; what it measured is stored.
    #[error("{}", ended(.why, *.id, *.resumable))]
    Ended {
        why: Stopped,
        /// The run's number.
        id: i64,
        /// True if it can be resumed.
        resumable: bool,
        /// What was measured until then.
        result: Box<RunResult>,
    },
    /// The run ended early, and there is no store that keeps what it measured.
    #[error("{why}")]
    Unkept {
        why: Stopped,
        /// What was measured until then.
        result: Box<RunResult>,
    },
    /// The run has its result, and the store does not take it.
    #[error("{}", not_stored(.why, *.id, *.resumable))]
    NotStored {
        /// The store's error.
        why: Box<StoreError>,
        /// The run's number.
        id: i64,
        /// True if it can be resumed with the stored phases.
        resumable: bool,
        result: Box<RunResult>,
    },
    /// The name of an interrupted run's target leads to another one now.
    #[error("{what} cannot be resumed: it was on {was}, and {target} is now {is}")]
    AnotherTarget {
        /// The run or the plan.
        what: String,
        /// The target's name.
        target: String,
        was: String,
        /// What is there now.
        is: String,
    },
    /// The drive of an interrupted run or plan is missing or ambiguous.
    #[error("{what} cannot be resumed: {why}")]
    TargetNotFound {
        /// The run or the plan.
        what: String,
        /// The reason, and what it was.
        why: inspect::NotFound,
    },
    /// The result store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A stored document that this version cannot read.
    #[error(
        "run {id}: its stored {what} cannot be read ({why}); it was made by another version of drivelab"
    )]
    Document {
        /// The run.
        id: i64,
        /// Which document.
        what: &'static str,
        /// Why not.
        why: String,
    },
    /// Reading or writing a file of ours.
    #[error("{}: {source}", path.display())]
    File {
        path: PathBuf,
        source: std::io::Error,
    },
}

/// The last line of a run that ended early and cannot be resumed.
fn early(why: &Stopped, result: &RunResult) -> String {
    match (why, result.id) {
        (Stopped::Gone { .. } | Stopped::Broken { .. }, 0) => {
            format!("{why} in the result that is shown")
        }
        (Stopped::Gone { .. } | Stopped::Broken { .. }, id) => format!("{why} as result {id}"),
        (_, 0) => why.to_string(),
        (_, id) => format!("{why}; what was measured until then is result {id}"),
    }
}

/// The last line of a run that ended early. The message about a lost drive already says what is kept.
fn ended(why: &Stopped, id: i64, resumable: bool) -> String {
    match why {
        Stopped::Gone { .. } if resumable => {
            format!(
                "{why} as run {id}: continue with `drivelab resume {id}` when the drive is back"
            )
        }
        Stopped::Broken { .. } if resumable => {
            format!("{why} as run {id}: continue with `drivelab resume {id}`")
        }
        Stopped::Gone { .. } | Stopped::Broken { .. } => format!("{why} as run {id}"),
        _ if resumable => {
            format!("{why}; run {id} keeps what was measured: continue with `drivelab resume {id}`")
        }
        _ => format!("{why}; start over with `drivelab resume {id}`"),
    }
}

fn not_stored(why: &StoreError, id: i64, resumable: bool) -> String {
    let goes_on = if resumable {
        format!("; continue after the stored phases with `drivelab resume {id}`")
    } else {
        String::new()
    };
    format!("this result is shown and not stored: {why}{goes_on}")
}

impl LabError {
    /// Ends what is done once an interrupt is wanted.
    ///
    /// # Errors
    /// Then.
    pub fn not_interrupted(interrupt: &Interrupt) -> Result<(), LabError> {
        match interrupt.wanted() {
            true => Err(LabError::Stopped(Stopped::Interrupted)),
            false => Ok(()),
        }
    }

    /// What the command ends with.
    pub fn exit(&self) -> Exit {
        match self {
            LabError::Target(why) => why.exit(),
            LabError::Setting(_)
            | LabError::Input(_)
            | LabError::AnotherInput { .. }
            | LabError::BeginsAnew { .. }
            | LabError::NoMethod { .. }
            | LabError::ModelsOnly { .. }
            | LabError::MeansNothing { .. }
            | LabError::NotZoned { .. }
            | LabError::ZonesInOrder { .. }
            | LabError::TooSmall { .. }
            | LabError::NotWholeBlocks { .. }
            | LabError::NoPoint { .. }
            | LabError::PointNamesAFile { .. }
            | LabError::PointOfAnotherVersion { .. } => Exit::Invalid,
            LabError::Store(why) => why.exit(),
            LabError::Stopped(why)
            | LabError::Early { why, .. }
            | LabError::Ended { why, .. }
            | LabError::Unkept { why, .. } => why.exit(),
            LabError::NotStored { .. }
            | LabError::AnotherTarget { .. }
            | LabError::TargetNotFound { .. }
            | LabError::Document { .. }
            | LabError::Elsewhere(_)
            | LabError::File { .. } => Exit::Failed,
        }
    }

    /// What was measured before it, where that is anything: the phases until an interrupt, or the whole result that the
    /// store did not take.
    pub fn into_measured(self) -> Option<RunResult> {
        match self {
            LabError::Early { result, .. }
            | LabError::Ended { result, .. }
            | LabError::Unkept { result, .. }
            | LabError::NotStored { result, .. } => Some(*result),
            _ => None,
        }
    }

    /// The reasons for which a drive is not overwritten, one each; empty where it is something else that failed.
    pub fn reasons(&self) -> Vec<String> {
        match self {
            LabError::Target(TargetError::Destroy(DestroyError::Refused { reasons, .. })) => {
                reasons.iter().map(ToString::to_string).collect()
            }
            _ => Vec::new(),
        }
    }
}
