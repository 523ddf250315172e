//! The drive: commands and flash operations on their way from resource to resource.
//!
//! Each operation under way has one slot of the agenda; what happens at its moment depends on its
//! [`Stage`]. A resource that serves in order of arrival (link, controller, channel) is a moment
//! until which it is taken, moved on only when something really arrives there: reserving ahead, in
//! the order of submission, would lose a third of a drive's random reads. Reads are in
//! `reading`, writes and programs in `flow`, the drive's own work in [`super::collection`].

use std::collections::VecDeque;

use base::io::{Fill, Io, Op as Operation};
use base::size::Bytes;
use base::target::{Info, Outcome, Tag};
use base::time::{Duration, Instant};
use base::workload::Span;

use super::audit::Account;
use super::buffer::Buffer;
use super::channel::Channel;
use super::collection::Mover;
use super::completing::Completing;
use super::compression::Compression;
use super::controller::Controller;
use super::die::{Die, Turn};
use super::flow::{Flushes, Path, Writes};
use super::map_cache::MapCache;
use super::nand::{Lpn, NONE, PAGE};
use super::ops::{Ops, Stage};
use super::page_types::PageTypes;
use super::parameters::{DriveError, Parameters};
use super::power::Volatile;
use super::read_ahead::ReadAhead;
use super::retention::Retention;
use super::sub_unit::SubUnits;
use super::thermal::Thermal;
use super::translation::Translation;
use super::without_op::WithoutOp;
use super::write_through::WriteThrough;
use crate::agenda::Agenda;
use crate::interface::link::Link;
use crate::model::{Finished, Model};

/// Most I/Os of one hint that are looked at.
const MOST_HINTED: usize = 64;

/// "Invalid argument", for an I/O outside the drive.
const EINVAL: i32 = 22;

/// A command of the host, by tag.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) op: Operation,
    /// Next byte to be asked for (reads) or placed (writes).
    pub(super) at: u64,
    /// First byte after the command.
    pub(super) end: u64,
    /// Bytes of a read that have not gone over the link yet.
    pub(super) left: u64,
    /// Units that a write covers in part, whose old data it waits for.
    pub(super) merges: u16,
    /// A write's data have come.
    pub(super) arrived: bool,
    /// What written data look like.
    pub(super) fill: Fill,
    /// Sectors by which a log's places lie before its addresses.
    pub(super) shift: u64,
    /// The error that it ends with; none where zero.
    pub(super) error: i32,
}

impl Request {
    /// True where all its bytes have moved, or none were to.
    fn is_whole(&self) -> bool {
        match self.op {
            _ if self.error != 0 => true,
            Operation::Read => self.left == 0,
            Operation::Write => self.at == self.end,
            Operation::Trim | Operation::Flush => true,
        }
    }
}

/// What the drive has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Pages of 4 KiB written for the host, the rest of its units included.
    pub host_pages: u64,
    /// Of these, straight to all bits a cell.
    pub direct_pages: u64,
    /// Pages that collection moved.
    pub collected_pages: u64,
    /// Pages moved from the SLC area.
    pub folded_pages: u64,
    /// Pages programmed, padding included.
    pub programmed_pages: u64,
    /// Superblocks emptied by collection.
    pub collections: u64,
    /// Bytes that the host wrote.
    pub host_bytes: u64,
    /// Blocks erased, each die's share of a superblock for itself.
    pub erased_blocks: u64,
}

