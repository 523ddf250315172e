//! How a drive is attached: its own interface, the slot that it is in, and what either can carry.
//!
//! An interface named by its generation has a rate that follows from the published line rate and
//! from what coding, packets and handshakes leave of it. A slot may be slower than the drive, and
//! then sets the rate; it may also be the socket of a *bridge* to another protocol (an adapter for
//! parallel ATA, an external case for USB), which then adds its own time a command and lets one
//! command through at a time.
//!
//! | name | line | left for data |
//! |---|---|---|
//! | `sata-1.5` `sata-3` `sata-6` | 8b/10b: 150, 300, 600 MB/s (Serial ATA 3) | 93 %: a data frame of 8 KiB at most with header, check and handshake; 92 to 94 % is reached by drives |
//! | `pata-33` ... `pata-133` | Ultra DMA modes 2, 4, 5, 6 (ATA/ATAPI-7): 33.3, 66.7, 100, 133.3 MB/s | 87 %: Maxtor gave 89 MB/s sustained at 100 and 114 at 133 |
//! | `sas-6` `sas-12` | 8b/10b: 600, 1,200 MB/s a port (SAS-2, SAS-3) | 96.6 %: a frame of 1,024 bytes at most with a header of 24 and 4 each of check, start and end (SSP; one port is used, connections stay open) |
//! | `pcieGxL` | 2.5, 5 GT/s with 8b/10b, 8, 16, 32 GT/s with 128b/130b a lane | 89.8 %: packets of 256 bytes (Intel AN 708, "Understanding PCI Express Throughput") |
//! | `usb-2` | 480 Mbit/s, 13 packets of 512 bytes a microframe: 53.2 MB/s (USB 2.0, table 5-10) | 42 MB/s read, 31 written: the upper ends of what cases reach, 30-42 and 25-30, before the time a command |
//! | `usb-3` | 5 Gbit/s with 8b/10b: 500 MB/s | 400 MB/s (USB 3.0, 4.4.11: "400 MB/s or more" reach the application), before the time a command |

use std::fmt;

use base::size::PicosPerByte;
use base::target::LinkRates;
use base::time::Duration;
use serde::Deserialize;

use crate::sheet::{Row, Section, Source};
use link::{Duplex, LinkTimes};

pub mod link;

/// How a drive is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Interface {
    /// Serial ATA: generation 1, 2 or 3 for 1.5, 3 or 6 Gbit/s.
    Sata(u8),
    /// Parallel ATA: Ultra DMA 33, 66, 100 or 133.
    Pata(u8),
    /// PCI Express with NVMe.
    Pcie {
        /// Generation, 1 to 5.
        generation: u8,
        /// Lanes: 1, 2, 4 or 8.
        lanes: u8,
    },
    /// USB mass storage, bulk-only transport: USB 2 or 3.
    Usb(u8),
    /// Serial attached SCSI, one port of one lane: 6 or 12 Gbit/s.
    Sas(u8),
}

/// What is spoken on an interface: it decides the driver, and which slots a drive fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Serial ATA with native command queueing.
    Sata,
    /// Parallel ATA: one command at a time.
    Pata,
    Nvme,
    /// Bulk-only mass storage: one command at a time.
    Usb,
    /// SCSI on serial lines, with its tagged queue.
    Sas,
}

/// Bytes of data in a full frame of SAS (SAS-3, SSP frame format).
const SAS_PAYLOAD: f64 = 1_024.0;
/// Bytes around a frame's contents: header 24, check, start and end 4 each.
const SAS_FRAME: f64 = 36.0;
/// Contents of a command frame, of a response frame without sense data, and of one that asks for data.
const SAS_COMMAND: f64 = 28.0;
const SAS_RESPONSE: f64 = 24.0;
const SAS_TRANSFER_READY: f64 = 12.0;

/// MB/s of a lane after 8b/10b.
fn sas_line_mb_s(gigabits: u8) -> f64 {
    100.0 * f64::from(gigabits)
}

/// Microseconds of a frame on the wire, by its bytes of data.
fn sas_frame_us(gigabits: u8, contents: f64) -> f64 {
    (contents + SAS_FRAME) / sas_line_mb_s(gigabits)
}

