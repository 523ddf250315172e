//! Programs on their way: over the controller's path and the channel to the die.
//!
//! A group whose pages are all there waits for the path from DRAM to the channels, passes the channel
//! one flash page at a time (several times, where the cells are programmed in passes), then takes its
//! die. The first group of a superblock that held data pays for the erase, too.

use std::collections::VecDeque;

use base::size::{Bytes, PicosPerByte};
use base::time::{Duration, Instant};

use crate::ssd::drive::Drive;
use crate::ssd::flash::Flash;
use crate::ssd::flash::die::{Programming, Turn};
use crate::ssd::flash::layout::{Group, NONE};
use crate::ssd::ftl::stream::Stream;
use crate::ssd::operations::{IDLE, Op, Stage};
use crate::ssd::scatter::cells::Place;

/// Operations that programs leave to reads and moves: a large buffer of small groups could take all.
const FOR_READS: usize = 200;

/// Whether the drive writes it on its own behalf.
const fn is_own(stream: Stream) -> bool {
    matches!(stream, Stream::Move | Stream::Journal)
}

/// The controller's path to the channels, and groups that wait for it.
#[derive(Debug)]
pub(in crate::ssd) struct ProgramPath {
    rate: PicosPerByte,
    waiting: VecDeque<Op>,
    free: Instant,
    /// The last number of flash pages and its time: nearly all groups are alike, and the exact
    /// division of picoseconds is dear.
    last: (u16, Duration),
}

impl ProgramPath {
    /// An idle path.
    pub(in crate::ssd) fn new(rate: PicosPerByte) -> ProgramPath {
        ProgramPath {
            rate,
            waiting: VecDeque::new(),
            free: Instant::ZERO,
            last: (0, Duration::ZERO),
        }
    }

    /// A group waits for its turn.
    pub(in crate::ssd) fn join(&mut self, op: Op) {
        self.waiting.push_back(op);
    }

    /// Forgets all: the power has failed.
    pub(in crate::ssd) fn clear(&mut self) {
        *self = ProgramPath::new(self.rate);
    }

    /// Whether a group found no free operation.
    pub(in crate::ssd) fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// A group takes the path, with flash pages of a given size; gives when it has passed.
    #[inline]
    fn pass(&mut self, now: Instant, op: &Op, flash_page: u32) -> Instant {
        if self.last.0 != op.left {
            let bytes = u64::from(op.left) * u64::from(flash_page);
            self.last = (op.left, self.rate.time_for(Bytes::new(bytes)));
        }
        self.free = now.max(self.free) + self.last.1;
        self.free
    }
}

impl Flash {
    /// A group's data are with its die, which erases its block before where that is not empty.
    fn program(
        &mut self,
        at: Instant,
        (number, own): (u32, bool),
        op: &Op,
        (erases, worn): (bool, u32),
    ) -> Turn {
        let mut takes = if op.slc {
            self.timings.program_slc
        } else {
            self.timings.program
        };
        let mut erase = self.timings.erase;
        if let Some(cells) = &mut self.cells {
            let place = Place {
                group: op.index,
                groups: self.layout.groups_a_die(),
                worn,
            };
            takes = cells.program(takes, place);
            match erases {
                true => erase = cells.erase(erase, worn),
                false => cells.no_erase(),
            }
        }
        if !erases {
            erase = Duration::ZERO;
        }
        let what = Programming {
            takes: takes + erase,
            erase,
            steps: if op.slc { 1 } else { self.arbitration.steps },
        };
        self.dies[usize::from(op.die)].program(at, (number, own), what, &self.arbitration)
    }

    fn next_program(&mut self, at: Instant, die: u16) -> Turn {
        self.dies[usize::from(die)].turn(at, &self.arbitration)
    }

    fn program_ended(&mut self, at: Instant, die: u16) -> Turn {
        self.dies[usize::from(die)].program_ended(at, &self.arbitration)
    }
}

impl Drive {
    /// Sends a complete group to its die.
    pub(in crate::ssd) fn send(&mut self, at: Instant, group: Group, stream: Stream, slc: bool) {
        let rows = if slc {
            1
        } else {
            self.ftl.layout.geometry().bits
        };
        let pages = rows * self.ftl.layout.unit_pages();
        if !is_own(stream) {
            self.write_cache.flushes.completed(pages);
        }
        if self.fits_beside_others(at, group, pages, stream) {
            return;
        }
        let op = self.program_of(group, stream, slc);
        // Where nothing waits for the path, it is the group's at once.
        if !self.flash.path.waits() && self.ops.may_take_beside(FOR_READS) {
            self.take_path(at, &op);
        } else {
            self.flash.path.join(op);
        }
        self.send_parity_behind(&group, stream, slc);
        if self.flash.path.waits() {
            self.path_on(at);
        }
    }

