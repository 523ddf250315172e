//! The one door through which a device is opened for overwriting.
//!
//! Everything about a device is checked by name first, but a name may come to refer to another device between the check
//! and the open. So the order is: inspect; compare what was typed; open with `O_EXCL`, with which the kernel excludes
//! other exclusive users (mounts, arrays, swap) and refuses us if there is one already; then inspect again. From there
//! on the device number cannot be reused while ours is open, so the second inspection is valid.
//!
//! systemd's block device locking is respected: an advisory lock on the whole drive's node keeps udev from probing it
//! while it is written. udev also probes a drive when a writer closes it: the next step of a plan finds it open, and
//! waits until udev has finished.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::exit::Exit;
use rustix::fs::{Access, FlockOperation, OFlags};
use rustix::io::Errno;

use super::confirm::{Confirmation, confirmation};
use super::identity::{Identity, identify};
use super::refusal::Refusal;
use super::sysfs::{DeviceNumber, InspectError, Node, Root};
use super::usage::refusals;

/// How often it is looked whether udev has let go of a device, and the time between: five seconds in all.
const LOOKS: u32 = 250;
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Why a device was not opened for overwriting. Nothing has been written.
#[derive(Debug, thiserror::Error)]
pub enum DestroyError {
    /// It could not be inspected.
    #[error(transparent)]
    Inspect(#[from] InspectError),
    /// It has no unique name.
    #[error("{path} is not overwritten: it has no serial number, no world-wide name and no name in /dev/disk/by-id with which you could confirm it", path = path.display())]
    NoToken {
        /// The device.
        path: PathBuf,
    },
    /// There are reasons against it.
    #[error("{path} is not overwritten:{}", listed(reasons), path = path.display())]
    Refused {
        /// The device.
        path: PathBuf,
        reasons: Vec<Refusal>,
    },
    /// Whatever it is called, others are called, too.
    #[error("{path} is not overwritten: it cannot be distinguished from {}, which has the same names; detach the others", with.join(" and "), path = path.display())]
    Indistinct {
        /// The device.
        path: PathBuf,
        /// The others.
        with: Vec<String>,
    },
    /// What was typed is the name of others, too.
    #[error("{path} is not overwritten: '{typed}' also names {}; its unique name is '{token}' (check that this is the drive you mean)", with.join(" and "), path = path.display())]
    Shared {
        /// The device.
        path: PathBuf,
        typed: String,
        /// The others.
        with: Vec<String>,
        /// What would have confirmed.
        token: String,
    },
    /// What was typed is not the device's.
    #[error("{path} is not overwritten: '{typed}' does not confirm it; its own name is '{token}' (check that this is the drive you mean)", path = path.display())]
    NotConfirmed {
        /// The device.
        path: PathBuf,
        typed: String,
        /// What would have confirmed.
        token: String,
    },
    /// The kernel reports an exclusive user.
    #[error("{path} is not overwritten: the kernel reports it as in use but not by whom; it may be mounted in another namespace, or be part of an array or a pool (ZFS shows nothing else)", path = path.display())]
    Claimed {
        /// The device.
        path: PathBuf,
    },
    /// It could not be opened.
    #[error("{path} cannot be opened for direct, exclusive writing: {source}{}", remedy(source), path = path.display())]
    Open {
        /// The device.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// It has changed since it was inspected.
    #[error("{path} is not overwritten: {what} between check and open; check which device it is", path = path.display())]
    Changed {
        /// The device.
        path: PathBuf,
        /// What changed.
        what: &'static str,
    },
    /// The machine is a recorded one.
    #[error("{path} is not overwritten: it belongs to a recorded machine, not to this one", path = path.display())]
    Recorded {
        /// The device.
        path: PathBuf,
    },
}

impl DestroyError {
    /// What a command ends with that would have written there.
    pub fn exit(&self) -> Exit {
        match self {
            DestroyError::NoToken { .. }
            | DestroyError::Refused { .. }
            | DestroyError::Indistinct { .. }
            | DestroyError::Shared { .. }
            | DestroyError::NotConfirmed { .. } => Exit::Invalid,
            DestroyError::Inspect(_)
            | DestroyError::Claimed { .. }
            | DestroyError::Open { .. }
            | DestroyError::Recorded { .. }
            | DestroyError::Changed { .. } => Exit::Failed,
        }
    }
}

fn listed(reasons: &[Refusal]) -> String {
    match reasons {
        [only] => format!(" {only}"),
        all => all.iter().map(|reason| format!("\n  - {reason}")).collect(),
    }
}

fn remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::PermissionDenied => "; run as root",
        io::ErrorKind::InvalidInput => "; it has no direct I/O",
        _ => "",
    }
}

