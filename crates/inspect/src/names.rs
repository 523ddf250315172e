//! A drive's names: model, firmware, serial number, world-wide name.
//!
//! Every bus stores them elsewhere. NVMe has `model`, `serial` and `firmware_rev` in the controller's directory. The
//! SCSI layer, which also represents ATA and most USB drives, has `model` and `rev` truncated to 16 and 4 characters,
//! the serial number in vital product data page 0x80, and for ATA drives their whole IDENTIFY DEVICE data in page 0x89
//! (SCSI / ATA Translation, SAT-3, clause 12.4.2: after 60 bytes; its words 10 to 19 are the serial number, 23 to 26
//! the firmware, 27 to 46 the model, two characters per word, the first in the high byte). virtio has `serial` in the
//! device's directory. udev's database fills in the rest.

use std::fs;
use std::path::Path;

use base::printable::printable;

use super::link;
use super::sysfs::{Node, Root, entries, first_line};
use super::udev::UdevEntry;

/// The names of one drive; `None` if not reported.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) model: Option<String>,
    pub(crate) firmware: Option<String>,
    pub(crate) serial: Option<String>,
    pub(crate) wwn: Option<String>,
}

impl Names {
    /// The names of the drive that the device is or is part of.
    pub(crate) fn read(root: &Root, node: &Node) -> Names {
        let drive = node.drive_folder();
        let udev = UdevEntry::read(
            root,
            node.parent().map_or(node.number, |parent| parent.number),
        );
        let ata = AtaIdentity::read(drive);
        let clean = |text: String| printable(&text).into_owned();
        Names {
            model: model(drive, &udev, ata.as_ref()).map(clean),
            firmware: firmware(drive, &udev, ata.as_ref()).map(clean),
            serial: serial(drive, &udev, ata.as_ref()).map(clean),
            wwn: wwn(drive, &udev).map(clean),
        }
    }
}

/// An attribute of the drive's `device` folder with runs of blanks made one.
fn device_text(drive: &Path, name: &str) -> Option<String> {
    single_spaced(&first_line(&drive.join("device").join(name))?)
}

fn single_spaced(text: &str) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}

fn model(drive: &Path, udev: &UdevEntry, ata: Option<&AtaIdentity>) -> Option<String> {
    let from_scsi = || {
        let model = device_text(drive, "model")?;
        match device_text(drive, "vendor") {
            Some(vendor) if vendor != "ATA" && !vendor.starts_with("0x") => {
                Some(format!("{vendor} {model}"))
            }
            _ => Some(model),
        }
    };
    ata.and_then(|ata| ata.model.clone())
        .or_else(|| {
            udev.model()
                .filter(|_| udev.first_of(&["ID_ATA"]).is_some())
        })
        .or_else(from_scsi)
        .or_else(|| device_text(drive, "name"))
        .or_else(|| udev.model())
}

fn firmware(drive: &Path, udev: &UdevEntry, ata: Option<&AtaIdentity>) -> Option<String> {
    ata.and_then(|ata| ata.firmware.clone())
        .or_else(|| device_text(drive, "firmware_rev"))
        .or_else(|| udev.first_of(&["ID_REVISION"]))
        .or_else(|| device_text(drive, "rev"))
        .or_else(|| device_text(drive, "fwrev"))
}

fn serial(drive: &Path, udev: &UdevEntry, ata: Option<&AtaIdentity>) -> Option<String> {
    ata.and_then(|ata| ata.serial.clone())
        .or_else(|| device_text(drive, "serial"))
        .or_else(|| vital_product_serial(drive))
        .or_else(|| first_line(&drive.join("serial")))
        .or_else(|| udev.first_of(&["ID_SERIAL_SHORT", "ID_SCSI_SERIAL", "ID_USB_SERIAL_SHORT"]))
        .or_else(|| first_line(&link::usb_device(drive)?.join("serial")))
}

/// Page 0x80 (SPC-4, clause 7.8.19): length in bytes 2 and 3, then the serial number in ASCII.
fn vital_product_serial(drive: &Path) -> Option<String> {
    let page = fs::read(drive.join("device/vpd_pg80")).ok()?;
    let length = usize::from(*page.get(2)?) << 8 | usize::from(*page.get(3)?);
    let text = page.get(4..)?;
    let text = &text[..length.min(text.len())];
    single_spaced(&String::from_utf8_lossy(text).replace('\0', " "))
}

fn wwn(drive: &Path, udev: &UdevEntry) -> Option<String> {
    first_line(&drive.join("wwid"))
        .and_then(|wwn| single_spaced(&wwn))
        .or_else(|| device_text(drive, "wwid"))
        .or_else(|| udev.first_of(&["ID_WWN_WITH_EXTENSION", "ID_WWN"]))
}

/// Names of the device below `/dev/disk/by-id`, from the links themselves and from udev's database, and those that udev
/// would give device-mapper and md devices.
pub(crate) fn by_id(root: &Root, node: &Node) -> Vec<String> {
    let made = [
        ("dm-name-", "dm/name"),
        ("dm-uuid-", "dm/uuid"),
        ("md-uuid-", "md/uuid"),
    ];
    let made = made
        .iter()
        .filter_map(|(prefix, from)| Some(format!("{prefix}{}", node.attribute(from)?)));
    let mut names: Vec<String> = links_to(root, node, "/dev/disk/by-id")
        .into_iter()
        .chain(UdevEntry::read(root, node.number).by_id)
        .chain(made)
        .map(|name| printable(&name).into_owned())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Names of the links in a folder that lead to the device.
pub(crate) fn links_to(root: &Root, node: &Node, folder: &str) -> Vec<String> {
    let links = entries(&root.at(folder)).unwrap_or_default();
    links
        .iter()
        .filter_map(|link| link.file_name()?.to_str().map(str::to_owned))
        .filter(|name| root.number_of(format!("{folder}/{name}")) == Some(node.number))
        .collect()
}

/// The IDENTIFY data of an ATA drive.
struct AtaIdentity {
    model: Option<String>,
    firmware: Option<String>,
    serial: Option<String>,
}

impl AtaIdentity {
    fn read(drive: &Path) -> Option<AtaIdentity> {
        let page = fs::read(drive.join("device/vpd_pg89")).ok()?;
        let identify = page.get(60..60 + 512)?;
        let text = |from: usize, to: usize| {
            let swapped: Vec<u8> = identify[2 * from..2 * (to + 1)]
                .chunks_exact(2)
                .flat_map(|word| [word[1], word[0]])
                .collect();
            single_spaced(&String::from_utf8_lossy(&swapped).replace('\0', " "))
        };
        Some(AtaIdentity {
            model: text(27, 46),
            firmware: text(23, 26),
            serial: text(10, 19),
        })
    }
}
