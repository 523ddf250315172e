//! Read disturb: what is read very often is moved before it can no longer be read.
//!
//! Each reading puts a small voltage on all other word lines of a block, and after very many of them the
//! cells there hold charge that nobody wrote. Firmware counts the reads of a block since it was programmed,
//! and at a limit programs its data anew elsewhere (*reclaim*), beside the host's reads: seen from outside,
//! a drive of which a small part is read over and over writes now and then, and has a tail. Limits of 50,000
//! and 100,000 reads a block stand in open firmware and simulators (MQSim-JW,
//! docs/features/read-reclaim.md of jwjeong92/MQSim-JW; QNX's flash file system counts to 100,000, too).
//! So long before it is lost a page hardly errs more: by the formula of
//! [`read_retry`](super::read_retry)'s source, `3.73e-9 PE^0.33 r^1.71` for `r` reads a page, the 130 reads of
//! a page that 100,000 of a block of 768 make add one per cent to the errors of new cells. That is left out.
//!
//! Reads are counted for each superblock, and the limit is that of the mean of its blocks: firmware that
//! counts block by block moves one earlier that is read alone. The data go where cold data go
//! ([`cold_data`](crate::ssd::ftl)), a unit for so many reads of the host's; at rest it goes on at once.

use base::time::Instant;

use crate::sheet::quantity::{Count, Number};
use crate::sheet::table::parameters;
use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::Geometry;

parameters! {
    /// When reads make a superblock's data move, and how fast.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub Disturbing from ReadDisturbConfig ["scatter.read_disturb"] {
        /// Reads since it was programmed after which a block's data are moved.
        reads "reads_a_block": Count("reads") in 100..=10_000_000;
        /// Units that are moved for each read of the host's, at most.
        share "units_a_read": Number("units") in 0.0001..=1.0;
    }
}

/// Reads of a superblock since it was opened in a turn.
#[derive(Clone, Copy, Debug, Default)]
struct Read {
    turn: u32,
    reads: u64,
}

/// What was read how often.
#[derive(Clone, Debug)]
pub(in crate::ssd) struct ReadDisturb {
    rules: Disturbing,
    /// Reads of a superblock that make its data move.
    most: u64,
    superblocks: Vec<Read>,
    /// Those that have come to it and are not named yet.
    due: Vec<u32>,
    /// Units that may be moved.
    units: f64,
}

impl ReadDisturb {
    /// Nothing read yet.
    pub(in crate::ssd) fn new(rules: Disturbing, geometry: &Geometry) -> ReadDisturb {
        ReadDisturb {
            rules,
            most: u64::from(rules.reads) * u64::from(geometry.data_dies()),
            superblocks: vec![Read::default(); geometry.superblocks as usize],
            due: Vec::new(),
            units: 0.0,
        }
    }

    /// A unit of a superblock that was opened in a turn is read.
    #[inline]
    pub(in crate::ssd) fn read(&mut self, superblock: u32, turn: u32) {
        let Some(read) = self.superblocks.get_mut(superblock as usize) else {
            return;
        };
        if read.turn != turn {
            *read = Read { turn, reads: 0 };
        }
        read.reads += 1;
        // Where it could not be moved, it is named again when as many have come once more.
        if read.reads.is_multiple_of(self.most) {
            self.due.push(superblock);
        }
    }

    /// A read of the host's has come: gives the units that may be moved for it.
    fn host_reads(&mut self) -> u32 {
        self.units += self.rules.share;
        let units = self.units as u32;
        self.units -= f64::from(units);
        units
    }
}

impl Drive {
    /// A read of the host's comes to the controller: what was read too often is moved a little further.
    #[inline]
    pub(in crate::ssd) fn reclaim(&mut self, now: Instant) {
        if self.flash.read_disturb.is_some() {
            self.reclaim_further(now);
        }
    }

    fn reclaim_further(&mut self, now: Instant) {
        let Some(disturb) = &mut self.flash.read_disturb else {
            return;
        };
        let units = disturb.host_reads();
        for superblock in disturb.due.drain(..) {
            self.ftl.relocator.cold_data.name(superblock);
            self.front.idle_work = true;
        }
        if units > 0 && self.has_cold_data_to_move() {
            self.ftl.relocator.cold_data.give_turns(units);
            self.pump(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GEOMETRY: Geometry = Geometry {
        channels: 2,
        dies: 4,
        planes: 2,
        page_bytes: 16_384,
        rows: 12,
        superblocks: 3,
        bits: 3,
        stripe: 0,
    };
    const RULES: Disturbing = Disturbing {
        reads: 100,
        share: 0.25,
    };

    #[test]
    fn a_superblock_is_due_each_time_that_its_blocks_were_read_as_often_as_the_limit_says() {
        let mut disturb = ReadDisturb::new(RULES, &GEOMETRY);
        for _ in 0..399 {
            disturb.read(1, 7);
            disturb.read(2, 7);
        }
        assert!(disturb.due.is_empty());
        disturb.read(1, 7);
        assert_eq!(disturb.due, [1]);
        for _ in 0..400 {
            disturb.read(1, 7);
        }
        assert_eq!(disturb.due, [1, 1]);
    }

    #[test]
    fn what_is_programmed_anew_is_counted_anew() {
        let mut disturb = ReadDisturb::new(RULES, &GEOMETRY);
        for turn in 0..10 {
            for _ in 0..399 {
                disturb.read(0, turn);
            }
        }
        assert!(disturb.due.is_empty());
    }

    #[test]
    fn so_many_reads_of_the_hosts_let_a_unit_move() {
        let mut disturb = ReadDisturb::new(RULES, &GEOMETRY);
        let units: u32 = (0..1_000).map(|_| disturb.host_reads()).sum();
        assert_eq!(units, 250);
    }
}
