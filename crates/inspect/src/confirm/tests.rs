//! Which names are accepted for which drive, on recorded machines.

use super::super::identity::identify;
use super::Confirmation::{Given, Indistinct, Nameless, Shared, Wrong};
use super::*;
use crate::tests::tree::Tree;

fn typed(tree: &Tree, path: &str, text: &str) -> Confirmation {
    let root = tree.root();
    confirmation(&root, &identify(&root, path).unwrap(), text)
}

fn token(tree: &Tree, path: &str) -> Option<String> {
    let root = tree.root();
    confirm_token(&root, &identify(&root, path).unwrap())
}

/// A controller with two namespaces, as they were found.
fn two_namespaces(wwids: [&str; 2]) -> Tree {
    let tree = Tree::new();
    let controller = tree.nvme_controller(0, "S5GXNF0R");
    tree.namespace(&controller, ("nvme0n1", "259:0"), 1, wwids[0]);
    tree.namespace(&controller, ("nvme0n2", "259:1"), 2, wwids[1]);
    tree
}

#[test]
fn the_serial_number_of_two_namespaces_confirms_neither() {
    let tree = two_namespaces(["eui.002538b111b2c3d4", "eui.002538b111b2c3d5"]);
    let Shared { with, telling } = typed(&tree, "/dev/nvme0n1", "S5GXNF0R") else {
        panic!("{:?}", typed(&tree, "/dev/nvme0n1", "S5GXNF0R"));
    };
    assert_eq!(telling, "eui.002538b111b2c3d4");
    assert_eq!(
        with,
        [
            "nvme0n2 (Samsung SSD 980 PRO 1TB, serial number S5GXNF0R, eui.002538b111b2c3d5, \
             namespace 2, 1.00 TB)"
        ]
    );
    assert_eq!(typed(&tree, "/dev/nvme0n1", "eui.002538b111b2c3d4"), Given);
    let other = typed(&tree, "/dev/nvme0n2", "eui.002538b111b2c3d4");
    let telling = "eui.002538b111b2c3d5".to_owned();
    assert_eq!(other, Wrong { telling });
}

#[test]
fn a_namespace_alone_on_its_controller_is_confirmed_by_the_serial_number() {
    let tree = Tree::new();
    let controller = tree.nvme_controller(0, "S5GXNF0R");
    tree.namespace(&controller, ("nvme0n1", "259:0"), 1, "eui.002538b111b2c3d4");
    assert_eq!(token(&tree, "/dev/nvme0n1").as_deref(), Some("S5GXNF0R"));
    assert_eq!(typed(&tree, "/dev/nvme0n1", "S5GXNF0R"), Given);
}

#[test]
fn namespaces_without_a_name_of_their_own_are_told_by_their_number() {
    let tree = two_namespaces([
        "nvme.144d-533547584e463052-53616d73756e67-00000001",
        "nvme.144d-533547584e463052-53616d73756e67-00000002",
    ]);
    let telling = "nvme.144d-533547584e463052-53616d73756e67-00000002";
    assert_eq!(token(&tree, "/dev/nvme0n2").as_deref(), Some(telling));
    assert_eq!(
        typed(&tree, "/dev/nvme0n2", &format!("nvme-{telling}")),
        Given
    );
}

#[test]
fn two_disks_with_one_serial_number_and_no_wwn_are_never_written() {
    let tree = Tree::new();
    tree.virtio_scsi("sdb", "8:16", 0, "same");
    tree.virtio_scsi("sdc", "8:32", 1, "same");
    for typed_text in ["same", "", "sdb"] {
        let with = vec!["sdc (QEMU QEMU HARDDISK, serial number same, 1 MiB)".to_owned()];
        let found = typed(&tree, "/dev/sdb", typed_text);
        assert_eq!(found, Indistinct { with });
    }
    assert_eq!(token(&tree, "/dev/sdc"), None);
    // A name that udev gives one of them alone tells it from the other.
    tree.link("dev/disk/by-id/scsi-0QEMU_first", "../../sdb");
    assert_eq!(
        token(&tree, "/dev/sdb").as_deref(),
        Some("scsi-0QEMU_first")
    );
    assert_eq!(
        typed(&tree, "/dev/sdb", "/dev/disk/by-id/scsi-0QEMU_first"),
        Given
    );
    assert!(matches!(typed(&tree, "/dev/sdb", "same"), Shared { .. }));
}

