//! What lies in the SLC cache of a drive that is made in a state.
//!
//! In sequential writing, the host's first pages went to the fixed area, then to as many superblocks as
//! the dynamic one may have; what came later went to all bits, or pushed what came first out of the
//! cache. Room for data in all bits comes first: where the drive is so full that collection had to
//! take superblocks back, the oldest were folded. A rest folds the rest, oldest first, down to the
//! share that the drive keeps of what the cache may hold then.
//!
//! Overwritten at random without a rest, a superblock of the fixed area is free again only when its
//! last page has been overwritten. With `S` pages in it and each page's life exponential with mean
//! one, that takes `ln S + 0.577` lives in the mean, and at a time drawn from them `exp(-u)` of the
//! pages are left. A dynamic area has no superblocks then: collection has taken them all.

use std::ops::Range;

use base::rng::Rng;

use crate::ssd::drive::Drive;
use crate::ssd::ftl::slc::WhenFull;

/// Euler's constant: the mean of the greatest of `n` exponential lives is `ln n` and this.
const EULER: f64 = 0.577_215_664_901_532_9;

impl Drive {
    /// The logical pages with one bit a cell after the first `pages` were written sequentially.
    pub(in crate::ssd) fn cached_in_order(&self, pages: u32, rested: bool) -> Range<u32> {
        let slc = u64::from(self.ftl.pool.pages_of(true));
        let policy = self.ftl.pool.slc().policy();
        let fixed = u64::from(policy.fixed);
        let dynamic = self.dynamic_left(u64::from(pages).saturating_sub(fixed * slc));
        let most = ((fixed + u64::from(dynamic.left)) * slc).min(u64::from(pages)) as u32;
        let pushed_out = match policy.when_full {
            WhenFull::Fold => pages - most,
            // Only what collection folded.
            WhenFull::Direct => ((u64::from(dynamic.folded) * slc) as u32).min(pages - most),
        };
        let cached = pushed_out..pushed_out + most;
        if rested {
            let keep = (u64::from(self.kept_in_order(pages)) * slc).min(u64::from(most)) as u32;
            return cached.end - keep..cached.end;
        }
        cached
    }

    /// Superblocks of one bit a cell that a rest leaves after so many pages. The fewer they are, the more
    /// hold all bits, and the smaller is the cache.
    fn kept_in_order(&self, pages: u32) -> u32 {
        let slc = u64::from(self.ftl.pool.pages_of(true));
        let all_bits = u64::from(self.ftl.pool.pages_of(false));
        let policy = self.ftl.pool.slc().policy();
        let mut kept = policy.kept(self.ftl.pool.free());
        loop {
            let others = u64::from(pages).saturating_sub(u64::from(kept) * slc);
            let used = others.div_ceil(all_bits) as u32;
            let left = policy.kept(self.ftl.pool.free().saturating_sub(used));
            if left >= kept {
                return kept;
            }
            kept = left;
        }
    }

    /// Superblocks of the dynamic area that are left after so many pages beside the fixed one.
    fn dynamic_left(&self, pages: u64) -> Dynamic {
        let policy = self.ftl.pool.slc().policy();
        let slc = u64::from(self.ftl.pool.pages_of(true));
        let all_bits = u64::from(self.ftl.pool.pages_of(false));
        if policy.dynamic_per_mille == 0 {
            return Dynamic::default();
        }
        let free = u64::from(self.ftl.pool.free());
        let kept = u64::from(self.p.reserves.collect_below);
        let share = free * u64::from(policy.dynamic_per_mille) / 1_000;
        let first = share
            .min(u64::from(policy.dynamic_most))
            .min(free - kept.min(free))
            .min(pages.div_ceil(slc));
        // With x superblocks of one bit, x + (pages - x * slc) / all_bits may be used. Where a cell
        // holds one bit anyway, such a superblock takes no more room than another.
        let used = pages.div_ceil(all_bits);
        let spare = free.saturating_sub(kept + used) * all_bits;
        let room = spare.checked_div(all_bits - slc).unwrap_or(first);
        let left = first.min(room);
        Dynamic {
            left: left as u32,
            folded: (first - left) as u32,
        }
    }

    /// Valid pages of each superblock of the fixed area after long random overwriting.
    pub(in crate::ssd) fn cached_at_random(&self, seed: u64) -> Vec<u32> {
        let pages = f64::from(self.ftl.pool.pages_of(true));
        let policy = self.ftl.pool.slc().policy();
        if policy.when_full == WhenFull::Fold {
            return Vec::new();
        }
        let mut rng = Rng::stream(seed, 0x51c);
        let life = libm::log(pages) + EULER;
        let valid = |_| ((pages * libm::exp(-life * rng.unit())) as u32).max(1);
        (0..policy.fixed).map(valid).collect()
    }
}

/// The dynamic area after sequential writing.
#[derive(Clone, Copy, Debug, Default)]
struct Dynamic {
    /// Superblocks that are still there.
    left: u32,
    /// Superblocks that collection took back.
    folded: u32,
}
