//! Space accounting: which superblocks are free, open, closed or being emptied, and who may open
//! one.
//!
//! A drive that has no free superblock for collection can never free one again, so every stream has
//! a reserve that the others leave alone: the host is promised no page that would take the last
//! superblocks, folding leaves what collection needs, and collection needs at most one while it
//! empties a victim, since a victim holds at most one superblock of valid pages. All counts of free
//! space are kept here and nowhere else; [`crate::ssd::ftl::slc`] says which superblocks hold one
//! bit a cell, [`crate::ssd::ftl::wear`] which are worn out.

use std::collections::VecDeque;

use crate::ssd::flash::layout::Geometry;
use crate::ssd::ftl::slc::{SlcArea, SlcPolicy, WhenFull};
use crate::ssd::ftl::stream::Stream;
use crate::ssd::ftl::wear::{Fate, Wear};

mod check;
mod construct;

/// Where folding is the only way to make room for the host, it begins below so many superblocks
/// that may be opened for one bit a cell: the host writes into the last one meanwhile.
pub(super) const FOLD_BELOW: u32 = 2;

/// How many streams there are.
const STREAMS: usize = 4;

/// Free superblocks that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reserves {
    /// The host is promised nothing where no more than so many are free: one for collection, one
    /// for what was promised already.
    pub for_moves: u32,
    /// Below this number of free superblocks, collection runs beside the host's writes.
    pub collect_below: u32,
    /// Below this number, collection runs when the drive is idle.
    pub collect_idle_below: u32,
    /// Pages of the host's that are let in at once where it waits for collection; 0: none.
    pub collect_step: u64,
}

/// What a superblock is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing in it counts; erased when it is opened.
    Free,
    /// Being written.
    Open,
    /// Written to its end.
    Closed,
    /// Being emptied.
    Moving,
    /// Out of service: bad, the drive's own, or worn out.
    Unused,
}

/// One block of every plane of every die.
#[derive(Clone, Copy, Debug)]
pub struct Superblock {
    /// What it is doing.
    pub state: State,
    /// One bit a cell.
    pub slc: bool,
    /// The drive's own streams write it.
    pub own: bool,
    /// The journal's: of one bit a cell, and not of the SLC area.
    pub journal: bool,
    /// It was written before: each die erases its block before the first program.
    pub dirty: bool,
    /// Pages written (padding included).
    pub written: u32,
    /// Pages that count.
    pub valid: u32,
    /// Groups of an opened superblock that are not programmed yet.
    pub pending: u32,
    /// How many were opened when it was, the drive over.
    pub turn: u32,
}

/// All superblocks.
#[derive(Clone, Debug)]
pub struct BlockPool {
    blocks: Vec<Superblock>,
    free: VecDeque<u32>,
    slc: SlcArea,
    open: [Option<u32>; STREAMS],
    /// Pages left in each of them.
    left: [u32; STREAMS],
    reserves: Reserves,
    pages: u32,
    slc_pages: u32,
    groups_a_die: u32,
    /// Dies of a row that hold data.
    dies: u32,
    /// Groups that are not programmed yet, over all superblocks.
    pending: u64,
    /// Superblocks that are being emptied.
    moving: Vec<u32>,
    /// Superblocks opened so far.
    opened: u32,
    wear: Option<Wear>,
    /// Worn out: the host's writes are refused.
    read_only: bool,
}

/// A place to write at: a superblock, the next page in it, and how many are left there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    pub superblock: u32,
    /// The next page.
    pub place: u32,
    /// Pages from it to the end.
    pub left: u32,
    /// One bit a cell.
    pub slc: bool,
}

impl BlockPool {
    /// All free and erased: the first of the SLC policy's fixed ones for one bit a cell, the last
    /// `unused` out of service.
    pub fn new(geometry: &Geometry, slc: SlcPolicy, unused: u32, reserves: Reserves) -> BlockPool {
        let fresh = Superblock {
            state: State::Free,
            slc: false,
            own: false,
            journal: false,
            dirty: false,
            written: 0,
            valid: 0,
            pending: 0,
            turn: 0,
        };
        let mut blocks = vec![fresh; geometry.superblocks as usize];
        for block in &mut blocks[..slc.fixed as usize] {
            block.slc = true;
        }
        let usable = geometry.superblocks - unused;
        for block in &mut blocks[usable as usize..] {
            block.state = State::Unused;
        }
        BlockPool {
            blocks,
            free: (slc.fixed..usable).collect(),
            slc: SlcArea::new(slc),
            open: [None; STREAMS],
            left: [0; STREAMS],
            reserves,
            pages: geometry.superblock_pages(),
            slc_pages: geometry.slc_superblock_pages(),
            groups_a_die: geometry.groups_a_die(),
            dies: geometry.data_dies(),
            pending: 0,
            moving: Vec::new(),
            opened: 0,
            wear: None,
            read_only: false,
        }
    }

