//! Writes: into the cache while there is room, and back to the medium in the arm's own order.
//!
//! A write is acknowledged when its data are in the buffer. They are destaged when the arm has been
//! idle for a while, when room is needed, when a flush waits, or when they have waited too long; of
//! the nearest runs, the one that the head can begin soonest is next: seek and rotation together, also where the
//! drive chooses among commands by less. A run
//! that grows while it is written is simply followed, so that a host that writes sequentially is slowed
//! down to the pace of the medium: each write waits until the head has passed as many blocks as it
//! needs room for, which is known in advance if no other access waits for the arm.
//!
//! Where the table of runs is full, a write waits until one is written, or until a whole *batch* is: then the arm has
//! always more to choose from, a host that writes at random gets some writes at the rate of the wire, and then stalls.
//! A run takes whole *pages* of the buffer, so that many small runs fill a small buffer.
//!
//! One run may not fill the whole cache: a buffer is divided into segments, and a stream gets one
//! of them, so that it soon runs at the rate of the medium, and others find room.
//!
//! A write that is to be durable when it is acknowledged (FUA) bypasses the cache: it waits for the arm
//! among the reads. Where the cache has older data of the same blocks it goes through the cache and
//! ends as a flush, so that nothing older is written over it later.
//!
//! Some disks of data centres keep the cache's content in flash when the power fails (`saved_mib`;
//! [`super::saved`]): then such data are durable as soon as they are in the buffer.
//!
//! A run that does not begin and end on whole physical sectors must be read before it is written:
//! one revolution more.

use std::collections::VecDeque;

use base::io::Op;
use base::target::Outcome;

use super::parameters::Parameters;
use super::{Destage, Hdd, Stage, Work};
use crate::event_log::Event;
use crate::hdd::queue::{Aim, Patience, Queueing};
use crate::hdd::write_cache::{Run, WriteCache};

/// Runs on either side of the head that are looked at.
const NEAREST: usize = 16;

/// Room for the number of a run beside its cost: a cache has at most 4,096.
const INDEX_BITS: u32 = 12;

/// Writes on their way: from the wire into the cache, and what waits for room or for the medium.
#[derive(Clone, Debug)]
pub(in crate::hdd) struct WritePath {
    pub(in crate::hdd) cache: WriteCache,
    /// Writes that wait for room, in order.
    pub(in crate::hdd) stalled: VecDeque<u32>,
    /// Flushes with their lines, in order.
    pub(super) flushes: VecDeque<(u32, u64)>,
    /// Writes on the wire that may become runs, and where the last of them ends.
    coming: usize,
    coming_end: u64,
    /// A write found no run free, and the batch that has to be freed for it is not yet.
    full: bool,
    /// A block that no run ended at, and the cache's version then.
    joined_nothing: (u64, u64),
}

impl WritePath {
    /// No write on its way.
    pub(super) fn new(p: &Parameters) -> WritePath {
        let depth = p.queue_depth as usize;
        WritePath {
            cache: WriteCache::new(p.write_cache.blocks, p.write_cache.runs as usize),
            stalled: VecDeque::with_capacity(depth),
            flushes: VecDeque::with_capacity(depth),
            coming: 0,
            coming_end: u64::MAX,
            full: false,
            joined_nothing: (u64::MAX, u64::MAX),
        }
    }

    /// The power has failed: what waits in the buffer is gone.
    pub(super) fn power_cut(&mut self) {
        self.stalled.clear();
        self.flushes.clear();
        self.coming = 0;
        self.coming_end = u64::MAX;
        self.full = false;
        self.cache.clear();
    }
}

impl Hdd {
    /// A write is decoded.
    pub(super) fn write(&mut self, tag: u32, now: u64) {
        let command = self.commands[tag as usize];
        self.unreadable.written(command.start, command.end);
        if let Some(translation) = &mut self.translation {
            translation.written(command.start, command.end);
        }
        self.forget_read(command.start, command.end, now);
        if !self.p.write_cache.on {
            return self.take_wire(tag, now);
        }
        self.settle_destage(now);
        if command.durable
            && self.p.write_cache.saved_blocks == 0
            && self.translation.is_none()
            && !self.unwritten_touches(command.start, command.end)
        {
            self.commands[tag as usize].through = true;
            return self.take_wire(tag, now);
        }
        if self.writing.stalled.is_empty()
            && let Some(at) = self.room(command.start, command.end, now)
        {
            return self.admit(tag, at, now);
        }
        self.note(now, Event::BufferFull);
        self.writing.stalled.push_back(tag);
        self.pump(now);
    }

