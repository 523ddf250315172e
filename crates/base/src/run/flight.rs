//! I/Os in flight, and the loop that keeps them there: the same for streams, scripts, traces and the jobs of other
//! programs' files.
//!
//! A [`Source`] decides which I/Os are sent and when; everything else is here, once: slots and tags, waiting for
//! completions or for the next due time, records, progress updates, interrupts, and the loss of a drive. Submissions
//! are queued by the target and submitted together when the loop waits. Time is the target's own: the loop takes it
//! from completions and queries it only when needed.

use super::{Live, Looks, Verdict, Watcher};
use crate::io::{Io, Op};
use crate::record::{Completion, Ended, OWN_PAUSE, PhaseRecord};
use crate::size::Bytes;
use crate::target::{Done, Outcome, Tag, Target};
use crate::time::{Duration, Instant};

/// Where the I/Os of a phase come from.
pub trait Source {
    /// Sends all that may be sent now.
    fn issue<T: Target + ?Sized>(&mut self, flight: &mut Flight, target: &mut T);

    /// When the next I/O may be sent, or the phase ends, that waits for nothing but the time.
    fn due(&self, flight: &Flight) -> Option<Instant>;

    /// Whether nothing will be sent any more once nothing is in flight.
    fn is_exhausted(&self) -> bool;

    /// The index of the job whose record an I/O belongs to; `None` for one that is not recorded, as in a warm-up.
    #[inline(always)]
    fn job_of(&self, slot: &Slot, done: &Done) -> Option<usize> {
        let _ = (slot, done);
        Some(0)
    }

    /// When a job began whose record counts its times from then, and not from the beginning of the phase.
    #[inline(always)]
    fn origin(&self, job: usize) -> Option<Instant> {
        let _ = job;
        None
    }

    /// An I/O has completed, and its record is kept.
    fn came_back(&mut self, flight: &mut Flight, slot: &Slot, done: &Done);

    /// The program itself was stopped for this long: everything due at a rate or at a time of the phase is delayed by
    /// it, and no I/Os are sent in a burst.
    fn stood_still(&mut self, time: Duration) {
        let _ = time;
    }

    /// All completions of a batch have been processed; nothing was sent between them.
    fn all_came_back(&mut self, flight: &mut Flight, last: Instant) {
        let _ = (flight, last);
    }

    /// Where a single sequential stream would resume.
    fn position(&self, flight: &Flight) -> Option<Bytes> {
        let _ = flight;
        None
    }
}

/// One I/O in flight.
#[derive(Clone, Copy)]
pub struct Slot {
    /// The I/O.
    pub io: Io,
    /// The source's own number: of a stream, of a step.
    pub of: u32,
    /// When it was due, where its response time counts from then.
    pub intended: Option<Instant>,
    beside_reads: u16,
    beside_writes: u16,
}

/// A phase while it runs.
pub struct Flight {
    /// The records so far.
    pub record: PhaseRecord,
    slots: Vec<Slot>,
    free: Vec<u32>,
    reads: u32,
    writes: u32,
    pub began: Instant,
    /// The target's time, as of the last completions.
    pub now: Instant,
    /// Nothing is sent any more.
    pub stopping: bool,
    /// The program itself has stood still in this phase.
    paused: bool,
    /// When it was looked for pauses that the clock does not show.
    looked: Instant,
    ended: Ended,
}

impl Flight {
    /// Nothing in flight yet, and room for `depth` at once.
    pub fn new(record: PhaseRecord, depth: u32) -> Flight {
        let idle = Slot {
            io: Io::flush(),
            of: 0,
            intended: None,
            beside_reads: 0,
            beside_writes: 0,
        };
        let began = record.began;
        Flight {
            record,
            slots: vec![idle; depth as usize],
            free: (0..depth).rev().collect(),
            reads: 0,
            writes: 0,
            began,
            now: began,
            stopping: false,
            paused: false,
            looked: began,
            ended: Ended::Complete,
        }
    }

    /// I/Os in flight at once at most.
    pub fn depth(&self) -> u32 {
        self.slots.len() as u32
    }

    /// How many are in flight.
    #[inline(always)]
    pub fn in_flight(&self) -> u32 {
        self.reads + self.writes
    }

    /// Whether another one can be sent.
    #[inline(always)]
    pub fn has_room(&self) -> bool {
        !self.free.is_empty()
    }

    /// Whether the drive, or the path to it, is lost.
    #[inline(always)]
    pub fn is_lost(&self) -> bool {
        self.ended.is_loss()
    }

