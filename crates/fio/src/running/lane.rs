//! One copy of a job: what it sends next, and when it is finished.
//!
//! A rate is kept as in fio: an I/O is not sent before its direction has fallen behind its rate, and of two directions
//! the one that is due first is used. A think time begins when the I/Os in flight have completed. Each loop is followed
//! by a flush, if requested, and then by the verification of what the loop wrote.

use base::{Bytes, Duration, Fill, Instant, Io, Op, Rng, splitmix64};

use super::depth::Search;
use super::labels::{Labels, Unverified, checked};
use crate::drawing::Drawer;
use crate::job::Job;
use crate::job::replay::Script;
use crate::kept::Kept;
use crate::layout::{Place, Region};
use crate::logged::{LogFile, Logger};

mod back;
mod work;

use work::Work;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Waiting,
    Delayed(Instant),
    Running,
    /// I/Os in flight complete; nothing more is sent.
    Draining,
    Flushing,
    Verifying,
    Done,
}

pub(super) struct Lane<'a> {
    pub(super) job: &'a Job,
    pub(super) number: usize,
    /// Number among all copies of all jobs, on this ring or another.
    pub(super) among_all: usize,
    pub(super) copy: u32,
    pub(super) wall: u32,
    pub(super) group: u32,
    pub(super) state: State,
    pub(super) kept: Kept,
    pub(super) rng: Rng,
    pub(super) in_flight: u32,
    /// I/Os sent so far.
    pub(super) sent: u64,
    logger: Option<Logger>,
    /// What it wrote down.
    pub(super) logs: Vec<LogFile>,
    search: Option<Search>,
    /// Counts of I/Os and bytes for checking its rate.
    pub(super) moved_so_far: (u64, u64),
    /// The log, and the position in it.
    script: Option<(Script, usize)>,
    loop_began: Instant,
    drawer: Drawer,
    regions: Vec<Region>,
    block: Bytes,
    /// Which loop, from 1.
    pub(super) pass: u64,
    work: Work,
    counted_from: Instant,
    counts: bool,
    ends: Instant,
    /// Somebody, or an error, has ended it.
    over: bool,
    /// The queue was full, and is not filled up yet.
    full: bool,
    came_back: u32,
    next: Option<Io>,
    /// When reads, writes, trims are due by their rate.
    due: [Instant; 3],
    sent_writes: u64,
    flush_owed: bool,
    flushing: bool,
    since_rest: u64,
    rested: Instant,
    resting: bool,
    rests_until: Instant,
    cycle: (Instant, [(u64, u64); 3]),
    wrote: bool,
    unverified: Unverified,
    /// So many are verified before the next write.
    catching_up: u64,
    /// What is in flight: begin, end, whether it changes data. Kept where I/Os may not race.
    spans: Vec<(u64, u64, bool)>,
    phase_began: Instant,
}

