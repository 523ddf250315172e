//! Why a drive or a host cannot be opened, in words that name the file, the line or the option.

use crate::hdd::config::NoSuchDisk;
use crate::interface::NoSuchSlot;
use crate::layer::partition::NoPartition;
use crate::ssd::parameters::DriveError;

/// Why there is no such model.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// A name that nothing has.
    #[error("there is no {what} '{name}'{}", did_you_mean(nearest))]
    Unknown {
        /// Drive or host.
        what: &'static str,
        name: String,
        /// Names that may have been meant.
        nearest: Vec<String>,
    },
    /// A file that cannot be read.
    #[error("cannot read {path}: {cause}")]
    Unreadable {
        path: String,
        /// What the operating system said.
        cause: std::io::Error,
    },
    /// A file that says something which is not allowed.
    #[error("{file}, line {line}: {message}")]
    File {
        file: String,
        /// Which line, from 1 on.
        line: usize,
        /// What is wrong there.
        message: String,
    },
    /// Several things that are wrong with a file: a line each.
    #[error("{}", lines(.0))]
    Several(Vec<CatalogueError>),
    /// Something that cannot take the place of a value.
    #[error("{key} cannot be set: {message}")]
    Override {
        /// Which value.
        key: String,
        /// Why not.
        message: String,
    },
    /// A drive that cannot be built.
    #[error(transparent)]
    Drive(#[from] DriveError),
    /// A disk that cannot be built.
    #[error(transparent)]
    Disk(#[from] NoSuchDisk),
    /// A partition that does not fit.
    #[error(transparent)]
    Partition(#[from] NoPartition),
    /// An option that this drive does not have.
    #[error("this drive does not support {option}={value}; supported: {allowed}")]
    Option {
        option: &'static str,
        value: String,
        allowed: String,
    },
}

impl CatalogueError {
    /// Whether each value is allowed, and they make no drive together.
    pub fn is_of_a_combination(&self) -> bool {
        matches!(
            self,
            CatalogueError::Drive(_) | CatalogueError::Disk(_) | CatalogueError::Partition(_)
        )
    }
}

impl From<NoSuchSlot> for CatalogueError {
    fn from(refused: NoSuchSlot) -> CatalogueError {
        CatalogueError::Option {
            option: "link",
            value: refused.name,
            allowed: refused.allowed.to_owned(),
        }
    }
}

fn lines(errors: &[CatalogueError]) -> String {
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

pub(super) fn did_you_mean(nearest: &[String]) -> String {
    if nearest.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", nearest.join(" or "))
    }
}
