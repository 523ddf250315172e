//! File systems and swap areas.
//!
//! * ext2, 3, 4 (kernel `Documentation/filesystems/ext4/super.rst`): superblock at 1,024, magic
//!   `EF53` at its byte 56. A journal (compatible feature 4) makes ext2 ext3; any feature that ext3
//!   does not know makes it ext4.
//! * XFS: `XFSB` at 0, label at 108. Btrfs: `_BHRfS_M` at 64 KiB + 64, number of devices at + 136,
//!   label at + 299.
//! * NTFS, exFAT: name in bytes 3 to 10. FAT: its name at byte 54 or 82, label 11 bytes before it.
//! * Swap: `SWAPSPACE2` in the last ten bytes of the first page, whose size is the maker's; label
//!   at 1,052. A hibernated system leaves another mark there.

use std::io::{self, Read, Seek};

use super::{Content, Membership, Signature, label, le};

/// File systems identified by a single magic number: offset, magic, name.
const MARKS: [(u64, &[u8], &str); 12] = [
    (3, b"NTFS    ", "NTFS"),
    (3, b"EXFAT   ", "exFAT"),
    (3, b"\0\0\0\0ReFS", "ReFS"),
    (1024, b"\x10\x20\xF5\xF2", "F2FS"),
    (1024, b"\xE2\xE1\xF5\xE0", "EROFS"),
    (1024, b"H+\0\x04", "HFS+"),
    (1024, b"HX\0\x05", "HFSX"),
    (32, b"NXSB", "APFS"),
    (32_769, b"CD001", "ISO 9660"),
    (0, b"hsqs", "SquashFS"),
    (0, b"bluestore block device", "Ceph BlueStore"),
    (65_600, b"ReIsEr2Fs", "ReiserFS"),
];

pub(super) fn find<R: Read + Seek>(content: &mut Content<R>) -> io::Result<Vec<Signature>> {
    let mut found = Vec::new();
    found.extend(ext(content)?);
    found.extend(xfs(content)?);
    found.extend(btrfs(content)?);
    found.extend(fat(content)?);
    found.extend(swap(content)?);
    found.extend(bcache(content)?);
    for (offset, mark, kind) in MARKS {
        if content.has(offset, mark)? {
            found.push(Signature::FileSystem { kind, label: None });
        }
    }
    Ok(found)
}

fn ext<R: Read + Seek>(content: &mut Content<R>) -> io::Result<Option<Signature>> {
    let Some(block) = content.piece(1024, 256)? else {
        return Ok(None);
    };
    if le(&block, 56, 2) != 0xEF53 {
        return Ok(None);
    }
    let (compatible, incompatible, read_only) =
        (le(&block, 92, 4), le(&block, 96, 4), le(&block, 100, 4));
    // What ext3 knows: file types, recovery, a journal device, meta groups; sparse superblocks,
    // large files, directory trees.
    let beyond_ext3 = incompatible & !0x1E != 0 || read_only & !0x7 != 0;
    let kind = match (beyond_ext3, compatible & 4 != 0) {
        (true, _) => "ext4",
        (false, true) => "ext3",
        (false, false) => "ext2",
    };
    Ok(Some(Signature::FileSystem {
        kind,
        label: label(&block[120..136]),
    }))
}

fn xfs<R: Read + Seek>(content: &mut Content<R>) -> io::Result<Option<Signature>> {
    let Some(block) = content.piece(0, 120)? else {
        return Ok(None);
    };
    Ok(block.starts_with(b"XFSB").then(|| Signature::FileSystem {
        kind: "XFS",
        label: label(&block[108..120]),
    }))
}

fn btrfs<R: Read + Seek>(content: &mut Content<R>) -> io::Result<Option<Signature>> {
    let Some(block) = content.piece(64 << 10, 0x12b + 256)? else {
        return Ok(None);
    };
    if &block[0x40..0x48] != b"_BHRfS_M" {
        return Ok(None);
    }
    let label = label(&block[0x12b..]);
    Ok(Some(if le(&block, 0x88, 8) > 1 {
        Signature::Member {
            of: Membership::Btrfs,
            kind: "device of a Btrfs file system over several",
            name: label,
        }
    } else {
        Signature::FileSystem {
            kind: "Btrfs",
            label,
        }
    }))
}

fn fat<R: Read + Seek>(content: &mut Content<R>) -> io::Result<Option<Signature>> {
    let Some(sector) = content.piece(0, 512)? else {
        return Ok(None);
    };
    let named_at = |at: usize| sector[at..].starts_with(b"FAT");
    let name_at = match (named_at(82), named_at(54)) {
        (true, _) => 82,
        (_, true) => 54,
        _ => return Ok(None),
    };
    if !sector.ends_with(&[0x55, 0xAA]) {
        return Ok(None);
    }
    let label = label(&sector[name_at - 11..name_at]).filter(|label| label != "NO NAME");
    Ok(Some(Signature::FileSystem { kind: "FAT", label }))
}

fn swap<R: Read + Seek>(content: &mut Content<R>) -> io::Result<Option<Signature>> {
    for page in [4, 8, 16, 32, 64].map(|kib| kib << 10) {
        let Some(mark) = content.piece(page - 10, 10)? else {
            continue;
        };
        let hibernated = [&b"S1SUSPEND"[..], b"S2SUSPEND", b"ULSUSPEND", b"LINHIB0001"]
            .iter()
            .any(|other| mark.starts_with(other));
        if hibernated || mark == b"SWAPSPACE2" || mark == b"SWAP-SPACE" {
            let kind = if hibernated { "hibernation" } else { "swap" };
            let label = content.piece(1052, 16)?.and_then(|field| label(&field));
            return Ok(Some(Signature::FileSystem { kind, label }));
        }
    }
    Ok(None)
}

/// bcache: 16 bytes of magic at 4 KiB + 24 (kernel `drivers/md/bcache`).
fn bcache<R: Read + Seek>(content: &mut Content<R>) -> io::Result<Option<Signature>> {
    const MAGIC: [u8; 16] = [
        0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca, 0x82, 0x65, 0xf5, 0x7f, 0x48, 0xba, 0x6d,
        0x81,
    ];
    let found = content.has(4096 + 24, &MAGIC)?;
    Ok(found.then_some(Signature::Member {
        of: Membership::Cache,
        kind: "bcache device",
        name: None,
    }))
}
