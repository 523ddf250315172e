//! What class of drive a target is on, and how large its test file will be: for a forecast.

use base::method::{Forecast, Scale};
use base::size::Bytes;
use inspect::{Confirmation, Kind, Root, Transport, confirmation};
use sim::catalogue::{self, Kind as ModelKind};

use super::{FILE_SIZES, Found, ResolvedTarget};
use crate::grammar::Spec;

/// A class of drives that are about as fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriveClass {
    /// Rotating discs.
    Disk,
    /// Flash on SATA, USB, or on what nobody can tell.
    Sata,
    /// Flash on PCI Express.
    Nvme,
}

impl ResolvedTarget {
    /// The class of the drive that it is, or lies on; of several the slowest.
    pub fn class(&self) -> DriveClass {
        let (Found::Directory { identity, .. } | Found::Existing { identity, .. }) = &self.found
        else {
            return class_of_models(&self.spec);
        };
        let drives: Vec<_> = identity.drive.iter().chain(&identity.beneath).collect();
        if drives.iter().any(|drive| drive.rotational == Some(true)) {
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

    /// The size of the test file that a run makes; none where it makes none.
    pub fn test_file_bytes(&self, forecast: &Forecast, scale: Scale) -> Option<Bytes> {
        let Found::Directory { real, .. } = &self.found else {
            return None;
        };
        Some(test_file_bytes(real.size, forecast, scale))
    }

    /// Whether what was typed confirms that it may be overwritten.
    pub fn is_confirmed_by(&self, typed: &str) -> bool {
        let Found::Existing { identity, .. } = &self.found else {
            return false;
        };
        match &identity.kind {
            Kind::RegularFile { .. } => super::is_path_of(identity, typed),
            _ => confirmation(&Root::new("/"), identity, typed) == Confirmation::Given,
        }
    }
}

/// The size of a test file: as asked for, or as the method needs it; a method that takes all there is
/// gets a file of the scale's size.
pub(super) fn test_file_bytes(asked: Option<Bytes>, forecast: &Forecast, scale: Scale) -> Bytes {
    let wanted = match asked {
        Some(size) => size,
        None if forecast.extent > FILE_SIZES[2] => FILE_SIZES[scale as usize],
        None => forecast.extent,
    };
    wanted.round_up(Bytes::mib(1))
}

fn class_of_models(spec: &Spec) -> DriveClass {
    match spec {
        Spec::Model { name, .. } => match catalogue::describe(name) {
            Ok(sheet) if sheet.card.kind == ModelKind::Hdd => DriveClass::Disk,
            _ => DriveClass::Sata,
        },
        Spec::Layer { members, .. } => members.first().map_or(DriveClass::Sata, class_of_models),
        Spec::Path { .. } | Spec::Null { .. } => DriveClass::Sata,
    }
}
