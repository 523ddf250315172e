//! What is read from recorded machines.

use super::*;
use crate::tests::tree::Tree;

fn drive(tree: &Tree, path: &str) -> Drive {
    identify(&tree.root(), path).unwrap().drive.unwrap()
}

#[test]
fn a_sata_drive_is_named_even_without_udev() {
    let tree = Tree::new();
    let path = tree.sata("sda", "8:0", 1_465_149_168);
    tree.attribute(&path, "queue/rotational", "0");
    tree.attribute(&path, "queue/logical_block_size", "512");
    tree.attribute(&path, "queue/physical_block_size", "4096");
    tree.attribute(&path, "queue/scheduler", "none [mq-deadline] kyber");
    tree.attribute(&path, "queue/write_cache", "write back");
    tree.attribute(&path, "queue/discard_max_bytes", "2147450880");
    tree.attribute(&path, "diskseq", "9");
    let drive = drive(&tree, "/dev/sda");
    assert_eq!(drive.id.model.as_deref(), Some("Samsung SSD 840"));
    assert_eq!(drive.firmware.as_deref(), Some("BB6Q"));
    assert_eq!(drive.id.serial.as_deref(), Some("S1D9NEAD600001T"));
    assert_eq!(drive.id.wwn.as_deref(), Some("naa.5002538844584d31"));
    assert_eq!(drive.transport, Transport::Sata);
    assert_eq!(
        drive.link,
        Some(Link::Sata {
            speed: "6.0 Gbps".into(),
            best_speed: None,
        })
    );
    assert_eq!(drive.capacity, Bytes::new(750_156_374_016));
    assert_eq!(
        (drive.logical_block, drive.physical_block),
        (Some(Bytes::new(512)), Some(Bytes::kib(4)))
    );
    assert_eq!((drive.rotational, drive.discard), (Some(false), Some(true)));
    assert_eq!(drive.scheduler.as_deref(), Some("mq-deadline"));
    assert_eq!(drive.write_cache.as_deref(), Some("write back"));
    assert_eq!(drive.arrival, Some(9));
    assert!(!drive.read_only);
}

#[test]
fn a_zoned_drive_has_zones_of_the_length_that_is_told_and_none_where_that_is_nothing() {
    let tree = Tree::new();
    let path = tree.sata("sda", "8:0", 1_465_149_168);
    tree.attribute(&path, "queue/zoned", "host-managed");
    tree.attribute(&path, "queue/nr_zones", "52156");
    let told = |sectors: &str| {
        tree.attribute(&path, "queue/chunk_sectors", sectors);
        let zones = drive(&tree, "/dev/sda").zones;
        zones.map(|limits| limits.zone_length)
    };
    assert_eq!(told("524288"), Some(Bytes::mib(256)));
    assert_eq!(told("0"), None);
    assert_eq!(told("18446744073709551615"), Some(Bytes::new(u64::MAX)));
}

#[test]
fn an_ata_drives_own_words_win_over_the_shortened_ones() {
    let tree = Tree::new();
    let path = tree.sata("sda", "8:0", 1000);
    let mut page = vec![0; 572];
    let mut put = |word: usize, text: &str, length: usize| {
        let padded = format!("{text:length$}");
        for (index, pair) in padded.as_bytes().chunks(2).enumerate() {
            page[60 + 2 * word + 2 * index] = pair[1];
            page[60 + 2 * word + 2 * index + 1] = pair[0];
        }
    };
    put(10, "S1D9NEAD612345T", 20);
    put(23, "EXT0BB6Q", 8);
    put(27, "Samsung SSD 840 EVO 750GB", 40);
    tree.file(format!("sys/devices/{path}/device/vpd_pg89"), &page);
    let found = drive(&tree, "/dev/sda");
    assert_eq!(found.id.model.as_deref(), Some("Samsung SSD 840 EVO 750GB"));
    assert_eq!(found.firmware.as_deref(), Some("EXT0BB6Q"));
    assert_eq!(found.id.serial.as_deref(), Some("S1D9NEAD612345T"));
    // A page that is cut short is no page.
    tree.file(format!("sys/devices/{path}/device/vpd_pg89"), &page[..300]);
    assert_eq!(
        drive(&tree, "/dev/sda").id.serial.as_deref(),
        Some("S1D9NEAD600001T")
    );
}

