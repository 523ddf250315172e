//! Flash operations and commands under way: one record each, nothing allocated per I/O.
//!
//! An operation that waits for a time has it in the `timeline`; one that waits for a channel has none
//! (the channel knows when its transfer ends), nor has one that waits for another operation. One
//! record is kept for each command that the host may have in flight; what the drive does on its own
//! behalf takes the rest.

use std::collections::VecDeque;

use base::time::Instant;

use super::flash::die::Turn;
use super::flash::layout::Group;
use super::ftl::stream::Stream;
use crate::agenda::Head;
use timeline::Timeline;

mod timeline;

/// Most operations under way.
pub const MOST: usize = 1_000;

/// What happens to an operation at its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Stage {
    /// A read's command has passed the controller: its pages are asked for.
    ReadAsk,
    /// The data are in the controller (or were in DRAM): the link is asked for.
    ReadBus,
    /// A write's command has passed the controller: its data are asked for.
    WriteAsk,
    /// A piece of a write's data has come.
    WriteData,
    /// A trim or a flush has passed the controller.
    Ask,
    /// The firmware's time for a step of a flush is over.
    FlushStep,
    /// A command is refused.
    Refused,
    /// Flash pages of a program have passed the channel: a burst that nothing interrupted.
    ProgramBus,
    /// It is a waiting program's turn, perhaps.
    ProgramTurn,
    /// The program has ended.
    ProgramCell,
    /// The drive's own read: the data are in the controller.
    MoveBus,
    /// As [`Stage::MoveBus`], of a page that a write changes in part.
    MergeBus,
    /// A map page is asked for.
    MapAsk,
    /// A map page is in the controller.
    MapBus,
    /// What is read ahead is in DRAM.
    AheadBus,
    /// A unit cannot be read: it is worked out from its stripe.
    Rebuild,
}

/// One operation, in half a cache line.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    /// What happens next.
    pub stage: Stage,
    /// The stream of a program.
    pub stream: Stream,
    /// Of a program: one bit a cell.
    pub slc: bool,
    /// Of a program: it is parity.
    pub parity: bool,
    /// Of a reading that failed: what happens when the data are there.
    pub then: Stage,
    /// The host's command that it belongs to.
    pub tag: u16,
    pub die: u16,
    /// Pages of 4 KiB that the channel moves; of a program, that its group holds.
    pub pages: u16,
    /// Of a program: flash pages that have still to pass the channel.
    pub left: u16,
    /// Bytes that the link moves.
    pub bytes: u32,
    /// Of a program: the flush that waits for it, by number; of a reading that failed, its unit.
    pub epoch: u32,
    /// Of a program: the superblock; no page number at all where it is in none.
    pub superblock: u32,
    /// Of a program: its group's number on the die; of a move, its number in the mover's line.
    pub index: u32,
}

impl Op {
    /// Of a program: what is programmed.
    pub fn group(&self) -> Group {
        Group {
            superblock: self.superblock,
            index: self.index,
            die: u32::from(self.die),
        }
    }
}

/// No operation.
pub const IDLE: Op = Op {
    stage: Stage::Refused,
    stream: Stream::Host,
    slc: false,
    parity: false,
    then: Stage::Refused,
    tag: 0,
    die: 0,
    pages: 0,
    left: 0,
    bytes: 0,
    epoch: 0,
    superblock: 0,
    index: 0,
};

/// Places for records: a power of two, so that a masked number is never outside.
const PLACES: usize = 1_024;
const LAST: usize = PLACES - 1;

/// Which commands leave the controller in the order in which they came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Reads,
    Others,
}

/// Commands in the controller, each leaving it later than the one before it: only the first is in
/// the timeline.
#[derive(Clone, Debug, Default)]
struct Line {
    first: Option<u32>,
    behind: VecDeque<(u32, Instant)>,
    /// When the last one leaves.
    last: Instant,
}

/// All operations; the lowest free number is used first.
#[derive(Clone, Debug)]
pub struct Operations {
    records: Box<[Op; PLACES]>,
    /// Numbers that are free; the last of the first `free` of them is used next.
    stack: Box<[u16; PLACES]>,
    free: usize,
    /// Records that are kept for commands: the depth of the queue.
    for_commands: usize,
    /// When each operation's next stage begins, where that is known: of hundreds that wait for their die few have a
    /// time.
    timeline: Timeline,
    /// Commands in the controller: reads, and others.
    lines: [Line; 2],
    /// Operations under way that could reach a die before a read that has yet to pass the
    /// controller: while there are none, reads are given to their die at once.
    pub(super) overtakers: u32,
}

