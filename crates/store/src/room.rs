//! Free space for writes, checked before SQLite is called.
//!
//! SQLite reports a full disk as an error wherever it uses write(2). But the index of its log is mapped memory, and if
//! one of its pages gets no block (a copy-on-write file system, or one with blocks smaller than a page), the kernel can
//! only kill the process: SIGBUS. So a store never uses the last megabyte of a disk.
//!
//! Other programs do. Deleting also needs a few blocks, since it is first written to the log. So a small file next to a
//! store (`-room`) is reserved and given up for that.

use std::fs::File;
use std::path::Path;

use rusqlite::{ErrorCode, ffi};
use rustix::fs::{FallocateFlags, fallocate, statvfs};

use crate::{StoreError, owner_only};

/// What stays free.
const LEFT: u64 = 1 << 20;

/// Bytes of the file that is given up for a deletion.
const HELD_READY: u64 = 256 << 10;

/// Whether a document of this size can be written.
///
/// # Errors
/// [`StoreError::Full`] where it would take from the last megabyte.
pub(crate) fn check(store: &Path, bytes: usize, doing: &'static str) -> Result<(), StoreError> {
    // A page of the log has a head, and the first of a document is not its own.
    let needs = LEFT + bytes as u64 + bytes as u64 / 64;
    match free(store) {
        Some(free) if free < needs => {
            let code = ffi::Error {
                code: ErrorCode::DiskFull,
                extended_code: ffi::SQLITE_FULL,
            };
            let what = format!("{} KiB are free", free >> 10);
            let source = rusqlite::Error::SqliteFailure(code, Some(what));
            Err(StoreError::sqlite(store, doing, source))
        }
        _ => Ok(()),
    }
}

/// The same for opening a store: it needs room if the index of its log does not exist yet.
pub(crate) fn check_opening(store: &Path) -> Result<(), StoreError> {
    if owner_only::beside(store, "-shm").exists() {
        return Ok(());
    }
    check(store, 0, "opening the store")
}

/// Reserves space next to a store, if there is plenty.
pub(crate) fn hold_ready(store: &Path) {
    let path = owner_only::beside(store, "-room");
    if path.exists() || free(store).is_none_or(|free| free < 2 * LEFT) {
        return;
    }
    owner_only::make_file(&path);
    let file = File::options().write(true).open(&path);
    let held = file.and_then(|file| Ok(fallocate(file, FallocateFlags::empty(), 0, HELD_READY)?));
    if held.is_err() {
        // An empty file would say that there is something.
        let _ = std::fs::remove_file(path);
    }
}

/// Deletes something; if there is no room for that, uses the reserve.
///
/// # Errors
/// Those of the deletion.
pub(crate) fn for_deletion<T>(
    store: &Path,
    delete: impl Fn() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let ready = owner_only::beside(store, "-room");
    match delete() {
        Err(StoreError::Full { .. }) if std::fs::remove_file(ready).is_ok() => delete(),
        ended => ended,
    }
}

/// Bytes that this process may still write where the store is; none where that is not known.
fn free(store: &Path) -> Option<u64> {
    let told = statvfs(owner_only::folder_of(store)?).ok()?;
    if told.f_blocks == 0 {
        // It has no limit of its own and tells nothing: ramfs.
        return None;
    }
    let blocks = if rustix::process::geteuid().is_root() {
        told.f_bfree
    } else {
        told.f_bavail
    };
    blocks.checked_mul(told.f_frsize)
}
