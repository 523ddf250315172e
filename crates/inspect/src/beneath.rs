//! The layers between a target and its drive, and how they change I/Os.
//!
//! A file system may store fewer bytes than it is given, or answer from its own cache that direct I/O does not bypass
//! (ZFS); an overlay copies whole files; a network file system is another computer. Below the file system, or below a
//! device, there are mapped devices (prefix and suffix of `dm/uuid` identify them: `CRYPT-`, `LVM-...-tpool`), arrays,
//! caches, loops; and at the bottom may be a hypervisor's disk backed by a file, whose answers come from the memory of
//! its host. Names are those of Linux's own sources, of LVM's device names and of hypervisors' identify data.

use base::surroundings::{Layer, LayerKind};

use super::identity::{Drive, FileSystem, Identity};
use super::link::Transport;
use super::mounts;
use super::sysfs::{Node, Root};

/// File systems whose files are on another computer, or on the host of this virtual one.
const NETWORK: [&str; 14] = [
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "virtiofs",
    "ceph",
    "afs",
    "vboxsf",
    "drvfs",
    "fuse.sshfs",
    "fuse.glusterfs",
    "fuse.vmhgfs-fuse",
];
const COPIES: [&str; 4] = ["overlay", "aufs", "unionfs", "fuse.fuse-overlayfs"];
const ENCRYPTS: [&str; 5] = [
    "ecryptfs",
    "fuse.encfs",
    "fuse.gocryptfs",
    "fuse.cryfs",
    "fuse.securefs",
];
/// What hypervisors and clouds call their disks, in lower case.
const VIRTUAL_DISKS: [&str; 11] = [
    "qemu",
    "vmware",
    "vbox",
    "virtual disk",
    "msft",
    "xen",
    "amazon elastic block store",
    "nvme_card-pd",
    "persistentdisk",
    "google",
    "bhyve",
];

/// Every layer between a target and its drive that is known, from the top down.
pub fn beneath(root: &Root, identity: &Identity) -> Vec<Layer> {
    let mut found: Vec<Layer> = identity
        .file_system
        .iter()
        .flat_map(of_file_system)
        .collect();
    let top: Vec<Node> = match (&identity.drive, mounted(root, identity)) {
        (Some(drive), _) => Node::by_number(root, drive.number).into_iter().collect(),
        (None, devices) => devices,
    };
    let mut below = top;
    below.reverse();
    let mut seen = Vec::new();
    while let Some(node) = below.pop() {
        if seen.contains(&node.number) {
            continue;
        }
        seen.push(node.number);
        found.extend(layer_of(root, &node));
        let mut next: Vec<Node> = node.linked("slaves").unwrap_or_default();
        next.extend(node.parent());
        next.reverse();
        below.extend(next);
    }
    let drives = identity.drive.iter().chain(&identity.beneath);
    found.extend(drives.filter_map(virtual_disk));
    found
}

fn layer(kind: LayerKind, name: String) -> Layer {
    Layer { kind, name }
}

/// The devices below a file's file system.
fn mounted(root: &Root, identity: &Identity) -> Vec<Node> {
    let mounts = mounts::mounts(root, "self").unwrap_or_default();
    let Some(mount) = mounts::mount_of(&mounts, &identity.real) else {
        return Vec::new();
    };
    let devices = mounts::devices_of(root, mount, &mounts::btrfs_pools(root));
    let nodes = devices
        .into_iter()
        .filter_map(|number| Node::by_number(root, number));
    nodes.collect()
}

/// Additional processing by a file system.
fn of_file_system(file_system: &FileSystem) -> Vec<Layer> {
    let kind = file_system.kind.as_str();
    let mut found = Vec::new();
    if let Some(option) = compressing(file_system) {
        found.push(layer(LayerKind::Compression, format!("{kind} ({option})")));
    }
    let does = match kind {
        // Its cache is beside the page cache, and it compresses unless it is told not to, which no mount option shows.
        "zfs" => Some(LayerKind::Cache),
        _ if NETWORK.contains(&kind) => Some(LayerKind::Network),
        _ if COPIES.contains(&kind) => Some(LayerKind::Copies),
        _ if ENCRYPTS.contains(&kind) => Some(LayerKind::Encryption),
        _ if kind == "fuse" || kind == "fuseblk" || kind.starts_with("fuse.") => {
            Some(LayerKind::UserSpace)
        }
        _ => None,
    };
    if kind == "zfs" {
        found.push(layer(LayerKind::Compression, "zfs".to_owned()));
    }
    found.extend(does.map(|does| layer(does, kind.to_owned())));
    found
}

/// The mount option that enables a file system's compression.
fn compressing(file_system: &FileSystem) -> Option<&String> {
    let keys: &[&str] = match file_system.kind.as_str() {
        "btrfs" => &["compress", "compress-force"],
        "bcachefs" => &["compression", "background_compression"],
        // Of f2fs only files with such an ending are compressed: `*` are all of them.
        "f2fs" => &["compress_extension"],
        _ => &[],
    };
    file_system.options.iter().find(|option| {
        let (key, value) = option.split_once('=').unwrap_or((option, ""));
        let off = matches!(value, "no" | "none" | "off");
        let all = file_system.kind != "f2fs" || value == "*";
        keys.contains(&key) && !off && all
    })
}

