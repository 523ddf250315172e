//! Hosts of the catalogue: what a computer's driver adds to each I/O, by the drive's interface.
//!
//! A host's file has a table for each driver that it has. `[ahci]`, `[raid]` (the chipset maker's
//! own driver) or `[ide]` answers for the SATA ports, whichever of them stands first in that order;
//! `[ide]` for PATA, `[nvme]` for PCI Express, `[usb]` for USB. A file without drivers is not a
//! host at all. `[ports]` says how fast the computer's ports are, where they may be slower than a
//! drive; `[file_system.NAME]` how it lays a volume out ([`crate::file_system`]). `[processors]` says
//! how many there are, `[idle]` how deeply they sleep and `[noise]` what else they do; without these
//! there is one, which sleeps lightly and does nothing else. `[sata_power]` and `[nvme_power]` say how
//! the way to an idle drive sleeps.

use base::size::Bytes;
use serde::Deserialize;

use super::CatalogueError;
use super::read_host;
use crate::file_system::{FileSystems, Layout};
use crate::interface::{Interface, Protocol};
use crate::layer::host::idle::IdleConfig;
use crate::layer::host::link_power::LinkPowerConfig;
use crate::layer::host::noise::NoiseConfig;
use crate::layer::host::{Computer, DriverConfig, ProcessorsConfig};
use crate::sheet::{Section, Sourced};

/// The host where nothing is said.
pub const DEFAULT_HOST: &str = "linux-uring";

/// The names of a host's file systems, the plainest first.
///
/// # Errors
/// Where there is no such host, or its file is wrong.
pub fn file_systems(host: &str) -> Result<Vec<&'static str>, CatalogueError> {
    Ok(read_host(host)?.file_system.names())
}

/// How a host lays out a volume, by its size in bytes.
///
/// # Errors
/// Where there is no such host, the host does not have this file system, or the volume is too
/// small.
pub fn layout(host: &str, file_system: &str, volume: Bytes) -> Result<Layout, CatalogueError> {
    let file = read_host(host)?;
    let not_here = |allowed: String| CatalogueError::Option {
        option: "file_system",
        value: file_system.to_owned(),
        allowed,
    };
    let Some(format) = file.file_system.get(file_system) else {
        let there = match file.file_system.names().join(", ") {
            none if none.is_empty() => "has none".to_owned(),
            names => format!("has {names}"),
        };
        return Err(not_here(format!(
            "the host {host} {there}; host= names another one"
        )));
    };
    let laid_out = format.layout(volume);
    laid_out.map_err(|why| not_here(why.to_string()))
}

/// A host's file. Without drivers the host adds nothing at all.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HostFile {
    #[serde(rename = "host")]
    _head: HostHead,
    ports: Option<Ports>,
    processors: Option<ProcessorsConfig>,
    idle: Option<IdleConfig>,
    noise: Option<NoiseConfig>,
    sata_power: Option<LinkPowerConfig>,
    nvme_power: Option<LinkPowerConfig>,
    ahci: Option<DriverConfig>,
    raid: Option<DriverConfig>,
    ide: Option<DriverConfig>,
    nvme: Option<DriverConfig>,
    usb: Option<DriverConfig>,
    #[serde(default)]
    file_system: FileSystems,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HostHead {
    #[serde(rename = "title")]
    _title: String,
}

/// How fast the computer's ports are.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ports {
    sata: Sourced<String>,
}

impl HostFile {
    /// The drivers that the host has, by their names in the file.
    fn drivers(&self) -> impl Iterator<Item = (&'static str, &DriverConfig)> {
        let all = [
            ("ahci", &self.ahci),
            ("raid", &self.raid),
            ("ide", &self.ide),
            ("nvme", &self.nvme),
            ("usb", &self.usb),
        ];
        all.into_iter()
            .filter_map(|(name, driver)| Some((name, driver.as_ref()?)))
    }

    pub(super) fn sections(&self) -> Vec<Section> {
        let ports = self.ports.iter();
        let ports = ports.map(|p| Section::new("ports", vec![p.sata.plain_row("sata", "")]));
        let drivers = self
            .drivers()
            .map(|(name, driver)| Section::new(name, driver.rows()));
        let processors = (self.processors.iter())
            .map(ProcessorsConfig::section)
            .chain(self.idle.iter().map(IdleConfig::section))
            .chain(self.noise.iter().map(NoiseConfig::section));
        let power = [
            ("sata_power", &self.sata_power),
            ("nvme_power", &self.nvme_power),
        ];
        let power = power.into_iter().filter_map(|(name, power)| {
            let power = power.as_ref()?;
            Some(Section::new(name, power.rows()))
        });
        ports
            .chain(processors)
            .chain(power)
            .chain(drivers)
            .chain(self.file_system.sections())
            .collect()
    }

    fn driver_of(&self, protocol: Protocol) -> Option<&DriverConfig> {
        let sata = || self.ahci.as_ref().or(self.raid.as_ref());
        match protocol {
            Protocol::Sata => sata().or(self.ide.as_ref()),
            // An adapter of its own, with a driver like that of a controller for arrays.
            Protocol::Sas => self.raid.as_ref().or(self.ahci.as_ref()),
            Protocol::Pata => self.ide.as_ref(),
            Protocol::Nvme => self.nvme.as_ref(),
            Protocol::Usb => self.usb.as_ref(),
        }
    }

    /// What the host called `name` adds to the I/Os of a drive; `None` if it is not a host at all.
    ///
    /// # Errors
    /// Where the host has drivers, but none for such a drive.
    pub(super) fn computer(
        &self,
        name: &str,
        protocol: Protocol,
        seed: u64,
    ) -> Result<Option<Computer>, CatalogueError> {
        match self.driver_of(protocol) {
            Some(driver) => {
                let idle = self.idle.as_ref().map(IdleConfig::parameters);
                let noise = self.noise.as_ref().map(NoiseConfig::parameters);
                let link_power = match protocol {
                    Protocol::Sata => self.sata_power.as_ref(),
                    Protocol::Nvme => self.nvme_power.as_ref(),
                    Protocol::Pata | Protocol::Usb | Protocol::Sas => None,
                };
                let count = self.processors.as_ref().map(|p| p.parameters().count);
                Ok(Some(Computer {
                    times: driver.parameters(),
                    processors: count.unwrap_or(1),
                    idle: idle.unwrap_or_default(),
                    noise: noise.unwrap_or_default(),
                    link_power: link_power
                        .map(LinkPowerConfig::parameters)
                        .unwrap_or_default(),
                    seed,
                }))
            }
            None if self.drivers().next().is_none() => Ok(None),
            None => Err(CatalogueError::Option {
                option: "host",
                value: name.to_owned(),
                allowed: format!(
                    "this computer has no driver for {} drives",
                    spoken(protocol)
                ),
            }),
        }
    }

    /// The slot that a drive is in on this computer, where the file says how fast it is.
    pub(super) fn slot(&self, interface: Interface) -> Option<String> {
        match interface.protocol() {
            Protocol::Sata => Some(self.ports.as_ref()?.sata.get()),
            Protocol::Pata | Protocol::Nvme | Protocol::Usb | Protocol::Sas => None,
        }
    }
}

/// The protocol's name in messages.
const fn spoken(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Sata => "SATA",
        Protocol::Pata => "parallel ATA",
        Protocol::Nvme => "NVMe",
        Protocol::Usb => "USB",
        Protocol::Sas => "SAS",
    }
}

#[cfg(test)]
mod tests;
