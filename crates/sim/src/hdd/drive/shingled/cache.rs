//! The persistent cache: a log on the disc, and the map of what is in it.
//!
//! What is written goes behind what was written last, in *records*; at the end of the log the next one begins
//! at its front. A record's room is free again when nothing in it is valid any more (it was overwritten,
//! trimmed or cleaned) and the records before it are free, too: a log is emptied from its tail. The map has
//! an entry for each *piece*, a run of blocks of one band that lie together in the log. So the cache has two
//! limits, bytes and entries: large writes fill the one, small ones the other.

use std::collections::VecDeque;

use super::pieces::{Piece, Pieces};

/// A log has 2^31 blocks at most.
#[derive(Clone, Copy, Debug)]
struct Record {
    /// Blocks of the log.
    blocks: u32,
    /// Blocks in it that are valid.
    valid: u32,
}

impl Record {
    fn new(blocks: u64, valid: u64) -> Record {
        Record {
            blocks: blocks as u32,
            valid: valid as u32,
        }
    }

    fn drop_valid(&mut self, blocks: u64) {
        self.valid -= blocks as u32;
    }
}

/// The log and its map.
#[derive(Clone, Debug)]
pub struct PersistentCache {
    map: Pieces,
    /// What was written, oldest first: first block, end, record. Some of it may be valid no more.
    order: VecDeque<(u64, u64, u64)>,
    records: VecDeque<Record>,
    /// The number of the first of them.
    first_record: u64,
    size: u64,
    most_entries: usize,
    /// Where the next record begins.
    head: u64,
    used: u64,
    /// What was looked at ahead of time.
    touched: usize,
    /// So many of the oldest pieces were looked at.
    looked_at: usize,
}

/// Pieces that are looked for at once.
const LOOK_AHEAD: usize = 32;

impl PersistentCache {
    /// An empty log; its size and the bands are in blocks, the map is in entries.
    pub fn new(size: u64, most_entries: usize, band_blocks: u64) -> PersistentCache {
        PersistentCache {
            map: Pieces::new(band_blocks),
            order: VecDeque::new(),
            records: VecDeque::new(),
            first_record: 0,
            size,
            most_entries,
            head: 0,
            used: 0,
            touched: 0,
            looked_at: 0,
        }
    }

