//! The write cache: what was acknowledged but is not yet on the medium.
//!
//! Writes are kept as runs of blocks, joined where they touch, in the order of addresses, so that
//! the arm can be given the nearest ones to choose from. A flush draws a line: runs on this side of
//! it are joined with nothing that comes later, and the flush is done when none of them is left.
//! Room is counted in blocks and in runs; a write that finds none waits.
//!
//! The runs themselves stay where they are; what is kept in order is a list of words, each a first
//! block with the run's place below it, so that a new run moves a few hundred bytes once and a
//! search stays in a few lines of the processor's cache.

use std::collections::VecDeque;
use std::ops::Range;

use super::geometry::PhysicalAddress;
use super::quantity::{BlocksOfKib, BlocksOfMib, NanosOfMillis};
use crate::sheet::quantity::{Count, Flag};
use crate::sheet::table::parameters;

/// A page of the buffer, 64 KiB: a Maxtor Atlas 10K V of 2004 keeps its data in segments of so much (DiskSim 4.0
/// validation set).
const PAGE_BLOCKS: u64 = 128;

parameters! {
    /// Written data that wait.
    #[derive(Clone, Copy, Debug)]
    pub WriteCaching from WriteCacheConfig ["write_cache"] {
        /// Writes are complete when they are in the buffer.
        on "on": Flag;
        /// Blocks of it that the drive keeps in flash when the power fails: these count as written. With the
        /// cache off it still takes so much.
        saved_blocks "saved_mib": BlocksOfMib in 0..=4_096, or 0;
        /// Blocks of written data that it holds.
        blocks "size_mib": BlocksOfMib in 1..=4_096;
        /// Runs of adjacent blocks that it holds.
        runs "runs": Count in 1..=4_096;
        /// Blocks of buffer that a run takes at least.
        page_blocks "page_kib": BlocksOfKib in 1..=65_536, or PAGE_BLOCKS;
        /// Runs that have to be free before a write that found none is let in.
        batch "batch": Count in 1..=4_096, or 1;
        /// The order of writing sees where the discs will be.
        sees_rotation "sees_rotation": Flag, or true;
        /// Blocks of one run at most.
        run_blocks "run_kib": BlocksOfKib in 1..=4_194_304, or u64::MAX;
        /// The actuator rests so long before it writes back unasked.
        delay_ns "delay_ms": NanosOfMillis in 0.0..=60_000.0;
        /// Data unwritten for so long compete with waiting reads.
        deadline_ns "deadline_ms": NanosOfMillis in 0.0..=3_600_000.0;
        /// Blocks that are written before the choice is made again.
        part_blocks "part_kib": BlocksOfKib in 1..=1_048_576;
    }
}

impl WriteCaching {
    /// The part of one of several actuators. A cache that is off still takes what the drive keeps when the power
    /// fails.
    pub(crate) fn of_one(self, actuators: u32) -> WriteCaching {
        let blocks = match self.on {
            true => self.blocks / u64::from(actuators),
            false => {
                let saved = self.blocks.min(self.saved_blocks);
                (saved / u64::from(actuators)).max(1)
            }
        };
        WriteCaching {
            on: self.on || self.saved_blocks > 0,
            blocks,
            saved_blocks: self.saved_blocks / u64::from(actuators),
            runs: self.runs_in(blocks, actuators),
            ..self
        }
    }

    /// Runs in so many blocks: as many as there are pages for, and entries in the table.
    fn runs_in(&self, blocks: u64, actuators: u32) -> u32 {
        let pages = (blocks / self.page_blocks).min(u64::from(u32::MAX)) as u32;
        (self.runs / actuators).min(pages).max(1)
    }
}

/// A run of blocks to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// First block.
    pub start: u64,
    /// Block after the last one.
    pub end: u64,
    /// When its oldest block came, in nanoseconds.
    pub since: u64,
    /// Grows with each run that comes; a joined run keeps the oldest.
    pub number: u64,
    /// Where its first block is.
    pub place: PhysicalAddress,
}

