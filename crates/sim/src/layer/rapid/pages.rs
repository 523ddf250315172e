//! The memory of a host cache: pages of 4 KiB, which sectors of them are there, and which of these
//! are not on the drive yet.
//!
//! Clean pages stand in order of use; the one unused for longest makes room. Dirty pages stand in
//! order of the time at which they became dirty and cannot be given up. A page on its way to the
//! drive is neither: its sectors may be written again meanwhile, and are then dirty once more.

use std::collections::{BTreeMap, VecDeque};

use base::io::Io;
use base::size::Bytes;
use base::time::Instant;
use base::workload::Span;

/// Bytes of a page.
const PAGE: u64 = 4 << 10;
/// Bytes of a sector: a bit of a page's masks.
const SECTOR: u64 = 512;
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Page {
    number: u64,
    /// Sectors that are here.
    valid: u8,
    /// Sectors that the drive does not have.
    dirty: u8,
    /// Sectors on their way to the drive.
    leaving: u8,
    /// Since when it is dirty, counted.
    turn: u64,
    /// Neighbours in the order of use, where it is clean.
    newer: u32,
    older: u32,
}

/// Neighbouring data on their way to the drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) span: Span,
    /// The earliest turn in it.
    pub(super) turn: u64,
    pages: Vec<(u32, u8)>,
}

/// The pages of a cache.
#[derive(Debug)]
pub(super) struct Pages {
    pages: Vec<Page>,
    most: usize,
    index: BTreeMap<u64, u32>,
    free: Vec<u32>,
    newest: u32,
    oldest: u32,
    /// Turn, page and time of each page that became dirty; stale where the page's turn differs.
    queue: VecDeque<(u64, u32, Instant)>,
    next_turn: u64,
    /// Pages that are dirty or on their way.
    held: u64,
}

/// The pages of a range with the sectors of each that lie in it.
fn pages_of(span: Span) -> impl Iterator<Item = (u64, u8)> {
    let (from, end) = (span.start.get() / SECTOR, span.end().get().div_ceil(SECTOR));
    let sectors = PAGE / SECTOR;
    (from / sectors..end.div_ceil(sectors)).map(move |number| {
        let low = from.saturating_sub(number * sectors).min(sectors);
        let high = (end - number * sectors).min(sectors);
        let below = |n: u64| ((1_u16 << n) - 1) as u8;
        (number, below(high) & !below(low))
    })
}

/// Pages that an I/O touches.
pub(super) fn count_of(io: &Io) -> u64 {
    io.end().get().div_ceil(PAGE) - io.offset.get() / PAGE
}

impl Pages {
    /// Room for so much.
    pub(super) fn new(memory: Bytes) -> Pages {
        Pages {
            pages: Vec::new(),
            most: (memory.get() / PAGE) as usize,
            index: BTreeMap::new(),
            free: Vec::new(),
            newest: NONE,
            oldest: NONE,
            queue: VecDeque::new(),
            next_turn: 0,
            held: 0,
        }
    }

    /// Pages that cannot be given up: dirty, or on their way to the drive.
    pub(super) fn held(&self) -> u64 {
        self.held
    }

    /// The turn that the next page to become dirty gets.
    pub(super) fn next_turn(&self) -> u64 {
        self.next_turn
    }

    /// Whether all of a range is here; it counts as used then.
    pub(super) fn has(&mut self, span: Span) -> bool {
        let found = |(number, sectors): (u64, u8)| {
            let slot = *self.index.get(&number)?;
            (self.pages[slot as usize].valid & sectors == sectors).then_some(slot)
        };
        let slots: Option<Vec<u32>> = pages_of(span).map(found).collect();
        let Some(slots) = slots else {
            return false;
        };
        for slot in slots {
            self.use_again(slot);
        }
        true
    }

    /// A range has been read from the drive. Where there is no room for all of it, some is kept.
    pub(super) fn keep(&mut self, span: Span) {
        for (number, sectors) in pages_of(span) {
            let Some(slot) = self.slot_of(number) else {
                return;
            };
            self.pages[slot as usize].valid |= sectors;
            self.use_again(slot);
        }
    }

    /// A range has been written here.
    pub(super) fn write(&mut self, now: Instant, span: Span) {
        for (number, sectors) in pages_of(span) {
            let slot = self
                .slot_of(number)
                .expect("the limit of dirty pages is below the memory");
            let page = self.pages[slot as usize];
            if page.dirty | page.leaving == 0 {
                self.unlink(slot);
                self.held += 1;
            }
            let page = &mut self.pages[slot as usize];
            if page.dirty == 0 {
                page.turn = self.next_turn;
                self.queue.push_back((page.turn, slot, now));
                self.next_turn += 1;
            }
            page.valid |= sectors;
            page.dirty |= sectors;
        }
    }

    /// A range is not here any more: it was trimmed, or written past the cache.
    pub(super) fn forget(&mut self, span: Span) {
        for (number, sectors) in pages_of(span) {
            let Some(&slot) = self.index.get(&number) else {
                continue;
            };
            let page = &mut self.pages[slot as usize];
            let was_held = page.dirty | page.leaving != 0;
            page.valid &= !sectors;
            page.dirty &= !sectors;
            if was_held && page.dirty | page.leaving == 0 {
                self.release(slot);
            }
        }
    }

