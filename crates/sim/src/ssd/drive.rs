//! The drive: its parts, and the loop over their events.
//!
//! Each operation under way has one record ([`super::operations`]); what happens at its
//! time depends on its [`Stage`]. A resource that serves in order of arrival (link, controller,
//! channel) is a time until which it is taken, moved on only when something really arrives there:
//! reserving ahead, in the order of submission, would lose a third of a drive's random reads. This
//! file says which part an event belongs to; commands are in [`super::front`], where data lie in
//! [`super::ftl`], dies and channels in [`super::flash`].

use base::io::{Io, Op as Operation};
use base::target::{Info, Tag};
use base::time::Instant;
use base::workload::Span;

use super::audit::Account;
use super::flash::Flash;
use super::flash::layout::{Lpn, NONE, PAGE};
use super::front::{Front, WriteCache};
use super::ftl::Ftl;
use super::mechanisms::Mechanisms;
use super::operations::{Kind, Operations, Stage};
use super::parameters::{DriveError, Parameters};
#[cfg(feature = "event-log")]
use crate::event_log::Event;
use crate::event_log::EventLog;
use crate::model::{Finished, Model, WriteCaching};

/// Most I/Os of one hint that are looked at.
const MOST_HINTED: usize = 64;

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
    /// Pages programmed, padding and parity included.
    pub programmed_pages: u64,
    /// Superblocks emptied by collection.
    pub collections: u64,
    /// Bytes that the host wrote.
    pub host_bytes: u64,
    /// Blocks erased, each die's share of a superblock for itself.
    pub erased_blocks: u64,
    /// Of the pages programmed, parity.
    pub parity_pages: u64,
    /// Readings that failed and were worked out from the rest of their stripe.
    pub rebuilt_units: u64,
}

/// A modelled solid-state drive.
#[derive(Debug)]
pub struct Drive {
    pub(super) p: Parameters,
    pub(super) ops: Operations,
    pub(super) front: Front,
    pub(super) write_cache: WriteCache,
    pub(super) ftl: Ftl,
    pub(super) flash: Flash,
    pub(super) mechanisms: Mechanisms,
    pub(super) counters: Counters,
    pub(super) account: Account,
    pub(super) log: EventLog,
    /// What looks ahead of use found: keeps them from being optimised away.
    touched: u64,
}

