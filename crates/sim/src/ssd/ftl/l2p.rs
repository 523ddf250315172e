//! The page map: where each logical 4 KiB page lies.
//!
//! The drive's own map is a plain table, 4 bytes a page. Ours must also be small for a drive that
//! was written in order, so it is cut into chunks of 4 MiB (1,024 pages): a chunk is at most three
//! extents (in-order data; a boundary between superblocks and the end of what is written make
//! three), 16 bytes, or *dense*, 4 KiB of numbers in a pool. Dense chunks are pooled, not each at
//! its place in one huge table: a sparse table would have no use of huge pages.

use crate::halt::{Halted, Pace};
use crate::ssd::flash::layout::{Lpn, NONE, Ppn};
use crate::ssd::ftl::table::Table;
use crate::ssd::parameters::DriveError;

/// Pages of a chunk.
const CHUNK: u32 = 1 << CHUNK_BITS;
const CHUNK_BITS: u32 = 10;
/// In place of the borders: the chunk is dense.
const DENSE: u32 = u32::MAX;

/// At most three extents with borders `0 <= first <= second <= 1024`, or a dense chunk's number:
/// the physical page of each extent's first page (or [`NONE`]), then both borders in 16 bits each.
/// Of a dense chunk the first is its number in the pool. An array, since the table wants plain
/// numbers.
type Chunk = [u32; 4];

const BORDERS: usize = 3;

const EMPTY: Chunk = [NONE, NONE, NONE, CHUNK << 16 | CHUNK];

#[inline]
fn is_dense(chunk: &Chunk) -> bool {
    chunk[BORDERS] == DENSE
}

/// The extent of a page of a chunk that is not dense: its start, first page and end.
#[inline]
fn extent(chunk: &Chunk, page: u32) -> (u32, u32, u32) {
    let (first, second) = (chunk[BORDERS] & 0xffff, chunk[BORDERS] >> 16);
    if page < first {
        (chunk[0], 0, first)
    } else if page < second {
        (chunk[1], first, second)
    } else {
        (chunk[2], second, CHUNK)
    }
}

/// Where each logical page lies.
#[derive(Debug)]
pub struct L2p {
    chunks: Table<Chunk>,
    pool: Table<u32>,
    /// Pool places that were used and are not.
    free: Vec<u32>,
    used: u32,
    pages: u32,
    /// Chunks from the first on that are dense, each at its own place in the pool: there the pool
    /// is one plain table, and the chunks need not be looked at.
    plain: u32,
}

impl L2p {
    /// A map of `pages` pages, none of them anywhere.
    ///
    /// # Errors
    /// Where the machine gives no address space for it.
    pub fn new(pages: u32) -> Result<L2p, DriveError> {
        let count = pages.div_ceil(CHUNK) as usize;
        let mut chunks = Table::zeros(count)?;
        chunks.all_mut().fill(EMPTY);
        Ok(L2p {
            chunks,
            pool: Table::zeros(count * CHUNK as usize)?,
            free: Vec::new(),
            used: 0,
            pages,
            plain: 0,
        })
    }

    /// Logical pages.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Where a page lies, or [`NONE`].
    #[inline(always)]
    pub fn get(&self, lpn: Lpn) -> Ppn {
        if self.is_plain(lpn) {
            return self.pool.at(lpn as usize);
        }
        let chunk = self.chunks.at((lpn >> CHUNK_BITS) as usize);
        let page = lpn % CHUNK;
        if is_dense(&chunk) {
            return self.pool.at((chunk[0] << CHUNK_BITS | page) as usize);
        }
        let (start, first, _) = extent(&chunk, page);
        if start == NONE {
            NONE
        } else {
            start + (page - first)
        }
    }

    /// Where a page lies, and how many pages from it on (at most `most`) lie one behind the other
    /// there, or are nowhere alike.
    pub fn run(&self, lpn: Lpn, most: u32) -> (Ppn, u32) {
        let page = lpn % CHUNK;
        let most = most.min(CHUNK - page);
        if self.is_plain(lpn) && most == 1 {
            return (self.pool.at(lpn as usize), 1);
        }
        if self.is_plain(lpn) {
            return alike(&self.pool.all()[lpn as usize..(lpn + most) as usize]);
        }
        let chunk = &self.chunks.all()[(lpn >> CHUNK_BITS) as usize];
        if !is_dense(chunk) {
            let (start, first, end) = extent(chunk, page);
            let ppn = if start == NONE {
                NONE
            } else {
                start + (page - first)
            };
            return (ppn, most.min(end - page));
        }
        let from = (chunk[0] << CHUNK_BITS | page) as usize;
        alike(&self.pool.all()[from..from + most as usize])
    }