    /// The turn of the page that is dirty for longest, and since when it is.
    pub(super) fn oldest_dirty(&mut self) -> Option<(u64, Instant)> {
        while let Some(&(turn, slot, at)) = self.queue.front() {
            if self.is_current(turn, slot) {
                return Some((turn, at));
            }
            self.queue.pop_front();
        }
        None
    }

    fn is_current(&self, turn: u64, slot: u32) -> bool {
        let page = &self.pages[slot as usize];
        page.dirty != 0 && page.turn == turn
    }

    /// Takes the data that are dirty for longest, and what is dirty next to them, for the drive.
    pub(super) fn take_run(&mut self, most: Bytes) -> Option<Run> {
        self.oldest_dirty()?;
        let ready = |&&(turn, slot, _): &&(u64, u32, Instant)| {
            self.is_current(turn, slot) && self.pages[slot as usize].leaving == 0
        };
        let &(turn, first, _) = self.queue.iter().find(ready)?;
        let page = self.pages[first as usize];
        let start = page.dirty.trailing_zeros();
        let mut run = Run {
            span: Span::new(
                Bytes::new(page.number * PAGE + u64::from(start) * SECTOR),
                Bytes::ZERO,
            ),
            turn,
            pages: Vec::new(),
        };
        let (mut slot, mut low) = (first, start);
        while run.span.len < most {
            let page = &mut self.pages[slot as usize];
            let sectors = (page.dirty >> low).trailing_ones();
            if sectors == 0 || page.leaving != 0 {
                break;
            }
            let taken = (((1_u16 << sectors) - 1) << low) as u8;
            page.dirty &= !taken;
            page.leaving |= taken;
            run.turn = run.turn.min(page.turn);
            run.pages.push((slot, taken));
            run.span.len += Bytes::new(u64::from(sectors) * SECTOR);
            // Only what continues from the last sector of a page continues in the next one.
            let next = self.index.get(&(page.number + 1));
            match next {
                Some(&next) if low + sectors == (PAGE / SECTOR) as u32 => (slot, low) = (next, 0),
                _ => break,
            }
        }
        Some(run)
    }

    /// A run has reached the drive.
    pub(super) fn reached(&mut self, run: &Run) {
        for &(slot, sectors) in &run.pages {
            let page = &mut self.pages[slot as usize];
            page.leaving &= !sectors;
            if page.dirty | page.leaving == 0 {
                self.release(slot);
            }
        }
    }

    /// What the drive does not have yet, in order of address.
    pub(super) fn not_on_the_drive(&self) -> Vec<Span> {
        self.dirty_among(self.index.values())
    }

    /// The same of a range.
    pub(super) fn not_on_the_drive_of(&self, span: Span) -> Vec<Span> {
        let (first, end) = (span.start.get() / PAGE, span.end().get().div_ceil(PAGE));
        let slots = self
            .index
            .range(first..end.max(first))
            .map(|(_, slot)| slot);
        let found = self.dirty_among(slots).into_iter();
        found.filter_map(|part| part.within(span)).collect()
    }

