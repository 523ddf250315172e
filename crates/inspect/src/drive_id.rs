//! Which drive it is, whatever the kernel calls it today.
//!
//! The kernel names devices in the order in which their scans finish: after a reboot `sdb` or `nvme0n1` may be another
//! drive. So a drive is identified by what it reports. An NVMe serial number is the controller's, shared by all its
//! namespaces; a namespace has a number (`nsid`) and usually its own EUI-64, NGUID or UUID (NVM Express Base
//! Specification 2.0, clause 4.5.1), from which the kernel makes its `wwid`. SCSI and ATA drives have a world-wide name
//! (SPC-4, clause 7.8.6), some of them none; makers of cheap bridges use one serial number for all. A partition has a
//! number, a position, and a UUID in the partition table.
//!
//! Nothing here is the kernel's name or number, so a stored identity stays valid.

use std::fmt;

use base::printable::printable;
use base::size::Bytes;
use serde::{Deserialize, Serialize};

use super::names::{self, Names};
use super::sysfs::{Node, Root, first_line};
use super::udev::UdevEntry;

/// What distinguishes a drive, or a partition of one, from every other. `None` means not reported.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DriveId {
    /// Model, as complete as available; for people, since its spelling depends on the source.
    pub model: Option<String>,
    /// Serial number: of NVMe the controller's, of a partition its drive's.
    pub serial: Option<String>,
    /// World-wide name as the kernel has it (`wwid`): `naa.5002538...`, `eui.0025...`, `uuid.0f4a...`,
    /// `nvme.144d-...-00000001`; by udev `0x5002538...`.
    pub wwn: Option<String>,
    /// EUI-64 of a namespace: 16 hexadecimal digits.
    pub eui: Option<String>,
    /// NGUID of a namespace: 32 hexadecimal digits.
    pub nguid: Option<String>,
    /// UUID of a namespace.
    pub uuid: Option<String>,
    /// The namespace's number with its controller (nsid), from 1.
    pub namespace: Option<u32>,
    /// Length of the whole drive.
    pub capacity: Bytes,
    /// Of a partition: which one.
    pub partition: Option<PartitionId>,
    /// Names below `/dev/disk/by-id` of this very drive or partition, in order.
    pub by_id: Vec<String>,
    /// For a loop device or its partition: the backing file, as the kernel names it.
    pub file: Option<String>,
}

/// Which part of a drive it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartitionId {
    /// Its number, from 1.
    pub number: u32,
    /// Where it begins on the drive.
    pub start: Bytes,
    /// Its length.
    pub bytes: Bytes,
    /// Its UUID in the partition table (PARTUUID).
    pub uuid: Option<String>,
}

impl DriveId {
    /// What the device reports.
    pub(crate) fn read(root: &Root, node: &Node) -> DriveId {
        let drive = node.drive_folder();
        let Names {
            model, serial, wwn, ..
        } = Names::read(root, node);
        let clean = |text: String| printable(&text).into_owned();
        let whole = node.parent();
        DriveId {
            model,
            serial,
            wwn,
            eui: first_line(&drive.join("eui")).and_then(|text| digits(&text)),
            nguid: first_line(&drive.join("nguid")).and_then(|text| digits(&text)),
            uuid: first_line(&drive.join("uuid"))
                .filter(|text| tells_apart(text))
                .map(clean),
            namespace: first_line(&drive.join("nsid")).and_then(|text| text.parse().ok()),
            capacity: whole.as_ref().unwrap_or(node).capacity(),
            partition: whole.is_some().then(|| PartitionId::read(root, node)),
            by_id: names::by_id(root, node),
            file: first_line(&drive.join("loop/backing_file")).map(clean),
        }
    }

    /// True for the same drive, seen at another time: nothing that both report differs, and they have a name in common.
    /// What only one of them reports (the serial number of some drives is readable only by root) is not a difference,
    /// nor is the spelling of the model.
    pub fn is(&self, other: &DriveId) -> bool {
        let differ = |a: &Option<String>, b: &Option<String>| {
            a.as_ref()
                .zip(b.as_ref())
                .is_some_and(|(a, b)| core(a) != core(b))
        };
        let namespaces = self.namespace.zip(other.namespace);
        let part = match (&self.partition, &other.partition) {
            (None, None) => true,
            (Some(a), Some(b)) => a.is(b),
            _ => false,
        };
        let differs = self.capacity != other.capacity
            || self.file != other.file
            || !part
            || namespaces.is_some_and(|(a, b)| a != b)
            || differ(&self.wwn, &other.wwn)
            || differ(&self.eui, &other.eui)
            || differ(&self.nguid, &other.nguid)
            || differ(&self.uuid, &other.uuid)
            || self
                .serial
                .as_ref()
                .zip(other.serial.as_ref())
                .is_some_and(|(a, b)| a != b);
        !differs && (self.is_nameless() && other.is_nameless() || self.shares_a_name(other))
    }

