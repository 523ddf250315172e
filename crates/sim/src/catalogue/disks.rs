//! Hard disks of the catalogue: one arm is one disk, and several are as many behind one link.

use super::{CatalogueError, Head, ModelOptions, Parts, read_drive};
use crate::hdd::config::HddConfig;
use crate::hdd::config::actuators::ManyActuators;
use crate::hdd::drive::Hdd;
use crate::interface::Slot;
use crate::model::Model;

/// A hard disk itself, without layers: for benchmarks that call it directly.
///
/// # Errors
/// As [`super::open`], and where the drive is of another kind or has several actuators.
pub fn open_hdd(name: &str, options: &ModelOptions) -> Result<Hdd, CatalogueError> {
    let (_, file) = read_drive(name, options)?;
    let mut disks = match file.parts() {
        Some(Parts::Hdd(config)) => disks(config, &file.drive, options)?,
        _ => Vec::new(),
    };
    match (disks.pop(), disks.is_empty()) {
        (Some(disk), true) => Ok(disk),
        _ => Err(CatalogueError::Unknown {
            what: "hard disk with one actuator",
            name: name.to_owned(),
            nearest: Vec::new(),
        }),
    }
}

/// A disk, or one for each of its actuators.
fn disks(
    config: &HddConfig,
    head: &Head,
    options: &ModelOptions,
) -> Result<Vec<Hdd>, CatalogueError> {
    let slot = Slot::of(head.interface, options.link.as_deref())?;
    let parts = config.parts(head.capacity(), &slot, options.seed, &options.state)?;
    Ok(parts.into_iter().map(Hdd::new).collect())
}

impl Parts<'_> {
    /// A disk, behind its zones where it has any.
    pub(super) fn disk(
        &self,
        config: &HddConfig,
        head: &Head,
        options: &ModelOptions,
    ) -> Result<Box<dyn Model>, CatalogueError> {
        let mut disks = disks(config, head, options)?;
        Ok(match (disks.pop(), disks.is_empty()) {
            (Some(disk), true) => self.in_zones(disk, options),
            (last, _) => {
                disks.extend(last);
                self.in_zones(ManyActuators::new(disks), options)
            }
        })
    }
}
