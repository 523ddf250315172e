//! A write cache that flash keeps: what is in it when the power fails is not lost.
//!
//! As the discs spin down, the motor generates current for some hundred milliseconds. Disks have long used
//! it to park the heads, and to write some 2 MB of the buffer into a small flash chip. With a larger
//! flash on the board it is enough for 128 MiB (WD's OptiNAND, from 20 TB on). Cached data up to that size
//! are then as safe as on the medium: a flush has nothing to wait for, a durable write need not go to the
//! medium, and *write cache off* only limits the cache to the size that can be saved, where a disk without
//! flash would pay a revolution and a seek a write.
//!
//! A cache that holds more than can be saved is written back until it does not; data from before a flush
//! are saved before later data. Writing the saved data to the medium when the power is back takes no time
//! here.
//!
//! Sources: WD, Ultrastar DC HC580 product manual, 6.5.2 (the modes of the cache, 128 MiB);
//! anandtech.com/show/17377 (OptiNAND: at low depth large random writes with the cache off gain 80 %,
//! small ones 10 to 20 %). `saved_mib = 0` takes it away.

use super::Hdd;

/// Blocks from one to another.
pub(super) type Blocks = (u64, u64);

impl Hdd {
    /// Whether all that the buffer holds would survive a power failure.
    pub(super) fn all_is_saved(&self) -> bool {
        let saved = self.p.write_cache.saved_blocks;
        saved > 0 && self.translation.is_none() && self.writing.cache.held() <= saved
    }

    /// What of the runs that wait a power failure loses, in order of addresses: the youngest, as far as
    /// flash does not hold them.
    pub(super) fn not_saved(&self) -> Vec<Blocks> {
        let cache = &self.writing.cache;
        let mut room = match self.translation {
            None => self.p.write_cache.saved_blocks,
            Some(_) => 0,
        };
        let runs = cache.runs(0..cache.len());
        if room == 0 {
            return runs.map(|run| (run.start, run.end)).collect();
        }
        let mut runs: Vec<_> = runs.collect();
        runs.sort_unstable_by_key(|run| run.number);
        let mut lost = Vec::new();
        for run in runs {
            let kept = room.min(run.end - run.start);
            room -= kept;
            if run.start + kept < run.end {
                lost.push((run.start + kept, run.end));
            }
        }
        lost.sort_unstable();
        lost
    }
}
