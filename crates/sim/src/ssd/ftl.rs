//! The flash translation layer: where data lie, which of them are valid, and what makes room.
//!
//! The map ([`l2p`]), the way back with its valid bits ([`p2l`]) and the superblocks
//! ([`block_pool`]) are changed together, and by this file alone, so that they can never disagree:
//! a logical page maps to at most one physical page, that page's way back leads to it, and each
//! superblock's count of valid pages is the number of such pages. [`gc`] moves valid pages to make
//! room, and from the SLC area ([`slc`]) to all bits a cell when the host is idle; `back_pressure`
//! lets the host in as fast as that makes room; blocks wear out ([`wear`]).
//! Writes that do not fill a mapping unit are merged with what was
//! there ([`partial_write`]); a drive may compress what it programs ([`compression`]).

use base::rng::Rng;

use super::flash::layout::{Group, Layout, Lpn, NONE, Ppn};
use super::parameters::{DriveError, Parameters};
use block_pool::{BlockPool, Room, State};
use gc::Relocator;
use l2p::L2p;
use p2l::P2l;
use stream::Stream;
use together::Together;
use wear::Wear;

pub mod block_pool;
pub mod compression;
pub mod gc;
pub mod l2p;
pub mod p2l;
pub mod partial_write;
pub mod slc;
pub mod stream;
mod table;
mod together;
mod trim;
pub mod wear;

/// Most pages of a unit: a bit each in a word says which of them count.
const MOST_UNIT_PAGES: usize = u64::BITS as usize;

/// Map, way back, superblocks, and what is being moved between them.
#[derive(Debug)]
pub struct Ftl {
    /// Where a physical page lies.
    pub layout: Layout,
    /// Logical to physical.
    pub l2p: L2p,
    /// Physical to logical, and what counts.
    pub p2l: P2l,
    /// The superblocks.
    pub pool: BlockPool,
    /// What is being moved.
    pub(super) relocator: Relocator,
    /// A bit for each group that is in the flash; looked at only where some are not.
    programmed: Vec<u64>,
    /// Superblocks with a place up to which a flush saved the pages.
    saved: Vec<(u32, u32)>,
    /// What is moved is not kept apart from the host's data.
    together: Option<Together>,
}

/// What was written at once: part of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Pages.
    pub count: u32,
    /// A group that has all its data now and can be programmed.
    pub completed: Option<Group>,
    /// One bit a cell.
    pub slc: bool,
}

/// Pages that were written one behind the other in a superblock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub superblock: u32,
    /// The first page in it.
    pub place: u32,
    /// Pages.
    pub count: u32,
    /// One bit a cell.
    pub slc: bool,
}

impl Ftl {
    /// An empty drive's.
    ///
    /// # Errors
    /// Where the machine gives no address space for the tables.
    pub fn new(p: &Parameters, seed: u64) -> Result<Ftl, DriveError> {
        let layout = Layout::new(p.geometry, Rng::stream(seed, 0x1a70).next_u64());
        Ok(Ftl {
            l2p: L2p::new(p.logical_pages() as u32)?,
            p2l: P2l::new(p.geometry.superblocks, p.geometry.superblock_pages())?,
            pool: new_pool(p, seed),
            relocator: Relocator::new(p),
            programmed: vec![0; layout.groups() / 64 + 1],
            saved: Vec::new(),
            together: (!p.moves_apart && p.compression.is_none()).then(Together::default),
            layout,
        })
    }

    /// Writes pages for a stream, at most to the end of a unit: `count` pages from `lpn` on, or
    /// padding where that is [`NONE`]. `None` if the stream has no room.
    #[inline]
    pub fn place(&mut self, stream: Stream, lpn: Lpn, count: u32) -> Option<Placed> {
        let (room, opened) = self.pool.room(stream)?;
        if opened {
            self.opened(room.superblock);
        }
        let unit = self.layout.unit_pages();
        let count = count.min(unit - self.layout.in_unit(room.place));
        let ppn = room.superblock * self.layout.superblock_pages() + room.place;
        if lpn != NONE {
            self.forget(lpn, count);
            self.l2p.set(lpn, count, ppn);
        }
        self.p2l.append(room.superblock, room.place, count, lpn);
        if lpn == NONE {
            self.p2l.invalidate(room.superblock, ppn, count);
        }
        self.pool.wrote(stream, room.superblock, count, lpn != NONE);
        Some(self.placed(&room, count))
    }