    /// What is written must not be read from a segment.
    pub(super) fn forget_read(&mut self, start: u64, end: u64, now: u64) {
        if let Work::Ahead(ahead) = self.work {
            let segment = self.reads.segment(ahead.segment);
            if start < ahead.limit && segment.start < end {
                self.busy = self.busy.max(self.leave_ahead(&ahead, now));
                self.work = Work::Rest;
            }
        }
        self.reads.drop_range(start, end);
    }

    /// When there is room for a write, where that is known by now; what has to be freed for it is.
    fn room(&mut self, start: u64, end: u64, now: u64) -> Option<u64> {
        let grows = match self.work {
            Work::Destage(d) => d.end == start && d.number >= self.writing.cache.line(),
            _ => false,
        };
        let follows = grows || self.writing.coming_end == start;
        if !self.finds_a_run() && !follows && !self.joins_a_run(start) {
            return None;
        }
        let blocks = (end - start).min(self.writing.cache.size());
        let lacking = self
            .writing
            .cache
            .lacking(blocks)
            .max(self.lacking_in_run(start, blocks));
        if lacking == 0 {
            return Some(now);
        }
        let Work::Destage(destage) = &mut self.work else {
            return None;
        };
        let freed = destage.start + lacking;
        if freed > destage.end || !self.queue.is_empty() {
            return None;
        }
        destage.start = freed;
        self.writing.cache.release(lacking);
        let pba_end = self.pba_end(freed);
        let at = self
            .pass
            .advance(&self.p.mechanics, &mut self.rare, pba_end);
        self.busy = self.busy.max(at);
        Some(now.max(at))
    }

    /// Whether a new run is free: once none was, not before a whole batch is.
    fn finds_a_run(&mut self) -> bool {
        let writing = &mut self.writing;
        let of = &self.p.write_cache;
        // A small buffer has fewer runs than a batch may have: then all of them are one.
        let needed = if writing.full {
            of.batch.min(of.runs)
        } else {
            1
        };
        let found = writing.cache.may_add_runs(writing.coming + needed as usize);
        writing.full = !found;
        found
    }

    /// Whether a run that waits ends at a block and may still grow. A write that waits for room
    /// asks again at each event, so a "no" is remembered as long as the cache is the same.
    fn joins_a_run(&mut self, start: u64) -> bool {
        let asked = (start, self.writing.cache.version());
        if self.writing.joined_nothing == asked {
            return false;
        }
        let joins = self.writing.cache.begin_of_run_to(start).is_some();
        if !joins {
            self.writing.joined_nothing = asked;
        }
        joins
    }

    /// Blocks that have to leave the run which a write continues with, before it may be so much
    /// longer.
    fn lacking_in_run(&self, start: u64, blocks: u64) -> u64 {
        let limit = self.p.write_cache.run_blocks;
        if limit == u64::MAX {
            return 0;
        }
        let follows = |end: u64| end == start || self.writing.coming_end == start;
        let first = match self.work {
            Work::Destage(d) if d.start <= start && follows(d.end) => d.start,
            _ => self.writing.cache.begin_of_run_to(start).unwrap_or(start),
        };
        (start - first + blocks.min(limit)).saturating_sub(limit)
    }

    /// A write's room is kept for it; it takes the wire at `at`.
    fn admit(&mut self, tag: u32, at: u64, now: u64) {
        let command = self.commands[tag as usize];
        self.writing.cache.reserve(command.end - command.start);
        self.writing.coming += 1;
        self.writing.coming_end = command.end;
        if at > now {
            self.set(tag, Stage::Wire, at);
        } else {
            self.take_wire(tag, now);
        }
    }

    /// Lets in the writes that wait for room, in order.
    pub(super) fn let_in(&mut self, now: u64) {
        while let Some(&tag) = self.writing.stalled.front() {
            let command = self.commands[tag as usize];
            let Some(at) = self.room(command.start, command.end, now) else {
                return;
            };
            self.writing.stalled.pop_front();
            self.admit(tag, at, now);
        }
    }

    /// A write's data are in the buffer; gives its outcome where that ends it.
    pub(super) fn arrived(&mut self, tag: u32, now: u64) -> Option<Outcome> {
        let command = self.commands[tag as usize];
        let (start, end) = (command.start, command.end);
        if !self.p.write_cache.on || command.through {
            self.wait_for_arm(tag, (start, end), None, now);
            return None;
        }
        self.settle_destage(now);
        self.writing.coming -= 1;
        if self.writing.coming == 0 {
            self.writing.coming_end = u64::MAX;
        }
        let line = self.writing.cache.line();
        match &mut self.work {
            Work::Destage(d) if d.end == start && d.number >= line => {
                d.end = end;
                if let Some(translation) = &mut self.translation {
                    translation.cache.cut(start, end);
                }
            }
            _ => {
                let geometry = &self.p.mechanics.geometry;
                self.writing
                    .cache
                    .insert(start, end, now, || geometry.place(geometry.pba_of(start)));
            }
        }
        if command.durable {
            self.flush(tag, now);
            return None;
        }
        if self.awaited() {
            self.pump(now);
        }
        Some(Outcome::Complete)
    }

