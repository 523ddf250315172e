//! The drive's own work: garbage collection and folding.
//!
//! Both empty a superblock: unit by unit, what is still valid in it is read, moved through the
//! controller and written by the drive's own stream; then the superblock is free. Collection takes
//! the superblock with the fewest valid pages (greedy). While the host writes, it is paced by the
//! debt that these writes make, and the host by how fast it is paid (`back_pressure`).
//! When the host is idle, the SLC area is folded and free superblocks are collected up to a level.
//!
//! Dies and channels return the units out of order. They are written in the order of their requests
//! all the same: firmware gathers the pages of a program in order. Otherwise folding and collection
//! would scatter sequential data, which would then be read slowly for ever.

use std::collections::VecDeque;

use base::size::{Bytes, PicosPerByte};
use base::time::Instant;

use self::back_pressure::Debt;
use crate::event_log::Event;
use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::{NONE, PAGE, Ppn};
use crate::ssd::ftl::block_pool::BlockPool;
use crate::ssd::ftl::stream::Stream;
use crate::ssd::operations::{IDLE, Op, Stage};
use crate::ssd::parameters::Parameters;

mod back_pressure;

/// Map entries looked at together; a unit's 64 pages at least.
const TOGETHER: usize = 64;

/// What a victim is emptied for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Collect,
    Fold,
}

impl Purpose {
    fn event(self) -> Event {
        match self {
            Purpose::Collect => Event::Collection,
            Purpose::Fold => Event::Folding,
        }
    }
}

/// A superblock that is being emptied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Victim {
    pub(super) superblock: u32,
    /// Pages of it that counted when it was chosen.
    pub(super) valid: u32,
    /// Room that moving a page of it makes.
    pub(super) worth: i64,
    /// First page of the next unit to be read.
    cursor: u32,
    end: u32,
    /// The map's entries of pages before this one were looked at.
    seen: u32,
    /// Units that are being read.
    pub(super) reading: u32,
}

/// A unit that was asked for, to be moved.
#[derive(Clone, Copy, Debug)]
struct Asked {
    /// Its first page.
    first: Ppn,
    purpose: Purpose,
    /// Its data are in the controller.
    came: bool,
}

/// Units that are being read, in the order of their rewriting.
#[derive(Clone, Debug, Default)]
struct Line {
    asked: VecDeque<Asked>,
    /// The number of the first of them.
    first: u32,
}

impl Line {
    /// One more is asked for; gives its number.
    fn ask(&mut self, first: Ppn, purpose: Purpose) -> u32 {
        let number = self.first.wrapping_add(self.asked.len() as u32);
        self.asked.push_back(Asked {
            first,
            purpose,
            came: false,
        });
        number
    }

    /// A unit's data have come.
    fn came(&mut self, number: u32) {
        let place = number.wrapping_sub(self.first) as usize;
        if let Some(asked) = self.asked.get_mut(place) {
            asked.came = true;
        }
    }

    /// The next unit in order, where it has come.
    fn next(&mut self) -> Option<Asked> {
        let asked = *self.asked.front().filter(|asked| asked.came)?;
        self.asked.pop_front();
        self.first = self.first.wrapping_add(1);
        Some(asked)
    }
}

/// What is being moved, and how fast.
#[derive(Clone, Debug)]
pub struct Relocator {
    pub(super) collect: Option<Victim>,
    pub(super) fold: Option<Victim>,
    line: Line,
    debt: Debt,
    /// Pages moved and not programmed yet.
    pub(super) unprogrammed: u64,
    most_unprogrammed: u64,
    most_reading: u32,
    most_host_ahead: i64,
    /// No page is folded at rest before this time.
    fold_clock: Instant,
}

impl Relocator {
    /// Nothing to move yet.
    pub fn new(p: &Parameters) -> Relocator {
        let all_dies = u64::from(p.geometry.row_pages() * p.geometry.bits);
        Relocator {
            collect: None,
            fold: None,
            line: Line::default(),
            debt: Debt::default(),
            unprogrammed: 0,
            most_unprogrammed: 3 * all_dies,
            most_reading: (2 * p.geometry.dies).min(400),
            most_host_ahead: back_pressure::most_host_ahead(p),
            fold_clock: Instant::ZERO,
        }
    }

