//! Reads on their way: each flash page of a read goes to its die, over the channel and the link.
//!
//! A read's pages are asked for when its command has passed the controller. Nothing that comes later
//! can reach a die before it as long as only reads are under way, so a small read is then given to
//! its die at once, which saves an event and changes no time.

use base::io::Io;
use base::size::Bytes;
use base::time::Instant;

use super::drive::Drive;
use super::nand::{Lpn, NONE, PAGE, Ppn};
use super::ops::{IDLE, Op, Stage};
use super::retention::EIO;

/// A part of a read that one flash page holds, or none.
pub(super) struct Piece {
    pub(super) ppn: Ppn,
    pub(super) pages: u32,
    pub(super) bytes: u32,
}

impl Drive {
    #[inline]
    pub(super) fn start_read(&mut self, now: Instant, tag: u32, io: &Io) {
        let (offset, end) = (io.offset.get(), io.end().get());
        let pages = end.div_ceil(PAGE) - offset / PAGE;
        let arrived = self.link.command(now);
        let mut asked = self.controller.read(arrived, pages);
        self.heat(arrived, io.op, io.len);
        let ahead = self.read_ahead.as_mut();
        let follows = ahead.is_some_and(|ahead| ahead.read(offset, end));
        if self.map_cache.is_some() {
            match self.look_up(asked, tag, offset) {
                Some(found) => asked = found,
                None => return,
            }
        }
        if !follows && self.is_quiet() {
            let piece = self.piece(offset, end);
            if u64::from(piece.bytes) == end - offset && self.ops.free() > 0 {
                self.ask(asked, tag, &piece);
                return;
            }
        }
        // A host keeps to the queue's depth, so there is always an operation left for a command.
        self.unquiet += 1;
        self.carry(Stage::ReadAsk, tag, asked);
    }

    /// An operation that only carries a command to its next moment.
    pub(super) fn carry(&mut self, stage: Stage, tag: u32, at: Instant) {
        self.begin_at(
            Op {
                stage,
                tag: tag as u16,
                ..IDLE
            },
            at,
        );
    }

    /// The first part of a range that one flash page holds, or that is nowhere.
    #[inline]
    pub(super) fn piece(&self, offset: u64, end: u64) -> Piece {
        let lpn = (offset / PAGE) as Lpn;
        if end - offset == PAGE && offset.is_multiple_of(PAGE) {
            return Piece {
                ppn: self.t.map.get(lpn),
                pages: 1,
                bytes: PAGE as u32,
            };
        }
        let most = self.t.layout.geometry().flash_page_pages();
        let pages = ((end - 1) / PAGE - u64::from(lpn) + 1).min(u64::from(most)) as u32;
        let (ppn, run) = if pages == 1 {
            (self.t.map.get(lpn), 1)
        } else {
            self.t.map.run(lpn, pages)
        };
        let pages = if ppn == NONE {
            run
        } else {
            // A flash page is a power of two of pages.
            run.min(most - (ppn & (most - 1)))
        };
        let to = ((u64::from(lpn) + u64::from(pages)) * PAGE).min(end);
        Piece {
            ppn,
            pages,
            bytes: (to - offset) as u32,
        }
    }

    /// Asks the flash (or DRAM) for a piece.
    #[inline(always)]
    fn ask(&mut self, now: Instant, tag: u32, piece: &Piece) {
        let mut op = Op {
            stage: Stage::ReadBus,
            tag: tag as u16,
            pages: piece.pages as u16,
            bytes: piece.bytes,
            ..IDLE
        };
        if piece.ppn == NONE || !self.t.is_programmed(piece.ppn) {
            // What is nowhere, or still in DRAM, goes straight to the link.
            let number = self.ops.take(op).expect("the caller looked");
            self.set(number, now);
            return;
        }
        let (die, end) = self.read_die(now, piece.ppn);
        if self.is_lost(now, piece.ppn) {
            self.requests[tag as usize].error = EIO;
        }
        op.die = die as u16;
        let number = self.ops.take(op).expect("the caller looked");
        self.ask_channel(end, number, die, piece.pages);
    }

    /// True where what lies in a page can be read no more.
    #[inline]
    pub(super) fn is_lost(&self, now: Instant, ppn: Ppn) -> bool {
        let retention = self.retention.as_ref();
        retention.is_some_and(|retention| retention.is_lost(now, ppn, &self.t))
    }

    /// A die reads the unit of a page; gives the die and the moment when it has.
    // Called for each read: as a call of its own it costs a tenth of what a read costs in all.
    #[inline(always)]
    pub(super) fn read_die(&mut self, now: Instant, ppn: Ppn) -> (u32, Instant) {
        let unit = self.t.layout.unit(ppn);
        let (die, row) = self.t.layout.die_and_row(unit);
        let slc = self.t.space.slc_in_use() && self.t.space.block(self.t.layout.place(ppn).0).slc;
        let takes = if slc {
            self.p.timings.read_slc
        } else {
            self.page_types
                .as_ref()
                .map_or(self.p.timings.read, |types| types.read(row))
        };
        let takes = match &self.retention {
            None => takes,
            Some(retention) => takes + retention.retries(now, ppn, &self.t),
        };
        let reading = self.dies[die as usize].read(now, unit, takes, &self.p.arbitration);
        if let Some((program, end)) = reading.pushed {
            self.set(program, end);
        }
        (die, reading.end)
    }

    /// Asks for as many pieces of a read as there are operations for.
    pub(super) fn ask_all(&mut self, now: Instant, tag: u32) {
        loop {
            let request = self.requests[tag as usize];
            if request.at == request.end {
                self.fetch_ahead(now, request.end);
                return;
            }
            if !self.may_take_op() {
                self.stalled_reads.push_back(tag);
                return;
            }
            if !self.is_mapped(now, tag, request.at) {
                return;
            }
            if let Some(to) = self.ask_buffer(now, tag, request.at, request.end) {
                self.requests[tag as usize].at = to;
                continue;
            }
            let piece = self.piece(request.at, request.end);
            self.requests[tag as usize].at += u64::from(piece.bytes);
            self.ask(now, tag, &piece);
        }
    }

    /// True where an operation is left beside those that commands need.
    #[inline]
    pub(super) fn may_take_op(&self) -> bool {
        self.ops.free() > self.p.queue as usize
    }

    #[inline]
    pub(super) fn read_on_link(&mut self, now: Instant, number: u32) {
        let op = *self.ops.get(number);
        let request = &mut self.requests[usize::from(op.tag)];
        request.left -= u64::from(op.bytes);
        let last = request.left == 0;
        let end = self
            .link
            .to_host(now, Bytes::new(u64::from(op.bytes)), last);
        self.ops.release(number);
        if last {
            self.completes(end, u32::from(op.tag));
        }
        self.resume_where_stalled(now);
    }

    /// An operation is free again: what waited for one goes on.
    #[inline]
    pub(super) fn resume_where_stalled(&mut self, now: Instant) {
        if self.is_stalled() {
            self.resume_stalled(now);
        }
    }

    fn is_stalled(&self) -> bool {
        !self.stalled_reads.is_empty() || self.path.waits()
    }

    /// Something gave an operation back: groups and reads that waited for one go on.
    pub(super) fn resume_stalled(&mut self, now: Instant) {
        if self.path.waits() {
            self.path_on(now);
        }
        if !self.stalled_reads.is_empty() && self.may_take_op() {
            let tag = self.stalled_reads.pop_front().expect("it is not empty");
            self.ask_all(now, tag);
        }
    }
}
