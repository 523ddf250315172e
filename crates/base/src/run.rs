//! The run loop: issues a workload's I/Os to a target and keeps what comes of it.
//!
//! One loop drives all streams of a phase, on a ring as on a modelled drive. I/Os are drawn in
//! blocks before they are due and hinted to the target, since a modelled drive's tables are far too
//! large for any cache; submissions are queued and handed over together when the loop waits. Time is
//! the target's own: the loop takes it from completions and asks for it only where it needs it.
//!
//! Closed streams send as soon as one has come back; thinking and open streams wait in a queue of
//! due times. An open I/O that cannot be sent when it is due is sent as soon as it can be, and its
//! response time counts from when it was due: nothing is omitted.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::io::{Io, Op};
use crate::record::{AddressBins, Completion, Ended, JobRecord, PhaseRecord};
use crate::rng::splitmix64;
use crate::size::Bytes;
use crate::target::{Done, Outcome, Tag, Target};
use crate::time::{Duration, Instant};
use crate::workload::stream::Stream;
use crate::workload::{Look, Order, Pacing, Unrunnable, Workload};

mod lane;
mod rules;
mod script;
mod traced;
mod watching;

use lane::{Lane, Next, Pace};
use rules::Rules;
pub use script::run_script;
pub use traced::{NotReplayed, Replay, ReplayPace, run_traced};
use watching::Looks;
pub use watching::{Live, Unwatched, Verdict, Watcher};

/// Runs one phase: from nothing in flight until drained (and flushed, where the workload asks).
///
/// # Errors
/// [`Unrunnable`] before anything was issued, where the workload cannot run on this target.
pub fn run<T: Target + ?Sized>(
    target: &mut T,
    name: &str,
    work: &Workload,
    watcher: &mut dyn Watcher,
) -> Result<PhaseRecord, Unrunnable> {
    run_part(target, name, work, Part::default(), watcher)
}

/// A part of a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Where a single sequential stream goes on: the rest of an interrupted scan.
    pub from: Option<Bytes>,
    /// Of every so many streams only one runs here, the others on other rings.
    pub share: Option<Share>,
}

/// One ring's share of a phase's streams: those whose number leaves `index` when divided by `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// This ring, from 0.
    pub index: u32,
    /// Number of rings.
    pub of: u32,
}

/// On how many rings, `most` at most, the streams of a workload may run side by side and give the
/// same phase: one, unless it is one job of several streams that time alone ends.
pub fn shares_of(work: &Workload, most: u32) -> u32 {
    let stop = &work.stop;
    let time_alone = stop.time.is_some()
        && stop.look == Look::Always
        && stop.bytes.is_none()
        && stop.ios.is_none()
        && stop.passes.is_none();
    match work.jobs.as_slice() {
        [job] if time_alone && work.keep.bins.is_none() => job.streams.min(most).max(1),
        _ => 1,
    }
}

/// As [`run`], for a part of the phase.
///
/// # Errors
/// As [`run`].
pub fn run_part<T: Target + ?Sized>(
    target: &mut T,
    name: &str,
    work: &Workload,
    part: Part,
    watcher: &mut dyn Watcher,
) -> Result<PhaseRecord, Unrunnable> {
    work.check(&target.info())?;
    let mut run = Run::new(target, name, work, part);
    run.go(target, watcher);
    Ok(run.finish())
}

impl Part {
    fn has(&self, stream: u32) -> bool {
        self.share
            .is_none_or(|share| stream % share.of.max(1) == share.index)
    }
}

/// One I/O in flight.
#[derive(Clone, Copy)]
struct Slot {
    io: Io,
    stream: u32,
    intended: Option<Instant>,
    beside_reads: u16,
    beside_writes: u16,
}

struct Run {
    record: PhaseRecord,
    streams: Vec<Lane>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// Streams that may send now, one entry for each I/O.
    ready: Vec<u32>,
    /// Streams that may send at a time, earliest first, equal times by stream.
    due: BinaryHeap<Reverse<(Instant, u32)>>,
    began: Instant,
    now: Instant,
    deadline: Option<Instant>,
    rules: Rules,
    look: Look,
    completed: u64,
    in_flight: u32,
    reads_in_flight: u32,
    writes_in_flight: u32,
    stopping: bool,
    ended: Ended,
    /// For a single sequential stream: where it will go on.
    track_position: bool,
    /// Of the I/Os that failed last, with none between them that was whole: how many were whole before
    /// them, and the first address.
    failing_from: Option<(u64, Bytes)>,
}