    fn shares_a_name(&self, other: &DriveId) -> bool {
        let both = |a: &Option<String>, b: &Option<String>| {
            a.as_ref()
                .zip(b.as_ref())
                .is_some_and(|(a, b)| core(a) == core(b) && tells_apart(a))
        };
        both(&self.wwn, &other.wwn)
            || both(&self.eui, &other.eui)
            || both(&self.nguid, &other.nguid)
            || both(&self.uuid, &other.uuid)
            || both(&self.serial, &other.serial)
            || self.file.is_some()
            || self.by_id.iter().any(|name| other.by_id.contains(name))
    }

    /// True if it reports nothing by which it could be identified again: a virtual disk without a serial number, a RAM
    /// disk.
    pub fn is_nameless(&self) -> bool {
        let told = [&self.wwn, &self.eui, &self.nguid, &self.uuid, &self.serial];
        let tells = |name: &&Option<String>| name.as_ref().is_some_and(|text| tells_apart(text));
        !told.iter().any(tells) && self.by_id.is_empty() && self.file.is_none()
    }
}

impl fmt::Display for DriveId {
    /// One line for people: model, serial number, the world-wide name if that adds information, and which part of it:
    /// `Samsung SSD 980 PRO 1TB, serial number S5GX, namespace 2, 1 TB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.model.clone());
        parts.extend(
            self.file
                .as_ref()
                .map(|file| format!("a loop device on {file}")),
        );
        parts.extend(
            self.serial
                .as_ref()
                .map(|serial| format!("serial number {serial}")),
        );
        if self.serial.is_none() || self.namespace.is_some() {
            parts.extend(self.wwn.clone());
        }
        if parts.is_empty() {
            parts.extend(self.by_id.first().cloned());
        }
        parts.extend(self.namespace.map(|number| format!("namespace {number}")));
        parts.push(self.capacity.to_string());
        if let Some(part) = &self.partition {
            parts.push(format!("partition {} of {}", part.number, part.bytes));
        }
        f.write_str(&parts.join(", "))
    }
}

impl PartitionId {
    fn read(root: &Root, node: &Node) -> PartitionId {
        PartitionId {
            number: node
                .number_attribute("partition")
                .and_then(|number| u32::try_from(number).ok())
                .unwrap_or(0),
            start: node.start(),
            bytes: node.capacity(),
            uuid: partition_uuid(root, node),
        }
    }

    fn is(&self, other: &PartitionId) -> bool {
        let uuids = self.uuid.as_ref().zip(other.uuid.as_ref());
        self.number == other.number
            && self.start == other.start
            && self.bytes == other.bytes
            && uuids.is_none_or(|(a, b)| a.eq_ignore_ascii_case(b))
    }
}

/// The partition's UUID: from udev, from the kernel (`uevent`, since Linux 6.10), or from the link to it.
fn partition_uuid(root: &Root, node: &Node) -> Option<String> {
    let uevent = || {
        let text = std::fs::read_to_string(node.folder.join("uevent")).ok()?;
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("PARTUUID="))?;
        Some(line.to_owned())
    };
    UdevEntry::read(root, node.number)
        .first_of(&["ID_PART_ENTRY_UUID"])
        .or_else(uevent)
        .or_else(|| names::links_to(root, node, "/dev/disk/by-partuuid").pop())
        .map(|uuid| printable(&uuid).into_owned())
}

/// The hexadecimal digits of an EUI-64 or NGUID, which the kernel prints with blanks or dashes; nothing
/// where they are all zero: then the namespace has none.
fn digits(text: &str) -> Option<String> {
    let kept: String = text.chars().filter(char::is_ascii_hexdigit).collect();
    tells_apart(&kept).then(|| kept.to_ascii_lowercase())
}

/// A world-wide name without the prefix of its digits, which differs between `/sys` and udev; a name of another kind
/// unchanged.
pub(crate) fn core(name: &str) -> String {
    let bare = ["naa.", "eui.", "0x"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix));
    match bare {
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            digits.to_ascii_lowercase()
        }
        _ => name.to_owned(),
    }
}

/// False for the fillers that cheap bridges give as serial numbers: all digits the same.
pub(crate) fn tells_apart(name: &str) -> bool {
    let letters = name.trim_start_matches("0x").chars();
    let mut letters = letters.filter(|letter| !matches!(letter, '-' | ' '));
    letters
        .next()
        .is_some_and(|first| letters.any(|letter| letter != first))
}