#[test]
fn a_link_that_udev_made_for_two_drives_tells_neither() {
    let tree = two_namespaces(["eui.002538b111b2c3d4", "eui.002538b111b2c3d5"]);
    let link = "nvme-Samsung_SSD_980_PRO_1TB_S5GXNF0R";
    for number in ["259:0", "259:1"] {
        tree.file(
            format!("run/udev/data/b{number}"),
            format!("S:disk/by-id/{link}\n"),
        );
    }
    tree.link(format!("dev/disk/by-id/{link}"), "../../nvme0n2");
    for path in ["/dev/nvme0n1", "/dev/nvme0n2"] {
        assert!(matches!(typed(&tree, path, link), Shared { .. }), "{path}");
    }
}

#[test]
fn every_spelling_of_a_drives_names_is_taken() {
    let tree = Tree::new();
    tree.sata("sda", "8:0", 1000);
    tree.link(
        "dev/disk/by-id/ata-Samsung_SSD_840_S1D9NEAD600001T",
        "../../sda",
    );
    for name in [
        "S1D9NEAD600001T",
        " S1D9NEAD600001T\n",
        "naa.5002538844584d31",
        "NAA.5002538844584D31",
        "0x5002538844584d31",
        "5002538844584D31",
        "wwn-0x5002538844584d31",
        "/dev/disk/by-id/wwn-0x5002538844584d31",
        "scsi-35002538844584d31",
        "ata-Samsung_SSD_840_S1D9NEAD600001T",
        "/dev/disk/by-id/ata-Samsung_SSD_840_S1D9NEAD600001T",
    ] {
        assert_eq!(typed(&tree, "/dev/sda", name), Given, "{name}");
    }
    for other in [
        "",
        "sda",
        "/dev/sda",
        "s1d9nead600001t",
        "S1D9NEAD600001",
        "ata-samsung_SSD_840_S1D9NEAD600001T",
    ] {
        assert!(
            matches!(typed(&tree, "/dev/sda", other), Wrong { .. }),
            "{other}"
        );
    }
}

#[test]
fn every_spelling_of_a_namespaces_names_is_taken() {
    let tree = Tree::new();
    let controller = tree.nvme_controller(0, "S5GXNF0R");
    let uuid = "0f4a8d1c-5f3e-4c57-9a34-0123456789ab";
    let path = tree.namespace(
        &controller,
        ("nvme0n1", "259:0"),
        1,
        &format!("uuid.{uuid}"),
    );
    tree.attribute(&path, "uuid", uuid);
    tree.attribute(&path, "eui", "00 25 38 b1 11 b2 c3 d4");
    tree.attribute(&path, "nguid", "00253800-0000-0000-0025-38b111b2c3d4");
    for name in [
        uuid,
        &uuid.to_uppercase(),
        &format!("uuid.{uuid}"),
        &format!("nvme-uuid.{uuid}"),
        "eui.002538b111b2c3d4",
        "nvme-eui.002538b111b2c3d4",
        "002538B111B2C3D4",
        "eui.00253800000000000025 38b111b2c3d4"
            .replace(' ', "")
            .as_str(),
    ] {
        assert_eq!(typed(&tree, "/dev/nvme0n1", name), Given, "{name}");
    }
}

#[test]
fn the_token_is_the_serial_number_else_the_wwn_else_a_name() {
    let tree = Tree::new();
    tree.sata("sda", "8:0", 1000);
    let root = tree.root();
    let mut identity = identify(&root, "/dev/sda").unwrap();
    let mut token = |change: fn(&mut DriveId)| {
        change(&mut identity.drive.as_mut().unwrap().id);
        confirm_token(&root, &identity)
    };
    assert_eq!(token(|_| {}).as_deref(), Some("S1D9NEAD600001T"));
    let wwn = Some("naa.5002538844584d31");
    assert_eq!(
        token(|id| id.serial = Some("00000000".into())).as_deref(),
        wwn
    );
    assert_eq!(token(|id| id.serial = None).as_deref(), wwn);
    assert_eq!(token(|id| id.by_id = vec!["ata-x".into()]).as_deref(), wwn);
    assert_eq!(token(|id| id.wwn = None).as_deref(), Some("ata-x"));
    assert_eq!(token(|id| id.by_id.clear()), None);
}

