//! File systems: where a host lays a file out on a drive, and what it writes beside the file.
//!
//! A program writes to offsets of a file; the drive sees other offsets, and more writes than the
//! program made. What differs from one file system to the next is where the file's clusters lie
//! (behind tables whose size depends on the volume's: so a file system decides how the data are
//! aligned), where its own structures lie, which of them change when a file is made, grows, or is
//! written in place, and when they are written: after a while, or when the program asks for it.
//!
//! Each file system is one file here. It turns the parameters of a host's file
//! (`[file_system.NAME]`, in KiB, MiB, sectors and seconds, each with its source) and the size of
//! the volume into a [`Layout`], which the layer `file_system` plays in front of a drive.
//! Adding one is a file, a field of [`FileSystems`] and a line in its list. How the
//! sizes follow from each other is in the public specifications that the files name; the layouts of
//! FAT32, exFAT, ext4 and XFS were compared with what the formatting programs of Linux write on
//! volumes of 30 and 128 GiB.
//!
//! Common to all of them: the volume is empty but for the test file, which lies in one piece as far
//! as the file system's own structures allow; metadata are kept in memory in pages of 4 KiB, and
//! pages that follow each other are written together.

use std::fmt;

use base::size::Bytes;
use base::time::Duration;
use base::workload::Span;
use serde::{Deserialize, Deserializer};

use crate::sheet::Section;
use crate::sheet::quantity::quantities;

pub mod exfat;
pub mod ext4;
pub mod fat32;
mod journaled;
pub mod ntfs;
pub mod xfs;

/// Metadata are kept and written in pages of memory.
pub const PAGE: Bytes = Bytes::kib(4);

/// Where a file and its file system lie on a volume, in bytes from the volume's start, and when
/// what is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The file system's name, as people write it.
    pub name: &'static str,
    /// The unit of allocation.
    pub cluster: Bytes,
    /// Where the clusters of the one file lie, in the order of allocation.
    pub data: Vec<Span>,
    pub largest_file: Bytes,
    /// Entries that change when the file takes clusters, of tables for the whole volume.
    pub tables: Vec<Table>,
    /// The same of tables for a part of the volume each, in the order of these parts.
    pub by_group: Vec<Table>,
    /// Places that change with the file's size or times: its record, its directory entry.
    pub file: Vec<Bytes>,
    /// Places that change besides when the file is made.
    pub create: Vec<Bytes>,
    /// When a write in place becomes a change of the file's times.
    pub times: Times,
    /// From the first change of metadata until they are written (with a log: until the log is).
    pub lazy: Duration,
    /// The log, where changes go to one first.
    pub log: Option<Log>,
}

impl Layout {
    /// The tables with an entry for any of a piece of the volume.
    pub fn tables_of(&self, piece: Span) -> impl Iterator<Item = &Table> {
        let first = self
            .by_group
            .partition_point(|table| table.covers.end() <= piece.start);
        let groups = self.by_group[first..].iter();
        let groups = groups.take_while(move |table| table.covers.start < piece.end());
        self.tables.iter().chain(groups)
    }
}

/// A table with an entry for each group of clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// Where the entry of the volume's first byte stands.
    pub start: Bytes,
    /// Of this part of the volume.
    pub covers: Span,
    /// Bytes of the volume that share an entry.
    pub for_each: Bytes,
    /// Consecutive entries of this many bits.
    pub entry_bits: u64,
}

impl Table {
    /// The page that holds the entry of a byte of the volume; `None` if the table does not cover
    /// it.
    pub fn page_of(&self, at: Bytes) -> Option<Bytes> {
        if at < self.covers.start || at >= self.covers.end() {
            return None;
        }
        let entry = (at - self.covers.start).get() / self.for_each.get();
        // In two steps, so that large entries of large volumes do not overflow.
        let byte = entry / 8 * self.entry_bits + entry % 8 * self.entry_bits / 8;
        Some((self.start + Bytes::new(byte)).round_down(PAGE))
    }
}

quantities! {
    /// A size in KiB.
    pub Kib: u32, "KiB" => Bytes = |kib| Bytes::kib(u64::from(kib));
    /// A size in MiB.
    pub Mib: u32, "MiB" => Bytes = |mib| Bytes::mib(u64::from(mib));
}

/// When a write in place becomes a change of the file's times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Times {
    /// At the next flush, or when the file is closed, which a flush stands for here.
    AtFlush,
    /// With the write itself.
    AtOnce,
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Times::AtFlush => "at-flush",
            Times::AtOnce => "at-once",
        })
    }
}

/// A circular log of changes, written before the changes are made in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Log {
    /// Where it lies.
    pub span: Span,
    /// Bytes that a commit takes besides its changes.
    pub commit: Bytes,
    /// Bytes that a changed page takes.
    pub a_page: Bytes,
    /// A commit is rounded up to this.
    pub unit: Bytes,
    /// From a commit until its changes are written in place.
    pub in_place: Duration,
    /// Whether the drive is told to flush after a commit.
    pub barrier: bool,
}

