//! How a fleet is attached: QEMU's devices, and where the guest finds each drive.
//!
//! Every controller has its own slot on the one PCI bus, assigned in the wiring's order, so the kernel meets them in
//! this order and names drives accordingly. A case must find its drive whatever its name and its serial number are, so
//! it is looked up by its physical path: udev's `/dev/disk/by-path` contains slot, port, target, namespace.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::fleet::{Bus, Drive, Fleet};
use crate::served;

/// The slots below are the guest's own: root, programs, results, the laboratory's port.
const FIRST_SLOT: usize = 6;

/// All of QEMU's arguments for a fleet.
pub(crate) struct Wired {
    /// Arguments of `-blockdev`.
    pub(crate) nodes: Vec<Value>,
    /// Arguments of `-object`.
    pub(crate) objects: Vec<Value>,
    /// Arguments of `-device`: a controller comes before its drives.
    pub(crate) devices: Vec<Value>,
    /// Arguments of `-chardev`: drives served from the host.
    pub(crate) chardevs: Vec<String>,
    /// Those of the devices that are plugged in later.
    pub(crate) absent: Vec<String>,
    /// Where udev has each drive: id and pattern below `/dev/disk/by-path`.
    pub(crate) places: Vec<(String, String)>,
}

/// Attaches a fleet, its controllers in the named order, or in that of the file.
pub(crate) fn wire(fleet: &Fleet, wiring: Option<&str>, images: &Path) -> Result<Wired> {
    let order = match wiring {
        None => fleet.controllers(),
        Some(name) => fleet
            .wiring
            .get(name)
            .with_context(|| format!("the fleet has no wiring {name}"))?
            .clone(),
    };
    let mut wired = Wired {
        nodes: Vec::new(),
        objects: Vec::new(),
        devices: Vec::new(),
        chardevs: Vec::new(),
        absent: Vec::new(),
        places: Vec::new(),
    };
    for (index, controller) in order.iter().enumerate() {
        let slot = FIRST_SLOT + index;
        let drives: Vec<&Drive> = fleet
            .drives
            .iter()
            .filter(|drive| drive.controller == *controller)
            .collect();
        if let Some(device) = controller_device(drives[0], slot) {
            wired.devices.push(device);
        }
        for drive in drives {
            if drive.absent {
                wired.absent.push(drive.id.clone());
            }
            if drive.bus == Bus::VhostUser {
                let socket = served::socket(images, &drive.id);
                let chardev = format!("socket,id={}-chardev,path={}", drive.id, socket.display());
                wired.chardevs.push(chardev);
            } else {
                wired.objects.extend(throttle_group(drive));
                wired.nodes.push(node(drive, images));
            }
            wired.devices.extend(drive_devices(drive, slot));
            wired.places.push((drive.id.clone(), place(drive, slot)));
        }
    }
    Ok(wired)
}

/// What is pulled out with a drive, the outermost first: an NVMe drive is a controller with its namespaces, a uas drive
/// a bridge with its disk.
pub(crate) fn pulled_with(fleet: &Fleet, wired: &Wired, id: &str) -> Result<Vec<Value>> {
    let drive = fleet.drive(id)?;
    let outermost = match drive.bus {
        Bus::Nvme => drive.controller.clone(),
        Bus::Uas => format!("{id}_bridge"),
        _ => id.to_string(),
    };
    let is_below = |device: &Value| match drive.bus {
        Bus::Nvme => device["bus"] == *outermost,
        _ => device["id"] == id,
    };
    let found: Vec<Value> = wired
        .devices
        .iter()
        .filter(|device| device["id"] == *outermost || is_below(device))
        .cloned()
        .collect();
    if found.is_empty() {
        bail!("{id} is not attached");
    }
    Ok(found)
}

/// The image below the fault and throttle layers: raw, throttle, blkdebug, file from the top.
fn node(drive: &Drive, images: &Path) -> Value {
    let file = images.join(format!("{}.img", drive.id));
    let mut below = json!({
        "driver": "file", "filename": file, "node-name": format!("{}-file", drive.id),
        "read-only": drive.read_only, "discard": "unmap",
    });
    if !drive.bad_sectors.is_empty() {
        let errors: Vec<Value> = drive
            .bad_sectors
            .iter()
            .map(
                |sector| json!({ "event": "none", "iotype": "read", "errno": 5, "sector": sector }),
            )
            .collect();
        below = json!({
            "driver": "blkdebug", "node-name": format!("{}-errors", drive.id), "image": below,
            "inject-error": errors, "read-only": drive.read_only, "discard": "unmap",
        });
    }
    if throttle_group(drive).is_some() {
        below = json!({
            "driver": "throttle", "node-name": format!("{}-slow", drive.id), "file": below,
            "throttle-group": format!("{}-limits", drive.id), "read-only": drive.read_only, "discard": "unmap",
        });
    }
    json!({
        "driver": "raw", "node-name": format!("{}-node", drive.id), "file": below,
        "read-only": drive.read_only, "discard": "unmap",
    })
}

fn throttle_group(drive: &Drive) -> Option<Value> {
    let mut group = json!({ "qom-type": "throttle-group", "id": format!("{}-limits", drive.id) });
    if let Some(iops) = drive.iops {
        group["x-iops-total"] = json!(iops);
    }
    if let Some(bytes) = drive.bytes_per_second {
        group["x-bps-total"] = json!(bytes);
    }
    (drive.iops.is_some() || drive.bytes_per_second.is_some()).then_some(group)
}

