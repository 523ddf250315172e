//! Why a test file could not be made, with what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use base::size::Bytes;

/// Why a test file could not be made or removed.
#[derive(Debug, thiserror::Error)]
pub enum TestFileError {
    /// There is nothing at the path.
    #[error("{path}: there is no such directory", path = path.display())]
    NotFound { path: PathBuf },
    /// The path is that of something else.
    #[error("{path} is not a directory; name a directory for the test file", path = path.display())]
    NotADirectory { path: PathBuf },
    /// Too little would stay free.
    #[error("{directory} has no room: a test file of {needed} and a reserve of {kept} (a tenth of the file system, 4 GiB at most) exceed the {free} free; use a smaller size, or another directory", directory = directory.display())]
    NoRoom {
        directory: PathBuf,
        /// The file's whole length.
        needed: Bytes,
        /// What an ordinary user may still write.
        free: Bytes,
        /// What must stay free.
        kept: Bytes,
    },
    /// The user's quota is used up.
    #[error("{directory} has no room: the disk quota of this user would be exceeded; use a smaller size, or another directory", directory = directory.display())]
    Quota { directory: PathBuf },
    /// The file system does not hold files of that length.
    #[error("{directory} does not support files of that size (the limit of FAT is 4 GiB); use a smaller size, or another directory", directory = directory.display())]
    TooLong { directory: PathBuf },
    /// The file system accepts no writes.
    #[error("{directory} is on a read-only file system; name a writable directory", directory = directory.display())]
    ReadOnly { directory: PathBuf },
    /// This user may not.
    #[error("{directory}: permission denied; name a directory in which you can create files", directory = directory.display())]
    NoPermission { directory: PathBuf },
    /// Any other failure of the system.
    #[error("cannot {what} {directory}: {source}", directory = directory.display())]
    Io {
        /// What was to be done, up to the directory's name.
        what: &'static str,
        directory: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl TestFileError {
    /// The error that `source` is, when it came from doing `what` with the directory.
    pub(super) fn from_io(
        what: &'static str,
        directory: &Path,
        source: io::Error,
    ) -> TestFileError {
        let path = directory.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => TestFileError::NotFound { path },
            io::ErrorKind::NotADirectory => TestFileError::NotADirectory { path },
            io::ErrorKind::PermissionDenied => TestFileError::NoPermission { directory: path },
            io::ErrorKind::ReadOnlyFilesystem => TestFileError::ReadOnly { directory: path },
            io::ErrorKind::FileTooLarge => TestFileError::TooLong { directory: path },
            io::ErrorKind::QuotaExceeded => TestFileError::Quota { directory: path },
            _ => TestFileError::Io {
                what,
                directory: path,
                source,
            },
        }
    }
}