impl Log {
    /// Bytes of a commit by its number of changed pages; never more than the log holds.
    pub fn commit_of(&self, pages: u64) -> Bytes {
        let all = self.commit + self.a_page * pages;
        all.round_up(self.unit)
            .min(self.span.len.round_down(self.unit))
    }
}

/// The volume is too small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} needs a volume of at least {least}, not {volume}")]
pub struct TooSmall {
    pub name: &'static str,
    pub volume: Bytes,
    /// The least that it needs.
    pub least: Bytes,
}

impl TooSmall {
    /// Nothing where the volume is large enough.
    ///
    /// # Errors
    /// Where it is smaller than `least`.
    fn check(name: &'static str, volume: Bytes, least: Bytes) -> Result<(), TooSmall> {
        if volume < least {
            return Err(TooSmall {
                name,
                volume,
                least,
            });
        }
        Ok(())
    }
}

/// A file system as a host formats it.
pub trait Format {
    /// The parameters, for a sheet and for checks.
    fn section(&self) -> Section;

    /// Lays a volume out.
    ///
    /// # Errors
    /// Where the volume is too small.
    fn layout(&self, volume: Bytes) -> Result<Layout, TooSmall>;
}

/// The file systems of a host: `[file_system.NAME]` in its file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSystems {
    fat32: Option<fat32::Fat32Config>,
    exfat: Option<exfat::ExFatConfig>,
    ntfs: Option<ntfs::NtfsConfig>,
    ext4: Option<ext4::Ext4>,
    xfs: Option<xfs::Xfs>,
}

/// A file system's name, and how the host formats it where it has it.
type Named<'a> = (&'static str, Option<&'a dyn Format>);

impl FileSystems {
    /// Every name with what the host has of it, the plainest first.
    fn all(&self) -> [Named<'_>; 5] {
        fn of<F: Format>(format: &Option<F>) -> Option<&dyn Format> {
            format.as_ref().map(|format| format as &dyn Format)
        }
        [
            ("fat32", of(&self.fat32)),
            ("exfat", of(&self.exfat)),
            ("ntfs", of(&self.ntfs)),
            ("ext4", of(&self.ext4)),
            ("xfs", of(&self.xfs)),
        ]
    }

    /// The names of those that the host has.
    pub fn names(&self) -> Vec<&'static str> {
        let there = self
            .all()
            .into_iter()
            .filter(|(_, format)| format.is_some());
        there.map(|(name, _)| name).collect()
    }

    /// Their parameters.
    pub fn sections(&self) -> Vec<Section> {
        let there = self.all().into_iter().filter_map(|(_, format)| format);
        there.map(Format::section).collect()
    }

    /// The one with this name.
    pub fn get(&self, name: &str) -> Option<&dyn Format> {
        let mut all = self.all().into_iter();
        all.find(|(known, _)| *known == name)
            .and_then(|(_, format)| format)
    }
}

/// A size, or the word `usual`: what the file system's specification gives for the volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub enum SizeOrUsual {
    /// As the file system's own file says.
    Usual,
    Size(Bytes),
}

impl SizeOrUsual {
    /// The size, where `usual` stands for the one given.
    pub fn or(self, usual: Bytes) -> Bytes {
        match self {
            SizeOrUsual::Usual => usual,
            SizeOrUsual::Size(size) => size,
        }
    }
}

impl fmt::Display for SizeOrUsual {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SizeOrUsual::Usual => f.write_str("usual"),
            SizeOrUsual::Size(size) => write!(f, "{size}"),
        }
    }
}

impl<'de> Deserialize<'de> for SizeOrUsual {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<SizeOrUsual, D::Error> {
        const SIZES: &str = "a power of two from 512 to 32MiB, such as 4KiB, or usual";
        let text = String::deserialize(from)?;
        if text == "usual" {
            return Ok(SizeOrUsual::Usual);
        }
        let size: Option<Bytes> = text.parse().ok();
        size.filter(|size| size.get().is_power_of_two())
            .filter(|size| (Bytes::SECTOR..=Bytes::mib(32)).contains(size))
            .map(SizeOrUsual::Size)
            .ok_or_else(|| serde::de::Error::custom(format!("'{text}' is not {SIZES}")))
    }
}

/// What is left of a volume without some parts of it, in order, in whole clusters counted from
/// `origin`.
fn without(volume: Span, mut taken: Vec<Span>, origin: Bytes, cluster: Bytes) -> Vec<Span> {
    taken.sort_by_key(|span| span.start);
    let mut free = Vec::new();
    let mut at = volume.start;
    let last = Span::new(volume.end(), Bytes::ZERO);
    for span in taken.into_iter().chain([last]) {
        let start = origin + at.saturating_sub(origin).round_up(cluster);
        let len = (span.start.min(volume.end()).saturating_sub(start)).round_down(cluster);
        if !len.is_zero() {
            free.push(Span::new(start, len));
        }
        at = at.max(span.end());
    }
    free
}

#[cfg(test)]
pub(crate) mod tests;
