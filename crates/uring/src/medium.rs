//! Properties of an open file that determine how to access it: its size, the units of direct I/O, and whether the
//! kernel can start an I/O without blocking.
//!
//! * **Alignment**: `statx` with `STATX_DIOALIGN` (Linux 6.1) gives the exact units, or zeros where
//!   the file has no direct I/O although opening it with `O_DIRECT` succeeds. A block device has its
//!   logical block size. Elsewhere the smallest unit that a read accepts is found by trying.
//! * **Non-blocking path**: `preadv2` with `RWF_NOWAIT` either reads, or returns EAGAIN ("would block"), or EOPNOTSUPP
//!   (not supported by this file). In the last case io_uring passes each I/O to a worker thread of the kernel.
//! * **In memory**: tmpfs, ramfs, and the devices zram and ram.

use std::io::IoSliceMut;
use std::os::fd::OwnedFd;

use base::size::Bytes;
use rustix::fs::{AtFlags, FileType, SeekFrom, StatxFlags};
use rustix::io::{Errno, ReadWriteFlags};

use crate::raw;

/// The properties of an open file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Medium {
    pub(crate) device: bool,
    pub(crate) size: Bytes,
    /// The unit of offsets and lengths.
    pub(crate) block: Bytes,
    pub(crate) in_memory: bool,
    /// False where io_uring would need a worker thread for each access.
    pub(crate) begins_without_blocking: bool,
    /// Such as `ext4`, `tmpfs`, `block device`.
    pub(crate) kind: String,
}

/// What an open file is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// A directory, a socket, a character device ...
    NotStorage(&'static str),
    /// There is no direct I/O on it.
    NoDirectIo { kind: String },
    /// A system call failed.
    Failed { call: &'static str, errno: Errno },
}

impl Medium {
    /// Looks at an open file; with `direct`, in the mode that `O_DIRECT` (already set) gives.
    pub(crate) fn of(fd: &OwnedFd, direct: bool) -> Result<Medium, Unfit> {
        let failed = |call| move |errno| Unfit::Failed { call, errno };
        let stat = rustix::fs::fstat(fd).map_err(failed("fstat"))?;
        let device = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => false,
            FileType::BlockDevice => true,
            other => return Err(Unfit::NotStorage(name_of(other))),
        };
        // A block device's length is where its end is; `st_size` says 0.
        let size = rustix::fs::seek(fd, SeekFrom::End(0)).map_err(failed("lseek"))?;
        let kind = if device {
            "block device".to_owned()
        } else {
            file_system(fd)
        };
        let in_memory = match device {
            true => is_memory_device(stat.st_rdev),
            false => matches!(kind.as_str(), "tmpfs" | "ramfs"),
        };
        let block = block_of(fd, device, direct)
            // tmpfs takes the flag since Linux 6.6 and copies all the same.
            .filter(|_| !(direct && in_memory && !device))
            .ok_or_else(|| Unfit::NoDirectIo { kind: kind.clone() })?;
        Ok(Medium {
            device,
            size: Bytes::new(size),
            block,
            in_memory,
            begins_without_blocking: begins_without_blocking(fd, block),
            kind,
        })
    }
}

fn name_of(kind: FileType) -> &'static str {
    match kind {
        FileType::Directory => "a directory",
        FileType::CharacterDevice => "a character device",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::Symlink => "a symbolic link",
        _ => "something else",
    }
}

/// By the number that `statfs` gives (`linux/magic.h`, and the file systems' own headers).
fn file_system(fd: &OwnedFd) -> String {
    let Ok(stat) = rustix::fs::fstatfs(fd) else {
        return "unknown file system".to_owned();
    };
    let name = match stat.f_type as u32 {
        0xef53 => "ext4",
        0x5846_5342 => "xfs",
        0x9123_683e => "btrfs",
        0xf2f5_2010 => "f2fs",
        0x2fc1_2fc1 => "zfs",
        0xca45_1a4e => "bcachefs",
        0x4d44 => "vfat",
        0x2011_bab0 => "exfat",
        0x5346_544e | 0x7366_746e => "ntfs",
        0x0102_1994 => "tmpfs",
        0x8584_58f6 => "ramfs",
        0x794c_7630 => "overlayfs",
        0x6573_5546 => "fuse",
        0x6969 => "nfs",
        0x0102_1997 => "9p",
        0xff53_4d42 | 0xfe53_4d42 => "smb",
        other => return format!("file system {other:#x}"),
    };
    name.to_owned()
}

/// zram and ram devices are known by their driver's name.
fn is_memory_device(number: u64) -> bool {
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let link = std::fs::read_link(format!("/sys/dev/block/{major}:{minor}"));
    link.is_ok_and(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        ["zram", "ram"].iter().any(|driver| {
            name.strip_prefix(driver)
                .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        })
    })
}

/// The unit of offsets and lengths; `None` where there is no direct I/O.
fn block_of(fd: &OwnedFd, device: bool, direct: bool) -> Option<Bytes> {
    if device {
        return Some(Bytes::new(u64::from(
            rustix::fs::ioctl_blksszget(fd).unwrap_or(512),
        )));
    }
    if !direct {
        return Some(Bytes::SECTOR);
    }
    match rustix::fs::statx(fd, c"", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN) {
        Ok(x) if StatxFlags::from_bits_retain(x.stx_mask).contains(StatxFlags::DIOALIGN) => {
            let exact = Bytes::new(u64::from(x.stx_dio_offset_align));
            (x.stx_dio_mem_align > 0 && !exact.is_zero()).then(|| exact.round_up(Bytes::SECTOR))
        }
        _ => Some(smallest_accepted(fd)),
    }
}

/// The smallest unit that a direct read accepts; a page where none is refused for its size.
fn smallest_accepted(fd: &OwnedFd) -> Bytes {
    let accepted = |&unit: &usize| {
        raw::buffers(raw::PAGE).is_ok_and(|mut buffer| {
            rustix::io::pread(fd, &mut buffer[..unit], unit as u64) != Err(Errno::INVAL)
        })
    };
    let unit = [512, 1_024, 2_048].into_iter().find(accepted);
    Bytes::new(unit.unwrap_or(raw::PAGE) as u64)
}

fn begins_without_blocking(fd: &OwnedFd, block: Bytes) -> bool {
    let Ok(mut buffer) = raw::buffers(block.get() as usize) else {
        return true;
    };
    let mut slice = [IoSliceMut::new(&mut buffer[..block.get() as usize])];
    let read = rustix::io::preadv2(fd, &mut slice, 0, ReadWriteFlags::NOWAIT);
    read != Err(Errno::OPNOTSUPP)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(path: &str) -> Result<Medium, Unfit> {
        Medium::of(&std::fs::File::open(path).unwrap().into(), false)
    }

    #[test]
    fn what_is_no_storage_is_called_by_its_name() {
        assert_eq!(probe("/"), Err(Unfit::NotStorage("a directory")));
        assert_eq!(
            probe("/dev/null"),
            Err(Unfit::NotStorage("a character device"))
        );
    }

    #[test]
    fn a_file_knows_its_size_and_works_in_sectors_through_the_page_cache() {
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, &[7; 5_000]).unwrap();
        let medium = Medium::of(&file.into(), false).unwrap();
        assert!(!medium.device);
        assert_eq!(medium.size, Bytes::new(5_000));
        assert_eq!(medium.block, Bytes::SECTOR);
    }
}
