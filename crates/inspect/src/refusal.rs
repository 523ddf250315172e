//! The reasons for which a device is not overwritten, each as one line for a person.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// What a device belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Membership {
    /// A volume group of the logical volume manager.
    Lvm,
    /// An encrypted volume that is open.
    Encrypted,
    /// A multipath drive: this is one path to it.
    Multipath,
    /// Another device-mapper volume.
    DeviceMapper,
    /// A software RAID array (md), or a firmware RAID set.
    Raid,
    /// A ZFS pool.
    Zfs,
    /// A Btrfs file system over several devices.
    Btrfs,
    /// A block cache (bcache).
    Cache,
    /// Something else that claimed the device.
    Other,
}

impl fmt::Display for Membership {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Membership::Lvm => "LVM",
            Membership::Encrypted => "an open encrypted volume",
            Membership::Multipath => "a multipath drive",
            Membership::DeviceMapper => "a device-mapper volume",
            Membership::Raid => "a RAID array",
            Membership::Zfs => "a ZFS pool",
            Membership::Btrfs => "a Btrfs file system over several devices",
            Membership::Cache => "a block cache",
            Membership::Other => "another device",
        })
    }
}

impl Membership {
    /// How a device gets out of it.
    fn way_out(&self) -> &'static str {
        match self {
            Membership::Lvm => "take it out with `vgreduce` and `pvremove`",
            Membership::Encrypted => "close it with `cryptsetup close`",
            Membership::Multipath => {
                "flush it with `multipath -f`, or take the multipath device itself"
            }
            Membership::DeviceMapper => "remove the volume with `dmsetup remove`",
            Membership::Raid => {
                "stop the array (`mdadm --stop`) and clear the member (`mdadm --zero-superblock`)"
            }
            Membership::Zfs => "destroy the pool or detach the drive, then `zpool labelclear`",
            Membership::Btrfs => {
                "take it out with `btrfs device remove`, or unmount and `wipefs` all its devices"
            }
            Membership::Cache => "detach the cache and stop it",
            Membership::Other => "release it there",
        }
    }
}

/// One reason why a device may not be written. Chains go from the named device upwards:
/// `sda > sda1 > md0 (RAID 1) > dm-0 (LVM volume vg-home)`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// It holds the running system: `/`, `/boot` or `/usr`.
    CarriesSystem {
        /// The path upwards.
        chain: Vec<String>,
        /// Which part of the system.
        at: PathBuf,
    },
    /// A file system on it is mounted.
    Mounted {
        /// The path upwards.
        chain: Vec<String>,
        /// Where it is mounted.
        at: PathBuf,
        /// The process in whose mount namespace it is, where that is not ours.
        seen_by: Option<String>,
    },
    /// The running system swaps to it.
    Swap {
        /// The path upwards.
        chain: Vec<String>,
        /// The swap file, where it is one.
        file: Option<PathBuf>,
    },
    /// It is part of a larger whole that is active, or that its content names.
    Member {
        /// The path upwards.
        chain: Vec<String>,
        /// What it belongs to: an array, a volume group, a pool.
        of: Membership,
        /// Its content, if that is the evidence.
        content: Option<String>,
    },
    /// Another device is a window on it, or on a file on it.
    Backs {
        /// The path upwards.
        chain: Vec<String>,
    },
    /// It is itself only a window on another device.
    WindowOn { device: PathBuf },
    /// Another device has the same world-wide name, or the same backing file: two ways to one drive.
    SameDriveAs {
        /// The other device.
        device: String,
        /// The name or file that both have.
        shared: String,
    },
    /// Another process has it, or something on it, open.
    HeldOpen {
        /// The path upwards.
        chain: Vec<String>,
        /// The process.
        pid: u32,
        name: String,
    },
    /// A loop device shows the file.
    Shown {
        /// The loop device.
        device: PathBuf,
    },
    /// The running system swaps to the file.
    SwapFile {
        /// As the system names it.
        file: PathBuf,
    },
    /// Another process may write to the file, or to the backing file of a loop device.
    OpenForWriting {
        /// The process.
        pid: u32,
        name: String,
    },
    /// The file is locked.
    Locked {
        /// The process, where the kernel names it.
        by: Option<String>,
    },
    /// Not a regular file.
    NotAFile,
    /// It accepts no writes.
    ReadOnly,
    /// It has no length: an empty card reader, a detached loop device.
    NoMedium,
    /// Not a block device.
    NotADevice,
    /// Something that must be known is not.
    CannotTell {
        /// What is not known.
        what: String,
        /// Why, and what to do where something can be done.
        why: String,
    },
}