/// All names, as an error lists them.
const NAMES: &str = "sata-1.5, sata-3, sata-6, pata-33, pata-66, pata-100, pata-133, sas-6, sas-12, usb-2, usb-3, \
                     or pcie1x1 to pcie5x8";

impl TryFrom<String> for Interface {
    type Error = String;
    fn try_from(name: String) -> Result<Interface, String> {
        Interface::parse(&name).ok_or_else(|| format!("no interface '{name}'; there are {NAMES}"))
    }
}

impl std::str::FromStr for Interface {
    type Err = String;
    fn from_str(name: &str) -> Result<Interface, String> {
        Interface::try_from(name.to_owned())
    }
}

impl fmt::Display for Interface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Interface::Sata(1) => f.write_str("sata-1.5"),
            Interface::Sata(2) => f.write_str("sata-3"),
            Interface::Sata(_) => f.write_str("sata-6"),
            Interface::Pata(mode) => write!(f, "pata-{mode}"),
            Interface::Pcie { generation, lanes } => write!(f, "pcie{generation}x{lanes}"),
            Interface::Usb(generation) => write!(f, "usb-{generation}"),
            Interface::Sas(gigabits) => write!(f, "sas-{gigabits}"),
        }
    }
}

impl Interface {
    /// The interface of a name.
    pub fn parse(name: &str) -> Option<Interface> {
        Some(match name {
            "sata-1.5" => Interface::Sata(1),
            "sata-3" => Interface::Sata(2),
            "sata-6" => Interface::Sata(3),
            "pata-33" => Interface::Pata(33),
            "pata-66" => Interface::Pata(66),
            "pata-100" => Interface::Pata(100),
            "pata-133" => Interface::Pata(133),
            "usb-2" => Interface::Usb(2),
            "usb-3" => Interface::Usb(3),
            "sas-6" => Interface::Sas(6),
            "sas-12" => Interface::Sas(12),
            _ => {
                let (generation, lanes) = name.strip_prefix("pcie")?.split_once('x')?;
                let generation = generation.parse().ok().filter(|g| (1..=5).contains(g))?;
                let lanes = lanes.parse().ok().filter(|l| [1, 2, 4, 8].contains(l))?;
                Interface::Pcie { generation, lanes }
            }
        })
    }

    /// What is spoken on it.
    pub const fn protocol(self) -> Protocol {
        match self {
            Interface::Sata(_) => Protocol::Sata,
            Interface::Pata(_) => Protocol::Pata,
            Interface::Pcie { .. } => Protocol::Nvme,
            Interface::Usb(_) => Protocol::Usb,
            Interface::Sas(_) => Protocol::Sas,
        }
    }

    /// MB/s that are left for data to the host and to the drive.
    fn rates(self) -> (f64, f64) {
        match self {
            Interface::Sata(generation) => {
                let rate = 75.0 * f64::from(1_u32 << generation) * 0.93;
                (rate, rate)
            }
            Interface::Pata(mode) => {
                let line = match mode {
                    33 => 100.0 / 3.0,
                    66 => 200.0 / 3.0,
                    100 => 100.0,
                    _ => 400.0 / 3.0,
                };
                (line * 0.87, line * 0.87)
            }
            Interface::Pcie { generation, lanes } => {
                let lane = match generation {
                    1 => 250.0,
                    2 => 500.0,
                    later => 1_000.0 * f64::from(1_u32 << (later - 3)) * 128.0 / 130.0,
                };
                let rate = lane * f64::from(lanes) * 0.898;
                (rate, rate)
            }
            Interface::Usb(2) => (42.0, 31.0),
            Interface::Usb(_) => (400.0, 400.0),
            Interface::Sas(gigabits) => {
                let frame = SAS_PAYLOAD / (SAS_PAYLOAD + SAS_FRAME);
                let rate = sas_line_mb_s(gigabits) * frame;
                (rate, rate)
            }
        }
    }