    fn dirty_among<'a>(&self, slots: impl Iterator<Item = &'a u32>) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        for &slot in slots {
            let page = &self.pages[slot as usize];
            let sectors = page.dirty | page.leaving;
            for sector in (0..8).filter(|n| sectors >> n & 1 == 1) {
                let start = Bytes::new(page.number * PAGE + sector * SECTOR);
                match spans.last_mut() {
                    Some(last) if last.end() == start => last.len += Bytes::SECTOR,
                    _ => spans.push(Span::new(start, Bytes::SECTOR)),
                }
            }
        }
        spans
    }

    /// A page by its number; a new one where it is not here and there is room.
    fn slot_of(&mut self, number: u64) -> Option<u32> {
        if let Some(&slot) = self.index.get(&number) {
            return Some(slot);
        }
        let page = Page {
            number,
            valid: 0,
            dirty: 0,
            leaving: 0,
            turn: 0,
            newer: NONE,
            older: NONE,
        };
        let slot = if let Some(slot) = self.free.pop() {
            slot
        } else if self.pages.len() < self.most {
            self.pages.push(page);
            (self.pages.len() - 1) as u32
        } else if self.oldest == NONE {
            return None;
        } else {
            let oldest = self.oldest;
            self.unlink(oldest);
            self.index.remove(&self.pages[oldest as usize].number);
            oldest
        };
        self.pages[slot as usize] = page;
        self.index.insert(number, slot);
        self.link(slot);
        Some(slot)
    }

    /// A page is clean again.
    fn release(&mut self, slot: u32) {
        self.held -= 1;
        let page = self.pages[slot as usize];
        if page.valid == 0 {
            self.index.remove(&page.number);
            self.free.push(slot);
        } else {
            self.link(slot);
        }
    }

    fn use_again(&mut self, slot: u32) {
        let page = &self.pages[slot as usize];
        if page.dirty | page.leaving == 0 {
            self.unlink(slot);
            self.link(slot);
        }
    }

    /// Puts a clean page first in the order of use.
    fn link(&mut self, slot: u32) {
        let next = self.newest;
        self.pages[slot as usize].newer = NONE;
        self.pages[slot as usize].older = next;
        match next {
            NONE => self.oldest = slot,
            _ => self.pages[next as usize].newer = slot,
        }
        self.newest = slot;
    }

    fn unlink(&mut self, slot: u32) {
        let Page { newer, older, .. } = self.pages[slot as usize];
        match newer {
            NONE => self.newest = older,
            _ => self.pages[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            _ => self.pages[older as usize].newer = newer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::Rng;

    fn span(start: u64, len: u64) -> Span {
        Span::new(Bytes::new(start * SECTOR), Bytes::new(len * SECTOR))
    }

    #[test]
    fn what_is_dirty_leaves_in_runs_oldest_first() {
        let mut pages = Pages::new(Bytes::kib(64));
        pages.write(Instant::ZERO, span(40, 4));
        pages.write(Instant::ZERO, span(6, 4));
        pages.write(Instant::ZERO, span(10, 8));
        let first = pages.take_run(Bytes::mib(1)).unwrap();
        assert_eq!((first.span, first.turn), (span(40, 4), 0));
        let second = pages.take_run(Bytes::mib(1)).unwrap();
        assert_eq!((second.span, second.turn), (span(6, 12), 1));
        assert_eq!(pages.take_run(Bytes::mib(1)), None);
        assert_eq!(pages.not_on_the_drive(), [span(6, 12), span(40, 4)]);
        pages.reached(&first);
        pages.reached(&second);
        assert_eq!((pages.held(), pages.not_on_the_drive()), (0, vec![]));
        assert!(pages.has(span(6, 12)) && !pages.has(span(5, 12)));
    }

    #[test]
    fn a_page_that_is_written_on_its_way_is_dirty_again() {
        let mut pages = Pages::new(Bytes::kib(64));
        pages.write(Instant::ZERO, span(0, 8));
        let run = pages.take_run(Bytes::mib(1)).unwrap();
        pages.write(Instant::ZERO, span(0, 1));
        assert_eq!(pages.take_run(Bytes::mib(1)), None, "it is on its way");
        pages.reached(&run);
        assert_eq!(pages.held(), 1);
        assert_eq!(pages.take_run(Bytes::mib(1)).unwrap().span, span(0, 1));
    }

    #[test]
    fn clean_pages_make_room_and_dirty_ones_do_not() {
        let mut pages = Pages::new(Bytes::kib(16));
        pages.write(Instant::ZERO, span(0, 8));
        pages.keep(span(80, 24));
        pages.has(span(80, 8));
        pages.keep(span(160, 8));
        assert!(pages.has(span(80, 8)), "used last");
        assert!(!pages.has(span(88, 8)), "made room");
        assert!(pages.has(span(0, 8)), "not on the drive");
    }

    #[test]
    fn what_is_forgotten_is_neither_here_nor_written_back() {
        let mut pages = Pages::new(Bytes::kib(16));
        pages.write(Instant::ZERO, span(0, 16));
        pages.forget(span(4, 12));
        assert_eq!(pages.held(), 1);
        assert!(pages.has(span(0, 4)) && !pages.has(span(4, 1)));
        assert_eq!(pages.take_run(Bytes::mib(1)).unwrap().span, span(0, 4));
    }

    #[test]
    fn any_order_of_accesses_agrees_with_a_plain_list_of_sectors() {
        let mut rng = Rng::new(3);
        let mut pages = Pages::new(Bytes::kib(64));
        let mut dirty = [false; 256];
        let mut under_way: Vec<Run> = Vec::new();
        for _ in 0..20_000 {
            let (start, len) = (rng.below(240), 1 + rng.below(16));
            match rng.below(6) {
                0 | 1 if pages.held() <= 12 => {
                    pages.write(Instant::ZERO, span(start, len));
                    dirty[start as usize..(start + len) as usize].fill(true);
                }
                2 => pages.keep(span(start, len)),
                3 => under_way.extend(pages.take_run(Bytes::kib(8))),
                4 if !under_way.is_empty() => {
                    let run = under_way.remove(rng.below(under_way.len() as u64) as usize);
                    pages.reached(&run);
                }
                _ => drop(pages.has(span(start, len))),
            }
            if under_way.is_empty() && rng.below(50) == 0 {
                while let Some(run) = pages.take_run(Bytes::kib(8)) {
                    pages.reached(&run);
                }
                assert_eq!((pages.held(), pages.oldest_dirty()), (0, None));
                dirty.fill(false);
            }
            let listed = pages.not_on_the_drive();
            let is_listed = |n: u64| {
                listed
                    .iter()
                    .any(|s| (s.start..s.end()).contains(&Bytes::new(n * SECTOR)))
            };
            for run in &under_way {
                assert!(is_listed(run.span.start.get() / SECTOR));
            }
            assert!((0..256).all(|n| !is_listed(n) || dirty[n as usize]));
        }
    }
}