    #[inline]
    fn is_plain(&self, lpn: Lpn) -> bool {
        lpn >> CHUNK_BITS < self.plain
    }

    /// Puts `count` pages from `lpn` on one behind the other from `ppn` on, or nowhere where that
    /// is [`NONE`].
    pub fn set(&mut self, lpn: Lpn, count: u32, ppn: Ppn) {
        let (mut lpn, mut count, mut ppn) = (lpn, count, ppn);
        while count > 0 {
            let part = count.min(CHUNK - lpn % CHUNK);
            self.set_in_chunk(lpn, part, ppn);
            lpn += part;
            count -= part;
            if ppn != NONE {
                ppn += part;
            }
        }
    }

    /// Puts pages anywhere one behind the other from `ppn` on, in their order.
    pub fn set_all(&mut self, lpns: &[Lpn], ppn: Ppn) {
        // Of a drive after random overwrites, like any that collects garbage.
        if lpns.iter().all(|lpn| self.is_plain(*lpn)) {
            let pool = self.pool.all_mut();
            for (lpn, ppn) in lpns.iter().zip(ppn..) {
                pool[*lpn as usize] = ppn;
            }
            return;
        }
        for (lpn, ppn) in lpns.iter().zip(ppn..) {
            self.set_in_chunk(*lpn, 1, ppn);
        }
    }

    #[inline]
    fn set_in_chunk(&mut self, lpn: Lpn, count: u32, ppn: Ppn) {
        if self.is_plain(lpn) && count == 1 {
            return self.pool.put(lpn as usize, ppn);
        }
        if self.is_plain(lpn) && count < CHUNK {
            fill(
                &mut self.pool.all_mut()[lpn as usize..(lpn + count) as usize],
                ppn,
            );
            return;
        }
        let number = (lpn >> CHUNK_BITS) as usize;
        let page = lpn % CHUNK;
        let chunk = self.chunks.all()[number];
        if is_dense(&chunk) && count < CHUNK {
            let from = (chunk[0] << CHUNK_BITS | page) as usize;
            fill(&mut self.pool.all_mut()[from..from + count as usize], ppn);
            return;
        }
        if is_dense(&chunk) {
            self.plain = self.plain.min(number as u32);
            self.free.push(chunk[0]);
            self.chunks.all_mut()[number] = EMPTY;
        }
        if !self.goes_on(number, page, count, ppn) {
            self.set_extents(number, page, count, ppn);
        }
    }

    /// In-order writing: what continues where an extent ends, over pages that were nowhere, only
    /// moves the border between the two. False where it is not so.
    #[inline]
    fn goes_on(&mut self, number: usize, page: u32, count: u32, ppn: Ppn) -> bool {
        let chunk = &mut self.chunks.all_mut()[number];
        let (first, second) = (chunk[BORDERS] & 0xffff, chunk[BORDERS] >> 16);
        // The borders themselves stay distinct and inside the chunk.
        let end = page + count;
        if page == first && page > 0 && end < second && chunk[1] == NONE {
            if chunk[0] == NONE || ppn == NONE || chunk[0] + page != ppn {
                return false;
            }
            chunk[BORDERS] = second << 16 | end;
            return true;
        }
        if page == second && first < second && end < CHUNK && chunk[2] == NONE {
            if chunk[1] == NONE || ppn == NONE || chunk[1] + (page - first) != ppn {
                return false;
            }
            chunk[BORDERS] = end << 16 | first;
            return true;
        }
        false
    }

