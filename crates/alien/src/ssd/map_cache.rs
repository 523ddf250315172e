//! The cache of the map: which lines of it are in memory.
//!
//! The map of a drive has four bytes for each 4 KiB, a thousandth of the capacity. A controller with less memory keeps
//! the rest in flash, and a read whose entry is missing needs another read first. A line that covers many units serves
//! neighbours; how a full cache chooses what to drop decides how sharply misses begin where the cache ends: with a random
//! choice a loop over slightly too much still hits mostly, in order of arrival it never does.
//!
//! A compressed map says of a region that was written in order only where it begins: it then has no entries of its own,
//! and the drive's map is small until it is written at random.

use std::collections::{BTreeMap, HashMap};

use base::rng::Rng;

use super::flash::UNIT;
use crate::description::{MapCache, Replacement};

/// Bytes of an entry, and of a compressed region's.
const ENTRY: u64 = 4;
const REGION_ENTRY: u64 = 16;
/// Marks the lines of regions.
const OF_REGIONS: u64 = 1 << 63;

#[derive(Debug)]
pub(super) struct Map {
    lines: Lines,
    units_a_line: u64,
    regions_a_line: u64,
    units_a_region: u64,
    /// Of each region how many units were written in order from its beginning.
    in_order: Vec<u32>,
}

impl Map {
    pub(super) fn new(cache: &MapCache, units: u64, rng: Rng) -> Map {
        let region = cache.compressed_region.map_or(0, |region| region.get());
        let units_a_region = region / UNIT;
        let regions = units.checked_div(units_a_region).unwrap_or(0);
        let line = cache.line.get().max(REGION_ENTRY);
        let lines = (cache.size.get() / line).max(2) as usize;
        Map {
            lines: Lines::new(lines, cache.replacement, rng),
            units_a_line: line / ENTRY,
            regions_a_line: line / REGION_ENTRY,
            units_a_region,
            in_order: vec![0; regions as usize],
        }
    }

    /// The line with a unit's entry.
    pub(super) fn line(&self, unit: u32) -> u64 {
        let unit = u64::from(unit);
        let region = unit.checked_div(self.units_a_region).unwrap_or(u64::MAX);
        match self.in_order.get(region as usize) {
            Some(written) if u64::from(*written) == self.units_a_region => {
                OF_REGIONS | (region / self.regions_a_line)
            }
            _ => unit / self.units_a_line,
        }
    }

    /// Uses a line; true if it was there.
    pub(super) fn touch(&mut self, line: u64) -> bool {
        self.lines.touch(line)
    }

    /// A unit is written.
    pub(super) fn written(&mut self, unit: u32) {
        let unit = u64::from(unit);
        let region = unit.checked_div(self.units_a_region).unwrap_or(u64::MAX);
        if let Some(written) = self.in_order.get_mut(region as usize) {
            let at = unit % self.units_a_region;
            *written = match at {
                0 => 1,
                at if at == u64::from(*written) => *written + 1,
                _ => 0,
            };
        }
    }
}

/// Lines in memory.
#[derive(Debug)]
struct Lines {
    most: usize,
    replacement: Replacement,
    rng: Rng,
    slots: Vec<Slot>,
    slot_of: HashMap<u64, usize>,
    uses: u64,
    /// The slot whose line came first.
    hand: usize,
    /// Slots by their last use: those on probation, and the protected ones.
    probation: BTreeMap<u64, usize>,
    protected: BTreeMap<u64, usize>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    line: u64,
    used: u64,
}

impl Lines {
    fn new(most: usize, replacement: Replacement, rng: Rng) -> Lines {
        Lines {
            most,
            replacement,
            rng,
            slots: Vec::new(),
            slot_of: HashMap::new(),
            uses: 0,
            hand: 0,
            probation: BTreeMap::new(),
            protected: BTreeMap::new(),
        }
    }

    fn touch(&mut self, line: u64) -> bool {
        self.uses += 1;
        let used = self.uses;
        if let Some(&slot) = self.slot_of.get(&line) {
            if self.replacement == Replacement::Segmented {
                self.protect(slot);
            }
            self.slots[slot].used = used;
            return true;
        }
        let slot = if self.slots.len() < self.most {
            self.slots.push(Slot { line, used });
            self.slots.len() - 1
        } else {
            let slot = self.victim();
            self.slot_of.remove(&self.slots[slot].line);
            self.slots[slot] = Slot { line, used };
            slot
        };
        self.slot_of.insert(line, slot);
        if self.replacement == Replacement::Segmented {
            self.probation.insert(used, slot);
        }
        false
    }

    /// The slot whose line goes.
    fn victim(&mut self) -> usize {
        let most = self.most as u64;
        match self.replacement {
            Replacement::Random => self.rng.below(most) as usize,
            Replacement::TwoRandom => {
                let two = [(); 2].map(|()| self.rng.below(most) as usize);
                let [one, other] = two;
                if self.slots[one].used < self.slots[other].used {
                    one
                } else {
                    other
                }
            }
            Replacement::Fifo => {
                let slot = self.hand;
                self.hand = (slot + 1) % self.most;
                slot
            }
            Replacement::Segmented => {
                let oldest = self.probation.pop_first();
                let (_, slot) = oldest
                    .or_else(|| self.protected.pop_first())
                    .expect("a full cache has lines");
                slot
            }
        }
    }

    /// A line was used again.
    fn protect(&mut self, slot: usize) {
        let before = self.slots[slot].used;
        self.probation.remove(&before);
        self.protected.remove(&before);
        self.protected.insert(self.uses, slot);
        if self.protected.len() * 5 > self.most * 4
            && let Some((used, oldest)) = self.protected.pop_first()
        {
            self.probation.insert(used, oldest);
        }
    }
}
