//! The identity of a target: a drive with its properties, or a file with its location.
//!
//! A drive's limits and settings are attributes of its request queue (`/sys/.../queue`), which a partition shares with
//! its drive. A file is on a mounted file system, which is on a block device, often on top of others (`slaves`): the
//! search downwards ends at the drives that will be measured.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use base::size::Bytes;
use base::zone::{Management, ZoneLimits};
use serde::Serialize;

use super::drive_id::DriveId;
use super::link::{self, Link, Transport};
use super::mounts::{self, Mount};
use super::names::Names;
use super::sysfs::{DeviceNumber, InspectError, Node, Root, first_line};

/// What kind of thing a target is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A whole block device.
    BlockDevice,
    Partition {
        /// The kernel's name of the drive that it is part of.
        of: String,
        /// Its number on that drive, from 1.
        index: u32,
        /// Where it begins on that drive.
        start: Bytes,
        /// The backing file of a loop device.
        backing_file: Option<PathBuf>,
    },
    /// A file shown as a block device.
    Loop {
        /// The file's path, with ` (deleted)` after it where it has been removed.
        backing_file: PathBuf,
        /// Where in the file the device begins.
        offset: Bytes,
    },
    RegularFile {
        /// Its length.
        bytes: Bytes,
        /// Which file it is, whatever its names are.
        file: FileId,
    },
    Directory,
}

/// What distinguishes a file from every other one of the machine, until the next boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FileId {
    /// The device that its file system shows (`st_dev`).
    pub device: u64,
    /// Its number there.
    pub inode: u64,
}

/// A block device's names and properties. `None` means that the kernel does not tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Drive {
    /// The kernel's name: `sda`, `nvme0n1p1`.
    pub name: String,
    pub number: DeviceNumber,
    /// Length of the device or partition.
    pub capacity: Bytes,
    /// The identity of a drive, or of a part of one: model, serial number, world-wide name and the rest.
    pub id: DriveId,
    /// Firmware revision.
    pub firmware: Option<String>,
    /// What carries commands to it.
    pub transport: Transport,
    /// The negotiated link.
    pub link: Option<Link>,
    /// True for devices that the kernel reports as rotational.
    pub rotational: Option<bool>,
    /// The smallest unit that can be addressed.
    pub logical_block: Option<Bytes>,
    /// The smallest unit that is written without reading first, as the drive claims.
    pub physical_block: Option<Bytes>,
    /// The kernel's I/O scheduler for it (`none`, `mq-deadline`).
    pub scheduler: Option<String>,
    /// `write back` (volatile cache) or `write through`.
    pub write_cache: Option<String>,
    /// True where trim (discard) is passed on.
    pub discard: Option<bool>,
    /// Zoned recording: `none`, `host-aware`, `host-managed`.
    pub zoned: Option<String>,
    /// Number and length of its zones, and how many of them may be in use, of a zoned drive.
    pub zones: Option<ZoneLimits>,
    /// True where the kernel refuses writes.
    pub read_only: bool,
    /// The kernel's running number of this device's arrival (since Linux 5.15): a drive that was
    /// pulled and replaced under the same name has another.
    pub arrival: Option<u64>,
}

/// The file system of a file or directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileSystem {
    /// `ext4`, `xfs`, `tmpfs`.
    pub kind: String,
    #[serde(serialize_with = "as_text")]
    pub mount_point: PathBuf,
    /// What is mounted there.
    #[serde(serialize_with = "as_text")]
    pub source: PathBuf,
    /// Mount options.
    pub options: Vec<String>,
    pub size: Bytes,
    /// What an ordinary user may still write.
    pub free: Bytes,
}

/// What a target is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// The path by which it was named.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// The same with all links followed.
    #[serde(serialize_with = "as_text")]
    pub real: PathBuf,
    /// What kind of thing it is.
    pub kind: Kind,
    /// The identity of a block device.
    pub drive: Option<Drive>,
    /// The location of a file or directory.
    pub file_system: Option<FileSystem>,
    /// For a file or directory: every layer below, from the file system down, such as `dm-0 (LVM volume vg-home)`, `md0
    /// (RAID 1)`, `sda1`, `sda`.
    pub stack: Vec<String>,
    /// Of a file or directory: the drives at the bottom of that stack. Empty for file systems
    /// without a block device (tmpfs, overlay, NFS, ZFS).
    pub beneath: Vec<Drive>,
}

