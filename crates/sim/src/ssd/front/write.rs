//! The data phase of writes: from the host into the buffer.
//!
//! It goes command by command, as a link transfers them, so that what arrives in order is laid out in
//! order. A piece of a write is asked for when the buffer and the block pool have room for it; when it
//! has come its pages are placed, and each group that is complete then is sent to its die
//! (`program`).

use std::collections::VecDeque;

use base::size::Bytes;
use base::time::Instant;

use crate::event_log::Event;
use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::{Lpn, NONE, PAGE};
use crate::ssd::front::commands::Request;
use crate::ssd::ftl::Run;
use crate::ssd::ftl::stream::Stream;
use crate::ssd::operations::{IDLE, Op, Stage};

/// Bytes of a write that are asked for at once, at most.
pub(super) const PIECE: u64 = 128 << 10;

/// Writes that passed the controller and wait for their data phase, first come first.
#[derive(Debug, Default)]
pub(in crate::ssd) struct DataPhase {
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

impl DataPhase {
    /// A write has passed the controller.
    pub(in crate::ssd) fn queue(&mut self, tag: u32) {
        self.queue.push_back(tag);
    }

    /// Whether there is a write whose next piece is not on the link.
    #[inline]
    fn may_ask(&self) -> bool {
        match &self.active {
            Some(active) => !active.on_link,
            None => !self.queue.is_empty(),
        }
    }
}

impl Drive {
    /// All data of a write have their places: it is acknowledged. A durable one goes on as a flush, which
    /// saves what fills no group yet; capacitors make it safe at once.
    pub(in crate::ssd) fn acknowledge(&mut self, at: Instant, tag: u32) {
        if self.front.requests[tag as usize].durable {
            self.flush(at, tag);
        } else {
            self.status(at, tag);
        }
    }

    /// Asks for the next piece of the write whose data phase it is, where there is room for it.
    #[inline]
    pub(in crate::ssd) fn ask_for_data(&mut self, now: Instant) {
        if self.write_cache.data_phase.may_ask() {
            self.ask_for_piece(now);
        }
    }

    fn ask_for_piece(&mut self, now: Instant) {
        if self.is_draining() {
            return;
        }
        let active = match self.write_cache.data_phase.active {
            Some(active) => active,
            None => {
                let Some(&tag) = self.write_cache.data_phase.queue.front() else {
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
                self.write_cache.data_phase.queue.pop_front();
                Active {
                    tag,
                    number,
                    on_link: false,
                }
            }
        };
        self.write_cache.data_phase.active = Some(active);
        let request = &self.front.requests[active.tag as usize];
        let (at, to) = (request.at, self.piece_end(request));
        let pages = self.pages_taken(at, to);
        let room = self.settle(now) && self.ftl.pool.host_room() >= pages + self.promised();
        if !room || self.host_is_ahead() {
            self.pump(now);
            return;
        }
        if !self.write_cache.buffer.take(pages) {
            self.log.note(now, Event::BufferFull);
            return;
        }
        self.promise(pages);
        let end = self.front.link.to_drive(now, Bytes::new(to - at));
        self.write_cache.data_phase.active = Some(Active {
            on_link: true,
            ..active
        });
        self.ops.set(active.number, end);
    }

    /// Where the next piece of a write ends: at a multiple of its size, or with the command. A piece
    /// is half of a small buffer at most.
    fn piece_end(&self, request: &Request) -> u64 {
        // A power of two.
        let piece = self.write_cache.piece;
        ((request.at | (piece - 1)) + 1).min(request.end)
    }

    /// A piece of a write is in the buffer.
    pub(in crate::ssd) fn data_came(&mut self, at: Instant, number: u32, tag: u32) {
        let request = self.front.requests[tag as usize];
        let to = self.piece_end(&request);
        if let Some(compression) = &mut self.mechanisms.compression {
            compression.begins(request.fill);
        }
        if self.mechanisms.partial_writes.is_some() {
            self.place_units(at, tag, &request, to);
        } else {
            self.merge_edges(at, &request, to);
            self.note_pages(request.at, to);
            let pages = self.pages_taken(request.at, to);
            self.place_host(at, (request.at / PAGE) as Lpn, pages as u32);
        }
        self.front.requests[tag as usize].at = to;
        self.ops.park(number);
        if to == request.end {
            self.ops.release(number);
            self.write_cache.data_phase.active = None;
            self.front.idle_work = true;
            self.write_ends(at, tag);
        } else if let Some(active) = &mut self.write_cache.data_phase.active {
            active.on_link = false;
        }
        self.ask_for_data(at);
        self.pump(at);
    }

    /// Gives the host's pages their places, and sends what is complete.
    pub(in crate::ssd) fn place_host(&mut self, at: Instant, lpn: Lpn, count: u32) {
        if self.mechanisms.map_cache.is_some() {
            self.map_written(at, lpn, count);
        }
        let (mut lpn, mut left) = (lpn, count);
        while left > 0 {
            let stream = self.ftl.pool.host_stream();
            let run = self
                .ftl
                .place_run(stream, lpn, left)
                .expect("room was promised before the data were asked for");
            lpn += run.count;
            left -= run.count;
            self.owe(&run);
            self.placed(at, stream, &run);
        }
        self.journal_map(at, count);
    }

    /// A run of the host's pages has its places: each unit that is full may complete a group. Nothing happens between
    /// those that complete none, so that they are counted together.
    fn placed(&mut self, at: Instant, stream: Stream, run: &Run) {
        let layout = self.ftl.layout;
        let unit = layout.unit_pages();
        let (mut place, end) = (run.place, run.place + run.count);
        while place < end {
            let unit_end = place - layout.in_unit(place) + unit;
            let next = layout
                .completes_none_before(place, run.slc)
                .max(unit_end)
                .min(end);
            self.count_placed(at, stream, next - place);
            if next == unit_end
                && let Some(group) = layout.group_completed_by(run.superblock, next - unit, run.slc)
            {
                self.send(at, group, stream, run.slc);
            }
            place = next;
        }
    }

    fn count_placed(&mut self, at: Instant, stream: Stream, count: u32) {
        self.counters.host_pages += u64::from(count);
        self.write_cache.flushes.placed(count);
        if let Some(compression) = &mut self.mechanisms.compression {
            compression.placed(count);
        }
        if stream == Stream::Host {
            let written = Bytes::new(PAGE * (self.counters.host_pages - u64::from(count)));
            self.log.note(at, Event::PastOneBit { written });
            self.counters.direct_pages += u64::from(count);
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
        let ppn = self.ftl.l2p.get(page as Lpn);
        if ppn == NONE || !self.ftl.is_programmed(ppn) || !self.ops.may_take() {
            return;
        }
        let (die, end) = self.flash.read(at, (ppn, 1), &self.ftl, &mut self.ops);
        let op = Op {
            stage: Stage::MergeBus,
            die: die as u16,
            pages: 1,
            ..IDLE
        };
        if let Some(number) = self.ops.take(op) {
            self.ops.overtakers += 1;
            self.fetch(end, number, ppn);
        }
    }
}
