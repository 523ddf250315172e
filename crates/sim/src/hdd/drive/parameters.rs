//! Everything that a disk is made of, in the units that the model computes in.

use base::size::Bytes;
use base::target::Info;

use super::media_scan::Scanning;
use super::recovery::Recovery;
use super::shingled::Shingles;
use crate::hdd::cold::ColdStart;
use crate::hdd::queue::{Patience, Queueing};
use crate::hdd::track_pass::Mechanics;
use crate::hdd::vibration::Vibration;

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
    /// Sectors are taken as they pass.
    pub zero_latency: bool,
    /// Sectors that pass before the wanted one are kept.
    pub look_behind: bool,
    /// Segments of the read cache.
    pub read_segments: u32,
    pub segment_blocks: u64,
    /// Blocks read ahead at most.
    pub read_ahead_blocks: u64,
    /// Reading ahead that came to its limit resumes when fewer blocks than this are left.
    pub read_on_below_blocks: u64,
    /// Writes are acknowledged from the buffer.
    pub write_back: bool,
    /// Blocks of the write cache that survive a power failure, oldest first; 0: none do.
    pub write_cache_saved_blocks: u64,
    /// Blocks of the write cache.
    pub write_cache_blocks: u64,
    /// Runs in the write cache.
    pub write_cache_runs: u32,
    /// Runs that have to be free before a write that found none is let in; 1: it is let in at once.
    pub write_batch: u32,
    /// The order of writing sees where the discs will be when the arm is there, and not only the way of the arm.
    pub write_sees_rotation: bool,
    /// Blocks that one run may have in the write cache before a write that continues it waits;
    /// `u64::MAX`: as many as there is room for.
    pub write_run_blocks: u64,
    /// Nanoseconds that the arm rests before it writes back unasked.
    pub destage_delay_ns: u64,
    /// Nanoseconds after which unwritten data compete with waiting reads.
    pub destage_deadline_ns: u64,
    /// How an idle disk scans itself, where it does.
    pub media_scan: Option<Scanning>,
    /// Blocks that the arm writes before it looks round again.
    pub destage_part_blocks: u64,
    /// Mean blocks between rare long responses; 0: there are none.
    pub rare_gap_blocks: f64,
    /// Mean revolutions, in which sectors pass, between rare long responses by the clock; 0: none.
    pub rare_gap_revolutions: f64,
    /// Mean revolutions that one takes.
    pub rare_revolutions: f64,
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
