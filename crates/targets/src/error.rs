//! Why a target cannot be opened, as one line for people: what happened, where, what to do.

use std::path::PathBuf;

use base::exit::Exit;
use inspect::{DestroyError, InspectError};
use sim::catalogue::CatalogueError;
use sim::ssd::parameters::DriveError;
use uring::open::OpenError;
use uring::testfile::TestFileError;

use crate::grammar::BadName;

/// Why a target cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// The name cannot be read.
    #[error(transparent)]
    Name(#[from] BadName),
    #[error("target {target}: {what}")]
    Option {
        target: String,
        /// What is wrong with it, and what to write.
        what: String,
    },
    /// A drive of the catalogue, or its data.
    #[error(transparent)]
    Catalogue(CatalogueError),
    /// Somebody did not want to wait until it was built.
    #[error("interrupted")]
    Interrupted,
    /// What it is could not be found out.
    #[error(transparent)]
    Inspect(InspectError),
    /// Nothing has the name, but a drive of the catalogue.
    #[error(
        "{name}: there is no such device, file or directory; the modelled drive is model:{name}"
    )]
    ModelMeant { name: String },
    /// A test file could not be made.
    #[error(transparent)]
    TestFile(#[from] TestFileError),
    /// A device may not be written.
    #[error(transparent)]
    Destroy(#[from] DestroyError),
    /// It could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A method writes, and it was not allowed.
    #[error(
        "{method} would overwrite data on {target}: add --destroy-data and --confirm with {token}"
    )]
    WouldDestroy {
        method: String,
        target: String,
        /// What has to be typed, in words.
        token: String,
    },
    /// The confirmation of a user's own file does not match.
    #[error("'{typed}' does not confirm overwriting {}: type its path as you named it", path.display())]
    NotConfirmed { path: PathBuf, typed: String },
    /// Nobody has confirmed yet what would be overwritten.
    #[error("{target} would be overwritten: add --confirm with {token}")]
    Unconfirmed {
        target: String,
        /// What confirms it, in words.
        token: String,
    },
}

impl From<InspectError> for TargetError {
    fn from(error: InspectError) -> TargetError {
        let name = match &error {
            InspectError::NotFound { path } => path.to_str(),
            _ => None,
        };
        match name.filter(|name| sim::catalogue::describe(name).is_ok()) {
            Some(name) => TargetError::ModelMeant {
                name: name.to_owned(),
            },
            None => TargetError::Inspect(error),
        }
    }
}

impl From<CatalogueError> for TargetError {
    fn from(error: CatalogueError) -> TargetError {
        match error {
            CatalogueError::Drive(DriveError::Halted(_)) => TargetError::Interrupted,
            other => TargetError::Catalogue(other),
        }
    }
}

impl TargetError {
    /// What the command ends with.
    pub fn exit(&self) -> Exit {
        match self {
            TargetError::Name(_)
            | TargetError::Option { .. }
            | TargetError::Catalogue(_)
            | TargetError::ModelMeant { .. }
            | TargetError::WouldDestroy { .. }
            | TargetError::NotConfirmed { .. }
            | TargetError::Unconfirmed { .. } => Exit::Invalid,
            TargetError::Interrupted => Exit::Interrupted,
            TargetError::Inspect(_) | TargetError::TestFile(_) => Exit::Failed,
            TargetError::Destroy(why) => why.exit(),
            TargetError::Open(why) => why.exit(),
        }
    }
}

/// `; did you mean a or b?`, or nothing.
pub fn did_you_mean(nearest: &[String]) -> String {
    if nearest.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", nearest.join(" or "))
    }
}
