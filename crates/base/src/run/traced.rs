//! A trace as a source of I/Os: each I/O at its time, or as fast as the target takes them.
//!
//! **Original timing.** An I/O is due as long after the first one as in the trace, divided by the speed; it is sent
//! then, or as soon as it can be. Its lateness is recorded: this is the fidelity of the replay. Its response time
//! counts from when it was due.
//!
//! **As fast as possible.** An I/O is sent as soon as fewer than the depth are in flight.
//!
//! **Dependencies.** If they are kept, in either pace, an I/O is not sent before all I/Os have completed that had
//! completed in the trace when it was sent there. Since a trace is processed in submission order, an I/O that is held
//! back also holds back those after it: I/Os are always sent in the order of the trace. A format without completions
//! has no dependencies to keep.
//!
//! The trace is taken from an iterator, 64 I/Os ahead: memory does not grow with its length.

use std::collections::{BTreeSet, VecDeque};

use super::flight::{Flight, Slot, Source};
use super::{NotRun, Watcher, new_record};
use crate::io::{Io, Op};
use crate::record::{PhaseRecord, TraceRecord};
use crate::target::{Done, Info, Target};
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
    /// What represents it in the record (`Survey::workload` of the crate `traces`); its depth is the maximum in flight.
    pub workload: Workload,
}

/// When the I/Os of a replay are sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReplayPace {
    /// At their times in the trace, divided by this speed.
    Timed {
        /// 1 is the original pace, 2 twice as fast; above 0.
        speed: f64,
    },
    /// As soon as there is room.
    Unpaced,
}

impl ReplayPace {
    /// When an I/O is due that was sent this long after the first one; nothing if timing is not kept.
    pub fn due(self, since: Duration) -> Option<Duration> {
        let ReplayPace::Timed { speed } = self else {
            return None;
        };
        let original = (speed - 1.0).abs() < f64::EPSILON;
        Some(if original {
            since
        } else {
            // Cut off at 2^64 ns by the conversion.
            Duration::from_nanos((since.as_nanos() as f64 / speed) as u64)
        })
    }
}

/// Replays a trace from nothing in flight until every I/O of it is complete.
///
/// # Errors
/// [`NotRun`] if an I/O does not fit the target, or a line is malformed; I/Os then in flight are waited for.
pub(super) fn run<T: Target + ?Sized>(
    target: &mut T,
    name: &str,
    replay: &Replay,
    trace: &mut dyn Iterator<Item = Result<Traced, BadTrace>>,
    watcher: &mut dyn Watcher,
) -> Result<PhaseRecord, NotRun> {
    let info = target.info();
    let record = new_record(name, &replay.workload, target.now(), info.block);
    let wanted = replay.workload.jobs.first().map_or(1, |job| job.depth());
    let depth = wanted.min(info.max_in_flight).max(1);
    let mut traced = TracedIos {
        name,
        replay,
        trace,
        ahead: VecDeque::with_capacity(AHEAD),
        origin: None,
        over: false,
        failure: None,
        info,
        kept: TraceRecord::default(),
        complete_in_trace: BTreeSet::new(),
        done_in_trace: vec![None; depth as usize],
        began: record.began,
        next_due: None,
        waiting: false,
    };
    let mut flight = Flight::new(record, depth);
    flight.go(target, &mut traced, watcher);
    match traced.failure {
        Some(failure) => Err(failure),
        None => Ok(PhaseRecord {
            traced: Some(traced.kept),
            ..flight.record
        }),
    }
}

/// A trace, and how far it was sent.
struct TracedIos<'a> {
    name: &'a str,
    replay: &'a Replay,
    trace: &'a mut dyn Iterator<Item = Result<Traced, BadTrace>>,
    ahead: VecDeque<Traced>,
    /// The time in the trace at which its first I/O was sent.
    origin: Option<Duration>,
    over: bool,
    failure: Option<NotRun>,
    info: Info,
    kept: TraceRecord,
    /// For each I/O in flight: its completion time in the trace, and its slot.
    complete_in_trace: BTreeSet<(Moment, u32)>,
    /// The same by slot.
    done_in_trace: Vec<Option<Moment>>,
    began: Instant,
    /// When the next I/O is due, where only its time is missing.
    next_due: Option<Instant>,
    /// The next I/O was found waiting for another.
    waiting: bool,
}

