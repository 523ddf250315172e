//! The drive that the table `[block_mapped]` of a file makes, in a slot and in a state.

use base::size::Bytes;

use super::drive::{BlockMapped, BlockMappedFlash, BlockMappedParameters};
use super::ftl::LogBlocks;
use crate::interface::{Interface, Slot};
use crate::one_at_a_time::OneAtATime;
use crate::ssd::parameters::DriveError;
use base::state::{State, Written};

/// A hundred times what such drives have; 16 bytes are kept for each.
const MOST_BLOCKS: u32 = 1 << 22;

impl BlockMappedFlash {
    fn in_slot(&self, capacity: Bytes, own: Interface, slot: &Slot) -> BlockMappedParameters {
        let block = self.page * u64::from(self.pages_a_block);
        // A stripe more, for the last round of stripes.
        let part = capacity.get().div_ceil(u64::from(self.halves)) + self.stripe;
        BlockMappedParameters {
            capacity,
            queue: slot.queue(self.queue),
            link: slot.narrows(own.link()),
            flash: *self,
            layout: LogBlocks {
                blocks: u32::try_from(part.div_ceil(block)).unwrap_or(u32::MAX),
                pages_a_block: self.pages_a_block,
                usable_pages: self.usable_pages.min(self.pages_a_block),
                logs: self.log_blocks,
                idle_merge: self.idle_merge,
            },
        }
    }

    /// The plain numbers of the drive in a slot, checked.
    ///
    /// # Errors
    /// More blocks than are kept track of; a state that this kind of drive has no mechanism for.
    pub fn checked(
        &self,
        capacity: Bytes,
        own: Interface,
        slot: &Slot,
        state: &State,
    ) -> Result<BlockMappedParameters, DriveError> {
        let p = self.in_slot(capacity, own, slot);
        if p.layout.blocks > MOST_BLOCKS {
            return Err(DriveError::Unbuildable(format!(
                "{capacity} in more than {MOST_BLOCKS} blocks a controller; larger pages or more of them in a block"
            )));
        }
        BlockMapped::check_state(state)?;
        Ok(p)
    }

    /// The drive in a slot, in a state.
    ///
    /// # Errors
    /// As [`BlockMappedFlash::checked`].
    pub fn build(
        &self,
        capacity: Bytes,
        own: Interface,
        slot: &Slot,
        state: &State,
    ) -> Result<OneAtATime<BlockMapped>, DriveError> {
        let p = self.checked(capacity, own, slot, state)?;
        let mut drive = BlockMapped::new(p);
        drive.into_state(p.layout.blocks, state)?;
        Ok(OneAtATime::new(drive))
    }
}

impl BlockMapped {
    fn check_state(state: &State) -> Result<(), DriveError> {
        let unknown = State {
            trimmed: false,
            idle: None,
            written: Written::Fresh,
            ..*state
        }
        .suffixes();
        if unknown.is_empty() {
            return Ok(());
        }
        Err(DriveError::StateNotModelled(unknown.join(",")))
    }

    /// Gives a new drive its past: data in order, or log blocks that are used up. It honours no TRIM,
    /// so a trimmed drive is a full one; a rest merges what was not merged.
    ///
    /// # Errors
    /// A state that this kind of drive does not have.
    pub fn into_state(&mut self, blocks: u32, state: &State) -> Result<(), DriveError> {
        BlockMapped::check_state(state)?;
        let share = |percent: u8| (u64::from(blocks) * u64::from(percent) / 100) as u32;
        match state.written {
            Written::Fresh => {}
            Written::InOrder(percent) => self.prepare(|ftl| ftl.fill(share(percent))),
            Written::SteadyRandom(percent) => self.prepare(|ftl| {
                ftl.fill(share(percent));
                ftl.use_up(share(percent).max(1));
            }),
        }
        if let Some(idle) = state.idle {
            self.prepare(|ftl| ftl.rest(idle));
        }
        Ok(())
    }
}
