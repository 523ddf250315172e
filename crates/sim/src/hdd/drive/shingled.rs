//! Shingled disks that manage themselves: tracks that overlap, a cache on the disc, and cleaning.
//!
//! A write head is wider than the track that a read head needs. A *shingled* disk writes each track over
//! the edge of the one before, like tiles on a roof, and holds a quarter more; but then a track cannot be
//! overwritten without destroying the next one. So tracks form *bands* of some tens of MiB with a gap
//! behind each, and an overwrite inside a band costs the whole band: read, modify, write.
//!
//! A disk that answers as any other disk ("drive-managed") hides that with a *persistent cache*, a part of
//! the disc whose tracks do not overlap, used as a log ([`cache`]): every write is appended to the log,
//! whatever its address, and a map keeps its place. So random writes are faster than on a
//! conventional disk, until the log or its map is full. From then on each of them waits until a band has been
//! *cleaned* (`cleaning`): its home read, its pieces gathered from the log, the whole written to a safe
//! place and then home. That is the *cliff*: from hundreds or thousands of writes a second to one or two.
//! An idle disk cleans by itself, the oldest band first, and is fast again when it is done.
//!
//! A long stream of sequential writes needs none of that: it fills whole bands and goes straight to them
//! (`writing`). Data in the log are read from the log; a sequential read over a range of random writes is full
//! of such detours until the range has been cleaned (`reading`).
//!
//! A flush makes the disk save its map, so what was written with a flush after it takes more of the log than
//! its size. The log and its map survive a power cut; an interrupted cleaning starts again. Some disks
//! take *trim*: what was trimmed, or never written, is read as zeros without the disc ([`mapped`]).
//!
//! Modelled with a static home for each band, all of one size, and the log at the inner edge. A stream that
//! ends inside a band leaves the rest of it as it was.

use super::Hdd;
use crate::hdd::quantity::{BlocksOfKib, BlocksOfMib, NanosOfSeconds};
use crate::sheet::quantity::{Count, Flag};
use crate::sheet::table::parameters;
use base::state::Written;
use cache::PersistentCache;
use cleaning::Cleaning;
use mapped::Mapped;
use writing::{Batch, Streams};

pub mod cache;
mod cleaning;
pub mod mapped;
mod pieces;
mod reading;
mod used;
mod writing;

parameters! {
    /// Bands, the persistent cache, and when it is cleaned.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub Shingled from ShingledConfig ["shingled"] {
        /// Blocks of the persistent cache.
        cache_blocks "cache_mib": BlocksOfMib in 256..=1_048_576;
        /// Entries of its map: pieces of bands that are in it.
        entries "entries": Count("pieces") in 16..=10_000_000;
        /// Blocks of a band.
        band_blocks "band_mib": BlocksOfMib in 1..=256;
        /// Blocks that a stream has to be long, without a flush in it, to go straight to its bands.
        direct_blocks "direct_mib": BlocksOfMib in 1..=1_048_576;
        /// Blocks of the cache that are used up by saving the map, at the end of what a flush waits for.
        map_save_blocks "map_save_kib": BlocksOfKib in 0..=16_384;
        /// Nanoseconds without a command after which it cleans unasked.
        idle_ns "idle_s": NanosOfSeconds in 0.0..=100_000.0;
        /// A band is written to a safe place before it is written home.
        safe_copy "safe_copy": Flag;
        /// Trim is taken, and what is not mapped is read as zeros without the disc.
        trim "trim": Flag, or false;
    }
}

/// A shingled disk's rules, and what was written to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shingles {
    pub rules: Shingled,
    /// What it has been through.
    pub written: Written,
}

impl Shingled {
    /// Blocks of the disc beside those of the host: the log, and behind it the safe place for a band.
    pub fn extra_blocks(&self) -> u64 {
        self.cache_blocks + self.band_blocks
    }
}

/// What a shingled disk remembers.
#[derive(Clone, Debug)]
pub(in crate::hdd) struct Translation {
    pub(super) rules: Shingled,
    /// Blocks of the host: the log begins behind them.
    pub(super) blocks: u64,
    pub(super) cache: PersistentCache,
    pub(super) mapped: Option<Mapped>,
    pub(super) streams: Streams,
    /// What is on its way into the log.
    pub(super) batch: Batch,
    pub(super) cleaning: Option<Cleaning>,
    /// Bands cleaned since the disk was made.
    pub(super) cleaned: u64,
    /// When the last command came, in nanoseconds.
    pub(super) last_command: u64,
    /// The write cache in memory is off: a write ends when it is in the log.
    pub(super) all_durable: bool,
}

impl Translation {
    /// Of a disk of so many blocks in its state; `all_durable` where its write cache in memory is off.
    pub(super) fn of(shingles: Shingles, blocks: u64, all_durable: bool, seed: u64) -> Translation {
        let Shingles { rules, written } = shingles;
        let mapped = rules.trim.then(|| Mapped::new(blocks));
        let mut translation = Translation {
            rules,
            blocks,
            cache: PersistentCache::new(
                rules.cache_blocks,
                rules.entries as usize,
                rules.band_blocks,
            ),
            mapped,
            streams: Streams::default(),
            batch: Batch::default(),
            cleaning: None,
            cleaned: 0,
            last_command: 0,
            all_durable,
        };
        translation.use_as(written, seed);
        translation
    }

    /// The band of a block: its first block and the one after its last.
    #[inline]
    pub(super) fn band(&self, block: u64) -> (u64, u64) {
        let start = block - block % self.rules.band_blocks;
        (start, (start + self.rules.band_blocks).min(self.blocks))
    }

    /// The power has failed: the log and its map are on the disc, the rest is forgotten.
    pub(super) fn power_cut(&mut self) {
        self.streams.clear();
        self.batch.clear();
        self.cleaning = None;
    }
}

/// What a shingled disk shows of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Blocks of the log in use, with what was spent on the map and what is no longer valid.
    pub used_blocks: u64,
    /// Pieces of bands in it.
    pub entries: usize,
    /// Bands with a piece in it.
    pub dirty_bands: u64,
    /// Bands cleaned since the disk was made.
    pub cleaned: u64,
}

impl Hdd {
    /// The persistent cache as it is; nothing on a conventional disk.
    pub fn shingled(&self) -> Option<Shown> {
        let translation = self.translation.as_ref()?;
        let cache = &translation.cache;
        let bands = cache.starts().map(|start| translation.band(start).0);
        let mut dirty = 0;
        let mut last = None;
        for band in bands {
            dirty += u64::from(last != Some(band));
            last = Some(band);
        }
        Some(Shown {
            used_blocks: cache.used(),
            entries: cache.entries(),
            dirty_bands: dirty,
            cleaned: translation.cleaned,
        })
    }
}