    /// A flush is decoded: it ends when all that was acknowledged until now is on the medium.
    pub(super) fn flush(&mut self, tag: u32, now: u64) {
        debug_assert!(self.commands[tag as usize].op != Op::Read);
        if let Some(translation) = &mut self.translation {
            translation.streams.clear();
        }
        self.settle_destage(now);
        if self.writing.cache.is_empty() && !matches!(self.work, Work::Destage(_) | Work::Record) {
            return self.set(tag, Stage::End(Outcome::Complete), now);
        }
        let line = self.writing.cache.draw_line();
        if self.all_is_saved() {
            return self.set(tag, Stage::End(Outcome::Complete), now);
        }
        self.writing.flushes.push_back((tag, line));
        self.pump(now);
    }

    /// Ends the flushes before whose lines nothing is left.
    pub(super) fn end_flushes(&mut self, now: u64) {
        while let Some(&(tag, line)) = self.writing.flushes.front() {
            let writing = match self.work {
                Work::Destage(d) => d.number < line,
                Work::Record => self.record_waits_before(line),
                _ => false,
            };
            if (writing || self.writing.cache.waits_before(line)) && !self.all_is_saved() {
                return;
            }
            self.writing.flushes.pop_front();
            self.set(tag, Stage::End(Outcome::Complete), now);
        }
    }

    /// Whether all of `start..end` is in the write cache.
    pub(super) fn unwritten_covers(&self, start: u64, end: u64) -> bool {
        let written_now = match self.work {
            Work::Destage(d) => d.start <= start && end <= d.end,
            Work::Record => self.record_covers(start, end),
            _ => false,
        };
        written_now || (!self.writing.cache.is_empty() && self.writing.cache.covers(start, end))
    }

    /// Whether any of `start..end` is in the write cache, on its way into it, or being written.
    fn unwritten_touches(&self, start: u64, end: u64) -> bool {
        let written_now = match self.work {
            Work::Destage(d) => d.start < end && start < d.end,
            _ => false,
        };
        let cache = &self.writing.cache;
        written_now
            || self.writing.coming > 0
            || !self.writing.stalled.is_empty()
            || cache
                .runs(0..cache.len())
                .any(|run| run.start < end && start < run.end)
    }

    /// Notices that a run is written by now.
    pub(super) fn settle_destage(&mut self, now: u64) {
        if matches!(self.work, Work::Record | Work::Clean) {
            return self.settle_shingled(now);
        }
        let Work::Destage(destage) = self.work else {
            return;
        };
        let pba_end = self.pba_end(destage.end);
        let left = pba_end.saturating_sub(self.pass.pba);
        if self.pass.at + self.p.mechanics.least_time(left) > now {
            return;
        }
        let (mut pass, mut rare) = (self.pass, self.rare.clone());
        let at = pass.advance(&self.p.mechanics, &mut rare, pba_end);
        if at <= now {
            self.pass = pass;
            self.rare = rare;
            self.writing.cache.release(destage.end - destage.start);
            self.busy = self.busy.max(at);
            self.work = Work::Rest;
        }
    }

    /// Stops writing a run; what is left of it goes back among those that wait.
    pub(super) fn leave_destage(&mut self, destage: &Destage, now: u64) -> u64 {
        let pba_end = self.pba_end(destage.end);
        let free = self
            .pass
            .reach(&self.p.mechanics, &mut self.rare, now, pba_end);
        let written = self.block_reached().clamp(destage.start, destage.end);
        self.writing.cache.release(written - destage.start);
        if written < destage.end {
            let geometry = &self.p.mechanics.geometry;
            self.writing.cache.put_back(Run {
                start: written,
                end: destage.end,
                since: destage.since,
                number: destage.number,
                place: geometry.place(geometry.pba_of(written)),
            });
        }
        free
    }