#[test]
fn udev_and_its_links_fill_what_sysfs_lacks() {
    let tree = Tree::new();
    tree.device(
        "pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host9/target9:0:0/9:0:0:0/block/sdx",
        "8:16",
        1000,
    );
    tree.file(
        "sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/speed",
        "5000\n",
    );
    tree.file(
        "sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/idVendor",
        "152d\n",
    );
    tree.file("run/udev/data/b8:16", "S:disk/by-id/usb-JMicron_Generic_0123-0:0\nE:ID_MODEL_ENC=HGST\\x20HDN724030\nE:ID_SERIAL_SHORT=PK2234P9\nE:ID_REVISION=A5E0\nE:ID_WWN=0x5000cca22\n");
    tree.link("dev/disk/by-id/wwn-0x5000cca22", "../../sdx");
    let drive = drive(&tree, "/dev/disk/by-id/wwn-0x5000cca22");
    assert_eq!(drive.name, "sdx");
    assert_eq!(drive.id.model.as_deref(), Some("HGST HDN724030"));
    assert_eq!(drive.id.serial.as_deref(), Some("PK2234P9"));
    assert_eq!(drive.id.wwn.as_deref(), Some("0x5000cca22"));
    assert_eq!(
        drive.id.by_id,
        ["usb-JMicron_Generic_0123-0:0", "wwn-0x5000cca22"]
    );
    assert_eq!(drive.transport, Transport::Usb);
    assert_eq!(drive.link.unwrap().to_string(), "USB at 5000 Mbit/s");
}

/// An NVMe drive, by its controller or, with the kernel's multipath, by its subsystem.
fn nvme(tree: &Tree, with_multipath: bool) {
    let function = "pci0000:00/0000:00:1d.0/0000:03:00.0";
    let controller = format!("{function}/nvme/nvme0");
    for (name, value) in [
        ("current_link_speed", "8.0 GT/s PCIe"),
        ("current_link_width", "2"),
        ("max_link_speed", "16.0 GT/s PCIe"),
        ("max_link_width", "4"),
    ] {
        tree.attribute(function, name, value);
    }
    tree.attribute(&controller, "transport", "pcie");
    tree.link(format!("sys/devices/{controller}/device"), "../..");
    let named = if with_multipath {
        "virtual/nvme-subsystem/nvme-subsys0"
    } else {
        &controller
    };
    for (name, value) in [
        ("model", "Samsung SSD 980 PRO 1TB   "),
        ("serial", "S5GXNF0R   "),
        ("firmware_rev", "5B2QGXA7"),
    ] {
        tree.attribute(named, name, value);
    }
    if with_multipath {
        tree.link(
            format!("sys/devices/{named}/nvme0"),
            format!("../../../{controller}"),
        );
    }
    let path = format!("{named}/nvme0n1");
    tree.device(&path, "259:0", 1_953_525_168);
    tree.link(format!("sys/devices/{path}/device"), "..");
    tree.attribute(&path, "wwid", "eui.002538b111b2c3d4");
}

#[test]
fn an_nvme_drive_tells_its_slots_speed_with_and_without_kernel_multipath() {
    for with_multipath in [false, true] {
        let tree = Tree::new();
        nvme(&tree, with_multipath);
        let drive = drive(&tree, "/dev/nvme0n1");
        assert_eq!(drive.id.model.as_deref(), Some("Samsung SSD 980 PRO 1TB"));
        assert_eq!(drive.id.serial.as_deref(), Some("S5GXNF0R"));
        assert_eq!(drive.firmware.as_deref(), Some("5B2QGXA7"));
        assert_eq!(drive.id.wwn.as_deref(), Some("eui.002538b111b2c3d4"));
        assert_eq!(drive.transport, Transport::Nvme);
        assert_eq!(
            drive.link.unwrap().to_string(),
            "PCIe at 8.0 GT/s PCIe x2 (the drive can do 16.0 GT/s PCIe x4)"
        );
    }
}

