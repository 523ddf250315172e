//! Each mark on an image of a few megabytes that holds nothing else, and real images where the
//! tools that make them are installed.

use std::io::{Cursor, Write};
use std::process::{Command, Stdio};

use super::*;

const MIB: usize = 1 << 20;

/// What is found on 4 MiB of zeros with these bytes at these offsets.
fn found_with(marks: &[(usize, &[u8])]) -> Vec<String> {
    let mut image = vec![0; 4 * MIB];
    for (offset, bytes) in marks {
        image[*offset..offset + bytes.len()].copy_from_slice(bytes);
    }
    found_in(image)
}

fn found_in(image: Vec<u8>) -> Vec<String> {
    let mut content = Content::whole(Cursor::new(image)).unwrap();
    probe(&mut content)
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn an_empty_or_tiny_device_holds_nothing() {
    assert!(found_with(&[]).is_empty());
    for bytes in [0, 1, 511, 512, 1024, 4096, 70_000] {
        assert!(found_in(vec![0; bytes]).is_empty(), "{bytes}");
    }
}

#[test]
fn an_mbr_counts_its_entries_in_use() {
    let entry = [0x80, 0, 0, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 16, 0, 0];
    let second = [0, 0, 0, 0, 0x07, 0, 0, 0, 0, 24, 0, 0, 0, 1, 0, 0];
    let table = [
        (446, &entry[..]),
        (462, &second[..]),
        (510, &[0x55, 0xAA][..]),
    ];
    assert_eq!(
        found_with(&table),
        ["MBR partition table with 2 partitions"]
    );
    assert!(
        found_with(&[(510, &[0x55, 0xAA])]).is_empty(),
        "a boot sector without a table"
    );
    assert!(
        found_with(&[(446, &[0x33; 64]), (510, &[0x55, 0xAA])]).is_empty(),
        "boot code, not a table"
    );
}

/// A GPT header whose entries begin at a block, 128 of 128 bytes.
fn gpt_header(entries_at: u64) -> Vec<u8> {
    let mut header = vec![0; 92];
    header[..8].copy_from_slice(b"EFI PART");
    header[72..80].copy_from_slice(&entries_at.to_le_bytes());
    header[80..84].copy_from_slice(&128_u32.to_le_bytes());
    header[84..88].copy_from_slice(&128_u32.to_le_bytes());
    header
}

#[test]
fn a_gpt_is_found_with_either_block_size_and_by_its_copy() {
    let header = gpt_header(2);
    let used = [7; 16];
    assert_eq!(
        found_with(&[(512, &header), (1024, &used), (1024 + 256, &used)]),
        ["GPT with 2 partitions"]
    );
    assert_eq!(
        found_with(&[(4096, &header), (8192, &used)]),
        ["GPT with 1 partition"]
    );
    let copy = gpt_header(8159);
    assert_eq!(
        found_with(&[(4 * MIB - 512, &copy), (8159 * 512, &used)]),
        ["GPT with 1 partition (only its copy at the end is left)"]
    );
}

#[test]
fn a_gpt_header_with_absurd_numbers_is_still_named() {
    let mut header = gpt_header(u64::MAX);
    assert_eq!(found_with(&[(512, &header)]), ["GPT with 0 partitions"]);
    header[84..88].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(found_with(&[(512, &header)]), ["GPT with 0 partitions"]);
}

#[test]
fn ext_versions_are_told_by_their_features() {
    let ext = |compatible: u8, incompatible: u8| {
        found_with(&[
            (1024 + 56, &[0x53, 0xEF]),
            (1024 + 92, &[compatible]),
            (1024 + 96, &[incompatible]),
            (1024 + 120, b"data"),
        ])
    };
    assert_eq!(ext(0, 2), ["ext2 file system 'data'"]);
    assert_eq!(ext(4, 2), ["ext3 file system 'data'"]);
    assert_eq!(ext(4, 0x42), ["ext4 file system 'data'"]);
}

#[test]
fn file_systems_are_named_with_their_labels() {
    assert_eq!(
        found_with(&[(0, b"XFSB"), (108, b"scratch")]),
        ["XFS file system 'scratch'"]
    );
    assert_eq!(
        found_with(&[(3, b"NTFS    "), (510, &[0x55, 0xAA])]),
        ["NTFS file system"]
    );
    assert_eq!(found_with(&[(3, b"EXFAT   ")]), ["exFAT file system"]);
    let fat = [
        (71, &b"CAMERA     FAT32   "[..]),
        (446, &[0; 4][..]),
        (510, &[0x55, 0xAA][..]),
    ];
    assert_eq!(found_with(&fat), ["FAT file system 'CAMERA'"]);
    let unnamed = [(43, &b"NO NAME    FAT16   "[..]), (510, &[0x55, 0xAA][..])];
    assert_eq!(found_with(&unnamed), ["FAT file system"]);
    assert_eq!(
        found_with(&[(4086, b"SWAPSPACE2"), (1052, b"paging")]),
        ["swap area 'paging'"]
    );
    assert_eq!(found_with(&[(65_526, b"SWAPSPACE2")]), ["swap area"]);
    assert_eq!(
        found_with(&[(4086, b"S1SUSPEND\0")]),
        ["swap area with a hibernated system"]
    );
}

#[test]
fn a_label_cannot_steer_the_terminal() {
    assert_eq!(
        found_with(&[(0, b"XFSB"), (108, b"\x1b[2Jx\ny")]),
        ["XFS file system '[2Jxy'"]
    );
}

#[test]
fn btrfs_over_several_devices_is_a_member_and_over_one_is_not() {
    let btrfs = |devices: u8| {
        found_with(&[
            (65_600, b"_BHRfS_M"),
            (65_536 + 0x88, &[devices]),
            (65_536 + 0x12b, b"pool"),
        ])
    };
    assert_eq!(btrfs(1), ["Btrfs file system 'pool'"]);
    assert_eq!(
        btrfs(2),
        ["device of a Btrfs file system over several 'pool'"]
    );
}

#[test]
fn raid_superblocks_are_found_where_each_version_puts_them() {
    let superblock = |sector: u64| {
        let mut block = vec![0; 256];
        block[..4].copy_from_slice(&0xa92b_4efc_u32.to_le_bytes());
        block[4] = 1;
        block[32..40].copy_from_slice(b"host:md0");
        block[144..152].copy_from_slice(&sector.to_le_bytes());
        block
    };
    let near_end = (4 * MIB / 512 - 16) as u64;
    assert_eq!(
        found_with(&[(0, &superblock(0))]),
        ["md RAID member (1.1) 'host:md0'"]
    );
    assert_eq!(
        found_with(&[(4096, &superblock(8))]),
        ["md RAID member (1.2) 'host:md0'"]
    );
    assert_eq!(
        found_with(&[(near_end as usize * 512, &superblock(near_end))]),
        ["md RAID member (1.0) 'host:md0'"]
    );
    assert!(
        found_with(&[(4096, &superblock(99))]).is_empty(),
        "a superblock that belongs elsewhere"
    );
    let old = 0xa92b_4efc_u32;
    for magic in [old.to_le_bytes(), old.to_be_bytes()] {
        assert_eq!(
            found_with(&[(4 * MIB - 65_536, &magic)]),
            ["md RAID member (0.90)"]
        );
    }
    assert_eq!(
        found_with(&[(4 * MIB - 1024, b"Intel Raid ISM Cfg Sig. ")]),
        ["Intel firmware RAID member"]
    );
    assert_eq!(
        found_with(&[(4 * MIB - 512, &[0xDE, 0x11, 0xDE, 0x11])]),
        ["DDF firmware RAID member"]
    );
}

#[test]
fn lvm_zfs_and_encrypted_volumes_are_named() {
    assert_eq!(
        found_with(&[(512, b"LABELONE"), (536, b"LVM2 001")]),
        ["LVM2 physical volume"]
    );
    let uberblock = 0x00ba_b10c_u64;
    let name = b"\0\0\0\x04name\0\0\0\x09\0\0\0\x01\0\0\0\x04tank";
    let first = [
        (131_072 + 3 * 1024, &uberblock.to_le_bytes()[..]),
        (20_000, &name[..]),
    ];
    assert_eq!(found_with(&first), ["ZFS pool member 'tank'"]);
    // Only the last label is left, written by a machine of the other byte order.
    assert_eq!(
        found_with(&[(4 * MIB - 131_072, &uberblock.to_be_bytes())]),
        ["ZFS pool member"]
    );
    assert_eq!(
        found_with(&[(0, b"LUKS\xBA\xBE\0\x01")]),
        ["LUKS1 encrypted volume"]
    );
    assert_eq!(
        found_with(&[(0, b"LUKS\xBA\xBE\0\x02"), (24, b"vault")]),
        ["LUKS2 encrypted volume 'vault'"]
    );
    assert_eq!(
        found_with(&[(3, b"-FVE-FS-")]),
        ["BitLocker encrypted volume"]
    );
}

#[test]
fn all_marks_of_a_device_with_a_past_are_named() {
    let marks = [
        (1024 + 56, &[0x53, 0xEF][..]),
        (512, b"LABELONE"),
        (536, b"LVM2 001"),
    ];
    assert_eq!(
        found_with(&marks),
        ["LVM2 physical volume", "ext2 file system"]
    );
}

#[test]
fn a_part_of_the_content_is_seen_as_a_device_of_its_own() {
    let mut image = vec![0; 4 * MIB];
    image[MIB..MIB + 4].copy_from_slice(b"XFSB");
    let mut content = Content::whole(Cursor::new(image)).unwrap();
    let mut part = content.part(MIB as u64, MIB as u64);
    assert_eq!(
        probe(&mut part).unwrap(),
        [Signature::FileSystem {
            kind: "XFS",
            label: None
        }]
    );
    assert_eq!(part.bytes(), MIB as u64);
    assert_eq!(content.part(u64::MAX, 5).bytes(), 0);
}

#[test]
fn a_place_that_cannot_be_read_is_an_error_and_not_nothing() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("medium error"))
        }
    }
    impl Seek for Broken {
        fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
            Ok(1 << 30)
        }
    }
    assert!(probe(&mut Content::whole(Broken).unwrap()).is_err());
}

