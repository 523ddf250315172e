//! Mounts and swap areas: which file systems are on which block devices.
//!
//! `/proc/PID/mountinfo` (proc(5)) has a line a mount, as one process sees them:
//! `27 1 254:0 / /home rw,relatime shared:1 - ext4 /dev/sda2 rw`. For most file systems the third
//! field is the block device's number. Btrfs and others that may span devices show a made-up number
//! (major 0); there the source names one device, and `/sys/fs/btrfs/UUID/devices` names them all.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::sysfs::{DeviceNumber, Root, entries, first_line};

/// One mounted file system, as one process sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    /// The number that files in it show as their device.
    pub(crate) number: DeviceNumber,
    /// Where it is mounted.
    pub(crate) point: PathBuf,
    /// `ext4`, `btrfs`, `tmpfs`.
    pub(crate) file_system: String,
    /// What is mounted: often a device's path.
    pub(crate) source: PathBuf,
    /// Options of the mount and of the file system, each once.
    pub(crate) options: Vec<String>,
}

/// The mounts that a process sees; `who` is a process number or `self`.
///
/// # Errors
/// Where the list cannot be read.
pub(crate) fn mounts(root: &Root, who: &str) -> io::Result<Vec<Mount>> {
    let bytes = fs::read(root.at(format!("/proc/{who}/mountinfo")))?;
    Ok(bytes
        .split(|byte| *byte == b'\n')
        .filter_map(parse_mount)
        .collect())
}

fn parse_mount(line: &[u8]) -> Option<Mount> {
    let fields: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    let dash = fields.iter().position(|field| *field == b"-")?;
    let text = |index: usize| {
        fields
            .get(index)
            .map(|field| String::from_utf8_lossy(field).into_owned())
    };
    let mut options: Vec<String> = Vec::new();
    for list in [text(5), text(dash + 3)].into_iter().flatten() {
        for option in list.split(',').map(str::to_owned) {
            if !options.contains(&option) {
                options.push(option);
            }
        }
    }
    Some(Mount {
        number: DeviceNumber::parse(&text(2)?)?,
        point: unescape(fields.get(4)?),
        file_system: text(dash + 1)?,
        source: unescape(fields.get(dash + 2)?),
        options,
    })
}

/// Undoes the kernel's `\040` for a blank and its like.
fn unescape(field: &[u8]) -> PathBuf {
    let bytes = crate::udev::unescaped(field, b"\\", 8);
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

/// The mount of an absolute path: the longest mount point that is a prefix, the last if several are mounted over each
/// other.
pub(crate) fn mount_of<'a>(mounts: &'a [Mount], path: &Path) -> Option<&'a Mount> {
    mounts
        .iter()
        .enumerate()
        .filter(|(_, mount)| path.starts_with(&mount.point))
        .max_by_key(|(index, mount)| (mount.point.as_os_str().as_bytes().len(), *index))
        .map(|(_, mount)| mount)
}

/// Every block device below a mounted file system.
pub(crate) fn devices_of(
    root: &Root,
    mount: &Mount,
    pools: &[BtrfsPool],
) -> BTreeSet<DeviceNumber> {
    let mut devices = BTreeSet::new();
    if mount.number.major != 0 {
        devices.insert(mount.number);
    }
    // Bcachefs names all its devices in the source, with colons between them.
    let source = mount.source.to_string_lossy();
    if source.starts_with('/') {
        devices.extend(root.number_of(&mount.source));
        devices.extend(source.split(':').filter_map(|path| root.number_of(path)));
    }
    // A log or data part on a device of its own (XFS).
    for key in ["logdev=", "rtdev="] {
        devices.extend(
            mount
                .options
                .iter()
                .filter_map(|option| option.strip_prefix(key))
                .filter_map(|path| root.number_of(path)),
        );
    }
    let also: Vec<DeviceNumber> = pools
        .iter()
        .filter(|pool| mount.file_system == "btrfs" && !pool.devices.is_disjoint(&devices))
        .flat_map(|pool| pool.devices.iter().copied())
        .collect();
    devices.extend(also);
    devices
}

/// A mounted Btrfs file system and all its devices.
#[derive(Clone, Debug)]
pub(crate) struct BtrfsPool {
    /// All devices that it spans.
    pub(crate) devices: BTreeSet<DeviceNumber>,
}

/// The Btrfs file systems that are mounted anywhere on the machine.
pub(crate) fn btrfs_pools(root: &Root) -> Vec<BtrfsPool> {
    let pools = entries(&root.at("/sys/fs/btrfs")).unwrap_or_default();
    pools
        .into_iter()
        .filter_map(|folder| {
            let devices = entries(&folder.join("devices")).ok()?;
            let devices = devices
                .iter()
                .filter_map(|device| DeviceNumber::parse(&first_line(&device.join("dev"))?))
                .collect();
            Some(BtrfsPool { devices })
        })
        .collect()
}

/// One active swap area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Swap {
    /// The device's or the file's path.
    pub(crate) path: PathBuf,
    /// True for a file in a file system.
    pub(crate) is_file: bool,
}

/// The active swap areas; none where the kernel has no swap.
///
/// # Errors
/// Where the list is there but cannot be read.
pub(crate) fn swaps(root: &Root) -> io::Result<Vec<Swap>> {
    let bytes = match fs::read(root.at("/proc/swaps")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read?,
    };
    // The first line is the heading; columns are filled with blanks and tabs.
    let lines = bytes.split(|byte| *byte == b'\n').skip(1);
    Ok(lines
        .filter_map(|line| {
            let mut fields = line
                .split(|byte| byte.is_ascii_whitespace())
                .filter(|field| !field.is_empty());
            let path = unescape(fields.next()?);
            Some(Swap {
                path,
                is_file: fields.next()? == b"file",
            })
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_point_with_a_blank_is_read_whole() {
        let line = b"36 27 0:44 /sub /mnt/my\\040disk rw,noatime shared:1 master:2 - btrfs /dev/sda2 rw,space_cache=v2";
        let mount = parse_mount(line).unwrap();
        assert_eq!(mount.point, Path::new("/mnt/my disk"));
        assert_eq!(mount.source, Path::new("/dev/sda2"));
        assert_eq!(mount.file_system, "btrfs");
        assert_eq!(mount.options, ["rw", "noatime", "space_cache=v2"]);
    }

    #[test]
    fn lines_that_are_cut_short_are_passed_over() {
        assert_eq!(parse_mount(b""), None);
        assert_eq!(parse_mount(b"36 27 0:44 / /mnt rw"), None);
        assert_eq!(parse_mount(b"36 27 0:44 / /mnt rw - ext4"), None);
    }

    #[test]
    fn a_path_lies_in_the_longest_and_last_mount_above_it() {
        let line = |number: &str, point: &str| {
            parse_mount(format!("1 1 {number} / {point} rw - ext4 x rw").as_bytes()).unwrap()
        };
        let mounts = [
            line("8:1", "/"),
            line("8:2", "/home"),
            line("8:3", "/home"),
            line("8:4", "/homestead"),
        ];
        let number = |path: &str| mount_of(&mounts, Path::new(path)).unwrap().number.minor;
        assert_eq!(number("/home/x"), 3);
        assert_eq!(number("/homestead"), 4);
        assert_eq!(number("/homes"), 1);
    }
}
