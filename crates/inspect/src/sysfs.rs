//! Block devices as `/sys` shows them: a folder each, named by its number in `/sys/dev/block`.
//!
//! A device node such as `/dev/sda` is only a name for a pair of numbers, major and minor; the kernel's own name, its
//! attributes and its relations depend on these. A partition's directory is inside its drive's directory, `holders` and
//! `slaves` are directories of links to other devices.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

use base::size::Bytes;
use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

/// Why a path or a device could not be inspected.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// There is nothing at the path.
    #[error("{path}: there is no such device, file or directory; check the name (`lsblk` lists devices)", path = path.display())]
    NotFound {
        /// The path as it was given.
        path: PathBuf,
    },
    /// The path cannot be reached or read by this user.
    #[error("{path}: permission denied; run as root, or as a user with read permission", path = path.display())]
    NoPermission {
        /// The path that could not be read.
        path: PathBuf,
    },
    /// Nobody may write it.
    #[error("{path} is immutable or append-only, even for root; `chattr -i -a` removes the attribute", path = path.display())]
    Fixed {
        /// The path that could not be opened.
        path: PathBuf,
    },
    /// A terminal, a pipe, a socket, an NVMe controller: nothing that has blocks.
    #[error("{path} is {what}, not a block device, a file or a directory{hint}", path = path.display())]
    NotATarget {
        /// The path as it was given.
        path: PathBuf,
        what: &'static str,
        /// What to name instead, or nothing.
        hint: String,
    },
    /// Something else has its name since it was inspected.
    #[error("{path} was not opened: its name now belongs to another file or device; check what it is", path = path.display())]
    Changed {
        /// The path as it was given.
        path: PathBuf,
    },
    /// The device has a number, but `/sys` does not know it.
    #[error("{path} is block device {number}, which is not in {sys}; is the device still attached, and is sysfs mounted?", path = path.display(), sys = sys.display())]
    NotInSysfs {
        /// The path as it was given.
        path: PathBuf,
        number: DeviceNumber,
        /// Where it was looked for.
        sys: PathBuf,
    },
    /// Any other failure of the system.
    #[error("{path}: cannot {what}: {source}", path = path.display())]
    Io {
        /// What was to be done.
        what: &'static str,
        /// With which file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// True for a file that was not opened since it has a mark by which it is not to be changed (statx(2)).
fn is_fixed(path: &Path, error: &io::Error) -> bool {
    let fixed = StatxAttributes::IMMUTABLE | StatxAttributes::APPEND;
    let asked = || statx(CWD, path, AtFlags::STATX_DONT_SYNC, StatxFlags::TYPE);
    error.raw_os_error() == Some(Errno::PERM.raw_os_error())
        && asked().is_ok_and(|found| found.stx_attributes.intersects(fixed))
}

impl InspectError {
    /// The error that `source` is, when it came from doing `what` with `path`.
    pub(crate) fn from_io(what: &'static str, path: &Path, source: io::Error) -> InspectError {
        let path = path.to_owned();
        match source.kind() {
            _ if is_fixed(&path, &source) => InspectError::Fixed { path },
            io::ErrorKind::NotFound => InspectError::NotFound { path },
            io::ErrorKind::PermissionDenied => InspectError::NoPermission { path },
            _ => InspectError::Io { what, path, source },
        }
    }
}

/// The pair of numbers by which the kernel identifies a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DeviceNumber {
    /// The driver's number: 8 for `sd`, 259 for NVMe and others, 7 for loop.
    pub major: u32,
    /// The device's number with that driver.
    pub minor: u32,
}

impl DeviceNumber {
    /// The number that `st_rdev` or `st_dev` holds.
    pub(crate) fn from_raw(raw: u64) -> DeviceNumber {
        DeviceNumber {
            major: rustix::fs::major(raw),
            minor: rustix::fs::minor(raw),
        }
    }

    /// Reads `8:0`.
    pub(crate) fn parse(text: &str) -> Option<DeviceNumber> {
        let (major, minor) = text.trim().split_once(':')?;
        Some(DeviceNumber {
            major: major.parse().ok()?,
            minor: minor.parse().ok()?,
        })
    }
}

impl fmt::Display for DeviceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