/// Creates an image with a tool and returns what is found, or that the tool is missing.
fn found_after(tool: &str, arguments: &[&str], mib: u64) -> Option<Vec<String>> {
    let image = tempfile::NamedTempFile::new().unwrap();
    image.as_file().set_len(mib << 20).unwrap();
    let ran = Command::new(tool)
        .args(arguments)
        .arg(image.path())
        .output();
    match ran {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fixtures::skip::skip(
                "signatures_of_real_tools",
                &format!("{tool} is not installed"),
            );
            None
        }
        ran => {
            let ran = ran.unwrap();
            assert!(
                ran.status.success(),
                "{tool}: {}",
                String::from_utf8_lossy(&ran.stderr)
            );
            let mut content = Content::whole(image.reopen().unwrap()).unwrap();
            Some(
                probe(&mut content)
                    .unwrap()
                    .iter()
                    .map(ToString::to_string)
                    .collect(),
            )
        }
    }
}

#[test]
fn images_of_the_real_tools_are_recognised() {
    let cases: [(&str, &[&str], u64, &str); 9] = [
        (
            "mkfs.ext2",
            &["-q", "-L", "two"],
            16,
            "ext2 file system 'two'",
        ),
        (
            "mkfs.ext3",
            &["-q", "-L", "three"],
            16,
            "ext3 file system 'three'",
        ),
        (
            "mkfs.ext4",
            &["-q", "-L", "four"],
            16,
            "ext4 file system 'four'",
        ),
        ("mkfs.xfs", &["-q", "-L", "ex"], 320, "XFS file system 'ex'"),
        (
            "mkfs.btrfs",
            &["-q", "-L", "be"],
            128,
            "Btrfs file system 'be'",
        ),
        ("mkfs.vfat", &["-n", "FA"], 16, "FAT file system 'FA'"),
        ("mkfs.exfat", &[], 16, "exFAT file system"),
        ("mkfs.ntfs", &["-q", "-F"], 16, "NTFS file system"),
        ("mkswap", &["-q", "-L", "page"], 16, "swap area 'page'"),
    ];
    for (tool, arguments, mib, expected) in cases {
        if let Some(found) = found_after(tool, arguments, mib) {
            assert_eq!(found, [expected], "{tool}");
        }
    }
}

#[test]
fn partition_tables_of_the_real_tool_are_recognised() {
    for (label, expected) in [
        ("gpt", "GPT with 3 partitions"),
        ("dos", "MBR partition table with 3 partitions"),
    ] {
        let image = tempfile::NamedTempFile::new().unwrap();
        image.as_file().set_len(64 << 20).unwrap();
        let mut sfdisk = Command::new("sfdisk");
        sfdisk
            .args(["--quiet", "--label", label])
            .arg(image.path())
            .stdin(Stdio::piped());
        let Ok(mut child) = sfdisk.spawn() else {
            fixtures::skip::skip(
                "partition_tables_of_the_real_tool_are_recognised",
                "sfdisk is not installed",
            );
            return;
        };
        child
            .stdin
            .take()
            .unwrap()
            .write_all(b"size=8MiB\nsize=8MiB\nsize=8MiB\n")
            .unwrap();
        assert!(child.wait().unwrap().success());
        let mut content = Content::whole(image.reopen().unwrap()).unwrap();
        let found = probe(&mut content).unwrap();
        assert_eq!(
            found.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [expected]
        );
    }
}
