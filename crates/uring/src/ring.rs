//! A real target through io_uring: the measuring engine's fast path.
//!
//! Submissions are queued in memory the kernel shares; [`Target::wait`] hands all of them over and
//! waits for completions in one system call, then takes every completion that is there. The clock
//! is read once before that call (the moment at which the I/Os are sent) and once after it (the
//! moment at which their completions are seen): two readings for a whole batch.
//!
//! * A flush is `fdatasync`: data, and what is needed to find it again, on stable storage; a file's time stamps, which
//!   would measure the file system's journal, are excluded.
//! * A trim punches a hole into a file. On a block device it is a discard through the ring (Linux 6.12), on an older
//!   kernel the blocking `BLKDISCARD` at submission: completions of concurrent I/Os are then seen late.
//! * An I/O that the kernel completes with EAGAIN or EINTR is resubmitted, keeping its send time.
//! * Synchronous writes carry `RWF_SYNC` each, which is `O_SYNC` for one write, durable ones `RWF_DSYNC`.

use std::io;
use std::os::fd::OwnedFd;

use base::io::{FillKind, Io, Op};
use base::label;
use base::size::Bytes;
use base::target::{Busy, Done, Info, Outcome, Tag, Target};
use base::time::Instant;
use base::zone::Zoning;
use rustix::io::Errno;

use crate::clock::Clock;
use crate::fill::Filler;
use crate::raw::{self, Finished, RawRing, Request, Sync, Traits};
use crate::zones::{LOOK, ZoneThread};

/// How often an I/O is handed over again before its EAGAIN counts as a failure.
const MOST_TRIES: u8 = 100;

/// A file or block device accessed by a ring. It stays in the thread that opened it.
pub struct RingTarget {
    raw: RawRing,
    clock: Clock,
    info: Info,
    largest_io: Bytes,
    sync: bool,
    device: bool,
    /// True once the kernel has refused a discard through the ring.
    discards_block: bool,
    /// By tag: when it was handed over.
    sent: Vec<Instant>,
    /// By tag: the request; kept until it is done, since it may have to be resubmitted.
    slots: Vec<Slot>,
    /// Queued since the last system call, in order.
    pending: Vec<u32>,
    /// There are such among them that were sent before.
    any_repeated: bool,
    /// Completed without a system call: returned by the next wait.
    refused: Vec<(u32, Outcome)>,
    /// Blocking discards to be done at the next wait, those with a time after a first try.
    discards: Vec<(u32, Option<Instant>)>,
    /// For commands to zones, once there was one.
    zones: Option<ZoneThread>,
    in_flight: u32,
    filler: Filler,
    /// The ring failed permanently. Everything in flight then has been completed, so from now on nothing is taken from
    /// the ring any more.
    broken: Option<Errno>,
}

/// One I/O in flight.
#[derive(Clone, Copy)]
struct Slot {
    offset: u64,
    len: u64,
    op: Op,
    tries: u8,
    /// Of a labelled read; 0 for any other I/O.
    generation: u16,
    /// Of a write.
    durable: bool,
}

impl Slot {
    #[inline(always)]
    fn request(self, device: bool, sync: bool) -> Request {
        let Slot {
            offset,
            len,
            durable,
            ..
        } = self;
        // A transfer's length is at most `largest_io`, which 32 bits hold: see `open`.
        let transfer = len as u32;
        match self.op {
            Op::Read => Request::Read {
                offset,
                len: transfer,
            },
            Op::Write => Request::Write {
                offset,
                len: transfer,
                sync: Sync::of(durable, sync),
            },
            Op::Flush => Request::DataSync,
            Op::Trim if device => Request::Discard { offset, len },
            Op::Trim => Request::PunchHole { offset, len },
        }
    }
}

/// The generation that a read is to find; 0 for any other I/O.
#[inline(always)]
fn checked_generation(io: &Io) -> u16 {
    match (io.op, io.fill.kind) {
        (Op::Read, FillKind::Labelled { generation }) => generation,
        _ => 0,
    }
}