    /// Microseconds of a command before and after its data.
    ///
    /// Serial ATA: a queued read has a command, a release, a DMA set-up and a set-device-bits frame besides
    /// its data, 31 double words with their heads, checks and ends; each frame waits for the line to turn
    /// round and is acknowledged, 15 to 40 double words and what both ends' logic takes. Of drives of
    /// several makers at 3 Gbit/s none answers more than 52,400 to 53,000 reads of 4 KiB a second (fio-plot's
    /// benchmark data), 19.1 us each, 14.7 of them data: 4.4 us a command. At 6 Gbit/s drives are rated
    /// 97,000 to 100,000 a second, 10.0 us each, of which data take 7.3: 2.7 us. Hence 0.9 us whatever the
    /// line, and 260 double words, 1.75 us at 6 Gbit/s. Parallel ATA: eight to twelve register accesses of 120 ns to 0.6 us with the
    /// host's status reads. NVMe: the drive fetches the command after the doorbell, one round trip
    /// (0.6 to 1.2 us), and posts the completion. USB: a command and a status packet of their own,
    /// a microframe each on USB 2; on USB 3 what makes up between 400 MB/s on the wire and the 250
    /// to 330 MB/s that bulk-only cases reach at 64 to 128 KiB a command. SAS: a frame for the command (28 bytes in
    /// it) and one for the response (24 without sense data); see [`LinkTimes::transfer_ready`] for the frame that asks
    /// for a write's data. Credits and acknowledgements are single words between frames and are left out.
    fn command_us(self) -> (f64, f64) {
        match self {
            Interface::Sata(generation) => {
                let line = 1.75 * f64::from(8_u32 >> generation.min(3));
                // The command's and the set-up frames are somewhat more than half of it.
                let all = 0.9 + line;
                (0.55 * all, 0.45 * all)
            }
            Interface::Pata(_) => (5.0, 2.0),
            Interface::Pcie { .. } => (1.0, 0.5),
            Interface::Usb(2) => (125.0, 125.0),
            Interface::Usb(_) => (30.0, 20.0),
            Interface::Sas(gigabits) => (
                sas_frame_us(gigabits, SAS_COMMAND),
                sas_frame_us(gigabits, SAS_RESPONSE),
            ),
        }
    }

    /// Most commands in flight: 32 tags of native command queueing, one where there is no queue; of
    /// NVMe's 64 thousand we model 256; SAS disks take 128.
    pub const fn queue(self) -> u32 {
        match self.protocol() {
            Protocol::Sata => 32,
            Protocol::Nvme => 256,
            Protocol::Sas => 128,
            Protocol::Pata | Protocol::Usb => 1,
        }
    }

    /// The link itself.
    pub fn link(self) -> LinkTimes {
        let (read, write) = self.rates();
        let (command, status) = self.command_us();
        LinkTimes {
            read: PicosPerByte::from_mb_s(read),
            write: PicosPerByte::from_mb_s(write),
            command: Duration::from_secs_f64(command / 1e6),
            status: Duration::from_secs_f64(status / 1e6),
            duplex: match self.protocol() {
                Protocol::Nvme => Duplex::Full,
                Protocol::Sas => Duplex::Lanes,
                Protocol::Sata | Protocol::Pata | Protocol::Usb => Duplex::Half,
            },
            transfer_ready: match self {
                Interface::Sas(gigabits) => {
                    Duration::from_secs_f64(sas_frame_us(gigabits, SAS_TRANSFER_READY) / 1e6)
                }
                _ => Duration::ZERO,
            },
        }
    }

    /// What the interface gives a drive whose file says nothing else, as a section of its sheet.
    pub fn section(self) -> Section {
        let (read, write) = self.rates();
        let (command, status) = self.command_us();
        let row = |key, unit, value: String, why: &str| Row {
            key,
            unit,
            value,
            source: Source::Construction,
            by: None,
            facts: Vec::new(),
            why: format!("{self}: {why}"),
            allowed: None,
            in_range: true,
            within: None,
            step: None,
            span: 0..0,
        };
        let line = "line rate less coding, packets and handshakes";
        let own = "the protocol's own time; the drive's file may know better";
        Section::new(
            "interface",
            vec![
                row("read_mb_s", "MB/s", format!("{read:.1}"), line),
                row("write_mb_s", "MB/s", format!("{write:.1}"), line),
                row("command_us", "us", format!("{command:.4}"), own),
                row("status_us", "us", format!("{status:.4}"), own),
                row(
                    "queue",
                    "commands",
                    self.queue().to_string(),
                    "the protocol",
                ),
            ],
        )
    }
}

