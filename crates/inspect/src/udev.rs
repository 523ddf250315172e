//! What udev learnt of a drive: `/run/udev/data/b8:0`, one fact a line.
//!
//! `S:disk/by-id/ata-...` is a link that was made below `/dev`, `E:ID_SERIAL_SHORT=...` a property. udev queries ATA
//! drives itself (IDENTIFY DEVICE), so its model name is complete where the SCSI layer's is truncated to 16 characters.
//! The file is absent if udev does not run (containers, initial RAM disks); everything has another, possibly poorer
//! source.

use std::collections::BTreeMap;
use std::fs;

use super::sysfs::{DeviceNumber, Root};

/// A drive's entry in udev's database; empty where there is none.
#[derive(Debug, Default)]
pub(crate) struct UdevEntry {
    properties: BTreeMap<String, String>,
    /// Names below `/dev/disk/by-id`.
    pub(crate) by_id: Vec<String>,
}

impl UdevEntry {
    /// Reads the entry of one block device.
    pub(crate) fn read(root: &Root, number: DeviceNumber) -> UdevEntry {
        let bytes = fs::read(root.at(format!("/run/udev/data/b{number}"))).unwrap_or_default();
        UdevEntry::parse(&String::from_utf8_lossy(&bytes))
    }

    fn parse(text: &str) -> UdevEntry {
        let mut entry = UdevEntry::default();
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("S:disk/by-id/") {
                entry.by_id.push(name.to_owned());
            } else if let Some((key, value)) = line
                .strip_prefix("E:")
                .and_then(|rest| rest.split_once('='))
            {
                entry
                    .properties
                    .insert(key.to_owned(), value.trim().to_owned());
            }
        }
        entry
    }

    /// The first of these properties that is there and not empty.
    pub(crate) fn first_of(&self, keys: &[&str]) -> Option<String> {
        keys.iter().find_map(|key| {
            self.properties
                .get(*key)
                .filter(|value| !value.is_empty())
                .cloned()
        })
    }

    /// The model as the drive spells it: `ID_MODEL_ENC` has its blanks as `\x20`, where `ID_MODEL`
    /// has them replaced for good.
    pub(crate) fn model(&self) -> Option<String> {
        let model = match self.properties.get("ID_MODEL_ENC") {
            Some(encoded) => decode_hex_escapes(encoded),
            None => self.properties.get("ID_MODEL")?.replace('_', " "),
        };
        let model = model.split_whitespace().collect::<Vec<_>>().join(" ");
        (!model.is_empty()).then_some(model)
    }
}

/// Replaces `\x20` and its like by the byte that it names.
fn decode_hex_escapes(text: &str) -> String {
    String::from_utf8_lossy(&unescaped(text.as_bytes(), b"\\x", 16)).into_owned()
}

/// Replaces a prefix followed by two or three digits, four bytes in total, by the byte that they denote.
pub(crate) fn unescaped(text: &[u8], prefix: &[u8], radix: u32) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, tail)) = rest.split_first() {
        let code = rest
            .strip_prefix(prefix)
            .and_then(|digits| digits.get(..4 - prefix.len()))
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, radix).ok());
        bytes.push(code.unwrap_or(first));
        rest = code.map_or(tail, |_| &rest[4..]);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_keeps_its_blanks_and_loses_its_padding() {
        let entry = UdevEntry::parse(
            "E:ID_MODEL=Samsung_SSD_840_EVO\nE:ID_MODEL_ENC=Samsung\\x20SSD\\x20840\\x20EVO\\x20750GB\\x20\\x20\n",
        );
        assert_eq!(entry.model().as_deref(), Some("Samsung SSD 840 EVO 750GB"));
        assert_eq!(decode_hex_escapes("a\\x2"), "a\\x2");
        assert_eq!(decode_hex_escapes("\\xzz"), "\\xzz");
    }

    #[test]
    fn links_and_properties_are_told_apart_and_strange_lines_pass() {
        let entry = UdevEntry::parse(
            "S:disk/by-id/wwn-0x5\nS:disk/by-path/x\nI:12\nE:ID_SERIAL_SHORT=S1D9\nE:EMPTY=\nnonsense\n",
        );
        assert_eq!(entry.by_id, ["wwn-0x5"]);
        assert_eq!(
            entry
                .first_of(&["ABSENT", "EMPTY", "ID_SERIAL_SHORT"])
                .as_deref(),
            Some("S1D9")
        );
    }
}