impl TracedIos<'_> {
    /// Takes the next I/Os of the trace where none is left, and hints them.
    fn take_ahead<T: Target + ?Sized>(&mut self, flight: &mut Flight, target: &mut T) {
        if self.over || !self.ahead.is_empty() {
            return;
        }
        while self.ahead.len() < AHEAD && !self.over {
            match self.trace.next() {
                None => self.over = true,
                Some(Err(bad)) => self.fail(flight, bad.into()),
                Some(Ok(traced)) => match self.check(&traced.io) {
                    Ok(()) => self.ahead.push_back(traced),
                    Err(unrunnable) => self.fail(flight, unrunnable.into()),
                },
            }
        }
        let ios: Vec<Io> = self.ahead.iter().map(|traced| traced.io).collect();
        target.hint(&ios);
        if let (None, Some(first)) = (self.origin, self.ahead.front()) {
            self.origin = Some(first.sent.at);
        }
    }

    fn fail(&mut self, flight: &mut Flight, failure: NotRun) {
        self.over = true;
        flight.stopping = true;
        self.failure = Some(failure);
    }

    fn check(&self, io: &Io) -> Result<(), Unrunnable> {
        let job = || self.name.to_owned();
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

    /// When an I/O of the trace is due; `None` if timing is not kept.
    fn due_of(&self, traced: &Traced) -> Option<Instant> {
        let origin = self.origin.unwrap_or_default();
        let due = self
            .replay
            .pace
            .due(traced.sent.at.saturating_sub(origin))?;
        Some(self.began.saturating_add(due))
    }

    /// True while something is in flight that was complete in the trace when this was sent.
    fn waits_for_another(&self, traced: &Traced) -> bool {
        let first = self.complete_in_trace.first();
        self.replay.dependencies && first.is_some_and(|(done, _)| *done <= traced.sent)
    }

    fn send<T: Target + ?Sized>(
        &mut self,
        flight: &mut Flight,
        target: &mut T,
        traced: &Traced,
        due: Option<Instant>,
    ) -> bool {
        let Some(slot) = flight.send(target, &traced.io, 0, due) else {
            return false;
        };
        if let (true, Some(done)) = (self.replay.dependencies, traced.done) {
            self.complete_in_trace.insert((done, slot));
        }
        self.done_in_trace[slot as usize] = traced.done;
        self.kept.sent += 1;
        self.kept.held_back += u64::from(std::mem::take(&mut self.waiting));
        self.kept.most_in_flight = self.kept.most_in_flight.max(flight.in_flight());
        true
    }

    /// Sends everything that may be sent now; returns when the next one is due if it only waits for its time.
    fn send_all<T: Target + ?Sized>(
        &mut self,
        flight: &mut Flight,
        target: &mut T,
    ) -> Option<Instant> {
        loop {
            self.take_ahead(flight, target);
            let traced = *self.ahead.front().filter(|_| !flight.stopping)?;
            let due = self.due_of(&traced);
            if let Some(due) = due.filter(|due| *due > flight.now) {
                return Some(due);
            }
            if self.waits_for_another(&traced) {
                self.waiting = true;
                return None;
            }
            if !self.send(flight, target, &traced, due) {
                return None;
            }
            self.ahead.pop_front();
        }
    }
}

impl Source for TracedIos<'_> {
    fn issue<T: Target + ?Sized>(&mut self, flight: &mut Flight, target: &mut T) {
        self.next_due = self.send_all(flight, target);
    }

    fn due(&self, _: &Flight) -> Option<Instant> {
        self.next_due
    }

    fn is_exhausted(&self) -> bool {
        self.ahead.is_empty()
    }

    fn stood_still(&mut self, time: Duration) {
        self.began = self.began.saturating_add(time);
    }

    fn came_back(&mut self, _: &mut Flight, slot: &Slot, done: &Done) {
        if let Some(moment) = self.done_in_trace[done.tag.0 as usize] {
            self.complete_in_trace.remove(&(moment, done.tag.0));
        }
        if let Some(due) = slot.intended {
            let late = done.sent.since(due);
            self.kept.late.keep(late);
            self.kept.late_over_1ms += u64::from(late > LATE);
        }
    }
}