fn controller_device(drive: &Drive, slot: usize) -> Option<Value> {
    let driver = match drive.bus {
        Bus::Nvme => "nvme",
        Bus::VirtioBlk | Bus::VhostUser => return None,
        Bus::VirtioScsi => "virtio-scsi-pci",
        Bus::Sata => "ich9-ahci",
        Bus::UsbStorage | Bus::Uas => "qemu-xhci",
        Bus::Megasas => "megasas-gen2",
        Bus::Lsi => "lsi53c895a",
        Bus::SdCard => "sdhci-pci",
        Bus::CdRom => "virtio-scsi-pci",
    };
    let mut device = json!({
        "driver": driver, "id": drive.controller, "bus": "pci.0", "addr": format!("{slot:#x}"),
    });
    if drive.bus == Bus::Nvme {
        device["serial"] = json!(drive.serial);
    }
    Some(device)
}

/// The drive's device; a uas drive is on its own bridge.
fn drive_devices(drive: &Drive, slot: usize) -> Vec<Value> {
    if drive.bus == Bus::VhostUser {
        let chardev = format!("{}-chardev", drive.id);
        return vec![json!({
            "driver": "vhost-user-blk-pci", "id": drive.id, "chardev": chardev,
            "bus": "pci.0", "addr": format!("{slot:#x}"),
        })];
    }
    let mut device = json!({ "id": drive.id, "drive": format!("{}-node", drive.id) });
    let bus = format!("{}.0", drive.controller);
    let mut bridge = None;
    match drive.bus {
        Bus::Nvme => {
            device["driver"] = json!("nvme-ns");
            device["bus"] = json!(drive.controller);
            device["nsid"] = json!(drive.namespace);
            device["detached"] = json!(drive.detached);
            put(&mut device, "eui64", drive.eui64.as_deref());
            put(&mut device, "uuid", drive.uuid.as_deref());
            if let Some(zones) = &drive.zoned {
                device["zoned"] = json!(true);
                device["zoned.zone_size"] = json!(zones.zone_mib << 20);
                device["zoned.zone_capacity"] = json!(zones.capacity_mib << 20);
                device["zoned.max_open"] = json!(zones.max_open);
                device["zoned.max_active"] = json!(zones.max_active);
            }
        }
        Bus::VirtioBlk => {
            device["driver"] = json!("virtio-blk-pci");
            device["bus"] = json!("pci.0");
            device["addr"] = json!(format!("{slot:#x}"));
        }
        Bus::VirtioScsi | Bus::Megasas | Bus::Lsi => scsi_disk(&mut device, drive, &bus),
        Bus::Sata => {
            device["driver"] = json!("ide-hd");
            device["bus"] = json!(format!("{}.{}", drive.controller, drive.target));
        }
        Bus::SdCard | Bus::VhostUser => {
            device["driver"] = json!("sd-card");
            return vec![device];
        }
        Bus::CdRom => {
            device["driver"] = json!("scsi-cd");
            device["bus"] = json!(bus);
        }
        Bus::UsbStorage => {
            device["driver"] = json!("usb-storage");
            device["bus"] = json!(bus);
            device["port"] = json!("1");
            device["removable"] = json!(drive.removable);
        }
        Bus::Uas => {
            let name = format!("{}_bridge", drive.id);
            bridge = Some(json!({ "driver": "usb-uas", "id": name, "bus": bus, "port": "1" }));
            scsi_disk(&mut device, drive, &format!("{name}.0"));
        }
    }
    properties(&mut device, drive);
    bridge.into_iter().chain([device]).collect()
}

fn scsi_disk(device: &mut Value, drive: &Drive, bus: &str) {
    device["driver"] = json!("scsi-hd");
    device["bus"] = json!(bus);
    device["scsi-id"] = json!(drive.target);
    if drive.removable {
        device["removable"] = json!(true);
    }
    if let Some(model) = &drive.model {
        device["product"] = json!(model);
    }
}

fn properties(device: &mut Value, drive: &Drive) {
    device["logical_block_size"] = json!(drive.logical_block);
    device["physical_block_size"] = json!(drive.physical_block.unwrap_or(drive.logical_block));
    if drive.bus != Bus::Nvme {
        device["serial"] = json!(drive.serial);
    }
    put(device, "wwn", drive.wwn.as_deref());
    if drive.bus == Bus::Sata {
        put(device, "model", drive.model.as_deref());
    }
    if let Some(rate) = drive.rotation_rate {
        device["rotation_rate"] = json!(rate);
    }
}

/// Long numbers go as text: QEMU reads `0x...`.
fn put(device: &mut Value, key: &str, text: Option<&str>) {
    if let Some(text) = text {
        device[key] = match text
            .strip_prefix("0x")
            .map(|hex| u64::from_str_radix(hex, 16))
        {
            Some(Ok(number)) => json!(number),
            _ => json!(text),
        };
    }
}

fn place(drive: &Drive, slot: usize) -> String {
    let pci = format!("pci-0000:00:{slot:02x}.0");
    match drive.bus {
        Bus::Nvme => format!("{pci}-nvme-{}", drive.namespace),
        Bus::VirtioBlk | Bus::SdCard | Bus::VhostUser => pci,
        Bus::VirtioScsi | Bus::Megasas | Bus::Lsi | Bus::CdRom => {
            format!("{pci}-scsi-*:{}:0", drive.target)
        }
        Bus::Sata => format!("{pci}-ata-{}", drive.target + 1),
        Bus::UsbStorage | Bus::Uas => format!("{pci}-usb-*-scsi-*:0"),
    }
}