/// Why a drive cannot be in a slot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the drive does not fit the slot '{name}': {allowed}")]
pub struct NoSuchSlot {
    /// The slot that was asked for.
    pub name: String,
    /// The slots that the drive fits, in words.
    pub allowed: &'static str,
}

/// A slot that a drive is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// What the host sees: the slot's own interface.
    pub interface: Interface,
    /// There is a bridge between the drive and the slot.
    pub bridged: bool,
}

impl Slot {
    /// A drive with the interface `own` in the slot of a name (or in one made for it, where nothing
    /// is said).
    ///
    /// # Errors
    /// Where there is no such slot, or the drive does not fit into it.
    pub fn of(own: Interface, name: Option<&str>) -> Result<Slot, NoSuchSlot> {
        let Some(name) = name else {
            return Ok(Slot {
                interface: own,
                bridged: false,
            });
        };
        let refuse = || NoSuchSlot {
            name: name.to_owned(),
            allowed: allowed(own),
        };
        let interface = Interface::parse(name).ok_or_else(refuse)?;
        let (drive, slot) = (own.protocol(), interface.protocol());
        let fits = drive == slot
            || (slot == Protocol::Usb && drive != Protocol::Sas)
            || matches!(
                (drive, slot),
                (Protocol::Sata, Protocol::Pata) | (Protocol::Pata, Protocol::Sata)
            );
        if !fits {
            return Err(refuse());
        }
        Ok(Slot {
            interface,
            bridged: drive != slot,
        })
    }

    /// The drive's own link, as far as the slot lets it be: the slower rate of the two, the frames of
    /// the slower line, and a bridge's time on top of the drive's.
    pub fn narrows(&self, own: LinkTimes) -> LinkTimes {
        let slot = self.interface.link();
        let mut link = LinkTimes {
            read: own.read.max(slot.read),
            write: own.write.max(slot.write),
            ..own
        };
        if self.bridged {
            link.command += slot.command;
            link.status += slot.status;
            link.duplex = Duplex::Half;
        } else if slot.read > own.read {
            link.command = own.command.max(slot.command);
            link.status = own.status.max(slot.status);
        }
        link
    }

    /// How a drive with the interface `own` is attached here, in words for its identity.
    pub fn attachment(&self, own: Interface) -> String {
        if own == self.interface {
            own.to_string()
        } else {
            format!("{own} in {}", self.interface)
        }
    }

    /// What the link of a drive with the interface `own` carries here.
    pub fn rates(&self, own: Interface) -> LinkRates {
        let (slot, own_link) = (self.interface.link(), own.link());
        let rate = |a: PicosPerByte, b: PicosPerByte| 1e6 / a.max(b).get().max(1) as f64;
        LinkRates {
            read_mb_s: rate(slot.read, own_link.read),
            write_mb_s: rate(slot.write, own_link.write),
        }
    }

    /// Nanoseconds that a bridge adds to a command; 0 without a bridge.
    pub fn bridge_ns(&self) -> u64 {
        let slot = self.interface.link();
        if self.bridged {
            (slot.command + slot.status).as_nanos()
        } else {
            0
        }
    }

    /// Most commands in flight, where the drive takes `own`.
    pub fn queue(&self, own: u32) -> u32 {
        own.min(self.interface.queue())
    }
}

/// Slots that a drive fits into, in words.
const fn allowed(own: Interface) -> &'static str {
    match own.protocol() {
        Protocol::Sata | Protocol::Pata => {
            "sata-1.5, sata-3 or sata-6, or by a bridge pata-33 to pata-133, usb-2 or usb-3"
        }
        Protocol::Nvme => "pcie1x1 to pcie5x8 (1, 2, 4 or 8 lanes), or by a bridge usb-2 or usb-3",
        Protocol::Usb => "usb-2 or usb-3",
        Protocol::Sas => "sas-6 or sas-12",
    }
}

#[cfg(test)]
mod tests;
