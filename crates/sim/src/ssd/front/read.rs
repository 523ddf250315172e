//! Reads on their way: each flash page of a read goes to its die, over the channel and the link.
//!
//! A read's pages are asked for when its command has passed the controller. Nothing that comes
//! later can reach a die before it as long as only reads are under way, so a small read is then
//! given to its die at once, which saves an event and changes no time.

use base::io::Io;
use base::size::Bytes;
use base::time::Instant;

use crate::event_log::Event;
use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::{Lpn, NONE, PAGE, Ppn};
use crate::ssd::flash::retention::EIO;
use crate::ssd::operations::{IDLE, Op, Stage};

/// A part of a read that one flash page holds, or none.
pub(in crate::ssd) struct Piece {
    pub(in crate::ssd) ppn: Ppn,
    pub(in crate::ssd) pages: u32,
    pub(in crate::ssd) bytes: u32,
}

impl Drive {
    #[inline]
    pub(in crate::ssd) fn start_read(&mut self, now: Instant, tag: u32, io: &Io) {
        let (offset, end) = (io.offset.get(), io.end().get());
        let pages = end.div_ceil(PAGE) - offset / PAGE;
        let arrived = self.front.link.command(now);
        self.keep_house(arrived);
        let mut asked = self.front.controller.read(arrived, pages);
        self.heat(arrived, io.op, io.len);
        let ahead = self.mechanisms.read_ahead.as_mut();
        let follows = ahead.is_some_and(|ahead| ahead.read(offset, end));
        if self.mechanisms.map_cache.is_some() {
            match self.look_up(asked, tag, offset) {
                Some(found) => asked = found,
                None => return,
            }
        }
        if !follows && self.is_quiet() && self.mechanisms.drain.is_none() {
            let piece = self.piece(offset, end);
            if u64::from(piece.bytes) == end - offset && self.ops.free() > 0 {
                self.ask(asked, tag, &piece);
                return;
            }
        }
        // A host keeps to the queue's depth, so there is always an operation left for a command.
        self.ops.overtakers += 1;
        self.pass(Stage::ReadAsk, tag, asked);
    }

    /// The first part of a range that one flash page holds, or that is nowhere.
    #[inline(always)]
    pub(in crate::ssd) fn piece(&self, offset: u64, end: u64) -> Piece {
        let lpn = (offset / PAGE) as Lpn;
        if end - offset == PAGE && offset.is_multiple_of(PAGE) {
            return Piece {
                ppn: self.ftl.l2p.get(lpn),
                pages: 1,
                bytes: PAGE as u32,
            };
        }
        self.piece_of_many(offset, end)
    }

    fn piece_of_many(&self, offset: u64, end: u64) -> Piece {
        let lpn = (offset / PAGE) as Lpn;
        let most = self.ftl.layout.geometry().flash_page_pages();
        let pages = ((end - 1) / PAGE - u64::from(lpn) + 1).min(u64::from(most)) as u32;
        let (ppn, run) = if pages == 1 {
            (self.ftl.l2p.get(lpn), 1)
        } else {
            self.ftl.l2p.run(lpn, pages)
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
        if piece.ppn == NONE || !self.ftl.is_programmed(piece.ppn) {
            // What is nowhere, or still in DRAM, goes straight to the link.
            let number = self.ops.take(op).expect("the caller looked");
            self.ops.set(number, now);
            return;
        }
        let (die, end) = self
            .flash
            .read(now, (piece.ppn, piece.pages), &self.ftl, &mut self.ops);
        if self.flash.is_lost(now, piece.ppn, &self.ftl) {
            self.front.requests[tag as usize].error = EIO;
        }
        self.log.note(now, Event::PageRead { die });
        (self.log).note_if(now, Event::ReadRetry, || {
            self.flash.is_read_again(now, piece.ppn, &self.ftl)
        });
        op.die = die as u16;
        let number = self.ops.take(op).expect("the caller looked");
        self.fetch(end, number, piece.ppn);
    }

    /// Asks for as many pieces of a read as there are operations for.
    pub(in crate::ssd) fn ask_all(&mut self, now: Instant, tag: u32) {
        loop {
            let request = self.front.requests[tag as usize];
            if request.at == request.end {
                self.fetch_ahead(now, request.end);
                return;
            }
            if !self.ops.may_take() {
                self.front.stalled_reads.push_back(tag);
                return;
            }
            if !self.is_mapped(now, tag, request.at) {
                return;
            }
            if let Some(to) = self.ask_buffer(now, tag, request.at, request.end) {
                self.front.requests[tag as usize].at = to;
                continue;
            }
            let piece = self.piece(request.at, request.end);
            self.front.requests[tag as usize].at += u64::from(piece.bytes);
            self.ask(now, tag, &piece);
        }
    }

    #[inline(always)]
    pub(in crate::ssd) fn read_on_link(&mut self, now: Instant, number: u32) {
        let op = *self.ops.get(number);
        let request = &mut self.front.requests[usize::from(op.tag)];
        request.left -= u64::from(op.bytes);
        let last = request.left == 0;
        let end = self
            .front
            .link
            .to_host(now, Bytes::new(u64::from(op.bytes)), last);
        self.ops.release(number);
        if last {
            self.front.completes(end, u32::from(op.tag));
        }
        self.resume_where_stalled(now);
    }

    /// An operation is free again: what waited for one resumes.
    #[inline]
    pub(in crate::ssd) fn resume_where_stalled(&mut self, now: Instant) {
        if self.is_stalled() {
            self.resume_stalled(now);
        }
    }

    fn is_stalled(&self) -> bool {
        !self.front.stalled_reads.is_empty() || self.flash.path.waits()
    }

    /// Something gave an operation back: groups and reads that waited for one resume.
    pub(in crate::ssd) fn resume_stalled(&mut self, now: Instant) {
        if self.flash.path.waits() {
            self.path_on(now);
        }
        if !self.front.stalled_reads.is_empty() && self.ops.may_take() {
            let tag = self
                .front
                .stalled_reads
                .pop_front()
                .expect("it is not empty");
            self.ask_all(now, tag);
        }
    }
}
