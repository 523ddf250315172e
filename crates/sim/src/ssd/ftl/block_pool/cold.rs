//! Room for data that nobody overwrites: which superblock they go to, and when there is one to spare.

use super::{BlockPool, State};

impl BlockPool {
    /// Whether a superblock may be opened for cold data: all reserves are left alone.
    pub(in crate::ssd) fn may_open_for_cold_data(&self) -> bool {
        self.free() > self.reserves.for_moves
    }

    /// The superblock that has begun to be emptied holds cold data.
    pub(in crate::ssd) fn moves_cold(&mut self, superblock: u32) {
        self.cold = Some(superblock);
    }

    /// Whether a superblock that is being emptied holds cold data.
    pub(super) fn is_cold(&self, superblock: u32) -> bool {
        self.cold == Some(superblock)
    }

    /// Takes the free superblock that was erased most often, where one is to spare.
    pub(super) fn take_most_worn(&mut self) -> Option<u32> {
        if !self.may_open_for_cold_data() {
            return None;
        }
        let Some(wear) = &self.wear else {
            return self.free.pop_front();
        };
        // Of equals the one that was freed first.
        let most = (0..self.free.len())
            .rev()
            .max_by_key(|&i| wear.erases(self.free[i]))?;
        self.free.remove(most)
    }

    /// The least erased superblock of all bits a cell whose data lie still, and by how many erases the most
    /// erased one in service is ahead of it. Data lie still where as many superblocks as there are have been
    /// opened since theirs: a young superblock that is in use is worn by that, and moving what the host is
    /// about to overwrite would only wear the others.
    pub(in crate::ssd) fn youngest(&self) -> Option<(u32, u32)> {
        let wear = self.wear.as_ref()?;
        let of_all_bits = |superblock: &u32| {
            !self.slc.is_fixed(*superblock) && self.block(*superblock).state != State::Unused
        };
        let all = || (0..self.blocks.len() as u32).filter(of_all_bits);
        let oldest = all().map(|superblock| wear.erases(superblock)).max()?;
        let closed = all().filter(|superblock| {
            let block = self.block(*superblock);
            let still = self.opened.wrapping_sub(block.turn) as usize >= self.blocks.len();
            still
                && block.state == State::Closed
                && block.pending == 0
                && block.valid > 0
                && !block.slc
        });
        let youngest = closed.min_by_key(|superblock| wear.erases(*superblock))?;
        Some((youngest, oldest - wear.erases(youngest)))
    }
}
