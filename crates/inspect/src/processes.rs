//! Which other processes have a device open, or mounted in another namespace.
//!
//! `/proc/PID/fd` has a link for every open file. The kernel's exclusive open excludes mounts and arrays, but not a
//! virtual machine or a copying program that merely has the device open, so every process is checked. That requires
//! permission: another user's process, a `/proc` that hides processes (`hidepid`), or our own process namespace (a
//! container) make the answer incomplete, and an incomplete answer is not an answer.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, StatxFlags};

use super::identity::FileId;
use super::mounts::{self, Mount};
use super::sysfs::{DeviceNumber, Root, entries, first_line};

/// The number of the first process namespace, in which all processes of the machine are seen
/// (`PROC_PID_INIT_INO` of the kernel's `include/linux/proc_ns.h`).
const FIRST_PROCESS_NAMESPACE: &str = "pid:[4026531836]";

/// A process that uses the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    /// Its name, as the kernel keeps it (at most 15 characters).
    pub(crate) name: String,
}

/// What looking through all processes gave.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// Who holds which of the devices open.
    pub(crate) open: Vec<(DeviceNumber, Process)>,
    /// Mounts of other mount namespaces, and one process that sees them.
    pub(crate) elsewhere: Vec<(Mount, Process)>,
    /// Why the answer may be incomplete.
    pub(crate) incomplete: Option<String>,
}

/// Looks through all processes but this one.
pub(crate) fn scan(root: &Root, devices: &BTreeSet<DeviceNumber>) -> Scan {
    let mut scan = Scan {
        incomplete: hidden_processes(root),
        ..Scan::default()
    };
    let found = match process_numbers(root) {
        Ok(found) => found,
        Err(error) => {
            scan.incomplete = Some(format!("/proc cannot be read ({error})"));
            return scan;
        }
    };
    let mut namespaces: BTreeMap<String, u32> = BTreeMap::new();
    namespaces.extend(namespace(root, "self").map(|own| (own, 0)));
    let mut closed = 0_usize;
    for pid in &found {
        match open_devices(root, *pid) {
            Ok(open) => {
                let ours = open
                    .intersection(devices)
                    .map(|number| (*number, describe(root, *pid)));
                scan.open.extend(ours);
            }
            Err(error) if is_gone(&error) => continue,
            Err(_) => closed += 1,
        }
        if let Some(seen) = namespace(root, &pid.to_string())
            && namespaces.insert(seen, *pid).is_none()
        {
            match mounts::mounts(root, &pid.to_string()) {
                Ok(mounts) => {
                    scan.elsewhere.extend(
                        mounts
                            .into_iter()
                            .map(|mount| (mount, describe(root, *pid))),
                    );
                }
                Err(error) if is_gone(&error) => {}
                Err(_) => closed += 1,
            }
        }
    }
    if closed > 0 {
        let remedy = if rustix::process::geteuid().is_root() {
            "even by root (a sandbox or a security module guards them)"
        } else {
            "by this user; run as root"
        };
        // Without how many there are in all: two drives that are asked about one after another say the same.
        let processes = if closed == 1 { "process" } else { "processes" };
        scan.incomplete = Some(format!(
            "the open files of {closed} {processes} may not be read {remedy}"
        ));
    }
    scan
}

/// Why some processes may not be seen at all, if so.
fn hidden_processes(root: &Root) -> Option<String> {
    match root_link(root, "/proc/self/ns/pid") {
        None => return Some("it is not known whether all processes of the machine are seen (/proc/self/ns/pid cannot be read)".into()),
        Some(own) if own != FIRST_PROCESS_NAMESPACE => {
            return Some("this is a container, which does not see all processes of the machine; run outside of it".into());
        }
        Some(_) => {}
    }
    if first_line(&root.at("/proc/1/comm")).is_none() {
        return Some("/proc hides other users' processes (hidepid); run as root".into());
    }
    None
}

/// The numbers of all processes that are seen, but for this one.
pub(crate) fn process_numbers(root: &Root) -> io::Result<Vec<u32>> {
    let own = root.is_live().then(std::process::id);
    Ok(entries(&root.at("/proc"))?
        .iter()
        .filter_map(|path| path.file_name()?.to_str()?.parse().ok())
        .filter(|pid| Some(*pid) != own)
        .collect())
}

/// A process and its name.
pub(crate) fn describe(root: &Root, pid: u32) -> Process {
    let name =
        first_line(&root.at(format!("/proc/{pid}/comm"))).unwrap_or_else(|| "unknown".into());
    Process { pid, name }
}

/// A process that ended during the check does not count.
fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
        || error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error())
}

fn namespace(root: &Root, who: &str) -> Option<String> {
    root_link(root, &format!("/proc/{who}/ns/mnt"))
}

fn root_link(root: &Root, path: &str) -> Option<String> {
    Some(
        fs::read_link(root.at(path))
            .ok()?
            .to_string_lossy()
            .into_owned(),
    )
}

/// The block devices that a process has open.
fn open_devices(root: &Root, pid: u32) -> io::Result<BTreeSet<DeviceNumber>> {
    let mut open = BTreeSet::new();
    for link in entries(&root.at(format!("/proc/{pid}/fd")))? {
        match open_device(root, &link) {
            Ok(number) => open.extend(number),
            Err(error) if is_gone(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(open)
}

/// The regular file that a link in `/proc/PID/fd` is open on.
pub(crate) fn file_of(link: &Path) -> Option<FileId> {
    let asked = StatxFlags::TYPE | StatxFlags::INO;
    let found = rustix::fs::statx(CWD, link, AtFlags::STATX_DONT_SYNC, asked).ok()?;
    let is_file = FileType::from_raw_mode(found.stx_mode.into()) == FileType::RegularFile;
    is_file.then_some(FileId {
        device: rustix::fs::makedev(found.stx_dev_major, found.stx_dev_minor),
        inode: found.stx_ino,
    })
}

fn open_device(root: &Root, link: &Path) -> io::Result<Option<DeviceNumber>> {
    let named = fs::read_link(link)?;
    if !named.starts_with("/") {
        return Ok(None); // socket:[1], pipe:[2], anon_inode:[eventpoll]
    }
    if !root.is_live() {
        return Ok(root.number_of(named));
    }
    // Without this flag a file on an unreachable server would hold us up for ever.
    let found = rustix::fs::statx(CWD, link, AtFlags::STATX_DONT_SYNC, StatxFlags::TYPE)?;
    let is_block = FileType::from_raw_mode(found.stx_mode.into()) == FileType::BlockDevice;
    Ok(is_block.then_some(DeviceNumber {
        major: found.stx_rdev_major,
        minor: found.stx_rdev_minor,
    }))
}
