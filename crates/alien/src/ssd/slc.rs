//! A log of single-bit cells for hot data.
//!
//! Cells that hold one bit are programmed several times as fast, but need several times the cells. A drive may give them
//! to data that will soon be overwritten: their old versions in the log are then free space when the log comes round, and
//! nothing has to be moved. It tells them by their past: small writes to a place that was written lately are hot. A
//! test that writes anywhere once never sees this cache.

use std::collections::{HashMap, VecDeque};

use base::size::Bytes;

use super::flash::UNIT;
use crate::description::Slc;

/// Bytes of a place whose heat is known.
const REGION: u64 = 64 << 10;

#[derive(Debug)]
pub(super) struct Log {
    slc: Slc,
    /// Of each region: writes since it was cold, and the number of the last one.
    heat: Vec<(u32, u32)>,
    writes: u32,
    /// Units in the order in which they were written here, each with its turn.
    log: VecDeque<(u32, u64)>,
    /// The turn of the newest version of each unit.
    newest: HashMap<u32, u64>,
    turns: u64,
}

impl Log {
    pub(super) fn new(slc: &Slc, capacity: Bytes) -> Log {
        Log {
            slc: *slc,
            heat: vec![(0, 0); capacity.get().div_ceil(REGION) as usize],
            writes: 0,
            log: VecDeque::new(),
            newest: HashMap::new(),
            turns: 0,
        }
    }

    /// Notes a write; whether it is hot.
    pub(super) fn is_hot(&mut self, offset: Bytes, len: Bytes) -> bool {
        self.writes += 1;
        let (count, last) = &mut self.heat[(offset.get() / REGION) as usize];
        if self.writes - *last > self.slc.memory {
            *count = 0;
        }
        *last = self.writes;
        *count += 1;
        len <= self.slc.small && *count > self.slc.hot_after
    }

    /// Units are written to the log; gives those that have to leave it for ordinary cells.
    pub(super) fn put(&mut self, units: &[u32]) -> Vec<u32> {
        for &unit in units {
            self.turns += 1;
            self.log.push_back((unit, self.turns));
            self.newest.insert(unit, self.turns);
        }
        let most = (self.slc.size.get() / UNIT) as usize;
        let mut leave = Vec::new();
        while self.log.len() > most
            && let Some((unit, turn)) = self.log.pop_front()
        {
            // An older version is free space.
            if self.newest.get(&unit) == Some(&turn) {
                self.newest.remove(&unit);
                leave.push(unit);
            }
        }
        leave
    }

    /// A unit is elsewhere, or nowhere.
    pub(super) fn forget(&mut self, unit: u32) {
        self.newest.remove(&unit);
    }
}