    /// Lays a new extent over those of a chunk; makes it dense where more than three are left.
    fn set_extents(&mut self, number: usize, page: u32, count: u32, ppn: Ppn) {
        let chunk = self.chunks.all()[number];
        let mut pieces = Pieces::default();
        pieces.copy(&chunk, 0, page);
        pieces.add(page, page + count, ppn);
        pieces.copy(&chunk, page + count, CHUNK);
        match pieces.chunk() {
            Some(chunk) => self.chunks.all_mut()[number] = chunk,
            None => {
                let from = (self.make_dense(number) << CHUNK_BITS | page) as usize;
                fill(&mut self.pool.all_mut()[from..from + count as usize], ppn);
            }
        }
    }

    /// Makes the chunks of the first `pages` pages dense, to be filled page by page by
    /// [`L2p::put`], in order, and ended by [`L2p::end_dense`].
    pub(crate) fn begin_dense(&mut self, pages: u32, pace: &mut Pace<'_>) -> Result<(), Halted> {
        for number in 0..pages.div_ceil(CHUNK) as usize {
            let chunk = self.chunks.at(number);
            if chunk == EMPTY {
                // Its entries are put, or end up nowhere.
                self.use_place(number);
            } else if !is_dense(&chunk) {
                self.make_dense(number);
            }
            pace.pages(CHUNK)?;
        }
        let chunks = self.chunks.all().iter().zip(0..);
        let at_its_own_place =
            |(chunk, number): &(&Chunk, u32)| is_dense(chunk) && chunk[0] == *number;
        self.plain = chunks.take_while(at_its_own_place).count() as u32;
        Ok(())
    }

    /// Of the first `pages` pages, those from `lpn` on were not put anywhere.
    pub(crate) fn end_dense(&mut self, lpn: Lpn, pages: u32) {
        for lpn in lpn..pages.next_multiple_of(CHUNK) {
            self.put(lpn, NONE);
        }
    }

    /// Puts a page of a dense chunk somewhere.
    #[inline]
    pub fn put(&mut self, lpn: Lpn, ppn: Ppn) {
        if self.is_plain(lpn) {
            return self.pool.put(lpn as usize, ppn);
        }
        let chunk = self.chunks.at((lpn >> CHUNK_BITS) as usize);
        debug_assert!(is_dense(&chunk));
        let entry = (chunk[0] << CHUNK_BITS) | (lpn % CHUNK);
        self.pool.put(entry as usize, ppn);
    }

    #[cold]
    fn make_dense(&mut self, number: usize) -> u32 {
        let chunk = self.chunks.at(number);
        let place = self.use_place(number);
        let mut page = 0;
        while page < CHUNK {
            let (start, _, end) = extent(&chunk, page);
            let from = (place << CHUNK_BITS | page) as usize;
            let to = from + (end - page) as usize;
            fill(&mut self.pool.all_mut()[from..to], start);
            page = end;
        }
        place
    }

    /// A chunk is dense from now on; gives its place in the pool.
    fn use_place(&mut self, number: usize) -> u32 {
        let place = self.free.pop().unwrap_or_else(|| {
            self.used += 1;
            self.used - 1
        });
        self.chunks.put(number, [place, NONE, NONE, DENSE]);
        place
    }

    /// Whether no chunk is dense.
    pub fn is_extents(&self) -> bool {
        self.used as usize == self.free.len()
    }

    /// Touches the entries of pages, so that they are in the cache when they are asked for; gives
    /// the entries of dense chunks, [`NONE`] for others. First all chunks, then all entries: loads
    /// that wait for nothing, close behind each other, are under way together.
    pub fn touch_all(&self, lpns: &[Lpn], entries: &mut [Ppn]) {
        let chunks = self.chunks.all();
        let pool = self.pool.all();
        if self.plain as usize == chunks.len() {
            for (lpn, entry) in lpns.iter().zip(entries) {
                *entry = pool.get(*lpn as usize).copied().unwrap_or(NONE);
            }
            return;
        }
        for (lpn, entry) in lpns.iter().zip(entries.iter_mut()) {
            let chunk = chunks.get((lpn >> CHUNK_BITS) as usize).unwrap_or(&EMPTY);
            let place = (chunk[0] << CHUNK_BITS) | (lpn % CHUNK);
            *entry = if is_dense(chunk) { place } else { NONE };
        }
        if self.is_extents() {
            return;
        }
        for entry in entries {
            *entry = pool.get(*entry as usize).copied().unwrap_or(NONE);
        }
    }

