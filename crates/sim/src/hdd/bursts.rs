//! The write cache empties in bursts: so many runs one behind the other, in the order of addresses.
//!
//! A controller that has decided to write back does not stop at the first read that comes: it takes a
//! batch of what waits, in one sweep of the arm from where it is towards higher addresses and round
//! again, and reads wait behind the rest of the batch. A burst begins when the disk has rested for its
//! delay, or when so much of the cache is taken (by blocks or by runs) that the host would soon have to
//! wait; it ends after so many runs (or parts of a long one), or when none is left. Sweeping makes each write cheap: the arm moves
//! by a small part of the stroke instead of a third of it. The price is paid by a read that comes in the
//! middle of it, which waits for up to the whole burst.
//!
//! No maker states its numbers; bursts of 10 to 60 commands, begun when more than half of the cache is
//! dirty or after 50 to 200 ms without a command, are what traces of the time show. Disks without a
//! section of this name give the arm to whatever is cheapest, write or read, each time that it is free.
//! A shingled disk has an order of its own, which bursts leave alone.

use super::drive::{Hdd, Work};
use super::write_cache::WriteCache;
use crate::sheet::quantity::{Count, Number};
use crate::sheet::table::parameters;

parameters! {
    /// How the cache is emptied.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub Bursting from BurstsConfig ["bursts"] {
        /// Runs, or parts of a long one, that are written before reads have their turn again.
        runs "runs": Count in 1..=4_096;
        /// A burst begins where more than this share of the cache is taken.
        threshold "threshold": Number("of the cache") in 0.0..=1.0;
    }
}

/// The burst under way, if any.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bursts {
    rules: Option<Bursting>,
    /// Runs that are still to be begun.
    left: u32,
}

impl Bursts {
    pub(super) fn new(rules: Option<Bursting>) -> Bursts {
        Bursts { rules, left: 0 }
    }

    /// Whether so much waits that a burst begins though others want the arm.
    #[inline]
    pub(super) fn is_due(&self, cache: &WriteCache) -> bool {
        self.rules
            .is_some_and(|rules| !cache.is_empty() && cache.taken() > rules.threshold)
    }

    /// A burst begins unless one is under way.
    pub(super) fn begin(&mut self) {
        if let Some(rules) = self.rules
            && self.left == 0
        {
            self.left = rules.runs;
        }
    }

    /// Whether a burst is under way.
    #[inline]
    pub(super) fn is_under_way(&self) -> bool {
        self.left > 0
    }

    /// The power has failed.
    pub(super) fn stop(&mut self) {
        self.left = 0;
    }
}

impl Hdd {
    /// The next piece of the burst under way: the run that is being written, or the first one from where
    /// the head is on; its first block and its number.
    pub(super) fn next_of_burst(&mut self) -> Option<(u64, u64)> {
        self.bursts.rules?;
        if self.translation.is_some() {
            return None;
        }
        if self.bursts.is_due(&self.writing.cache) {
            self.bursts.begin();
        }
        let nothing = self.writing.cache.is_empty() && !matches!(self.work, Work::Destage(_));
        if self.bursts.left == 0 || nothing {
            self.bursts.left = 0;
            return None;
        }
        self.bursts.left -= 1;
        if let Work::Destage(d) = self.work {
            return Some((d.start, d.number));
        }
        let cache = &self.writing.cache;
        let next = cache.runs_before(self.block_reached()) % cache.len();
        let run = cache.run(next);
        Some((run.start, run.number))
    }
}

#[cfg(test)]
mod tests {
    use super::super::geometry::PhysicalAddress;
    use super::*;

    #[test]
    fn a_burst_is_due_where_more_than_its_share_of_the_cache_is_taken() {
        let rules = Bursting {
            runs: 10,
            threshold: 0.5,
        };
        let mut cache = WriteCache::new(100, 8);
        let due = |cache: &WriteCache| Bursts::new(Some(rules)).is_due(cache);
        let put = |cache: &mut WriteCache, start: u64, end: u64| {
            cache.reserve(end - start);
            cache.insert(start, end, 0, PhysicalAddress::default);
        };
        put(&mut cache, 0, 50);
        assert!(!due(&cache), "half of the blocks, an eighth of the runs");
        put(&mut cache, 60, 61);
        assert!(due(&cache), "more than half of the blocks");
        let mut runs = WriteCache::new(1_000, 8);
        for start in 0..4 {
            put(&mut runs, 10 * start, 10 * start + 1);
        }
        assert!(!due(&runs));
        put(&mut runs, 100, 101);
        assert!(due(&runs), "more than half of the runs");
        assert!(!Bursts::new(None).is_due(&runs));
    }
}
