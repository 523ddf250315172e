//! Writes on their way: into the buffer, then group by group over path, channel and die.
//!
//! The data phase of writes goes command by command, as a link transfers them, so that what arrives
//! in order is laid out in order. A piece of a write is asked for when the buffer and the space have
//! room for it; when it has come it is given its pages, and each group that is complete then is sent
//! to its die. A flush waits for the groups that were sent before it; data that do not fill a group
//! yet are saved by programs of one bit a cell in a reserved place, as there is nothing else that
//! makes them safe without wasting the rest of the group.

use std::collections::VecDeque;

use base::io::{Io, Op as Operation};
use base::size::Bytes;
use base::time::{Duration, Instant};

use super::drive::{Drive, Request};
use super::nand::{Group, Lpn, NONE, PAGE, Ppn};
use super::ops::{IDLE, Op, Stage};
use super::space::Stream;
use super::sub_unit::SubUnits;
use super::translation::Run;
use super::wear::EROFS;

/// Bytes of a write that are asked for at once.
const PIECE: u64 = 128 << 10;

/// Operations that programs leave to reads and moves: a large buffer of small groups could take all.
const FOR_READS: usize = 200;

/// Writes that passed the controller and wait for their data phase, first come first.
#[derive(Debug, Default)]
pub(super) struct Writes {
    queue: VecDeque<u32>,
    /// The command whose data phase it is, and the operation that carries it.
    active: Option<Active>,
}

#[derive(Clone, Copy, Debug)]
struct Active {
    tag: u32,
    number: u32,
    /// A piece is on the link.
    on_link: bool,
}

/// Groups that wait for the controller's path to the channels.
#[derive(Debug, Default)]
pub(super) struct Path {
    waiting: VecDeque<Op>,
    free: Instant,
    /// The last number of flash pages and its time: nearly all groups are alike, and the exact
    /// division of picoseconds is dear.
    last: (u16, Duration),
}

impl Path {
    /// True where a group found no free operation.
    pub(super) fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }
}

/// Flushes, and what each waits for.
#[derive(Debug, Default)]
pub(super) struct Flushes {
    epochs: VecDeque<Epoch>,
    /// Number of the first epoch that is kept.
    first: u32,
    /// Pages in groups that are not complete, not saved by an earlier flush.
    unsaved: u64,
    /// The die that saves next.
    die: u32,
    /// Flushes that wait for units that are being merged, or that found no room yet.
    held: VecDeque<Held>,
}

/// Programs between two flushes.
#[derive(Clone, Copy, Debug, Default)]
struct Epoch {
    outstanding: u32,
    flush: Option<Flush>,
}

/// A flush that has not begun: its number, and the merges that it waits for.
#[derive(Clone, Copy, Debug)]
struct Held {
    tag: u32,
    number: u64,
    merges: u64,
}

/// A flush, and what it saves of the superblocks that the host has open: number and place of each.
#[derive(Clone, Copy, Debug)]
struct Flush {
    tag: u32,
    number: u64,
    saves: [Option<(u32, u32)>; 2],
    /// Superblocks opened when it began.
    opened: u32,
}

impl Flush {
    /// True where it waits for a page of a superblock that was opened at a turn.
    fn covers(&self, superblock: u32, turn: u32, place: u32) -> bool {
        let open = self
            .saves
            .iter()
            .flatten()
            .find(|(open, _)| *open == superblock);
        turn <= self.opened && open.is_none_or(|(_, before)| place < *before)
    }
}

impl Flushes {
    /// A program is sent; gives the epoch that it belongs to.
    fn sent(&mut self) -> u32 {
        if self.epochs.is_empty() {
            self.epochs.push_back(Epoch::default());
        }
        let last = self.epochs.len() - 1;
        self.epochs[last].outstanding += 1;
        self.first.wrapping_add(last as u32)
    }

    fn ended(&mut self, epoch: u32) {
        self.epochs[epoch.wrapping_sub(self.first) as usize].outstanding -= 1;
    }

    /// A flush that waits for all that was sent so far.
    fn wait(&mut self, flush: Flush) {
        if self.epochs.is_empty() {
            self.epochs.push_back(Epoch::default());
        }
        let last = self.epochs.len() - 1;
        self.epochs[last].flush = Some(flush);
        self.epochs.push_back(Epoch::default());
    }

    /// The next flush that has nothing more to wait for.
    fn satisfied(&mut self) -> Option<Flush> {
        let front = self.epochs.front()?;
        let flush = front.flush?;
        if front.outstanding > 0 {
            return None;
        }
        self.epochs.pop_front();
        self.first = self.first.wrapping_add(1);
        Some(flush)
    }
}