    /// Bytes of memory that the map takes.
    pub fn memory(&self) -> usize {
        let dense = self.used as usize * CHUNK as usize * size_of::<u32>();
        dense + size_of_val(self.chunks.all())
    }
}

/// The first of some entries, and how many of them lie one behind the other, or are nowhere alike.
fn alike(entries: &[Ppn]) -> (Ppn, u32) {
    let ppn = entries[0];
    let goes_on = |(entry, i): &(&Ppn, u32)| **entry == if ppn == NONE { NONE } else { ppn + i };
    (
        ppn,
        entries.iter().zip(0..).take_while(goes_on).count() as u32,
    )
}

/// Numbers one behind the other, or all [`NONE`].
fn fill(entries: &mut [u32], ppn: Ppn) {
    if ppn == NONE {
        entries.fill(NONE);
        return;
    }
    for (entry, i) in entries.iter_mut().zip(0..) {
        *entry = ppn + i;
    }
}

/// The extents of a chunk as it is being put together.
#[derive(Default)]
struct Pieces {
    starts: [u32; 5],
    ends: [u32; 5],
    count: usize,
}

impl Pieces {
    /// Adds the part of a chunk from one page to another.
    fn copy(&mut self, chunk: &Chunk, from: u32, to: u32) {
        let mut page = from;
        while page < to {
            let (start, first, end) = extent(chunk, page);
            let end = end.min(to);
            let start = if start == NONE {
                NONE
            } else {
                start + (page - first)
            };
            self.add(page, end, start);
            page = end;
        }
    }

    /// Adds an extent; joins it to the last one where it continues from there.
    fn add(&mut self, from: u32, to: u32, start: Ppn) {
        if let Some(last) = self.count.checked_sub(1) {
            let begin = if last == 0 { 0 } else { self.ends[last - 1] };
            let goes_on = if self.starts[last] == NONE || start == NONE {
                self.starts[last] == start
            } else {
                self.starts[last] + (from - begin) == start
            };
            if goes_on {
                self.ends[last] = to;
                return;
            }
        }
        self.starts[self.count] = start;
        self.ends[self.count] = to;
        self.count += 1;
    }

    fn chunk(&self) -> Option<Chunk> {
        let mut chunk = EMPTY;
        if self.count > 3 {
            return None;
        }
        chunk[..self.count].copy_from_slice(&self.starts[..self.count]);
        let end = |extent: usize| {
            if extent + 1 < self.count {
                self.ends[extent]
            } else {
                CHUNK
            }
        };
        chunk[BORDERS] = end(1) << 16 | end(0);
        Some(chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_map_is_a_plain_table(
            steps in prop::collection::vec((0_u32..3_000, 1_u32..2_000, 0_u32..1_000_000, 0_u8..4), 1..120)
        ) {
            const PAGES: u32 = 3_500;
            let mut map = L2p::new(PAGES).unwrap();
            let mut plain = vec![NONE; PAGES as usize];
            for (lpn, count, ppn, kind) in steps {
                let count = if kind < 2 { count % 9 + 1 } else { count }.min(PAGES - lpn);
                let ppn = if kind == 0 { NONE } else { ppn };
                map.set(lpn, count, ppn);
                for i in 0..count {
                    plain[(lpn + i) as usize] = if ppn == NONE { NONE } else { ppn + i };
                }
                for (lpn, entry) in plain.iter().enumerate() {
                    prop_assert_eq!(map.get(lpn as u32), *entry);
                }
                let (first, n) = map.run(lpn, 500);
                for i in 0..n {
                    let expected = if first == NONE { NONE } else { first + i };
                    prop_assert_eq!(plain[(lpn + i) as usize], expected);
                }
            }
        }
    }

    #[test]
    fn in_order_data_stay_extents_over_borders_of_superblocks() {
        let mut map = L2p::new(1 << 20).unwrap();
        let memory = map.memory();
        // Units of 8 pages; each 1,500 pages the physical place jumps.
        for unit in 0..(1 << 17) {
            let lpn = unit * 8;
            map.set(lpn, 8, lpn + lpn / 1_504 * 10_000);
        }
        assert_eq!(map.memory(), memory);
        assert_eq!(map.get(1_504), 11_504);
    }
}