impl Drive {
    /// A drive as it leaves the factory; the seed draws where its rows begin.
    ///
    /// # Errors
    /// Where the parts do not fit together, or there is no memory for the tables.
    pub fn new(p: Parameters, seed: u64) -> Result<Drive, DriveError> {
        p.check()?;
        let ftl = Ftl::new(&p, seed)?;
        Ok(Drive {
            ops: Operations::new(p.queue),
            front: Front::new(&p, seed),
            write_cache: WriteCache::new(&p),
            flash: Flash::new(&p, ftl.layout, seed),
            ftl,
            mechanisms: Mechanisms::new(&p, seed),
            counters: Counters::default(),
            account: Account::default(),
            log: EventLog::default(),
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

    /// The translation layer, to look at.
    pub fn ftl(&self) -> &Ftl {
        &self.ftl
    }

    /// Bytes of memory that the tables take whose size grows with the drive's.
    pub fn memory(&self) -> usize {
        self.ftl.memory()
    }

    /// A table's entry was looked at ahead of its use.
    #[inline]
    pub(super) fn touch(&mut self, entry: u32) {
        self.touched ^= u64::from(entry);
    }

    /// What comes first: when, which operation, and whether a channel has moved it. At equal times
    /// the lower operation.
    #[inline(always)]
    fn first(&self) -> (Instant, u32, bool) {
        let (at, number, on_channel) = self.ops.head().first_of_two(self.flash.first_transfer());
        (at, number as u32, on_channel)
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
        let moved = self.flash.leave_channel(at, self.ops.get(number).die);
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
        let tag = u32::from(op.tag);
        match op.stage {
            // Its data were in DRAM.
            Stage::ReadBus => {
                self.ops.park(number);
                self.read_on_link(at, number);
            }
            Stage::ReadAsk => {
                self.ops.overtakers -= 1;
                self.ops.end_in_line(Kind::Reads, number);
                if !self.waits_for_programs(tag) {
                    self.ask_all(at, tag);
                }
            }
            Stage::Refused => {
                self.ops.end(number);
                self.status(at, tag);
            }
            Stage::MapAsk => self.map_event(at, number, &op),
            Stage::WriteAsk => {
                self.ops.end_in_line(Kind::Others, number);
                self.write_cache.data_phase.queue(tag);
                self.ask_for_data(at);
            }
            Stage::WriteData => self.data_came(at, number, tag),
            Stage::Ask => {
                self.ops.end_in_line(Kind::Others, number);
                self.trim_or_flush(at, tag);
            }
            Stage::FlushStep => {
                self.ops.end(number);
                self.flush_step(at);
            }
            Stage::ProgramTurn => self.program_turn(at, number, &op),
            Stage::ProgramCell => self.programmed(at, number, &op),
            Stage::Rebuild => self.rebuild(at, number, &op),
            Stage::ProgramBus
            | Stage::MoveBus
            | Stage::MergeBus
            | Stage::MapBus
            | Stage::AheadBus => {
                debug_assert!(false, "a channel ends this, no time of its own");
            }
        }
    }

    /// The next completion on the link, or the timer: whichever is due.
    #[inline(always)]
    fn completion_or_timer(&mut self, done: &mut Vec<Finished>) {
        let due = self.front.next_due();
        if due == Instant::MAX {
            return;
        }
        match self.front.take_completion() {
            Some(tag) => self.front.finish(due, tag, done),
            None => self.look_whether_idle(due),
        }
        self.front.look_ahead();
    }
}

impl Model for Drive {
    fn info(&self) -> Info {
        self.p.info()
    }

    fn hint(&mut self, upcoming: &[Io]) {
        // Load after load that waits for nothing, then what they lead to, then what that leads to.
        let upcoming = &upcoming[..upcoming.len().min(MOST_HINTED)];
        let mut pages = [0; MOST_HINTED];
        for (io, page) in upcoming.iter().zip(&mut pages) {
            *page = (io.offset.get() / PAGE) as Lpn;
        }
        let mut old = [NONE; MOST_HINTED];
        self.ftl
            .l2p
            .touch_all(&pages[..upcoming.len()], &mut old[..upcoming.len()]);
        if self.ftl.l2p.is_extents() {
            self.touched ^= u64::from(old[0]);
            return;
        }
        for (io, old) in upcoming.iter().zip(old) {
            if io.op == Operation::Write && old != NONE {
                self.touched ^= self.ftl.p2l.touch(old);
            }
            self.touched ^= u64::from(old);
        }
    }

    #[inline]
    fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
        self.start_command(now, tag.0, io);
    }

    #[inline]
    fn next(&self) -> Option<Instant> {
        let at = self.first().0.min(self.front.next_due());
        (at != Instant::MAX).then_some(at)
    }

    #[inline]
    fn step(&mut self, done: &mut Vec<Finished>) {
        // At equal times completions come first, then the timer.
        let (at, number, on_channel) = self.first();
        if at < self.front.next_due() {
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
            let due = self.front.next_due();
            if at < due {
                if at > until {
                    return last;
                }
                last = Some(at);
                self.event(at, number, on_channel);
            } else {
                if due > until || due == Instant::MAX {
                    return last;
                }
                last = Some(due);
                self.completion_or_timer(done);
                if !done.is_empty() {
                    return last;
                }
            }
        }
    }

    fn power_cut(&mut self, at: Instant) {
        self.lose_volatile();
        self.ops.power_cut();
        self.front.power_cut(at, &self.p);
        self.write_cache.power_cut();
        self.flash.power_cut(at);
        self.account.cut += self.ftl.power_cut();
        self.mechanisms.power_cut();
    }

    fn at_risk(&mut self, _: Instant, span: Span) -> Vec<Span> {
        self.volatile_of(span)
    }

    fn lost(&self) -> Vec<Span> {
        self.write_cache.volatile.lost().to_vec()
    }

    fn write_caching(&self) -> WriteCaching {
        match self.p.write_back {
            true => WriteCaching::Back {
                durable_writes: self.p.durable_writes,
            },
            false => WriteCaching::Through,
        }
    }

    fn health(&self) -> Option<base::health::Health> {
        Some(self.present_health())
    }

    #[cfg(feature = "event-log")]
    fn happened(&mut self) -> Vec<(Instant, Event)> {
        self.log.take()
    }
}