impl<'a> Lane<'a> {
    pub(super) fn new(
        job: &'a Job,
        (among_all, place): (usize, &Place),
        block: Bytes,
        (wall, group): (u32, u32),
        seed: u64,
    ) -> Lane<'a> {
        let in_runs = job.kind.steps.every > 1 || job.random_percent < 100;
        let repeats = job.kind.random && (in_runs || !job.visits_once());
        let places_repeat = repeats || job.time_based || job.region.io_size.is_some();
        Lane {
            job,
            number: place.job,
            among_all,
            copy: place.copy,
            wall,
            group,
            state: State::Waiting,
            kept: Kept::default(),
            rng: Rng::new(splitmix64(seed ^ job.seed) ^ u64::from(place.copy)),
            in_flight: 0,
            sent: 0,
            logger: None,
            logs: Vec::new(),
            search: job
                .latency_target
                .map(|target| Search::new(target, job.depth)),
            moved_so_far: (0, 0),
            script: place.script.clone().map(|script| (script, 0)),
            loop_began: Instant::ZERO,
            drawer: Drawer::new(job, place.copy, &place.regions, block, 1),
            regions: place.regions.clone(),
            block,
            pass: 1,
            work: Work::of(job, place),
            counted_from: Instant::MAX,
            counts: false,
            ends: Instant::MAX,
            over: false,
            full: false,
            came_back: 0,
            next: None,
            due: [Instant::ZERO; 3],
            sent_writes: 0,
            flush_owed: false,
            flushing: false,
            since_rest: 0,
            rested: Instant::ZERO,
            resting: false,
            rests_until: Instant::ZERO,
            cycle: (Instant::ZERO, [(0, 0); 3]),
            wrote: false,
            unverified: Unverified::new(places_repeat),
            catching_up: 0,
            spans: Vec::new(),
            phase_began: Instant::MAX,
        }
    }

    pub(super) fn begin(&mut self, at: Instant) {
        self.state = State::Running;
        self.counted_from = at.saturating_add(self.job.ramp);
        self.counts = self.job.ramp.is_zero();
        self.kept.begin(at);
        self.logger = Logger::new(&self.job.logs, at, self.counted_from);
        self.loop_began = at;
        self.due = [at; 3];
        self.rested = at;
        self.cycle.0 = self.counted_from;
        self.phase_began = self.counted_from;
        if let Some(time) = self.job.runtime {
            self.ends = self.counted_from.saturating_add(time);
        }
    }

    /// Whether a completion at a moment is counted: not in its ramp.
    pub(super) fn counts_at(&self, at: Instant) -> bool {
        self.counts || at >= self.counted_from
    }

    /// Whether it has sent I/Os, or might have.
    pub(super) fn has_begun(&self) -> bool {
        !matches!(self.state, State::Waiting | State::Delayed(_))
    }

    /// From when on it counts.
    pub(super) fn counted_from(&self) -> Instant {
        self.counted_from
    }

    /// Nothing more is sent: it ends where it is. True if it had begun and not ended.
    pub(super) fn cut_off(&mut self, now: Instant) -> bool {
        let state = self.state;
        self.over = true;
        match state {
            State::Done => false,
            State::Waiting | State::Delayed(_) => {
                self.state = State::Done;
                false
            }
            State::Verifying => self.loop_ended(now),
            State::Running | State::Draining | State::Flushing => self.moved(now),
        }
    }

    /// It sends nothing more except what is owed.
    pub(super) fn end(&mut self) {
        self.over = true;
        match self.state {
            State::Running | State::Waiting | State::Delayed(_) => self.state = State::Draining,
            State::Verifying => self.unverified.clear(),
            State::Draining | State::Flushing | State::Done => {}
        }
    }

    /// Goes on to what comes next, where something is through at a moment. True where all is.
    pub(super) fn step(&mut self, now: Instant) -> bool {
        if let State::Delayed(at) = self.state
            && at <= now
        {
            self.begin(now);
        }
        if self.state == State::Running {
            self.look_at_rates(now);
        }
        if matches!(self.state, State::Running | State::Verifying) && now >= self.ends {
            self.end();
        }
        if self.state == State::Verifying && self.unverified.len() == 0 && self.in_flight == 0 {
            return self.loop_ended(now);
        }
        if self.state != State::Draining || self.in_flight > 0 {
            return false;
        }
        if self.job.flush_at_end && self.wrote {
            self.state = State::Flushing;
            return false;
        }
        self.moved(now)
    }

    /// A loop has moved what it should, and is flushed.
    pub(super) fn moved(&mut self, now: Instant) -> bool {
        self.wrote = false;
        (self.resting, self.rests_until) = (false, now);
        let does = [Some(self.job.kind.does.0), self.job.kind.does.1];
        for op in does.into_iter().flatten() {
            self.kept.took(op, now.since(self.phase_began.min(now)));
        }
        self.phase_began = now;
        let after = self.job.verify.is_some_and(|verify| verify.after);
        if after && !self.over && self.unverified.len() > 0 {
            self.state = State::Verifying;
            return false;
        }
        self.unverified.clear();
        self.loop_ended(now)
    }

    fn loop_ended(&mut self, now: Instant) -> bool {
        if self.state == State::Verifying {
            self.kept
                .took(Op::Read, now.since(self.phase_began.min(now)));
        }
        self.phase_began = now;
        if self.over || !self.work.goes_on(self.job, self.pass) {
            self.state = State::Done;
            self.kept.end(self.counted_from.min(now), now);
            return true;
        }
        self.pass += 1;
        self.work.begin_loop();
        self.next = None;
        self.loop_began = now;
        if let Some((_, at)) = &mut self.script {
            *at = 0;
        }
        self.catching_up = 0;
        self.drawer = Drawer::new(self.job, self.copy, &self.regions, self.block, self.pass);
        self.state = State::Running;
        false
    }

    /// Gap between two I/Os of a direction, where it has a rate.
    fn gap(&mut self, op: Op, len: u64) -> Option<Duration> {
        let (n, pace) = (op as usize, &self.job.pace);
        let seconds = match (
            pace.rate_iops[n].filter(|r| *r > 0),
            pace.rate[n].filter(|r| *r > 0),
        ) {
            (Some(iops), _) => 1.0 / iops as f64,
            (None, Some(bytes)) => len as f64 / bytes as f64,
            (None, None) => return None,
        };
        let factor = if pace.poisson {
            self.rng.exponential()
        } else {
            1.0
        };
        Some(Duration::from_secs_f64(seconds * factor))
    }

    fn has_rate(&self, op: Op) -> bool {
        self.job.pace.has_rate(op as usize)
    }

    /// The next I/O, generated once; of two directions the one that is due first if the drawn one is not due.
    fn draw(&mut self, now: Instant, labels: &Labels) -> Option<Io> {
        if self.next.is_some() {
            return self.next;
        }
        if let Some((script, at)) = &mut self.script {
            let start = self.regions.first().map_or(0, |region| region.start);
            let next = script.get(*at).map(|(_, io)| Io {
                offset: Bytes::new(io.offset.get() + start),
                ..*io
            });
            *at += 1;
            self.next = next.map(|io| self.labelled(io, labels));
            return self.next;
        }
        let mut op = self.drawer.direction();
        if let (first, Some(second)) = self.job.kind.does
            && !self.job.kind.trims_before_writes
            && self.has_rate(op)
            && self.due[op as usize] > now
        {
            let other = if op == first { second } else { first };
            if self.has_rate(other) && self.due[other as usize] < self.due[op as usize] {
                op = other;
            }
        }
        let io = self.drawer.draw(op);
        self.next = io.map(|io| self.labelled(io, labels));
        self.next
    }

    /// As its job's verification has it.
    fn labelled(&self, io: Io, labels: &Labels) -> Io {
        let Some(verify) = self.job.verify else {
            return io;
        };
        match io.op {
            Op::Write if verify.only => checked(io.offset, io.len, labels),
            Op::Write => Io {
                fill: Fill::labelled(labels.next(&io, self.pass)),
                ..io
            },
            Op::Read if !self.job.writes() => checked(io.offset, io.len, labels),
            _ => io,
        }
    }

    /// Moves the drawn I/O to where a zone accepts it.
    pub(super) fn placed(&mut self, io: &Io) {
        if !self.job.kind.random {
            self.drawer.moved_to(io);
        }
    }

    /// What it works in, where that is one piece.
    pub(super) fn region(&self) -> Region {
        self.regions.first().copied().unwrap_or_default()
    }

    /// It moves no more than its zones hold, unless specified.
    pub(super) fn holds(&mut self, capacity: u64) {
        if self.job.region.io_size.is_none() {
            self.work.holds(capacity);
        }
    }

    fn depth(&self) -> u32 {
        self.search.as_ref().map_or(self.job.depth, Search::depth)
    }

    /// Its logs are whole.
    pub(super) fn close_logs(&mut self, at: Instant) {
        let asynchronous = self.job.is_asynchronous();
        if let Some(logger) = self.logger.take() {
            self.logs = logger.files(self.among_all + 1, at, asynchronous);
        }
    }

    /// What it may send now.
    pub(super) fn wants(&mut self, now: Instant, labels: &Labels) -> Option<Io> {
        match self.state {
            State::Flushing => return (self.in_flight == 0).then(Io::flush),
            State::Running | State::Verifying => {}
            _ => return None,
        }
        if self.flushing || now < self.rests_until {
            return None;
        }
        if self.resting {
            if self.in_flight > 0 {
                return None;
            }
            self.resting = false;
            self.rested = now.saturating_add(self.job.pace.rest);
            self.rests_until = self.rested;
            if self.job.pace.rest_is_lost {
                self.due
                    .iter_mut()
                    .for_each(|due| *due = due.saturating_add(self.job.pace.rest));
            }
            return None;
        }
        let depth = self.depth();
        let queue_waits = self.full
            && (self.came_back < self.job.complete_min || self.in_flight > self.job.depth_low);
        if self.in_flight >= depth || (queue_waits && self.in_flight > 0) {
            return None;
        }
        self.full = false;
        if self.flush_owed {
            return Some(Io::flush());
        }
        let wanted = match self.state == State::Verifying || self.catching_up > 0 {
            true => {
                let first = self.unverified.first();
                first.map(|(offset, len)| checked(offset, len, labels))
            }
            false => self.wants_of_its_own(now, labels),
        };
        wanted.filter(|io| !self.overlaps(io))
    }

    fn wants_of_its_own(&mut self, now: Instant, labels: &Labels) -> Option<Io> {
        if now >= self.ends {
            self.end();
            return None;
        }
        let io = match self.work.is_left(self.job) {
            false => None,
            true => self.draw(now, labels),
        };
        let Some(io) = io else {
            self.state = State::Draining;
            return None;
        };
        let due = self.due_of(&io).is_none_or(|due| due <= now);
        Some(io).filter(|_| due)
    }

    /// When the I/O that was drawn last is due, by its log or its rate.
    fn due_of(&self, io: &Io) -> Option<Instant> {
        if let Some((script, at)) = &self.script {
            let (due, _) = script.get(at.checked_sub(1)?)?;
            return Some(self.loop_began.saturating_add(*due));
        }
        self.has_rate(io.op).then(|| self.due[io.op as usize])
    }

    /// Whether it would race with something in flight.
    fn overlaps(&self, io: &Io) -> bool {
        let changes = io.op != Op::Read;
        self.spans.iter().any(|(from, end, changed)| {
            (changes || *changed) && *from < io.end().get() && io.offset.get() < *end
        })
    }

    pub(super) fn sent(&mut self, io: &Io, now: Instant) {
        if let Some(logger) = &mut self.logger {
            logger.sent(io, now);
        }
        self.in_flight += 1;
        if self.in_flight >= self.depth() {
            self.full = true;
            self.came_back = 0;
        }
        if io.op == Op::Flush {
            // One that is owed comes before what was drawn.
            if !std::mem::take(&mut self.flush_owed) && self.state == State::Running {
                self.next = None;
            }
            self.flushing = true;
            return;
        }
        if self.job.serializes {
            self.spans
                .push((io.offset.get(), io.end().get(), io.op != Op::Read));
        }
        if self.state == State::Verifying || self.catching_up > 0 {
            self.unverified.take_first();
            self.catching_up = self
                .catching_up
                .saturating_sub(1)
                .min(self.unverified.len());
            return;
        }
        self.next = None;
        self.sent += 1;
        self.work.sent(self.job, io);
        if let Some(gap) = self.gap(io.op, io.len.get()) {
            let due = &mut self.due[io.op as usize];
            *due = due.saturating_add(gap);
        }
        if io.op == Op::Write {
            self.wrote = true;
            self.sent_writes += 1;
            let every = self.job.flush_every;
            self.flush_owed = every.is_some_and(|n| self.sent_writes.is_multiple_of(n));
        }
        if self.job.pace.counts_sent {
            self.counts_to_rest();
        }
    }

    /// When something happens that waits for nothing but the time.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        match self.state {
            State::Delayed(at) => Some(at),
            State::Running if self.rests_until > now => Some(self.rests_until.min(self.ends)),
            State::Running => {
                let next = self.next.filter(|_| self.in_flight < self.depth());
                let next = next.and_then(|io| self.due_of(&io)).filter(|at| *at > now);
                match (next, self.ends) {
                    (next, Instant::MAX) => next,
                    (next, ends) => Some(next.map_or(ends, |at| at.min(ends))),
                }
            }
            _ => None,
        }
    }
}
