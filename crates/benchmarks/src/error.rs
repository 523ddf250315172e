//! Why a benchmark of drivelab itself failed.

use accuracy::error::AccuracyError;
use lab::LabError;

/// Why a benchmark failed.
#[derive(Debug, thiserror::Error)]
pub enum BenchmarkError {
    /// What any run may fail with.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// The models could not be held against the published figures.
    #[error(transparent)]
    Accuracy(#[from] AccuracyError),
    /// A benchmark's own.
    #[error("{0}")]
    Failed(String),
}

impl BenchmarkError {
    /// The exit code: 2 where the user asked for something that cannot be, 1 where it failed.
    pub fn exit_code(&self) -> u8 {
        match self {
            BenchmarkError::Lab(error) => error.exit_code(),
            BenchmarkError::Accuracy(error) => error.exit_code(),
            BenchmarkError::Failed(_) => 1,
        }
    }
}

/// What a run may fail with, too.
macro_rules! as_of_the_lab {
    ($($error:ty),*) => {
        $(impl From<$error> for BenchmarkError {
            fn from(error: $error) -> BenchmarkError {
                BenchmarkError::Lab(error.into())
            }
        })*
    };
}

as_of_the_lab!(store::StoreError, sim::catalogue::CatalogueError);