/// A modelled solid-state drive.
#[derive(Debug)]
pub struct Drive {
    pub(super) p: Parameters,
    pub(super) t: Translation,
    pub(super) agenda: Agenda,
    /// When the transfer under way on each channel ends.
    pub(super) transfers: Agenda,
    pub(super) ops: Ops,
    pub(super) link: Link,
    pub(super) controller: Controller,
    pub(super) dies: Vec<Die>,
    pub(super) channels: Vec<Channel>,
    /// The channel's time for so many pages.
    pub(super) bus_times: Vec<Duration>,
    pub(super) path: Path,
    pub(super) buffer: Buffer,
    pub(super) writes: Writes,
    pub(super) flushes: Flushes,
    pub(super) volatile: Volatile,
    pub(super) mover: Mover,
    pub(super) map_cache: Option<Box<MapCache>>,
    pub(super) read_ahead: Option<Box<ReadAhead>>,
    pub(super) sub_units: Option<SubUnits>,
    pub(super) write_through: Option<WriteThrough>,
    pub(super) compression: Option<Compression>,
    pub(super) thermal: Option<Box<Thermal>>,
    pub(super) page_types: Option<PageTypes>,
    pub(super) retention: Option<Retention>,
    pub(super) requests: Vec<Request>,
    /// Commands whose completion is on the link, in order: the link serves them so.
    pub(super) completing: Completing,
    /// The first of them, or the timer.
    ahead: Instant,
    /// Reads that found no free operation for their next page.
    pub(super) stalled_reads: VecDeque<u32>,
    pub(super) without_op: WithoutOp,
    pub(super) in_flight: u32,
    /// Things under way that could reach a die before a read that has yet to pass the controller:
    /// while there are none, reads are given to their die at once.
    pub(super) unquiet: u32,
    keeps_order: bool,
    pub(super) last_active: Instant,
    pub(super) idle_work: bool,
    /// When to find out whether the host is idle; [`Instant::MAX`] where nobody asked for it.
    pub(super) timer: Instant,
    pub(super) counters: Counters,
    pub(super) account: Account,
    touched: u64,
}

impl Drive {
    /// A drive as it leaves the factory; the seed draws where its rows begin.
    ///
    /// # Errors
    /// Where the parts do not fit together, or there is no memory for the tables.
    pub fn new(p: Parameters, seed: u64) -> Result<Drive, DriveError> {
        p.check()?;
        // What one operation moves: a unit, or a map page.
        let map_page = p.map_cache.map_or(0, |caching| caching.pages);
        let most_pages = u64::from(p.geometry.unit_pages().max(map_page));
        let request = Request {
            op: Operation::Flush,
            at: 0,
            end: 0,
            left: 0,
            merges: 0,
            arrived: false,
            fill: Fill::FRESH,
            shift: 0,
            error: 0,
        };
        let controller = Controller::new(p.controller);
        Ok(Drive {
            t: Translation::new(&p, seed)?,
            agenda: Agenda::new(p.queue as usize),
            transfers: Agenda::new(p.geometry.channels as usize),
            ops: Ops::default(),
            link: Link::new(p.link),
            keeps_order: controller.keeps_order(),
            controller,
            dies: vec![Die::default(); p.geometry.dies as usize],
            channels: vec![Channel::default(); p.geometry.channels as usize],
            page_types: p
                .page_types
                .map(|spread| PageTypes::new(p.timings.read, spread)),
            bus_times: (0..=most_pages)
                .map(|pages| p.timings.bus.time_for(Bytes::new(pages * PAGE)))
                .collect(),
            path: Path::default(),
            buffer: Buffer::new(p.buffer.get() / PAGE),
            writes: Writes::default(),
            flushes: Flushes::default(),
            volatile: Volatile::new(),
            mover: Mover::new(&p),
            thermal: p.thermal.map(|heating| Box::new(Thermal::new(heating))),
            read_ahead: p.read_ahead.map(|rules| Box::new(ReadAhead::new(rules))),
            map_cache: p.map_cache.map(|caching| {
                let pages = p.logical_pages() as u32;
                Box::new(MapCache::new(caching, pages, p.queue, seed))
            }),
            sub_units: p.sub_unit.map(SubUnits::new),
            write_through: p.write_through.map(WriteThrough::new),
            compression: p.compression.map(Compression::new),
            retention: p
                .retention
                .map(|fading| Retention::new(fading, p.geometry.superblocks)),
            requests: vec![request; p.queue as usize],
            completing: Completing::default(),
            ahead: Instant::MAX,
            stalled_reads: VecDeque::new(),
            without_op: WithoutOp::default(),
            in_flight: 0,
            unquiet: 0,
            last_active: Instant::ZERO,
            idle_work: false,
            timer: Instant::MAX,
            counters: Counters::default(),
            account: Account::default(),
            touched: 0,
            p,
        })
    }