    /// Whether nothing is in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }
    /// Blocks of the log.
    pub fn size(&self) -> u64 {
        self.size
    }
    /// Blocks in use.
    pub fn used(&self) -> u64 {
        self.used
    }
    /// Pieces in it.
    pub fn entries(&self) -> usize {
        self.map.len()
    }
    /// Pieces that it may have.
    pub fn most_entries(&self) -> usize {
        self.most_entries
    }
    /// First blocks of the pieces, growing.
    pub fn starts(&self) -> impl Iterator<Item = u64> + '_ {
        self.map.starts()
    }
    /// Where the next record begins.
    #[inline]
    pub fn head(&self) -> u64 {
        self.head
    }
    /// The number of the next record.
    #[inline]
    pub fn next_record(&self) -> u64 {
        self.first_record + self.records.len() as u64
    }

    /// Whether a record with these numbers of blocks and pieces fits now.
    #[inline]
    pub fn has_room(&self, blocks: u64, entries: usize) -> bool {
        // A piece that is written in the middle of an older one makes two of that.
        self.used + self.passed_over(blocks) + blocks <= self.size
            && self.map.len() + 2 * entries <= self.most_entries
    }

    /// Blocks left over at the log's end where a record does not fit there.
    fn passed_over(&self, blocks: u64) -> u64 {
        if self.head + blocks > self.size {
            self.size - self.head
        } else {
            0
        }
    }

    /// Goes to the log's front where a record of so many blocks does not fit at its end; gives where it
    /// begins.
    pub fn make_way(&mut self, blocks: u64) -> u64 {
        let over = self.passed_over(blocks);
        if over > 0 {
            self.records.push_back(Record::new(over, 0));
            self.used += over;
            self.head = 0;
            self.retire();
        }
        self.head
    }

    /// A record of `blocks` has been written; its pieces (first block, end) begin `skipped` blocks into it.
    /// Each piece lies in one band.
    pub fn append(
        &mut self,
        blocks: u64,
        skipped: u64,
        pieces: impl Iterator<Item = (u64, u64)> + Clone,
    ) {
        let record = self.next_record();
        let valid = pieces.clone().map(|(start, end)| end - start).sum();
        self.records.push_back(Record::new(blocks, valid));
        let mut at = self.head + skipped;
        self.used += blocks;
        self.head += blocks;
        for (start, end) in pieces {
            self.cut(start, end);
            self.map.insert(start, Piece { end, at, record });
            self.order.push_back((start, end, record));
            at += end - start;
        }
        self.retire();
    }

    /// The blocks `start..end` are valid in the log no more.
    pub fn cut(&mut self, start: u64, end: u64) {
        let mut from = start;
        while from < end && !self.map.is_empty() {
            let band_end = self.map.band_end(from).min(end);
            self.cut_in_band(from, band_end);
            from = band_end;
        }
        self.retire();
    }

    fn cut_in_band(&mut self, start: u64, end: u64) {
        if let Some((first, whole)) = self.map.end_at(start) {
            self.drop_valid(whole.record, whole.end.min(end) - start);
            self.keep_rest(first, &whole, end);
        }
        while let Some((first, piece)) = self.map.take_first_in(start, end) {
            self.drop_valid(piece.record, piece.end.min(end) - first);
            self.keep_rest(first, &piece, end);
        }
    }

    /// What of a piece lies behind a cut stays.
    fn keep_rest(&mut self, first: u64, piece: &Piece, cut_end: u64) {
        if piece.end > cut_end {
            let at = piece.at + (cut_end - first);
            self.map.insert(cut_end, Piece { at, ..*piece });
        }
    }

    fn drop_valid(&mut self, record: u64, blocks: u64) {
        let index = (record - self.first_record) as usize;
        self.records[index].drop_valid(blocks);
    }

    /// Frees the records at the tail without valid data.
    fn retire(&mut self) {
        while let Some(record) = self.records.front()
            && record.valid == 0
        {
            self.used -= u64::from(record.blocks);
            self.records.pop_front();
            self.first_record += 1;
        }
    }

    /// The pieces that a range of blocks touches, by first block, cut to the range: first block, end, where
    /// in the log.
    pub fn pieces(&self, start: u64, end: u64) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.map.touched(start, end).map(move |(first, piece)| {
            let from = first.max(start);
            (from, piece.end.min(end), piece.at + (from - first))
        })
    }

    /// Whether a range of blocks touches a piece.
    #[inline]
    pub fn touches(&self, start: u64, end: u64) -> bool {
        !self.map.is_empty() && self.pieces(start, end).next().is_some()
    }

    /// The first block from `block` on that is in the log; `u64::MAX` where none is.
    #[inline]
    pub fn first_from(&self, block: u64) -> u64 {
        self.pieces(block, u64::MAX)
            .next()
            .map_or(u64::MAX, |(start, ..)| start)
    }

    /// Looks for the pieces in a block's band, so that they are in the processor's cache when they are asked
    /// for; gives anything of them.
    #[inline]
    pub fn touch(&self, block: u64) -> usize {
        self.map.touch(block)
    }

    /// Looks for the bands of the pieces that are next, many at a time, so that the processor waits for memory
    /// once for all of them.
    #[inline]
    fn look_ahead(&mut self) {
        if let Some(left) = self.looked_at.checked_sub(1) {
            self.looked_at = left;
            return;
        }
        self.looked_at = LOOK_AHEAD;
        let next = self.order.iter().take(LOOK_AHEAD);
        self.touched ^= next.fold(0, |all, &(start, ..)| all ^ self.map.touch(start));
    }

    /// First block of the oldest piece.
    pub fn oldest(&mut self) -> Option<u64> {
        self.look_ahead();
        while let Some(&(start, end, record)) = self.order.front() {
            let first = self.map.first_of(record, start, end);
            if first.is_some() {
                return first;
            }
            self.order.pop_front();
        }
        None
    }

    /// The range `start..end` of one band is home again, as it was before the record with a number.
    pub fn clean(&mut self, start: u64, end: u64, before: u64) {
        let (records, first_record) = (&mut self.records, self.first_record);
        self.map.take_older((start, end), before, |record, blocks| {
            records[(record - first_record) as usize].drop_valid(blocks);
        });
        self.retire();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(cache: &mut PersistentCache, pieces: &[(u64, u64)], pad: u64) {
        let blocks = pieces.iter().map(|(start, end)| end - start).sum::<u64>() + pad;
        assert!(cache.has_room(blocks, pieces.len()));
        cache.make_way(blocks);
        cache.append(blocks, 0, pieces.iter().copied());
    }

    #[test]
    fn what_is_written_again_is_read_where_it_was_written_last() {
        let mut cache = PersistentCache::new(1_000, 100, 5_000);
        put(&mut cache, &[(100, 200)], 0);
        put(&mut cache, &[(120, 130)], 5);
        let all: Vec<_> = cache.pieces(0, 1_000).collect();
        assert_eq!(all, [(100, 120, 0), (120, 130, 100), (130, 200, 30)]);
        let part: Vec<_> = cache.pieces(125, 140).collect();
        assert_eq!(part, [(125, 130, 105), (130, 140, 30)]);
        assert_eq!(cache.first_from(150), 150);
        assert_eq!(cache.first_from(200), u64::MAX);
        assert_eq!(cache.used(), 115);
    }

    #[test]
    fn room_is_free_again_from_the_tail_on() {
        let mut cache = PersistentCache::new(100, 100, 5_000);
        put(&mut cache, &[(0, 40)], 0);
        put(&mut cache, &[(1_000, 1_040)], 0);
        cache.cut(1_000, 1_040);
        // The record before it is still valid.
        assert_eq!(cache.used(), 80);
        assert!(!cache.has_room(30, 1));
        cache.cut(0, 40);
        assert_eq!((cache.used(), cache.entries()), (0, 0));
        // Twenty blocks are left at the end: a longer record begins at the front.
        put(&mut cache, &[(5, 35)], 0);
        assert_eq!(cache.pieces(5, 35).next(), Some((5, 35, 0)));
    }

    #[test]
    fn the_oldest_piece_comes_first_and_what_came_during_its_cleaning_stays() {
        let mut cache = PersistentCache::new(1_000, 100, 5_000);
        put(&mut cache, &[(50, 60), (10, 20)], 0);
        put(&mut cache, &[(52, 54)], 0);
        assert_eq!(cache.oldest(), Some(50));
        let before = cache.next_record();
        put(&mut cache, &[(58, 60)], 0);
        cache.clean(40, 80, before);
        let left: Vec<_> = cache.starts().collect();
        assert_eq!(left, [10, 58]);
        assert_eq!(cache.oldest(), Some(10));
    }

    /// A range, cut where bands end.
    fn in_bands(start: u64, end: u64, band: u64) -> Vec<(u64, u64)> {
        let border = (start / band + 1) * band;
        match end > border {
            true => vec![(start, border), (border, end)],
            false => vec![(start, end)],
        }
    }

    /// Against a plain list of blocks, under random work.
    #[test]
    fn the_map_says_what_a_plain_list_says() {
        let mut cache = PersistentCache::new(4_000, 400, 64);
        let mut plain = vec![None; 600];
        let mut rng = base::rng::Rng::new(3);
        for _ in 0..20_000 {
            let start = rng.below(590);
            let end = (start + 1 + rng.below(40)).min(600);
            if rng.below(3) == 0 || !cache.has_room(end - start, 2) {
                cache.cut(start, end);
                plain[start as usize..end as usize].fill(None);
                continue;
            }
            let at = cache.make_way(end - start);
            cache.append(end - start, 0, in_bands(start, end, 64).into_iter());
            for block in start..end {
                plain[block as usize] = Some(at + block - start);
            }
            let mut found = vec![None; 600];
            for (start, end, at) in cache.pieces(0, 600) {
                for block in start..end {
                    found[block as usize] = Some(at + block - start);
                }
            }
            assert_eq!(found, plain);
            let valid: u64 = cache
                .records
                .iter()
                .map(|record| u64::from(record.valid))
                .sum();
            assert_eq!(valid, plain.iter().flatten().count() as u64);
            let used: u64 = cache
                .records
                .iter()
                .map(|record| u64::from(record.blocks))
                .sum();
            assert_eq!(cache.used(), used);
        }
    }
}
