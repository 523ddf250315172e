//! Recorded machines, each with one use of a drive, and the line that names it.

use super::super::content::found_on;
use super::super::identity::identify;
use super::*;
use crate::tests::tree::Tree;

fn lines(tree: &Tree, path: &str) -> Vec<String> {
    let root = tree.root();
    let identity = identify(&root, path).unwrap();
    refusals(&root, &identity)
        .iter()
        .map(ToString::to_string)
        .collect()
}

/// The only line, up to the remedy.
fn reason(tree: &Tree, path: &str) -> String {
    let lines = lines(tree, path);
    assert_eq!(lines.len(), 1, "{lines:?}");
    lines[0].split(';').next().unwrap().to_owned()
}

/// `sda` with one partition.
fn one_drive(tree: &Tree) -> (String, String) {
    let drive = tree.sata("sda", "8:0", 20_000);
    let partition = tree.partition(&drive, 1, "8:1", 2048, 10_000);
    (drive, partition)
}

#[test]
fn nothing_speaks_against_a_drive_that_nobody_uses() {
    let mut tree = Tree::new();
    one_drive(&tree);
    tree.sata("sdb", "8:16", 1000);
    tree.mounts(&[
        ("8:16", "/", "ext4", "/dev/sdb"),
        ("0:20", "/proc", "proc", "proc"),
    ]);
    tree.process(77, "bash", &["/dev/sdb", "socket:[12]", "/home/x"]);
    assert!(lines(&tree, "/dev/sda").is_empty());
    assert!(lines(&tree, "/dev/sda1").is_empty());
}

#[test]
fn a_mounted_drive_or_partition_is_refused_with_the_way_out() {
    let mut tree = Tree::new();
    one_drive(&tree);
    tree.mounts(&[("8:1", "/mnt/my\\040data", "ext4", "/dev/sda1")]);
    for (path, way) in [("/dev/sda", "sda > sda1"), ("/dev/sda1", "sda1")] {
        let expected =
            format!("mounted: {way} is mounted at /mnt/my data; unmount it (umount /mnt/my data)");
        assert_eq!(lines(&tree, path), [expected]);
    }
}

#[test]
fn a_partition_beside_a_mounted_one_is_free() {
    let mut tree = Tree::new();
    let (drive, _) = one_drive(&tree);
    tree.partition(&drive, 2, "8:2", 14_000, 4000);
    tree.mounts(&[("8:1", "/mnt", "ext4", "/dev/sda1")]);
    assert!(lines(&tree, "/dev/sda2").is_empty());
}

#[test]
fn a_partition_of_a_drive_that_is_used_whole_is_refused() {
    let mut tree = Tree::new();
    let (drive, _) = one_drive(&tree);
    let md = tree.stacked("md0", "9:0", &[&drive]);
    tree.attribute(&md, "md/level", "raid5");
    tree.mounts(&[("9:0", "/srv", "xfs", "/dev/md0")]);
    let found = lines(&tree, "/dev/sda1");
    assert!(
        found[0].starts_with("mounted: sda > md0 (RAID 5) is mounted at /srv"),
        "{found:?}"
    );
    assert!(
        found[1].starts_with("part of a RAID array: sda > md0 (RAID 5)"),
        "{found:?}"
    );
    assert_eq!(found.len(), 2);
}