impl Drive {
    pub(super) fn start_other(&mut self, now: Instant, tag: u32, io: &Io) {
        if self.t.space.is_read_only() && io.op != Operation::Flush {
            self.refuse(now, tag, EROFS);
            return self.all_came(now, tag);
        }
        self.unquiet += 1;
        let pages = io.end().get().div_ceil(PAGE) - io.offset.get() / PAGE;
        let arrived = self.link.command(now);
        let (stage, pages) = match io.op {
            Operation::Write => {
                self.counters.host_bytes += io.len.get();
                if let Some(ahead) = &mut self.read_ahead {
                    ahead.written(io.offset.get(), io.end().get());
                }
                (Stage::WriteAsk, pages)
            }
            _ => (Stage::Ask, 1),
        };
        let asked = self.controller.write(arrived, pages);
        self.heat(arrived, io.op, io.len);
        self.carry(stage, tag, asked);
    }

    pub(super) fn write_event(&mut self, at: Instant, number: u32, op: &Op) {
        match op.stage {
            Stage::WriteAsk => {
                self.end_op(number);
                self.writes.queue.push_back(u32::from(op.tag));
                self.ask_for_data(at);
            }
            Stage::WriteData => self.data_came(at, number, u32::from(op.tag)),
            Stage::Ask => {
                self.end_op(number);
                self.trim_or_flush(at, u32::from(op.tag));
            }
            Stage::ProgramTurn => {
                self.without_moment(number);
                let turn = self.dies[usize::from(op.die)].turn(at, &self.p.arbitration);
                self.follow(turn);
            }
            Stage::ProgramCell => self.programmed(at, number, op),
            _ => {}
        }
    }

    /// Asks for the next piece of the write whose data phase it is, where there is room for it.
    pub(super) fn ask_for_data(&mut self, now: Instant) {
        let active = match self.writes.active {
            Some(active) => active,
            None => {
                let Some(&tag) = self.writes.queue.front() else {
                    return;
                };
                let op = Op {
                    stage: Stage::WriteData,
                    tag: tag as u16,
                    ..IDLE
                };
                let Some(number) = self.begin_data(op) else {
                    return;
                };
                self.writes.queue.pop_front();
                Active {
                    tag,
                    number,
                    on_link: false,
                }
            }
        };
        self.writes.active = Some(active);
        if active.on_link {
            return;
        }
        let request = self.requests[active.tag as usize];
        let to = self.piece_end(&request);
        let pages = self.pages_taken(request.at, to);
        if !self.settle(now) || self.t.space.host_room() < pages + self.promised() {
            self.pump(now);
            return;
        }
        if !self.buffer.take(pages) {
            return;
        }
        self.promise(pages);
        let end = self.link.to_drive(now, Bytes::new(to - request.at));
        self.writes.active = Some(Active {
            on_link: true,
            ..active
        });
        self.set(active.number, end);
    }

    /// Where the next piece of a write ends: at a multiple of its size, or with the command. A piece
    /// is half of a small buffer at most.
    fn piece_end(&self, request: &Request) -> u64 {
        let piece = PIECE.min(self.p.piece());
        ((request.at / piece + 1) * piece).min(request.end)
    }

    fn data_came(&mut self, at: Instant, number: u32, tag: u32) {
        let request = self.requests[tag as usize];
        let to = self.piece_end(&request);
        if let Some(compression) = &mut self.compression {
            compression.begins(request.fill);
        }
        if self.sub_units.is_some() {
            self.place_units(at, tag, &request, to);
        } else {
            self.merge_edges(at, &request, to);
            self.note_pages(request.at, to);
            let pages = self.pages_taken(request.at, to);
            self.place_host(at, (request.at / PAGE) as Lpn, pages as u32);
        }
        self.requests[tag as usize].at = to;
        self.without_moment(number);
        if to == request.end {
            self.ops.release(number);
            self.writes.active = None;
            self.idle_work = true;
            self.write_ends(at, tag);
        } else if let Some(active) = &mut self.writes.active {
            active.on_link = false;
        }
        self.ask_for_data(at);
        self.pump(at);
    }

    /// Gives the host's pages their places, and sends what is complete.
    pub(super) fn place_host(&mut self, at: Instant, lpn: Lpn, count: u32) {
        if self.map_cache.is_some() {
            self.map_written(at, lpn, count);
        }
        let (mut lpn, mut left) = (lpn, count);
        while left > 0 {
            let stream = self.t.space.host_stream();
            let run = self
                .t
                .place_run(stream, lpn, left)
                .expect("room was promised before the data were asked for");
            lpn += run.count;
            left -= run.count;
            self.placed(at, stream, &run);
        }
    }