#[test]
fn a_partition_and_its_drive_are_not_confirmed_by_each_others_names() {
    let tree = Tree::new();
    let path = tree.sata("sda", "8:0", 10_000);
    let part = tree.partition(&path, 2, "8:2", 2048, 4096);
    tree.file(
        format!("sys/devices/{part}/uevent"),
        "DEVNAME=sda2\nPARTUUID=c0ffee00-01\n",
    );
    tree.link("dev/disk/by-id/ata-x-part2", "../../sda2");
    let of_the_drive = ["S1D9NEAD600001T", "naa.5002538844584d31"];
    let of_the_part = [
        "S1D9NEAD600001T-part2",
        "naa.5002538844584d31-part2",
        "wwn-0x5002538844584d31-part2",
        "/dev/disk/by-id/ata-x-part2",
        "ata-x-part2",
        "c0ffee00-01",
        "PARTUUID=C0FFEE00-01",
        "/dev/disk/by-partuuid/c0ffee00-01",
    ];
    for name in of_the_drive {
        assert_eq!(typed(&tree, "/dev/sda", name), Given, "{name}");
        let telling = "S1D9NEAD600001T-part2".to_owned();
        assert_eq!(typed(&tree, "/dev/sda2", name), Wrong { telling });
    }
    for name in of_the_part {
        assert_eq!(typed(&tree, "/dev/sda2", name), Given, "{name}");
        assert!(
            matches!(typed(&tree, "/dev/sda", name), Wrong { .. }),
            "{name}"
        );
    }
}

#[test]
fn a_loop_device_is_confirmed_by_the_file_and_its_partition_by_file_and_number() {
    let tree = Tree::new();
    tree.device("virtual/block/loop3", "7:3", 1000);
    let file = "/home/me/disk.img";
    tree.attribute("virtual/block/loop3", "loop/backing_file", file);
    tree.partition("virtual/block/loop3", 1, "259:9", 8, 100);
    assert_eq!(token(&tree, "/dev/loop3").as_deref(), Some(file));
    let of_the_part = format!("{file}-part1");
    assert_eq!(token(&tree, "/dev/loop3p1"), Some(of_the_part.clone()));
    assert!(matches!(typed(&tree, "/dev/loop3p1", file), Wrong { .. }));
    assert_eq!(typed(&tree, "/dev/loop3p1", &of_the_part), Given);
}

#[test]
fn a_multipath_drive_may_have_the_name_of_its_paths() {
    let tree = Tree::new();
    let path = tree.sata("sda", "8:0", 1000);
    tree.mapped(
        "dm-0",
        "252:0",
        &[&path],
        "mpatha",
        "mpath-35002538844584d31",
    );
    tree.file(
        "run/udev/data/b252:0",
        "S:disk/by-id/wwn-0x5002538844584d31\n",
    );
    assert_eq!(typed(&tree, "/dev/dm-0", "wwn-0x5002538844584d31"), Given);
    assert_eq!(typed(&tree, "/dev/dm-0", "dm-name-mpatha"), Given);
}

#[test]
fn what_has_no_name_of_its_own_is_never_confirmed() {
    let tree = Tree::new();
    tree.device("pci0000:00/0000:00:02.0/virtio1/block/vda", "254:0", 1000);
    for text in ["", "vda", "/dev/vda"] {
        assert_eq!(typed(&tree, "/dev/vda", text), Nameless, "{text}");
    }
    let tree = Tree::new();
    tree.file("home/me/x", "");
    assert_eq!(typed(&tree, "/home/me", "/home/me"), Nameless);
}
