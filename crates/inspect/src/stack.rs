//! Everything above a block device: partitions, arrays, volumes, loops.
//!
//! `/sys/.../holders` links a device to the md and device-mapper devices above it. Three relations
//! are not there and are added: a drive to its partitions; a device to a loop device that shows it,
//! or a file in a file system on it, as a device again; a device to the zram that spills to it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use super::mounts::{self, BtrfsPool, Mount};
use super::sysfs::{DeviceNumber, Node, Root};

/// Why one device is above another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Partition,
    /// An array, a volume or a cache that claimed it.
    Holder,
    /// A loop device or zram that uses it, or a file on it.
    Backed,
}

/// All block devices of the machine and their relations.
pub(crate) struct Stack {
    nodes: BTreeMap<DeviceNumber, Node>,
    above: BTreeMap<DeviceNumber, Vec<(DeviceNumber, Relation)>>,
    /// Mounts as this process sees them.
    pub(crate) mounts: Vec<Mount>,
    /// Mounted Btrfs file systems.
    pub(crate) pools: Vec<BtrfsPool>,
}

/// One device and the path up to it from where the search began.
#[derive(Clone, Debug)]
pub(crate) struct Reached {
    pub(crate) number: DeviceNumber,
    /// Labels of all devices on the path, including the first and this one.
    pub(crate) chain: Vec<String>,
    /// The last step's relation; `None` for where the search began.
    pub(crate) by: Option<Relation>,
    /// True where all steps to it were partitions (or none): it is the drive itself or a part of it.
    pub(crate) own: bool,
    /// True where the device just below is the drive itself or a part of it.
    pub(crate) on_own: bool,
}

impl Stack {
    /// Reads the whole machine.
    ///
    /// # Errors
    /// Where the lists of devices, of holders or of mounts cannot be read: then nothing is certain.
    pub(crate) fn read(root: &Root) -> io::Result<Stack> {
        let mounts = mounts::mounts(root, "self")?;
        let pools = mounts::btrfs_pools(root);
        let nodes: BTreeMap<_, _> = Node::all(root)?
            .into_iter()
            .map(|node| (node.number, node))
            .collect();
        let mut stack = Stack {
            nodes,
            above: BTreeMap::new(),
            mounts,
            pools,
        };
        let edges = stack.edges(root)?;
        for (lower, upper, relation) in edges {
            stack
                .above
                .entry(lower)
                .or_default()
                .push((upper, relation));
        }
        Ok(stack)
    }

    fn edges(&self, root: &Root) -> io::Result<Vec<(DeviceNumber, DeviceNumber, Relation)>> {
        let mut edges = Vec::new();
        for node in self.nodes.values() {
            if let Some(parent) = node.parent() {
                edges.push((parent.number, node.number, Relation::Partition));
            }
            for holder in node.linked("holders")? {
                edges.push((node.number, holder.number, Relation::Holder));
            }
            for lower in self.behind(root, node) {
                edges.push((lower, node.number, Relation::Backed));
            }
        }
        Ok(edges)
    }

    /// The devices that a loop device or a zram is backed by: the device of its backing path, or those below the file
    /// system of that path.
    fn behind(&self, root: &Root, node: &Node) -> BTreeSet<DeviceNumber> {
        let backing = node
            .attribute("loop/backing_file")
            .or_else(|| node.attribute("backing_dev"));
        match backing {
            Some(path) if path.starts_with('/') => self.under_path(root, Path::new(&path)),
            _ => BTreeSet::new(),
        }
    }

    /// The block device at `path`, else the devices below its file system.
    pub(crate) fn under_path(&self, root: &Root, path: &Path) -> BTreeSet<DeviceNumber> {
        if let Some(number) = root.number_of(path) {
            return BTreeSet::from([number]);
        }
        let mount = mounts::mount_of(&self.mounts, path);
        mount.map_or_else(BTreeSet::new, |mount| {
            mounts::devices_of(root, mount, &self.pools)
        })
    }

    /// The device of that number.
    pub(crate) fn node(&self, number: DeviceNumber) -> Option<&Node> {
        self.nodes.get(&number)
    }

    /// All devices.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.values()
    }

    /// The device and everything above it. A partition's drive is included, with what holds the whole of it (an array
    /// over a whole drive whose old partition table still shows), but not its other partitions.
    pub(crate) fn reached_from(&self, start: DeviceNumber) -> Vec<Reached> {
        let mut reached = self.climb(start, true);
        if let Some(parent) = self.nodes.get(&start).and_then(Node::parent) {
            reached.extend(self.climb(parent.number, false));
        }
        reached
    }

    fn climb(&self, start: DeviceNumber, with_partitions: bool) -> Vec<Reached> {
        let label = |number: DeviceNumber| {
            self.nodes
                .get(&number)
                .map_or_else(|| number.to_string(), Node::label)
        };
        let first = Reached {
            number: start,
            chain: vec![label(start)],
            by: None,
            own: true,
            on_own: false,
        };
        let mut reached = vec![first];
        let mut index = 0;
        while let Some(from) = reached.get(index).cloned() {
            index += 1;
            for (upper, relation) in self.above.get(&from.number).into_iter().flatten() {
                let left_out =
                    *relation == Relation::Partition && !with_partitions && from.number == start;
                // A mirror is reached through each half; once is enough, and a ring never ends.
                if left_out || reached.iter().any(|seen| seen.number == *upper) {
                    continue;
                }
                let mut chain = from.chain.clone();
                chain.push(label(*upper));
                reached.push(Reached {
                    number: *upper,
                    chain,
                    by: Some(*relation),
                    own: from.own && *relation == Relation::Partition,
                    on_own: from.own,
                });
            }
        }
        reached
    }
}
