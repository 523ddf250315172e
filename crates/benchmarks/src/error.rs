//! Why a benchmark of drivelab itself failed.

use accuracy::error::AccuracyError;
use base::exit::Exit;
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
    /// What the command ends with.
    pub fn exit(&self) -> Exit {
        match self {
            BenchmarkError::Lab(error) => error.exit(),
            BenchmarkError::Accuracy(error) => error.exit(),
            BenchmarkError::Failed(_) => Exit::Failed,
        }
    }
}

lab::as_of_the_lab!(BenchmarkError: store::StoreError, sim::catalogue::CatalogueError, targets::TargetError);
