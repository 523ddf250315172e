//! Hosts of the catalogue: what a computer's driver adds to each I/O, by the drive's interface.

use base::time::Duration;
use serde::Deserialize;

use super::links::Protocol;
use super::sourced::{Section, Sourced};
use crate::layer::host::HostTimes;

/// The host where nothing is said.
pub const DEFAULT_HOST: &str = "linux-uring";

/// A host's file. Without drivers the host adds nothing at all.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HostFile {
    #[serde(rename = "host")]
    _head: HostHead,
    ahci: Option<Driver>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HostHead {
    #[serde(rename = "title")]
    _title: String,
}

/// What a driver adds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Driver {
    before_us: Sourced<f64>,
    after_us: Sourced<f64>,
    wake_us: Sourced<f64>,
    depth: Sourced<u32>,
    queue: Sourced<u32>,
}

impl HostFile {
    pub(super) fn sections(&self) -> Vec<Section> {
        let of = |name, driver: &Driver| {
            Section::new(
                name,
                vec![
                    driver.before_us.row("before_us", "us", 0.0..=10_000.0),
                    driver.after_us.row("after_us", "us", 0.0..=10_000.0),
                    driver.wake_us.row("wake_us", "us", 0.0..=10_000.0),
                    driver.depth.row("depth", "I/Os", 1..=4_096),
                    driver.queue.row("queue", "I/Os", 1..=4_096),
                ],
            )
        };
        self.ahci.iter().map(|driver| of("ahci", driver)).collect()
    }

    /// What the host adds to a drive's I/Os; nothing where it is no host at all.
    pub(super) fn times(&self, protocol: Protocol) -> Option<HostTimes> {
        let driver = match protocol {
            Protocol::Sata | Protocol::Pata | Protocol::Nvme | Protocol::Usb => {
                self.ahci.as_ref()?
            }
        };
        let us = |value: &Sourced<f64>| Duration::from_secs_f64(value.get() / 1e6);
        Some(HostTimes {
            before: us(&driver.before_us),
            after: us(&driver.after_us),
            wake: us(&driver.wake_us),
            depth: driver.depth.get(),
            queue: driver.queue.get(),
        })
    }
}