    /// What it has done so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// What it is made of.
    pub fn parameters(&self) -> &Parameters {
        &self.p
    }

    /// Map, way back and space: to look at.
    pub fn translation(&self) -> &Translation {
        &self.t
    }

    /// Bytes of memory that the tables take whose size grows with the drive's.
    pub fn memory(&self) -> usize {
        self.t.memory()
    }

    /// Gives an operation its moment.
    #[inline]
    pub(super) fn set(&mut self, number: u32, at: Instant) {
        self.agenda.set(number as usize, at);
    }

    /// An operation waits for something that has no moment yet.
    #[inline]
    pub(super) fn without_moment(&mut self, number: u32) {
        self.agenda.clear(number as usize);
    }

    /// An operation has nothing more to come.
    #[inline]
    pub(super) fn end_op(&mut self, number: u32) {
        self.agenda.clear(number as usize);
        self.ops.release(number);
    }

    /// A table's entry was looked at ahead of its use: keeps the look from being optimised away.
    #[inline]
    pub(super) fn touch(&mut self, entry: u32) {
        self.touched ^= u64::from(entry);
    }

    /// A command is complete.
    #[inline]
    pub(super) fn finish(&mut self, at: Instant, tag: u32, done: &mut Vec<Finished>) {
        self.in_flight -= 1;
        self.last_active = at;
        debug_assert!(
            self.requests[tag as usize].is_whole(),
            "all bytes of a command have moved when it ends"
        );
        let outcome = match self.requests[tag as usize].error {
            0 => Outcome::Complete,
            error => Outcome::Failed(error),
        };
        done.push(Finished {
            tag: Tag(tag),
            at,
            outcome,
        });
        if self.idle_work {
            self.arm(at);
        }
    }

    /// Follows what a die does next.
    pub(super) fn follow(&mut self, turn: Turn) {
        match turn {
            Turn::Nothing => {}
            Turn::Later(op, at) => {
                self.ops.get_mut(op).stage = Stage::ProgramTurn;
                self.set(op, at);
            }
            Turn::Begun(op, end) => {
                self.ops.get_mut(op).stage = Stage::ProgramCell;
                self.set(op, end);
            }
        }
    }

    /// A command without data has ended: its completion takes the link.
    pub(super) fn status(&mut self, now: Instant, tag: u32) {
        let end = self.link.status(now);
        self.unquiet -= 1;
        self.completes(end, tag);
    }

    /// Refuses an I/O: one outside the drive, or a write where the drive is worn out.
    pub(super) fn refuse(&mut self, now: Instant, tag: u32, error: i32) {
        self.requests[tag as usize].error = error;
        self.unquiet += 1;
        let at = self.link.command(now);
        self.carry(Stage::Refused, tag, at);
    }

    /// What comes first: the moment, the operation, and whether a channel has moved it. At equal
    /// times the lower operation.
    #[inline(always)]
    fn first(&self) -> (Instant, u32, bool) {
        let (at, number) = self.agenda.first_or_never();
        let (end, moved) = self.transfers.first_or_never();
        if (end, moved) < (at, number) {
            (end, moved as u32, true)
        } else {
            (at, number as u32, false)
        }
    }

    #[inline(always)]
    fn event(&mut self, at: Instant, number: u32, on_channel: bool) {
        if on_channel {
            self.transferred(at, number);
        } else {
            self.other_event(at, number);
        }
    }