/// Where the inspected machine's files begin: `/` for this machine, a folder for a recorded one.
///
/// In a recorded tree a device node is an ordinary file in `dev/` (its bytes are the device's content) that
/// `/sys/class/block` lists by name, since making real nodes requires privileges. Absolute links leave the tree and are
/// not followed; the links of `/sys` and `/dev/disk` are relative.
#[derive(Clone, Debug)]
pub struct Root {
    base: PathBuf,
    /// Another directory instead of `/proc`: tests remove processes from it.
    #[cfg(test)]
    proc: Option<PathBuf>,
}

impl Root {
    /// A machine whose files begin at `base`.
    pub fn new(base: impl AsRef<Path>) -> Root {
        let base = base.as_ref();
        // A root that is not there is found out by whatever is read first.
        Root {
            base: base.canonicalize().unwrap_or_else(|_| base.to_owned()),
            #[cfg(test)]
            proc: None,
        }
    }

    /// The same machine with another `/proc`.
    #[cfg(test)]
    pub(crate) fn with_proc(self, proc: &Path) -> Root {
        Root {
            proc: Some(proc.to_owned()),
            ..self
        }
    }

    /// True for this machine itself.
    pub fn is_live(&self) -> bool {
        self.base == Path::new("/")
    }

    /// The location of `path`, absolute on the inspected machine, on this one. On this machine itself a relative path
    /// stays unchanged.
    pub(crate) fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        #[cfg(test)]
        if let Some(proc) = &self.proc
            && let Ok(inside) = path.strip_prefix("/proc")
        {
            return proc.join(inside);
        }
        if self.is_live() {
            return path.to_owned();
        }
        let inside: PathBuf = path
            .components()
            .filter(|part| matches!(part, Component::Normal(_)))
            .collect();
        self.base.join(inside)
    }

    /// The path with all its links followed, as the inspected machine names it.
    pub(crate) fn real(&self, path: impl AsRef<Path>) -> io::Result<PathBuf> {
        let real = self.at(path).canonicalize()?;
        if self.is_live() {
            return Ok(real);
        }
        match real.strip_prefix(&self.base) {
            Ok(inside) => Ok(Path::new("/").join(inside)),
            Err(_) => Err(io::Error::new(
                io::ErrorKind::NotFound,
                "a link leads out of the recorded tree",
            )),
        }
    }

    /// The first line of a small text file, trimmed; `None` where it is absent, unreadable or empty.
    pub(crate) fn line(&self, path: impl AsRef<Path>) -> Option<String> {
        first_line(&self.at(path))
    }

    /// The number of the block device that a path names, or `None` where it names something else.
    /// A node that was removed from `/dev` (a container shows few of them) is still found by name.
    pub(crate) fn number_of(&self, path: impl AsRef<Path>) -> Option<DeviceNumber> {
        let path = path.as_ref();
        if self.is_live()
            && let Ok(found) = fs::metadata(path)
        {
            return found
                .file_type()
                .is_block_device()
                .then(|| DeviceNumber::from_raw(found.rdev()));
        }
        let real = self.real(path).unwrap_or_else(|_| path.to_owned());
        let name = real.strip_prefix("/dev").ok()?.to_str()?.replace('/', "!");
        DeviceNumber::parse(&self.line(format!("/sys/class/block/{name}/dev"))?)
    }
}

/// One block device: a whole drive, a partition, an array, a volume, a loop.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The kernel's name: `sda1`, `dm-0`; `!` stands for a slash.
    pub(crate) name: String,
    pub(crate) number: DeviceNumber,
    /// Its folder, on this machine, with all links followed.
    pub(crate) folder: PathBuf,
}

impl Node {
    /// The device of that number, or `None` where `/sys` has none.
    pub(crate) fn by_number(root: &Root, number: DeviceNumber) -> Option<Node> {
        Node::in_folder(&root.at(format!("/sys/dev/block/{number}")))
    }

    /// The device whose folder this is.
    pub(crate) fn in_folder(folder: &Path) -> Option<Node> {
        let folder = folder.canonicalize().ok()?;
        let number = DeviceNumber::parse(&first_line(&folder.join("dev"))?)?;
        let name = folder.file_name()?.to_str()?.to_owned();
        Some(Node {
            name,
            number,
            folder,
        })
    }

