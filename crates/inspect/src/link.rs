//! How a drive is attached, and how fast the two ends agreed to talk.
//!
//! A drive that supports 6 Gbit/s but negotiated 3, or that is in a slot with one PCIe lane, is measured at the link's
//! speed and not at its own. The kernel shows what was negotiated: `/sys/class/ata_link/linkN/sata_spd` for SATA,
//! `current_link_speed` and `current_link_width` of the PCI function for NVMe, `speed` of the USB device above a
//! bridge.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use base::surroundings::SlowLink;
use serde::{Deserialize, Serialize};

use super::sysfs::{Node, Root, entries, first_line};

/// A PCI Express link has at most 32 lanes; if the kernel does not know the number, it reports 0 or 255, and `Unknown`
/// for their speed.
const MOST_LANES: u32 = 32;

/// The fastest rate of USB 2, Mbit/s.
const USB_2: u32 = 480;

/// What carries commands to the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// NVMe on PCI Express.
    Nvme,
    /// NVMe over a network.
    NvmeFabrics,
    /// Serial ATA.
    Sata,
    /// ATA, not known whether serial.
    Ata,
    /// A bridge on USB.
    Usb,
    /// SCSI, SAS, Fibre Channel, iSCSI.
    Scsi,
    /// A hypervisor's paravirtual disk.
    Virtio,
    /// A memory card or soldered flash on the MMC bus.
    Mmc,
    /// A file shown as a device.
    Loop,
    /// A device made of others: device-mapper, md.
    Stacked,
    /// A device made by software alone: RAM disk, zram, network block device.
    Software,
    /// Nothing that we know.
    Unknown,
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Transport::Nvme => "NVMe",
            Transport::NvmeFabrics => "NVMe over fabrics",
            Transport::Sata => "SATA",
            Transport::Ata => "ATA",
            Transport::Usb => "USB",
            Transport::Scsi => "SCSI",
            Transport::Virtio => "virtio",
            Transport::Mmc => "MMC",
            Transport::Loop => "loop",
            Transport::Stacked => "stacked",
            Transport::Software => "software",
            Transport::Unknown => "unknown",
        })
    }
}

/// The speed negotiated by drive and host, in the kernel's own words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Link {
    /// Serial ATA: `6.0 Gbps`.
    Sata {
        /// The negotiated signalling rate.
        speed: String,
        /// The drive's highest signalling rate, if reported.
        #[serde(default)]
        best_speed: Option<String>,
    },
    /// PCI Express: `8.0 GT/s PCIe` on 4 lanes, and the most that the drive can do.
    Pcie {
        /// The negotiated transfer rate of a lane.
        speed: String,
        /// The negotiated number of lanes.
        lanes: u32,
        /// The drive's highest transfer rate per lane, if reported.
        best_speed: Option<String>,
        /// The drive's largest number of lanes, if reported.
        best_lanes: Option<u32>,
    },
    /// USB: megabits a second.
    Usb {
        /// The negotiated signalling rate, Mbit/s.
        megabits: u32,
    },
}

impl Link {
    /// What is left of the line rate for data, read and written, in MB/s (10^6); `None` where the speed
    /// is in words that are not known. Serial ATA: 8b/10b, and 93 % of it in frames of 8 KiB; PCI
    /// Express: 8b/10b up to 5 GT/s, 128b/130b above, and 89.8 % of it in packets of 256 bytes (Intel AN
    /// 708); USB 2: 42 and 31 MB/s, USB 3 at 5 Gbit/s: 400 MB/s, which cases reach at most.
    pub fn carries_mb_s(&self) -> Option<(f64, f64)> {
        let number = |speed: &str| speed.split(' ').next()?.parse::<f64>().ok();
        match self {
            Link::Sata { speed, .. } => {
                let rate = number(speed)? * 100.0 * 0.93;
                Some((rate, rate))
            }
            Link::Pcie { speed, lanes, .. } => {
                let giga = number(speed)?;
                let coded = if giga > 5.5 { 128.0 / 130.0 } else { 0.8 };
                let rate = giga * 125.0 * coded * 0.898 * f64::from(*lanes);
                Some((rate, rate))
            }
            Link::Usb { megabits: 480 } => Some((42.0, 31.0)),
            Link::Usb { megabits: 5_000 } => Some((400.0, 400.0)),
            Link::Usb { .. } => None,
        }
    }
}