    /// A superblock.
    #[inline]
    pub fn block(&self, superblock: u32) -> &Superblock {
        &self.blocks[superblock as usize]
    }

    /// All superblocks.
    pub fn blocks(&self) -> &[Superblock] {
        &self.blocks
    }

    /// Pages that count, over all superblocks.
    pub fn valid(&self) -> u64 {
        self.blocks.iter().map(|block| u64::from(block.valid)).sum()
    }

    /// Free superblocks of all bits a cell.
    pub fn free(&self) -> u32 {
        self.free.len() as u32
    }

    /// The reserves.
    pub fn reserves(&self) -> &Reserves {
        &self.reserves
    }

    /// Whether some written pages are not in the flash yet.
    #[inline]
    pub fn any_pending(&self) -> bool {
        self.pending > 0
    }

    /// Whether valid pages lie one bit a cell.
    #[inline]
    pub fn slc_in_use(&self) -> bool {
        self.slc.valid > 0
    }

    /// Whether any superblock is written one bit a cell.
    #[cfg(test)]
    pub fn slc_touched(&self) -> bool {
        self.slc.used > 0
    }

    /// The superblocks of one bit a cell.
    pub fn slc(&self) -> &SlcArea {
        &self.slc
    }

    /// Counts erases from now on, and takes worn-out superblocks out of service.
    pub fn wears(&mut self, wear: Wear) {
        self.wear = Some(wear);
    }

    /// What is worn, where the drive counts it.
    pub fn wear(&self) -> Option<&Wear> {
        self.wear.as_ref()
    }

    /// Whether the drive is worn out: what was written can be read, nothing can be written.
    #[inline]
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Pages in a superblock.
    #[inline]
    pub fn pages_of(&self, slc: bool) -> u32 {
        if slc { self.slc_pages } else { self.pages }
    }

    /// Pages left in the superblock that a stream has open.
    #[inline]
    pub(in crate::ssd) fn left(&self, stream: Stream) -> u32 {
        self.left[stream as usize]
    }

    /// Superblocks that may be opened for one bit a cell now.
    #[inline]
    pub fn slc_openable(&self) -> u32 {
        self.slc.openable(self.free(), self.reserves.collect_below)
    }

    /// Whether the host's writes wait until folding has freed a superblock of one bit a cell.
    #[inline]
    fn waits_for_folding(&self) -> bool {
        // One that is open is not folded: it does not count.
        self.slc.policy.when_full == WhenFull::Fold
            && self.slc.used > u32::from(self.open[Stream::Slc as usize].is_some())
    }

    /// Free superblocks that the drive's own work may need before it frees another one. While one
    /// victim is being emptied that is known: none where what is left of it fits into the superblock
    /// that it is moved to.
    #[inline]
    fn kept_for_moves(&self) -> u32 {
        match self.moving[..] {
            [victim] if !self.is_worn(victim) => {
                u32::from(self.block(victim).valid > self.left(Stream::Move))
            }
            _ => self.reserves.for_moves,
        }
    }

    fn is_worn(&self, superblock: u32) -> bool {
        let wear = self.wear.as_ref();
        wear.is_some_and(|wear| wear.is_worn(superblock))
    }

    /// Pages that the host may be promised now: what no work of the drive's own can take away from
    /// it until its data come.
    #[inline(always)]
    pub fn host_room(&self) -> u64 {
        let open = u64::from(self.left(Stream::Slc) + self.left(Stream::Host));
        let fixed = self.slc.free.len() as u64 * u64::from(self.slc_pages);
        let beyond = u64::from(self.free().saturating_sub(self.kept_for_moves()));
        if self.slc.policy.dynamic_per_mille == 0 && !self.waits_for_folding() {
            return open + fixed + beyond * u64::from(self.pages);
        }
        // Each of them may be opened for one bit a cell, and holds at least as much.
        let openable = self.slc_openable();
        if self.waits_for_folding() {
            return open + u64::from(openable) * u64::from(self.slc_pages);
        }
        open + fixed + beyond * u64::from(self.slc_pages)
    }

    /// The stream of the host's next page: one bit a cell while there is room for it.
    #[inline]
    pub fn host_stream(&self) -> Stream {
        if self.open[Stream::Slc as usize].is_some() || !self.slc.free.is_empty() {
            return Stream::Slc;
        }
        if self.slc.policy.dynamic_per_mille > 0 && self.slc_openable() > 0 {
            return Stream::Slc;
        }
        Stream::Host
    }

    /// Whether folding continues while the host writes: it has no other room, or will soon have
    /// none.
    #[inline]
    pub fn folds_beside_the_host(&self) -> bool {
        self.waits_for_folding() && self.slc_openable() < FOLD_BELOW
    }

