//! The format of a file in `fleets/`: a fleet of drives, and the cases that run on it.
//!
//! ```toml
//! [[drive]]
//! id = "n1"                      # $n1 in commands is its device, $n1_serial its serial number
//! bus = "nvme"
//! controller = "c"               # drives with one controller share it; else each has its own
//! namespace = 1
//!
//! [[case]]
//! name = "mounted"
//! holds = "a drive that is mounted is refused"
//! unchanged = ["n1"]
//! steps = [
//!     "mkfs.ext4 -q $n1 && mount $n1 /mnt",
//!     { run = "drivelab run full-scan $n1 --destroy-data --confirm $n1_serial", exit = 2, says = ["mounted"] },
//! ]
//! after = ["umount /mnt"]
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

pub(crate) mod case;

use case::Case;

/// A fleet and its cases.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fleet {
    /// The file's name without its ending.
    #[serde(skip)]
    pub(crate) name: String,
    /// The kernel that the guest boots.
    #[serde(default)]
    pub(crate) kernel: Kernel,
    /// What starts a machine from a stick.
    #[serde(default)]
    pub(crate) firmware: Firmware,
    /// Memory of the guest in MiB.
    #[serde(default = "memory")]
    pub(crate) memory_mib: u64,
    /// The cases are distributed over this many machines, each with its own copy of the fleet.
    #[serde(default = "one_machine")]
    pub(crate) machines: usize,
    #[serde(default, rename = "drive")]
    pub(crate) drives: Vec<Drive>,
    /// Orders of the controllers other than that of the file, each by its name: what another boot finds.
    #[serde(default)]
    pub(crate) wiring: BTreeMap<String, Vec<String>>,
    /// Values for `each`, by their name; `{name}` in a step is all of them. The program's methods are there
    /// without being named: `methods`, those of them that need flash as `flash_only`, and `models_only`.
    #[serde(default)]
    pub(crate) lists: BTreeMap<String, Vec<String>>,
    #[serde(rename = "case")]
    pub(crate) cases: Vec<Case>,
}

/// Which of the distribution's kernels a guest boots.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kernel {
    #[default]
    Release,
    /// The newer kernel from backports, if available.
    Backports,
    /// That of the stick's image, which the machine starts from: see `stick.rs`.
    Stick,
}

/// The firmware of a PC that starts from a stick.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Firmware {
    #[default]
    Uefi,
    /// UEFI that starts only what Microsoft's keys, or keys that these vouch for, have signed. Its machine has no drives.
    SecureBoot,
    Bios,
}

/// How a drive is attached.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Bus {
    Nvme,
    VirtioBlk,
    VirtioScsi,
    Sata,
    UsbStorage,
    Uas,
    Megasas,
    Lsi,
    SdCard,
    CdRom,
    /// A modelled drive that the program serves from the host.
    VhostUser,
}

/// What a drive holds before the first case.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Content {
    /// Random bytes, other ones on each drive.
    #[default]
    Noise,
    /// Nothing was ever written.
    Zeros,
}

/// The zones of a zoned namespace. QEMU keeps their pointers in memory: after another boot all of them are empty.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Zones {
    /// From a zone's start to the next one's, in MiB: a power of two.
    pub(crate) zone_mib: u64,
    /// MiB of it that can be written.
    pub(crate) capacity_mib: u64,
    /// Most open zones, and most active ones.
    pub(crate) max_open: u64,
    pub(crate) max_active: u64,
}

/// One drive.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Drive {
    /// A name that a shell takes for a variable.
    pub(crate) id: String,
    pub(crate) bus: Bus,
    /// Drives with one controller share it; without a name each has its own.
    #[serde(default)]
    pub(crate) controller: String,
    #[serde(default = "size")]
    pub(crate) size_mib: u64,
    /// `LAB` and the drive's id in capitals, unless specified; of the controller, if the bus is NVMe.
    #[serde(default)]
    pub(crate) serial: String,
    pub(crate) model: Option<String>,
    /// For `vhost-user`: the served drive, as `model:DRIVE`. It has no image, and the program chooses its serial
    /// number.
    pub(crate) serves: Option<String>,
    /// World wide name, as `0x5000c500a1b2c3d4`.
    pub(crate) wwn: Option<String>,
    /// NVMe: the namespace's number, EUI-64 and UUID.
    #[serde(default = "one")]
    pub(crate) namespace: u64,
    pub(crate) eui64: Option<String>,
    pub(crate) uuid: Option<String>,
    /// NVMe: present, but not attached to its controller until requested (`nvme attach-ns`).
    #[serde(default)]
    pub(crate) detached: bool,
    /// NVMe: its namespace has zones.
    pub(crate) zoned: Option<Zones>,
    /// SCSI: target number, where several share a controller; SATA: port.
    #[serde(default)]
    pub(crate) target: u64,
    #[serde(default = "sector")]
    pub(crate) logical_block: u64,
    pub(crate) physical_block: Option<u64>,
    /// Revolutions per minute; 1 is a drive that reports itself as non-rotational.
    pub(crate) rotation_rate: Option<u64>,
    /// Not there when the machine boots, until it is plugged in.
    #[serde(default)]
    pub(crate) absent: bool,
    #[serde(default)]
    pub(crate) read_only: bool,
    #[serde(default)]
    pub(crate) removable: bool,
    #[serde(default)]
    pub(crate) content: Content,
    /// Sectors of 512 bytes that cannot be read.
    #[serde(default)]
    pub(crate) bad_sectors: Vec<u64>,
    /// Maximum I/Os per second.
    pub(crate) iops: Option<u64>,
    /// Maximum bytes per second.
    pub(crate) bytes_per_second: Option<u64>,
}

