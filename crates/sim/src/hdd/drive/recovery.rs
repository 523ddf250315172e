//! Error recovery: how long a disk retries an unreadable sector, and what it reports then.
//!
//! A sector that the code does not correct is read again turn after turn, with the head a little off the
//! middle of its track, other amplification, other thresholds. A desktop disk goes on for tens of seconds,
//! since nobody else has the data. In an array somebody has, and a controller that hears nothing for so
//! long takes the whole disk for dead: disks made for it therefore give up after a few seconds and say
//! which sector it was (*error recovery control*, ERC, of the ATA command set's SCT; "TLER" and "CCTL" are
//! makers' names of it; 7 s are usual). Linux gives a command 30 s.
//!
//! A disk's file says how long it tries. A disk as it is sold has no such sectors; `unreadable` draws as
//! many by the seed. A read of one takes the seek and whole revolutions up to the limit, while the arm serves
//! no other access, and ends with an error. A write of the whole sector replaces it by a spare, which can be
//! read. Reading ahead passes over such a sector without a retry.

use std::collections::BTreeSet;

use base::rng::Rng;

use super::{EIO, Hdd, Stage, Work};
use crate::hdd::quantity::NanosOfSeconds;
use crate::hdd::queue::Waiting;
use crate::sheet::quantity::Count;
use crate::sheet::table::parameters;
use base::target::Outcome;

parameters! {
    /// What a disk does where it cannot read.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub Recovery from RecoveryConfig ["recovery"] {
        /// Nanoseconds that it tries.
        limit_ns "limit_s": NanosOfSeconds in 0.0..=600.0;
        /// Sectors as they lie on the medium that cannot be read.
        unreadable "unreadable": Count("sectors") in 0..=100_000, or 0;
    }
}

/// The sectors that cannot be read.
#[derive(Clone, Debug, Default)]
pub(in crate::hdd) struct Unreadable {
    /// First block of each.
    sectors: BTreeSet<u64>,
    /// Blocks of one.
    physical: u64,
    limit_ns: u64,
}

impl Unreadable {
    /// Drawn over all blocks of a disk.
    pub(super) fn new(recovery: Option<Recovery>, blocks: u64, physical: u64, seed: u64) -> Self {
        let Some(recovery) = recovery else {
            return Unreadable::default();
        };
        let physical = physical.max(1);
        let all = blocks / physical;
        let wanted = u64::from(recovery.unreadable).min(all) as usize;
        let mut rng = Rng::stream(seed, 0x0062_6164);
        let mut sectors = BTreeSet::new();
        while sectors.len() < wanted {
            sectors.insert(rng.below(all) * physical);
        }
        Unreadable {
            sectors,
            physical,
            limit_ns: recovery.limit_ns,
        }
    }

    /// The end of the first one that a range of blocks touches.
    #[inline]
    fn first_end(&self, start: u64, end: u64) -> Option<u64> {
        if self.sectors.is_empty() {
            return None;
        }
        let from = (start + 1).saturating_sub(self.physical);
        let first = self.sectors.range(from..end).next()?;
        Some(first + self.physical)
    }

    /// Whether a range of blocks touches one.
    #[inline]
    pub(super) fn touches(&self, start: u64, end: u64) -> bool {
        self.first_end(start, end).is_some()
    }

    /// The host writes blocks: a sector that is written whole is replaced.
    #[inline]
    pub(super) fn written(&mut self, start: u64, end: u64) {
        if self.sectors.is_empty() {
            return;
        }
        let whole = start..(end + 1).saturating_sub(self.physical).max(start);
        let replaced: Vec<u64> = self.sectors.range(whole).copied().collect();
        for sector in replaced {
            self.sectors.remove(&sector);
        }
    }
}

impl Hdd {
    /// The arm goes to an access that touches a sector that cannot be read, and tries until its limit. False
    /// where there is none.
    pub(super) fn begin_recovery(&mut self, waiting: &Waiting, now: u64) -> bool {
        let Some(end) = self.unreadable.first_end(waiting.start, waiting.end) else {
            return false;
        };
        let free = self.leave(now);
        let m = &self.p.mechanics;
        let pba = m.geometry.pba_of(waiting.start);
        let (pass, _) = self.pass.go(m, free, pba, &waiting.place, false);
        self.pass = pass;
        let pba_end = self.pba_end(end.min(waiting.end));
        let m = &self.p.mechanics;
        self.pass.advance(m, &mut self.rare, pba_end);
        let turns = self.unreadable.limit_ns / m.spindle.revolutions(1).max(1);
        self.pass.hold(m, turns);
        self.work = Work::Rest;
        self.busy = self.pass.at;
        self.last_host_work = self.busy;
        self.set(waiting.tag, Stage::End(Outcome::Failed(EIO)), self.busy);
        true
    }

    /// Sectors that the drive has found that it cannot read, or would.
    #[cfg(test)]
    pub fn unreadable_sectors(&self) -> impl Iterator<Item = u64> + '_ {
        self.unreadable.sectors.iter().copied()
    }
}
