//! The reverse map: which logical page was written to a physical one, and whether it still counts.
//!
//! Collection needs the way back. Pages of a superblock are written in order, so in-order data are
//! a few runs a superblock; where there are many, the superblock's part of one table is filled
//! instead. A bit a page says that it was overwritten or trimmed since: the bits are read on each
//! overwrite, and 1/32 of the table's size keeps them nearer to the processor.

use crate::ssd::flash::layout::{Lpn, NONE, Ppn};
use crate::ssd::ftl::table::Table;
use crate::ssd::parameters::DriveError;

/// Runs a superblock may have before it is kept page by page: 8 bytes a run against 4 a page.
const PAGES_A_RUN: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Run {
    place: u32,
    lpn: Lpn,
}

/// One superblock's way back.
#[derive(Clone, Debug, Default)]
struct Block {
    runs: Vec<Run>,
    dense: bool,
    any_invalid: bool,
}

/// Which logical page each physical one was written for.
#[derive(Debug)]
pub struct P2l {
    blocks: Vec<Block>,
    table: Table<u32>,
    /// One for each page that does not count any more.
    invalid: Table<u64>,
    block_pages: u32,
    most_runs: usize,
}

impl P2l {
    /// For a number of superblocks and pages of each, nothing written.
    ///
    /// # Errors
    /// Where the machine gives no address space for it.
    pub fn new(superblocks: u32, block_pages: u32) -> Result<P2l, DriveError> {
        let pages = superblocks as usize * block_pages as usize;
        Ok(P2l {
            blocks: vec![Block::default(); superblocks as usize],
            table: Table::zeros(pages)?,
            invalid: Table::zeros(pages / 64 + 1)?,
            block_pages,
            most_runs: (block_pages as usize / PAGES_A_RUN).max(4),
        })
    }

    /// `count` pages from `place` on in a superblock were written for `lpn` and those after it, or
    /// for none where that is [`NONE`]; `place` is where the last writing ended.
    #[inline]
    pub fn append(&mut self, superblock: u32, place: u32, count: u32, lpn: Lpn) {
        let block = &mut self.blocks[superblock as usize];
        if !block.dense {
            let goes_on = block.runs.last().is_some_and(|run| {
                run.lpn == lpn && lpn == NONE
                    || run.lpn != NONE && lpn != NONE && run.lpn + (place - run.place) == lpn
            });
            if goes_on {
                return;
            }
            if block.runs.len() < self.most_runs {
                block.runs.push(Run { place, lpn });
                return;
            }
            self.make_dense(superblock, place);
        }
        let from = superblock as usize * self.block_pages as usize + place as usize;
        if count == 1 {
            return self.table.put(from, lpn);
        }
        let entries = &mut self.table.all_mut()[from..from + count as usize];
        for (entry, i) in entries.iter_mut().zip(0..) {
            *entry = if lpn == NONE { NONE } else { lpn + i };
        }
    }

    /// A superblock is to be filled in any order, page by page, by [`P2l::put`].
    pub fn begin_dense(&mut self, superblock: u32) {
        let block = &mut self.blocks[superblock as usize];
        block.runs = Vec::new();
        block.dense = true;
    }

    /// A page of a superblock that was begun dense was written for `lpn`.
    #[inline]
    pub fn put(&mut self, ppn: Ppn, lpn: Lpn) {
        self.table.put(ppn as usize, lpn);
    }

    /// What was put at a page of a superblock that was begun dense.
    #[inline]
    pub fn listed(&self, ppn: Ppn) -> Lpn {
        self.table.at(ppn as usize)
    }

    #[cold]
    fn make_dense(&mut self, superblock: u32, written: u32) {
        let base = superblock as usize * self.block_pages as usize;
        let block = &mut self.blocks[superblock as usize];
        let table = self.table.all_mut();
        for (i, run) in block.runs.iter().enumerate() {
            let end = block.runs.get(i + 1).map_or(written, |next| next.place);
            for place in run.place..end {
                table[base + place as usize] = if run.lpn == NONE {
                    NONE
                } else {
                    run.lpn + (place - run.place)
                };
            }
        }
        block.runs = Vec::new();
        block.dense = true;
    }

    /// The logical page that a written page was written for; [`NONE`] for padding.
    #[inline]
    pub fn get(&self, superblock: u32, place: u32) -> Lpn {
        let block = &self.blocks[superblock as usize];
        if block.dense {
            return self
                .table
                .at((superblock * self.block_pages + place) as usize);
        }
        let after = block.runs.partition_point(|run| run.place <= place);
        match after.checked_sub(1).map(|i| block.runs[i]) {
            Some(run) if run.lpn != NONE => run.lpn + (place - run.place),
            _ => NONE,
        }
    }

    /// The logical pages of those pages of a unit whose bits are set, lowest first, as many as are asked for; gives
    /// the bits of the others. `place` is the unit's first page in its superblock.
    #[inline]
    pub fn get_all(&self, superblock: u32, place: u32, bits: u64, lpns: &mut [Lpn]) -> u64 {
        let mut bits = bits;
        if !self.blocks[superblock as usize].dense {
            for lpn in lpns {
                *lpn = self.get(superblock, place + bits.trailing_zeros());
                bits &= bits - 1;
            }
            return bits;
        }
        let from = superblock as usize * self.block_pages as usize + place as usize;
        let entries = &self.table.all()[from..];
        for lpn in lpns {
            *lpn = entries[bits.trailing_zeros() as usize];
            bits &= bits - 1;
        }
        bits
    }