impl Link {
    /// The negotiated speed and the drive's maximum, if that is higher. USB 2 is slower than any drive.
    pub fn slower_than_drive(&self) -> Option<SlowLink> {
        let gigabits = |speed: &str| speed.split(' ').next()?.parse::<f64>().ok();
        let less = |has: &str, best: &str| {
            let both = gigabits(has).zip(gigabits(best));
            both.is_some_and(|(has, best)| has < best)
        };
        match self {
            Link::Sata { speed, best_speed } => {
                let best = best_speed.as_ref().filter(|best| less(speed, best))?;
                Some(SlowLink {
                    has: speed.clone(),
                    best: best.clone(),
                })
            }
            Link::Pcie {
                speed,
                lanes,
                best_speed,
                best_lanes,
            } => {
                let best = best_speed.as_ref().filter(|best| less(speed, best));
                let most = best_lanes.filter(|most| most > lanes);
                (best.is_some() || most.is_some()).then(|| SlowLink {
                    has: format!("{speed} x{lanes}"),
                    best: format!("{} x{}", best.unwrap_or(speed), most.unwrap_or(*lanes)),
                })
            }
            Link::Usb { megabits } => (*megabits <= USB_2).then(|| SlowLink {
                has: format!("USB at {megabits} Mbit/s"),
                best: "USB 3".to_owned(),
            }),
        }
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Link::Sata { speed, .. } => write!(f, "SATA at {speed}")?,
            Link::Usb { megabits } => return write!(f, "USB at {megabits} Mbit/s"),
            Link::Pcie { speed, lanes, .. } => write!(f, "PCIe at {speed} x{lanes}")?,
        }
        match self.slower_than_drive() {
            Some(SlowLink { best, .. }) => write!(f, " (the drive can do {best})"),
            None => Ok(()),
        }
    }
}

/// How this device is attached.
pub(crate) fn transport(root: &Root, node: &Node) -> Transport {
    let drive = node.drive_folder();
    let name = drive
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    if name.starts_with("loop") {
        return Transport::Loop;
    }
    if name.starts_with("mmcblk") {
        return Transport::Mmc;
    }
    if name.starts_with("dm-") || name.starts_with("md") {
        return Transport::Stacked;
    }
    if name.starts_with("nvme") {
        let carrier =
            nvme_controller(drive).and_then(|controller| first_line(&controller.join("transport")));
        return match carrier.as_deref() {
            Some("pcie") | None => Transport::Nvme,
            Some(_) => Transport::NvmeFabrics,
        };
    }
    let above = |prefix: &str| ancestor(drive, |part| is_numbered(part, prefix)).is_some();
    if above("usb") {
        Transport::Usb
    } else if above("ata") {
        if sata_speed(root, drive).is_some() {
            Transport::Sata
        } else {
            Transport::Ata
        }
    } else if above("host") {
        // A virtio controller that speaks SCSI (virtio-scsi) has a host between itself and its disks.
        Transport::Scsi
    } else if above("virtio") {
        Transport::Virtio
    } else if ancestor(drive, |part| part == "virtual").is_some() {
        Transport::Software
    } else {
        Transport::Unknown
    }
}

/// The negotiated link, if the kernel reports one.
pub(crate) fn link(root: &Root, node: &Node, transport: Transport) -> Option<Link> {
    let drive = node.drive_folder();
    match transport {
        Transport::Sata => Some(Link::Sata {
            speed: sata_speed(root, drive)?,
            best_speed: best_sata_speed(drive),
        }),
        Transport::Usb => {
            let megabits = first_line(&usb_device(drive)?.join("speed"))?
                .parse()
                .ok()?;
            Some(Link::Usb { megabits })
        }
        Transport::Nvme => {
            let function = nvme_controller(drive)?.join("device");
            let speed = |name: &str| {
                first_line(&function.join(name)).filter(|speed| !speed.starts_with("Unknown"))
            };
            let lanes = |name: &str| {
                let lanes = first_line(&function.join(name))?.parse().ok()?;
                (1..=MOST_LANES).contains(&lanes).then_some(lanes)
            };
            Some(Link::Pcie {
                speed: speed("current_link_speed")?,
                lanes: lanes("current_link_width")?,
                best_speed: speed("max_link_speed"),
                best_lanes: lanes("max_link_width"),
            })
        }
        _ => None,
    }
}

/// The USB device above a drive: the nearest folder that has both a serial-bus speed and a vendor.
pub(crate) fn usb_device(drive: &Path) -> Option<PathBuf> {
    drive
        .ancestors()
        .find(|folder| folder.join("speed").exists() && folder.join("idVendor").exists())
        .map(Path::to_owned)
}