/// A device that is ours to overwrite until this is dropped.
#[derive(Debug)]
pub struct ClaimedDevice {
    file: File,
    identity: Identity,
    /// Keeps udev away; `None` if another process locked it first, which is legitimate.
    _lock: Option<File>,
}

impl ClaimedDevice {
    /// The device, open for reading and writing with `O_DIRECT` and `O_EXCL`.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// What it is.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }
}

/// Opens a block device for overwriting, after every check, where `typed` is a name of this device alone
/// (see [`confirmation`]).
///
/// # Errors
/// Where anything speaks against it; see [`DestroyError`].
pub fn open_for_destruction(
    root: &Root,
    path: &Path,
    typed: &str,
) -> Result<ClaimedDevice, DestroyError> {
    let before = identify(root, path)?;
    permitted_after_udev(root, &before, typed)?;
    let path = path.to_owned();
    if !root.is_live() {
        return Err(DestroyError::Recorded { path });
    }
    let lock = lock_drive(root, &before);
    let file = open_exclusively(&path)?;
    let identity = same_device(root, &path, &file, &before)?;
    // Somebody may have come in since the first look, though not exclusively.
    permitted_after_udev(root, &identity, typed)?;
    Ok(ClaimedDevice {
        file,
        identity,
        _lock: lock,
    })
}

/// [`permitted`] as soon as udev is through with the device.
fn permitted_after_udev(root: &Root, identity: &Identity, typed: &str) -> Result<(), DestroyError> {
    let pause = || std::thread::sleep(BETWEEN_LOOKS);
    let is_udev = |reason: &Refusal| is_udev(reason, |pid| parent(root, pid));
    after_udev(|| permitted(root, identity, typed), is_udev, pause)
}

/// Checks again as long as only udev's probing stands in the way: that is not a use, and takes milliseconds. If it
/// takes unreasonably long, it counts as any other process.
fn after_udev(
    look: impl Fn() -> Result<(), DestroyError>,
    is_udev: impl Fn(&Refusal) -> bool,
    pause: impl Fn(),
) -> Result<(), DestroyError> {
    for _ in 1..LOOKS {
        match look() {
            Err(DestroyError::Refused { reasons, .. }) if reasons.iter().all(&is_udev) => pause(),
            other => return other,
        }
    }
    look()
}

/// udev's processes: the service, its workers under the names of newer and older versions, and the programs that its
/// rules run for a moment (`probe-bcache`, `ata_id`). A process that has ended since it was seen was one of these, or
/// no longer holds anything. `parent` returns a process's parent, and its name.
fn is_udev(reason: &Refusal, parent: impl Fn(u32) -> Option<(u32, String)>) -> bool {
    let is_named = |name: &str| ["(udev-worker)", "systemd-udevd", "udevd"].contains(&name);
    let Refusal::HeldOpen { name, pid, .. } = reason else {
        return false;
    };
    if is_named(name) {
        return true;
    }
    let Some(first) = parent(*pid) else {
        return true;
    };
    let ancestors = std::iter::successors(Some(first), |(pid, _)| parent(*pid));
    // Between udev and what it runs there is a shell at most; a list that changes meanwhile has no end.
    ancestors.take(4).any(|(_, name)| is_named(&name))
}

/// The parent of a process and its name (proc(5): `PPid:` of `status`); `None` for a process that no longer exists, and
/// for the first.
fn parent(root: &Root, pid: u32) -> Option<(u32, String)> {
    let status = std::fs::read_to_string(root.at(format!("/proc/{pid}/status"))).ok()?;
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    let parent: u32 = parent.trim().parse().ok().filter(|pid| *pid > 0)?;
    let name = root.line(format!("/proc/{parent}/comm"))?;
    Some((parent, name))
}