#[test]
fn a_link_of_which_the_kernel_knows_nothing_is_not_known() {
    let tree = Tree::new();
    let controller = tree.nvme_controller(0, "S5GXNF0R");
    tree.namespace(&controller, ("nvme0n1", "259:0"), 1, "eui.002538b111b2c3d4");
    let function = controller.strip_suffix("/nvme/nvme0").unwrap();
    for (name, value) in [
        ("current_link_speed", "Unknown"),
        ("current_link_width", "0"),
        ("max_link_speed", "Unknown"),
        ("max_link_width", "255"),
    ] {
        tree.attribute(function, name, value);
    }
    assert_eq!(drive(&tree, "/dev/nvme0n1").link, None);
    tree.attribute(function, "current_link_speed", "8.0 GT/s PCIe");
    tree.attribute(function, "current_link_width", "4");
    let link = drive(&tree, "/dev/nvme0n1").link.unwrap();
    assert_eq!(link.to_string(), "PCIe at 8.0 GT/s PCIe x4");
}

#[test]
fn a_partition_has_its_place_and_its_drives_names() {
    let tree = Tree::new();
    let path = tree.sata("sda", "8:0", 10_000);
    tree.partition(&path, 2, "8:2", 2048, 4096);
    let identity = identify(&tree.root(), "/dev/sda2").unwrap();
    let kind = Kind::Partition {
        of: "sda".into(),
        index: 2,
        start: Bytes::mib(1),
        backing_file: None,
    };
    assert_eq!(identity.kind, kind);
    assert_eq!(identity.drive.as_ref().unwrap().capacity, Bytes::mib(2));
}

#[test]
fn a_size_and_a_start_that_no_drive_has_are_bounds() {
    let tree = Tree::new();
    let disk = tree.sata("sda", "8:0", 1_000);
    let partition = tree.partition(&disk, 1, "8:1", 8, 64);
    for path in [&disk, &partition] {
        tree.attribute(path, "size", "18446744073709551615");
        tree.attribute(path, "start", "18446744073709551615");
    }
    for path in ["/dev/sda", "/dev/sda1"] {
        let identity = identify(&tree.root(), path).unwrap();
        assert_eq!(identity.drive.unwrap().capacity, Bytes::new(u64::MAX));
    }
}

#[test]
fn other_transports_are_told_by_their_place() {
    let tree = Tree::new();
    tree.device("pci0000:00/0000:00:02.0/virtio1/block/vda", "254:0", 1000);
    tree.attribute(
        "pci0000:00/0000:00:02.0/virtio1/block/vda",
        "serial",
        "disk-7",
    );
    tree.device(
        "platform/fe320000.mmc/mmc_host/mmc1/mmc1:aaaa/block/mmcblk1",
        "179:0",
        1000,
    );
    tree.device("virtual/block/zram0", "253:0", 1000);
    tree.device(
        "pci0000:00/0000:01:00.0/host4/port-4:0/end_device-4:0/target4:0:0/4:0:0:0/block/sdq",
        "65:0",
        1000,
    );
    tree.device(
        "pci0000:00/0000:00:1f.1/ata9/host8/target8:0:0/8:0:0:0/block/sdr",
        "65:16",
        1000,
    );
    tree.stacked("md0", "9:0", &[]);
    tree.virtio_scsi("sds", "65:32", 0, "behind-virtio");
    let of = |name: &str| drive(&tree, &format!("/dev/{name}")).transport;
    assert_eq!(of("vda"), Transport::Virtio);
    assert_eq!(
        drive(&tree, "/dev/vda").id.serial.as_deref(),
        Some("disk-7")
    );
    assert_eq!(of("mmcblk1"), Transport::Mmc);
    assert_eq!(of("zram0"), Transport::Software);
    assert_eq!(of("sdq"), Transport::Scsi);
    assert_eq!(of("sdr"), Transport::Ata);
    assert_eq!(of("sds"), Transport::Scsi);
    assert_eq!(of("md0"), Transport::Stacked);
}

