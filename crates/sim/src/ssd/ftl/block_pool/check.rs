//! Whether the pool's lists and sums agree with the superblocks themselves: what must hold after every
//! event, which the tests and the audit of a drive ask.

use super::{BlockPool, State, Superblock};

impl BlockPool {
    /// Checks that each superblock is in one place, and that the sums are those of the superblocks.
    ///
    /// # Errors
    /// The first disagreement, in words.
    pub fn check(&self) -> Result<(), String> {
        let of = |state: State| self.blocks.iter().filter(move |block| block.state == state);
        let (listed, free) = (
            self.free.len() + self.slc.free.len(),
            of(State::Free).count(),
        );
        if listed != free {
            return Err(format!(
                "{listed} superblocks are listed as free, {free} are"
            ));
        }
        let mut open: Vec<u32> = self.open.iter().flatten().copied().collect();
        open.dedup();
        if open.len() != of(State::Open).count() {
            return Err(format!("{open:?} are open, and others"));
        }
        for (open, left) in self.open.iter().zip(self.left) {
            let block = open.map(|open| self.block(open));
            let room = block.map_or(0, |block| self.pages_of(block.slc) - block.written);
            if left != room {
                return Err(format!(
                    "{room} pages are left in {open:?}, {left} are counted"
                ));
            }
        }
        let in_use = |block: &&Superblock| {
            block.slc && !block.journal && !matches!(block.state, State::Free | State::Unused)
        };
        let slc: Vec<&Superblock> = self.blocks.iter().filter(in_use).collect();
        let valid: u64 = slc.iter().map(|block| u64::from(block.valid)).sum();
        if (slc.len(), valid) != (self.slc.used as usize, self.slc.valid) {
            return Err(format!(
                "{} superblocks of one bit with {valid} pages, {} and {} are counted",
                slc.len(),
                self.slc.used,
                self.slc.valid
            ));
        }
        let pending: u64 = self
            .blocks
            .iter()
            .map(|block| u64::from(block.pending))
            .sum();
        if pending != self.pending {
            return Err(format!(
                "{pending} groups are to come, {} are counted",
                self.pending
            ));
        }
        Ok(())
    }
}