    /// Every block device of the machine, in order of name. Paths of a multipath NVMe drive, which have no node of
    /// their own (`hidden`), are omitted.
    pub(crate) fn all(root: &Root) -> io::Result<Vec<Node>> {
        let mut nodes: Vec<Node> = entries(&root.at("/sys/class/block"))?
            .iter()
            .filter_map(|folder| Node::in_folder(folder))
            .filter(|node| node.attribute("hidden").as_deref() != Some("1"))
            .collect();
        nodes.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(nodes)
    }

    /// An attribute of the device itself (`ro`, `size`, `dm/uuid`); `None` where it has none.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        first_line(&self.folder.join(name))
    }

    /// A number among the attributes of the device itself.
    pub(crate) fn number_attribute(&self, name: &str) -> Option<u64> {
        self.attribute(name)?.parse().ok()
    }

    /// True for a partition of a drive.
    pub(crate) fn is_partition(&self) -> bool {
        self.folder.join("partition").exists()
    }

    /// The directory of the whole drive: its own, or for a partition its parent. It contains `queue` and `device`.
    pub(crate) fn drive_folder(&self) -> &Path {
        match self.folder.parent() {
            Some(parent) if self.is_partition() => parent,
            _ => &self.folder,
        }
    }

    /// The whole drive of a partition; `None` where this is no partition.
    pub(crate) fn parent(&self) -> Option<Node> {
        if self.is_partition() {
            Node::in_folder(self.drive_folder())
        } else {
            None
        }
    }

    /// The length. `/sys` counts it in 512-byte sectors, whatever the drive's own are.
    pub(crate) fn capacity(&self) -> Bytes {
        self.sectors("size")
    }

    /// Where it begins on the drive that it is a partition of.
    pub(crate) fn start(&self) -> Bytes {
        self.sectors("start")
    }

    /// An attribute in sectors of 512 bytes; none is 0, more than can be is all that can be named.
    fn sectors(&self, name: &str) -> Bytes {
        let sectors = self.number_attribute(name).unwrap_or(0);
        Bytes::new(Bytes::SECTOR.get().saturating_mul(sectors))
    }

    /// The devices linked from `holders` or `slaves`.
    ///
    /// # Errors
    /// If the directory or a linked device cannot be read: then they are unknown.
    pub(crate) fn linked(&self, relation: &str) -> io::Result<Vec<Node>> {
        let unknown =
            |folder: &Path| io::Error::other(format!("{} leads nowhere", folder.display()));
        entries(&self.folder.join(relation))?
            .iter()
            .map(|folder| Node::in_folder(folder).ok_or_else(|| unknown(folder)))
            .collect()
    }

    /// The node's usual path: `/dev/sda1`.
    pub(crate) fn path(&self) -> PathBuf {
        Path::new("/dev").join(self.name.replace('!', "/"))
    }

    /// The kernel's name and, in brackets, the name given by its owner.
    pub(crate) fn label(&self) -> String {
        let name = self.name.replace('!', "/");
        let known_as = if let Some(volume) = self.attribute("dm/name") {
            Some(format!(
                "{} {volume}",
                mapping_kind(&self.attribute("dm/uuid").unwrap_or_default())
            ))
        } else if let Some(file) = self.attribute("loop/backing_file") {
            Some(file)
        } else {
            self.attribute("md/level")
                .map(|level| level.replace("raid", "RAID "))
        };
        known_as.map_or(name.clone(), |known_as| format!("{name} ({known_as})"))
    }
}

/// The creator of a device-mapper device, from the prefix of its UUID.
pub(crate) fn mapping_kind(uuid: &str) -> &'static str {
    // A partition on a mapped device is `part1-` before the whole device's UUID.
    let uuid = match uuid
        .strip_prefix("part")
        .and_then(|rest| rest.split_once('-'))
    {
        Some((digits, rest)) if digits.bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => uuid,
    };
    match uuid.split('-').next().unwrap_or_default() {
        "LVM" => "LVM volume",
        "CRYPT" => "encrypted volume",
        "mpath" => "multipath drive",
        "DMRAID" => "RAID set",
        _ => "device-mapper volume",
    }
}

/// The first line of a small text file, trimmed; `None` where it is absent, unreadable or empty.
pub(crate) fn first_line(path: &Path) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let line = text
        .lines()
        .next()
        .unwrap_or_default()
        .trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!line.is_empty()).then(|| line.to_owned())
}

/// The paths in a folder, in order of name.
pub(crate) fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