impl Refusal {
    /// The same in a few words, for a list: `/home on sda2`, `swap on sda3`, `LVM on sdb`.
    pub fn in_brief(&self) -> String {
        let on = |chain: &Vec<String>| chain.last().cloned().unwrap_or_default();
        match self {
            Refusal::CarriesSystem { chain, at }
            | Refusal::Mounted {
                chain,
                at,
                seen_by: None,
            } => format!("{} on {}", at.display(), on(chain)),
            Refusal::Mounted {
                chain,
                at,
                seen_by: Some(process),
            } => format!("{} on {} (in {process})", at.display(), on(chain)),
            Refusal::Swap { chain, file: None } => format!("swap on {}", on(chain)),
            Refusal::Swap {
                file: Some(file), ..
            } => format!("swap file {}", file.display()),
            Refusal::Member { chain, of, .. } => format!("{of} on {}", on(chain)),
            Refusal::Backs { chain } => format!("shown as {}", on(chain)),
            Refusal::WindowOn { device } => format!("shows {}", device.display()),
            Refusal::SameDriveAs { device, .. } => format!("the same drive as {device}"),
            Refusal::HeldOpen { chain, pid, name } => {
                format!("{} open in {name} ({pid})", on(chain))
            }
            Refusal::Shown { device } => format!("shown as {}", device.display()),
            Refusal::SwapFile { file } => format!("swap file {}", file.display()),
            Refusal::OpenForWriting { pid, name } => format!("open in {name} ({pid})"),
            Refusal::Locked { by } => {
                format!("locked by {}", by.as_deref().unwrap_or("a process"))
            }
            Refusal::NotAFile => "not a file".to_owned(),
            Refusal::ReadOnly => "read-only".to_owned(),
            Refusal::NoMedium => "no medium".to_owned(),
            Refusal::NotADevice => "not a device".to_owned(),
            Refusal::CannotTell { what, why } => format!("{what}: {why}"),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = |chain: &Vec<String>| chain.join(" > ");
        match self {
            Refusal::CarriesSystem { chain, at } => write!(
                f,
                "the running system is on it: {} is mounted at {}; boot another system to test this drive, or name another drive",
                way(chain),
                at.display()
            ),
            Refusal::Mounted { chain, at, seen_by } => {
                f.write_str(&mounted(&way(chain), at, seen_by.as_deref()))
            }
            Refusal::Swap { chain, file } => f.write_str(&swap(&way(chain), file.as_deref())),
            Refusal::Member { chain, of, content } => {
                f.write_str(&member(&way(chain), of, content.as_deref()))
            }
            Refusal::Backs { chain } => {
                write!(f, "in use as another device: {}; detach that device first (losetup -d)", way(chain))
            }
            Refusal::WindowOn { device } => {
                write!(f, "it only shows {device}; name {device} itself", device = device.display())
            }
            Refusal::SameDriveAs { device, shared } => write!(
                f,
                "{device} is another way to the same content (both are {shared}), so that its users are this one's too; detach one of the two, or set up multipath and name the multipath device"
            ),
            Refusal::HeldOpen { chain, pid, name } => {
                write!(f, "held open: process {pid} ({name}) has {} open; end it", way(chain))
            }
            Refusal::Shown { device } => {
                write!(f, "in use as a device: {device} shows it; detach it first (losetup -d {device})", device = device.display())
            }
            Refusal::SwapFile { file } => {
                write!(f, "swap: the running system swaps to it; turn it off (swapoff {})", file.display())
            }
            Refusal::OpenForWriting { pid, name } => {
                write!(f, "open for writing: process {pid} ({name}) has it; end it")
            }
            Refusal::Locked { by } => {
                let by = by.as_deref().unwrap_or("a process that the kernel does not name");
                write!(f, "locked: by {by}; end it")
            }
            Refusal::NotAFile => f.write_str("it is not a regular file"),
            Refusal::ReadOnly => {
                f.write_str("it accepts no writes; look for a write-protect switch, or allow writing with `blockdev --setrw`")
            }
            Refusal::NoMedium => f.write_str("it has no length; insert a medium, or attach the loop device"),
            Refusal::NotADevice => f.write_str("it is not a block device; name a device to overwrite, or a directory to test in a file of our own"),
            Refusal::CannotTell { what, why } => {
                write!(f, "cannot determine {what}: {why}")
            }
        }
    }
}

/// A mounted file system, in whose mount namespace it is where that is not ours.
fn mounted(way: &str, at: &Path, seen_by: Option<&str>) -> String {
    let at = at.display();
    match seen_by {
        None => format!("mounted: {way} is mounted at {at}; unmount it (umount {at})"),
        Some(process) => format!(
            "mounted: {way} is mounted at {at} in the mount namespace of {process}; end that container or service, or unmount it there"
        ),
    }
}

/// A swap device or swap file.
fn swap(way: &str, file: Option<&Path>) -> String {
    match file.map(Path::display) {
        None => format!("swap: the running system swaps to {way}; turn it off with `swapoff`"),
        Some(file) => format!(
            "swap: the running system swaps to the file {file} on {way}; turn it off (swapoff {file})"
        ),
    }
}

/// A part of a larger whole, active or by its content.
fn member(way: &str, of: &Membership, content: Option<&str>) -> String {
    let way_out = of.way_out();
    match content {
        None => format!("part of {of}: {way}; {way_out}"),
        Some(content) => format!(
            "part of {of}, as its content says: {content} on {way}; if that is no longer so, {way_out}, or clear it with `wipefs`"
        ),
    }
}
