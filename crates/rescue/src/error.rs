//! Why a copy of a failing drive is refused, or ends early.

use std::path::Path;

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
    /// A rescue that ended before its end; what has arrived is kept.
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

    /// The exit code: 2 where the user asked for something that cannot be, 1 where it failed.
    pub fn exit_code(&self) -> u8 {
        match self {
            RescueError::Lab(error) => error.exit_code(),
            RescueError::Refused(_) => 2,
            RescueError::Ended(_) => 1,
        }
    }
}

/// What a run may fail with, too.
macro_rules! as_of_the_lab {
    ($($error:ty),*) => {
        $(impl From<$error> for RescueError {
            fn from(error: $error) -> RescueError {
                RescueError::Lab(error.into())
            }
        })*
    };
}

as_of_the_lab!(
    lab::grammar::BadName,
    inspect::InspectError,
    inspect::DestroyError
);
