//! `drivelab devices`: what can be measured on this machine.

use std::fmt::Write as _;

use results::devices::{DeviceListing, Devices};

use crate::output::{Failure, print, print_json, say, text_columns};
use crate::paragraph::{hanging, length, padded};

/// Lists the devices; nothing is written or refused.
pub(crate) fn devices(json: bool) -> Result<(), Failure> {
    let listing = lab::listing::devices()?;
    if json {
        return print_json(&listing);
    }
    if listing.devices.is_empty() {
        say("this machine shows no device; a directory can be measured: `drivelab review .`");
    }
    print(&listed(&listing, text_columns()))
}

/// Two lines per device: its identity, and its users.
fn listed(listing: &Devices, columns: usize) -> String {
    let devices = &listing.devices;
    let width = |of: &dyn Fn(&DeviceListing) -> usize| devices.iter().map(of).max().unwrap_or(0);
    let path = width(&|d| length(&d.path));
    let capacity = width(&|d| length(&d.capacity.to_string()));
    let mut text = String::new();
    for device in devices {
        let model = device.model.as_deref().unwrap_or("(no model)");
        let serial = device
            .serial
            .as_deref()
            .map_or_else(String::new, |s| format!(", {s}"));
        let names = names_of(device);
        let zones = device
            .zones
            .map_or_else(String::new, |zones| format!(", {zones}"));
        let what = format!("{model}{serial}{names}, {}{zones}", device.link);
        let head = format!(
            "{}  {:>capacity$}  ",
            padded(&device.path, path),
            device.capacity.to_string()
        );
        text.push_str(&hanging(&head, &what, length(&head), columns));
        let uses = match device.uses.is_empty() {
            true => String::new(),
            false => format!(": {}", device.uses.join("; ")),
        };
        text.push_str(&hanging(
            "    ",
            &format!("{}{uses}", device.state),
            6,
            columns,
        ));
    }
    // The same of every device, as a rule: said once.
    let mut unseen: Vec<&String> = devices.iter().flat_map(|device| &device.unseen).collect();
    unseen.sort();
    unseen.dedup();
    for one in unseen {
        let head = "not seen: ";
        text.push_str(&hanging(head, one, length(head), columns));
    }
    if devices.iter().any(|device| device.state == "free") {
        let _ = writeln!(
            text,
            "A free device can be written with --destroy-data and its serial number, or the name after --confirm."
        );
    }
    text
}

/// What distinguishes a device from those with the same serial number.
fn names_of(device: &DeviceListing) -> String {
    let namespace = (device.namespace).map(|number| format!(", namespace {number}"));
    let confirm = match &device.confirmed_by {
        name if *name == device.serial => None,
        Some(name) => Some(format!(", --confirm {name}")),
        None => Some(", no name of its own: never written".to_owned()),
    };
    [namespace, confirm].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::size::Bytes;
    use base::zone::{Management, ZoneLimits};

    #[test]
    fn each_device_says_what_it_is_and_who_uses_it_in_eighty_columns() {
        let device = |path: &str, state, uses: &[&str], unseen: &[&str]| DeviceListing {
            path: path.to_owned(),
            model: Some("Samsung SSD 970 EVO Plus 1TB".to_owned()),
            serial: Some("S59ANM0R123456".to_owned()),
            namespace: path.contains("nvme").then_some(2),
            confirmed_by: Some(match path {
                "/dev/sda" => "S59ANM0R123456".to_owned(),
                _ => "eui.0025385b71b00001".to_owned(),
            }),
            capacity: Bytes::new(1_000_204_886_016),
            link: "PCIe at 8.0 GT/s PCIe x4 (the drive can do 16.0 GT/s PCIe x4)".to_owned(),
            zones: (path == "/dev/sda").then_some(ZoneLimits {
                management: Management::HostManaged,
                zones: 904,
                zone_length: Bytes::gib(2),
                max_open: Some(14),
                max_active: Some(14),
                max_append: None,
            }),
            state,
            uses: uses.iter().map(|&u| u.to_owned()).collect(),
            unseen: unseen.iter().map(|&u| u.to_owned()).collect(),
        };
        let hidden = ["who else has it open: /proc hides other users' processes"];
        let listing = Devices {
            schema: "",
            devices: vec![
                device(
                    "/dev/nvme0n1",
                    "in use",
                    &["/ on nvme0n1p2", "swap on nvme0n1p3"],
                    &hidden,
                ),
                device("/dev/sda", "unknown", &[], &hidden),
            ],
        };
        let text = listed(&listing, 80);
        assert!(text.lines().all(|line| length(line) <= 80), "{text}");
        assert!(
            text.contains("in use: / on nvme0n1p2; swap on nvme0n1p3"),
            "{text}"
        );
        assert_eq!(text.matches("not seen:").count(), 1, "{text}");
        assert!(text.contains("S59ANM0R123456"), "{text}");
        let unbroken: Vec<&str> = text.split_whitespace().collect();
        assert!(unbroken.join(" ").contains(", namespace 2, "), "{text}");
        assert_eq!(text.matches("--confirm eui.").count(), 1, "{text}");
        assert_eq!(text.matches("904 x 2 GiB").count(), 1, "{text}");
    }
}