    /// Sends an I/O; returns the number of its slot, or `None` if there is no room for it now.
    #[inline(always)]
    pub fn send<T: Target + ?Sized>(
        &mut self,
        target: &mut T,
        io: &Io,
        of: u32,
        intended: Option<Instant>,
    ) -> Option<u32> {
        let slot = self.free.pop()?;
        if target.submit(Tag(slot), io).is_err() {
            self.free.push(slot);
            return None;
        }
        self.slots[slot as usize] = Slot {
            io: *io,
            of,
            intended,
            beside_reads: at_most_u16(self.reads),
            beside_writes: at_most_u16(self.writes),
        };
        if io.op == Op::Read {
            self.reads += 1;
        } else {
            self.writes += 1;
        }
        Some(slot)
    }

    /// Runs a source to its end.
    pub fn go<T: Target + ?Sized, S: Source>(
        &mut self,
        target: &mut T,
        source: &mut S,
        watcher: &mut dyn Watcher,
    ) {
        let in_virtual_time = target.observer().is_none();
        let mut looks = Looks::new(watcher, self.began, in_virtual_time);
        target.next_from(0);
        let mut done = Vec::with_capacity(self.slots.len());
        loop {
            source.issue(self, target);
            if self.in_flight() == 0 && (self.stopping || source.is_exhausted()) {
                break;
            }
            target.wait(self.wait_until(source.due(self), looks.next()), &mut done);
            let last_at = done.last().map(|d| d.at);
            let before = self.now;
            self.now = last_at.map_or_else(|| target.now(), |at| at.max(self.now));
            if self.now.since(before) >= OWN_PAUSE {
                self.find_pauses(target, source, before, before);
            }
            if self.paused {
                self.complete_beside_pauses(source, &done);
            } else {
                for d in &done {
                    self.complete(source, d);
                }
            }
            let ask = looks.came_back(done.len(), self.now);
            done.clear();
            if let Some(at) = last_at {
                source.all_came_back(self, at);
            }
            if looks.are_due(self.now, self.in_flight() == 0) {
                // The loop was awake, but the machine may have slept.
                self.find_pauses(target, source, self.looked, self.now);
                self.show(source, watcher, &looks);
            } else if ask && watcher.wants_to_stop() {
                self.interrupt();
            }
        }
        self.flush_at_end(target, source, &mut done);
        self.now = target.now().max(self.now);
        self.record.pauses.wake_ups = target.observer().map(|observer| observer.wake_ups());
        self.take_time();
        self.end(source);
    }

    /// So long the phase has taken, the pauses of the program left out.
    fn take_time(&mut self) {
        let ours = self.record.pauses.on_the_clock();
        self.record.took = self.now.since(self.began).saturating_sub(ours);
    }

    /// Checks whether the program itself was stopped since a moment, and keeps that separate from the drive's time; the
    /// loop was not awake since another one.
    #[cold]
    fn find_pauses<T: Target + ?Sized, S: Source>(
        &mut self,
        target: &T,
        source: &mut S,
        since: Instant,
        not_awake_since: Instant,
    ) {
        let Some(observer) = target.observer() else {
            return;
        };
        let mut found = Vec::new();
        observer.pauses(since, &mut found);
        self.looked = self.now;
        let asleep = (not_awake_since, self.now);
        for pause in found {
            let Some(new) = self.record.pauses.add(pause, asleep) else {
                continue;
            };
            self.paused = true;
            for (number, job) in self.record.jobs.iter_mut().enumerate() {
                let origin = source.origin(number).unwrap_or(self.began);
                job.stood_still(new.from.since(origin), new.until.since(origin));
            }
            source.stood_still(new.until.since(new.from));
        }
    }

    /// Processes the completions of a phase in which the program was stopped: a time of which half or more is the
    /// program's is not the drive's.
    #[cold]
    fn complete_beside_pauses<S: Source>(&mut self, source: &mut S, done: &[Done]) {
        for d in done {
            let slot = self.take_out(d);
            if let Some(job) = source.job_of(&slot, d) {
                let completion = self.completion(&slot, d, source.origin(job));
                self.keep_beside_pauses(job, d.at, &completion);
            }
            self.came_back(source, &slot, d);
        }
    }

    #[cold]
    fn keep_beside_pauses(&mut self, job: usize, at: Instant, done: &Completion) {
        let felt = done.response.unwrap_or(done.service);
        let from = Instant::from_nanos(at.as_nanos().saturating_sub(felt.as_nanos()));
        let is_ours = self.is_ours(from, at);
        let job = &mut self.record.jobs[job];
        if is_ours {
            let ours = self.record.pauses.between(from, at);
            job.keep_without_time(done, ours);
            self.record.pauses.left_out += 1;
        } else {
            job.keep(done);
        }
    }

