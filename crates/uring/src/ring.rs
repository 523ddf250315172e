//! A real target through io_uring: the measuring engine's fast way.
//!
//! Submissions are queued in memory the kernel shares; [`Target::wait`] hands all of them over and
//! waits for completions in one system call, then takes every completion that is there. The clock
//! is read once before that call (the moment at which the I/Os are sent) and once after it (the
//! moment at which their completions are seen): two readings for a whole batch.
//!
//! * A flush is `fdatasync`: data, and what is needed to find them again, on stable storage; a
//!   file's time stamps, which would measure the file system's journal, are left out.
//! * A trim punches a hole into a file. On a block device it is a discard through the ring (Linux
//!   6.12), on an older kernel the blocking `BLKDISCARD` at the moment of handing over: I/Os in
//!   flight beside it are then seen late.
//! * An I/O that the kernel answers with EAGAIN or EINTR is handed over again, its send time kept.
//! * Synchronous writes carry `RWF_SYNC` each, which is `O_SYNC` for one write.

use std::io;
use std::os::fd::OwnedFd;

use base::io::{Io, Op};
use base::size::Bytes;
use base::target::{Busy, Done, Info, Outcome, Tag, Target};
use base::time::Instant;
use rustix::io::Errno;

use crate::clock::Clock;
use crate::fill::Filler;
use crate::raw::{self, RawRing, Request, Traits};

/// How often an I/O is handed over again before its EAGAIN counts as a failure.
const MOST_TRIES: u8 = 100;

/// A file or block device behind a ring. It stays in the thread that opened it.
pub struct RingTarget {
    raw: RawRing,
    clock: Clock,
    info: Info,
    largest_io: Bytes,
    sync: bool,
    device: bool,
    /// True once the kernel has refused a discard through the ring.
    discards_block: bool,
    slots: Vec<Slot>,
    /// Queued since the last system call, in order.
    pending: Vec<u32>,
    /// Answered without a system call: at the next wait they come back.
    refused: Vec<(u32, Errno)>,
    /// Blocking discards to be done at the next wait.
    discards: Vec<u32>,
    in_flight: u32,
    filler: Filler,
    /// The ring answered with something that does not go away.
    broken: Option<Errno>,
}

