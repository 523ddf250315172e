//! Flash operations and commands under way: one record each, one agenda slot each, none allocated an
//! I/O.

use super::nand::Group;
use super::space::Stream;

/// Most operations under way.
pub const MOST: usize = 1_000;

/// What happens to an operation at its moment.
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
    /// A command is refused.
    Refused,
    /// Flash pages of a program have passed the channel, as many as nobody came between.
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
}

/// One operation, in half a cache line.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    /// What happens next.
    pub stage: Stage,
    /// Of a program: who wrote it.
    pub stream: Stream,
    /// Of a program: one bit a cell.
    pub slc: bool,
    /// The host's command that it belongs to.
    pub tag: u16,
    /// The die.
    pub die: u16,
    /// Pages of 4 KiB that the channel moves; of a program, that its group holds.
    pub pages: u16,
    /// Of a program: flash pages that have still to pass the channel.
    pub left: u16,
    /// Bytes that the link moves.
    pub bytes: u32,
    /// Of a program: the flush that waits for it, by number.
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

/// All operations; the lowest free number is used first, so that a shallow queue keeps a small
/// agenda.
#[derive(Clone, Debug)]
pub struct Ops {
    records: Box<[Op; PLACES]>,
    /// Numbers that are free; the last of the first `free` of them is used next.
    stack: Box<[u16; PLACES]>,
    free: usize,
}

impl Default for Ops {
    fn default() -> Ops {
        let mut stack = Box::new([0; PLACES]);
        for (place, number) in stack.iter_mut().zip((0..MOST as u16).rev()) {
            *place = number;
        }
        Ops {
            records: Box::new([IDLE; PLACES]),
            stack,
            free: MOST,
        }
    }
}

impl Ops {
    /// Takes a record; `None` where all are in use.
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