    /// Whether folding at rest has something to do: more lies one bit a cell than is kept so.
    pub fn wants_folding(&self) -> bool {
        if self.slc.policy.keep_per_mille == 0 {
            return self.slc.used > 0;
        }
        self.slc.valid > u64::from(self.slc.kept(self.free())) * u64::from(self.slc_pages)
    }

    /// Whether folding may continue: it leaves what collection needs.
    pub fn may_fold(&self) -> bool {
        self.free() > self.reserves.for_moves
    }

    /// Where a stream writes next; opens a superblock where it has none and may have one. The flag
    /// says whether one was opened.
    #[inline]
    pub fn room(&mut self, stream: Stream) -> Option<(Room, bool)> {
        let (superblock, opened) = match self.open[stream as usize] {
            Some(open) => (open, false),
            None => (self.open_one(stream)?, true),
        };
        let block = self.block(superblock);
        let room = Room {
            superblock,
            place: block.written,
            left: self.left[stream as usize],
            slc: block.slc,
        };
        Some((room, opened))
    }

    fn open_one(&mut self, stream: Stream) -> Option<u32> {
        let superblock = match stream {
            Stream::Slc => self.open_slc()?,
            // What was promised to the host may take the last one: what is being moved has room then.
            Stream::Host | Stream::Move => self.free.pop_front()?,
            Stream::Journal if self.free() <= self.kept_for_moves() => return None,
            Stream::Journal => self.open_for_journal()?,
        };
        let groups = self.groups_a_die * self.dies;
        let block = &mut self.blocks[superblock as usize];
        debug_assert_eq!((block.state, block.valid), (State::Free, 0));
        if let Some(wear) = &mut self.wear
            && block.dirty
        {
            wear.erased(superblock);
        }
        block.state = State::Open;
        block.own = matches!(stream, Stream::Move | Stream::Journal);
        block.written = 0;
        self.opened = self.opened.wrapping_add(1);
        block.turn = self.opened;
        block.pending = groups;
        self.left[stream as usize] = if block.slc {
            self.slc_pages
        } else {
            self.pages
        };
        self.pending += u64::from(groups);
        self.open[stream as usize] = Some(superblock);
        Some(superblock)
    }

    /// Takes a free superblock for one bit a cell: of the fixed area, then of the others.
    fn open_slc(&mut self) -> Option<u32> {
        let superblock = match self.slc.free.pop_front() {
            Some(fixed) => fixed,
            None if self.slc_openable() > 0 => self.free.pop_front()?,
            None => return None,
        };
        self.blocks[superblock as usize].slc = true;
        self.slc.took(superblock);
        Some(superblock)
    }

    fn open_for_journal(&mut self) -> Option<u32> {
        let superblock = self.free.pop_front()?;
        let block = &mut self.blocks[superblock as usize];
        (block.slc, block.journal) = (true, true);
        Some(superblock)
    }

    /// Whether the journal has room for a number of pages, or may open a superblock.
    pub(in crate::ssd) fn may_journal(&self, pages: u32) -> bool {
        self.left(Stream::Journal) >= pages || self.free() > self.kept_for_moves()
    }

    /// A stream has written pages at its place, all of them valid or all padding.
    #[inline]
    pub fn wrote(&mut self, stream: Stream, superblock: u32, count: u32, valid: bool) {
        let block = &mut self.blocks[superblock as usize];
        let left = &mut self.left[stream as usize];
        *left -= count;
        block.written += count;
        if valid {
            block.valid += count;
            if block.slc {
                self.slc.valid += u64::from(count);
            }
        }
        if *left == 0 {
            block.state = State::Closed;
            self.open[stream as usize] = None;
        }
    }

    /// Closes a stream's open superblock before its end, and returns it. Groups without any
    /// written page will never be programmed.
    pub fn close_early(&mut self, stream: Stream, groups_never_written: u32) -> Option<u32> {
        let superblock = self.open[stream as usize].take()?;
        self.left[stream as usize] = 0;
        let block = &mut self.blocks[superblock as usize];
        block.state = State::Closed;
        block.pending -= groups_never_written;
        self.pending -= u64::from(groups_never_written);
        self.free_if_empty(superblock);
        Some(superblock)
    }

    /// Superblocks opened so far, as [`Superblock::turn`] counts them.
    pub fn opened(&self) -> u32 {
        self.opened
    }

    /// The open superblock of a stream.
    pub fn open(&self, stream: Stream) -> Option<u32> {
        self.open[stream as usize]
    }

    /// Pages of a superblock that counted do not any more; an empty one is free at once.
    #[inline]
    pub fn lose(&mut self, superblock: u32, count: u32) {
        let block = &mut self.blocks[superblock as usize];
        block.valid -= count;
        if block.slc {
            self.slc.valid -= u64::from(count);
        }
        if block.valid == 0 {
            self.free_if_empty(superblock);
        }
    }

