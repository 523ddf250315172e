//! Why a target cannot be opened, and what to do about it.

use std::path::PathBuf;

use base::exit::Exit;
use base::size::Bytes;
use rustix::io::Errno;

/// Why a target cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The operating system refuses.
    #[error("cannot open {} for {purpose}: {errno}{}", .path.display(), remedy(*.errno))]
    Open {
        path: PathBuf,
        /// `reading` or `writing`.
        purpose: &'static str,
        /// Its error.
        errno: Errno,
    },
    /// Neither a file nor a block device.
    #[error("{} is {what}: name a file or a block device", .path.display())]
    NotStorage { path: PathBuf, what: &'static str },
    /// A file system without direct I/O.
    #[error(
        "no direct I/O on {0} ({kind}): choose a directory on a disk file system, or measure through the page cache with '{0}?buffered=yes'",
        .path.display()
    )]
    NoDirectIo {
        path: PathBuf,
        /// The file system.
        kind: String,
    },
    /// Less than one block.
    #[error("{} is {size} large, less than one block of {block}: nothing can be measured on it", .path.display())]
    TooSmall {
        path: PathBuf,
        size: Bytes,
        block: Bytes,
    },
    /// An option outside its range.
    #[error("{what} for {}", .path.display())]
    Option {
        path: PathBuf,
        /// Which, and the range.
        what: String,
    },
    /// io_uring was requested and is not available.
    #[error("io_uring is not available for {} ({why}): omit engine= to use plain system calls", .path.display())]
    NoRing { path: PathBuf, why: String },
    /// A system call that should have worked.
    #[error("{call} on {} failed: {errno}", .path.display())]
    Failed {
        path: PathBuf,
        call: &'static str,
        /// The error.
        errno: Errno,
    },
    /// No memory for the buffers, or no threads.
    #[error("cannot prepare {depth} buffers of {largest_io} for {}: {source}", .path.display())]
    Prepare {
        /// For which target.
        path: PathBuf,
        /// How many.
        depth: u32,
        largest_io: Bytes,
        source: std::io::Error,
    },
}

impl OpenError {
    /// What a command ends with that wanted it open.
    pub fn exit(&self) -> Exit {
        match self {
            OpenError::TooSmall { .. } => Exit::Invalid,
            OpenError::Open { .. }
            | OpenError::NotStorage { .. }
            | OpenError::NoDirectIo { .. }
            | OpenError::Option { .. }
            | OpenError::NoRing { .. }
            | OpenError::Failed { .. }
            | OpenError::Prepare { .. } => Exit::Failed,
        }
    }
}

fn remedy(errno: Errno) -> &'static str {
    match errno {
        Errno::ACCESS | Errno::PERM => {
            " (a device can be read by root and, as a rule, by the group 'disk')"
        }
        Errno::ROFS => " (it is mounted read-only: choose another place)",
        Errno::BUSY => " (something else uses it)",
        _ => "",
    }
}