/// The number of a run that was taken out: no run gets so far.
const TAKEN: u64 = u64::MAX;

/// First block of a run and, in the low bits, where it is in the slab.
#[derive(Clone, Copy, Debug)]
struct Entry(u64);

/// Room for a place in the slab. Blocks have the other 48 bits: [`super::geometry::Geometry`]
/// refuses a disk of more.
const PLACE_BITS: u32 = u16::BITS;

impl Entry {
    #[inline]
    fn new(start: u64, place: u16) -> Entry {
        debug_assert!(start >> (u64::BITS - PLACE_BITS) == 0);
        Entry(start << PLACE_BITS | u64::from(place))
    }
    #[inline]
    fn start(self) -> u64 {
        self.0 >> PLACE_BITS
    }
    #[inline]
    fn place(self) -> usize {
        (self.0 & ((1 << PLACE_BITS) - 1)) as usize
    }
}

/// The runs and what room is left.
#[derive(Clone, Debug)]
pub struct WriteCache {
    /// The runs that wait, in order of their first blocks.
    waiting: Vec<Entry>,
    slab: Vec<Run>,
    /// Free places of `slab`.
    free: Vec<u16>,
    /// Blocks in use: waiting, on their way in, or being written.
    held: u64,
    size: u64,
    most_runs: usize,
    next_number: u64,
    /// Runs with a number below this are before the last flush.
    line: u64,
    /// Numbers and places of the runs by age, oldest first. Those that were taken stay until they
    /// are in front; the first one always waits.
    ages: VecDeque<(u64, u16)>,
    /// Grows with each change of what waits.
    version: u64,
}

impl WriteCache {
    /// An empty cache; its size is in blocks and in runs.
    pub fn new(size: u64, most_runs: usize) -> WriteCache {
        WriteCache {
            waiting: Vec::with_capacity(most_runs + 1),
            slab: Vec::with_capacity(most_runs + 1),
            free: Vec::new(),
            held: 0,
            size,
            most_runs,
            next_number: 0,
            line: 0,
            ages: VecDeque::new(),
            version: 0,
        }
    }

    /// Another one after each change of what waits.
    #[inline]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Blocks that it can hold.
    pub fn size(&self) -> u64 {
        self.size
    }
    /// Whether no run waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
    /// Runs that wait to be written.
    #[inline]
    pub fn len(&self) -> usize {
        self.waiting.len()
    }
    /// A run that waits, by its place in the order of addresses.
    #[inline]
    pub fn run(&self, index: usize) -> &Run {
        &self.slab[self.waiting[index].place()]
    }
    /// Some of the runs that wait, by address.
    #[inline]
    pub fn runs(&self, range: Range<usize>) -> impl Iterator<Item = &Run> {
        let waiting = self.waiting[range].iter();
        waiting.map(|entry| &self.slab[entry.place()])
    }
    /// How many runs begin before a block.
    #[inline]
    pub fn runs_before(&self, block: u64) -> usize {
        self.waiting.partition_point(|entry| entry.start() < block)
    }
    /// The run that waits longest.
    #[inline]
    pub fn oldest_run(&self) -> Option<&Run> {
        let &(_, place) = self.ages.front()?;
        Some(&self.slab[usize::from(place)])
    }
    /// When the oldest block that waits came; `u64::MAX` where none does.
    #[inline]
    pub fn oldest(&self) -> u64 {
        self.oldest_run().map_or(u64::MAX, |run| run.since)
    }
    /// Blocks in use.
    #[inline]
    pub fn held(&self) -> u64 {
        self.held
    }
    /// Blocks that have to be freed before `blocks` more fit.
    #[inline]
    pub fn lacking(&self, blocks: u64) -> u64 {
        (self.held + blocks).saturating_sub(self.size)
    }
    /// Whether `coming` more runs may come beside those that wait.
    #[inline]
    pub fn may_add_runs(&self, coming: usize) -> bool {
        self.len() + coming <= self.most_runs
    }
    /// Whether all of `start..end` waits here.
    #[inline]
    pub fn covers(&self, start: u64, end: u64) -> bool {
        let after = self.runs_before(start.saturating_add(1));
        after > 0 && self.run(after - 1).end >= end
    }
    /// First block of the run that ends at `block` and may still be joined.
    #[inline]
    pub fn begin_of_run_to(&self, block: u64) -> Option<u64> {
        let before = self.runs_before(block).checked_sub(1)?;
        let run = self.run(before);
        (run.end == block && run.number >= self.line).then_some(run.start)
    }
    /// Room is taken before the data come.
    #[inline]
    pub fn reserve(&mut self, blocks: u64) {
        self.held += blocks;
    }
    /// Blocks are on the medium (or given up).
    #[inline]
    pub fn release(&mut self, blocks: u64) {
        self.held = self.held.saturating_sub(blocks);
    }