/// What a ring is made of.
pub(crate) struct Plan {
    pub(crate) info: Info,
    pub(crate) largest_io: Bytes,
    pub(crate) sync: bool,
    pub(crate) device: bool,
}

impl RingTarget {
    /// # Errors
    /// The file, and why there is no ring.
    pub(crate) fn new(file: OwnedFd, plan: &Plan) -> Result<RingTarget, (OwnedFd, io::Error)> {
        let depth = plan.info.max_in_flight;
        let slot_bytes = plan.largest_io.round_up(Bytes::new(raw::PAGE as u64));
        let idle = Slot {
            offset: 0,
            len: 0,
            op: Op::Read,
            tries: 0,
            generation: 0,
            durable: false,
        };
        Ok(RingTarget {
            raw: RawRing::new(file, depth, slot_bytes.get() as usize)?,
            clock: Clock::starting_now(),
            info: plan.info,
            largest_io: plan.largest_io,
            sync: plan.sync,
            device: plan.device,
            discards_block: false,
            sent: vec![Instant::ZERO; depth as usize],
            slots: vec![idle; depth as usize],
            pending: Vec::with_capacity(depth as usize),
            any_repeated: false,
            refused: Vec::new(),
            discards: Vec::new(),
            zones: None,
            in_flight: 0,
            filler: Filler::new(depth),
            broken: None,
        })
    }

    pub(crate) fn traits(&self) -> Traits {
        self.raw.traits()
    }

    pub(crate) fn clock(&self) -> Clock {
        self.clock
    }

    pub(crate) fn file(&self) -> &OwnedFd {
        self.raw.file()
    }

    /// Lets entering the ring fail, or work again.
    #[cfg(test)]
    pub(crate) fn spoil(&mut self, spoilt: bool) {
        self.raw.spoil(spoilt);
    }

    /// What the last I/O under a tag has moved, for tests.
    #[cfg(test)]
    pub(crate) fn bytes_of(&mut self, tag: Tag) -> &[u8] {
        let len = self.slots[tag.0 as usize].len as usize;
        &self.raw.buffer(tag.0)[..len]
    }

    /// Checks an I/O and makes its bytes, where it writes any.
    fn prepare(&mut self, tag: u32, io: &Io) -> Result<(), Outcome> {
        if let Some(errno) = self.broken {
            return Err(Outcome::Broken(errno.raw_os_error()));
        }
        match io.op {
            Op::Read | Op::Write if io.len > self.largest_io => {
                return Err(Outcome::Failed(Errno::INVAL.raw_os_error()));
            }
            Op::Read if self.info.writable => self.filler.forget(tag),
            Op::Write => {
                let buffer = &mut self.raw.buffer(tag)[..io.len.get() as usize];
                self.filler.fill(tag, buffer, io);
            }
            Op::Read | Op::Flush | Op::Trim => {}
        }
        Ok(())
    }

    #[inline(always)]
    fn queue(&mut self, tag: u32, slot: Slot) {
        self.raw.push(tag, slot.request(self.device, self.sync));
        self.pending.push(tag);
    }

    #[inline(never)]
    fn submit_any(&mut self, tag: u32, slot: Slot, io: &Io) {
        if let Some(what) = io.zone {
            return self.command_zone(tag, what, io.offset);
        }
        match self.prepare(tag, io) {
            Err(outcome) => self.refused.push((tag, outcome)),
            Ok(()) if io.op == Op::Trim && self.discards_block => self.discards.push((tag, None)),
            Ok(()) => self.queue(tag, slot),
        }
    }

