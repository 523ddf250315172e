//! The SLC cache: superblocks that hold one bit a cell and take the host's writes first.
//!
//! One bit a cell is programmed some ten times faster than three or four. Drives use it in three
//! ways, and this file has the choice between them ([`SlcPolicy`]):
//!
//! - a *fixed* area of superblocks that never hold anything else;
//! - a *dynamic* area: up to a share of what holds no data in all bits, so that it shrinks as the
//!   drive fills, and at most a stated size;
//! - both: the fixed one is used first.
//!
//! When no superblock may be opened for one bit a cell any more, the host either writes straight to
//! all bits, or it waits for *folding*: the valid pages of the oldest such superblocks are read and
//! written again with all bits a cell. A drive whose cache is nearly all of its flash has no other
//! way, since nothing is left to be written directly: each byte is then programmed twice and read
//! once. At rest the cache is folded, after a time, at a pace, and down to a share of what it may
//! hold now that the drive keeps, since what lies one bit a cell is read faster; on a full drive that
//! is little, so that a rest leaves room for writes there, too. A superblock that was written in part
//! is closed for that; its unit in progress is filled up with padding.

use base::size::PicosPerByte;
use base::time::{Duration, Instant};
use serde::Deserialize;

use crate::sheet::quantity::{MegabytesPerSecond, Milliseconds, Number, PerMille, Word};
use crate::sheet::table::parameters;
use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::{Geometry, NONE, PAGE};
use crate::ssd::ftl::stream::Stream;
use std::collections::VecDeque;

/// What becomes of the host's writes when no superblock may be opened for one bit a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhenFull {
    /// They go straight to all bits a cell.
    #[default]
    Direct,
    /// They wait until folding has freed a superblock.
    Fold,
}

impl std::fmt::Display for WhenFull {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            WhenFull::Direct => "direct",
            WhenFull::Fold => "fold",
        })
    }
}

/// How a drive uses one bit a cell. The default does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlcPolicy {
    /// Superblocks that never hold anything else.
    pub fixed: u32,
    /// Of the superblocks that hold no data in all bits, so many in a thousand may hold one bit.
    pub dynamic_per_mille: u32,
    /// Superblocks beside the fixed ones that may hold one bit at the same time.
    pub dynamic_most: u32,
    /// When none may be opened any more.
    pub when_full: WhenFull,
    /// Without an I/O for so long beyond the drive's own idle time, folding begins.
    pub fold_after: Duration,
    /// Folding at rest, at most so fast; zero is as fast as the flash allows.
    pub fold_pace: PicosPerByte,
    /// Of what may lie one bit a cell now, so many in a thousand are left where they are at rest.
    pub keep_per_mille: u32,
}

parameters! {
    /// The SLC cache as a drive's file has it: sizes in bytes of data.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub SlcSizes from SlcConfig ["slc"] {
        /// The fixed area, in GB.
        fixed "size_gb": Number("GB") in 0.0..=1_000.0;
        /// Of the superblocks that hold no data in all bits, so many in a thousand may hold one
        /// bit.
        dynamic_per_mille "dynamic_share": PerMille("of the free flash") in 0.0..=1.0, or 0;
        /// The dynamic area at most, in GB.
        dynamic_most "dynamic_gb": Number("GB") in 0.0..=10_000.0, maybe;
        /// When no superblock may be opened any more.
        when_full "when_full": Word<WhenFull>, or WhenFull::Direct;
        /// Without an I/O for so long beyond the drive's own idle time, folding begins.
        fold_after "fold_after_ms": Milliseconds in 0.0..=86_400_000.0, or Duration::ZERO;
        /// Folding at rest, at most so fast; zero is as fast as the flash allows.
        fold_pace "fold_mb_s": MegabytesPerSecond in 1.0..=100_000.0, or PicosPerByte::new(0);
        /// Of what the cache may hold now, so many in a thousand are left where they are at rest.
        keep_per_mille "keep_share": PerMille("of the cache") in 0.0..=1.0, or 0;
    }
}

impl SlcSizes {
    /// In superblocks of flash of this geometry.
    pub fn policy(&self, geometry: &Geometry) -> SlcPolicy {
        let superblock = u64::from(geometry.slc_superblock_pages()) * PAGE;
        let superblocks = |gb: f64| (gb * 1e9 / superblock.max(1) as f64 + 0.5) as u32;
        SlcPolicy {
            fixed: superblocks(self.fixed),
            dynamic_per_mille: self.dynamic_per_mille,
            dynamic_most: self.dynamic_most.map_or(u32::MAX, superblocks),
            when_full: self.when_full,
            fold_after: self.fold_after,
            fold_pace: self.fold_pace,
            keep_per_mille: self.keep_per_mille,
        }
    }
}

