//! The table `[block_mapped]` of a drive's file, and the drive that it makes.

use base::size::{Bytes, PicosPerByte};
use base::time::Duration;
use serde::Deserialize;

use super::drive::{BlockMapped, BlockMappedParameters};
use super::ftl::LogBlocks;
use crate::interface::{Interface, Slot};
use crate::one_at_a_time::OneAtATime;
use crate::sheet::{Section, Sourced};
use crate::ssd::parameters::DriveError;
use crate::state::{State, Written};

/// A block-mapped drive as its file describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockMappedConfig {
    halves: Sourced<u32>,
    stripe_kib: Sourced<u32>,
    queue: Sourced<u32>,
    command_us: Sourced<f64>,
    page_kib: Sourced<u32>,
    pages_a_block: Sourced<u32>,
    read_us: Sourced<f64>,
    read_mb_s: Sourced<f64>,
    program_us: Sourced<f64>,
    write_mb_s: Sourced<f64>,
    copy_us: Sourced<f64>,
    erase_us: Sourced<f64>,
    log_blocks: Sourced<u32>,
    usable_pages: Sourced<u32>,
    idle_merge_ms: Sourced<f64>,
}

/// A hundred times what such drives have; 16 bytes are kept for each.
const MOST_BLOCKS: u32 = 1 << 22;

impl BlockMappedConfig {
    /// The values with units and ranges.
    pub fn sections(&self) -> Vec<Section> {
        let us = 0.0..=1_000_000.0;
        vec![Section::new(
            "block_mapped",
            vec![
                self.halves.row("halves", "controllers", 1..=8),
                self.stripe_kib.row("stripe_kib", "KiB", 1..=4_096),
                self.queue.row("queue", "commands", 1..=32),
                self.command_us.row("command_us", "us", us.clone()),
                self.page_kib.row("page_kib", "KiB", 1..=256),
                self.pages_a_block.row("pages_a_block", "", 2..=128),
                self.read_us.row("read_us", "us", us.clone()),
                self.read_mb_s.row("read_mb_s", "MB/s", 1.0..=1_000.0),
                self.program_us.row("program_us", "us", us.clone()),
                self.write_mb_s.row("write_mb_s", "MB/s", 1.0..=1_000.0),
                self.copy_us.row("copy_us", "us a page", us.clone()),
                self.erase_us.row("erase_us", "us", us),
                self.log_blocks.row("log_blocks", "", 1..=10_000),
                self.usable_pages
                    .row("usable_pages", "a log block", 1..=128),
                self.idle_merge_ms
                    .row("idle_merge_ms", "ms", 0.001..=1_000_000.0),
            ],
        )]
    }

    fn parameters(&self, capacity: Bytes, own: Interface, slot: &Slot) -> BlockMappedParameters {
        let us = |value: &Sourced<f64>| Duration::from_secs_f64(value.get() / 1e6);
        let rate = |value: &Sourced<f64>| PicosPerByte::from_mb_s(value.get());
        let kib = |value: &Sourced<u32>| u64::from(value.get()) << 10;
        let halves = self.halves.get();
        let block = kib(&self.page_kib) * u64::from(self.pages_a_block.get());
        // A stripe more, for the last round of stripes.
        let part = capacity.get().div_ceil(u64::from(halves)) + kib(&self.stripe_kib);
        BlockMappedParameters {
            capacity,
            queue: slot.queue(self.queue.get()),
            link: slot.narrows(own.link()),
            halves,
            stripe: kib(&self.stripe_kib),
            command: us(&self.command_us),
            page: kib(&self.page_kib),
            read: us(&self.read_us),
            read_rate: rate(&self.read_mb_s),
            program: us(&self.program_us),
            write_rate: rate(&self.write_mb_s),
            copy: us(&self.copy_us),
            erase: us(&self.erase_us),
            layout: LogBlocks {
                blocks: u32::try_from(part.div_ceil(block)).unwrap_or(u32::MAX),
                pages_a_block: self.pages_a_block.get(),
                usable_pages: self.usable_pages.get().min(self.pages_a_block.get()),
                logs: self.log_blocks.get(),
                idle_merge: Duration::from_secs_f64(self.idle_merge_ms.get() / 1e3),
            },
        }
    }

    /// The drive in a slot, in a state.
    ///
    /// # Errors
    /// A state of which this kind of drive knows nothing.
    pub fn build(
        &self,
        capacity: Bytes,
        own: Interface,
        slot: &Slot,
        state: &State,
    ) -> Result<OneAtATime<BlockMapped>, DriveError> {
        let p = self.parameters(capacity, own, slot);
        if p.layout.blocks > MOST_BLOCKS {
            return Err(DriveError::Unbuildable(format!(
                "{capacity} in more than {MOST_BLOCKS} blocks a controller; larger pages or more of them in a block"
            )));
        }
        let mut drive = BlockMapped::new(p);
        BlockMapped::into_state(&mut drive, p.layout.blocks, state)?;
        Ok(OneAtATime::new(drive))
    }
}

impl BlockMapped {
    /// Gives a new drive its past: data in order, or log blocks that are used up. It honours no TRIM,
    /// so a trimmed drive is a full one; a rest merges what was not merged.
    ///
    /// # Errors
    /// A state of which this kind of drive knows nothing.
    pub fn into_state(&mut self, blocks: u32, state: &State) -> Result<(), DriveError> {
        let unknown = State {
            trimmed: false,
            idle: None,
            ..*state
        }
        .suffixes();
        if !unknown.is_empty() {
            return Err(DriveError::StateNotModelled(unknown.join(",")));
        }
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