/// A path as text, since a result is JSON: letters that are no Unicode are replaced, not refused.
fn as_text<S: serde::Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

/// Determines the identity of the target at `path`.
///
/// # Errors
/// If it does not exist, if it may not be accessed, and if it is neither a block device nor a file nor a directory.
pub fn identify(root: &Root, path: impl AsRef<Path>) -> Result<Identity, InspectError> {
    let path = path.as_ref();
    let here = root.at(path);
    let found =
        fs::metadata(&here).map_err(|error| InspectError::from_io("look at it", path, error))?;
    if let Some(number) = root.number_of(path) {
        return identify_device(root, path, number);
    }
    let kind = if found.is_dir() {
        Kind::Directory
    } else if found.is_file() {
        Kind::RegularFile {
            bytes: Bytes::new(found.len()),
            file: FileId::of(&found),
        }
    } else {
        return Err(not_a_target(path, found.file_type()));
    };
    identify_file(root, path, kind)
}

fn not_a_target(path: &Path, kind: fs::FileType) -> InspectError {
    let what = if kind.is_char_device() {
        "a character device"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "something else"
    };
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let is_controller = name.strip_prefix("nvme").is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    let hint = if is_controller {
        format!("; its first namespace is {}n1", path.display())
    } else {
        String::new()
    };
    InspectError::NotATarget {
        path: path.to_owned(),
        what,
        hint,
    }
}

fn identify_device(
    root: &Root,
    path: &Path,
    number: DeviceNumber,
) -> Result<Identity, InspectError> {
    let node = Node::by_number(root, number).ok_or_else(|| InspectError::NotInSysfs {
        path: path.to_owned(),
        number,
        sys: root.at("/sys/dev/block"),
    })?;
    let kind = device_kind(&node);
    Ok(Identity {
        path: path.to_owned(),
        real: root.real(path).unwrap_or_else(|_| path.to_owned()),
        kind,
        drive: Some(describe(root, &node)),
        file_system: None,
        stack: Vec::new(),
        beneath: Vec::new(),
    })
}

fn device_kind(node: &Node) -> Kind {
    if node.is_partition() {
        let of = node
            .drive_folder()
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default()
            .to_owned();
        let index = node
            .number_attribute("partition")
            .and_then(|index| u32::try_from(index).ok())
            .unwrap_or(0);
        let start = node.start();
        let backing_file = node
            .parent()
            .and_then(|drive| drive.attribute("loop/backing_file"))
            .map(PathBuf::from);
        return Kind::Partition {
            of,
            index,
            start,
            backing_file,
        };
    }
    match node.attribute("loop/backing_file") {
        Some(file) => Kind::Loop {
            backing_file: PathBuf::from(file),
            offset: Bytes::new(node.number_attribute("loop/offset").unwrap_or(0)),
        },
        None => Kind::BlockDevice,
    }
}

/// Everything that the system reports about a block device.
pub(crate) fn describe(root: &Root, node: &Node) -> Drive {
    let drive = node.drive_folder();
    let queue = |name: &str| first_line(&drive.join("queue").join(name));
    let size = |name: &str| queue(name)?.parse().ok().map(Bytes::new);
    let transport = link::transport(root, node);
    Drive {
        name: node.name.replace('!', "/"),
        number: node.number,
        capacity: node.capacity(),
        id: DriveId::read(root, node),
        firmware: Names::read(root, node).firmware,
        transport,
        link: link::link(root, node, transport),
        rotational: queue("rotational").map(|flag| flag == "1"),
        logical_block: size("logical_block_size"),
        physical_block: size("physical_block_size"),
        scheduler: queue("scheduler").map(|list| chosen(&list)),
        write_cache: queue("write_cache"),
        discard: queue("discard_max_bytes").map(|most| most != "0"),
        zoned: queue("zoned"),
        zones: zones(&drive.join("queue")),
        read_only: node.attribute("ro").as_deref() == Some("1")
            || first_line(&drive.join("ro")).as_deref() == Some("1"),
        arrival: first_line(&drive.join("diskseq")).and_then(|number| number.parse().ok()),
    }
}

