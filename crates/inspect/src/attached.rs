//! The drives of this machine and their users: for a list, without side effects.
//!
//! The same checks are made as before a drive is overwritten, but without consequences: what could not be checked
//! (another user's processes, the content of a device that this user may not read) is distinguished from known uses of
//! the drive.

use std::io;

use base::size::Bytes;

use super::confirm::confirm_token;
use super::identity::{Drive, Identity, Kind, describe};
use super::link::Transport;
use super::refusal::Refusal;
use super::sysfs::{Node, Root};
use super::usage::refusals;

/// A drive, and who uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attached {
    pub drive: Drive,
    /// Its usual path.
    pub path: std::path::PathBuf,
    /// What would confirm that it is the one meant ([`confirm_token`]); nothing where no name is its alone.
    pub confirmed_by: Option<String>,
    /// What is known to use it, or to keep it from being written.
    pub uses: Vec<Refusal>,
    /// What could not be checked.
    pub unseen: Vec<Refusal>,
}

/// Every whole drive that holds something, in order of name: partitions, empty readers, detached loop devices
/// and RAM disks are left out.
///
/// # Errors
/// Where `/sys` has no list of block devices.
pub fn attached(root: &Root) -> io::Result<Vec<Attached>> {
    let nodes = Node::all(root)?;
    let drives = nodes.iter().filter(|node| is_listed(node)).map(|node| {
        let drive = describe(root, node);
        let path = node.path();
        let identity = Identity {
            path: path.clone(),
            real: path.clone(),
            kind: match node.attribute("loop/backing_file") {
                Some(file) => Kind::Loop {
                    backing_file: file.into(),
                    offset: Bytes::ZERO,
                },
                None => Kind::BlockDevice,
            },
            drive: Some(drive.clone()),
            file_system: None,
            stack: Vec::new(),
            beneath: Vec::new(),
        };
        let all = refusals(root, &identity);
        let (unseen, uses) = all
            .into_iter()
            .partition(|one| matches!(one, Refusal::CannotTell { .. }));
        Attached {
            confirmed_by: confirm_token(root, &identity),
            drive,
            path,
            uses,
            unseen,
        }
    });
    let mut drives: Vec<Attached> = drives.collect();
    drives.retain(|one| one.drive.transport != Transport::Software || !one.uses.is_empty());
    Ok(drives)
}

fn is_listed(node: &Node) -> bool {
    !node.is_partition() && !node.capacity().is_zero()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::tree::Tree;

    #[test]
    fn whole_drives_are_listed_with_their_users_and_partitions_and_empty_ones_are_not() {
        let mut tree = Tree::new();
        tree.device("pci0/block/sda", "8:0", 2_048);
        tree.device("pci0/block/sda/sda1", "8:1", 1_024);
        tree.file("sys/devices/pci0/block/sda/sda1/partition", "1\n");
        tree.device("pci0/block/sdb", "8:16", 4_096);
        tree.device("pci0/block/sdc", "8:32", 0);
        tree.mounts(&[("8:1", "/data", "ext4", "/dev/sda1")]);
        let listed = attached(&tree.root()).unwrap();
        let names: Vec<&str> = listed.iter().map(|one| one.drive.name.as_str()).collect();
        assert_eq!(names, ["sda", "sdb"]);
        assert!(
            matches!(&listed[0].uses[..], [Refusal::Mounted { .. }]),
            "{:?}",
            listed[0]
        );
        assert_eq!(listed[0].uses[0].in_brief(), "/data on sda1");
        assert!(listed[1].uses.is_empty(), "{:?}", listed[1]);
    }

    #[test]
    fn namespaces_of_one_controller_are_confirmed_by_names_of_their_own() {
        let tree = Tree::new();
        let controller = tree.nvme_controller(0, "S5GX");
        for (name, nsid, wwid) in [
            ("nvme0n1", 1, "eui.0025380000000001"),
            ("nvme0n2", 2, "eui.0025380000000002"),
        ] {
            tree.namespace(&controller, (name, &format!("259:{nsid}")), nsid, wwid);
        }
        let listed = attached(&tree.root()).unwrap();
        let told = listed.iter().map(|one| {
            let id = &one.drive.id;
            (
                id.serial.as_deref(),
                id.namespace,
                one.confirmed_by.as_deref(),
            )
        });
        let told: Vec<_> = told.collect();
        let expected = [
            (Some("S5GX"), Some(1), Some("eui.0025380000000001")),
            (Some("S5GX"), Some(2), Some("eui.0025380000000002")),
        ];
        assert_eq!(told, expected);
    }
}
