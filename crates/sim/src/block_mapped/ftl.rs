//! Which data block has which log blocks, and what a write makes the controller do.

use std::collections::VecDeque;

use base::time::Duration;

/// The layout: pages here are the controller's own, as wide as its channels together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogBlocks {
    /// Blocks that the host's data fill.
    pub blocks: u32,
    /// Pages of a block; 128 at most.
    pub pages_a_block: u32,
    /// Pages of a log block that out-of-order writes can use.
    pub usable_pages: u32,
    pub logs: u32,
    /// One merge in so long a rest.
    pub idle_merge: Duration,
}

/// What the flash has to do for a write, beside the write's own pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Pages programmed for the host.
    pub programs: u32,
    /// One of them is out of order: no further page is programmed beside it.
    pub loose: bool,
    /// Pages copied by merges that the host waits for.
    pub copies: u32,
    /// Blocks erased.
    pub erases: u32,
    /// Merges that the host waits for.
    pub merges: u32,
}

#[derive(Clone, Copy, Debug)]
struct Log {
    block: u32,
    used: u32,
    /// Page `n` lies at page `n` so far.
    in_order: bool,
}

/// The log blocks in use, oldest first, and what was ever written.
#[derive(Clone, Debug)]
pub struct Ftl {
    layout: LogBlocks,
    logs: VecDeque<Log>,
    /// A bit for each page of a block that holds data.
    written: Vec<u128>,
}

impl Ftl {
    /// An empty drive's.
    pub fn new(layout: LogBlocks) -> Ftl {
        Ftl {
            logs: VecDeque::with_capacity(layout.logs as usize),
            written: vec![0; layout.blocks as usize],
            layout,
        }
    }

    /// Log blocks that are free.
    pub fn free(&self) -> u32 {
        self.layout.logs - self.logs.len() as u32
    }

    /// All data there, in order: the first so many blocks.
    pub fn fill(&mut self, blocks: u32) {
        let all = u128::MAX >> (128 - self.layout.pages_a_block);
        self.written[..blocks as usize].fill(all);
    }

    /// The log blocks as small random writes leave them: each full, for a block of its own.
    pub fn use_up(&mut self, first_blocks: u32) {
        for number in 0..self.layout.logs {
            let spread = u64::from(number) * u64::from(first_blocks) / u64::from(self.layout.logs);
            self.logs.push_back(Log {
                block: spread as u32,
                used: self.layout.usable_pages,
                in_order: false,
            });
        }
    }

    /// Whether the drive holds data at a page.
    pub fn is_written(&self, page: u64) -> bool {
        let (block, within) = self.place(page);
        self.written[block as usize] >> within & 1 == 1
    }

    fn place(&self, page: u64) -> (u32, u32) {
        let pages = u64::from(self.layout.pages_a_block);
        ((page / pages) as u32, (page % pages) as u32)
    }

    /// Pages from one on are written.
    pub fn write(&mut self, page: u64, count: u64) -> Work {
        let mut work = Work::default();
        let (mut page, mut left) = (page, count as u32);
        while left > 0 {
            let (block, within) = self.place(page);
            let here = left.min(self.layout.pages_a_block - within);
            self.write_in_block(block, within, here, &mut work);
            let bits = u128::MAX >> (128 - here) << within;
            self.written[block as usize] |= bits;
            page += u64::from(here);
            left -= here;
        }
        work
    }

    fn write_in_block(&mut self, block: u32, within: u32, count: u32, work: &mut Work) {
        let (mut within, mut left) = (within, count);
        while left > 0 {
            let number = self.log_for(block, within, work);
            let log = &mut self.logs[number];
            let goes_on = log.in_order && log.used == within;
            let end = if goes_on {
                self.layout.pages_a_block
            } else {
                log.in_order = false;
                work.loose = true;
                self.layout.usable_pages
            };
            let taken = left.min(end.saturating_sub(log.used));
            log.used += taken;
            work.programs += taken;
            within += taken;
            left -= taken;
            if log.in_order && log.used == self.layout.pages_a_block {
                // It takes the data block's place: nothing to copy.
                work.erases += self.release(block);
            }
        }
    }

    /// The log block that takes a page: the data block's newest with room, or a fresh one.
    fn log_for(&mut self, block: u32, within: u32, work: &mut Work) -> usize {
        let newest = self.logs.iter().rposition(|log| log.block == block);
        if let Some(number) = newest {
            let log = &self.logs[number];
            let goes_on = log.in_order && log.used == within;
            if goes_on || log.used < self.layout.usable_pages {
                return number;
            }
        }
        if self.free() == 0 {
            work.merges += 1;
            let (copies, erases) = self.merge_oldest();
            work.copies += copies;
            work.erases += erases;
        }
        self.logs.push_back(Log {
            block,
            used: 0,
            in_order: within == 0,
        });
        self.logs.len() - 1
    }

    /// Merges the oldest log block, and others of the same data block, with it; gives the pages
    /// copied and the blocks erased.
    fn merge_oldest(&mut self) -> (u32, u32) {
        let Some(oldest) = self.logs.front().copied() else {
            return (0, 0);
        };
        let held = self.written[oldest.block as usize];
        let alone = self.logs.iter().filter(|l| l.block == oldest.block).count() == 1;
        let copies = if oldest.in_order && alone {
            // What it has is in place: only the rest is copied behind it.
            held.checked_shr(oldest.used).unwrap_or(0).count_ones()
        } else {
            held.count_ones()
        };
        (copies, self.release(oldest.block))
    }

    /// Gives back a data block's log blocks; gives the blocks to be erased.
    fn release(&mut self, block: u32) -> u32 {
        let before = self.logs.len();
        self.logs.retain(|log| log.block != block);
        (before - self.logs.len()) as u32
    }

    /// The host was silent for so long: as many merges as that allows.
    pub fn rest(&mut self, time: Duration) {
        let merge = self.layout.idle_merge.as_nanos().max(1);
        for _ in 0..time.as_nanos() / merge {
            if self.logs.is_empty() {
                return;
            }
            self.merge_oldest();
        }
    }
}