    /// A group of a superblock is in the flash.
    pub fn programmed(&mut self, superblock: u32) {
        self.blocks[superblock as usize].pending -= 1;
        self.pending -= 1;
        self.free_if_empty(superblock);
    }

    fn free_if_empty(&mut self, superblock: u32) {
        let block = &self.blocks[superblock as usize];
        if block.state == State::Closed && block.valid == 0 && block.pending == 0 {
            self.put_free(superblock);
        }
    }

    fn put_free(&mut self, superblock: u32) {
        let block = &mut self.blocks[superblock as usize];
        block.state = State::Free;
        block.dirty = true;
        let fixed = self.slc.is_fixed(superblock);
        if block.journal {
            (block.slc, block.journal) = (false, false);
        } else if block.slc {
            self.slc.gave(superblock);
            block.slc = fixed;
        }
        self.list_free(superblock);
    }

    /// Lists an empty superblock as free, unless it is worn out.
    fn list_free(&mut self, superblock: u32) {
        let fixed = self.slc.is_fixed(superblock);
        if let Some(wear) = &mut self.wear {
            match wear.fate(superblock, fixed) {
                Fate::InService => {}
                Fate::Retired => return self.retire(superblock),
                Fate::AreaFailed => return self.fail_slc_area(superblock),
                Fate::LastOne => self.read_only = true,
            }
        }
        if fixed {
            self.slc.free.push_back(superblock);
        } else {
            self.free.push_back(superblock);
        }
    }

    fn retire(&mut self, superblock: u32) {
        self.blocks[superblock as usize].state = State::Unused;
    }

    /// The fixed area is off for good: what is free of it goes out of service at once, the others
    /// when they have been emptied.
    fn fail_slc_area(&mut self, superblock: u32) {
        self.retire(superblock);
        while let Some(free) = self.slc.free.pop_front() {
            self.retire(free);
        }
    }

    /// The closed superblock with the fewest valid pages (greedy), where moving them frees any. One
    /// of one bit a cell is one of them where it can take all bits afterwards.
    pub fn greedy_victim(&self) -> Option<u32> {
        let candidates = self.blocks.iter().zip(0..).filter(|(block, superblock)| {
            block.state == State::Closed
                && block.pending == 0
                && !(block.slc && self.slc.is_fixed(*superblock))
        });
        let (block, superblock) = candidates.min_by_key(|(block, _)| block.valid)?;
        (block.valid < self.pages).then_some(superblock)
    }

    /// A superblock of one bit a cell that was closed and has all its data in the flash, lowest
    /// number first: superblocks are opened in the order of their numbers at first.
    pub fn slc_victim(&self) -> Option<u32> {
        if self.slc.used == 0 {
            return None;
        }
        let mut slc = self.blocks.iter();
        let found = slc.position(|block| {
            block.slc && !block.journal && block.state == State::Closed && block.pending == 0
        })?;
        Some(found as u32)
    }

    /// Begins to empty a closed superblock.
    pub fn begin_moving(&mut self, superblock: u32) {
        debug_assert_eq!(self.block(superblock).state, State::Closed);
        self.blocks[superblock as usize].state = State::Moving;
        self.moving.push(superblock);
    }

    /// A superblock that was being emptied is a closed one again.
    pub fn stop_moving(&mut self, superblock: u32) {
        self.blocks[superblock as usize].state = State::Closed;
        self.moving.retain(|moving| *moving != superblock);
        self.free_if_empty(superblock);
    }

    /// All that counted in it was moved: it is free.
    pub fn end_moving(&mut self, superblock: u32) {
        debug_assert_eq!(self.block(superblock).valid, 0, "a victim is empty");
        self.moving.retain(|moving| *moving != superblock);
        self.put_free(superblock);
    }

    /// The power has failed: nothing but the superblock of moved data is open any more, and what was not
    /// in the flash yet counts as if it were, but for so many groups of that superblock whose data have
    /// not all come.
    pub fn forget_pending(&mut self, moves_to_come: u32) {
        let moves = self.open[Stream::Move as usize];
        let left = self.left[Stream::Move as usize];
        (self.open, self.left) = ([None; STREAMS], [0; STREAMS]);
        self.open[Stream::Move as usize] = moves;
        self.left[Stream::Move as usize] = left;
        self.pending = 0;
        for superblock in 0..self.blocks.len() as u32 {
            let block = &mut self.blocks[superblock as usize];
            block.pending = 0;
            if moves == Some(superblock) {
                block.pending = moves_to_come;
                self.pending = u64::from(moves_to_come);
            } else if block.state == State::Open {
                block.state = State::Closed;
            }
            self.free_if_empty(superblock);
        }
    }
}