    /// Pages are folded: the next ones wait for their turn.
    fn paced(&mut self, now: Instant, pace: PicosPerByte, pages: u32) {
        let time = pace.time_for(Bytes::new(u64::from(pages) * PAGE));
        self.fold_clock = now.max(self.fold_clock) + time;
    }

    /// Moved pages are in the flash.
    pub(in crate::ssd) fn programmed(&mut self, pages: u32) {
        self.unprogrammed = self.unprogrammed.saturating_sub(u64::from(pages));
    }

    /// The power has failed: victims are closed superblocks again.
    pub(in crate::ssd) fn power_cut(&mut self, pool: &mut BlockPool) {
        for victim in [self.collect.take(), self.fold.take()]
            .into_iter()
            .flatten()
        {
            pool.stop_moving(victim.superblock);
        }
        self.line = Line::default();
        self.debt = Debt::default();
    }

    /// So many moved pages wait for others that make up a program with them.
    pub(in crate::ssd) fn waits_for_programs(&mut self, pages: u64) {
        self.unprogrammed = pages;
    }

    fn victim(&mut self, purpose: Purpose) -> &mut Option<Victim> {
        match purpose {
            Purpose::Collect => &mut self.collect,
            Purpose::Fold => &mut self.fold,
        }
    }
}

impl Drive {
    /// The timer went off: where the host is idle, the drive begins its own work.
    pub(in crate::ssd) fn look_whether_idle(&mut self, now: Instant) {
        self.front.timer = Instant::MAX;
        if !self.front.is_idle(now) {
            let from = if self.front.in_flight > 0 {
                now
            } else {
                self.front.last_active
            };
            self.front.set_timer(from + self.front.idle_after);
            return;
        }
        if self.may_fold_at_rest(now) {
            self.close_slc(now);
        }
        self.pump(now);
    }

    /// Whether the rest has lasted long enough for folding; sets the timer where it has not.
    fn may_fold_at_rest(&mut self, now: Instant) -> bool {
        let policy = &self.p.slc;
        let from = self.front.last_active + self.front.idle_after + policy.fold_after;
        let due = from.max(self.ftl.relocator.fold_clock);
        if now < due && self.ftl.pool.wants_folding() {
            self.front.set_timer(self.front.timer.min(due));
        }
        now >= due
    }

    /// Begins as much of the drive's own work as may be under way now.
    #[inline]
    pub(in crate::ssd) fn pump(&mut self, now: Instant) {
        if !self.has_room_and_a_host() {
            self.begin_moves(now);
        }
    }

    /// The usual case: nothing is being emptied, there is room, and the host is not idle.
    #[inline]
    fn has_room_and_a_host(&self) -> bool {
        let (pool, relocator) = (&self.ftl.pool, &self.ftl.relocator);
        relocator.collect.is_none()
            && relocator.fold.is_none()
            && self.front.in_flight > 0
            && pool.free() >= self.p.reserves.collect_below
            && !pool.folds_beside_the_host()
    }

    fn begin_moves(&mut self, now: Instant) {
        if self.ftl.pool.is_read_only() && self.front.in_flight == 0 {
            return;
        }
        let idle = self.front.is_idle(now);
        while self.next_move(now, idle) {}
        if idle && self.ftl.relocator.collect.is_none() && self.ftl.relocator.fold.is_none() {
            // Work that the host interrupts continues when the host is idle again.
            self.front.idle_work = self.ftl.pool.wants_folding();
        }
    }

    /// Reads one unit to be moved, or chooses a victim; false where there is nothing to begin.
    fn next_move(&mut self, now: Instant, idle: bool) -> bool {
        if !self.ops.may_take()
            || self.ftl.relocator.unprogrammed >= self.ftl.relocator.most_unprogrammed
            || self.reading() >= self.ftl.relocator.most_reading
        {
            return false;
        }
        if self.collects(idle) {
            return self.read_or_end(now, Purpose::Collect);
        }
        let folds = if idle {
            self.may_fold_at_rest(now) && self.folds()
        } else {
            self.ftl.pool.folds_beside_the_host() && self.folds()
        };
        folds && self.read_or_end(now, Purpose::Fold)
    }

