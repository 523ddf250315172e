//! Commands: where each begins, where it is handed on, and where it ends.
//!
//! Every command of the host comes in through `Drive::start_command`, which refuses what lies
//! outside the drive, and continues through `Drive::dispatch` once the firmware takes it: at once
//! on most drives, later where its one task is busy with merging
//! ([`crate::ssd::ftl::partial_write`]).

use base::io::{Fill, Io, Op as Operation};
use base::size::Bytes;
use base::time::Instant;

use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::PAGE;
use crate::ssd::ftl::wear::EROFS;
use crate::ssd::operations::{IDLE, Kind, Op, Stage};

/// "Invalid argument", for an I/O outside the drive.
const EINVAL: i32 = 22;

/// A command of the host, by tag.
#[derive(Clone, Copy, Debug)]
pub(in crate::ssd) struct Request {
    pub(in crate::ssd) op: Operation,
    /// Next byte to be asked for (reads) or placed (writes).
    pub(in crate::ssd) at: u64,
    /// First byte after the command.
    pub(in crate::ssd) end: u64,
    /// Bytes of a read that have not gone over the link yet.
    pub(in crate::ssd) left: u64,
    /// Units that a write covers in part, whose old data it waits for.
    pub(in crate::ssd) merges: u16,
    /// A write's data have come.
    pub(in crate::ssd) arrived: bool,
    /// What written data look like.
    pub(in crate::ssd) fill: Fill,
    /// Of a write: it waits until its data are safe.
    pub(in crate::ssd) durable: bool,
    /// Sectors by which a log's places lie before its addresses.
    pub(in crate::ssd) shift: u64,
    /// The error that it ends with; 0: none.
    pub(in crate::ssd) error: i32,
}

impl Request {
    /// No command.
    pub(in crate::ssd) const NONE: Request = Request {
        op: Operation::Flush,
        at: 0,
        end: 0,
        left: 0,
        merges: 0,
        arrived: false,
        fill: Fill::FRESH,
        durable: false,
        shift: 0,
        error: 0,
    };

    /// Whether all its bytes have moved, or none were to.
    pub(in crate::ssd) fn is_whole(&self) -> bool {
        match self.op {
            _ if self.error != 0 => true,
            Operation::Read => self.left == 0,
            Operation::Write => self.at == self.end,
            Operation::Trim | Operation::Flush => true,
        }
    }
}

impl Drive {
    /// A command of the host arrives.
    #[inline]
    pub(in crate::ssd) fn start_command(&mut self, now: Instant, tag: u32, io: &Io) {
        self.front.in_flight += 1;
        self.front.requests[tag as usize] = Request {
            op: io.op,
            at: io.offset.get(),
            end: io.end().get(),
            left: io.len.get(),
            fill: io.fill,
            durable: (io.durable || self.p.writes_through()) && io.op == Operation::Write,
            ..Request::NONE
        };
        let within = io.offset.get().checked_add(io.len.get());
        let empty = io.len.is_zero() && io.op != Operation::Flush;
        if empty || within.is_none_or(|end| end > self.p.capacity.get()) {
            self.refuse(now, tag, EINVAL);
            return;
        }
        let mut io = io;
        let seen;
        if let Some(partial_writes) = &mut self.mechanisms.partial_writes {
            if partial_writes.is_log() {
                seen = self.seen_by_log(tag, io);
                io = &seen;
            } else if partial_writes.must_wait(tag, io, self.p.capacity.get()) {
                return;
            }
        }
        self.dispatch(now, tag, io);
    }

    /// The firmware takes a command.
    #[inline]
    pub(in crate::ssd) fn dispatch(&mut self, now: Instant, tag: u32, io: &Io) {
        match io.op {
            Operation::Read => self.start_read(now, tag, io),
            Operation::Write | Operation::Trim | Operation::Flush => {
                self.start_other(now, tag, io);
            }
        }
    }

    fn start_other(&mut self, now: Instant, tag: u32, io: &Io) {
        if self.ftl.pool.is_read_only() && io.op != Operation::Flush {
            self.refuse(now, tag, EROFS);
            return self.all_came(now, tag);
        }
        self.ops.overtakers += 1;
        let pages = io.end().get().div_ceil(PAGE) - io.offset.get() / PAGE;
        let arrived = self.front.link.command(now);
        let (stage, pages) = match io.op {
            Operation::Write => {
                self.counters.host_bytes += io.len.get();
                if let Some(ahead) = &mut self.mechanisms.read_ahead {
                    ahead.written(io.offset.get(), io.end().get());
                }
                (Stage::WriteAsk, pages)
            }
            _ => (Stage::Ask, 1),
        };
        self.keep_house(arrived);
        let asked = self.front.controller.write(arrived, pages);
        self.heat(arrived, io.op, io.len);
        self.pass(stage, tag, asked);
    }

    /// A trim or a flush has passed the controller.
    pub(in crate::ssd) fn trim_or_flush(&mut self, at: Instant, tag: u32) {
        if self.front.requests[tag as usize].op == Operation::Flush {
            self.flush(at, tag);
        } else {
            self.trim(at, tag);
        }
    }

    /// A command passes the controller.
    pub(in crate::ssd) fn pass(&mut self, stage: Stage, tag: u32, asked: Instant) {
        let kind = match stage {
            Stage::ReadAsk => Kind::Reads,
            _ => Kind::Others,
        };
        let op = Op {
            stage,
            tag: tag as u16,
            ..IDLE
        };
        match self.ops.take(op) {
            Some(number) => self.ops.set_in_line(kind, number, asked),
            None => self.begin_at(op, asked),
        }
    }

    /// An operation that only carries a command to its next stage.
    pub(in crate::ssd) fn carry(&mut self, stage: Stage, tag: u32, at: Instant) {
        self.begin_at(
            Op {
                stage,
                tag: tag as u16,
                ..IDLE
            },
            at,
        );
    }

    /// A command without data has ended: its completion takes the link.
    pub(in crate::ssd) fn status(&mut self, now: Instant, tag: u32) {
        let end = self.front.link.status(now);
        self.ops.overtakers -= 1;
        self.front.completes(end, tag);
    }

    /// Refuses an I/O: one outside the drive, or a write where the drive is worn out.
    fn refuse(&mut self, now: Instant, tag: u32, error: i32) {
        self.front.requests[tag as usize].error = error;
        self.ops.overtakers += 1;
        let at = self.front.link.command(now);
        self.carry(Stage::Refused, tag, at);
    }

    /// An access as a log of sectors sees it: it has no borders of pages.
    fn seen_by_log(&mut self, tag: u32, io: &Io) -> Io {
        let offset = io.offset.round_down(Bytes::new(PAGE));
        let seen = Io { offset, ..*io };
        let request = &mut self.front.requests[tag as usize];
        (request.at, request.end) = (seen.offset.get(), seen.end().get());
        request.shift = (io.offset.get() - seen.offset.get()) / Bytes::SECTOR.get();
        seen
    }

    /// Whether reads may be given to their die before they reach it: nothing else could come
    /// between.
    pub(in crate::ssd) fn is_quiet(&self) -> bool {
        self.front.keeps_order && self.ops.overtakers == 0
    }
}
