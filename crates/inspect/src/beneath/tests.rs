//! What is found on recorded machines.

use super::super::identity::identify;
use super::*;
use crate::tests::tree::Tree;

fn found(tree: &Tree, path: &str) -> Vec<(LayerKind, String)> {
    let identity = identify(&tree.root(), path).unwrap();
    let layers = beneath(&tree.root(), &identity);
    layers
        .into_iter()
        .map(|layer| (layer.kind, layer.name))
        .collect()
}

/// A machine with one SATA drive on which a file system is mounted.
fn mounted(kind: &str) -> Tree {
    let mut tree = Tree::new();
    tree.sata("sda", "8:0", 1_000);
    std::fs::create_dir_all(tree.at("mnt")).unwrap();
    tree.mounts(&[("8:0", "/mnt", kind, "/dev/sda")]);
    tree
}

#[test]
fn a_plain_file_system_on_a_drive_has_nothing_between() {
    let tree = mounted("ext4");
    assert_eq!(found(&tree, "/mnt"), []);
    assert_eq!(found(&tree, "/dev/sda"), []);
}

#[test]
fn what_a_file_system_does_beside_keeping_files_is_told_by_its_kind_and_options() {
    for (kind, options, expected) in [
        (
            "btrfs",
            "rw,compress=zstd:3",
            Some((LayerKind::Compression, "btrfs (compress=zstd:3)")),
        ),
        ("btrfs", "rw,compress=none", None),
        ("btrfs", "rw,space_cache=v2", None),
        (
            "bcachefs",
            "rw,compression=lz4",
            Some((LayerKind::Compression, "bcachefs (compression=lz4)")),
        ),
        (
            "f2fs",
            "rw,compress_algorithm=lz4,compress_extension=*",
            Some((LayerKind::Compression, "f2fs (compress_extension=*)")),
        ),
        ("f2fs", "rw,compress_algorithm=lz4", None),
        ("overlay", "rw", Some((LayerKind::Copies, "overlay"))),
        ("ecryptfs", "rw", Some((LayerKind::Encryption, "ecryptfs"))),
        (
            "fuse.gocryptfs",
            "rw",
            Some((LayerKind::Encryption, "fuse.gocryptfs")),
        ),
        ("fuse.sshfs", "rw", Some((LayerKind::Network, "fuse.sshfs"))),
        ("fuseblk", "rw", Some((LayerKind::UserSpace, "fuseblk"))),
        ("nfs4", "rw", Some((LayerKind::Network, "nfs4"))),
        ("9p", "rw", Some((LayerKind::Network, "9p"))),
        ("xfs", "rw,compress=zstd", None),
    ] {
        let file_system = FileSystem {
            kind: kind.to_owned(),
            mount_point: "/mnt".into(),
            source: "x".into(),
            options: options.split(',').map(str::to_owned).collect(),
            size: base::size::Bytes::ZERO,
            free: base::size::Bytes::ZERO,
        };
        let expected: Vec<Layer> = expected
            .into_iter()
            .map(|(kind, name)| layer(kind, name.to_owned()))
            .collect();
        assert_eq!(of_file_system(&file_system), expected, "{kind} {options}");
    }
}

#[test]
fn mapped_devices_are_told_by_their_makers_marks() {
    for (uuid, expected) in [
        ("CRYPT-LUKS2-0a1b-home", Some(LayerKind::Encryption)),
        ("LVM-abcdef", Some(LayerKind::Volume)),
        ("LVM-abcdef-tpool", Some(LayerKind::Thin)),
        ("LVM-abcdef-real", Some(LayerKind::Snapshot)),
        ("LVM-abcdef-cdata", Some(LayerKind::Cache)),
        ("LVM-abcdef-vpool", Some(LayerKind::Compression)),
        ("mpath-3500", None),
        ("", None),
    ] {
        assert_eq!(of_mapping(uuid), expected, "{uuid}");
    }
}

#[test]
fn layers_beneath_a_mapped_device_are_found_down_to_the_drive() {
    let tree = Tree::new();
    let sda = tree.sata("sda", "8:0", 1_000);
    let md = tree.stacked("md0", "9:0", &[&sda]);
    tree.attribute(&md, "md/level", "raid1");
    tree.mapped("dm-0", "253:0", &[&md], "x", "CRYPT-LUKS2-0a-x");
    let kinds: Vec<LayerKind> = found(&tree, "/dev/dm-0").into_iter().map(|f| f.0).collect();
    assert_eq!(kinds, [LayerKind::Encryption, LayerKind::Array]);
}

#[test]
fn an_array_that_lacks_a_drive_or_is_filled_again_is_told_from_one_that_is_whole() {
    let tree = Tree::new();
    let sda = tree.sata("sda", "8:0", 1_000);
    let md = tree.stacked("md0", "9:0", &[&sda]);
    tree.attribute(&md, "md/level", "raid1");
    let told = |missing, action| {
        tree.attribute(&md, "md/degraded", missing);
        tree.attribute(&md, "md/sync_action", action);
        found(&tree, "/dev/md0").remove(0)
    };
    let whole = (LayerKind::Array, "md0 (RAID 1)".to_owned());
    assert_eq!(told("0", "idle"), whole);
    let degraded = |how: &str| (LayerKind::DegradedArray, format!("md0 (RAID 1): {how}"));
    assert_eq!(told("1", "idle"), degraded("degraded 1"));
    assert_eq!(told("1", "recover"), degraded("degraded 1, recover"));
    assert_eq!(told("0", "resync"), degraded("resync"));
}

#[test]
fn a_raid_volume_that_lacks_a_drive_or_is_filled_again_is_told_from_one_that_is_whole() {
    for (line, expected) in [
        ("raid1 2 AA 32768/32768 idle 0 0 -", None),
        ("raid1 2 AD 32768/32768 idle 0 0 -", Some("degraded 1")),
        ("raid1 2 A- 32768/32768 idle 0 0 -", Some("degraded 1")),
        ("raid6_zr 5 AD-AA 1/9 idle 0 0 -", Some("degraded 2")),
        ("raid1 2 Aa 128/32768 recover 0 0 -", Some("recover")),
        ("raid1 2 aa 128/32768 resync 0 0 -", Some("resync")),
        ("raid1 2 AA 32768/32768 frozen 0 0 -", None),
        ("raid1", None),
    ] {
        assert_eq!(volume_degraded(line).as_deref(), expected, "{line}");
    }
}

#[test]
fn a_disk_of_a_hypervisor_is_one_whatever_bus_it_plays() {
    let tree = Tree::new();
    let path = tree.sata("sda", "8:0", 1_000);
    assert_eq!(found(&tree, "/dev/sda"), []);
    tree.file(
        format!("sys/devices/{path}/device/model"),
        "QEMU HARDDISK   \n",
    );
    let virtual_disk = (LayerKind::VirtualDisk, "sda (QEMU HARDDISK)".to_owned());
    assert_eq!(found(&tree, "/dev/sda"), [virtual_disk]);
}