/// [`MOST`] numbers are free, the lowest on top.
fn all_free() -> Box<[u16; PLACES]> {
    let mut stack = Box::new([0; PLACES]);
    for (place, number) in stack.iter_mut().zip((0..MOST as u16).rev()) {
        *place = number;
    }
    stack
}

impl Operations {
    /// None under way, in a drive that takes `queue` commands at once.
    pub fn new(queue: u32) -> Operations {
        Operations {
            records: Box::new([IDLE; PLACES]),
            stack: all_free(),
            free: MOST,
            for_commands: queue as usize,
            timeline: Timeline::new(),
            lines: Default::default(),
            overtakers: 0,
        }
    }

    /// Forgets all: the power has failed.
    pub(super) fn power_cut(&mut self) {
        self.records.fill(IDLE);
        self.stack = all_free();
        self.free = MOST;
        self.timeline.clear_all();
        self.lines = Default::default();
        self.overtakers = 0;
    }

    /// The operation whose stage begins first, and when.
    #[inline(always)]
    pub(super) fn head(&self) -> Head {
        self.timeline.head()
    }

    /// Sets when an operation's next stage begins.
    #[inline]
    pub(super) fn set(&mut self, number: u32, at: Instant) {
        self.timeline.set(number, at);
    }

    /// The same for a command in the controller.
    #[inline]
    pub(super) fn set_in_line(&mut self, kind: Kind, number: u32, at: Instant) {
        let line = &mut self.lines[kind as usize];
        if line.first.is_none() {
            (line.first, line.last) = (Some(number), at);
        } else if line.last < at {
            line.last = at;
            return line.behind.push_back((number, at));
        }
        self.timeline.set(number, at);
    }

    /// A command has left the controller: the next one of its line is in the timeline now.
    #[inline]
    pub(super) fn end_in_line(&mut self, kind: Kind, number: u32) {
        self.end(number);
        let line = &mut self.lines[kind as usize];
        if line.first != Some(number) {
            return;
        }
        line.first = None;
        if let Some((next, at)) = line.behind.pop_front() {
            line.first = Some(next);
            self.timeline.set(next, at);
        }
    }

    /// An operation waits for something whose time is not known yet.
    #[inline]
    pub(super) fn park(&mut self, number: u32) {
        self.timeline.clear(number);
    }

    /// An operation has nothing more to come.
    #[inline]
    pub(super) fn end(&mut self, number: u32) {
        self.park(number);
        self.release(number);
    }

    /// Sets the program at the head of a die's queue on its way.
    #[inline]
    pub(super) fn follow(&mut self, turn: Turn) {
        match turn {
            Turn::Nothing => {}
            Turn::Later(op, at) => {
                self.get_mut(op).stage = Stage::ProgramTurn;
                self.set(op, at);
            }
            Turn::Begun(op, end) => {
                self.get_mut(op).stage = Stage::ProgramCell;
                self.set(op, end);
            }
        }
    }

    /// Whether a record is left for the drive's own use, beside those that are kept for commands.
    #[inline]
    pub(super) fn may_take(&self) -> bool {
        self.may_take_beside(0)
    }

    /// Whether one is left for the drive's own use while `others` are kept, too.
    #[inline]
    pub(super) fn may_take_beside(&self, others: usize) -> bool {
        self.free > self.for_commands + others
    }

    /// Takes a record; `None` if all are in use.
    #[inline]
    pub fn take(&mut self, op: Op) -> Option<u32> {
        self.free = self.free.checked_sub(1)?;
        let number = self.stack[self.free & LAST];
        self.records[usize::from(number) & LAST] = op;
        Some(u32::from(number))
    }

    /// Records not in use.
    #[inline]
    pub fn free(&self) -> usize {
        self.free
    }

    /// Gives a record back.
    #[inline]
    pub fn release(&mut self, number: u32) {
        self.stack[self.free & LAST] = number as u16;
        self.free += 1;
    }

    /// A record.
    #[inline]
    pub fn get(&self, number: u32) -> &Op {
        &self.records[number as usize & LAST]
    }

    /// A record, to change.
    #[inline]
    pub fn get_mut(&mut self, number: u32) -> &mut Op {
        &mut self.records[number as usize & LAST]
    }
}
