//! The write cache: what was acknowledged but is not yet on the medium.
//!
//! Writes are kept as runs of blocks, joined where they touch, in the order of addresses, so that the
//! arm can be given the nearest ones to choose from. A flush draws a line: runs on this side of it
//! are joined with nothing that comes later, and the flush is done when none of them is left. Room is
//! counted in blocks and in runs; a write that finds none waits.

use super::geometry::Place;

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
    pub place: Place,
}

/// The runs and what room is left.
#[derive(Clone, Debug)]
pub struct WriteCache {
    runs: Vec<Run>,
    /// Blocks in use: waiting, on their way in, or being written.
    held: u64,
    size: u64,
    most_runs: usize,
    next_number: u64,
    /// Runs with a number below this are before the last flush.
    line: u64,
    oldest: u64,
}

impl WriteCache {
    /// An empty cache for so many blocks in so many runs.
    pub fn new(size: u64, most_runs: usize) -> WriteCache {
        WriteCache {
            runs: Vec::with_capacity(most_runs + 1),
            held: 0,
            size,
            most_runs,
            next_number: 0,
            line: 0,
            oldest: u64::MAX,
        }
    }

    /// Blocks that it can hold.
    pub fn size(&self) -> u64 {
        self.size
    }
    /// Runs that wait to be written, by address.
    #[inline]
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }
    /// When the oldest block that waits came; `u64::MAX` where none does.
    #[inline]
    pub fn oldest(&self) -> u64 {
        self.oldest
    }
    /// Blocks in use.
    #[inline]
    pub fn held(&self) -> u64 {
        self.held
    }
    /// Blocks that have to be freed before so many more fit.
    #[inline]
    pub fn lacking(&self, blocks: u64) -> u64 {
        (self.held + blocks).saturating_sub(self.size)
    }
    /// True where `coming` more runs may come beside those that wait.
    #[inline]
    pub fn may_add_runs(&self, coming: usize) -> bool {
        self.runs.len() + coming <= self.most_runs
    }
    /// True where all of `start..end` waits here.
    #[inline]
    pub fn covers(&self, start: u64, end: u64) -> bool {
        let after = self.runs.partition_point(|run| run.start <= start);
        after > 0 && self.runs[after - 1].end >= end
    }
    /// True where a run that may still be joined ends at `block`.
    #[inline]
    pub fn ends_at(&self, block: u64) -> bool {
        let after = self.runs.partition_point(|run| run.start < block);
        after > 0 && self.runs[after - 1].end == block && self.runs[after - 1].number >= self.line
    }
    /// First block of the run that ends at `block` and may still be joined.
    pub fn begin_of_run_to(&self, block: u64) -> Option<u64> {
        let after = self.runs.partition_point(|run| run.start < block);
        let run = self.runs[..after].last()?;
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

    /// Data have come, for which room was reserved. `place` is asked for where a new run begins.
    pub fn insert(&mut self, start: u64, end: u64, now: u64, place: impl FnOnce() -> Place) {
        let mut run = Run {
            start,
            end,
            since: now,
            number: self.next_number,
            place: Place::default(),
        };
        self.next_number += 1;
        let line = self.line;
        let joins = |old: &Run, new: &Run| {
            old.number >= line && old.start <= new.end && new.start <= old.end
        };
        let mut first = self.runs.partition_point(|old| old.start <= start);
        let mut known = None;
        if first > 0 && joins(&self.runs[first - 1], &run) {
            first -= 1;
            known = Some(self.runs[first].place);
        }
        let mut last = first;
        while last < self.runs.len() && joins(&self.runs[last], &run) {
            let old = self.runs[last];
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
            last += 1;
        }
        run.place = known.unwrap_or_else(place);
        self.runs.splice(first..last, [run]);
        self.oldest = self.oldest.min(run.since);
    }

    /// Takes a run out to be written; its blocks stay counted until they are released.
    pub fn take(&mut self, index: usize) -> Run {
        let run = self.runs.remove(index);
        if run.since == self.oldest {
            self.oldest = self.runs.iter().map(|r| r.since).min().unwrap_or(u64::MAX);
        }
        run
    }

    /// Puts back what is left of a run.
    pub fn put_back(&mut self, run: Run) {
        let at = self.runs.partition_point(|old| old.start <= run.start);
        self.runs.insert(at, run);
        self.oldest = self.oldest.min(run.since);
    }

    /// Draws the line of a flush: what came until now has a number below the one given back.
    pub fn draw_line(&mut self) -> u64 {
        self.line = self.next_number;
        self.line
    }
    /// The last line drawn.
    #[inline]
    pub fn line(&self) -> u64 {
        self.line
    }
    /// True where a run from before a line still waits.
    pub fn waits_before(&self, line: u64) -> bool {
        self.runs.iter().any(|run| run.number < line)
    }

    /// The power is gone.
    pub fn clear(&mut self) {
        self.runs.clear();
        self.held = 0;
        self.oldest = u64::MAX;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(cache: &mut WriteCache, start: u64, end: u64, now: u64) {
        cache.reserve(end - start);
        cache.insert(start, end, now, Place::default);
    }

    fn ranges(cache: &WriteCache) -> Vec<(u64, u64)> {
        cache.runs().iter().map(|r| (r.start, r.end)).collect()
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
        assert_eq!(cache.runs()[0].since, 1);
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
        cache.take(0);
        assert!(!cache.waits_before(line));
        assert_eq!(cache.oldest(), 2);
    }

    #[test]
    fn room_is_held_until_it_is_released() {
        let mut cache = WriteCache::new(100, 2);
        put(&mut cache, 0, 60, 1);
        assert_eq!(cache.lacking(40), 0);
        assert_eq!(cache.lacking(50), 10);
        let run = cache.take(0);
        assert_eq!(cache.lacking(50), 10);
        cache.release(run.end - run.start);
        assert_eq!(cache.lacking(100), 0);
    }
}