    /// A run of the host's pages has its places: each unit that is full may complete a group.
    fn placed(&mut self, at: Instant, stream: Stream, run: &Run) {
        let unit = self.t.layout.geometry().unit_pages();
        let (mut place, end) = (run.place, run.place + run.count);
        while place < end {
            let next = (place - place % unit + unit).min(end);
            let count = next - place;
            self.counters.host_pages += u64::from(count);
            self.flushes.unsaved += u64::from(count);
            if let Some(compression) = &mut self.compression {
                compression.placed(count);
            }
            if stream == Stream::Host {
                self.counters.direct_pages += u64::from(count);
                self.mover.host_wrote(count);
            }
            if next % unit == 0
                && let Some(group) =
                    self.t
                        .layout
                        .group_completed_by(run.superblock, next - unit, run.slc)
            {
                self.send(at, group, stream, run.slc);
            }
            place = next;
        }
    }

    /// A write that begins or ends inside a page needs the page's old data: the flash is asked for
    /// them, while the host's data wait in the buffer as any.
    fn merge_edges(&mut self, at: Instant, request: &Request, to: u64) {
        if !request.at.is_multiple_of(PAGE) {
            self.merge(at, request.at / PAGE);
        }
        let end_page = to / PAGE;
        if !to.is_multiple_of(PAGE)
            && (end_page != request.at / PAGE || request.at.is_multiple_of(PAGE))
        {
            self.merge(at, end_page);
        }
    }

    fn merge(&mut self, at: Instant, page: u64) {
        let ppn = self.t.map.get(page as Lpn);
        if ppn == NONE || !self.t.is_programmed(ppn) || !self.may_take_op() {
            return;
        }
        let (die, end) = self.read_die(at, ppn);
        let op = Op {
            stage: Stage::MergeBus,
            die: die as u16,
            pages: 1,
            ..IDLE
        };
        if let Some(number) = self.ops.take(op) {
            self.unquiet += 1;
            self.ask_channel(end, number, die, 1);
        }
    }

    /// Sends a complete group to its die.
    pub(super) fn send(&mut self, at: Instant, group: Group, stream: Stream, slc: bool) {
        let geometry = self.t.layout.geometry();
        let rows = if slc { 1 } else { geometry.bits };
        let pages = rows * geometry.unit_pages();
        if stream != Stream::Move {
            self.flushes.unsaved = self.flushes.unsaved.saturating_sub(u64::from(pages));
        }
        if self.fits_beside_others(at, group, pages, stream) {
            return;
        }
        let geometry = self.t.layout.geometry();
        let flash_pages = pages / geometry.flash_page_pages();
        let passes = if slc {
            1
        } else {
            self.p.timings.program_passes
        };
        let epoch = self.flushes.sent();
        if stream != Stream::Move
            && let Some(through) = &mut self.write_through
        {
            through.sent();
        }
        self.unquiet += 1;
        self.path.waiting.push_back(Op {
            stage: Stage::ProgramBus,
            die: group.die as u16,
            pages: pages as u16,
            left: (flash_pages * passes) as u16,
            superblock: group.superblock,
            index: group.index,
            stream,
            slc,
            epoch,
            ..IDLE
        });
        self.path_on(at);
    }

    /// Lets groups that wait take the path, as far as there are operations for them.
    pub(super) fn path_on(&mut self, now: Instant) {
        let flash_page = self.t.layout.geometry().page_bytes;
        while self.ops.free() > self.p.queue as usize + FOR_READS {
            let Some(op) = self.path.waiting.pop_front() else {
                return;
            };
            if self.path.last.0 != op.left {
                let bytes = u64::from(op.left) * u64::from(flash_page);
                let time = self.p.program_path.time_for(Bytes::new(bytes));
                self.path.last = (op.left, time);
            }
            self.path.free = now.max(self.path.free) + self.path.last.1;
            let end = self.path.free;
            if let Some(number) = self.ops.take(op) {
                self.ask_channel_for_program(end, number);
            }
        }
    }

