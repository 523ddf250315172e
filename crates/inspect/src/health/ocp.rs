//! What an NVMe drive wrote to its flash: the extended SMART log of data-centre drives.
//!
//! The NVMe health log counts what hosts wrote, and nothing of what the drive then did. Drives after the Open Compute
//! Project's *Datacenter NVMe SSD specification* (section "SMART / Health Information Extended", log page C0h) count
//! the bytes programmed into their media in the first 16 of its 512 bytes. Page C0h is vendor-specific in the NVMe
//! standard, so it is believed only if its last 16 bytes are that specification's GUID.
//!
//! A drive without the page adds an entry to its error log each time it is asked, which smartd then reports. So it is
//! asked only by what needs the counter, never by a plain look at the health.

use std::path::Path;

use base::health::{ByteCount, Health};
use base::{Bytes, Message};

use super::asking::Ran;

/// Size of the page.
const PAGE: usize = 512;
/// Where its GUID begins: `AFD514C97C6F4F9CA4F2BFEA2810AFC5`, lowest byte first.
const GUID_AT: usize = 496;
const GUID: [u8; 16] = [
    0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4, 0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf,
];

/// Adds the bytes written to flash, where an NVMe drive has not told them and has the page.
pub(super) fn add(health: &mut Health, nvme_cli: &dyn Fn(&[&str]) -> Ran, device: &Path) {
    let Some(name) = device.to_str() else { return };
    if health.protocol != "NVMe" || health.nand_written.is_some() {
        return;
    }
    let arguments = [
        "get-log",
        name,
        "--log-id=0xc0",
        "--log-len=512",
        "--raw-binary",
    ];
    if let Ran::Ended(page, Some(0)) = nvme_cli(&arguments) {
        health.nand_written = media_written(&page);
    }
}

/// *Physical media units written*: 16 bytes, lowest first, in bytes.
fn media_written(page: &[u8]) -> Option<ByteCount> {
    if page.len() != PAGE || page[GUID_AT..] != GUID {
        return None;
    }
    let written = u128::from_le_bytes(page[..16].try_into().ok()?);
    Some(ByteCount {
        bytes: u64::try_from(written).ok().map(Bytes::new),
        of: Message::new("count-media-units", [("bytes", written.to_string().into())]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(written: u128) -> Vec<u8> {
        let mut page = vec![0; PAGE];
        page[..16].copy_from_slice(&written.to_le_bytes());
        page[GUID_AT..].copy_from_slice(&GUID);
        page
    }

    fn asked(health: &Health, answer: &[u8], status: u8) -> Health {
        let mut health = health.clone();
        let nvme_cli = |arguments: &[&str]| {
            assert_eq!(arguments[1], "/dev/nvme0");
            Ran::Ended(answer.to_vec(), Some(status))
        };
        add(&mut health, &nvme_cli, Path::new("/dev/nvme0"));
        health
    }

    fn nvme() -> Health {
        Health {
            protocol: "NVMe".to_owned(),
            ..Health::default()
        }
    }

    fn told(health: &Health) -> Option<u64> {
        let bytes = health.nand_written.as_ref()?.bytes?;
        Some(bytes.get())
    }

    #[test]
    fn the_page_of_the_specification_tells_bytes_written_to_flash() {
        let health = asked(&nvme(), &page(123_456_789_000), 0);
        assert_eq!(told(&health), Some(123_456_789_000));
        let of = health.nand_written.unwrap().of;
        assert!(of.contains("123456789000"), "{of}");
    }

    #[test]
    fn another_makers_page_a_short_one_and_an_error_tell_nothing() {
        let mut other = page(5);
        other[GUID_AT] ^= 1;
        assert_eq!(told(&asked(&nvme(), &other, 0)), None);
        assert_eq!(told(&asked(&nvme(), &page(5)[..511], 0)), None);
        assert_eq!(told(&asked(&nvme(), &page(5), 1)), None);
        assert_eq!(told(&asked(&nvme(), &page(u128::MAX), 0)), None);
    }

    #[test]
    fn only_an_nvme_drive_that_has_not_told_is_asked() {
        let never = |_: &[&str]| -> Ran { panic!("asked") };
        let mut disk = Health::default();
        add(&mut disk, &never, Path::new("/dev/sda"));
        let mut told = asked(&nvme(), &page(7), 0);
        add(&mut told, &never, Path::new("/dev/nvme0"));
    }
}