    /// Writes pages of a unit anew for a stream: those whose bits are set, lowest first, at most to the end of the
    /// unit that they are written to. Takes the bits of those that it wrote. `None` if the stream has no room.
    pub(super) fn place_moved(
        &mut self,
        stream: Stream,
        first: Ppn,
        bits: &mut u64,
    ) -> Option<Placed> {
        let (room, opened) = self.pool.room(stream)?;
        if opened {
            self.opened(room.superblock);
        }
        let unit = self.layout.unit_pages();
        let count = bits
            .count_ones()
            .min(unit - self.layout.in_unit(room.place));
        let (superblock, place) = self.layout.place(first);
        let mut lpns = [NONE; MOST_UNIT_PAGES];
        let lpns = &mut lpns[..count as usize];
        let left = self.p2l.get_all(superblock, place, *bits, lpns);
        let to = room.superblock * self.layout.superblock_pages() + room.place;
        self.l2p.set_all(lpns, to);
        self.p2l.invalidate_bits(superblock, first, *bits & !left);
        self.pool.lose(superblock, count);
        self.p2l.append_all(room.superblock, room.place, lpns);
        self.pool.wrote(stream, room.superblock, count, true);
        if let Some(together) = &mut self.together {
            together.moved(self.layout.group_number(to, room.slc), to..to + count);
        }
        *bits = left;
        Some(self.placed(&room, count))
    }

    /// Pages were written at a place; they may have filled a unit, and that a group.
    #[inline]
    fn placed(&self, room: &Room, count: u32) -> Placed {
        let unit = self.layout.unit_pages();
        let filled = self.layout.in_unit(room.place + count) == 0;
        let completed = if filled {
            let first = room.place + count - unit;
            self.layout
                .group_completed_by(room.superblock, first, room.slc)
        } else {
            None
        };
        Placed {
            count,
            completed,
            slc: room.slc,
        }
    }

    /// Writes pages for a stream, at most to the end of a superblock: `count` pages from `lpn` on.
    /// `None` if the stream has no room.
    #[inline]
    pub fn place_run(&mut self, stream: Stream, lpn: Lpn, count: u32) -> Option<Run> {
        let (room, opened) = self.pool.room(stream)?;
        if opened {
            self.opened(room.superblock);
        }
        let count = count.min(room.left);
        let ppn = room.superblock * self.layout.superblock_pages() + room.place;
        self.forget(lpn, count);
        self.l2p.set(lpn, count, ppn);
        self.p2l.append(room.superblock, room.place, count, lpn);
        self.pool.wrote(stream, room.superblock, count, true);
        Some(Run {
            superblock: room.superblock,
            place: room.place,
            count,
            slc: room.slc,
        })
    }

    #[cold]
    fn opened(&mut self, superblock: u32) {
        self.saved.retain(|(saved, _)| *saved != superblock);
        self.p2l.clear(superblock);
        let groups = self.layout.groups_a_die() as usize * self.layout.geometry().dies as usize;
        let from = superblock as usize * groups;
        for group in from..from + groups {
            self.programmed[group / 64] &= !(1 << (group % 64));
        }
    }

    /// The old places of these pages do not count any more.
    #[inline]
    fn forget(&mut self, lpn: Lpn, count: u32) {
        let (mut lpn, mut left) = (lpn, count);
        while left > 0 {
            let (ppn, run) = self.l2p.run(lpn, left);
            let run = if ppn == NONE {
                run
            } else {
                debug_assert!(
                    self.leads_back(ppn, lpn),
                    "a mapped page's way back leads to it"
                );
                self.invalidate(ppn, run)
            };
            lpn += run;
            left -= run;
        }
    }

    /// Whether a page counts and was written for a logical one.
    fn leads_back(&self, ppn: Ppn, lpn: Lpn) -> bool {
        let (superblock, place) = self.layout.place(ppn);
        self.p2l.is_valid(ppn) && self.p2l.get(superblock, place) == lpn
    }

