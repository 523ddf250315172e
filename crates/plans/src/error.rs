//! Why a plan, a review or a sweep is refused, or ends early.

use std::path::PathBuf;

use base::exit::Exit;
use lab::LabError;
use store::StoreError;

/// Why many runs failed.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// What any run may fail with.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// A mistake in a plan's file.
    #[error("{file}, line {line}: {message}")]
    File {
        file: String,
        /// From 1.
        line: usize,
        message: String,
    },
    /// The targets of a plan.
    #[error("{0}")]
    Targets(String),
    /// Steps of a plan that would be refused.
    #[error("{} would be refused:{}", steps(refused.len()), refused.iter().map(|line| format!("\n  {line}")).collect::<String>())]
    StepsRefused {
        /// A line for each: which, and why.
        refused: Vec<String>,
    },
    /// A plan was interrupted.
    #[error(
        "interrupted; plan {id} keeps what was measured ({done} of {steps} steps): continue with `drivelab resume plan-{id}`"
    )]
    Interrupted {
        id: i64,
        /// Steps that have their results.
        done: usize,
        steps: usize,
    },
    /// A plan that would be resumed in another folder.
    #[error("plan {id} was started in {} and has targets relative to it: resume it from there", directory.display())]
    BegunElsewhere { id: i64, directory: PathBuf },
    /// A stored plan that this version cannot read.
    #[error("plan {id} cannot be read ({why}); it was made by another version of drivelab")]
    Document { id: i64, why: String },
    /// What a sweep varies.
    #[error(transparent)]
    Grid(#[from] crate::grid::BadGrid),
    /// What a gate requires.
    #[error(transparent)]
    Gate(#[from] analysis::gate::GateError),
    /// A key of a sweep that nothing has.
    #[error(
        "--vary {key}: neither {method} nor the target has it{meant}; parameters of the drive file begin with ssd. or hdd. (`drivelab show` lists them)"
    )]
    NothingToVary {
        key: String,
        /// A suggestion, as printed.
        meant: String,
        method: String,
    },
    /// A figure that a method does not make.
    #[error("--figure {key}: {method} has no such figure{meant}; available: {there}")]
    NoFigure {
        key: String,
        /// A suggestion, as printed.
        meant: String,
        method: String,
        /// The keys of those that it makes.
        there: String,
    },
}

lab::as_of_the_lab!(PlanError: StoreError, base::method::BadSetting, targets::TargetError, targets::grammar::BadName);

fn steps(count: usize) -> String {
    match count {
        1 => "1 step".to_owned(),
        n => format!("{n} steps"),
    }
}

impl PlanError {
    /// What the command ends with.
    pub fn exit(&self) -> Exit {
        match self {
            PlanError::Lab(error) => error.exit(),
            PlanError::File { .. }
            | PlanError::Targets(_)
            | PlanError::StepsRefused { .. }
            | PlanError::Grid(_)
            | PlanError::Gate(_)
            | PlanError::NothingToVary { .. }
            | PlanError::NoFigure { .. } => Exit::Invalid,
            PlanError::Interrupted { .. } => Exit::Interrupted,
            PlanError::BegunElsewhere { .. } | PlanError::Document { .. } => Exit::Failed,
        }
    }
}
