//! Parts of larger wholes: RAID members, LVM volumes, ZFS pools; and encrypted volumes.
//!
//! * md (kernel `Documentation/admin-guide/md.rst`, `include/uapi/linux/raid/md_p.h`): magic `a92b4efc`. Version 0.90
//!   is in the last whole 64 KiB but one, in native byte order; 1.0 about 8 KiB before the end, 1.1 at the beginning,
//!   1.2 4 KiB after it. Version 1 superblocks contain their own sector number (byte 144), which distinguishes a
//!   partition's from its drive's.
//! * LVM2: `LABELONE` in one of the first four sectors, `LVM2 001` at its byte 24.
//! * ZFS: four labels of 256 KiB, two at each end; the second half of each is a ring of uberblocks
//!   with the magic `00bab10c` in either byte order; the pool's name is in the list at 16 KiB.
//! * LUKS: `LUKS BA BE`, version in bytes 6 and 7.
//! * Firmware RAID: Intel's mark in the second last sector, the DDF standard's in the last.

use std::io::{self, Read, Seek};

use super::{Content, Membership, Signature, be, label, le};

const MD_MAGIC: u64 = 0xa92b_4efc;
const ZFS_MAGIC: u64 = 0x00ba_b10c;
const ZFS_LABEL: u64 = 256 << 10;

pub(super) fn find<R: Read + Seek>(content: &mut Content<R>) -> io::Result<Vec<Signature>> {
    let mut found = Vec::new();
    found.extend(md(content)?);
    found.extend(firmware_raid(content)?);
    found.extend(lvm(content)?);
    found.extend(zfs(content)?);
    found.extend(encrypted(content)?);
    Ok(found)
}

fn md<R: Read + Seek>(content: &mut Content<R>) -> io::Result<Option<Signature>> {
    let member = |kind, name| {
        Some(Signature::Member {
            of: Membership::Raid,
            kind,
            name,
        })
    };
    let sectors = content.bytes() / 512;
    let near_end = sectors.saturating_sub(16) & !7;
    for (sector, kind) in [
        (0, "md RAID member (1.1)"),
        (8, "md RAID member (1.2)"),
        (near_end, "md RAID member (1.0)"),
    ] {
        let Some(block) = content.piece(sector * 512, 256)? else {
            continue;
        };
        if le(&block, 0, 4) == MD_MAGIC && le(&block, 4, 4) == 1 && le(&block, 144, 8) == sector {
            return Ok(member(kind, label(&block[32..64])));
        }
    }
    const RESERVED: u64 = 64 << 10;
    let Some(old) = (content.bytes() & !(RESERVED - 1)).checked_sub(RESERVED) else {
        return Ok(None);
    };
    let Some(block) = content.piece(old, 8)? else {
        return Ok(None);
    };
    let is_old = (le(&block, 0, 4) == MD_MAGIC && le(&block, 4, 4) == 0)
        || (be(&block, 0, 4) == MD_MAGIC && be(&block, 4, 4) == 0);
    Ok(if is_old {
        member("md RAID member (0.90)", None)
    } else {
        None
    })
}

fn firmware_raid<R: Read + Seek>(content: &mut Content<R>) -> io::Result<Option<Signature>> {
    let member = |kind| {
        Some(Signature::Member {
            of: Membership::Raid,
            kind,
            name: None,
        })
    };
    let end = content.bytes() / 512 * 512;
    if content.has(end.saturating_sub(1024), b"Intel Raid ISM Cfg Sig. ")? {
        return Ok(member("Intel firmware RAID member"));
    }
    let ddf = content.has(end.saturating_sub(512), &[0xDE, 0x11, 0xDE, 0x11])?;
    Ok(if ddf {
        member("DDF firmware RAID member")
    } else {
        None
    })
}

fn lvm<R: Read + Seek>(content: &mut Content<R>) -> io::Result<Option<Signature>> {
    for sector in 0..4 {
        if content.has(sector * 512, b"LABELONE")? && content.has(sector * 512 + 24, b"LVM2 001")? {
            return Ok(Some(Signature::Member {
                of: Membership::Lvm,
                kind: "LVM2 physical volume",
                name: None,
            }));
        }
    }
    Ok(None)
}

fn zfs<R: Read + Seek>(content: &mut Content<R>) -> io::Result<Option<Signature>> {
    let end = content.bytes() / ZFS_LABEL * ZFS_LABEL;
    let labels = [
        0,
        ZFS_LABEL,
        end.saturating_sub(2 * ZFS_LABEL),
        end.saturating_sub(ZFS_LABEL),
    ];
    for start in labels {
        let Some(ring) = content.piece(start + ZFS_LABEL / 2, ZFS_LABEL as usize / 2)? else {
            continue;
        };
        let is_uberblock = |slot: &[u8]| le(slot, 0, 8) == ZFS_MAGIC || be(slot, 0, 8) == ZFS_MAGIC;
        if ring.chunks(1024).any(is_uberblock) {
            let list = content
                .piece(start + (16 << 10), 112 << 10)?
                .unwrap_or_default();
            return Ok(Some(Signature::Member {
                of: Membership::Zfs,
                kind: "ZFS pool member",
                name: pool_name(&list),
            }));
        }
    }
    Ok(None)
}

/// The string `name` of a list of names and values in XDR (RFC 4506): length and letters of the
/// name, type 9 (string), one element, length and letters of the value.
fn pool_name(list: &[u8]) -> Option<String> {
    const ENTRY: &[u8] = b"\0\0\0\x04name\0\0\0\x09\0\0\0\x01";
    let at = list
        .windows(ENTRY.len())
        .position(|window| window == ENTRY)?
        + ENTRY.len();
    let length = be(list, at, 4) as usize;
    label(list.get(at + 4..)?.get(..length)?)
}

fn encrypted<R: Read + Seek>(content: &mut Content<R>) -> io::Result<Option<Signature>> {
    if content.has(3, b"-FVE-FS-")? {
        return Ok(Some(Signature::Encrypted {
            kind: "BitLocker",
            label: None,
        }));
    }
    let Some(header) = content.piece(0, 72)? else {
        return Ok(None);
    };
    if !header.starts_with(b"LUKS\xBA\xBE") {
        return Ok(None);
    }
    let second = be(&header, 6, 2) >= 2;
    Ok(Some(Signature::Encrypted {
        kind: if second { "LUKS2" } else { "LUKS1" },
        label: if second { label(&header[24..72]) } else { None },
    }))
}