    /// A channel has moved what an operation asked it for.
    #[inline(always)]
    fn transferred(&mut self, at: Instant, number: u32) {
        let moved = self.passed_channel(at, number);
        if self.ops.get(number).stage == Stage::ReadBus {
            self.read_on_link(at, number);
        } else {
            self.other_transferred(at, number, moved);
        }
    }

    /// What is not on a small read's way: kept apart, so that the way is short.
    #[inline(never)]
    fn other_transferred(&mut self, at: Instant, number: u32, moved: u16) {
        let op = *self.ops.get(number);
        match op.stage {
            Stage::ProgramBus => self.program_on_bus(at, number, moved),
            Stage::MoveBus => self.move_event(at, number, &op),
            Stage::MapBus => self.map_event(at, number, &op),
            Stage::AheadBus => self.ahead_event(at, number, &op),
            _ => self.merge_event(at, number, &op),
        }
    }

    #[inline(never)]
    fn other_event(&mut self, at: Instant, number: u32) {
        let op = *self.ops.get(number);
        match op.stage {
            // Its data were in DRAM.
            Stage::ReadBus => {
                self.without_moment(number);
                self.read_on_link(at, number);
            }
            Stage::ReadAsk => {
                self.unquiet -= 1;
                self.end_op(number);
                self.ask_all(at, u32::from(op.tag));
            }
            Stage::Refused => {
                self.end_op(number);
                self.status(at, u32::from(op.tag));
            }
            Stage::MapAsk => self.map_event(at, number, &op),
            _ => self.write_event(at, number, &op),
        }
    }

    /// A command's completion is on the link until a moment.
    #[inline]
    pub(super) fn completes(&mut self, end: Instant, tag: u32) {
        self.completing.push(end, tag);
        self.ahead = self.ahead.min(end);
    }

    /// Sets when to find out whether the host is idle.
    pub(super) fn set_timer(&mut self, at: Instant) {
        self.timer = at;
        self.ahead = self.ahead.min(at);
    }

    /// Finds out what comes next beside the agenda's events.
    #[inline]
    fn look_ahead(&mut self) {
        self.ahead = self.completing.next().min(self.timer);
    }

    /// The next completion on the link, or the timer: whichever made [`Drive::ahead`].
    #[inline(always)]
    fn completion_or_timer(&mut self, done: &mut Vec<Finished>) {
        let ahead = self.ahead;
        if ahead == Instant::MAX {
            return;
        }
        if self.completing.next() == ahead {
            let tag = self.completing.take();
            self.finish(ahead, tag, done);
        } else {
            self.look_whether_idle(ahead);
        }
        self.look_ahead();
    }
}

impl Model for Drive {
    fn info(&self) -> Info {
        Info {
            capacity: self.p.capacity,
            block: Bytes::SECTOR,
            max_in_flight: self.p.queue,
            writable: true,
        }
    }

    fn hint(&mut self, upcoming: &[Io]) {
        // Load after load that waits for nothing, then what they lead to, then what that leads to.
        let upcoming = &upcoming[..upcoming.len().min(MOST_HINTED)];
        let mut pages = [0; MOST_HINTED];
        for (io, page) in upcoming.iter().zip(&mut pages) {
            *page = (io.offset.get() / PAGE) as Lpn;
        }
        let mut old = [NONE; MOST_HINTED];
        self.t
            .map
            .touch_all(&pages[..upcoming.len()], &mut old[..upcoming.len()]);
        if self.t.map.is_extents() {
            self.touched ^= u64::from(old[0]);
            return;
        }
        for (io, old) in upcoming.iter().zip(old) {
            if io.op == Operation::Write && old != NONE {
                self.touched ^= self.t.reverse.touch(old);
            }
            self.touched ^= u64::from(old);
        }
    }