    /// Takes validity from pages, at most to the end of their superblock; gives how many.
    #[inline]
    fn invalidate(&mut self, ppn: Ppn, count: u32) -> u32 {
        let (superblock, place) = self.layout.place(ppn);
        let count = count.min(self.layout.superblock_pages() - place);
        self.p2l.invalidate(superblock, ppn, count);
        self.pool.lose(superblock, count);
        count
    }

    /// The host needs these pages no longer.
    pub fn trim(&mut self, lpn: Lpn, count: u32) {
        self.forget(lpn, count);
        self.l2p.set(lpn, count, NONE);
    }

    /// Bits of the pages of a unit that count, lowest page first.
    #[inline(always)]
    pub fn valid_in_unit(&self, first: Ppn) -> u64 {
        let unit = self.layout.unit_pages();
        let (superblock, place) = self.layout.place(first);
        let bits = self.p2l.valid_bits(first, unit);
        // A superblock that was closed early may end inside a unit.
        match self.pool.block(superblock).written.saturating_sub(place) {
            0 => 0,
            written if written < unit => bits & (u64::MAX >> (64 - written)),
            _ => bits,
        }
    }

    /// Whether a written page is in the flash, not only in DRAM.
    #[inline]
    pub fn is_programmed(&self, ppn: Ppn) -> bool {
        if !self.pool.any_pending() {
            return true;
        }
        let (superblock, _) = self.layout.place(ppn);
        let block = self.pool.block(superblock);
        if block.pending == 0 {
            return true;
        }
        let group = self.layout.group_number(ppn, block.slc);
        self.programmed[group / 64] >> (group % 64) & 1 == 1
    }

    /// A group is in the flash.
    ///
    /// # Panics
    /// In debug builds, where it was there already: a page is programmed once after an erase.
    pub fn group_programmed(&mut self, group: &Group) {
        let number = self.layout.number(group);
        let bit = 1 << (number % 64);
        debug_assert_eq!(self.programmed[number / 64] & bit, 0, "programmed twice");
        self.programmed[number / 64] |= bit;
        self.pool.programmed(group.superblock);
    }

    /// How many pages of a group that is in the flash now were moved there beside the host's.
    #[inline]
    pub(super) fn moved_beside(&mut self, group: &Group) -> u32 {
        let together = self.together.as_mut();
        together.map_or(0, |it| it.programmed(self.layout.number(group)))
    }

    /// A flush has saved what was written of a superblock before a place.
    pub(super) fn save(&mut self, superblock: u32, place: u32) {
        let pool = &self.pool;
        self.saved
            .retain(|(saved, _)| *saved != superblock && pool.block(*saved).pending > 0);
        self.saved.push((superblock, place));
    }

    /// Whether a page is in the flash, or was saved by a flush.
    pub(super) fn is_safe(&self, ppn: Ppn) -> bool {
        let (superblock, place) = self.layout.place(ppn);
        let saved = |&(saved, before): &(u32, u32)| saved == superblock && place < before;
        let block = self.pool.block(superblock);
        let was_moved =
            |together: &Together| together.has(self.layout.group_number(ppn, block.slc), ppn);
        block.own
            || self.is_programmed(ppn)
            || self.saved.iter().any(saved)
            || self.together.as_ref().is_some_and(was_moved)
    }

    /// Pages, of any stream and padding too, that have a place and are not programmed there yet.
    pub(super) fn waiting_pages(&self) -> u64 {
        let pages = self.layout.superblock_pages();
        let blocks = self.pool.blocks().iter().zip(0..);
        let pending = blocks.filter(|(block, _)| block.pending > 0);
        let places = pending.flat_map(|(block, superblock)| {
            (0..block.written).map(move |at| superblock * pages + at)
        });
        places.filter(|ppn| !self.is_programmed(*ppn)).count() as u64
    }

