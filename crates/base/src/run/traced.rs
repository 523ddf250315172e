//! Replays a trace: each I/O at its time, or as fast as the target takes them.
//!
//! **At their times.** An I/O is due as long after the first one as it was in the trace, over the speed; it
//! is sent then, or as soon as it can be. By how much it was sent late is kept: that is how faithful the
//! replay was. Its response time counts from when it was due.
//!
//! **As fast as possible.** An I/O is sent as soon as fewer than the depth are in flight.
//!
//! **Dependencies.** Where they are kept, in either pace, an I/O is not sent before all I/Os are complete
//! that were complete in the trace when it was sent there. Since a trace is taken in order of its sends,
//! what holds one I/O back holds those behind it back, too: I/Os are always sent in the order of the trace.
//! A format that does not tell completions has no dependencies to keep.
//!
//! The trace is taken from an iterator, 64 I/Os ahead: memory does not grow with its length.

use std::collections::{BTreeSet, VecDeque};

use super::{Live, Looks, Verdict, Watcher, at_most_u16, new_record};
use crate::io::{Io, Op};
use crate::record::{Completion, Ended, PhaseRecord, TraceRecord};
use crate::target::{Done, Info, Tag, Target};
use crate::time::{Duration, Instant};
use crate::trace::{BadTrace, Moment, Traced};
use crate::workload::{Span, Unrunnable, Workload};

/// I/Os taken and hinted at once.
const AHEAD: usize = 64;
/// An I/O that is sent later than this is counted.
const LATE: Duration = Duration::from_millis(1);

/// How a trace is replayed.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The name of the phase.
    pub name: String,
    /// When I/Os are sent.
    pub pace: ReplayPace,
    /// Whether an I/O waits for those that had been complete in the trace when it was sent.
    pub dependencies: bool,
    /// What stands for it in the record ([`crate::trace::Survey::workload`]); its depth is the most in
    /// flight.
    pub workload: Workload,
}

/// When the I/Os of a replay are sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReplayPace {
    /// At their times in the trace, so many times as fast.
    Timed {
        /// 1 is the original pace, 2 twice as fast; above 0.
        speed: f64,
    },
    /// As soon as there is room.
    Unpaced,
}

/// Why a trace was not replayed, or not to its end.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NotReplayed {
    /// An I/O cannot run on this target.
    #[error(transparent)]
    Unrunnable(#[from] Unrunnable),
    /// A line makes no sense.
    #[error(transparent)]
    Trace(#[from] BadTrace),
}

/// Replays a trace from nothing in flight until every I/O of it is complete.
///
/// # Errors
/// [`NotReplayed`] where an I/O does not fit the target, or a line makes no sense; what is in flight then is
/// waited for.
pub fn run_traced<T: Target + ?Sized>(
    target: &mut T,
    replay: &Replay,
    trace: &mut dyn Iterator<Item = Result<Traced, BadTrace>>,
    watcher: &mut dyn Watcher,
) -> Result<PhaseRecord, NotReplayed> {
    let mut play = Play::new(target, replay, trace);
    play.go(target, watcher);
    play.finish()
}

/// One I/O in flight.
#[derive(Clone, Copy)]
struct Slot {
    io: Io,
    /// When it was due; nothing where times are not kept.
    due: Option<Instant>,
    /// When it was complete in the trace.
    done: Option<Moment>,
    beside_reads: u16,
    beside_writes: u16,
}

struct Play<'a> {
    replay: &'a Replay,
    trace: &'a mut dyn Iterator<Item = Result<Traced, BadTrace>>,
    ahead: VecDeque<Traced>,
    /// The time in the trace at which its first I/O was sent.
    origin: Option<Duration>,
    over: bool,
    failure: Option<NotReplayed>,
    info: Info,
    record: PhaseRecord,
    kept: TraceRecord,
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// Of what is in flight: when it was complete in the trace.
    complete_in_trace: BTreeSet<(Moment, u32)>,
    reads_in_flight: u32,
    writes_in_flight: u32,
    began: Instant,
    now: Instant,
    /// The next I/O was found waiting for another.
    waiting: bool,
    stopping: bool,
    ended: Ended,
}