    /// The head as it stands now, to choose among the runs that wait. Nobody waits for one of them, so that the
    /// controller takes the time to see all of the way, whatever it sees of commands in its queue.
    fn aim_to_write(&self, now: u64) -> Aim<'_> {
        Aim::new(&self.p.mechanics, &self.pass, now, self.patience_to_write())
            .allowing_ns(self.shaken.margin_ns())
            .by(Queueing {
                sees_rotation: self.p.write_cache.sees_rotation,
                ..Queueing::default()
            })
    }

    fn patience_to_write(&self) -> Patience {
        self.p.patience.of_one_among(self.writing.cache.len())
    }

    /// The cheapest run among the nearest by address: cost, first block, number. Where a flush
    /// waits, only runs before its line count.
    pub(super) fn nearest_run(&self, now: u64) -> Option<(i64, u64, u64)> {
        if self.translation.is_some() {
            return self.oldest_for_log(now);
        }
        let runs = self.writing.cache.len();
        let line = self
            .writing
            .flushes
            .front()
            .map_or(u64::MAX, |&(_, line)| line);
        let range = if line == u64::MAX && runs > 2 * NEAREST {
            let here = self.writing.cache.runs_before(self.block_reached());
            let first = here.saturating_sub(NEAREST).min(runs - 2 * NEAREST);
            first..first + 2 * NEAREST
        } else {
            0..runs
        };
        // The cheapest, and among equals the first by address: one comparison of cost and index.
        let aim = self.aim_to_write(now);
        let mut best = i64::MAX;
        for (i, run) in self.writing.cache.runs(range.clone()).enumerate() {
            if run.number < line {
                best = best.min(aim.cost(&run.place, true, run.since) << INDEX_BITS | i as i64);
            }
        }
        if best == i64::MAX {
            return None;
        }
        let index = range.start + (best & ((1 << INDEX_BITS) - 1)) as usize;
        let run = self.writing.cache.run(index);
        Some((best >> INDEX_BITS, run.start, run.number))
    }

    /// The cheapest piece of writing back: going on with the run under way, one of the nearest, or
    /// the oldest where it is overdue.
    pub(super) fn cheapest_destage(&self, now: u64) -> Option<(i64, u64, u64)> {
        if self.nothing_but_the_log_waits() {
            let oldest = self.writing.cache.oldest_run();
            return oldest.map(|run| (0, run.start, run.number));
        }
        let going_on = match self.work {
            Work::Destage(d) => {
                let allowance = self.patience_to_write().allowance(d.since, now);
                Some((-allowance, d.start, d.number))
            }
            _ => None,
        };
        let overdue = self
            .writing
            .cache
            .oldest()
            .saturating_add(self.p.write_cache.deadline_ns)
            < now;
        let oldest = self
            .writing
            .cache
            .oldest_run()
            .filter(|_| overdue)
            .map(|run| {
                let cost = self.aim_to_write(now).cost(&run.place, true, run.since);
                (cost, run.start, run.number)
            });
        [going_on, self.nearest_run(now), oldest]
            .into_iter()
            .flatten()
            .min()
    }

    /// Writes a run, or continues with the one under way; the arm is committed to it for a while.
    pub(super) fn begin_destage(&mut self, start: u64, number: u64, now: u64) {
        match self.work {
            Work::Destage(mut destage) if destage.number == number && destage.start == start => {
                let pba_end = self.pba_end(destage.end);
                self.pass
                    .reach(&self.p.mechanics, &mut self.rare, now, pba_end);
                let written = self.block_reached().clamp(destage.start, destage.end);
                self.writing.cache.release(written - destage.start);
                destage.start = written;
                self.work = Work::Destage(destage);
            }
            _ => {
                if self.begin_record(now) {
                    return;
                }
                self.go_and_write(start, number, now);
            }
        }
        self.commit();
    }

    fn go_and_write(&mut self, start: u64, number: u64, now: u64) {
        let free = self.leave(now) + self.shaken.still();
        let Some(run) = self.writing.cache.take(start, number) else {
            return;
        };
        let pba = self.p.mechanics.geometry.pba_of(run.start);
        let (pass, _) = self.pass.go(&self.p.mechanics, free, pba, &run.place, true);
        self.pass = pass;
        self.hold_for_parts(run.start, run.end);
        self.work = Work::Destage(Destage {
            start: run.start,
            end: run.end,
            number: run.number,
            since: run.since,
        });
    }

    /// A run that begins or ends inside a physical sector is read first.
    pub(super) fn hold_for_parts(&mut self, start: u64, end: u64) {
        let whole = self.p.physical_blocks;
        if !start.is_multiple_of(whole) || !end.is_multiple_of(whole) {
            self.pass.hold(&self.p.mechanics, 1);
        }
    }

    /// Commits the arm to the next part of the run under way.
    fn commit(&mut self) {
        let Work::Destage(destage) = self.work else {
            return;
        };
        let end = destage
            .end
            .min(self.block_reached() + self.p.write_cache.part_blocks);
        let pba_end = self.pba_end(end.max(destage.start + 1));
        let (mut pass, mut rare) = (self.pass, self.rare.clone());
        let at = pass.advance(&self.p.mechanics, &mut rare, pba_end);
        self.busy = self.busy.max(at);
    }
}