    /// The host's pages that count, are not in the flash and were saved by no flush.
    pub(super) fn unprogrammed(&self) -> Vec<Lpn> {
        let pages = self.layout.superblock_pages();
        let mut found = Vec::new();
        for (block, superblock) in self.pool.blocks().iter().zip(0..) {
            if block.pending == 0 || block.own {
                continue;
            }
            let places = (0..block.written).map(|place| (place, superblock * pages + place));
            let waiting = places.filter(|(_, ppn)| self.p2l.is_valid(*ppn) && !self.is_safe(*ppn));
            found.extend(waiting.map(|(place, _)| self.p2l.get(superblock, place)));
        }
        found
    }

    /// The power has failed: nothing is being moved or programmed any more. Gives how many pages had a
    /// place and will not be programmed there.
    ///
    /// The superblock that moved data go to is taken up again where it was left, as firmware does when
    /// the power returns: closed, it would leave the victim with less room than it needs, and a few cuts
    /// in a row would use up the reserve that lets collection make room at all.
    pub(super) fn power_cut(&mut self) -> u64 {
        let waited = self.waiting_pages();
        self.relocator.power_cut(&mut self.pool);
        if let Some(together) = &mut self.together {
            together.clear();
        }
        let moves = self.pool.open(Stream::Move);
        let to_come = moves.map_or(0, |open| self.groups_to_come(open));
        self.pool.forget_pending(to_come);
        let waits = self.waiting_pages();
        self.relocator.waits_for_programs(waits);
        waited - waits
    }

    /// Marks those groups of a superblock as programmed that have all their data; gives how many others
    /// there are.
    fn groups_to_come(&mut self, superblock: u32) -> u32 {
        let geometry = *self.layout.geometry();
        let block = *self.pool.block(superblock);
        let unit = geometry.unit_pages();
        let mut to_come = geometry.groups_a_die() * geometry.data_dies();
        for filled in 0..block.written / unit {
            let completed = self
                .layout
                .group_completed_by(superblock, filled * unit, block.slc);
            if let Some(group) = completed {
                let number = self.layout.number(&group);
                self.programmed[number / 64] |= 1 << (number % 64);
                to_come -= 1;
            }
        }
        to_come
    }

    /// Bytes of memory that the tables take.
    pub fn memory(&self) -> usize {
        let bits = size_of_val(self.programmed.as_slice());
        self.l2p.memory() + self.p2l.memory() + bits + size_of_val(self.pool.blocks())
    }

    /// Checks that map, way back and counts agree.
    ///
    /// # Errors
    /// The first disagreement, in words.
    pub fn check(&self) -> Result<(), String> {
        self.pool.check()?;
        let pages = self.layout.superblock_pages();
        let mut mapped = vec![0_u32; self.pool.blocks().len()];
        for lpn in 0..self.l2p.pages() {
            let ppn = self.l2p.get(lpn);
            if ppn == NONE {
                continue;
            }
            let (superblock, place) = self.layout.place(ppn);
            mapped[superblock as usize] += 1;
            if self.p2l.get(superblock, place) != lpn || !self.p2l.is_valid(ppn) {
                return Err(format!(
                    "page {lpn} is at {ppn}, whose way back leads elsewhere"
                ));
            }
        }
        for (superblock, block) in self.pool.blocks().iter().enumerate() {
            if block.valid != mapped[superblock] {
                return Err(format!(
                    "superblock {superblock} counts {} valid pages, the map {}",
                    block.valid, mapped[superblock]
                ));
            }
            let bits = (0..block.written)
                .filter(|place| self.p2l.is_valid(superblock as u32 * pages + place))
                .count() as u32;
            if block.state != State::Free && bits != block.valid {
                return Err(format!(
                    "superblock {superblock} counts {} valid pages, its bits {bits}",
                    block.valid
                ));
            }
        }
        Ok(())
    }
}

fn new_pool(p: &Parameters, seed: u64) -> BlockPool {
    let mut pool = BlockPool::new(&p.geometry, p.slc, p.unused_superblocks, p.reserves);
    if let Some(limits) = p.wear {
        pool.wears(Wear::new(
            limits,
            p.geometry.superblocks,
            p.slc.fixed,
            p.tlc_superblocks(),
            p.needed_superblocks(),
            seed,
        ));
    }
    pool
}
