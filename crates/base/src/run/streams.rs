//! The streams of a workload as a source of I/Os.
//!
//! I/Os are generated in blocks before they are due and hinted to the target, since a modelled drive's tables are far
//! too large for any cache. Closed streams send on each completion; streams with think time and open streams wait in a
//! queue of due times. An open I/O that cannot be sent when it is due is sent as soon as it can be, and its response
//! time counts from when it was due: nothing is omitted.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Part;
use super::flight::{Flight, Slot, Source};
use super::lane::{Lane, Next, Pace};
use super::rules::Rules;
use crate::io::Io;
use crate::record::STALL;
use crate::rng::splitmix64;
use crate::size::Bytes;
use crate::target::{Done, Info, Outcome, Target};
use crate::time::{Duration, Instant};
use crate::workload::stream::Stream;
use crate::workload::{Look, Order, Pacing, Workload};

/// Streams, and which of them may send when.
pub(super) struct Streams {
    streams: Vec<Lane>,
    /// Streams that may send now, one entry for each I/O.
    ready: Vec<u32>,
    /// Streams that may send at a time, earliest first, equal times by stream.
    due: BinaryHeap<Reverse<(Instant, u32)>>,
    deadline: Option<Instant>,
    rules: Rules,
    look: Look,
    completed: u64,
    /// For a single sequential stream: where it will resume.
    track_position: bool,
    /// Of the I/Os that failed last, with none between them that was whole: how many were whole before
    /// them, and the first address.
    failing_from: Option<(u64, Bytes)>,
}

impl Streams {
    pub(super) fn new(work: &Workload, part: Part, info: &Info, began: Instant) -> Streams {
        let mut streams = Vec::new();
        for (j, job) in work.jobs.iter().enumerate() {
            let seed = splitmix64(work.seed ^ splitmix64(j as u64));
            for index in (0..job.streams).filter(|index| part.has(*index)) {
                let mut stream = Stream::new(job, index, info.block, seed);
                if let Some(offset) = part.from {
                    stream.skip_to(offset);
                }
                streams.push(Lane::new(j, job, index, stream, began, seed));
            }
        }
        let deadline = work.stop.time.map(|time| began.saturating_add(time));
        Streams {
            streams,
            ready: Vec::new(),
            due: BinaryHeap::new(),
            deadline,
            rules: Rules::new(&work.stop, deadline),
            look: work.stop.look,
            completed: 0,
            track_position: work.jobs.len() == 1
                && work.jobs[0].streams == 1
                && work.jobs[0].order == Order::Sequential,
            failing_from: None,
        }
    }

    /// Maximum I/Os in flight: what the jobs request and the target accepts.
    pub(super) fn depth(&self, work: &Workload, info: &Info) -> u32 {
        let wanted = work
            .jobs
            .iter()
            .fold(0_u32, |sum, job| sum.saturating_add(job.depth()));
        wanted.min(info.max_in_flight).max(1)
    }

    /// Every stream may send its first I/Os.
    pub(super) fn start(&mut self, work: &Workload, most: u32, began: Instant) {
        for (s, lane) in self.streams.iter().enumerate() {
            let s = s as u32;
            match (&lane.pace, work.jobs[lane.job as usize].pacing) {
                (Pace::Open(schedule), _) => self.due.push(Reverse((schedule.due(), s))),
                (Pace::Paced(_), _) => self.due.push(Reverse((began, s))),
                (_, Pacing::Closed { depth, .. }) => {
                    self.ready
                        .extend(std::iter::repeat_n(s, depth.min(most) as usize));
                }
                _ => {}
            }
        }
        // Taken from the back: the first stream sends first.
        self.ready.reverse();
    }

    /// Whether the time of the phase is over at a moment.
    fn is_over(&self, at: Instant) -> bool {
        self.deadline.is_some_and(|deadline| at >= deadline)
    }

    #[inline(always)]
    fn send<T: Target + ?Sized>(
        &mut self,
        flight: &mut Flight,
        target: &mut T,
        s: u32,
        intended: Option<Instant>,
    ) -> Sent {
        if self.streams.len() > 1 {
            target.next_from(s);
        }
        let lane = &mut self.streams[s as usize];
        if lane.owes_flush() {
            return send_flush(lane, flight, target, s, intended);
        }
        lane.draw_where_none_is_left(target);
        if !self.rules.allow(lane, flight.now) {
            return Sent::Over;
        }
        let io = lane.upcoming();
        if flight.send(target, io, s, intended).is_none() {
            return Sent::Busy;
        }
        let op = io.op;
        self.rules.count(io.len);
        lane.advance(op);
        Sent::Yes
    }

    /// An access took as long as a standstill: those of its stream that fell due meanwhile have waited, too.
    #[cold]
    fn held_up(&self, flight: &mut Flight, slot: &Slot, done: &Done) {
        let lane = &self.streams[slot.of as usize];
        if let Pace::Paced(paced) = &lane.pace
            && !flight.is_ours(done.sent, done.at)
        {
            let op = &mut flight.record.jobs[lane.job as usize].ops[slot.io.op as usize];
            for waited in paced.held_up(done.sent, done.at) {
                op.response.keep(waited);
            }
        }
    }

    /// An I/O failed: remembers from where on every I/O failed.
    #[cold]
    fn failed(&mut self, flight: &Flight, offset: Bytes) {
        let whole = flight.record.jobs.iter().flat_map(|job| &job.ops);
        let whole = whole.map(|op| op.ios).sum();
        self.failing_from = match self.failing_from {
            // Nothing came back whole in between.
            Some((before, from)) if before == whole => Some((whole, from.min(offset))),
            _ => Some((whole, offset)),
        };
    }
}