#[test]
fn a_directory_tells_every_layer_down_to_the_drives() {
    let mut tree = Tree::new();
    let (a, b) = (
        tree.sata("sda", "8:0", 10_000),
        tree.sata("sdb", "8:16", 10_000),
    );
    let (a1, b1) = (
        tree.partition(&a, 1, "8:1", 8, 4096),
        tree.partition(&b, 1, "8:17", 8, 4096),
    );
    let md = tree.stacked("md0", "9:0", &[&a1, &b1]);
    tree.attribute(&md, "md/level", "raid1");
    tree.mapped("dm-0", "252:0", &[&md], "vg-home", "LVM-abc");
    tree.mounts(&[
        ("8:33", "/", "ext4", "/dev/sdc1"),
        ("252:0", "/home", "xfs", "/dev/mapper/vg-home"),
    ]);
    tree.file("home/me/test.bin", [0; 4096]);
    let identity = identify(&tree.root(), "/home/me").unwrap();
    assert_eq!(identity.kind, Kind::Directory);
    assert_eq!(
        identity.stack,
        [
            "dm-0 (LVM volume vg-home)",
            "md0 (RAID 1)",
            "sda1",
            "sda",
            "sdb1",
            "sdb"
        ]
    );
    let names: Vec<&str> = identity
        .beneath
        .iter()
        .map(|drive| drive.name.as_str())
        .collect();
    assert_eq!(names, ["sda", "sdb"]);
    assert_eq!(
        identity.beneath[1].id.serial.as_deref(),
        Some("S1D9NEAD600002T")
    );
    let file_system = identity.file_system.unwrap();
    assert_eq!(
        (file_system.kind.as_str(), file_system.mount_point.as_path()),
        ("xfs", Path::new("/home"))
    );
    assert!(file_system.free <= file_system.size && !file_system.size.is_zero());

    let file = identify(&tree.root(), "/home/me/test.bin").unwrap();
    let id = FileId::at(&tree.at("home/me/test.bin")).unwrap();
    assert_eq!(
        file.kind,
        Kind::RegularFile {
            bytes: Bytes::kib(4),
            file: id
        }
    );
    assert_eq!(file.beneath.len(), 2);
}

#[test]
fn a_btrfs_directory_lies_on_all_devices_of_the_pool() {
    let mut tree = Tree::new();
    let paths = [
        tree.sata("sda", "8:0", 10_000),
        tree.sata("sdb", "8:16", 10_000),
    ];
    for path in paths {
        let name = path.rsplit('/').next().unwrap();
        tree.link(
            format!("sys/fs/btrfs/1234/devices/{name}"),
            format!("../../../../devices/{path}"),
        );
    }
    tree.mounts(&[("0:44", "/data", "btrfs", "/dev/sda")]);
    tree.file("data/x", "");
    let names: Vec<String> = identify(&tree.root(), "/data")
        .unwrap()
        .beneath
        .into_iter()
        .map(|drive| drive.name)
        .collect();
    assert_eq!(names, ["sda", "sdb"]);
}

#[test]
fn what_is_no_target_is_said() {
    let root = Root::new("/");
    assert!(matches!(
        identify(&root, "/dev/no-such-drive"),
        Err(InspectError::NotFound { .. })
    ));
    let error = identify(&root, "/dev/null").unwrap_err().to_string();
    assert_eq!(
        error,
        "/dev/null is a character device, not a block device, a file or a directory"
    );
    let error = identify(&root, "/proc/self/status")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("what the kernel makes as it is read"),
        "{error}"
    );
    let tree = Tree::new();
    tree.sata("sda", "8:0", 10);
    std::fs::remove_file(tree.at("sys/dev/block/8:0")).unwrap();
    assert!(matches!(
        identify(&tree.root(), "/dev/sda"),
        Err(InspectError::NotInSysfs { .. })
    ));
}

#[test]
fn a_directory_in_a_changed_root_has_room_though_no_mount_is_listed() {
    let mut tree = Tree::new();
    tree.mounts(&[("0:5", "/proc", "proc", "proc")]);
    tree.file("home/me/test.bin", [0; 4096]);
    let identity = identify(&tree.root(), "/home/me").unwrap();
    let system = identity.file_system.unwrap();
    assert!(system.free > Bytes::ZERO && system.size > Bytes::ZERO);
    assert_eq!((system.kind.as_str(), identity.stack.len()), ("unknown", 0));
}

#[test]
fn this_machines_temporary_directory_is_identified() {
    let directory = tempfile::TempDir::new().unwrap();
    let identity = identify(&Root::new("/"), directory.path()).unwrap();
    assert_eq!(identity.kind, Kind::Directory);
    let file_system = identity.file_system.unwrap();
    assert!(directory.path().starts_with(file_system.mount_point));
    assert!(!file_system.size.is_zero());
}