/// Checks that nothing prevents overwriting the device, and that the typed name confirms it.
fn permitted(root: &Root, identity: &Identity, typed: &str) -> Result<(), DestroyError> {
    let path = identity.path.clone();
    let reasons = refusals(root, identity);
    if !reasons.is_empty() {
        return Err(DestroyError::Refused { path, reasons });
    }
    confirmed(root, identity, typed)
}

/// Checks that what was typed is a name of this device, and of no other attached one.
///
/// # Errors
/// [`DestroyError::NotConfirmed`], [`DestroyError::Shared`], [`DestroyError::Indistinct`],
/// [`DestroyError::NoToken`].
pub fn confirmed(root: &Root, identity: &Identity, typed: &str) -> Result<(), DestroyError> {
    let (path, said) = (identity.path.clone(), typed.trim().to_owned());
    Err(match confirmation(root, identity, typed) {
        Confirmation::Given => return Ok(()),
        Confirmation::Nameless => DestroyError::NoToken { path },
        Confirmation::Indistinct { with } => DestroyError::Indistinct { path, with },
        Confirmation::Wrong { telling } => DestroyError::NotConfirmed {
            path,
            typed: said,
            token: telling,
        },
        Confirmation::Shared { with, telling } => DestroyError::Shared {
            path,
            typed: said,
            with,
            token: telling,
        },
    })
}

/// All checks of [`open_for_destruction`] before it opens the device, for a dry run: nothing is opened for writing,
/// nothing claimed. What only the kernel knows ([`DestroyError::Claimed`]) is not detected.
///
/// # Errors
/// As [`open_for_destruction`].
pub fn would_open_for_destruction(
    root: &Root,
    path: &Path,
    typed: &str,
) -> Result<(), DestroyError> {
    permitted_after_udev(root, &identify(root, path)?, typed)?;
    let path = path.to_owned();
    rustix::fs::access(&path, Access::READ_OK | Access::WRITE_OK).map_err(|error| {
        let source = error.into();
        DestroyError::Open { path, source }
    })
}

fn open_exclusively(path: &Path) -> Result<File, DestroyError> {
    let flags = OFlags::EXCL | OFlags::DIRECT | OFlags::CLOEXEC;
    let opened = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path);
    opened.map_err(|source| {
        let path = path.to_owned();
        if source.raw_os_error() == Some(Errno::BUSY.raw_os_error()) {
            DestroyError::Claimed { path }
        } else {
            DestroyError::Open { path, source }
        }
    })
}

/// Inspects the open device again and checks that it is the one inspected before.
fn same_device(
    root: &Root,
    path: &Path,
    file: &File,
    before: &Identity,
) -> Result<Identity, DestroyError> {
    let changed = |what| DestroyError::Changed {
        path: path.to_owned(),
        what,
    };
    let expected = before
        .drive
        .as_ref()
        .ok_or(changed("the device went away"))?;
    let opened = file.metadata().map_err(|source| DestroyError::Open {
        path: path.to_owned(),
        source,
    })?;
    if !opened.file_type().is_block_device()
        || DeviceNumber::from_raw(opened.rdev()) != expected.number
    {
        return Err(changed("another device took its name"));
    }
    let now = identify(root, path)?;
    let drive = now.drive.as_ref().ok_or(changed("the device went away"))?;
    if drive.number != expected.number || drive.arrival != expected.arrival {
        return Err(changed("another device took its place"));
    }
    if !drive.id.is(&expected.id) || drive.capacity != expected.capacity || now.kind != before.kind
    {
        return Err(changed(
            "its serial number, its length or its place changed",
        ));
    }
    Ok(now)
}

/// The advisory lock on the whole drive, if it is available immediately.
fn lock_drive(root: &Root, identity: &Identity) -> Option<File> {
    let node = Node::by_number(root, identity.drive.as_ref()?.number)?;
    let whole = node.parent().unwrap_or(node);
    let file = File::open(root.at(whole.path())).ok()?;
    rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(file)
}

#[cfg(test)]
mod tests;