#[test]
fn a_volume_on_an_array_on_a_partition_names_the_whole_chain() {
    let mut tree = Tree::new();
    let (_, first) = one_drive(&tree);
    let second = tree.sata("sdb", "8:16", 20_000);
    let md = tree.stacked("md0", "9:0", &[&first, &second]);
    tree.attribute(&md, "md/level", "raid1");
    tree.mapped("dm-0", "252:0", &[&md], "vg-home", "LVM-abc");
    tree.mapped("dm-1", "252:1", &[&md], "vg-paging", "LVM-def");
    tree.mounts(&[("252:0", "/home", "ext4", "/dev/mapper/vg-home")]);
    tree.file(
        "proc/swaps",
        "Filename Type Size Used Priority\n/dev/dm-1 partition 1 0 -2\n",
    );
    let way = "sda > sda1 > md0 (RAID 1)";
    let expected = [
        format!(
            "mounted: {way} > dm-0 (LVM volume vg-home) is mounted at /home; unmount it (umount /home)"
        ),
        format!(
            "swap: the running system swaps to {way} > dm-1 (LVM volume vg-paging); turn it off with `swapoff`"
        ),
        format!(
            "part of a RAID array: {way}; stop the array (`mdadm --stop`) and clear the member (`mdadm --zero-superblock`)"
        ),
    ];
    assert_eq!(lines(&tree, "/dev/sda"), expected);
    assert!(lines(&tree, "/dev/sdb")[0].contains("sdb > md0 (RAID 1) > dm-0"));
    assert_eq!(
        lines(&tree, "/dev/dm-0").len(),
        1,
        "the volume itself is only mounted"
    );
}

#[test]
fn the_running_system_is_never_overwritten_however_it_is_stacked() {
    for point in ["/", "/boot", "/boot/efi", "/usr"] {
        let mut tree = Tree::new();
        let (_, partition) = one_drive(&tree);
        tree.mapped("dm-0", "252:0", &[&partition], "luks-root", "CRYPT-LUKS2-1");
        tree.mounts(&[("252:0", point, "ext4", "/dev/mapper/luks-root")]);
        let found = lines(&tree, "/dev/sda");
        let expected = format!(
            "the running system is on it: sda > sda1 > dm-0 (encrypted volume luks-root) is mounted at {point};"
        );
        assert!(found[0].starts_with(&expected), "{found:?}");
        assert!(
            found[1].starts_with("part of an open encrypted volume"),
            "{found:?}"
        );
    }
}

#[test]
fn a_system_started_from_an_image_file_keeps_its_drive() {
    let mut tree = Tree::new();
    one_drive(&tree);
    tree.device("virtual/block/loop0", "7:0", 500);
    tree.attribute(
        "virtual/block/loop0",
        "loop/backing_file",
        "/run/live/root.squashfs",
    );
    tree.mounts(&[
        ("7:0", "/", "squashfs", "/dev/loop0"),
        ("8:1", "/run/live", "vfat", "/dev/sda1"),
    ]);
    let found = lines(&tree, "/dev/sda");
    assert!(
        found[0].starts_with("the running system is on it: sda > sda1 > loop0 (/run/live/root.squashfs) is mounted at /;"),
        "{found:?}"
    );
    assert!(
        found[1].starts_with("mounted: sda > sda1 is mounted at /run/live"),
        "{found:?}"
    );
}

#[test]
fn a_swap_partition_and_a_swap_file_are_refused() {
    let mut tree = Tree::new();
    one_drive(&tree);
    tree.file(
        "proc/swaps",
        "Filename Type Size Used Priority\n/dev/sda1 partition 1 0 -2\n",
    );
    assert_eq!(
        reason(&tree, "/dev/sda"),
        "swap: the running system swaps to sda > sda1"
    );
    tree.mounts(&[("8:1", "/data", "ext4", "/dev/sda1")]);
    tree.file(
        "proc/swaps",
        "Filename Type Size Used Priority\n/data/swap\\040file file 1 0 -2\n",
    );
    let found = lines(&tree, "/dev/sda");
    assert_eq!(found.len(), 2);
    assert!(
        found[1].contains("swaps to the file /data/swap file on sda > sda1"),
        "{found:?}"
    );
}