impl<'a> Play<'a> {
    fn new<T: Target + ?Sized>(
        target: &T,
        replay: &'a Replay,
        trace: &'a mut dyn Iterator<Item = Result<Traced, BadTrace>>,
    ) -> Play<'a> {
        let info = target.info();
        let began = target.now();
        let wanted = replay.workload.jobs.first().map_or(1, |job| job.depth());
        let depth = wanted.min(info.max_in_flight).max(1);
        let idle = Slot {
            io: Io::flush(),
            due: None,
            done: None,
            beside_reads: 0,
            beside_writes: 0,
        };
        Play {
            replay,
            trace,
            ahead: VecDeque::with_capacity(AHEAD),
            origin: None,
            over: false,
            failure: None,
            info,
            record: new_record(&replay.name, &replay.workload, began, info.block),
            kept: TraceRecord::default(),
            slots: vec![idle; depth as usize],
            free: (0..depth).rev().collect(),
            complete_in_trace: BTreeSet::new(),
            reads_in_flight: 0,
            writes_in_flight: 0,
            began,
            now: began,
            waiting: false,
            stopping: false,
            ended: Ended::Complete,
        }
    }

    fn go<T: Target + ?Sized>(&mut self, target: &mut T, watcher: &mut dyn Watcher) {
        let mut looks = Looks::new(watcher, self.began);
        let mut done = Vec::with_capacity(self.slots.len());
        loop {
            let due = self.issue(target);
            if self.in_flight() == 0 && (self.stopping || self.ahead.is_empty()) {
                break;
            }
            let until = due.map_or(looks.next(), |due| due.min(looks.next()));
            let until = (until != Instant::MAX && until > self.now).then_some(until);
            target.wait(until, &mut done);
            let last_at = done.last().map(|d| d.at);
            self.now = last_at.map_or_else(|| target.now(), |at| at.max(self.now));
            let ask = looks.came_back(done.len(), self.now);
            for d in done.drain(..) {
                self.complete(&d);
            }
            if looks.are_due(self.now) {
                self.show(watcher, &looks);
            } else if ask && watcher.wants_to_stop() {
                self.interrupt();
            }
        }
        self.record.took = target.now().max(self.now).since(self.began);
    }

    fn in_flight(&self) -> u32 {
        self.reads_in_flight + self.writes_in_flight
    }

    /// Takes the next I/Os of the trace where none is left, and hints them.
    fn take_ahead<T: Target + ?Sized>(&mut self, target: &mut T) {
        if self.over || !self.ahead.is_empty() {
            return;
        }
        while self.ahead.len() < AHEAD && !self.over {
            match self.trace.next() {
                None => self.over = true,
                Some(Err(bad)) => self.fail(bad.into()),
                Some(Ok(traced)) => match self.check(&traced.io) {
                    Ok(()) => self.ahead.push_back(traced),
                    Err(unrunnable) => self.fail(unrunnable.into()),
                },
            }
        }
        let ios: Vec<Io> = self.ahead.iter().map(|traced| traced.io).collect();
        target.hint(&ios);
        if let (None, Some(first)) = (self.origin, self.ahead.front()) {
            self.origin = Some(first.sent.at);
        }
    }

    fn fail(&mut self, failure: NotReplayed) {
        self.over = true;
        self.stopping = true;
        self.failure = Some(failure);
    }

    fn check(&self, io: &Io) -> Result<(), Unrunnable> {
        let job = || self.replay.name.clone();
        let block = self.info.block;
        if io.op == Op::Flush {
            return Ok(());
        }
        if io.op != Op::Read && !self.info.writable {
            return Err(Unrunnable::ReadOnly { job: job() });
        }
        if io.len.is_zero() || !io.offset.is_multiple_of(block) || !io.len.is_multiple_of(block) {
            return Err(Unrunnable::Unaligned { job: job(), block });
        }
        if io.offset.saturating_add(io.len) > self.info.capacity {
            return Err(Unrunnable::Outside {
                job: job(),
                span: Span::new(io.offset, io.len),
                capacity: self.info.capacity,
            });
        }
        Ok(())
    }

    /// When an I/O of the trace is due; nothing where times are not kept.
    fn due(&self, traced: &Traced) -> Option<Instant> {
        let ReplayPace::Timed { speed } = self.replay.pace else {
            return None;
        };
        let since = traced
            .sent
            .at
            .saturating_sub(self.origin.unwrap_or_default());
        let original = (speed - 1.0).abs() < f64::EPSILON;
        let nanos = if original {
            since.as_nanos()
        } else {
            // Cut off at 2^64 ns by the conversion.
            (since.as_nanos() as f64 / speed) as u64
        };
        Some(self.began.saturating_add(Duration::from_nanos(nanos)))
    }

    /// Sends all that may be sent now; says when the next one is due, where only its time is missing.
    fn issue<T: Target + ?Sized>(&mut self, target: &mut T) -> Option<Instant> {
        loop {
            self.take_ahead(target);
            let traced = *self.ahead.front().filter(|_| !self.stopping)?;
            let due = self.due(&traced);
            if let Some(due) = due.filter(|due| *due > self.now) {
                return Some(due);
            }
            if self.waits_for_another(&traced) {
                self.waiting = true;
                return None;
            }
            if !self.send(target, &traced, due) {
                return None;
            }
            self.ahead.pop_front();
        }
    }

    /// True while something is in flight that was complete in the trace when this was sent.
    fn waits_for_another(&self, traced: &Traced) -> bool {
        let first = self.complete_in_trace.first();
        self.replay.dependencies && first.is_some_and(|(done, _)| *done <= traced.sent)
    }

    fn send<T: Target + ?Sized>(
        &mut self,
        target: &mut T,
        traced: &Traced,
        due: Option<Instant>,
    ) -> bool {
        let Some(slot) = self.free.pop() else {
            return false;
        };
        if target.submit(Tag(slot), &traced.io).is_err() {
            self.free.push(slot);
            return false;
        }
        self.slots[slot as usize] = Slot {
            io: traced.io,
            due,
            done: traced.done,
            beside_reads: at_most_u16(self.reads_in_flight),
            beside_writes: at_most_u16(self.writes_in_flight),
        };
        if let (true, Some(done)) = (self.replay.dependencies, traced.done) {
            self.complete_in_trace.insert((done, slot));
        }
        match traced.io.op {
            Op::Read => self.reads_in_flight += 1,
            _ => self.writes_in_flight += 1,
        }
        self.kept.sent += 1;
        self.kept.held_back += u64::from(std::mem::take(&mut self.waiting));
        self.kept.most_in_flight = self.kept.most_in_flight.max(self.in_flight());
        true
    }

    fn complete(&mut self, done: &Done) {
        let slot = self.slots[done.tag.0 as usize];
        self.free.push(done.tag.0);
        match slot.io.op {
            Op::Read => self.reads_in_flight -= 1,
            _ => self.writes_in_flight -= 1,
        }
        if let Some(moment) = slot.done {
            self.complete_in_trace.remove(&(moment, done.tag.0));
        }
        if let Some(due) = slot.due {
            let late = done.sent.since(due);
            self.kept.late.keep(late);
            self.kept.late_over_1ms += u64::from(late > LATE);
        }
        self.record.jobs[0].keep(&Completion {
            io: slot.io,
            at: done.at.since(self.began),
            service: done.at.since(done.sent),
            response: slot.due.map(|due| done.at.since(due)),
            outcome: done.outcome,
            beside_reads: slot.beside_reads,
            beside_writes: slot.beside_writes,
        });
        if let (Some(ended), false) = (Ended::by(done.outcome), self.ended.is_loss()) {
            self.stopping = true;
            self.ended = ended;
        }
    }

    fn show(&mut self, watcher: &mut dyn Watcher, looks: &Looks) {
        self.record.took = self.now.since(self.began);
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

    fn finish(mut self) -> Result<PhaseRecord, NotReplayed> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        self.record.ended = self.ended;
        for job in &mut self.record.jobs {
            job.settle();
        }
        self.record.traced = Some(self.kept);
        Ok(self.record)
    }
}

#[cfg(test)]
mod tests;