impl Run {
    fn new<T: Target + ?Sized>(target: &T, name: &str, work: &Workload, part: Part) -> Run {
        let info = target.info();
        let began = target.now();
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
        let wanted = work
            .jobs
            .iter()
            .fold(0_u32, |sum, job| sum.saturating_add(job.depth()));
        let depth = wanted.min(info.max_in_flight).max(1);
        let idle = Slot {
            io: Io::flush(),
            stream: 0,
            intended: None,
            beside_reads: 0,
            beside_writes: 0,
        };
        let deadline = work.stop.time.map(|time| began.saturating_add(time));
        let mut run = Run {
            record: new_record(name, work, began, info.block),
            streams,
            slots: vec![idle; depth as usize],
            free: (0..depth).rev().collect(),
            ready: Vec::new(),
            due: BinaryHeap::new(),
            began,
            now: began,
            deadline,
            rules: Rules::new(&work.stop, deadline),
            look: work.stop.look,
            completed: 0,
            in_flight: 0,
            reads_in_flight: 0,
            writes_in_flight: 0,
            stopping: false,
            ended: Ended::Complete,
            track_position: work.jobs.len() == 1
                && work.jobs[0].streams == 1
                && work.jobs[0].order == Order::Sequential,
            failing_from: None,
        };
        run.start_streams(work);
        run
    }

    fn start_streams(&mut self, work: &Workload) {
        for (s, lane) in self.streams.iter().enumerate() {
            let s = s as u32;
            match (&lane.pace, work.jobs[lane.job as usize].pacing) {
                (Pace::Open(schedule), _) => self.due.push(Reverse((schedule.due(), s))),
                (_, Pacing::Closed { depth, .. }) => {
                    self.ready.extend(std::iter::repeat_n(
                        s,
                        depth.min(self.slots.len() as u32) as usize,
                    ));
                }
                _ => {}
            }
        }
        // Taken from the back: the first stream sends first.
        self.ready.reverse();
    }

    fn go<T: Target + ?Sized>(&mut self, target: &mut T, watcher: &mut dyn Watcher) {
        let mut looks = Looks::new(watcher, self.began);
        let mut done = Vec::with_capacity(self.slots.len());
        loop {
            self.issue(target);
            if self.in_flight == 0 && (self.stopping || self.nothing_to_come()) {
                break;
            }
            let until = self.wait_until(looks.next());
            target.wait(until, &mut done);
            let last_at = done.last().map(|d| d.at);
            self.now = last_at.map_or_else(|| target.now(), |at| at.max(self.now));
            for d in &done {
                self.complete(d);
            }
            let ask = looks.came_back(done.len(), self.now);
            done.clear();
            if let Some(at) = last_at {
                self.look_at_time(at);
            }
            if looks.are_due(self.now) {
                self.show(watcher, &looks);
            } else if ask && watcher.wants_to_stop() {
                self.interrupt();
            }
        }
        self.flush_at_end(target, &mut done);
        self.record.took = target.now().max(self.now).since(self.began);
    }

    fn nothing_to_come(&self) -> bool {
        self.ready.is_empty() && (self.due.is_empty() || self.rules.exhausted())
    }

    fn wait_until(&self, next_look: Instant) -> Option<Instant> {
        let mut until = next_look;
        if !self.stopping {
            if let (Some(Reverse((at, _))), false) = (self.due.peek(), self.free.is_empty()) {
                until = until.min(*at);
            }
            // Waiting until a deadline that has passed would spin: the next completion decides then.
            if let Some(deadline) = self.deadline.filter(|deadline| *deadline > self.now) {
                until = until.min(deadline);
            }
        }
        (until != Instant::MAX && until > self.now).then_some(until)
    }

    /// True where the time of the phase is over at a moment.
    fn is_over(&self, at: Instant) -> bool {
        self.deadline.is_some_and(|deadline| at >= deadline)
    }