    /// Whether half of the time between two moments, or more, was the program's own.
    pub fn is_ours(&self, from: Instant, at: Instant) -> bool {
        let ours = self.record.pauses.between(from, at);
        !ours.is_zero() && ours.saturating_mul(2) >= at.since(from)
    }

    /// Until when to wait: the next completion at the latest where neither time is in the future.
    #[inline(always)]
    fn wait_until(&self, due: Option<Instant>, look: Instant) -> Option<Instant> {
        // What was due earlier waits for room, or for a completion.
        let until = match due.filter(|due| *due > self.now) {
            Some(due) => due.min(look),
            None => look,
        };
        (until != Instant::MAX && until > self.now).then_some(until)
    }

    #[inline(always)]
    fn complete<S: Source>(&mut self, source: &mut S, done: &Done) {
        let slot = self.take_out(done);
        if let Some(job) = source.job_of(&slot, done) {
            let completion = self.completion(&slot, done, source.origin(job));
            self.record.jobs[job].keep(&completion);
        }
        self.came_back(source, &slot, done);
    }

    #[inline(always)]
    fn take_out(&mut self, done: &Done) -> Slot {
        let slot = self.slots[done.tag.0 as usize];
        self.free.push(done.tag.0);
        if slot.io.op == Op::Read {
            self.reads -= 1;
        } else {
            self.writes -= 1;
        }
        slot
    }

    #[inline(always)]
    fn completion(&self, slot: &Slot, done: &Done, origin: Option<Instant>) -> Completion {
        Completion {
            io: slot.io,
            at: done.at.since(origin.unwrap_or(self.began)),
            service: done.at.since(done.sent),
            response: slot.intended.map(|intended| done.at.since(intended)),
            outcome: done.outcome,
            beside_reads: slot.beside_reads,
            beside_writes: slot.beside_writes,
        }
    }

    #[inline(always)]
    fn came_back<S: Source>(&mut self, source: &mut S, slot: &Slot, done: &Done) {
        if done.outcome != Outcome::Complete {
            self.failed(done.outcome);
        }
        source.came_back(self, slot, done);
    }

    /// An I/O failed: the phase continues, unless the drive or the path to it is lost.
    #[cold]
    fn failed(&mut self, outcome: Outcome) {
        if let (Some(ended), false) = (Ended::by(outcome), self.is_lost()) {
            self.stopping = true;
            self.ended = ended;
        }
    }

    fn show<S: Source>(&mut self, source: &S, watcher: &mut dyn Watcher, looks: &Looks) {
        self.take_time();
        self.record.done_below = source.position(self);
        let live = Live {
            record: &self.record,
            in_flight: self.in_flight(),
            quiet: looks.quiet(self.now),
        };
        if watcher.look(&live) == Verdict::Stop {
            self.interrupt();
        }
    }

    fn interrupt(&mut self) {
        if !self.stopping {
            self.stopping = true;
            self.ended = Ended::Interrupted;
        }
    }

    /// The first address in flight.
    pub fn first_in_flight(&self) -> Option<Bytes> {
        (0..self.depth())
            .filter(|slot| !self.free.contains(slot))
            .map(|slot| self.slots[slot as usize].io)
            .filter(|io| io.op != Op::Flush)
            .map(|io| io.offset)
            .min()
    }

    fn flush_at_end<T: Target + ?Sized, S: Source>(
        &mut self,
        target: &mut T,
        source: &mut S,
        done: &mut Vec<Done>,
    ) {
        if !self.record.workload.flush_at_end
            || self.is_lost()
            || target.submit(Tag(0), &Io::flush()).is_err()
        {
            return;
        }
        while done.is_empty() {
            target.wait(None, done);
        }
        for d in done.drain(..) {
            let before = self.now;
            self.now = d.at.max(self.now);
            self.find_pauses(target, source, before, before);
            let completion = Completion {
                io: Io::flush(),
                at: d.at.since(self.began),
                service: d.at.since(d.sent),
                response: None,
                outcome: d.outcome,
                beside_reads: 0,
                beside_writes: 0,
            };
            self.keep_beside_pauses(0, d.at, &completion);
        }
    }

    fn end<S: Source>(&mut self, source: &S) {
        self.record.done_below = source.position(self);
        self.record.ended = self.ended;
        for job in &mut self.record.jobs {
            job.settle();
            if let Some(bins) = &mut job.bins {
                bins.end_slice();
            }
        }
    }
}

/// More than 65,535 concurrent I/Os count as 65,535.
#[inline]
fn at_most_u16(n: u32) -> u16 {
    n.min(u32::from(u16::MAX)) as u16
}
