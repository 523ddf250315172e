//! Cold data: superblocks that nobody overwrites are moved all the same, by a stream of their own.
//!
//! Collection takes what has few valid pages, and so never touches a superblock whose data nobody
//! overwrites. *Refresh* does ([`crate::ssd::flash::retention`]), since data that nobody touches fade. It names
//! a superblock, which is emptied here, unit by unit, while the drive is at rest.
//!
//! What is moved goes to superblocks that hold nothing else. Written beside what collection moves, cold
//! data would lie between hot ones, and be moved again each time that these are overwritten. The stream opens
//! the free superblock that was erased most often, since it will rest there.
//!
//! A unit is read only when the place that it will go to is there, and a superblock is opened for cold data
//! only where that leaves all reserves alone: however long it waits, collection and what was promised to the
//! host find their superblocks.

use base::time::Instant;

use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::NONE;
use crate::ssd::ftl::block_pool::{State, Stream};
use crate::ssd::ftl::gc::Purpose;

/// Superblocks that were named and wait to be emptied.
#[derive(Clone, Debug, Default)]
pub(in crate::ssd) struct ColdData {
    named: Vec<u32>,
}

impl ColdData {
    /// A superblock's data are to be moved.
    pub(in crate::ssd) fn name(&mut self, superblock: u32) {
        if !self.named.contains(&superblock) {
            self.named.push(superblock);
        }
    }

    /// Whether any superblock waits.
    #[inline]
    pub(in crate::ssd) fn waits(&self) -> bool {
        !self.named.is_empty()
    }

    /// The power has failed: firmware finds again what it had named.
    pub(super) fn power_cut(&mut self) {
        *self = ColdData::default();
    }
}

impl Drive {
    /// Whether cold data are to be moved or wait for it.
    #[inline]
    pub(in crate::ssd) fn has_cold_data_to_move(&self) -> bool {
        self.ftl.relocator.cold.is_some() || self.ftl.relocator.cold_data.waits()
    }

    /// Moves a unit of cold data at rest, or begins with a superblock; false where there is nothing to do.
    pub(super) fn moves_cold_data(&mut self, now: Instant, idle: bool) -> bool {
        if !idle || !self.has_cold_data_to_move() {
            return false;
        }
        if self.ftl.relocator.cold.is_none() && !self.begin_cold_victim() {
            return false;
        }
        if !self.has_room_for_cold_unit(now) {
            return false;
        }
        self.read_or_end(now, Purpose::Cold)
    }

    fn begin_cold_victim(&mut self) -> bool {
        if self.ftl.pool.is_read_only() {
            return false;
        }
        while let Some(superblock) = self.ftl.relocator.cold_data.named.pop() {
            let block = self.ftl.pool.block(superblock);
            if block.state == State::Closed && block.pending == 0 && block.valid > 0 && !block.slc {
                let victim = self.begin_victim(superblock, Purpose::Cold);
                self.ftl.pool.moves_cold(superblock);
                self.ftl.relocator.cold = Some(victim);
                return true;
            }
        }
        false
    }

    /// Makes sure that there is a place for one more unit beside those that are being read.
    fn has_room_for_cold_unit(&mut self, now: Instant) -> bool {
        let unit = self.ftl.layout.geometry().unit_pages();
        let reading = self.ftl.relocator.cold.map_or(0, |victim| victim.reading);
        let left = self.ftl.pool.left(Stream::Cold);
        if left >= (reading + 1) * unit {
            return true;
        }
        if reading > 0 {
            return false;
        }
        if left > 0 {
            self.fill_up_cold(now, left);
        }
        self.ftl.open_for_cold_data()
    }

    /// Fills up the end of the open superblock, less than a unit, with nothing.
    fn fill_up_cold(&mut self, now: Instant, left: u32) {
        let Some(placed) = self.ftl.place(Stream::Cold, NONE, left) else {
            return;
        };
        self.account.padding += u64::from(placed.count);
        self.ftl.relocator.unprogrammed += u64::from(placed.count);
        if let Some(group) = placed.completed {
            self.send(now, group, Stream::Cold, false);
        }
    }
}