/// The layer that a device is; nothing for a drive or a part of one.
fn layer_of(root: &Root, node: &Node) -> Option<Layer> {
    let (kind, how) = match (of_device(node)?, raid_of_volume(root, node)) {
        (LayerKind::Volume, Some(line)) => (LayerKind::Array, volume_degraded(&line)),
        (kind, _) => (kind, degraded(node)),
    };
    Some(match (kind, how) {
        (LayerKind::Array, Some(how)) => {
            layer(LayerKind::DegradedArray, format!("{}: {how}", node.label()))
        }
        (kind, _) => layer(kind, node.label()),
    })
}

/// What a device made of others does; nothing for a drive or a part of one.
fn of_device(node: &Node) -> Option<LayerKind> {
    let name = node.name.as_str();
    if let Some(uuid) = node.attribute("dm/uuid") {
        return of_mapping(&uuid);
    }
    if node.attribute("loop/backing_file").is_some() {
        return Some(LayerKind::Loop);
    }
    if node.attribute("md/level").is_some() {
        return Some(LayerKind::Array);
    }
    match name {
        _ if name.starts_with("bcache") => Some(LayerKind::Cache),
        _ if name.starts_with("zram") => Some(LayerKind::Compression),
        _ if ["nbd", "rbd", "drbd"].iter().any(|on| name.starts_with(on)) => {
            Some(LayerKind::Network)
        }
        _ => None,
    }
}

/// The degraded state or current operation of a kernel array, in the kernel's words
/// (`Documentation/admin-guide/md.rst`); `None` if it is intact and idle.
fn degraded(node: &Node) -> Option<String> {
    let missing = node.attribute("md/degraded").filter(|by| by != "0");
    let missing = missing.map(|by| format!("degraded {by}"));
    told(missing, node.attribute("md/sync_action"))
}

/// Missing members and the current action, if there is anything to report.
fn told(missing: Option<String>, action: Option<String>) -> Option<String> {
    let action = action.filter(|action| !matches!(action.as_str(), "idle" | "frozen"));
    let told: Vec<String> = missing.into_iter().chain(action).collect();
    (!told.is_empty()).then(|| told.join(", "))
}

/// The device mapper's status of a RAID volume of LVM: `/sys` has nothing about its members.
fn raid_of_volume(root: &Root, node: &Node) -> Option<String> {
    if !root.is_live() || !node.attribute("dm/uuid")?.starts_with("LVM-") {
        return None;
    }
    let parts = uring::mapping_status(node.number.major, node.number.minor)?;
    let raid = parts.into_iter().find(|(kind, _)| kind == "raid");
    raid.map(|(_, line)| line)
}

/// The same as [`degraded`] in the words of the device mapper (`Documentation/admin-guide/device-mapper/dm-raid.rst`): of
/// `raid1 2 AD 32768/32768 idle 0 0 -` the third has a letter a member, `D` where it has failed and `-` where it is not
/// there; the fifth is what the array is at.
fn volume_degraded(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let members = words.get(2)?;
    let missing = members.matches(['D', '-']).count();
    let missing = (missing > 0).then(|| format!("degraded {missing}"));
    let action = words.get(4).map(|action| (*action).to_owned());
    told(missing, action)
}

/// By its creator's prefix, and LVM's suffix for what is inside a volume.
fn of_mapping(uuid: &str) -> Option<LayerKind> {
    let ends = |with: &[&str]| with.iter().any(|end| uuid.ends_with(end));
    let begins = |with: &[&str]| with.iter().any(|begin| uuid.starts_with(begin));
    match () {
        () if begins(&["CRYPT-"]) => Some(LayerKind::Encryption),
        () if begins(&["VDO-"]) || ends(&["-vpool"]) => Some(LayerKind::Compression),
        () if begins(&["stratis-"]) || ends(&["-tpool"]) => Some(LayerKind::Thin),
        () if ends(&["-cow", "-real"]) => Some(LayerKind::Snapshot),
        () if ends(&["-cdata", "-cmeta", "-cvol", "-corig"]) => Some(LayerKind::Cache),
        () if begins(&["DMRAID-"]) => Some(LayerKind::Array),
        () if begins(&["LVM-"]) => Some(LayerKind::Volume),
        () => None,
    }
}

/// A disk that a hypervisor makes.
fn virtual_disk(drive: &Drive) -> Option<Layer> {
    let model = drive.id.model.clone().unwrap_or_default();
    let lower = model.to_lowercase();
    let is_one = drive.transport == Transport::Virtio
        || drive.name.starts_with("xvd")
        || VIRTUAL_DISKS.iter().any(|name| lower.contains(name));
    is_one.then(|| {
        let name = if model.is_empty() {
            drive.transport.to_string()
        } else {
            model
        };
        layer(LayerKind::VirtualDisk, format!("{} ({name})", drive.name))
    })
}

#[cfg(test)]
mod tests;