    #[inline]
    fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
        self.in_flight += 1;
        self.requests[tag.0 as usize] = Request {
            op: io.op,
            at: io.offset.get(),
            end: io.end().get(),
            left: io.len.get(),
            merges: 0,
            arrived: false,
            fill: io.fill,
            shift: 0,
            error: 0,
        };
        let within = io.offset.get().checked_add(io.len.get());
        let empty = io.len.is_zero() && io.op != Operation::Flush;
        if empty || within.is_none_or(|end| end > self.p.capacity.get()) {
            self.refuse(now, tag.0, EINVAL);
            return;
        }
        let mut io = io;
        let seen;
        if let Some(units) = &mut self.sub_units {
            if units.is_log() {
                seen = self.seen_by_log(tag.0, io);
                io = &seen;
            } else if units.must_wait(tag.0, io, self.p.capacity.get()) {
                return;
            }
        }
        self.take(now, tag.0, io);
    }

    #[inline]
    fn next(&self) -> Option<Instant> {
        let at = self.first().0.min(self.ahead);
        (at != Instant::MAX).then_some(at)
    }

    #[inline]
    fn step(&mut self, done: &mut Vec<Finished>) {
        // At equal times completions come first, then the timer.
        let (at, number, on_channel) = self.first();
        if at < self.ahead {
            self.event(at, number, on_channel);
        } else {
            self.completion_or_timer(done);
        }
    }

    #[inline]
    fn advance(&mut self, until: Instant, done: &mut Vec<Finished>) -> Option<Instant> {
        let mut last = None;
        loop {
            let (at, number, on_channel) = self.first();
            let next = at.min(self.ahead);
            if next > until || next == Instant::MAX {
                return last;
            }
            last = Some(next);
            if at < self.ahead {
                self.event(at, number, on_channel);
            } else {
                self.completion_or_timer(done);
                if !done.is_empty() {
                    return last;
                }
            }
        }
    }

    fn power_cut(&mut self, at: Instant) {
        self.lose_volatile();
        self.account.cut += self.t.waiting_pages();
        self.agenda.clear_all();
        self.transfers.clear_all();
        self.timer = Instant::MAX;
        self.ops = Ops::default();
        for die in &mut self.dies {
            die.stop(at);
        }
        self.channels.fill(Channel::idle(at));
        self.path = Path::default();
        self.buffer.clear();
        self.writes = Writes::default();
        self.flushes = Flushes::default();
        self.mover.stop(&mut self.t);
        if let Some(cache) = &mut self.map_cache {
            cache.power_cut();
        }
        if let Some(ahead) = &mut self.read_ahead {
            ahead.power_cut();
        }
        self.sub_units.iter_mut().for_each(SubUnits::clear);
        self.write_through.iter_mut().for_each(WriteThrough::clear);
        self.compression.iter_mut().for_each(Compression::clear);
        self.t.space.forget_pending();
        self.completing = Completing::default();
        self.ahead = Instant::MAX;
        self.stalled_reads.clear();
        self.without_op = WithoutOp::default();
        self.in_flight = 0;
        self.unquiet = 0;
        self.last_active = at;
        self.link = Link::new(self.p.link);
        self.controller = Controller::new(self.p.controller);
    }

    fn lost(&self) -> Vec<Span> {
        self.volatile.lost().to_vec()
    }

    fn health(&self) -> Option<base::health::Health> {
        Some(self.present_health())
    }
}

impl Drive {
    /// An access as a log of sectors sees it: it has no borders of pages.
    fn seen_by_log(&mut self, tag: u32, io: &Io) -> Io {
        let offset = io.offset.round_down(Bytes::new(PAGE));
        let seen = Io { offset, ..*io };
        let request = &mut self.requests[tag as usize];
        (request.at, request.end) = (seen.offset.get(), seen.end().get());
        request.shift = (io.offset.get() - seen.offset.get()) / Bytes::SECTOR.get();
        seen
    }

    /// True where reads may be given to their die before they reach it: nothing else could come
    /// between.
    pub(super) fn is_quiet(&self) -> bool {
        self.keeps_order && self.unquiet == 0
    }
}
