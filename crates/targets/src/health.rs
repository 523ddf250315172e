//! Which devices to query for the health of a target.

use base::message::{Argument, Message};
use std::path::PathBuf;

use base::health::HealthReading;
use base::zone::ZoneLimits;
use inspect::{self, DriveId, Identity, Kind, Transport};

use crate::asking::Asking;
use crate::error::TargetError;
use crate::resolved::{Found, ResolvedTarget};
use base::interrupt::Interrupt;

/// One drive of a target, and what came of asking it.
pub struct AskedDrive {
    /// The device's path, or the model's name.
    pub device: String,
    /// Facts from the kernel and udev, whether or not the drive answers.
    pub identity: Option<DriveId>,
    /// Of a zoned drive: its zones.
    pub zones: Option<ZoneLimits>,
    /// Its answer.
    pub reading: HealthReading,
}

impl ResolvedTarget {
    /// The device that is queried before, during and after a run: the whole drive of a device or partition. None for
    /// models, files, directories, loop devices and software devices.
    pub fn asked_device(&self) -> Option<(PathBuf, Asking)> {
        let Found::Existing { identity, real } = &self.found else {
            return None;
        };
        let drive = identity.drive.as_ref()?;
        let asked = real.health != Asking::Off && has_health(drive.transport);
        asked.then(|| (device_of(identity, drive), real.health))
    }

    /// Queries every drive that the target is, or is on.
    ///
    /// # Errors
    /// A modelled drive for which there is no memory.
    pub fn ask_health(&self, device_type: Option<&str>) -> Result<Vec<AskedDrive>, TargetError> {
        let built = self.build_model(&Interrupt::new())?;
        Ok(match &self.found {
            Found::Model(_) => vec![AskedDrive {
                device: self.spec.to_string(),
                identity: None,
                zones: self.zones(),
                reading: match built.and_then(|model| model.health()) {
                    Some(health) => HealthReading::Read {
                        health: Box::new(health),
                    },
                    None => none(Message::of("health-of-no-array")),
                },
            }],
            Found::Null(_) => vec![AskedDrive {
                device: self.spec.to_string(),
                identity: None,
                zones: None,
                reading: none(Message::of("health-of-no-drive")),
            }],
            Found::Directory { identity, .. } | Found::Existing { identity, .. } => {
                of_identity(identity, device_type)
            }
        })
    }
}

fn of_identity(identity: &Identity, device_type: Option<&str>) -> Vec<AskedDrive> {
    let drives: Vec<&inspect::Drive> = match &identity.drive {
        Some(drive) => vec![drive],
        None => identity.beneath.iter().collect(),
    };
    if drives.is_empty() {
        return vec![AskedDrive {
            device: identity.path.display().to_string(),
            identity: None,
            zones: None,
            reading: none(Message::of("health-nothing-beneath")),
        }];
    }
    let asked = drives.into_iter().map(|drive| {
        let device = device_of(identity, drive);
        AskedDrive {
            reading: if has_health(drive.transport) {
                inspect::health::ask(&device, device_type)
            } else {
                none(Message::new(
                    "health-made-by-software",
                    [
                        ("device", Argument::text(device.display())),
                        ("transport", Argument::text(drive.transport)),
                    ],
                ))
            },
            device: device.display().to_string(),
            identity: Some(drive.id.clone()),
            zones: drive.zones,
        }
    });
    asked.collect()
}

/// A partition has its drive's health.
fn device_of(identity: &Identity, drive: &inspect::Drive) -> PathBuf {
    let name = match &identity.kind {
        Kind::Partition { of, .. } => of.replace('!', "/"),
        _ => drive.name.clone(),
    };
    PathBuf::from("/dev").join(name)
}

fn has_health(transport: Transport) -> bool {
    !matches!(
        transport,
        Transport::Loop | Transport::Stacked | Transport::Software
    )
}

fn none(reason: Message) -> HealthReading {
    HealthReading::Unreadable {
        reason,
        remedy: None,
    }
}