    /// Hands a command to a zone over to the thread for them.
    #[cold]
    fn command_zone(&mut self, tag: u32, what: Zoning, start: Bytes) {
        if self.zones.is_none() {
            self.zones = ZoneThread::new(self.raw.file(), self.clock).ok();
        }
        let sent = (self.zones.as_mut()).is_some_and(|zones| zones.send(Tag(tag), what, start));
        if !sent {
            let why = Outcome::Failed(Errno::AGAIN.raw_os_error());
            self.refused.push((tag, why));
        }
    }

    /// Waits in short intervals while zone commands are active, and collects those that are done.
    #[cold]
    fn wait_beside_zones(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        let soon = self.clock.now() + LOOK;
        self.enter(Some(until.map_or(soon, |until| until.min(soon))), done);
        if let Some(zones) = &mut self.zones {
            self.in_flight -= zones.take(done);
        }
    }

    /// Submits the queue and waits for a completion or until a time.
    #[inline]
    fn enter(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        let sent = match (self.pending.is_empty(), until) {
            (true, None) => Instant::ZERO, // nobody needs it
            _ => self.clock.now(),
        };
        for &tag in &self.pending {
            if !self.any_repeated || self.slots[tag as usize].tries == 0 {
                self.sent[tag as usize] = sent;
            }
        }
        let timeout = until.map(|until| until.since(sent).as_nanos());
        let entered = self.raw.enter(1, timeout);
        // The kernel takes entries in order; those that it left are sent at the next call.
        let taken = self.pending.len() - self.raw.queued() as usize;
        self.pending.drain(..taken);
        self.any_repeated &= !self.pending.is_empty();
        match entered {
            // EAGAIN, EBUSY: the kernel is short of something until completions are taken.
            Ok(_) | Err(Errno::INTR | Errno::AGAIN | Errno::BUSY) => {}
            Err(errno) => self.break_down(errno, done),
        }
    }

    fn reap(&mut self, done: &mut Vec<Done>) {
        if !self.raw.has_completions() {
            return;
        }
        let at = self.clock.now();
        let (sent, slots) = (&self.sent, &self.slots);
        let mut unusual = Vec::new();
        let before = done.len();
        self.raw.reap(|finished| {
            let tag = finished.slot;
            if !finished.complete || slots[tag as usize].generation != 0 {
                unusual.push(finished);
                return;
            }
            done.push(Done {
                tag: Tag(tag),
                sent: sent[tag as usize],
                at,
                outcome: Outcome::Complete,
            });
        });
        self.in_flight -= (done.len() - before) as u32;
        for finished in unusual {
            self.take_unusual(finished, at, done);
        }
    }

    /// Errors, short transfers, labelled reads, and resubmissions.
    #[cold]
    fn take_unusual(&mut self, finished: Finished, at: Instant, done: &mut Vec<Done>) {
        let tag = finished.slot;
        let slot = self.slots[tag as usize];
        let sent = self.sent[tag as usize];
        if finished.complete {
            let bytes = &self.raw.buffer(tag)[..slot.len as usize];
            let differs = label::check(bytes, Bytes::new(slot.offset), slot.generation);
            let outcome = differs.map_or(Outcome::Complete, Outcome::Differs);
            return self.push_done(tag, sent, at, outcome, done);
        }
        if finished.result >= 0 {
            let moved = Bytes::new(finished.result as u64);
            return self.push_done(tag, sent, at, Outcome::Short(moved), done);
        }
        let outcome = match Errno::from_raw_os_error(-finished.result) {
            Errno::AGAIN | Errno::INTR if slot.tries < MOST_TRIES => return self.repeat(tag),
            Errno::OPNOTSUPP if slot.op == Op::Trim && self.device => {
                // Either this kernel has no discard through a ring, or the device has none at all:
                // the blocking call tells, and is used from now on.
                self.discards_block = true;
                return self.discards.push((tag, Some(sent)));
            }
            errno => Outcome::Failed(errno.raw_os_error()),
        };
        self.push_done(tag, sent, at, outcome, done);
    }

