//! Whether a device is still there.
//!
//! The removal of a drive is not always reported. The kernel sets the length of an NVMe or virtio drive to 0, and a
//! read beyond the end of a device is no error: it transfers no bytes. A SCSI drive that was set offline returns EIO
//! forever, like a bad sector. For individual reads that looks like a drive full of bad sectors, so the device itself
//! is checked:
//!
//! * its length, through the open descriptor, which is there whatever becomes of its name;
//! * its directory in `/sys/dev/block`, which disappears when the kernel removes the device, and its `diskseq`, which
//!   another device of the same number would not have;
//! * the `state` of a SCSI device or an NVMe controller.

use std::os::fd::AsFd;

use base::size::Bytes;
use rustix::fs::{FileType, SeekFrom};
use rustix::io::Errno;

use super::sysfs::{DeviceNumber, Node, Root, first_line};

/// Final states of a device: of SCSI (`scsi_sysfs.c`) and of NVMe controllers (`nvme/host/sysfs.c`). The others are
/// temporary: blocked, quiesce, resetting, connecting.
const GONE: &[&str] = &[
    "offline",
    "transport-offline",
    "deleted",
    "cancel",
    "dead",
    "deleting",
    "deleting (no IO)",
];

/// How an open device (or file) was when it was opened.
#[derive(Clone, Debug)]
pub struct Presence {
    root: Root,
    capacity: Bytes,
    /// Of a device that `/sys` shows.
    device: Option<(DeviceNumber, Option<String>)>,
}

impl Presence {
    /// For the open file; `None` if not even its length can be determined.
    pub fn of(root: &Root, file: impl AsFd) -> Option<Presence> {
        let stat = rustix::fs::fstat(&file).ok()?;
        let is_device = FileType::from_raw_mode(stat.st_mode) == FileType::BlockDevice;
        let number = is_device.then(|| DeviceNumber::from_raw(stat.st_rdev));
        Presence::with_number(root, number, file)
    }

    fn with_number(root: &Root, number: Option<DeviceNumber>, file: impl AsFd) -> Option<Presence> {
        let node = number.and_then(|number| Node::by_number(root, number));
        Some(Presence {
            root: root.clone(),
            capacity: length(file).ok()?,
            device: node.map(|node| (node.number, arrival(&node))),
        })
    }

    /// The evidence that the device is gone, in words; `None` while it is present.
    pub fn lost(&self, file: impl AsFd) -> Option<String> {
        match length(file) {
            Ok(now) if now < self.capacity => {
                return Some(format!("it holds {now} now, and held {}", self.capacity));
            }
            Ok(_) => {}
            Err(errno) => return Some(format!("its length can no longer be read: {errno}")),
        }
        let (number, arrival_then) = self.device.as_ref()?;
        let Some(node) = Node::by_number(&self.root, *number) else {
            return Some("the kernel does not know it any more".to_owned());
        };
        if arrival(&node) != *arrival_then {
            return Some("another device has its number now".to_owned());
        }
        let state = first_line(&node.drive_folder().join("device/state"))?;
        GONE.contains(&state.as_str())
            .then(|| format!("the kernel says that its state is '{state}'"))
    }
}

/// The end offset: for a device `st_size` is 0.
fn length(file: impl AsFd) -> Result<Bytes, Errno> {
    rustix::fs::seek(file, SeekFrom::End(0)).map(Bytes::new)
}

/// The running number that the kernel gave to the device when it came.
fn arrival(node: &Node) -> Option<String> {
    first_line(&node.drive_folder().join("diskseq"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::tree::Tree;
    use std::fs::File;
    use std::path::PathBuf;

    const NUMBER: DeviceNumber = DeviceNumber { major: 8, minor: 0 };

    /// A recorded SATA drive, its node, open, and its presence.
    fn drive() -> (Tree, PathBuf, File, Presence) {
        let tree = Tree::new();
        let path = tree.sata("sda", "8:0", 1_000);
        tree.attribute(&path, "diskseq", "9");
        let scsi = PathBuf::from(&path).join("../../state");
        tree.file(PathBuf::from("sys/devices").join(&scsi), "running\n");
        let node = File::options()
            .write(true)
            .open(tree.at("dev/sda"))
            .unwrap();
        let presence = Presence::with_number(&tree.root(), Some(NUMBER), &node).unwrap();
        (
            tree,
            PathBuf::from("sys/devices").join(path),
            node,
            presence,
        )
    }

    #[test]
    fn a_drive_that_is_there_is_not_lost_whatever_it_does_for_the_moment() {
        let (tree, folder, node, presence) = drive();
        assert_eq!(presence.lost(&node), None);
        for passing in ["blocked", "quiesce", "resetting", "connecting", "live"] {
            tree.file(folder.join("../../state"), passing);
            assert_eq!(presence.lost(&node), None, "{passing}");
        }
    }

    #[test]
    fn a_drive_without_length_is_lost_and_says_what_it_held() {
        let (_tree, _, node, presence) = drive();
        node.set_len(0).unwrap();
        let how = presence.lost(&node).unwrap();
        assert_eq!(how, "it holds 0 B now, and held 500 KiB");
    }

    #[test]
    fn a_drive_that_was_set_offline_or_is_being_deleted_is_lost() {
        let (tree, folder, node, presence) = drive();
        for state in GONE {
            tree.file(folder.join("../../state"), state);
            let how = presence.lost(&node).unwrap();
            assert!(how.contains(&format!("'{state}'")), "{how}");
        }
    }

    #[test]
    fn a_drive_that_the_kernel_forgot_or_replaced_is_lost() {
        let (tree, folder, node, presence) = drive();
        tree.file(folder.join("diskseq"), "10\n");
        let how = presence.lost(&node).unwrap();
        assert_eq!(how, "another device has its number now");
        std::fs::remove_file(tree.at("sys/dev/block/8:0")).unwrap();
        let how = presence.lost(&node).unwrap();
        assert_eq!(how, "the kernel does not know it any more");
    }

    #[test]
    fn a_partition_is_lost_with_its_drive() {
        let tree = Tree::new();
        let drive = tree.sata("sda", "8:0", 1_000);
        tree.partition(&drive, 1, "8:1", 8, 100);
        let node = File::open(tree.at("dev/sda1")).unwrap();
        let number = DeviceNumber { major: 8, minor: 1 };
        let presence = Presence::with_number(&tree.root(), Some(number), &node).unwrap();
        assert_eq!(presence.lost(&node), None);
        tree.file(format!("sys/devices/{drive}/../../state"), "offline\n");
        assert!(presence.lost(&node).unwrap().contains("offline"));
    }

    #[test]
    fn a_file_is_lost_when_it_is_shorter_and_a_machine_without_sys_tells_nothing_else() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(5_000).unwrap();
        let presence = Presence::of(&Root::new("/"), &file).unwrap();
        assert_eq!(presence.lost(&file), None);
        file.set_len(6_000).unwrap();
        assert_eq!(presence.lost(&file), None, "more is not a loss");
        file.set_len(4_999).unwrap();
        assert!(presence.lost(&file).is_some());
        file.set_len(5_000).unwrap();
        let bare = Root::new(tempfile::tempdir().unwrap().path());
        let presence = Presence::with_number(&bare, Some(NUMBER), &file).unwrap();
        assert_eq!(presence.lost(&file), None);
    }
}
