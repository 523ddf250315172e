//! Whether a regular file may be overwritten: who uses it.
//!
//! A user's file may be the backing file of a loop device, a swap file, or the disk of a virtual machine: overwriting
//! it destroys its content as surely as overwriting a mounted drive does. Files are identified by device and inode,
//! since a file may have several names. `/sys` shows the loop devices, `/proc/swaps` the swap files, `/proc/PID/fd` and
//! `fdinfo` which processes have a file open and how, `/proc/locks` which have locked it. A process that this user may
//! not inspect is no reason here, unlike for a device: it would need permission to write to the user's file.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::identity::FileId;
use super::loops;
use super::mounts;
use super::processes;
use super::refusal::Refusal;
use super::sysfs::{Node, Root};

/// Every reason for which the file may not be overwritten.
pub(crate) fn file_refusals(root: &Root, file: FileId) -> Vec<Refusal> {
    let all = Node::all(root).unwrap_or_default();
    let shown = all
        .iter()
        .filter(|node| loops::file_behind(root, node) == Some(file))
        .map(|node| Refusal::Shown {
            device: node.path(),
        });
    shown.chain(users_of(root, file)).collect()
}

/// The same but for the loop devices that show it.
pub(crate) fn users_of(root: &Root, file: FileId) -> Vec<Refusal> {
    let mut reasons = swapped_to(root, file);
    reasons.extend(written_by(root, file));
    reasons.extend(locked(root, file));
    reasons
}

fn swapped_to(root: &Root, file: FileId) -> Vec<Refusal> {
    let swaps = mounts::swaps(root).unwrap_or_default();
    let files = swaps.into_iter().filter(|swap| swap.is_file);
    files
        .filter(|swap| FileId::at(&root.at(&swap.path)) == Some(file))
        .map(|swap| Refusal::SwapFile { file: swap.path })
        .collect()
}

fn written_by(root: &Root, file: FileId) -> Vec<Refusal> {
    let mut reasons = Vec::new();
    for pid in processes::process_numbers(root).unwrap_or_default() {
        let folder = root.at(format!("/proc/{pid}/fd"));
        let open = super::sysfs::entries(&folder).unwrap_or_default();
        let writes = open
            .iter()
            .any(|link| opened_file(root, link) == Some(file) && is_for_writing(root, pid, link));
        if writes {
            let process = processes::describe(root, pid);
            reasons.push(Refusal::OpenForWriting {
                pid,
                name: process.name,
            });
        }
    }
    reasons
}

/// The regular file that an entry of `/proc/PID/fd` is open on.
fn opened_file(root: &Root, link: &Path) -> Option<FileId> {
    if root.is_live() {
        return processes::file_of(link);
    }
    FileId::at(&root.at(fs::read_link(link).ok()?))
}

/// The line `flags: 0100002` of `/proc/PID/fdinfo/N`, in octal, whose last two bits are 0 for reading
/// alone (open(2)).
fn is_for_writing(root: &Root, pid: u32, link: &Path) -> bool {
    let number = link.file_name().unwrap_or_default().to_string_lossy();
    let told = fs::read_to_string(root.at(format!("/proc/{pid}/fdinfo/{number}")));
    let told = told.unwrap_or_default();
    let flags = told.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u64::from_str_radix(flags.trim(), 8).ok());
    flags.is_some_and(|flags| flags & 3 != 0)
}

/// Lines such as `1: FLOCK  ADVISORY  WRITE 345 08:01:1234 0 EOF` (proc(5)): the device's two numbers in
/// hexadecimal, then the inode.
fn locked(root: &Root, file: FileId) -> Vec<Refusal> {
    let text = fs::read_to_string(root.at("/proc/locks")).unwrap_or_default();
    let own = root.is_live().then(std::process::id);
    let mut reasons = Vec::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [_, kind, _, _, pid, place, ..] = fields[..] else {
            continue;
        };
        if !matches!(kind, "FLOCK" | "POSIX" | "OFDLCK") || parse_place(place) != Some(file) {
            continue;
        }
        let pid = pid.parse().ok().filter(|pid| *pid != 0);
        if pid.is_some() && pid == own {
            continue;
        }
        reasons.push(Refusal::Locked {
            by: pid.map(|pid| format!("process {pid} ({})", processes::describe(root, pid).name)),
        });
    }
    reasons
}

fn parse_place(place: &str) -> Option<FileId> {
    let mut parts = place.split(':');
    let mut number = || u32::from_str_radix(parts.next()?, 16).ok();
    let (major, minor) = (number()?, number()?);
    Some(FileId {
        device: rustix::fs::makedev(major, minor),
        inode: parts.next()?.parse().ok()?,
    })
}

impl FileId {
    /// The file at a path on this machine, with links followed; nothing where there is none.
    pub(crate) fn at(path: &Path) -> Option<FileId> {
        fs::metadata(path).ok().map(|found| FileId::of(&found))
    }

    /// The file that is so described.
    pub(crate) fn of(found: &fs::Metadata) -> FileId {
        FileId {
            device: found.dev(),
            inode: found.ino(),
        }
    }
}

#[cfg(test)]
mod tests;
