//! The location of a real target.

use std::path::Path;

use crate::resolved::{Found, ResolvedTarget};

/// The path of a real target: a device, a file, or the directory of a test file.
pub fn lies_on(resolved: &ResolvedTarget) -> Option<&Path> {
    match &resolved.found {
        Found::Directory { identity, .. } | Found::Existing { identity, .. } => {
            Some(&identity.path)
        }
        Found::Model(_) | Found::Null(_) => None,
    }
}

/// The number of the block device that serves a real target: the device itself, or the one below its file system.
pub fn served_by(resolved: &ResolvedTarget) -> Option<u64> {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let metadata = std::fs::metadata(lies_on(resolved)?).ok()?;
    match metadata.file_type().is_block_device() {
        true => Some(metadata.rdev()),
        false => Some(metadata.dev()),
    }
}