    /// Sends all that may be sent now.
    fn issue<T: Target + ?Sized>(&mut self, target: &mut T) {
        while !self.stopping
            && let Some(s) = self.ready.pop()
        {
            match self.send(target, s, None) {
                Sent::Yes => {}
                Sent::Busy => {
                    self.ready.push(s);
                    return;
                }
                Sent::Over => self.stopping = true,
            }
        }
        while let Some(&Reverse((at, s))) = self.due.peek() {
            if self.stopping || self.free.is_empty() {
                break;
            }
            // One that is due later still is never sent: to wait for it would be to wait for ever.
            if self.look == Look::Always && self.is_over(self.now) && self.is_over(at) {
                self.due.pop();
                continue;
            }
            if at > self.now {
                break;
            }
            let open = matches!(self.streams[s as usize].pace, Pace::Open(_));
            match self.send(target, s, open.then_some(at)) {
                Sent::Yes => {
                    self.due.pop();
                    if let Pace::Open(schedule) = &mut self.streams[s as usize].pace {
                        schedule.advance();
                        self.due.push(Reverse((schedule.due(), s)));
                    }
                }
                Sent::Busy => return,
                Sent::Over => self.stopping = true,
            }
        }
        if self.stopping {
            self.ready.clear();
            self.due.clear();
        }
    }

    #[inline(always)]
    fn send<T: Target + ?Sized>(
        &mut self,
        target: &mut T,
        s: u32,
        intended: Option<Instant>,
    ) -> Sent {
        let lane = &mut self.streams[s as usize];
        if lane.owes_flush() {
            return self.send_flush(target, s, intended);
        }
        lane.draw_where_none_is_left(target);
        if !self.rules.allow(lane, self.now) {
            return Sent::Over;
        }
        let Some(slot) = self.free.pop() else {
            return Sent::Busy;
        };
        let io = lane.upcoming();
        if target.submit(Tag(slot), io).is_err() {
            self.free.push(slot);
            return Sent::Busy;
        }
        self.slots[slot as usize] = Slot {
            io: *io,
            stream: s,
            intended,
            beside_reads: at_most_u16(self.reads_in_flight),
            beside_writes: at_most_u16(self.writes_in_flight),
        };
        let op = io.op;
        self.rules.count(io.len);
        lane.advance(op);
        self.count_sent(op);
        Sent::Yes
    }

    #[cold]
    fn send_flush<T: Target + ?Sized>(
        &mut self,
        target: &mut T,
        s: u32,
        intended: Option<Instant>,
    ) -> Sent {
        let io = Io::flush();
        let Some(slot) = self.free.pop() else {
            return Sent::Busy;
        };
        if target.submit(Tag(slot), &io).is_err() {
            self.free.push(slot);
            return Sent::Busy;
        }
        self.slots[slot as usize] = Slot {
            io,
            stream: s,
            intended,
            beside_reads: at_most_u16(self.reads_in_flight),
            beside_writes: at_most_u16(self.writes_in_flight),
        };
        self.streams[s as usize].writes_since_flush = 0;
        self.count_sent(io.op);
        Sent::Yes
    }

    #[inline]
    fn count_sent(&mut self, op: Op) {
        self.in_flight += 1;
        if op == Op::Read {
            self.reads_in_flight += 1;
        } else {
            self.writes_in_flight += 1;
        }
    }

    #[inline(always)]
    fn complete(&mut self, done: &Done) {
        let slot = &self.slots[done.tag.0 as usize];
        let stream = slot.stream;
        self.free.push(done.tag.0);
        self.in_flight -= 1;
        if slot.io.op == Op::Read {
            self.reads_in_flight -= 1;
        } else {
            self.writes_in_flight -= 1;
        }
        let lane = &mut self.streams[stream as usize];
        match lane.pace.after(done.at) {
            Next::Now => self.ready.push(stream),
            Next::At(at) => self.due.push(Reverse((at, stream))),
            Next::OfItself => {}
        }
        let completion = Completion {
            io: slot.io,
            at: done.at.since(self.began),
            service: done.at.since(done.sent),
            response: slot.intended.map(|intended| done.at.since(intended)),
            outcome: done.outcome,
            beside_reads: slot.beside_reads,
            beside_writes: slot.beside_writes,
        };
        self.record.jobs[lane.job as usize].keep(&completion);
        if done.outcome != Outcome::Complete {
            self.failed(done);
        }
        if let Look::EveryIos(k) = self.look {
            self.count_and_look(k, done.at);
        }
    }

