//! What class of drive a target is on, and how large its test file will be: for a forecast.

use base::method::{Forecast, Scale};
use base::size::Bytes;
use base::zone::ZoneLimits;
use inspect::{Kind, Transport};
use sim::catalogue::{self, DriveCard, Kind as ModelKind};
use sim::interface::Protocol;

use crate::grammar::Spec;
use crate::resolved::{Found, ResolvedTarget};

/// A class of drives that are about as fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriveClass {
    /// Rotating discs.
    Disk,
    /// Flash on SATA, USB, or an unknown bus.
    Sata,
    /// Flash on PCI Express.
    Nvme,
}

impl ResolvedTarget {
    /// The class of the drive, or of the one below; of several the slowest.
    pub fn class(&self) -> DriveClass {
        let (Found::Directory { identity, .. } | Found::Existing { identity, .. }) = &self.found
        else {
            return class_of_models(&self.spec);
        };
        let drives: Vec<_> = identity.drive.iter().chain(&identity.beneath).collect();
        // What a virtual machine says of rotation is a default of its maker, and not the drive's.
        let turns = |drive: &&inspect::Drive| {
            drive.rotational == Some(true) && !matches!(drive.transport, Transport::Virtio)
        };
        if drives.iter().any(turns) {
            DriveClass::Disk
        } else if !drives.is_empty()
            && drives
                .iter()
                .all(|d| matches!(d.transport, Transport::Nvme))
        {
            DriveClass::Nvme
        } else {
            DriveClass::Sata
        }
    }

    /// Whether it is a hard disk, or is on one, as far as that is certain: the evidence, for people, and nothing for a
    /// modelled one. Behind USB and in a virtual machine the kernel reports drives as rotational that are not.
    pub fn is_known_as_a_disk(&self) -> Option<String> {
        let (Found::Directory { identity, .. } | Found::Existing { identity, .. }) = &self.found
        else {
            return (self.class() == DriveClass::Disk).then(String::new);
        };
        let drives: Vec<_> = identity.drive.iter().chain(&identity.beneath).collect();
        let asked = |transport| {
            matches!(
                transport,
                Transport::Sata | Transport::Ata | Transport::Scsi
            )
        };
        let rotates =
            |drive: &&&inspect::Drive| drive.rotational == Some(true) && asked(drive.transport);
        let first = drives.iter().find(rotates)?;
        drives.iter().all(|drive| rotates(&drive)).then(|| {
            let drive = &first.name;
            format!(
                " (the kernel says that {drive} rotates; where that is wrong: echo 0 > /sys/class/block/{drive}/queue/rotational)"
            )
        })
    }

    /// Its zones, where its writes have to mind them: a file on a zoned drive is its file system's concern.
    pub fn zones(&self) -> Option<ZoneLimits> {
        match &self.found {
            Found::Model(stack) => stack.zones,
            Found::Existing { identity, .. } => match identity.kind {
                Kind::RegularFile { .. } => None,
                _ => identity.drive.as_ref()?.zones,
            },
            Found::Null(_) | Found::Directory { .. } => None,
        }
    }

    /// The size of the test file that a run makes; none where it makes none.
    pub fn test_file_bytes(&self, forecast: &Forecast, scale: Scale) -> Option<Bytes> {
        let Found::Directory { real, .. } = &self.found else {
            return None;
        };
        Some(test_file_bytes(real.size, forecast, scale))
    }
}

/// Size of a test file if the method does not specify one: `quick`, `default`, `full`.
const FILE_SIZES: [Bytes; 3] = [Bytes::mib(64), Bytes::gib(1), Bytes::gib(4)];

/// The size of a test file: as requested, or as the method needs it; a method that uses everything gets a file of the
/// scale's size.
pub(crate) fn test_file_bytes(asked: Option<Bytes>, forecast: &Forecast, scale: Scale) -> Bytes {
    let wanted = match asked {
        Some(size) => size,
        None if forecast.extent > FILE_SIZES[2] => FILE_SIZES[scale as usize],
        None => forecast.extent,
    };
    wanted.round_up(Bytes::mib(1))
}

impl DriveClass {
    /// The class of a drive of the catalogue.
    pub(crate) fn of(card: &DriveCard) -> DriveClass {
        match (card.kind, card.interface.protocol()) {
            (ModelKind::Hdd, _) => DriveClass::Disk,
            (ModelKind::Ssd, Protocol::Nvme) => DriveClass::Nvme,
            (ModelKind::Ssd, _) => DriveClass::Sata,
        }
    }
}

fn class_of_models(spec: &Spec) -> DriveClass {
    match spec {
        Spec::Model { name, .. } => match catalogue::describe(name) {
            Ok(sheet) => DriveClass::of(&sheet.card),
            Err(_) => DriveClass::Sata,
        },
        Spec::Layer { members, .. } => members.first().map_or(DriveClass::Sata, class_of_models),
        Spec::Path { .. } | Spec::Null { .. } => DriveClass::Sata,
    }
}