    pub(super) fn begin_victim(&mut self, superblock: u32, purpose: Purpose) -> Victim {
        let worth = self.worth(superblock, purpose);
        self.ftl.pool.begin_moving(superblock);
        Victim {
            superblock,
            valid: self.ftl.pool.block(superblock).valid,
            worth,
            cursor: 0,
            seen: 0,
            end: self.ftl.pool.block(superblock).written,
            reading: 0,
        }
    }

    pub(super) fn reading(&self) -> u32 {
        let of = |victim: &Option<crate::ssd::ftl::gc::Victim>| victim.map_or(0, |v| v.reading);
        let relocator = &self.ftl.relocator;
        of(&relocator.collect) + of(&relocator.fold)
    }

    /// Whether a unit is to be collected now; chooses a victim where there is none.
    fn collects(&mut self, idle: bool) -> bool {
        let reserves = &self.p.reserves;
        let free = self.ftl.pool.free();
        let urgent = self.is_short();
        if self.ftl.relocator.collect.is_none() {
            // Folding comes first when idle, unless it could not continue.
            let level = if idle && !self.ftl.pool.wants_folding() {
                reserves.collect_idle_below
            } else {
                reserves.collect_below
            };
            if free >= level || !self.choose_victim(idle && !urgent) {
                return false;
            }
        }
        // A host that waits for folding writes nothing that would make a debt, and the victim may
        // be the very superblock that it waits for.
        urgent || idle || self.ftl.relocator.debt.is_owed() || self.ftl.pool.folds_beside_the_host()
    }

    /// Takes the next victim of collection. `worth` leaves those alone that would give little.
    fn choose_victim(&mut self, worth: bool) -> bool {
        let Some(superblock) = self.ftl.pool.greedy_victim() else {
            return false;
        };
        let pages = self.ftl.layout.superblock_pages();
        let valid = self.ftl.pool.block(superblock).valid;
        if worth && valid > pages - pages / 16 {
            return false;
        }
        self.ftl.relocator.collect = Some(self.begin_victim(superblock, Purpose::Collect));
        true
    }

    /// Whether a unit is to be folded now; chooses a superblock where there is none.
    fn folds(&mut self) -> bool {
        if !self.ftl.pool.may_fold() {
            return false;
        }
        if self.ftl.relocator.fold.is_some() {
            return true;
        }
        if self.front.in_flight == 0 && !self.ftl.pool.wants_folding() {
            return false;
        }
        let Some(superblock) = self.ftl.pool.slc_victim() else {
            return false;
        };
        self.ftl.relocator.fold = Some(self.begin_victim(superblock, Purpose::Fold));
        true
    }

    /// Reads the victim's next unit that holds anything valid; frees the victim where none is left.
    pub(super) fn read_or_end(&mut self, now: Instant, purpose: Purpose) -> bool {
        let Some(mut victim) = *self.ftl.relocator.victim(purpose) else {
            return false;
        };
        let found = self.next_unit(&mut victim);
        let Some((first, bits)) = found else {
            let empty = victim.reading == 0;
            *self.ftl.relocator.victim(purpose) = (!empty).then_some(victim);
            if empty {
                self.victim_empty(now, &victim, purpose);
            }
            return empty;
        };
        if victim.seen == 0 {
            self.log.note(now, purpose.event());
        }
        let pages = bits.count_ones();
        self.front.controller.move_pages(now, u64::from(pages));
        let unit = self.ftl.layout.unit_pages();
        let (die, end) = self
            .flash
            .read(now, (first, unit), &self.ftl, &mut self.ops);
        self.touch_ahead(&mut victim);
        let op = Op {
            stage: Stage::MoveBus,
            die: die as u16,
            pages: pages as u16,
            index: self.ftl.relocator.line.ask(first, purpose),
            stream: Stream::Move,
            ..IDLE
        };
        let number = self.ops.take(op).expect("next_move saw that one is free");
        self.ops.overtakers += 1;
        self.fetch(end, number, first);
        victim.reading += 1;
        self.ftl.relocator.debt.pay(pages, victim.worth);
        if purpose == Purpose::Fold {
            self.ftl.relocator.paced(now, self.p.slc.fold_pace, pages);
        }
        *self.ftl.relocator.victim(purpose) = Some(victim);
        true
    }