impl SlcPolicy {
    /// Superblocks beside the fixed ones that may hold one bit, where so many hold no data in all bits.
    #[inline]
    fn dynamic(&self, without_data: u32) -> u32 {
        let share = u64::from(without_data) * u64::from(self.dynamic_per_mille) / 1_000;
        (share as u32).min(self.dynamic_most)
    }

    /// Superblocks of which data are left where they are at rest.
    pub(in crate::ssd) fn kept(&self, without_data: u32) -> u32 {
        let all = u64::from(self.fixed + self.dynamic(without_data));
        (all * u64::from(self.keep_per_mille) / 1_000) as u32
    }
}

/// The superblocks that hold one bit a cell.
#[derive(Clone, Debug)]
pub struct SlcArea {
    pub(in crate::ssd) policy: SlcPolicy,
    /// Free ones of the fixed area.
    pub(in crate::ssd) free: VecDeque<u32>,
    /// Superblocks in use, of the fixed area and beside it.
    pub(in crate::ssd) used: u32,
    /// Of these, beside the fixed area.
    dynamic_used: u32,
    /// Valid pages.
    pub(in crate::ssd) valid: u64,
}

impl SlcArea {
    /// All of it free.
    pub fn new(policy: SlcPolicy) -> SlcArea {
        SlcArea {
            policy,
            free: (0..policy.fixed).collect(),
            used: 0,
            dynamic_used: 0,
            valid: 0,
        }
    }

    /// Whether a superblock is of the fixed area.
    #[inline]
    pub(in crate::ssd) fn is_fixed(&self, superblock: u32) -> bool {
        superblock < self.policy.fixed
    }

    /// Superblocks that may be opened, where `free` ones hold nothing and `kept` of these are for
    /// other use.
    pub(in crate::ssd) fn openable(&self, free: u32, kept: u32) -> u32 {
        let fixed = self.free.len() as u32;
        if self.policy.dynamic_per_mille == 0 {
            return fixed;
        }
        let most = self.policy.dynamic(free + self.dynamic_used);
        fixed
            + most
                .saturating_sub(self.dynamic_used)
                .min(free.saturating_sub(kept))
    }

    /// Superblocks of which data are left where they are at rest, where `free` ones hold nothing.
    pub(in crate::ssd) fn kept(&self, free: u32) -> u32 {
        self.policy.kept(free + self.dynamic_used)
    }

    pub(in crate::ssd) fn took(&mut self, superblock: u32) {
        self.used += 1;
        self.dynamic_used += u32::from(!self.is_fixed(superblock));
    }

    pub(in crate::ssd) fn gave(&mut self, superblock: u32) {
        self.used -= 1;
        self.dynamic_used -= u32::from(!self.is_fixed(superblock));
    }

    /// How it is used.
    pub fn policy(&self) -> &SlcPolicy {
        &self.policy
    }

    /// Superblocks in use.
    pub fn used(&self) -> u32 {
        self.used
    }

    /// Valid pages.
    pub fn valid(&self) -> u64 {
        self.valid
    }
}

impl Drive {
    /// Closes the SLC superblock that is open, so that it can be folded.
    pub(in crate::ssd) fn close_slc(&mut self, now: Instant) {
        if !self.ftl.pool.wants_folding() {
            return;
        }
        let Some(open) = self.ftl.pool.open(Stream::Slc) else {
            return;
        };
        let unit = self.ftl.layout.unit_pages();
        loop {
            let written = self.ftl.pool.block(open).written;
            let padding = written.next_multiple_of(unit) - written;
            if padding == 0 {
                break;
            }
            // The padding lies in the buffer like data until it is programmed.
            self.write_cache.buffer.take_anyway(u64::from(padding));
            let Some(placed) = self.ftl.place(Stream::Slc, NONE, padding) else {
                break;
            };
            self.account.padding += u64::from(placed.count);
            if let Some(group) = placed.completed {
                self.send(now, group, Stream::Slc, true);
            }
        }
        let pages = self.ftl.pool.pages_of(true);
        let never = (pages - self.ftl.pool.block(open).written) / unit;
        if self.ftl.pool.open(Stream::Slc) == Some(open) {
            self.send_parity_of_rest(now, open);
            self.ftl.pool.close_early(Stream::Slc, never);
        }
    }
}