#[test]
fn every_kind_of_holder_is_named() {
    let cases = [
        ("dm-0", "LVM-abc", "LVM"),
        ("dm-0", "CRYPT-LUKS2-abc", "an open encrypted volume"),
        ("dm-0", "mpath-36001405", "a multipath drive"),
        ("dm-0", "part1-mpath-36001405", "a multipath drive"),
        ("dm-0", "DMRAID-isw_x", "a RAID array"),
        ("dm-0", "", "a device-mapper volume"),
        ("md127", "", "a RAID array"),
        ("bcache0", "", "a block cache"),
        ("drbd3", "", "another device"),
    ];
    for (holder, uuid, expected) in cases {
        let tree = Tree::new();
        let drive = tree.sata("sda", "8:0", 20_000);
        if holder.starts_with("dm-") && !uuid.is_empty() {
            tree.mapped(holder, "252:0", &[&drive], "x", uuid);
        } else {
            tree.stacked(holder, "252:0", &[&drive]);
        }
        let found = reason(&tree, "/dev/sda");
        assert!(
            found.starts_with(&format!("part of {expected}: sda > {holder}")),
            "{found}"
        );
    }
}

#[test]
fn a_second_path_to_the_same_drive_is_found_by_its_wwn() {
    let mut tree = Tree::new();
    let first = tree.sata("sda", "8:0", 1000);
    let second = tree.sata("sdb", "8:16", 1000);
    for path in [&first, &second] {
        std::fs::remove_file(tree.at(format!("sys/devices/{path}/device/wwid"))).unwrap();
        tree.attribute(path, "device/wwid", "naa.600140512345");
    }
    // What happens on the other path is not this device's, so that only the name tells.
    tree.mounts(&[("8:16", "/srv", "ext4", "/dev/sdb")]);
    assert_eq!(
        reason(&tree, "/dev/sda"),
        "sdb is another way to the same content (both are naa.600140512345), so that its users are this one's too"
    );
}

#[test]
fn the_paths_of_one_multipath_device_are_its_members_and_not_told_as_strangers() {
    let mut tree = Tree::new();
    let paths = [
        tree.sata("sda", "8:0", 1000),
        tree.sata("sdb", "8:16", 1000),
    ];
    for path in &paths {
        std::fs::remove_file(tree.at(format!("sys/devices/{path}/device/wwid"))).unwrap();
        tree.attribute(path, "device/wwid", "naa.600140512345");
    }
    tree.mapped(
        "dm-0",
        "252:0",
        &[&paths[0], &paths[1]],
        "pair",
        "mpath-36001405",
    );
    tree.mounts(&[]);
    let found = lines(&tree, "/dev/sda");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("part of a multipath drive: sda > dm-0"));
}

#[test]
fn a_second_loop_device_on_the_same_file_is_found() {
    let tree = Tree::new();
    for (name, number) in [("loop0", "7:0"), ("loop1", "7:1")] {
        tree.device(&format!("virtual/block/{name}"), number, 500);
        tree.attribute(
            &format!("virtual/block/{name}"),
            "loop/backing_file",
            "/home/me/disk.img",
        );
    }
    assert!(
        reason(&tree, "/dev/loop0")
            .starts_with("loop1 is another way to the same content (both are /home/me/disk.img)")
    );
}

#[test]
fn a_loop_device_on_a_drive_is_a_use_of_it_and_no_target() {
    let tree = Tree::new();
    one_drive(&tree);
    tree.device("virtual/block/loop0", "7:0", 500);
    tree.attribute("virtual/block/loop0", "loop/backing_file", "/dev/sda1");
    assert_eq!(
        reason(&tree, "/dev/sda"),
        "in use as another device: sda > sda1 > loop0 (/dev/sda1)"
    );
    assert_eq!(
        lines(&tree, "/dev/loop0"),
        ["it only shows /dev/sda1; name /dev/sda1 itself"]
    );
}