/// One I/O in flight.
#[derive(Clone, Copy)]
struct Slot {
    sent: Instant,
    op: Op,
    tries: u8,
    offset: u64,
    len: u64,
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
            sent: Instant::ZERO,
            op: Op::Read,
            tries: 0,
            offset: 0,
            len: 0,
        };
        Ok(RingTarget {
            raw: RawRing::new(file, depth, slot_bytes.get() as usize)?,
            clock: Clock::starting_now(),
            info: plan.info,
            largest_io: plan.largest_io,
            sync: plan.sync,
            device: plan.device,
            discards_block: false,
            slots: vec![idle; depth as usize],
            pending: Vec::with_capacity(depth as usize),
            refused: Vec::new(),
            discards: Vec::new(),
            in_flight: 0,
            filler: Filler::new(depth),
            broken: None,
        })
    }

    pub(crate) fn traits(&self) -> Traits {
        self.raw.traits()
    }

    #[inline]
    fn request(&mut self, slot: u32, io: &Io) -> Result<Request, Errno> {
        if let Some(errno) = self.broken {
            return Err(errno);
        }
        let transfer = matches!(io.op, Op::Read | Op::Write);
        if transfer && io.len > self.largest_io {
            return Err(Errno::INVAL);
        }
        let (offset, len) = (io.offset.get(), io.len.get());
        Ok(match io.op {
            Op::Read => {
                if self.info.writable {
                    self.filler.forget(slot);
                }
                // `largest_io` fits a register of 32 bits: see `open`.
                Request::Read {
                    offset,
                    len: len as u32,
                }
            }
            Op::Write => {
                let buffer = &mut self.raw.buffer(slot)[..len as usize];
                self.filler.fill(slot, buffer, io);
                Request::Write {
                    offset,
                    len: len as u32,
                    sync: self.sync,
                }
            }
            Op::Flush => Request::DataSync,
            Op::Trim if self.device => Request::Discard { offset, len },
            Op::Trim => Request::PunchHole { offset, len },
        })
    }

    /// Hands over what is queued and waits; gives when it did.
    #[inline]
    fn enter(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        let stamp = !self.pending.is_empty() || until.is_some();
        let sent = if stamp {
            self.clock.now()
        } else {
            Instant::ZERO
        };
        for &slot in &self.pending {
            let slot = &mut self.slots[slot as usize];
            if slot.tries == 0 {
                slot.sent = sent;
            }
        }
        let timeout = until.map(|until| until.since(sent).as_nanos());
        let entered = self.raw.enter(1, timeout);
        let left = self.raw.queued() as usize;
        if left == 0 {
            self.pending.clear();
        } else {
            self.pending.drain(..self.pending.len() - left);
        }
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
        let mut again = Vec::new();
        let (slots, device) = (&self.slots, self.device);
        let discards_block = &mut self.discards_block;
        let before = done.len();
        self.raw.reap(|tag, result| {
            let slot = &slots[tag as usize];
            if result < 0 && is_to_repeat(slot, -result, device, discards_block) {
                again.push(tag);
                return;
            }
            done.push(Done {
                tag: Tag(tag),
                sent: slot.sent,
                at,
                outcome: outcome(slot, result),
            });
        });
        self.in_flight -= (done.len() - before) as u32;
        again.into_iter().for_each(|tag| self.repeat(tag));
    }

    #[cold]
    fn repeat(&mut self, tag: u32) {
        let slot = &mut self.slots[tag as usize];
        slot.tries += 1;
        let (offset, len) = (slot.offset, slot.len);
        let request = match slot.op {
            Op::Read => Request::Read {
                offset,
                len: len as u32,
            },
            Op::Write => Request::Write {
                offset,
                len: len as u32,
                sync: self.sync,
            },
            Op::Flush => Request::DataSync,
            Op::Trim if self.device => return self.discards.push(tag),
            Op::Trim => Request::PunchHole { offset, len },
        };
        self.raw.push(tag, request);
        self.pending.push(tag);
    }

    /// Everything that was answered, or is done, without the ring.
    #[cold]
    fn answer_without_ring(&mut self, done: &mut Vec<Done>) {
        for (tag, errno) in std::mem::take(&mut self.refused) {
            let now = self.clock.now();
            self.push_done(tag, now, now, Outcome::Failed(errno.raw_os_error()), done);
        }
        for tag in std::mem::take(&mut self.discards) {
            let Slot {
                sent,
                tries,
                offset,
                len,
                ..
            } = self.slots[tag as usize];
            let sent = if tries == 0 { self.clock.now() } else { sent };
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

    /// The ring itself fails: all in flight fail with it, and whatever is submitted from now on.
    #[cold]
    fn break_down(&mut self, errno: Errno, done: &mut Vec<Done>) {
        self.broken = Some(errno);
        self.reap(done);
        let now = self.clock.now();
        for tag in self.raw.busy_slots() {
            let sent = self.slots[tag as usize].sent.min(now);
            self.push_done(tag, sent, now, Outcome::Failed(errno.raw_os_error()), done);
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

    #[inline]
    fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
        if self.in_flight == self.info.max_in_flight {
            return Err(Busy);
        }
        let slot = tag.0;
        let request = self.request(slot, io);
        let kept = &mut self.slots[slot as usize];
        kept.op = io.op;
        kept.tries = 0;
        kept.offset = io.offset.get();
        kept.len = io.len.get();
        self.in_flight += 1;
        match request {
            Ok(Request::Discard { .. }) if self.discards_block => self.discards.push(slot),
            Ok(request) => {
                self.raw.push(slot, request);
                self.pending.push(slot);
            }
            Err(errno) => self.refused.push((slot, errno)),
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
        if !self.refused.is_empty() || !self.discards.is_empty() {
            // What is queued beside them is handed over all the same, without waiting for it.
            let now = (!self.pending.is_empty()).then(|| self.clock.now());
            if now.is_some() {
                self.enter(now, done);
            }
            self.answer_without_ring(done);
        } else {
            self.enter(until, done);
        }
        self.reap(done);
    }
}

/// True where an I/O is to be handed over once more.
#[cold]
fn is_to_repeat(slot: &Slot, errno: i32, device: bool, discards_block: &mut bool) -> bool {
    let errno = Errno::from_raw_os_error(errno);
    if slot.op == Op::Trim && device && errno == Errno::OPNOTSUPP && slot.tries == 0 {
        // Either this kernel has no discard through a ring, or the device has none at all: the
        // blocking call tells, and is used from now on.
        *discards_block = true;
        return true;
    }
    matches!(errno, Errno::AGAIN | Errno::INTR) && slot.tries < MOST_TRIES
}

#[inline]
fn outcome(slot: &Slot, result: i32) -> Outcome {
    if result < 0 {
        return Outcome::Failed(-result);
    }
    let moved = result as u64;
    match slot.op {
        Op::Read | Op::Write if moved != slot.len => Outcome::Short(Bytes::new(moved)),
        _ => Outcome::Complete,
    }
}
