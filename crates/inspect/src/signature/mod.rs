//! Recognises a device's content by the magic numbers of file systems, partition tables, arrays and encrypted volumes.
//!
//! A magic number is a few bytes at an offset from the beginning or, for arrays that leave the beginning free, from the
//! end. Several may be present: creating a new file system seldom erases the previous one's. All that are found are
//! named; a person has to decide which one counts.

mod arrays;
mod file_systems;
mod partitions;

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

use serde::Serialize;

use super::refusal::Membership;

/// A recognised content of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signature {
    /// A GUID partition table.
    Gpt {
        /// Entries in use.
        partitions: u32,
        /// True where only the copy at the end is left.
        backup_only: bool,
    },
    /// An MBR (DOS) partition table.
    Mbr {
        /// Primary entries in use.
        partitions: u32,
    },
    /// A file system, swap area or the like that is whole on this device.
    FileSystem {
        /// `ext4`, `NTFS`, `swap`.
        kind: &'static str,
        /// Its label, where it has one and we read it.
        label: Option<String>,
    },
    /// A part of something larger.
    Member {
        /// What the whole is.
        of: Membership,
        /// What kind of part: `LVM2 physical volume`.
        kind: &'static str,
        /// The name of the whole, if known.
        name: Option<String>,
    },
    /// An encrypted volume.
    Encrypted {
        /// `LUKS1`, `LUKS2`, `BitLocker`.
        kind: &'static str,
        /// Its label, where it has one.
        label: Option<String>,
    },
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |name: &Option<String>| {
            name.as_ref()
                .map_or_else(String::new, |name| format!(" '{name}'"))
        };
        let plural = |count: u32| if count == 1 { "" } else { "s" };
        match self {
            Signature::Gpt {
                partitions,
                backup_only,
            } => {
                let which = if *backup_only {
                    " (only its copy at the end is left)"
                } else {
                    ""
                };
                write!(
                    f,
                    "GPT with {partitions} partition{}{which}",
                    plural(*partitions)
                )
            }
            Signature::Mbr { partitions } => {
                write!(
                    f,
                    "MBR partition table with {partitions} partition{}",
                    plural(*partitions)
                )
            }
            Signature::FileSystem {
                kind: "swap",
                label,
            } => write!(f, "swap area{}", named(label)),
            Signature::FileSystem {
                kind: "hibernation",
                label,
            } => write!(f, "swap area{} with a hibernated system", named(label)),
            Signature::FileSystem { kind, label } => {
                write!(f, "{kind} file system{}", named(label))
            }
            Signature::Member { kind, name, .. } => write!(f, "{kind}{}", named(name)),
            Signature::Encrypted { kind, label } => {
                write!(f, "{kind} encrypted volume{}", named(label))
            }
        }
    }
}

/// A device's content, or a part of it, read piece by piece.
pub struct Content<R> {
    reader: R,
    start: u64,
    bytes: u64,
}

impl<R: Read + Seek> Content<R> {
    /// All that the reader has.
    ///
    /// # Errors
    /// Where the reader's end cannot be found.
    pub fn whole(mut reader: R) -> io::Result<Content<R>> {
        let bytes = reader.seek(SeekFrom::End(0))?;
        Ok(Content {
            reader,
            start: 0,
            bytes,
        })
    }

    /// `bytes` bytes from `start`, limited to the available ones: a partition of the content.
    pub fn part(&mut self, start: u64, bytes: u64) -> Content<&mut R> {
        let start = start.min(self.bytes);
        Content {
            bytes: bytes.min(self.bytes - start),
            start: self.start.saturating_add(start),
            reader: &mut self.reader,
        }
    }

    /// The length in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// `N` bytes from `offset`, or nothing where that is not all inside.
    fn piece(&mut self, offset: u64, bytes: usize) -> io::Result<Option<Vec<u8>>> {
        let inside = offset
            .checked_add(bytes as u64)
            .is_some_and(|end| end <= self.bytes);
        if !inside {
            return Ok(None);
        }
        self.reader.seek(SeekFrom::Start(self.start + offset))?;
        let mut piece = vec![0; bytes];
        self.reader.read_exact(&mut piece)?;
        Ok(Some(piece))
    }

    /// True if these bytes are at `offset`.
    fn has(&mut self, offset: u64, mark: &[u8]) -> io::Result<bool> {
        Ok(self
            .piece(offset, mark.len())?
            .is_some_and(|piece| piece == mark))
    }
}

/// Names everything that the content is marked as, in a fixed order.
///
/// # Errors
/// If a position cannot be read: then the content is unknown.
pub fn probe<R: Read + Seek>(content: &mut Content<R>) -> io::Result<Vec<Signature>> {
    let mut found = Vec::new();
    found.extend(arrays::find(content)?);
    let file_systems = file_systems::find(content)?;
    // The boot sector of a FAT or NTFS volume ends like an MBR and has code where its table is.
    let is_boot_sector = file_systems.iter().any(|found| {
        matches!(
            found,
            Signature::FileSystem {
                kind: "FAT" | "exFAT" | "NTFS",
                ..
            }
        )
    });
    found.extend(partitions::find(content, is_boot_sector)?);
    found.extend(file_systems);
    Ok(found)
}

/// Text that ends at the first NUL, trimmed; `None` where nothing is left.
fn label(field: &[u8]) -> Option<String> {
    let text = field.split(|byte| *byte == 0).next().unwrap_or_default();
    // A label is shown on a terminal: what could steer one is left out.
    let text: String = String::from_utf8_lossy(text)
        .chars()
        .filter(|letter| !letter.is_control())
        .collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// A little-endian number of up to eight bytes; zero where it is not all there.
fn le(bytes: &[u8], offset: usize, size: usize) -> u64 {
    let field = bytes.get(offset..offset + size).unwrap_or_default();
    field
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// A big-endian number of up to eight bytes; zero where it is not all there.
fn be(bytes: &[u8], offset: usize, size: usize) -> u64 {
    let field = bytes.get(offset..offset + size).unwrap_or_default();
    field
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests;
