//! Why a profile is refused, or a run has no result: one line for people.

use base::io::Op;
use base::size::Bytes;

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum DiskSpdError {
    #[error("{argument}: {what}")]
    Argument {
        /// As it was given.
        argument: String,
        /// What is wrong, and what to do.
        what: String,
    },
    /// An XML profile.
    #[error("{file}: {what}")]
    Profile {
        /// Its file, with the line where it is about one.
        file: String,
        /// What is wrong, and what to do.
        what: String,
    },
    /// Profile and target do not fit.
    #[error("{0}")]
    Target(String),
    /// DiskSpd ends at the first I/O that fails, and so does this.
    #[error("a {} of {len} at {offset} failed: {}", op.name(), base::errno::in_words(*errno))]
    Io {
        op: Op,
        offset: Bytes,
        /// How long.
        len: Bytes,
        /// The error number; EIO if fewer bytes were moved than requested.
        errno: i32,
    },
}

impl DiskSpdError {
    pub(crate) fn argument(argument: &str, what: impl std::fmt::Display) -> DiskSpdError {
        DiskSpdError::Argument {
            argument: argument.to_owned(),
            what: what.to_string(),
        }
    }
}
