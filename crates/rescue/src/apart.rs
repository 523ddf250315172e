//! Refuses overlapping ends of a rescue: the same file or device, a partition and its drive, a destination on the
//! source drive.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use inspect::{Identity, Kind, Root, identify};

use crate::error::RescueError;
use targets::grammar::Spec;
use targets::path_of;

/// Checks that source and destination have nothing in common.
///
/// # Errors
/// What they have in common, in one line; or that one of them cannot be looked at.
pub(super) fn check(source: &str, destination: &str) -> Result<(), RescueError> {
    let (from, to): (Spec, Spec) = (source.parse()?, destination.parse()?);
    let (Some(from), Some(to)) = (path_of(&from), path_of(&to)) else {
        return Ok(());
    };
    let refuse = |why: &str| {
        Err(RescueError::Refused(format!(
            "{destination} {why} {source}: name a destination on another drive"
        )))
    };
    if same(from, to) {
        return refuse("is");
    }
    let root = Root::new("/");
    let from = identify(&root, from)?;
    // A file that is not there yet lies where its folder does.
    let there = if to.exists() {
        to.to_owned()
    } else {
        folder(to)
    };
    let to = identify(&root, &there)?;
    let Some(drive) = whole_drive(&from) else {
        return Ok(());
    };
    if let Kind::Loop { backing_file, .. } = &from.kind
        && same(backing_file, &there)
    {
        return refuse("is the file behind");
    }
    if whole_drive(&to).is_some_and(|other| other == drive) {
        return refuse("is on the same drive as");
    }
    if to.beneath.iter().any(|below| below.name == drive) {
        return refuse("lies on");
    }
    Ok(())
}

/// The kernel's name of the drive that a device is, or is a part of; nothing for a file.
fn whole_drive(identity: &Identity) -> Option<String> {
    match &identity.kind {
        Kind::Partition { of, .. } => Some(of.clone()),
        _ => identity.drive.as_ref().map(|drive| drive.name.clone()),
    }
}

fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// True for two names of one file or device.
fn same(a: &Path, b: &Path) -> bool {
    let (Ok(a), Ok(b)) = (std::fs::metadata(a), std::fs::metadata(b)) else {
        return false;
    };
    let one_file = a.dev() == b.dev() && a.ino() == b.ino();
    // Two device nodes of one device; a file has no such number.
    one_file || (a.rdev() != 0 && a.rdev() == b.rdev())
}
