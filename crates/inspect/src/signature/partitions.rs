//! Partition tables: MBR and GPT.
//!
//! An MBR is the first sector: four entries of 16 bytes from byte 446, then `55 AA`. In an entry
//! byte 0 is `80` or `00` (bootable), byte 4 the type (0: unused), bytes 8 to 15 first sector and
//! count. A GPT (UEFI specification 2.10, chapter 5) puts one entry of type `EE` there, its header
//! `EFI PART` into the second logical block and a copy into the last; the header says where the
//! entries are (byte 72), how many (80) and how long each is (84); an unused one has type zero.

use std::io::{self, Read, Seek};

use super::{Content, Signature, le};

const GPT_MARK: &[u8] = b"EFI PART";

/// Logical block sizes that are in use.
const BLOCK_SIZES: [u64; 2] = [512, 4096];

pub(super) fn find<R: Read + Seek>(
    content: &mut Content<R>,
    is_boot_sector: bool,
) -> io::Result<Option<Signature>> {
    for (block, backup_only) in BLOCK_SIZES
        .map(|block| (block, false))
        .into_iter()
        .chain(BLOCK_SIZES.map(|block| (block, true)))
    {
        let header = if backup_only {
            content.bytes().saturating_sub(block) / block * block
        } else {
            block
        };
        if let Some(partitions) = gpt_entries(content, header, block)? {
            return Ok(Some(Signature::Gpt {
                partitions,
                backup_only,
            }));
        }
    }
    if is_boot_sector {
        Ok(None)
    } else {
        mbr(content)
    }
}

/// The number of entries in use of the GPT whose header is at that offset.
fn gpt_entries<R: Read + Seek>(
    content: &mut Content<R>,
    header: u64,
    block: u64,
) -> io::Result<Option<u32>> {
    let Some(header) = content.piece(header, 92)? else {
        return Ok(None);
    };
    if !header.starts_with(GPT_MARK) {
        return Ok(None);
    }
    let at = le(&header, 72, 8).saturating_mul(block);
    // More than 1,024 entries, or longer ones than 4 KiB, nobody makes: that is a damaged header.
    let count = le(&header, 80, 4).min(1024) as usize;
    let size = le(&header, 84, 4) as usize;
    if !(128..=4096).contains(&size) {
        return Ok(Some(0));
    }
    let entries = content.piece(at, count * size)?.unwrap_or_default();
    let used = entries
        .chunks(size)
        .filter(|entry| entry.iter().take(16).any(|byte| *byte != 0))
        .count();
    Ok(Some(used as u32))
}

fn mbr<R: Read + Seek>(content: &mut Content<R>) -> io::Result<Option<Signature>> {
    let Some(sector) = content.piece(0, 512)? else {
        return Ok(None);
    };
    let entries = || sector[446..510].chunks(16);
    let is_table =
        sector.ends_with(&[0x55, 0xAA]) && entries().all(|entry| matches!(entry[0], 0 | 0x80));
    let used = entries()
        .filter(|entry| entry[4] != 0 && le(entry, 12, 4) != 0)
        .count() as u32;
    Ok((is_table && used > 0).then_some(Signature::Mbr { partitions: used }))
}
