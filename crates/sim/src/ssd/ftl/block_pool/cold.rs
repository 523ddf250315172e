//! Room for data that nobody overwrites: which superblock they go to, and when there is one to spare.

use super::BlockPool;

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
}