/// The controller of an NVMe namespace. `device` is the controller itself, or, with the kernel's
/// own multipath, the subsystem, in whose folder the controllers are linked.
fn nvme_controller(drive: &Path) -> Option<PathBuf> {
    let device = drive.join("device");
    if device.join("transport").exists() || device.join("device").exists() {
        return Some(device);
    }
    entries(&device)
        .ok()?
        .into_iter()
        .find(|path| path.join("transport").exists())
}

/// `6.0 Gbps`, or nothing where the port is not SATA or has no link.
fn sata_speed(root: &Root, drive: &Path) -> Option<String> {
    let port = ancestor(drive, |part| is_numbered(part, "ata"))?;
    let port = port.file_name()?.to_str()?.strip_prefix("ata")?;
    let links = root.at("/sys/class/ata_link");
    // Behind a port multiplier the links are `link3.0`, `link3.1`, ...
    fs::read_dir(links)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.to_owned()))
        .filter(|name| {
            name.strip_prefix("link")
                .is_some_and(|rest| rest.split('.').next() == Some(port))
        })
        .filter_map(|name| root.line(format!("/sys/class/ata_link/{name}/sata_spd")))
        .find(|speed| speed != "<unknown>")
}

/// The drive's own highest rate: word 76 of its IDENTIFY data (ACS-4: bit 1 is 1.5 Gbit/s, bit 2 3.0, bit 3 6.0), which
/// begin at byte 60 of the page that libata makes for SCSI (SAT-4, ATA Information VPD page).
fn best_sata_speed(drive: &Path) -> Option<String> {
    let page = fs::read(drive.join("device/vpd_pg89")).ok()?;
    let word = page.get(60 + 2 * 76..)?.first_chunk::<2>()?;
    let word = u16::from_le_bytes(*word);
    let speeds = [(3, "6.0 Gbps"), (2, "3.0 Gbps"), (1, "1.5 Gbps")];
    let told = word != 0 && word != u16::MAX;
    let best = speeds
        .into_iter()
        .find(|(bit, _)| told && word >> bit & 1 == 1);
    best.map(|(_, speed)| speed.to_owned())
}

/// The nearest folder upwards whose name satisfies `is_it`, the drive's own left out of no search.
fn ancestor(drive: &Path, is_it: impl Fn(&str) -> bool) -> Option<&Path> {
    drive.ancestors().find(|folder| {
        folder
            .file_name()
            .and_then(|name| name.to_str())
            .is_some_and(&is_it)
    })
}

/// True for `ata1` with prefix `ata`.
fn is_numbered(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix)
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_slower_than_the_drive_is_said() {
        let slow = Link::Pcie {
            speed: "8.0 GT/s PCIe".into(),
            lanes: 2,
            best_speed: Some("16.0 GT/s PCIe".into()),
            best_lanes: Some(4),
        };
        assert_eq!(
            slow.to_string(),
            "PCIe at 8.0 GT/s PCIe x2 (the drive can do 16.0 GT/s PCIe x4)"
        );
        let whole = Link::Pcie {
            speed: "8.0 GT/s PCIe".into(),
            lanes: 4,
            best_speed: None,
            best_lanes: Some(4),
        };
        assert_eq!(whole.to_string(), "PCIe at 8.0 GT/s PCIe x4");
    }

    #[test]
    fn only_a_number_after_the_prefix_counts() {
        assert!(is_numbered("ata12", "ata"));
        assert!(!is_numbered("ata", "ata"));
        assert!(!is_numbered("ata_port", "ata"));
    }

    #[test]
    fn a_link_as_fast_as_the_drive_or_of_unknown_speed_is_not_slow() {
        let sata = |speed: &str, best: Option<&str>| Link::Sata {
            speed: speed.into(),
            best_speed: best.map(Into::into),
        };
        assert_eq!(sata("6.0 Gbps", Some("6.0 Gbps")).slower_than_drive(), None);
        assert_eq!(sata("3.0 Gbps", None).slower_than_drive(), None);
        assert_eq!(sata("what", Some("6.0 Gbps")).slower_than_drive(), None);
        let slow = sata("3.0 Gbps", Some("6.0 Gbps"));
        assert_eq!(
            slow.to_string(),
            "SATA at 3.0 Gbps (the drive can do 6.0 Gbps)"
        );
        let usb = |megabits| Link::Usb { megabits }.slower_than_drive();
        assert!(usb(480).is_some() && usb(5_000).is_none());
        let more_lanes_in_the_slot = Link::Pcie {
            speed: "8.0 GT/s PCIe".into(),
            lanes: 4,
            best_speed: Some("8.0 GT/s PCIe".into()),
            best_lanes: Some(2),
        };
        assert_eq!(more_lanes_in_the_slot.slower_than_drive(), None);
    }
}
