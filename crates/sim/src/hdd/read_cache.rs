//! The read cache: segments, each one run of blocks; the least recently used one is replaced.
//!
//! A disk's buffer does not hold single blocks but a few runs, one for each stream to follow. A
//! miss takes a segment, and reading ahead fills it beyond what was asked for, up to a limit;
//! growing past its size drops the front. A read whose first block is in a segment needs only the
//! rest from the medium. Writes invalidate blocks in the read segments, since the newer data are
//! elsewhere.

use super::quantity::BlocksOfKib;
use crate::sheet::quantity::{Count, Flag};
use crate::sheet::table::parameters;

parameters! {
    /// Segments and reading ahead.
    #[derive(Clone, Copy, Debug)]
    pub ReadCaching from ReadCacheConfig ["read_cache"] {
        /// Segments of the buffer.
        segments "segments": Count in 1..=4_096;
        /// Blocks of a segment.
        segment_blocks "segment_kib": BlocksOfKib in 1..=1_048_576;
        /// Blocks that are read ahead.
        ahead_blocks "ahead_kib": BlocksOfKib in 0..=1_048_576;
        /// Reading ahead that came to its limit resumes when fewer blocks than this are left.
        read_on_below_blocks "go_on_below_kib": BlocksOfKib in 0..=1_048_576;
        /// Reading begins wherever the head lands on the track.
        zero_latency "zero_latency": Flag;
        /// What passes before the first wanted sector is kept.
        look_behind "look_behind": Flag;
    }
}

/// A run of blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// First block.
    pub start: u64,
    /// Block after the last one; empty where it is the start.
    pub end: u64,
    used: u64,
}

/// The segments.
#[derive(Clone, Debug)]
pub struct ReadCache {
    segments: Vec<Segment>,
    /// Blocks a segment.
    size: u64,
    uses: u64,
}

/// What a read finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// All of it, in this segment.
    Whole(usize),
    /// Its first blocks; the rest continues from this segment's end.
    Front(usize),
    Nothing,
}

impl ReadCache {
    /// Empty segments, their size in blocks; at least one of each.
    pub fn new(segments: u32, size: u64) -> ReadCache {
        ReadCache {
            segments: vec![Segment::default(); segments.max(1) as usize],
            size: size.max(1),
            uses: 0,
        }
    }

    /// A segment.
    #[inline]
    pub fn segment(&self, index: usize) -> Segment {
        self.segments[index]
    }

    /// Looks for the blocks `start..end`.
    #[inline]
    pub fn find(&self, start: u64, end: u64) -> Found {
        let mut found = Found::Nothing;
        for (index, segment) in self.segments.iter().enumerate() {
            if segment.start <= start && start < segment.end {
                if end <= segment.end {
                    return Found::Whole(index);
                }
                found = Found::Front(index);
            }
        }
        found
    }

    /// Marks a segment as used just now.
    #[inline]
    pub fn touch(&mut self, index: usize) {
        self.uses += 1;
        self.segments[index].used = self.uses;
    }

    /// Empties the least recently used segment for a run that begins at `start`.
    pub fn take(&mut self, start: u64) -> usize {
        let oldest = (0..self.segments.len()).min_by_key(|&i| self.segments[i].used);
        let index = oldest.unwrap_or(0);
        self.segments[index].start = start;
        self.segments[index].end = start;
        self.touch(index);
        index
    }

    /// A segment now reaches to `end`; what no longer fits in drops out in front.
    #[inline]
    pub fn grow(&mut self, index: usize, end: u64) {
        let segment = &mut self.segments[index];
        segment.end = segment.end.max(end);
        segment.start = segment.start.max(segment.end.saturating_sub(self.size));
    }

    /// The blocks `start..end` were written: they, and what lies behind them, drop out.
    #[inline]
    pub fn drop_range(&mut self, start: u64, end: u64) {
        for segment in &mut self.segments {
            if start < segment.end && segment.start < end {
                segment.end = start.max(segment.start);
            }
        }
    }

    /// The power is gone.
    pub fn clear(&mut self) {
        self.segments.fill(Segment::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_segment_gives_way() {
        let mut cache = ReadCache::new(2, 100);
        let a = cache.take(0);
        cache.grow(a, 10);
        let b = cache.take(1_000);
        cache.grow(b, 1_010);
        cache.touch(a);
        assert_eq!(cache.take(5_000), b);
        assert_eq!(cache.find(0, 10), Found::Whole(a));
        assert_eq!(cache.find(1_000, 1_001), Found::Nothing);
    }

    #[test]
    fn a_segment_that_grows_past_its_size_drops_its_front() {
        let mut cache = ReadCache::new(1, 100);
        let a = cache.take(0);
        cache.grow(a, 150);
        assert_eq!(cache.segment(a).start, 50);
        assert_eq!(cache.find(40, 60), Found::Nothing);
        assert_eq!(cache.find(50, 150), Found::Whole(a));
        assert_eq!(cache.find(140, 160), Found::Front(a));
    }

    #[test]
    fn written_blocks_drop_out() {
        let mut cache = ReadCache::new(1, 100);
        let a = cache.take(0);
        cache.grow(a, 80);
        cache.drop_range(60, 70);
        assert_eq!(cache.find(0, 60), Found::Whole(a));
        assert_eq!(cache.find(70, 75), Found::Nothing);
    }
}
