//! A media cache: a band of the platter that takes small writes in order.
//!
//! A random write costs a seek and half a turn; written one behind the other in a band, wherever they belong, they need
//! neither, and are safe. A table in memory says where each 4 KiB is until a rest, when they are read back and written
//! home in the order of their addresses. When the band is full, random writes are as slow as on any disk. It is known
//! from shingled disks, which cannot do without, but conventional ones have it, too.

use std::collections::BTreeMap;

use crate::description::MediaCache;

/// Bytes of what the table tells apart.
pub(super) const BLOCK: u64 = 4_096;
/// Blocks that are read back and written home at a time.
const BATCH: usize = 8;

#[derive(Debug)]
pub(super) struct Band {
    pub(super) d: MediaCache,
    /// Where the next write goes.
    next: u64,
    /// The place in the band of each block that is there.
    places: BTreeMap<u64, u64>,
}

impl Band {
    pub(super) fn new(d: MediaCache) -> Band {
        Band {
            d,
            next: 0,
            places: BTreeMap::new(),
        }
    }

    pub(super) fn next(&self) -> u64 {
        self.next
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether a write of a range belongs here, and finds room.
    pub(super) fn takes(&self, from: u64, to: u64, skip: u64) -> bool {
        let whole = from.is_multiple_of(BLOCK) && to.is_multiple_of(BLOCK);
        whole
            && to - from <= self.d.small.get()
            && self.next + skip + (to - from) <= self.d.size.get()
    }

    /// The head passes so many bytes without writing.
    pub(super) fn skip(&mut self, bytes: u64) {
        self.next += bytes;
    }

    /// A range is written at the next place.
    pub(super) fn put(&mut self, from: u64, to: u64) {
        for block in from / BLOCK..to / BLOCK {
            self.places.insert(block, self.next);
            self.next += BLOCK;
        }
    }

    /// Where a block is, if it is here.
    pub(super) fn place(&self, block: u64) -> Option<u64> {
        self.places.get(&block).copied()
    }

    /// A range was written at home.
    pub(super) fn forget(&mut self, from: u64, to: u64) {
        let blocks = from / BLOCK..to.div_ceil(BLOCK);
        let gone: Vec<u64> = self.places.range(blocks).map(|(block, _)| *block).collect();
        for block in gone {
            self.places.remove(&block);
        }
        self.start_over();
    }

    /// The next blocks to go home, in the order of their addresses, with their places here.
    pub(super) fn leaving(&mut self) -> Vec<(u64, u64)> {
        let mut leaving = Vec::new();
        while leaving.len() < BATCH
            && let Some(block) = self.places.pop_first()
        {
            leaving.push(block);
        }
        self.start_over();
        leaving
    }

    fn start_over(&mut self) {
        if self.places.is_empty() {
            self.next = 0;
        }
    }
}