    /// An I/O failed: the phase goes on, unless the drive or the way to it is lost.
    #[cold]
    fn failed(&mut self, done: &Done) {
        let offset = self.slots[done.tag.0 as usize].io.offset;
        let whole = self.record.jobs.iter().flat_map(|job| &job.ops);
        let whole = whole.map(|op| op.ios).sum();
        self.failing_from = match self.failing_from {
            // Nothing came back whole in between.
            Some((before, from)) if before == whole => Some((whole, from.min(offset))),
            _ => Some((whole, offset)),
        };
        if let (Some(ended), false) = (Ended::by(done.outcome), self.ended.is_loss()) {
            self.stopping = true;
            self.ended = ended;
        }
    }

    /// The time is looked at after every `k` I/Os only.
    fn count_and_look(&mut self, k: u32, at: Instant) {
        self.completed += 1;
        let looks = self.completed.is_multiple_of(u64::from(k.max(1)));
        if looks && self.deadline.is_some_and(|deadline| at >= deadline) {
            self.stopping = true;
        }
    }

    /// The time is looked at after each I/O: it is enough to look when all that came back together
    /// have been taken, since nothing is sent between them.
    fn look_at_time(&mut self, at: Instant) {
        if self.look == Look::Always && self.deadline.is_some_and(|deadline| at >= deadline) {
            self.stopping = true;
        }
    }

    fn show(&mut self, watcher: &mut dyn Watcher, looks: &Looks) {
        self.record.took = self.now.since(self.began);
        self.record.done_below = self.position();
        let live = Live {
            record: &self.record,
            in_flight: self.in_flight,
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

    /// Where a single sequential stream would go on: the first address in flight, else the next one
    /// that it would send; where the drive was lost, the first of those that failed in a row with it.
    fn position(&mut self) -> Option<Bytes> {
        if !self.track_position {
            return None;
        }
        let in_flight = (0..self.slots.len() as u32)
            .filter(|slot| !self.free.contains(slot))
            .map(|slot| self.slots[slot as usize].io)
            .filter(|io| io.op != Op::Flush)
            .map(|io| io.offset)
            .min();
        let next = in_flight.or_else(|| self.streams.first()?.position());
        match (self.failing_from, self.ended.is_loss()) {
            (Some((_, from)), true) => next.map(|next| next.min(from)),
            _ => next,
        }
    }

    fn flush_at_end<T: Target + ?Sized>(&mut self, target: &mut T, done: &mut Vec<Done>) {
        if !self.record.workload.flush_at_end
            || self.ended.is_loss()
            || target.submit(Tag(0), &Io::flush()).is_err()
        {
            return;
        }
        while done.is_empty() {
            target.wait(None, done);
        }
        for d in done.drain(..) {
            self.now = d.at.max(self.now);
            self.record.jobs[0].keep(&Completion {
                io: Io::flush(),
                at: d.at.since(self.began),
                service: d.at.since(d.sent),
                response: None,
                outcome: d.outcome,
                beside_reads: 0,
                beside_writes: 0,
            });
        }
    }

    fn finish(mut self) -> PhaseRecord {
        self.record.done_below = self.position();
        self.record.ended = self.ended;
        for job in &mut self.record.jobs {
            job.settle();
            if let Some(bins) = &mut job.bins {
                bins.end_slice();
            }
        }
        self.record
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

/// More than 65,535 beside an I/O are counted as so many.
#[inline]
fn at_most_u16(n: u32) -> u16 {
    n.min(u32::from(u16::MAX)) as u16
}

fn new_record(name: &str, work: &Workload, began: Instant, block: Bytes) -> PhaseRecord {
    let jobs = work.jobs.iter().enumerate().map(|(j, job)| {
        let bins = work
            .keep
            .bins
            .filter(|_| j == 0)
            .map(|n| AddressBins::new(job.span, n, block).within(work.keep.interval));
        JobRecord::new(&job.name, work.keep.series, bins)
    });
    PhaseRecord {
        name: name.to_owned(),
        workload: work.clone(),
        began,
        took: Duration::ZERO,
        ended: Ended::Running,
        jobs: jobs.collect(),
        done_below: None,
        script: None,
        traced: None,
    }
}

#[cfg(test)]
mod tests;