    /// The next unit with valid pages, from the cursor on: its first page and its valid bits.
    fn next_unit(&self, victim: &mut Victim) -> Option<(Ppn, u64)> {
        let unit = self.ftl.layout.unit_pages();
        let base = victim.superblock * self.ftl.layout.superblock_pages();
        while victim.cursor < victim.end {
            let first = base + victim.cursor;
            victim.cursor += unit;
            let bits = self.ftl.valid_in_unit(first);
            if bits != 0 {
                return Some((first, bits));
            }
        }
        None
    }

    /// Looks at the map's entries of pages that will be moved soon, many at a time, once the unit
    /// before the victim's cursor is not among those that were looked at.
    fn touch_ahead(&mut self, victim: &mut Victim) {
        if victim.cursor <= victim.seen {
            return;
        }
        let unit = self.ftl.layout.unit_pages();
        let base = victim.superblock * self.ftl.layout.superblock_pages();
        let mut lpns = [0; TOGETHER];
        let mut count = 0;
        let mut place = victim.cursor - unit;
        while place < victim.end && count + unit as usize <= TOGETHER {
            let mut bits = self.ftl.valid_in_unit(base + place);
            while bits != 0 {
                let page = place + bits.trailing_zeros();
                lpns[count] = self.ftl.p2l.get(victim.superblock, page);
                count += 1;
                bits &= bits - 1;
            }
            place += unit;
        }
        victim.seen = place;
        let mut entries = [NONE; TOGETHER];
        self.ftl
            .l2p
            .touch_all(&lpns[..count], &mut entries[..count]);
        let seen = entries.iter().fold(0, |seen, entry| seen ^ entry);
        self.touch(seen);
    }

    fn victim_empty(&mut self, now: Instant, victim: &Victim, purpose: Purpose) {
        self.ftl.pool.end_moving(victim.superblock);
        if purpose == Purpose::Collect {
            self.counters.collections += 1;
        }
        self.begin_flushes(now);
        self.ask_for_data(now);
    }

    /// A unit's data have come: it is written again, and those after it that waited for it.
    pub(in crate::ssd) fn move_event(&mut self, at: Instant, number: u32, op: &Op) {
        self.ops.release(number);
        self.ops.overtakers -= 1;
        self.ftl.relocator.line.came(op.index);
        while let Some(asked) = self.ftl.relocator.line.next() {
            self.rewrite(at, &asked);
        }
        self.pump(at);
        self.ask_for_data(at);
    }

    fn rewrite(&mut self, at: Instant, asked: &Asked) {
        if let Some(victim) = self.ftl.relocator.victim(asked.purpose) {
            victim.reading -= 1;
        }
        let slc = self
            .ftl
            .pool
            .block(self.ftl.layout.place(asked.first).0)
            .slc;
        let moved = self.relocate(at, asked);
        if slc {
            self.counters.folded_pages += moved;
        } else {
            self.counters.collected_pages += moved;
        }
    }

    /// Writes what is still valid in a unit that was read; gives how many pages that was.
    fn relocate(&mut self, at: Instant, asked: &Asked) -> u64 {
        let mut bits = self.ftl.valid_in_unit(asked.first);
        let moved = u64::from(bits.count_ones());
        let stream = match self.ftl.together {
            Some(_) => Stream::Host,
            None => Stream::Move,
        };
        while bits != 0 {
            let placed = self.ftl.place_moved(stream, asked.first, &mut bits);
            let placed = placed.expect("collection always has a superblock in reserve");
            if stream == Stream::Host {
                self.write_cache.flushes.placed(placed.count);
            }
            if let Some(group) = placed.completed {
                self.send(at, group, stream, false);
            }
        }
        self.ftl.relocator.unprogrammed += moved;
        moved
    }
}
