//! Why a copy of a failing drive is refused, or ends early.

use std::path::Path;

use base::exit::Exit;
use lab::LabError;

/// Why a rescue failed.
#[derive(Debug, thiserror::Error)]
pub enum RescueError {
    /// What any command over a target may fail with.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// A rescue that cannot be, or that cannot resume.
    #[error("{0}")]
    Refused(String),
    /// A rescue that ended early; what was copied is kept.
    #[error("{0}")]
    Ended(String),
}

impl RescueError {
    /// Of reading or writing a file.
    pub(crate) fn of_file(path: &Path, source: std::io::Error) -> RescueError {
        RescueError::Lab(LabError::File {
            path: path.to_owned(),
            source,
        })
    }

    /// What the command ends with.
    pub fn exit(&self) -> Exit {
        match self {
            RescueError::Lab(error) => error.exit(),
            RescueError::Refused(_) => Exit::Invalid,
            RescueError::Ended(_) => Exit::Failed,
        }
    }
}

lab::as_of_the_lab!(RescueError: targets::grammar::BadName, targets::TargetError, inspect::InspectError, inspect::DestroyError);