    /// Data have come into reserved room. `place` is asked for where a new run begins.
    pub fn insert(
        &mut self,
        start: u64,
        end: u64,
        now: u64,
        place: impl FnOnce() -> PhysicalAddress,
    ) {
        let mut run = Run {
            start,
            end,
            since: now,
            number: self.next_number,
            place: PhysicalAddress::default(),
        };
        self.next_number += 1;
        let line = self.line;
        let joins = |old: &Run, new: &Run| {
            old.number >= line && old.start <= new.end && new.start <= old.end
        };
        let mut first = self.runs_before(start.saturating_add(1));
        let mut known = None;
        if first > 0 && joins(self.run(first - 1), &run) {
            first -= 1;
            known = Some(self.run(first).place);
        }
        while first < self.len() && joins(self.run(first), &run) {
            let old = self.remove(first);
            self.held -= old
                .end
                .min(run.end)
                .saturating_sub(old.start.max(run.start));
            run = Run {
                start: run.start.min(old.start),
                end: run.end.max(old.end),
                since: run.since.min(old.since),
                number: run.number.min(old.number),
                place: run.place,
            };
        }
        run.place = known.unwrap_or_else(place);
        self.put(first, run);
    }

    /// Takes a run out to be written; its blocks stay counted until they are released.
    pub fn take(&mut self, start: u64, number: u64) -> Option<Run> {
        let first = self.runs_before(start);
        let from_here = self.waiting[first..].iter();
        let same = from_here.take_while(|entry| entry.start() == start);
        let index = (first..first + same.count()).find(|&i| self.run(i).number == number)?;
        Some(self.remove(index))
    }

    /// Puts back what is left of a run.
    pub fn put_back(&mut self, run: Run) {
        let at = self.runs_before(run.start.saturating_add(1));
        self.put(at, run);
    }

    fn put(&mut self, index: usize, run: Run) {
        let place = match self.free.pop() {
            Some(place) => {
                self.slab[usize::from(place)] = run;
                place
            }
            None => {
                self.slab.push(run);
                (self.slab.len() - 1) as u16
            }
        };
        self.waiting.insert(index, Entry::new(run.start, place));
        self.version += 1;
        let age = (run.number, place);
        if self.ages.back().is_none_or(|&last| last < age) {
            self.ages.push_back(age);
        } else {
            let at = self.ages.partition_point(|&other| other < age);
            // A run that grew may stand there already.
            if self.ages.get(at) != Some(&age) {
                self.ages.insert(at, age);
            }
        }
    }

    fn remove(&mut self, index: usize) -> Run {
        let place = self.waiting.remove(index).place();
        self.free.push(place as u16);
        self.version += 1;
        let run = self.slab[place];
        self.slab[place].number = TAKEN;
        let slab = &self.slab;
        let waits = |&(number, place): &(u64, u16)| slab[usize::from(place)].number == number;
        while self.ages.front().is_some_and(|age| !waits(age)) {
            self.ages.pop_front();
        }
        if self.ages.len() > 64 + 4 * self.most_runs {
            self.ages.retain(waits);
        }
        run
    }

