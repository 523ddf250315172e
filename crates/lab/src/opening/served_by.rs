//! Which block device serves a real target.

use super::{Found, ResolvedTarget};

/// The number of the block device that serves a real target: the device itself, or the one below its file system.
pub(crate) fn served_by(resolved: &ResolvedTarget) -> Option<u64> {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let path = match &resolved.found {
        Found::Directory { identity, .. } | Found::Existing { identity, .. } => &identity.path,
        Found::Model(_) | Found::Null(_) => return None,
    };
    let metadata = std::fs::metadata(path).ok()?;
    match metadata.file_type().is_block_device() {
        true => Some(metadata.rdev()),
        false => Some(metadata.dev()),
    }
}