/// The limits of a zoned drive, from its `queue` folder (Linux, `Documentation/ABI/stable/sysfs-block`).
fn zones(queue: &Path) -> Option<ZoneLimits> {
    let management = match first_line(&queue.join("zoned"))?.as_str() {
        "host-managed" => Management::HostManaged,
        "host-aware" => Management::HostAware,
        _ => return None,
    };
    let number = |name: &str| -> Option<u64> { first_line(&queue.join(name))?.parse().ok() };
    // 0 stands for no limit.
    let limit = |name: &str| {
        number(name)
            .and_then(|most| u32::try_from(most).ok())
            .filter(|most| *most > 0)
    };
    let sectors = number("chunk_sectors").filter(|sectors| *sectors > 0)?;
    Some(ZoneLimits {
        management,
        zones: number("nr_zones")?,
        zone_length: Bytes::new(Bytes::SECTOR.get().saturating_mul(sectors)),
        max_open: limit("max_open_zones"),
        max_active: limit("max_active_zones"),
        // Programs have no append on Linux, whatever `zone_append_max_bytes` says.
        max_append: None,
    })
}

/// The name in brackets in `none [mq-deadline] kyber`, or the whole where nothing is in brackets.
fn chosen(list: &str) -> String {
    let bracketed = list
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'));
    bracketed.map_or(list, |(name, _)| name).to_owned()
}

/// File systems whose files are no storage, and may have no end.
const MADE_AS_READ: [&str; 8] = [
    "proc",
    "sysfs",
    "debugfs",
    "tracefs",
    "securityfs",
    "configfs",
    "cgroup",
    "cgroup2",
];

fn identify_file(root: &Root, path: &Path, kind: Kind) -> Result<Identity, InspectError> {
    let fail = |what, error| InspectError::from_io(what, path, error);
    let real = root
        .real(path)
        .map_err(|error| fail("follow its links", error))?;
    let mounts =
        mounts::mounts(root, "self").map_err(|error| fail("read the list of mounts for", error))?;
    let mount = mounts::mount_of(&mounts, &real);
    let space = rustix::fs::statvfs(root.at(path))
        .map_err(|error| fail("ask for the free space of", error.into()))?;
    // In a changed root the list of mounts lacks the root itself; there is a file system all the same.
    let (stack, beneath) = mount.map_or_else(Default::default, |mount| layers(root, mount));
    if let Some(mount) = mount.filter(|mount| MADE_AS_READ.contains(&&*mount.file_system)) {
        return Err(InspectError::NotATarget {
            path: path.to_owned(),
            what: "what the kernel makes as it is read",
            hint: format!(" ({} is mounted there)", mount.file_system),
        });
    }
    Ok(Identity {
        path: path.to_owned(),
        real,
        kind,
        drive: None,
        file_system: Some(FileSystem {
            kind: mount.map_or_else(|| "unknown".to_owned(), |mount| mount.file_system.clone()),
            mount_point: mount.map_or_else(|| PathBuf::from("/"), |mount| mount.point.clone()),
            source: mount.map_or_else(PathBuf::new, |mount| mount.source.clone()),
            options: mount.map_or_else(Vec::new, |mount| mount.options.clone()),
            size: Bytes::new(space.f_blocks.saturating_mul(space.f_frsize)),
            free: Bytes::new(space.f_bavail.saturating_mul(space.f_frsize)),
        }),
        stack,
        beneath,
    })
}

/// Every layer below a mounted file system, and the drives at the bottom.
fn layers(root: &Root, mount: &Mount) -> (Vec<String>, Vec<Drive>) {
    let mut stack = Vec::new();
    let mut seen = Vec::new();
    let mut drives = Vec::new();
    let devices = mounts::devices_of(root, mount, &mounts::btrfs_pools(root));
    let mut below: Vec<Node> = devices
        .into_iter()
        .rev()
        .filter_map(|number| Node::by_number(root, number))
        .collect();
    while let Some(node) = below.pop() {
        if seen.contains(&node.number) {
            continue;
        }
        seen.push(node.number);
        stack.push(node.label());
        let mut next: Vec<Node> = node.linked("slaves").unwrap_or_default();
        next.extend(node.parent());
        next.reverse();
        if next.is_empty() {
            drives.push(describe(root, &node));
        }
        below.extend(next);
    }
    (stack, drives)
}

#[cfg(test)]
mod tests;
