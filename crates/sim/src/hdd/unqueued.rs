//! A controller that takes one command at a time, as disks did before command queuing.
//!
//! Nothing competes for the arm but what the disk does of its own accord: it reads ahead after a
//! read, and a write that was acknowledged from the buffer (*fast write*) still goes to the medium.
//! So all of a command's way follows from the time at which it comes. A read whose first block is
//! in the buffer is sent at once, one that is not lets go of the bus until the medium delivers. A
//! command that the reading ahead does not serve stops it, and pays for what has to be finished.
//! While a fast write goes to the medium, everything else waits, except a write that continues
//! where it ends.

use base::io::{Io, Op};
use base::target::{Outcome, Tag};

use super::ahead::AheadRule;
use super::bus::SharedBus;
use super::drive::{Ahead, Hdd, Stage, Work};
use super::geometry::PhysicalAddress;
use super::overheads::{ExtraDisconnect, Overheads};

mod reading;
#[cfg(test)]
mod tests;
mod writing;

/// What such a controller does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unqueued {
    /// The way to the host.
    pub bus: SharedBus,
    /// The controller's own times.
    pub overheads: Overheads,
    /// How far it reads ahead.
    pub ahead: AheadRule,
    /// Reading ahead continues after a read that was all in the buffer, where the arm rests.
    pub ahead_on_idle_hit: bool,
    /// Reading ahead stops inside a sector.
    pub stop_in_sector: bool,
    /// The buffer answers reads.
    pub caching: bool,
    /// Writes are acknowledged when their data are in the buffer.
    pub fast_write: bool,
    /// A write may join the one that goes to the medium, where it continues at its end.
    pub combine_writes: bool,
    /// Writes have a segment of their own, in which no read looks.
    pub write_segment: bool,
    /// Written data answer reads.
    pub hits_on_written: bool,
    /// Sectors of a write are taken as they pass.
    pub zero_latency_write: bool,
    /// Nanoseconds that the move before a write takes at least.
    pub least_write_move_ns: u64,
    /// What a write costs that follows another one and does not adjoin it, where that is more.
    pub extra_disconnect: Option<ExtraDisconnect>,
}

/// What the controller remembers from one command to the next.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Memory {
    /// The last command was a write.
    after_write: bool,
    /// The last write: its blocks, and when they are all on the medium.
    written: (u64, u64),
    written_at: u64,
    /// Until then the arm moves to where it reads ahead.
    moving_until: u64,
}

impl Hdd {
    /// A command comes: its end follows at once.
    pub(super) fn start_unqueued(&mut self, rules: &Unqueued, now: u64, tag: Tag, io: &Io) {
        let block = self.p.block.get();
        let start = io.offset.get() / block;
        let end = start.saturating_add(io.len.get() / block);
        let refused = self.refusal(io);
        let at = match io.op {
            _ if refused.is_some() => now,
            Op::Read => self.read_unqueued(rules, now, (start, end)),
            Op::Write => {
                let acknowledged = self.write_unqueued(rules, now, (start, end));
                match io.durable {
                    true => acknowledged.max(self.memory.written_at),
                    false => acknowledged,
                }
            }
            Op::Flush | Op::Trim => self.memory.written_at.max(now),
        };
        if refused.is_none() && matches!(io.op, Op::Read | Op::Write) {
            self.memory.after_write = io.op == Op::Write;
        }
        let command = &mut self.commands[tag.0 as usize];
        (command.op, command.start, command.end) = (io.op, start, end);
        self.set(tag.0, Stage::End(refused.unwrap_or(Outcome::Complete)), at);
    }

    /// Blocks that were acknowledged and were not all on the medium at a given time.
    pub(super) fn unwritten_unqueued(&self, at: u64) -> Option<(u64, u64)> {
        (self.memory.written_at > at).then_some(self.memory.written)
    }

    fn place_of(&self, block: u64) -> (u64, PhysicalAddress) {
        let pba = self.p.mechanics.geometry.pba_of(block);
        (pba, self.p.mechanics.geometry.place(pba))
    }

    /// The stream of reading ahead that is under way, looked at now.
    fn stream(&mut self, now: u64) -> Option<Ahead> {
        let Work::Ahead(ahead) = self.work else {
            return None;
        };
        if ahead.stopped {
            return None;
        }
        let limit = self.pba_end(ahead.limit);
        self.pass
            .pass(&self.p.mechanics, &mut self.rare, now, limit);
        let block = self.block_reached();
        self.reads.grow(ahead.segment, block);
        let stopped = self.pass.pba >= limit;
        if stopped {
            self.work = Work::Rest;
        }
        (!stopped).then_some(ahead)
    }

    /// Stops reading ahead; gives the time from which the arm is free.
    fn stop_stream(&mut self, rules: &Unqueued, now: u64) -> u64 {
        let Work::Ahead(ahead) = self.work else {
            return now;
        };
        self.work = Work::Rest;
        if ahead.stopped {
            return now;
        }
        if now < self.memory.moving_until {
            return self.memory.moving_until;
        }
        let limit = self.pba_end(ahead.limit);
        let times = (now, limit);
        let m = &self.p.mechanics;
        let free = self
            .pass
            .halt(m, &mut self.rare, times, rules.stop_in_sector);
        let block = self.block_reached();
        self.reads.grow(ahead.segment, block);
        free
    }
}
