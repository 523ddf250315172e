//! Zones of a block device: asking for them, and commands to them, as Linux has them (`linux/blkzoned.h`).
//!
//! io_uring has no zone commands: each is an `ioctl` that returns when the drive has completed it. Appends are not
//! available to programs; only file systems and drivers of the kernel have them.

#![allow(unsafe_code)]

use std::os::fd::{AsFd, AsRawFd};

use base::size::Bytes;
use base::zone::{Condition, Zone, ZoneKind, Zoning};
use rustix::io::Errno;

/// `BLKREPORTZONE`: `_IOWR(0x12, 130, struct blk_zone_report)`.
const BLKREPORTZONE: libc::Ioctl = 0xC010_1282_u32 as libc::Ioctl;
/// `BLKRESETZONE`: `_IOW(0x12, 131, struct blk_zone_range)`.
const BLKRESETZONE: libc::Ioctl = 0x4010_1283;
/// `BLKGETZONESZ`: `_IOR(0x12, 132, __u32)`, in sectors of 512 bytes.
const BLKGETZONESZ: libc::Ioctl = 0x8004_1284_u32 as libc::Ioctl;
/// `BLKOPENZONE`, `BLKCLOSEZONE`, `BLKFINISHZONE`: as the reset, numbers 134 to 136.
const BLKOPENZONE: libc::Ioctl = 0x4010_1286;
const BLKCLOSEZONE: libc::Ioctl = 0x4010_1287;
const BLKFINISHZONE: libc::Ioctl = 0x4010_1288;

/// Zones per query.
const AT_ONCE: usize = 256;
/// The kernel filled in the capacities (`BLK_ZONE_REP_CAPACITY`).
const HAS_CAPACITY: u32 = 1;

/// `struct blk_zone`: 64 bytes, in sectors of 512.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct BlkZone {
    start: u64,
    len: u64,
    wp: u64,
    kind: u8,
    cond: u8,
    non_seq: u8,
    reset: u8,
    reserved: [u8; 4],
    capacity: u64,
    unused: [u8; 24],
}

/// `struct blk_zone_report` with room for its zones.
#[repr(C)]
struct Report {
    sector: u64,
    zones: u32,
    flags: u32,
    zone: [BlkZone; AT_ONCE],
}

const _: () = assert!(size_of::<BlkZone>() == 64);
const _: () = assert!(size_of::<Report>() == 16 + 64 * AT_ONCE);

fn checked(result: libc::c_int) -> Result<(), Errno> {
    if result == 0 {
        return Ok(());
    }
    let error = std::io::Error::last_os_error();
    Err(Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

/// Length of a device's zones; nothing where it has none.
pub(crate) fn zone_length(device: impl AsFd) -> Option<Bytes> {
    let mut sectors = 0_u32;
    let device = device.as_fd().as_raw_fd();
    // SAFETY: BLKGETZONESZ writes one 32-bit number, which outlives the call; what does not know it writes nothing.
    checked(unsafe { libc::ioctl(device, BLKGETZONESZ, &raw mut sectors) }).ok()?;
    (sectors > 0).then(|| Bytes::SECTOR * u64::from(sectors))
}

/// A command to the zones of a range.
///
/// # Errors
/// The kernel's error; EOPNOTSUPP for an append.
pub(crate) fn command(
    device: impl AsFd,
    what: Zoning,
    start: Bytes,
    length: Bytes,
) -> Result<(), Errno> {
    let request = match what {
        Zoning::Append => return Err(Errno::OPNOTSUPP),
        Zoning::Open => BLKOPENZONE,
        Zoning::Close => BLKCLOSEZONE,
        Zoning::Finish => BLKFINISHZONE,
        Zoning::Reset => BLKRESETZONE,
    };
    let range = [start.get() / 512, length.get() / 512];
    // SAFETY: each of these reads a `blk_zone_range`, two 64-bit numbers of sectors, and writes nothing to us.
    checked(unsafe { libc::ioctl(device.as_fd().as_raw_fd(), request, range.as_ptr()) })
}

/// The zones from the one that contains a byte on, at most `most`.
///
/// # Errors
/// The kernel's error; ENOTTY or EINVAL if there are no zones.
pub(crate) fn report(device: impl AsFd, from: Bytes, most: usize) -> Result<Vec<Zone>, Errno> {
    let mut zones: Vec<Zone> = Vec::new();
    let mut sector = from.get() / 512;
    while zones.len() < most {
        let mut asked = Box::new(Report {
            sector,
            zones: (most - zones.len()).min(AT_ONCE) as u32,
            flags: 0,
            zone: [BlkZone::default(); AT_ONCE],
        });
        let device = device.as_fd().as_raw_fd();
        // SAFETY: BLKREPORTZONE fills in the header and at most as many zones as `zones` says, which is no more than
        // there is room for; all are plain numbers.
        checked(unsafe { libc::ioctl(device, BLKREPORTZONE, &raw mut *asked) })?;
        let told = &asked.zone[..(asked.zones as usize).min(AT_ONCE)];
        let Some(last) = told.last() else { break };
        sector = last.start.saturating_add(last.len);
        zones.extend(told.iter().map(|zone| of_kernel(zone, asked.flags)));
    }
    Ok(zones)
}

/// A zone as the kernel reports it (numbers of `enum blk_zone_type` and `enum blk_zone_cond`).
fn of_kernel(zone: &BlkZone, flags: u32) -> Zone {
    let bytes = |sectors: u64| Bytes::new(sectors.saturating_mul(512));
    let capacity = if flags & HAS_CAPACITY == 0 {
        zone.len
    } else {
        zone.capacity
    };
    Zone {
        start: bytes(zone.start),
        length: bytes(zone.len),
        capacity: bytes(capacity),
        write_pointer: bytes(zone.wp),
        kind: match zone.kind {
            1 => ZoneKind::Conventional,
            3 => ZoneKind::SequentialPreferred,
            _ => ZoneKind::SequentialRequired,
        },
        condition: match zone.cond {
            0 => Condition::NotWritePointer,
            1 => Condition::Empty,
            2 => Condition::ImplicitOpen,
            3 => Condition::ExplicitOpen,
            4 => Condition::Closed,
            0xd => Condition::ReadOnly,
            0xe => Condition::Full,
            _ => Condition::Offline,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_zones_says_so() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(zone_length(&file), None);
        assert!(report(&file, Bytes::ZERO, 1).is_err());
        assert!(command(&file, Zoning::Reset, Bytes::ZERO, Bytes::mib(1)).is_err());
        let append = command(&file, Zoning::Append, Bytes::ZERO, Bytes::mib(1));
        assert_eq!(append, Err(Errno::OPNOTSUPP));
    }

    #[test]
    fn a_zone_is_read_as_the_kernel_writes_it() {
        let kernel = BlkZone {
            start: 2_048,
            len: 4_096,
            wp: 2_056,
            kind: 2,
            cond: 4,
            capacity: 3_072,
            ..BlkZone::default()
        };
        let zone = of_kernel(&kernel, HAS_CAPACITY);
        assert_eq!((zone.start, zone.length), (Bytes::mib(1), Bytes::mib(2)));
        assert_eq!(zone.capacity, Bytes::kib(1_536));
        assert_eq!(zone.condition, Condition::Closed);
        assert_eq!(of_kernel(&kernel, 0).capacity, Bytes::mib(2));
    }
}