    /// Pages from `place` on in a superblock were written for these logical ones; `place` is where the last writing
    /// ended.
    #[inline]
    pub fn append_all(&mut self, superblock: u32, place: u32, lpns: &[Lpn]) {
        if !self.blocks[superblock as usize].dense {
            for (lpn, place) in lpns.iter().zip(place..) {
                self.append(superblock, place, 1, *lpn);
            }
            return;
        }
        let from = superblock as usize * self.block_pages as usize + place as usize;
        self.table.all_mut()[from..from + lpns.len()].copy_from_slice(lpns);
    }

    /// Of the pages from one on, those whose bits are set do not count any more.
    #[inline]
    pub fn invalidate_bits(&mut self, superblock: u32, first: Ppn, bits: u64) {
        self.blocks[superblock as usize].any_invalid = true;
        let words = self.invalid.all_mut();
        let (at, within) = ((first / 64) as usize, first % 64);
        debug_assert_eq!(words[at] & bits << within, 0, "a page ends once");
        words[at] |= bits << within;
        // A unit of six planes may begin in one word and end in the next.
        if within > 0 && bits >> (64 - within) != 0 {
            words[at + 1] |= bits >> (64 - within);
        }
    }

    /// These pages do not count any more.
    #[inline]
    pub fn invalidate(&mut self, superblock: u32, ppn: Ppn, count: u32) {
        self.blocks[superblock as usize].any_invalid = true;
        if count == 1 {
            let word = (ppn / 64) as usize;
            let bits = self.invalid.at(word);
            debug_assert_eq!(bits >> (ppn % 64) & 1, 0, "a page ends once");
            return self.invalid.put(word, bits | 1 << (ppn % 64));
        }
        let bits = self.invalid.all_mut();
        let (mut at, end) = (ppn, ppn + count);
        while at < end {
            let within = at % 64;
            let n = (64 - within).min(end - at);
            let mask = (u64::MAX >> (64 - n)) << within;
            debug_assert_eq!(bits[(at / 64) as usize] & mask, 0, "a page ends once");
            bits[(at / 64) as usize] |= mask;
            at += n;
        }
    }

    /// Whether a written page still counts.
    #[inline]
    pub fn is_valid(&self, ppn: Ppn) -> bool {
        self.invalid.at((ppn / 64) as usize) >> (ppn % 64) & 1 == 0
    }

    /// Bits of the pages of a unit (up to 64) that still count, lowest page first.
    #[inline]
    pub fn valid_bits(&self, first: Ppn, pages: u32) -> u64 {
        let words = self.invalid.all();
        let (at, within) = ((first / 64) as usize, first % 64);
        let mut bits = !words[at] >> within;
        // A unit of six planes may begin in one word and end in the next.
        if within + pages > 64 {
            bits |= !words[at + 1] << (64 - within);
        }
        bits & (u64::MAX >> (64 - pages))
    }

    /// Touches a page's bit, so that it is in the cache when it is asked for.
    #[inline]
    pub fn touch(&self, ppn: Ppn) -> u64 {
        self.invalid
            .all()
            .get((ppn / 64) as usize)
            .copied()
            .unwrap_or(0)
    }

    /// The superblock is written again from its first page on.
    pub fn clear(&mut self, superblock: u32) {
        let block = &mut self.blocks[superblock as usize];
        block.runs.clear();
        block.dense = false;
        if !std::mem::take(&mut block.any_invalid) {
            return;
        }
        let bits = self.invalid.all_mut();
        let from = superblock * self.block_pages;
        let (mut at, end) = (from, from + self.block_pages);
        while at < end {
            let within = at % 64;
            let n = (64 - within).min(end - at);
            bits[(at / 64) as usize] &= !((u64::MAX >> (64 - n)) << within);
            at += n;
        }
    }

    /// Bytes of memory that it takes (bits of superblocks that were never overwritten take none).
    pub fn memory(&self) -> usize {
        let of = |block: &Block| {
            let pages = self.block_pages as usize;
            let table = if block.dense { 4 * pages } else { 0 };
            let bits = if block.any_invalid { pages / 8 } else { 0 };
            table + bits + block.runs.capacity() * size_of::<Run>() + size_of::<Block>()
        };
        self.blocks.iter().map(of).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_way_back_is_what_was_written(
            writes in prop::collection::vec((0_u32..100_000, 1_u32..9, any::<bool>()), 1..200)
        ) {
            let mut reverse = P2l::new(2, 1_600).unwrap();
            let mut plain = Vec::new();
            for (lpn, count, padding) in writes {
                if plain.len() + count as usize > 1_600 {
                    break;
                }
                let lpn = if padding { NONE } else { lpn };
                reverse.append(1, plain.len() as u32, count, lpn);
                plain.extend((0..count).map(|i| if padding { NONE } else { lpn + i }));
                for (place, lpn) in plain.iter().enumerate() {
                    prop_assert_eq!(reverse.get(1, place as u32), *lpn);
                }
            }
        }

        #[test]
        fn a_page_that_was_overwritten_does_not_count(
            first in 1_600_u32..3_100, count in 1_u32..100
        ) {
            let mut reverse = P2l::new(2, 1_600).unwrap();
            reverse.invalidate(1, first, count);
            for ppn in 1_600..3_200 {
                let expected = !(first..first + count).contains(&ppn);
                prop_assert_eq!(reverse.is_valid(ppn), expected);
                prop_assert_eq!(reverse.valid_bits(ppn / 8 * 8, 8) >> (ppn % 8) & 1 == 1, expected);
                prop_assert_eq!(reverse.valid_bits(ppn / 24 * 24, 24) >> (ppn % 24) & 1 == 1, expected);
            }
            reverse.clear(1);
            prop_assert!((1_600..3_200).all(|ppn| reverse.is_valid(ppn)));
        }
    }
}
