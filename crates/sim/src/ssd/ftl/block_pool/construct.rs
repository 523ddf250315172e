//! A pool with a past that was not written: superblocks that are full, worn or dirty from the start.

use super::{BlockPool, State};

impl BlockPool {
    /// Takes a free superblock as if it had been written long ago, with so many valid pages; for a
    /// constructed state. `None` if there is none.
    pub fn construct(&mut self, slc: bool, written: u32, valid: u32) -> Option<u32> {
        let superblock = if slc {
            let superblock = self
                .slc
                .free
                .pop_front()
                .or_else(|| self.free.pop_front())?;
            self.slc.took(superblock);
            self.slc.valid += u64::from(valid);
            superblock
        } else {
            self.free.pop_front()?
        };
        let block = &mut self.blocks[superblock as usize];
        block.state = State::Closed;
        block.slc = slc;
        block.written = written;
        block.valid = valid;
        Some(superblock)
    }

    /// So many ten-thousandths of the drive's life are over, as if it had been worn evenly;
    /// superblocks that stand less are out of service. For a constructed state, before anything is
    /// written.
    pub fn start_worn(&mut self, per_ten_thousand: u32) {
        let Some(wear) = &mut self.wear else {
            return;
        };
        wear.start_worn(self.slc.policy.fixed, per_ten_thousand);
        let all = self.slc.free.drain(..).chain(self.free.drain(..));
        for superblock in all.collect::<Vec<_>>() {
            self.blocks[superblock as usize].dirty |= per_ten_thousand > 0;
            self.list_free(superblock);
        }
    }

    /// Marks every free superblock as written before: the next opening erases it.
    pub fn all_dirty(&mut self) {
        for block in &mut self.blocks {
            block.dirty = true;
        }
    }
}
