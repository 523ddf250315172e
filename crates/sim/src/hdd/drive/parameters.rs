//! Everything that a disk is made of, in the units that the model computes in.

use base::size::Bytes;
use base::target::Info;

use super::media_scan::Scanning;
use super::recovery::Recovery;
use super::shingled::Shingles;
use crate::hdd::cold::ColdStart;
use crate::hdd::queue::{Patience, Queueing};
use crate::hdd::rare::Retries;
use crate::hdd::read_cache::ReadCaching;
use crate::hdd::track_pass::Mechanics;
use crate::hdd::vibration::Vibration;
use crate::hdd::write_cache::WriteCaching;

/// A disk's parameters, which the catalogue makes from a drive's file.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// Blocks that the host can address; at most those that the geometry holds.
    pub blocks: u64,
    /// Bytes a block: the unit of addresses, 512.
    pub block: Bytes,
    /// Blocks a physical sector: 8 on a drive with 4 KiB sectors that answers to 512-byte
    /// addresses.
    pub physical_blocks: u64,
    /// Discs, zones and arm.
    pub mechanics: Mechanics,
    /// Commands that may be in flight (32 with native command queuing, else 1).
    pub queue_depth: u32,
    /// How patient a waiting access has to be.
    pub patience: Patience,
    /// How the next access is chosen beyond that.
    pub queueing: Queueing,
    /// What vibration costs.
    pub vibration: Vibration,
    /// Controller's nanoseconds for a read (and a flush).
    pub read_overhead_ns: u64,
    /// Controller's nanoseconds for a write.
    pub write_overhead_ns: u64,
    /// Picoseconds a block on the wire.
    pub wire_block_picos: u64,
    /// The same of what is written, which a bridge carries more slowly.
    pub wire_write_block_picos: u64,
    /// Blocks in the largest frame of the wire: 16 of 512 bytes on Serial ATA.
    pub wire_frame_blocks: u64,
    /// Segments, and how far ahead.
    pub read_cache: ReadCaching,
    /// What waits in the buffer to be written, and when it is.
    pub write_cache: WriteCaching,
    /// How an idle disk scans itself, where it does.
    pub media_scan: Option<Scanning>,
    /// Rare long responses.
    pub rare: Retries,
    /// How long it tries where it cannot read, and how many such sectors it has.
    pub recovery: Option<Recovery>,
    /// Tracks that overlap, where they do: the geometry then holds their extra blocks behind the host's.
    pub shingled: Option<Shingles>,
    /// What the drive does after it was switched on cold, where it does anything.
    pub cold: Option<ColdStart>,
    /// Until this time, in nanoseconds, it is in that mode; 0: it is warm.
    pub cold_until_ns: u64,
    /// Seeds the rare long responses.
    pub seed: u64,
}

impl Parameters {
    /// What the disk says of itself.
    pub fn info(&self) -> Info {
        Info {
            capacity: Bytes::new(self.blocks * self.block.get()),
            block: self.block,
            max_in_flight: self.queue_depth,
            writable: true,
        }
    }
}