    /// The program of a group, which is under way from now on.
    pub(in crate::ssd) fn program_of(&mut self, group: Group, stream: Stream, slc: bool) -> Op {
        let geometry = self.ftl.layout.geometry();
        let rows = if slc { 1 } else { geometry.bits };
        let pages = rows * self.ftl.layout.unit_pages();
        let flash_pages = rows * geometry.planes;
        let passes = if slc {
            1
        } else {
            self.flash.timings.program_passes
        };
        self.ops.overtakers += 1;
        if let Some(drain) = &mut self.mechanisms.drain {
            drain.begins();
        }
        Op {
            stage: Stage::ProgramBus,
            die: group.die as u16,
            pages: pages as u16,
            left: (flash_pages * passes) as u16,
            superblock: group.superblock,
            index: group.index,
            stream,
            slc,
            // What the drive moves is safe at its old place: no flush waits for it.
            epoch: match stream {
                Stream::Move => 0,
                _ => self.write_cache.flushes.sent(),
            },
            ..IDLE
        }
    }

    /// Lets groups that wait take the path, as far as there are operations for them.
    pub(in crate::ssd) fn path_on(&mut self, now: Instant) {
        while self.ops.may_take_beside(FOR_READS) {
            let Some(op) = self.flash.path.waiting.pop_front() else {
                return;
            };
            self.take_path(now, &op);
        }
    }

    #[inline]
    fn take_path(&mut self, now: Instant, op: &Op) {
        let flash_page = self.ftl.layout.geometry().page_bytes;
        let end = self.flash.path.pass(now, op, flash_page);
        if let Some(number) = self.ops.take(*op) {
            self.flash.ask_channel_for_program(end, number, op);
        }
    }

    /// Flash pages of a group have passed the channel: it is asked for the others, or the group is
    /// with its die.
    pub(in crate::ssd) fn program_on_bus(&mut self, at: Instant, number: u32, moved: u16) {
        let op = self.ops.get_mut(number);
        op.left -= moved;
        let op = *op;
        if op.left > 0 {
            self.flash.ask_channel_for_program(at, number, &op);
            return;
        }
        let journal = op.superblock == NONE;
        let erases = !journal && op.index == 0 && self.ftl.pool.block(op.superblock).dirty;
        self.counters.erased_blocks += u64::from(erases);
        let worn = match self.ftl.pool.wear() {
            Some(wear) if !journal && self.flash.cells.is_some() => {
                (wear.share(op.superblock).min(1.0) * 1_000.0) as u32
            }
            _ => 0,
        };
        // What a flush waits for is the host's: it does not wait for all that is being moved.
        let own = is_own(op.stream) && !self.write_cache.flushes.awaits(&op);
        let turn = self.flash.program(at, (number, own), &op, (erases, worn));
        self.ops.follow(turn);
    }

    /// The program at the head of a die's queue may be able to begin.
    pub(in crate::ssd) fn program_turn(&mut self, at: Instant, number: u32, op: &Op) {
        self.ops.park(number);
        let turn = self.flash.next_program(at, op.die);
        self.ops.follow(turn);
    }

    /// A program has ended: its data are in the flash, and its buffer and its operation are free.
    pub(in crate::ssd) fn programmed(&mut self, at: Instant, number: u32, op: &Op) {
        self.ops.end(number);
        self.ops.overtakers -= 1;
        let turn = self.flash.program_ended(at, op.die);
        self.ops.follow(turn);
        self.counters.programmed_pages += u64::from(op.pages);
        if op.superblock == NONE || op.parity {
            self.account.apart += u64::from(op.pages);
            self.counters.parity_pages += u64::from(op.parity) * u64::from(op.pages);
        } else {
            self.ftl.group_programmed(&op.group());
            if let Some(retention) = &mut self.flash.retention {
                retention.written(at, op.superblock);
            }
            match op.stream {
                Stream::Move => self.ftl.relocator.programmed(u32::from(op.pages)),
                Stream::Journal => {}
                Stream::Host | Stream::Slc => {
                    let moved = self.ftl.moved_beside(&op.group());
                    self.ftl.relocator.programmed(moved);
                    let from_the_host = u64::from(op.pages) - u64::from(moved);
                    self.write_cache.buffer.release(from_the_host);
                }
            }
        }
        if op.stream != Stream::Move {
            self.write_cache.flushes.ended(op.epoch);
        }
        if op.stream == Stream::Journal {
            self.map_page_ended(at, &op.group());
        }
        self.drained(at);
        self.end_flushes(at);
        self.begin_flushes(at);
        self.resume_where_stalled(at);
        self.ask_for_data(at);
        self.pump(at);
        self.audit_in_time();
    }
}