    /// Flash pages of a group have passed the channel: it is asked for the others, or the group is
    /// with its die.
    pub(super) fn program_on_bus(&mut self, at: Instant, number: u32, moved: u16) {
        let op = self.ops.get_mut(number);
        op.left -= moved;
        let op = *op;
        if op.left > 0 {
            self.ask_channel_for_program(at, number);
            return;
        }
        let times = &self.p.timings;
        let mut takes = if op.slc {
            times.program_slc
        } else {
            times.program
        };
        let journal = op.superblock == NONE;
        if !journal && op.index == 0 && self.t.space.block(op.superblock).dirty {
            takes += times.erase;
            self.counters.erased_blocks += 1;
        }
        let rules = &self.p.arbitration;
        let work = (takes, if op.slc { 1 } else { rules.steps });
        let turn = self.dies[usize::from(op.die)].program(at, number, work, rules);
        self.follow(turn);
    }

    fn programmed(&mut self, at: Instant, number: u32, op: &Op) {
        self.end_op(number);
        self.unquiet -= 1;
        let turn = self.dies[usize::from(op.die)].program_ended(at, &self.p.arbitration);
        self.follow(turn);
        self.counters.programmed_pages += u64::from(op.pages);
        if op.superblock == NONE {
            self.account.apart += u64::from(op.pages);
        } else {
            self.t.group_programmed(&op.group());
            if let Some(retention) = &mut self.retention {
                retention.written(at, op.superblock);
            }
            match op.stream {
                Stream::Move => self.mover.programmed(u32::from(op.pages)),
                Stream::Host | Stream::Slc => {
                    self.buffer.release(u64::from(op.pages));
                    self.program_through(at);
                }
            }
        }
        self.flushes.ended(op.epoch);
        self.end_flushes(at);
        self.begin_flushes(at);
        self.resume_stalled(at);
        self.ask_for_data(at);
        self.pump(at);
        self.audit_in_time();
    }

    fn trim_or_flush(&mut self, at: Instant, tag: u32) {
        let request = self.requests[tag as usize];
        if request.op == Operation::Flush {
            let merges = self.sub_units.as_ref().map_or(0, SubUnits::merges);
            let number = self.volatile.flush_came();
            self.flushes.held.push_back(Held {
                tag,
                number,
                merges,
            });
            self.begin_flushes(at);
            return;
        }
        // Only pages that lie wholly in the range are forgotten.
        let (first, end) = (request.at.div_ceil(PAGE), request.end / PAGE);
        if first < end && self.p.trim {
            self.t.trim(first as Lpn, (end - first) as u32);
            self.forget_gathered(first, end);
            self.idle_work = true;
        }
        self.status(at, tag);
        self.ask_for_data(at);
    }

    /// Begins the flushes that were held back, once all that came before them has its place.
    pub(super) fn begin_flushes(&mut self, at: Instant) {
        while let Some(&held) = self.flushes.held.front() {
            if !self.settle_all(at, held.number) || self.merges_before(held.merges) {
                return;
            }
            self.flushes.held.pop_front();
            self.save_tail(at);
            let saves = [Stream::Host, Stream::Slc].map(|stream| {
                let open = self.t.space.open(stream)?;
                Some((open, self.t.space.block(open).written))
            });
            let opened = self.t.space.opened();
            self.flushes.wait(Flush {
                tag: held.tag,
                number: held.number,
                saves,
                opened,
            });
            self.end_flushes(at);
        }
    }

    /// The number of the flush that waits for a page, if one does.
    pub(super) fn flush_of(&self, ppn: Ppn) -> Option<u64> {
        let (superblock, place) = self.t.layout.place(ppn);
        let turn = self.t.space.block(superblock).turn;
        let mut flushes = self.flushes.epochs.iter().filter_map(|epoch| epoch.flush);
        let found = flushes.find(|flush| flush.covers(superblock, turn, place));
        let held = self.first_held();
        found.map(|flush| flush.number).or(held)
    }

    /// The number of the first flush that has not begun.
    pub(super) fn first_held(&self) -> Option<u64> {
        self.flushes.held.front().map(|held| held.number)
    }

    /// Saves what fills no group yet: one-bit programs in a reserved place.
    fn save_tail(&mut self, at: Instant) {
        let unit = self.t.layout.geometry().unit_pages();
        let units = self.flushes.unsaved.div_ceil(u64::from(unit));
        self.flushes.unsaved = 0;
        for _ in 0..units {
            self.flushes.die = (self.flushes.die + 1) % self.t.layout.geometry().dies;
            let group = Group {
                superblock: NONE,
                index: 0,
                die: self.flushes.die,
            };
            self.send(at, group, Stream::Move, true);
        }
    }

    fn end_flushes(&mut self, at: Instant) {
        while let Some(flush) = self.flushes.satisfied() {
            for (superblock, place) in flush.saves.into_iter().flatten() {
                self.t.save(superblock, place);
            }
            self.volatile.flush_ended(flush.number);
            self.status(at, flush.tag);
        }
    }
}
