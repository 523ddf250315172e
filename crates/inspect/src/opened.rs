//! Opening exactly what was inspected.
//!
//! A path is inspected first and opened later, and in between it may come to refer to something else: a file is
//! replaced by a link to a device, `/dev/sdb` is assigned to another drive. So the path is resolved completely when it
//! is inspected; it is opened without following links, and without blocking on a pipe; and the open file is compared
//! with what was inspected: its type, the device's number, the file's device and inode. From there on everything uses
//! the open file, never the path again.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

use super::destroy::DestroyError;
use super::file_usage::file_refusals;
use super::identity::{FileId, Identity, Kind};
use super::refusal::Refusal;
use super::sysfs::{DeviceNumber, InspectError, Root};

/// Opens the identified file or device for reading; with `direct` past the page cache.
///
/// # Errors
/// Where it cannot be opened, or where something else has its name now.
pub fn open_as_seen(root: &Root, identity: &Identity, direct: bool) -> Result<File, InspectError> {
    let also = if direct {
        OFlags::DIRECT
    } else {
        OFlags::empty()
    };
    open(root, identity, also, false)
}

/// Opens the identified file of the user's for overwriting, after every check; its content stays until it
/// is written.
///
/// # Errors
/// If it is in use ([`DestroyError::Refused`]), cannot be opened, or its name refers to something else now.
pub fn open_file_for_destruction(root: &Root, identity: &Identity) -> Result<File, DestroyError> {
    let Kind::RegularFile { file, .. } = &identity.kind else {
        let (path, reasons) = (identity.path.clone(), vec![Refusal::NotAFile]);
        return Err(DestroyError::Refused { path, reasons });
    };
    let opened = open(root, identity, OFlags::empty(), true)?;
    let reasons = file_refusals(root, *file);
    if reasons.is_empty() {
        return Ok(opened);
    }
    let path = identity.path.clone();
    Err(DestroyError::Refused { path, reasons })
}

fn open(
    root: &Root,
    identity: &Identity,
    also: OFlags,
    writable: bool,
) -> Result<File, InspectError> {
    let path = &identity.path;
    let failed = |error| InspectError::from_io("open", path, error);
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC | also;
    let opened = OpenOptions::new()
        .read(true)
        .write(writable)
        .custom_flags(flags.bits().cast_signed())
        .open(root.at(&identity.real))
        .map_err(|error| match error.raw_os_error() {
            // A link stands where none was.
            Some(code) if code == rustix::io::Errno::LOOP.raw_os_error() => changed(path),
            _ => failed(error),
        })?;
    let found = opened.metadata().map_err(failed)?;
    if !is_it(root, identity, &found) {
        return Err(changed(path));
    }
    wait_again(&opened).map_err(failed)?;
    Ok(opened)
}

fn changed(path: &Path) -> InspectError {
    InspectError::Changed {
        path: path.to_owned(),
    }
}

fn is_it(root: &Root, identity: &Identity, found: &fs::Metadata) -> bool {
    match (&identity.kind, &identity.drive) {
        (Kind::RegularFile { file, .. }, _) => found.is_file() && FileId::of(found) == *file,
        (Kind::Directory, _) => found.is_dir(),
        (_, Some(drive)) if root.is_live() => {
            found.file_type().is_block_device()
                && DeviceNumber::from_raw(found.rdev()) == drive.number
        }
        (_, drive) => drive.is_some(),
    }
}

/// Not to wait was for the opening alone.
fn wait_again(file: &File) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(file)?;
    Ok(rustix::fs::fcntl_setfl(file, flags - OFlags::NONBLOCK)?)
}

#[cfg(test)]
mod tests;