#[test]
fn every_device_of_a_mounted_btrfs_pool_is_refused() {
    let mut tree = Tree::new();
    for path in [
        tree.sata("sda", "8:0", 10_000),
        tree.sata("sdb", "8:16", 10_000),
    ] {
        let name = path.rsplit('/').next().unwrap();
        tree.link(
            format!("sys/fs/btrfs/1234/devices/{name}"),
            format!("../../../../devices/{path}"),
        );
    }
    tree.mounts(&[("0:44", "/data", "btrfs", "/dev/sda")]);
    let found = lines(&tree, "/dev/sdb");
    assert!(
        found[0].starts_with("mounted: sdb is mounted at /data"),
        "{found:?}"
    );
    assert!(
        found[1].starts_with("part of a Btrfs file system over several devices: sdb;"),
        "{found:?}"
    );
}

#[test]
fn members_of_what_is_not_active_are_told_by_their_content() {
    type Mark<'a> = (u64, &'a [u8]);
    let cases: [(&str, &[Mark]); 4] = [
        (
            "LVM, as its content says: LVM2 physical volume",
            &[(512, b"LABELONE"), (536, b"LVM2 001")],
        ),
        (
            "a RAID array, as its content says: md RAID member (1.2) 'nas:0'",
            &[
                (4096, &[0xFC, 0x4E, 0x2B, 0xA9, 1]),
                (4096 + 32, b"nas:0"),
                (4096 + 144, &[8]),
            ],
        ),
        (
            "a ZFS pool, as its content says: ZFS pool member",
            &[(131_072, &[0x0C, 0xB1, 0xBA])],
        ),
        (
            "a Btrfs file system over several devices, as its content says: device of a Btrfs file system over several",
            &[(65_600, b"_BHRfS_M"), (65_536 + 0x88, &[3])],
        ),
    ];
    for (expected, marks) in cases {
        let tree = Tree::new();
        one_drive(&tree);
        for (offset, bytes) in marks {
            tree.content("sda", 2048 * 512 + offset, bytes);
        }
        assert_eq!(
            reason(&tree, "/dev/sda"),
            format!("part of {expected} on sda > sda1")
        );
    }
}

#[test]
fn an_active_member_is_not_told_twice() {
    let tree = Tree::new();
    let drive = tree.sata("sda", "8:0", 20_000);
    tree.content("sda", 512, b"LABELONE");
    tree.content("sda", 536, b"LVM2 001");
    tree.mapped("dm-0", "252:0", &[&drive], "vg-a", "LVM-abc");
    assert_eq!(
        reason(&tree, "/dev/sda"),
        "part of LVM: sda > dm-0 (LVM volume vg-a)"
    );
}

#[test]
fn a_process_that_has_the_drive_or_a_part_of_it_open_is_named() {
    let tree = Tree::new();
    one_drive(&tree);
    tree.link("dev/disk/by-id/ata-x-part1", "../../sda1");
    tree.process(
        4242,
        "qemu-system-x86",
        &["/dev/null", "/dev/disk/by-id/ata-x-part1"],
    );
    let expected = "held open: process 4242 (qemu-system-x86) has sda > sda1 open";
    assert_eq!(reason(&tree, "/dev/sda"), expected);
    assert_eq!(
        reason(&tree, "/dev/sda1"),
        expected.replace("sda > sda1", "sda1")
    );
}

#[test]
fn who_cannot_see_all_processes_may_not_write() {
    let asked = |tree: &Tree| {
        let reason = reason(tree, "/dev/sda");
        reason
            .strip_prefix("cannot determine who else has it open: ")
            .unwrap()
            .to_owned()
    };
    let container = Tree::new();
    one_drive(&container);
    std::fs::remove_file(container.at("proc/self/ns/pid")).unwrap();
    container.link("proc/self/ns/pid", "pid:[4026532999]");
    assert!(asked(&container).starts_with("this is a container"));

    let hidden = Tree::new();
    one_drive(&hidden);
    std::fs::remove_dir_all(hidden.at("proc/1")).unwrap();
    assert!(asked(&hidden).starts_with("/proc hides other users' processes (hidepid)"));

    let closed = Tree::new();
    one_drive(&closed);
    closed.file("proc/99/comm", "secret\n");
    closed.file(
        "proc/99/fd",
        "what is not a folder cannot be listed, like one that may not be",
    );
    assert!(asked(&closed).starts_with("the open files of 1 process may not be read"));
}

