//! Parts of units that wait in DRAM for the rest, oldest first.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::ssd::front::volatile::Sectors;

/// Parts of units, by sector.
#[derive(Debug)]
pub(super) struct WriteCoalescing {
    held: BTreeMap<u32, Held>,
    /// Units, the longest waiting first.
    order: BTreeMap<u64, u32>,
    /// Units that have all their sectors.
    whole: Vec<u32>,
    sectors: u64,
    most: u64,
    words: usize,
    next: u64,
}

#[derive(Debug)]
struct Held {
    /// A bit for each sector that has come, or was fetched to make a page whole.
    here: Sectors,
    sectors: u64,
    /// A bit for each sector that the host wrote.
    written: Sectors,
    since: u64,
}

impl WriteCoalescing {
    /// Holds up to `most` sectors of units of `unit` sectors each.
    pub(super) fn new(most: u64, unit: u64) -> WriteCoalescing {
        WriteCoalescing {
            held: BTreeMap::new(),
            order: BTreeMap::new(),
            whole: Vec::new(),
            sectors: 0,
            most,
            words: unit.div_ceil(64) as usize,
            next: 0,
        }
    }

    /// Sectors that may wait; 0 if nothing is coalesced.
    pub(super) fn most(&self) -> u64 {
        self.most
    }

    /// Whether these sectors of a unit wait here.
    pub(super) fn holds(&self, unit: u32, sectors: Range<u64>) -> bool {
        let is_here = |here: &Vec<u64>, sector: u64| {
            let word = here.get((sector / 64) as usize);
            word.is_some_and(|word| word >> (sector % 64) & 1 == 1)
        };
        let held = self.held.get(&unit);
        held.is_some_and(|held| {
            sectors
                .into_iter()
                .all(|sector| is_here(&held.here, sector))
        })
    }

    /// Sectors of a unit, which has `all` of them, have come; of these the host wrote `written`.
    pub(super) fn add(&mut self, unit: u32, sectors: Range<u64>, written: Range<u64>, all: u64) {
        let next = &mut self.next;
        let words = self.words;
        let order = &mut self.order;
        let held = self.held.entry(unit).or_insert_with(|| {
            *next += 1;
            order.insert(*next, unit);
            Held {
                here: vec![0; words],
                sectors: 0,
                written: vec![0; words],
                since: *next,
            }
        });
        let new = mark(&mut held.here, sectors);
        held.sectors += new;
        self.sectors += new;
        mark(&mut held.written, written);
        if held.sectors == all && !self.whole.contains(&unit) {
            self.whole.push(unit);
        }
    }

    /// Whether a unit is to be written out now.
    #[inline]
    pub(super) fn any_due(&self) -> bool {
        !self.whole.is_empty() || self.sectors > self.most
    }

    /// The unit that is to be written out now: a whole one, or the oldest where too much waits.
    pub(super) fn due(&self) -> Option<(u32, bool)> {
        match self.whole.first() {
            Some(unit) => Some((*unit, true)),
            None if self.sectors > self.most => self.oldest(),
            None => None,
        }
    }

    /// The unit that has waited longest, and whether it is whole.
    pub(super) fn oldest(&self) -> Option<(u32, bool)> {
        let (_, unit) = self.order.first_key_value()?;
        Some((*unit, self.whole.contains(unit)))
    }

    /// A unit does not wait any more.
    pub(super) fn forget(&mut self, unit: u32) {
        self.take(unit);
    }

    /// A unit does not wait any more; gives its sectors that the host wrote, where these are not
    /// all.
    pub(super) fn take(&mut self, unit: u32) -> Option<Sectors> {
        let held = self.held.remove(&unit)?;
        self.order.remove(&held.since);
        self.sectors -= held.sectors;
        let whole = self.whole.contains(&unit);
        self.whole.retain(|whole| *whole != unit);
        (!whole || held.written != held.here).then_some(held.written)
    }

    /// The units that wait, and their sectors that the host wrote.
    pub(super) fn held(&self) -> impl Iterator<Item = (u32, Sectors)> + '_ {
        self.held
            .iter()
            .map(|(unit, held)| (*unit, held.written.clone()))
    }

    /// Units from one to before another do not wait any more.
    pub(super) fn forget_between(&mut self, first: u32, end: u32) {
        if first >= end {
            return;
        }
        let units: Vec<u32> = self.held.range(first..end).map(|(unit, _)| *unit).collect();
        for unit in units {
            self.forget(unit);
        }
    }
}

/// Marks a range of sectors; gives how many were not marked before.
fn mark(bits: &mut Sectors, sectors: Range<u64>) -> u64 {
    let (mut at, mut new) = (sectors.start, 0);
    while at < sectors.end {
        let within = at % 64;
        let n = (64 - within).min(sectors.end - at);
        let mask = (u64::MAX >> (64 - n)) << within;
        let word = &mut bits[(at / 64) as usize];
        new += u64::from((mask & !*word).count_ones());
        *word |= mask;
        at += n;
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_due_when_it_is_whole_or_too_much_waits() {
        let mut coalescing = WriteCoalescing::new(20, 16);
        coalescing.add(3, 0..8, 0..8, 16);
        coalescing.add(5, 4..6, 4..6, 16);
        assert_eq!(coalescing.due(), None);
        // Sectors that came twice count once.
        coalescing.add(5, 4..6, 4..6, 16);
        assert_eq!(coalescing.due(), None);
        coalescing.add(5, 0..4, 0..4, 16);
        coalescing.add(5, 6..16, 6..16, 16);
        assert_eq!(coalescing.due(), Some((5, true)));
        coalescing.forget(5);
        assert_eq!(coalescing.due(), None);
        coalescing.add(7, 0..13, 0..13, 16);
        assert_eq!(coalescing.due(), Some((3, false)));
        coalescing.forget_between(3, 4);
        assert_eq!(coalescing.due(), None);
        assert_eq!(coalescing.oldest(), Some((7, false)));
    }

    #[test]
    fn what_was_fetched_waits_as_well_and_is_not_the_hosts() {
        let mut coalescing = WriteCoalescing::new(20, 16);
        coalescing.add(3, 0..8, 1..8, 16);
        assert!(coalescing.holds(3, 0..8) && !coalescing.holds(3, 0..9));
        coalescing.add(3, 8..16, 8..9, 16);
        assert_eq!(coalescing.due(), Some((3, true)));
        assert_eq!(coalescing.take(3), Some(vec![0b1_1111_1110]));
        coalescing.add(3, 0..16, 0..16, 16);
        assert_eq!(coalescing.take(3), None);
    }
}
