//! Drives that change their names between two looks, on recorded machines.

use super::*;
use crate::tests::tree::Tree;

fn seen(tree: &Tree, path: &str) -> Seen {
    let root = tree.root();
    Seen::now(&root, &identify(&root, path).unwrap()).unwrap()
}

fn find(tree: &Tree, was: &Seen, named: &str) -> Result<String, String> {
    let found = was.find(&tree.root(), Path::new(named));
    found
        .map(|path| path.display().to_string())
        .map_err(|why| why.to_string())
}

/// Two namespaces that were found in this order.
fn namespaces(names: [&str; 2]) -> Tree {
    let tree = Tree::new();
    let controller = tree.nvme_controller(0, "S5GXNF0R");
    tree.namespace(&controller, (names[0], "259:0"), 1, "eui.002538b111b2c3d4");
    tree.namespace(&controller, (names[1], "259:1"), 2, "eui.002538b111b2c3d5");
    tree
}

#[test]
fn a_namespace_is_found_under_the_name_that_it_has_after_a_reboot() {
    let was = seen(&namespaces(["nvme0n1", "nvme0n2"]), "/dev/nvme0n1");
    let tree = namespaces(["nvme0n2", "nvme0n1"]);
    assert_eq!(find(&tree, &was, "/dev/nvme0n1"), Ok("/dev/nvme0n2".into()));
    tree.link("dev/disk/by-id/nvme-eui.002538b111b2c3d4", "../../nvme0n2");
    let by_id = "/dev/disk/by-id/nvme-eui.002538b111b2c3d4";
    assert_eq!(
        find(&tree, &was, by_id),
        Ok(by_id.into()),
        "the name still leads to it"
    );
}

#[test]
fn what_was_stored_and_read_back_is_found_as_well() {
    let was = seen(&namespaces(["nvme0n1", "nvme0n2"]), "/dev/nvme0n2");
    let text = serde_json::to_string(&was).unwrap();
    let was: Seen = serde_json::from_str(&text).unwrap();
    let tree = namespaces(["nvme1n7", "nvme1n3"]);
    assert_eq!(find(&tree, &was, "/dev/nvme0n2"), Ok("/dev/nvme1n3".into()));
}

#[test]
fn a_drive_that_is_gone_is_said_to_be_missing_with_what_has_its_name_now() {
    let tree = Tree::new();
    tree.sata("sda", "8:0", 1000);
    tree.sata("sdb", "8:16", 1000);
    let was = seen(&tree, "/dev/sdb");
    let tree = Tree::new();
    tree.sata("sda", "8:0", 1000);
    assert_eq!(
        find(&tree, &was, "/dev/sdb").unwrap_err(),
        "Samsung SSD 840, serial number S1D9NEAD600002T, 500 KiB is missing: no attached drive \
         matches (attach it, or check whether `lsblk` shows it)"
    );
    let told = find(&tree, &was, "/dev/sda").unwrap_err();
    let now = "its name is that of Samsung SSD 840, serial number S1D9NEAD600001T, 500 KiB now";
    assert!(told.ends_with(now), "{told}");
}

#[test]
fn two_drives_that_nothing_tells_apart_are_taken_only_where_the_machine_runs_on() {
    let equal = |boot: &str| {
        let tree = Tree::new();
        for (name, number, lun) in [("sdb", "8:16", 0), ("sdc", "8:32", 1)] {
            let path = tree.virtio_scsi(name, number, lun, "same");
            tree.attribute(&path, "diskseq", &(7 + lun).to_string());
        }
        tree.file("proc/sys/kernel/random/boot_id", boot);
        tree
    };
    let was = seen(&equal("one"), "/dev/sdb");
    assert_eq!(find(&equal("one"), &was, "/dev/sdb"), Ok("/dev/sdb".into()));
    let told = find(&equal("two"), &was, "/dev/sdb").unwrap_err();
    assert!(told.contains("/dev/sdb and /dev/sdc match"), "{told}");
    let told = find(&equal("one"), &was, "/dev/sdc").unwrap_err();
    assert!(told.contains("is ambiguous"), "{told}");
}

#[test]
fn a_disk_without_any_name_is_known_by_its_place_alone() {
    let machine = |name: &str, others: u32| {
        let tree = Tree::new();
        tree.device(
            &format!("pci0000:00/0000:00:02.0/virtio1/block/{name}"),
            "254:0",
            1000,
        );
        for other in 0..others {
            let path = format!("pci0000:00/0000:00:03.0/virtio2/block/vdx{other}");
            tree.device(&path, &format!("254:{}", 16 + other), 1000);
        }
        tree
    };
    let was = seen(&machine("vda", 0), "/dev/vda");
    assert_eq!(
        find(&machine("vda", 0), &was, "/dev/vda"),
        Ok("/dev/vda".into())
    );
    assert!(
        find(&machine("vdb", 0), &was, "/dev/vda")
            .unwrap_err()
            .contains("is missing")
    );
    assert!(
        find(&machine("vda", 1), &was, "/dev/vda")
            .unwrap_err()
            .contains("is ambiguous")
    );
}

#[test]
fn a_partition_is_found_on_its_drive_and_another_layout_is_not_it() {
    let machine = |name: &str, start: u64| {
        let tree = Tree::new();
        let path = tree.sata("sda", "8:0", 10_000);
        // The kernel's name is another one; the drive is the same.
        std::fs::rename(
            tree.at(format!("sys/devices/{path}")),
            tree.at("sys/devices/x"),
        )
        .unwrap();
        let moved = path.replace("block/sda", &format!("block/{name}"));
        std::fs::rename(
            tree.at("sys/devices/x"),
            tree.at(format!("sys/devices/{moved}")),
        )
        .unwrap();
        for list in ["class/block/sda", "dev/block/8:0"] {
            std::fs::remove_file(tree.at(format!("sys/{list}"))).unwrap();
        }
        tree.link(
            format!("sys/class/block/{name}"),
            format!("../../devices/{moved}"),
        );
        tree.link("sys/dev/block/8:0", format!("../../devices/{moved}"));
        tree.file(format!("dev/{name}"), "");
        tree.partition(&moved, 2, "8:2", start, 4096);
        tree
    };
    let was = seen(&machine("sda", 2048), "/dev/sda2");
    assert_eq!(
        find(&machine("sdk", 2048), &was, "/dev/sda2"),
        Ok("/dev/sdk2".into())
    );
    assert!(find(&machine("sda", 4096), &was, "/dev/sda2").is_err());
}

#[test]
fn a_file_is_the_same_by_its_path_and_length() {
    let tree = Tree::new();
    tree.file("home/me/a.img", [7; 4096]);
    tree.file("home/me/b.img", [7; 512]);
    let was = seen(&tree, "/home/me/a.img");
    assert_eq!(
        find(&tree, &was, "/home/me/a.img"),
        Ok("/home/me/a.img".into())
    );
    let told = find(&tree, &was, "/home/me/b.img").unwrap_err();
    assert_eq!(told, "/home/me/a.img, 4 KiB is now /home/me/b.img, 512 B");
    assert!(
        find(&tree, &was, "/home/me/none")
            .unwrap_err()
            .ends_with("is now gone")
    );
}