#[test]
fn a_mount_in_another_namespace_is_found_through_its_process() {
    let tree = Tree::new();
    one_drive(&tree);
    tree.process(500, "postgres", &[]);
    std::fs::remove_file(tree.at("proc/500/ns/mnt")).unwrap();
    tree.link("proc/500/ns/mnt", "mnt:[4026532777]");
    tree.file(
        "proc/500/mountinfo",
        "27 1 8:1 / / rw - ext4 /dev/sda1 rw\n",
    );
    assert_eq!(
        reason(&tree, "/dev/sda"),
        "mounted: sda > sda1 is mounted at / in the mount namespace of process 500 (postgres)"
    );
}

#[test]
fn what_cannot_be_found_out_is_a_reason() {
    let no_node = Tree::new();
    one_drive(&no_node);
    let identity = identify(&no_node.root(), "/dev/sda").unwrap();
    std::fs::remove_file(no_node.at("dev/sda")).unwrap();
    let found = refusals(&no_node.root(), &identity);
    assert!(
        matches!(&found[..], [Refusal::CannotTell { what, .. }] if what == "what it holds"),
        "{found:?}"
    );

    let no_mounts = Tree::new();
    one_drive(&no_mounts);
    std::fs::remove_file(no_mounts.at("proc/self/mountinfo")).unwrap();
    assert!(reason(&no_mounts, "/dev/sda").starts_with("cannot determine what is on it"));

    let no_holders = Tree::new();
    let (drive, _) = one_drive(&no_holders);
    std::fs::remove_dir(no_holders.at(format!("sys/devices/{drive}/holders"))).unwrap();
    assert!(reason(&no_holders, "/dev/sda").starts_with("cannot determine what is on it"));

    let no_swaps = Tree::new();
    one_drive(&no_swaps);
    std::fs::remove_file(no_swaps.at("proc/swaps")).unwrap();
    assert!(
        lines(&no_swaps, "/dev/sda").is_empty(),
        "a kernel without swap"
    );
}

#[test]
fn a_write_protected_an_empty_and_a_missing_device_are_refused() {
    let tree = Tree::new();
    let drive = tree.sata("sda", "8:0", 20_000);
    tree.attribute(&drive, "ro", "1");
    assert_eq!(reason(&tree, "/dev/sda"), "it accepts no writes");
    tree.sata("sdb", "8:16", 0);
    assert_eq!(reason(&tree, "/dev/sdb"), "it has no length");
    tree.file("some/file", "");
    assert!(reason(&tree, "/some/file").starts_with("it is not a block device"));
}

#[test]
fn what_would_be_lost_is_named_for_the_drive_and_its_partitions() {
    let tree = Tree::new();
    one_drive(&tree);
    let identity = identify(&tree.root(), "/dev/sda").unwrap();
    assert!(found_on(&tree.root(), &identity).unwrap().is_empty());
    let entry = [0x80, 0, 0, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0x10, 0x27, 0, 0];
    tree.content("sda", 446, &entry);
    tree.content("sda", 510, &[0x55, 0xAA]);
    tree.content("sda", 2048 * 512, b"XFSB");
    tree.content("sda", 2048 * 512 + 108, b"data");
    let expected = [
        "sda: MBR partition table with 1 partition",
        "sda1: XFS file system 'data'",
    ];
    assert_eq!(found_on(&tree.root(), &identity).unwrap(), expected);
    assert!(
        lines(&tree, "/dev/sda").is_empty(),
        "it is named, but no reason"
    );
}