    /// Draws the line of a flush: what came until now has a number below the one given back.
    pub fn draw_line(&mut self) -> u64 {
        self.line = self.next_number;
        self.version += 1;
        self.line
    }
    /// The last line drawn.
    #[inline]
    pub fn line(&self) -> u64 {
        self.line
    }
    /// Whether a run from before a line still waits.
    pub fn waits_before(&self, line: u64) -> bool {
        self.runs(0..self.len()).any(|run| run.number < line)
    }

    /// The power is gone.
    pub fn clear(&mut self) {
        self.waiting.clear();
        self.slab.clear();
        self.free.clear();
        self.held = 0;
        self.ages.clear();
        self.version += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(cache: &mut WriteCache, start: u64, end: u64, now: u64) {
        cache.reserve(end - start);
        cache.insert(start, end, now, PhysicalAddress::default);
    }

    fn ranges(cache: &WriteCache) -> Vec<(u64, u64)> {
        cache
            .runs(0..cache.len())
            .map(|r| (r.start, r.end))
            .collect()
    }

    #[test]
    fn runs_that_touch_or_overlap_are_joined_and_counted_once() {
        let mut cache = WriteCache::new(100, 8);
        put(&mut cache, 10, 20, 1);
        put(&mut cache, 30, 40, 2);
        put(&mut cache, 50, 55, 3);
        assert_eq!(ranges(&cache), [(10, 20), (30, 40), (50, 55)]);
        put(&mut cache, 18, 30, 4);
        assert_eq!(ranges(&cache), [(10, 40), (50, 55)]);
        assert_eq!(cache.held(), 35);
        assert_eq!(cache.run(0).since, 1);
        put(&mut cache, 12, 15, 5);
        assert_eq!(cache.held(), 35);
        assert!(cache.covers(10, 40) && !cache.covers(10, 41));
    }

    #[test]
    fn nothing_is_joined_across_a_flush() {
        let mut cache = WriteCache::new(100, 8);
        put(&mut cache, 10, 20, 1);
        let line = cache.draw_line();
        put(&mut cache, 20, 30, 2);
        assert_eq!(ranges(&cache), [(10, 20), (20, 30)]);
        assert!(cache.waits_before(line));
        cache.take(10, 0).unwrap();
        assert!(!cache.waits_before(line));
        assert_eq!(cache.oldest(), 2);
    }

    #[test]
    fn room_is_held_until_it_is_released() {
        let mut cache = WriteCache::new(100, 2);
        put(&mut cache, 0, 60, 1);
        assert_eq!(cache.lacking(40), 0);
        assert_eq!(cache.lacking(50), 10);
        let run = cache.take(0, 0).unwrap();
        assert_eq!(cache.lacking(50), 10);
        cache.release(run.end - run.start);
        assert_eq!(cache.lacking(100), 0);
    }

    #[test]
    fn the_oldest_run_is_found_whatever_was_joined_taken_and_put_back() {
        let mut cache = WriteCache::new(1 << 40, 16);
        let mut rng = base::rng::Rng::new(7);
        for now in 0..20_000 {
            match rng.below(4) {
                0 | 1 if cache.len() < 16 => {
                    let start = rng.below(200) * 10;
                    put(&mut cache, start, start + 5 + rng.below(10), now);
                }
                2 if now % 50 == 0 => {
                    cache.draw_line();
                }
                _ if !cache.is_empty() => {
                    let index = rng.below(cache.len() as u64) as usize;
                    let (start, number) = (cache.run(index).start, cache.run(index).number);
                    let run = cache.take(start, number).unwrap();
                    if rng.below(3) == 0 {
                        cache.put_back(run);
                    }
                }
                _ => {}
            }
            let oldest = cache
                .runs(0..cache.len())
                .min_by_key(|r| (r.since, r.number));
            assert_eq!(cache.oldest_run(), oldest);
            assert!(cache.ages.len() <= 64 + 4 * 16 + 1);
            assert!(cache.waiting.is_sorted_by_key(|entry| entry.start()));
        }
    }
}