#[cold]
fn send_flush<T: Target + ?Sized>(
    lane: &mut Lane,
    flight: &mut Flight,
    target: &mut T,
    s: u32,
    intended: Option<Instant>,
) -> Sent {
    let intended = intended.or(lane.unflushed_since());
    if flight.send(target, &Io::flush(), s, intended).is_none() {
        return Sent::Busy;
    }
    lane.flushed();
    Sent::Yes
}

impl Source for Streams {
    /// Sends all that may be sent now.
    fn issue<T: Target + ?Sized>(&mut self, flight: &mut Flight, target: &mut T) {
        while !flight.stopping
            && let Some(s) = self.ready.pop()
        {
            match self.send(flight, target, s, None) {
                Sent::Yes => {}
                Sent::Busy => {
                    self.ready.push(s);
                    return;
                }
                Sent::Over => flight.stopping = true,
            }
        }
        while let Some(&Reverse((at, s))) = self.due.peek() {
            if flight.stopping || !flight.has_room() {
                break;
            }
            // One that is due later still is never sent: to wait for it would be to wait for ever.
            if self.look == Look::Always && self.is_over(flight.now) && self.is_over(at) {
                self.due.pop();
                continue;
            }
            if at > flight.now {
                break;
            }
            let counts_from = match self.streams[s as usize].pace {
                Pace::Open(_) => Some(at),
                Pace::Paced(_) => Some(flight.now),
                Pace::Closed | Pace::Thinking { .. } => None,
            };
            match self.send(flight, target, s, counts_from) {
                Sent::Yes => {
                    self.due.pop();
                    match &mut self.streams[s as usize].pace {
                        Pace::Open(schedule) => {
                            schedule.advance();
                            self.due.push(Reverse((schedule.due(), s)));
                        }
                        Pace::Paced(paced) => paced.sent(at),
                        Pace::Closed | Pace::Thinking { .. } => {}
                    }
                }
                Sent::Busy => return,
                Sent::Over => flight.stopping = true,
            }
        }
        if flight.stopping {
            self.ready.clear();
            self.due.clear();
        }
    }

    #[inline(always)]
    fn due(&self, flight: &Flight) -> Option<Instant> {
        let nothing = self.due.is_empty() && self.deadline.is_none();
        if flight.stopping || nothing {
            return None;
        }
        let first = self.due.peek().map(|Reverse((at, _))| *at);
        let first = first.filter(|_| flight.has_room());
        // Waiting until a deadline that has passed would spin: the next completion decides then.
        let deadline = self.deadline.filter(|deadline| *deadline > flight.now);
        match (first, deadline) {
            (Some(first), Some(deadline)) => Some(first.min(deadline)),
            (first, deadline) => first.or(deadline),
        }
    }

    #[inline(always)]
    fn is_exhausted(&self) -> bool {
        self.ready.is_empty() && (self.due.is_empty() || self.rules.exhausted())
    }

    fn stood_still(&mut self, time: Duration) {
        self.deadline = self.deadline.map(|at| at.saturating_add(time));
        self.rules.stood_still(time);
        let mut due = std::mem::take(&mut self.due).into_vec();
        for Reverse((at, s)) in &mut due {
            if let Pace::Open(schedule) = &mut self.streams[*s as usize].pace {
                schedule.shift(time);
                *at = schedule.due();
            }
        }
        self.due = due.into();
    }

    #[inline(always)]
    fn job_of(&self, slot: &Slot, _: &Done) -> Option<usize> {
        Some(self.streams[slot.of as usize].job as usize)
    }

    #[inline(always)]
    fn came_back(&mut self, flight: &mut Flight, slot: &Slot, done: &Done) {
        let lane = &mut self.streams[slot.of as usize];
        lane.came_back(slot.io.op, done.sent);
        match lane.pace.after(done.at) {
            Next::Now => self.ready.push(slot.of),
            Next::At(at) => self.due.push(Reverse((at, slot.of))),
            Next::OfItself => {}
        }
        if done.outcome != Outcome::Complete {
            self.failed(flight, slot.io.offset);
        } else if done.at.since(done.sent) >= STALL {
            self.held_up(flight, slot, done);
        }
        if let Look::EveryIos(k) = self.look {
            // The time is looked at after every `k` I/Os only.
            self.completed += 1;
            if self.completed.is_multiple_of(u64::from(k.max(1))) && self.is_over(done.at) {
                flight.stopping = true;
            }
        }
    }

    /// The time is checked after each I/O: checking once per batch of completions is enough, since nothing is sent
    /// between them.
    #[inline(always)]
    fn all_came_back(&mut self, flight: &mut Flight, last: Instant) {
        if self.look == Look::Always && self.is_over(last) {
            flight.stopping = true;
        }
    }

    /// The first address in flight, else the next one to send; if the drive was lost, the first of the consecutive
    /// failures caused by it.
    fn position(&self, flight: &Flight) -> Option<Bytes> {
        if !self.track_position {
            return None;
        }
        let in_flight = flight.first_in_flight();
        let next = in_flight.or_else(|| self.streams.first()?.position());
        match (self.failing_from, flight.is_lost()) {
            (Some((_, from)), true) => next.map(|next| next.min(from)),
            _ => next,
        }
    }
}

/// What became of an attempt to send.
enum Sent {
    Yes,
    /// The target's queue is full.
    Busy,
    /// The workload is at its end.
    Over,
}
