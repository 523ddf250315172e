//! Why models cannot be held against the published or the measured world.

use base::exit::Exit;
use lab::LabError;
use results::reproduction::FactId;
use targets::error::did_you_mean;

/// A selection that selects nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NothingSelected {
    /// No row runs the drive.
    #[error("no row for the drive '{asked}'{}", did_you_mean(nearest))]
    Drive {
        asked: String,
        /// Drives that rows are about.
        nearest: Vec<String>,
    },
    /// No document begins so.
    #[error("no document begins with '{asked}'; available: {}", all.join(", "))]
    Document {
        asked: String,
        /// The documents.
        all: Vec<String>,
    },
    /// No row is for the figure.
    #[error("no row for the figure '{0}'; ids are F001, F002 ...")]
    Figure(FactId),
    /// No drives are drawn of the family.
    #[error("no family '{asked}'; available: {}", all.join(", "))]
    Family {
        asked: String,
        /// The families.
        all: Vec<String>,
    },
    /// Each exists, but no row has all of it.
    #[error("no row matches all filters")]
    Both,
}

/// Why a comparison or a fit failed.
#[derive(Debug, thiserror::Error)]
pub enum AccuracyError {
    /// What any run may fail with.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// The published figures.
    #[error(transparent)]
    Facts(#[from] crate::reference::BadFacts),
    /// The row tables.
    #[error(transparent)]
    Table(#[from] crate::experiments::BadTable),
    /// A drive that cannot be fitted.
    #[error("{0}")]
    Calibrate(String),
    /// A table of questions that cannot be read.
    #[error("the table of questions: {0}")]
    Questions(String),
    /// The table of expected findings, or a row of it that cannot be run.
    #[error("the expected findings: {0}")]
    Expected(String),
    /// Two drives whose difference cannot be looked into.
    #[error(transparent)]
    Cause(crate::cause::CauseError),
    /// A change of the modelled drives that changes none of them.
    #[error(transparent)]
    Change(#[from] crate::ablation::BadChange),
    /// Not the name of a published figure.
    #[error(
        "'{0}' is not a figure: they are named F001, F002 ... (`drivelab develop reproduce` lists them)"
    )]
    NotPublished(String),
    /// No row is selected.
    #[error(transparent)]
    NothingSelected(#[from] NothingSelected),
}

impl From<crate::cause::CauseError> for AccuracyError {
    fn from(error: crate::cause::CauseError) -> AccuracyError {
        match error {
            crate::cause::CauseError::Lab(error) => error.into(),
            error => AccuracyError::Cause(error),
        }
    }
}

lab::as_of_the_lab!(AccuracyError: sim::catalogue::CatalogueError, targets::TargetError, targets::grammar::BadName);

impl AccuracyError {
    /// What the command ends with.
    pub fn exit(&self) -> Exit {
        match self {
            AccuracyError::Lab(error) => error.exit(),
            AccuracyError::Facts(_) | AccuracyError::Table(_) => Exit::Failed,
            AccuracyError::Calibrate(_)
            | AccuracyError::Questions(_)
            | AccuracyError::Expected(_)
            | AccuracyError::Cause(_)
            | AccuracyError::Change(_)
            | AccuracyError::NotPublished(_)
            | AccuracyError::NothingSelected(_) => Exit::Invalid,
        }
    }
}