    /// Hands an I/O over once more, with the next ones; its time runs from the first sending.
    #[cold]
    fn repeat(&mut self, tag: u32) {
        self.slots[tag as usize].tries += 1;
        self.any_repeated = true;
        self.queue(tag, self.slots[tag as usize]);
    }

    /// Everything that was completed without the ring.
    #[cold]
    fn answer_without_ring(&mut self, done: &mut Vec<Done>) {
        for (tag, outcome) in std::mem::take(&mut self.refused) {
            let now = self.clock.now();
            self.push_done(tag, now, now, outcome, done);
        }
        for (tag, sent) in std::mem::take(&mut self.discards) {
            let Slot { offset, len, .. } = self.slots[tag as usize];
            let sent = sent.unwrap_or_else(|| self.clock.now());
            let outcome = match raw::discard(self.raw.file(), offset, len) {
                Ok(()) => Outcome::Complete,
                Err(errno) => Outcome::Failed(errno.raw_os_error()),
            };
            let at = self.clock.now();
            self.push_done(tag, sent, at, outcome, done);
        }
    }

    fn push_done(
        &mut self,
        tag: u32,
        sent: Instant,
        at: Instant,
        outcome: Outcome,
        done: &mut Vec<Done>,
    ) {
        self.in_flight -= 1;
        done.push(Done {
            tag: Tag(tag),
            sent,
            at,
            outcome,
        });
    }

    /// The ring itself fails: all in flight are lost with it, and whatever is submitted from now on.
    #[cold]
    fn break_down(&mut self, errno: Errno, done: &mut Vec<Done>) {
        self.reap(done);
        self.broken = Some(errno);
        let now = self.clock.now();
        for tag in self.raw.busy_slots() {
            let sent = self.sent[tag as usize].min(now);
            self.push_done(tag, sent, now, Outcome::Broken(errno.raw_os_error()), done);
        }
        self.pending.clear();
    }
}

impl Target for RingTarget {
    fn info(&self) -> Info {
        self.info
    }

    #[inline]
    fn now(&self) -> Instant {
        self.clock.now()
    }

    #[inline(always)]
    fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
        if self.in_flight == self.info.max_in_flight {
            return Err(Busy);
        }
        self.in_flight += 1;
        let tag = tag.0;
        let slot = Slot {
            offset: io.offset.get(),
            len: io.len.get(),
            op: io.op,
            tries: 0,
            generation: checked_generation(io),
            durable: io.durable,
        };
        // Field by field: copied whole, its two bytes would be read back as one word before they
        // have left the store buffer, which stalls for longer than all else here takes.
        let kept = &mut self.slots[tag as usize];
        kept.offset = slot.offset;
        kept.len = slot.len;
        kept.op = slot.op;
        kept.tries = slot.tries;
        kept.generation = slot.generation;
        kept.durable = slot.durable;
        // Reads have a short way, since at the kernel's cheapest they are what the engine is as
        // fast as.
        let plain = io.op == Op::Read && io.len <= self.largest_io && self.broken.is_none();
        if plain && !self.info.writable {
            self.queue(
                tag,
                Slot {
                    op: Op::Read,
                    ..slot
                },
            );
        } else {
            self.submit_any(tag, slot, io);
        }
        Ok(())
    }

    fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        if self.in_flight == 0 {
            if let Some(until) = until {
                self.clock.sleep_until(until);
            }
            return;
        }
        if self.broken.is_some() {
            return self.answer_without_ring(done);
        }
        if !self.refused.is_empty() || !self.discards.is_empty() {
            // What is queued beside them is handed over all the same, without waiting for it.
            let now = (!self.pending.is_empty()).then(|| self.clock.now());
            if now.is_some() {
                self.enter(now, done);
            }
            self.answer_without_ring(done);
        } else if self.zones.as_ref().is_some_and(ZoneThread::is_busy) {
            self.wait_beside_zones(until, done);
        } else {
            self.enter(until, done);
        }
        if self.broken.is_none() {
            self.reap(done);
        }
    }
}