impl Drive {
    /// Whether the kernel takes it for a hard disk on the drive's own evidence: the drive answers the query, and does
    /// not report itself as non-rotational. A virtual machine's own buses and USB bridges are not trusted.
    pub(crate) fn turns(&self) -> bool {
        let asked = matches!(
            self.bus,
            Bus::VirtioScsi | Bus::Sata | Bus::Megasas | Bus::Lsi
        );
        asked && self.rotation_rate != Some(1)
    }
}

impl Fleet {
    /// Reads and checks a file; `lists` are available in addition to its own.
    pub(crate) fn read(path: &Path, lists: &BTreeMap<String, Vec<String>>) -> Result<Fleet> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        let mut fleet: Fleet =
            toml::from_str(&text).with_context(|| format!("{}", path.display()))?;
        fleet.lists.extend(lists.clone());
        fleet.name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        fleet
            .complete()
            .with_context(|| format!("{}", path.display()))?;
        Ok(fleet)
    }

    /// Fills in defaults, and refuses invalid values.
    fn complete(&mut self) -> Result<()> {
        for drive in &mut self.drives {
            let shell = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            if !drive.id.starts_with(|c: char| c.is_ascii_lowercase())
                || !drive.id.chars().all(shell)
            {
                bail!("{:?} is no drive's id: a-z, then a-z, 0-9 or _", drive.id);
            }
            if drive.controller.is_empty() {
                drive.controller = format!("{}_controller", drive.id);
            }
            if drive.serial.is_empty() {
                drive.serial = format!("LAB{}", drive.id.to_uppercase());
            }
        }
        for (name, order) in &self.wiring {
            let mut sorted = order.clone();
            sorted.sort();
            let mut all = self.controllers();
            all.sort();
            if sorted != all {
                bail!("wiring {name} must name every controller once: {all:?}");
            }
        }
        self.cases = self
            .cases
            .iter()
            .map(|case| case.expand(&self.lists))
            .collect::<Result<Vec<_>>>()?
            .concat();
        self.cases.iter().try_for_each(|case| case.check(self))
    }

    /// Deals the cases out to the machines, one after another in turn.
    pub(crate) fn deal_out(self) -> Vec<Fleet> {
        let mut dealt: Vec<Fleet> = (1..=self.machines)
            .map(|number| Fleet {
                name: format!("{}-{number}", self.name),
                cases: Vec::new(),
                wiring: self.wiring.clone(),
                lists: self.lists.clone(),
                drives: self.drives.clone(),
                ..self
            })
            .collect();
        if self.machines == 1 {
            return vec![self];
        }
        for (index, case) in self.cases.into_iter().enumerate() {
            dealt[index % self.machines].cases.push(case);
        }
        dealt
    }

    /// Whether a command's method does not apply to that drive.
    pub(crate) fn refuses(&self, id: &str, command: &str) -> Result<bool> {
        let method = command.split_whitespace().nth(2).unwrap_or_default();
        let flash_only = self.lists.get("flash_only");
        Ok(self.drive(id)?.turns()
            && flash_only.is_some_and(|list| list.iter().any(|name| name == method)))
    }

    /// The controllers in the file's order.
    pub(crate) fn controllers(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for drive in &self.drives {
            if !found.contains(&drive.controller) {
                found.push(drive.controller.clone());
            }
        }
        found
    }

    /// The drive of that id.
    pub(crate) fn drive(&self, id: &str) -> Result<&Drive> {
        self.drives
            .iter()
            .find(|drive| drive.id == id)
            .with_context(|| format!("the fleet has no drive {id}"))
    }
}

fn one_machine() -> usize {
    1
}

fn memory() -> u64 {
    512
}

fn size() -> u64 {
    64
}

fn one() -> u64 {
    1
}

fn sector() -> u64 {
    512
}
