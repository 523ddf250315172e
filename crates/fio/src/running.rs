//! Jobs side by side and one behind the other, on one target.
//!
//! drivelab's own run loop ends a phase as a whole; fio's jobs each begin and end for themselves: by bytes, by I/Os, by
//! time, behind a delay, a wall (`stonewall`) or another job (`wait_for`). So the jobs have a loop of their own over a
//! target, one stream (a *lane*) a copy. Time is the target's, as everywhere: a modelled drive's is virtual.
//!
//! A rate is kept as fio keeps it: an I/O is not sent before its direction has fallen behind its rate, and of two
//! directions the one that is due first goes on. A rest begins when what is in flight has come back.

use base::io::{Io, Op};
use base::record::Ended;
use base::rng::{Rng, splitmix64};
use base::target::{Done, Outcome, Tag, Target};
use base::time::{Duration, Instant};

use crate::drawing::Drawer;
use crate::error::FioError;
use crate::job::Job;
use crate::kept::{Kept, One};
use crate::layout::Place;

/// How often the loop asks whether somebody wants it to end, in the target's time.
const LOOK: Duration = Duration::from_millis(100);

/// What came of one copy of a job.
pub struct Ran {
    /// Number of the job.
    pub job: usize,
    /// Number of the copy.
    pub copy: u32,
    /// Its figures.
    pub kept: Kept,
    /// From the beginning of the run until it ended.
    pub elapsed: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    Delayed(Instant),
    Running,
    Draining,
    Flushing,
    Done,
}

struct Lane<'a> {
    job: &'a Job,
    number: usize,
    copy: u32,
    drawer: Drawer,
    state: State,
    wall: u32,
    bytes_left: u64,
    ios_left: u64,
    counted_from: Instant,
    counts: bool,
    ends: Instant,
    in_flight: u32,
    /// The queue was full, and is not filled up yet.
    full: bool,
    came_back: u32,
    next: Option<Io>,
    /// When reads, writes, trims are due by their rate.
    due: [Instant; 3],
    sent_writes: u64,
    flush_owed: bool,
    flushing: bool,
    since_think: u64,
    thinking: bool,
    rests_until: Instant,
    rng: Rng,
    kept: Kept,
    wrote: bool,
}

#[derive(Clone, Copy)]
struct Slot {
    lane: usize,
    io: Io,
    drawn: Instant,
    depth: u32,
}

/// Runs all jobs.
///
/// # Errors
/// An order that cannot be drawn; the wish to stop; a drive that went away.
pub fn run(
    target: &mut dyn Target,
    jobs: &[Job],
    places: &[Place],
    seed: u64,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<Ran>, FioError> {
    let info = target.info();
    let mut walls = Vec::new();
    for job in jobs {
        let before = walls.last().copied().unwrap_or(0);
        walls.push(before + u32::from(job.stonewall && !walls.is_empty()));
    }
    let mut lanes = Vec::new();
    for place in places {
        let job = &jobs[place.job];
        let drawer = Drawer::new(job, place.copy, &place.regions, info.block)?;
        lanes.push(Lane::new(job, place, drawer, walls[place.job], seed));
    }
    let began = target.now();
    let most = lanes
        .iter()
        .map(|lane| lane.job.depth)
        .fold(0, u32::saturating_add);
    let most = most.min(info.max_in_flight).max(1);
    let mut running = Running {
        target,
        lanes,
        slots: vec![None; most as usize],
        free: (0..most).rev().collect(),
        now: began,
        began,
        ended: jobs.iter().map(|_| began).collect(),
    };
    running.go(stop)?;
    let ended = &running.ended;
    Ok(running
        .lanes
        .into_iter()
        .map(|lane| Ran {
            elapsed: ended[lane.number].since(began),
            job: lane.number,
            copy: lane.copy,
            kept: lane.kept,
        })
        .collect())
}

impl<'a> Lane<'a> {
    fn new(job: &'a Job, place: &Place, drawer: Drawer, wall: u32, seed: u64) -> Lane<'a> {
        let bytes = place.bytes.saturating_mul(job.loops);
        Lane {
            job,
            number: place.job,
            copy: place.copy,
            drawer,
            state: State::Waiting,
            wall,
            bytes_left: if job.time_based { u64::MAX } else { bytes },
            ios_left: job.ios.unwrap_or(u64::MAX),
            counted_from: Instant::ZERO,
            counts: false,
            ends: Instant::MAX,
            in_flight: 0,
            full: false,
            came_back: 0,
            next: None,
            due: [Instant::ZERO; 3],
            sent_writes: 0,
            flush_owed: false,
            flushing: false,
            since_think: 0,
            thinking: false,
            rests_until: Instant::ZERO,
            rng: Rng::new(splitmix64(seed ^ job.seed) ^ u64::from(place.copy)),
            kept: Kept::default(),
            wrote: false,
        }
    }

    fn begin(&mut self, at: Instant) {
        self.state = State::Running;
        self.counted_from = at.saturating_add(self.job.ramp);
        self.counts = self.job.ramp.is_zero();
        self.kept.begin(at);
        self.due = [at; 3];
        if let Some(time) = self.job.runtime {
            self.ends = self.counted_from.saturating_add(time);
        }
    }

    /// Gap between two I/Os of a direction, where it has a rate.
    fn gap(&mut self, op: Op, len: u64) -> Option<Duration> {
        let n = op as usize;
        let seconds = match (
            self.job.rate_iops[n].filter(|r| *r > 0),
            self.job.rate[n].filter(|r| *r > 0),
        ) {
            (Some(iops), _) => 1.0 / iops as f64,
            (None, Some(bytes)) => len as f64 / bytes as f64,
            (None, None) => return None,
        };
        let factor = if self.job.poisson {
            self.rng.exponential()
        } else {
            1.0
        };
        Some(Duration::from_secs_f64(seconds * factor))
    }

    fn has_rate(&self, op: Op) -> bool {
        let n = op as usize;
        self.job.rate_iops[n]
            .or(self.job.rate[n])
            .is_some_and(|r| r > 0)
    }

    /// The next I/O, drawn once; of two directions the one that is due first where the drawn one is not due.
    fn draw(&mut self, now: Instant) -> Io {
        if let Some(io) = self.next {
            return io;
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
        self.next = Some(io);
        io
    }

    /// What it may send now.
    fn wants(&mut self, now: Instant) -> Option<Io> {
        match self.state {
            State::Flushing => return (self.in_flight == 0).then(Io::flush),
            State::Running => {}
            _ => return None,
        }
        if self.flushing || now < self.rests_until {
            return None;
        }
        if self.thinking {
            if self.in_flight > 0 {
                return None;
            }
            self.thinking = false;
            self.rests_until = now.saturating_add(self.job.think);
            return None;
        }
        let queue_waits = self.full
            && (self.came_back < self.job.complete_min || self.in_flight > self.job.depth_low);
        if self.in_flight >= self.job.depth || (queue_waits && self.in_flight > 0) {
            return None;
        }
        self.full = false;
        if self.flush_owed {
            return Some(Io::flush());
        }
        if now >= self.ends || self.ios_left == 0 {
            self.drain();
            return None;
        }
        let io = self.draw(now);
        if io.len.get() > self.bytes_left {
            self.drain();
            return None;
        }
        if self.has_rate(io.op) && self.due[io.op as usize] > now {
            return None;
        }
        Some(io)
    }

    fn drain(&mut self) {
        if matches!(
            self.state,
            State::Running | State::Waiting | State::Delayed(_)
        ) {
            self.state = State::Draining;
        }
    }

    fn sent(&mut self, io: &Io) {
        self.in_flight += 1;
        if self.in_flight >= self.job.depth {
            self.full = true;
            self.came_back = 0;
        }
        if io.op == Op::Flush {
            self.flush_owed = false;
            self.flushing = true;
            return;
        }
        self.next = None;
        self.ios_left -= 1;
        if !self.job.time_based {
            self.bytes_left -= io.len.get();
        }
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
        self.since_think += 1;
        if !self.job.think.is_zero() && self.since_think >= self.job.think_ios {
            self.since_think = 0;
            self.thinking = true;
        }
    }

    fn came_back(&mut self, slot: &Slot, done: &Done) {
        self.in_flight -= 1;
        self.came_back += 1;
        if slot.io.op == Op::Flush {
            self.flushing = false;
        }
        if !self.counts && done.at >= self.counted_from {
            self.counts = true;
            self.kept.begin(self.counted_from);
        }
        let bytes = match done.outcome {
            Outcome::Complete | Outcome::Differs(_) => slot.io.len.get(),
            Outcome::Short(moved) => {
                self.kept.ops[slot.io.op as usize].short += 1;
                moved.get()
            }
            Outcome::Failed(errno) | Outcome::Broken(errno) => {
                self.kept.errors += 1;
                if self.kept.errno == 0 {
                    self.kept.errno = errno;
                }
                if !self.job.goes_on {
                    self.drain();
                }
                return;
            }
        };
        if self.counts {
            let one = One {
                op: slot.io.op as usize,
                bytes,
                drawn: slot.drawn,
                sent: done.sent,
                at: done.at,
                depth: slot.depth,
            };
            self.kept.keep(&one, self.job.is_asynchronous());
        }
    }

    /// When something happens that waits for nothing but the time.
    fn due(&self, now: Instant) -> Option<Instant> {
        match self.state {
            State::Delayed(at) => Some(at),
            State::Running if self.rests_until > now => Some(self.rests_until.min(self.ends)),
            State::Running => {
                let next = self
                    .next
                    .filter(|io| self.has_rate(io.op) && self.in_flight < self.job.depth);
                let next = next
                    .map(|io| self.due[io.op as usize])
                    .filter(|at| *at > now);
                match (next, self.ends) {
                    (next, Instant::MAX) => next,
                    (next, ends) => Some(next.map_or(ends, |at| at.min(ends))),
                }
            }
            _ => None,
        }
    }
}

struct Running<'t, 'a> {
    target: &'t mut dyn Target,
    lanes: Vec<Lane<'a>>,
    slots: Vec<Option<Slot>>,
    free: Vec<u32>,
    now: Instant,
    began: Instant,
    ended: Vec<Instant>,
}

impl Running<'_, '_> {
    fn go(&mut self, stop: &dyn Fn() -> bool) -> Result<(), FioError> {
        let mut done = Vec::new();
        let mut look = self.now.saturating_add(LOOK);
        let mut ios = 0_usize;
        loop {
            self.step_all();
            self.issue();
            self.step_all();
            if self.lanes.iter().all(|lane| lane.state == State::Done) {
                return Ok(());
            }
            let due = self
                .lanes
                .iter()
                .filter_map(|lane| lane.due(self.now))
                .filter(|at| *at > self.now)
                .min();
            let until = due.map_or(look, |due| due.min(look)).max(self.now);
            self.target
                .wait((until > self.now).then_some(until), &mut done);
            self.now = match done.last() {
                Some(last) => last.at.max(self.now),
                None => self.target.now().max(self.now),
            };
            ios += done.len();
            for one in &done {
                self.came_back(one)?;
            }
            done.clear();
            if self.now >= look || ios > 16_384 {
                ios = 0;
                look = self.now.saturating_add(LOOK);
                if stop() {
                    return Err(FioError::Interrupted);
                }
            }
        }
    }

    /// Lanes begin, and end.
    fn step_all(&mut self) {
        for n in 0..self.lanes.len() {
            let lane = &self.lanes[n];
            match lane.state {
                State::Waiting if self.may_begin(lane) => {
                    let (least, most) = lane.job.start_delay;
                    let more = most.saturating_sub(least).as_secs_f64();
                    let lane = &mut self.lanes[n];
                    let delay = least + Duration::from_secs_f64(more * lane.rng.unit());
                    lane.state = State::Delayed(self.now.saturating_add(delay));
                }
                _ => {}
            }
            let lane = &mut self.lanes[n];
            if let State::Delayed(at) = lane.state
                && at <= self.now
            {
                lane.begin(self.now);
            }
            if lane.state == State::Running && self.now >= lane.ends {
                lane.drain();
            }
            if lane.state == State::Draining && lane.in_flight == 0 {
                lane.state = match lane.job.flush_at_end && lane.wrote {
                    true => State::Flushing,
                    false => State::Done,
                };
                if lane.state == State::Done {
                    self.lane_ended(n);
                }
            }
        }
    }

    fn may_begin(&self, lane: &Lane<'_>) -> bool {
        let wanted = lane.job.wait_for.as_ref();
        !self.lanes.iter().any(|other| {
            let before = other.wall < lane.wall
                || wanted.is_some_and(|name| other.number < lane.number && other.job.name == *name);
            before && other.state != State::Done
        })
    }

    fn lane_ended(&mut self, n: usize) {
        let (now, lane) = (self.now, &mut self.lanes[n]);
        lane.state = State::Done;
        lane.kept.end(lane.counted_from.min(now), now);
        self.ended[lane.number] = now;
        if lane.job.ends_all {
            self.lanes.iter_mut().for_each(Lane::drain);
        }
    }

    fn issue(&mut self) {
        for n in 0..self.lanes.len() {
            while let Some(io) = self.lanes[n].wants(self.now) {
                let Some(tag) = self.free.pop() else { return };
                if self.lanes.len() > 1 {
                    self.target.next_from(n as u32);
                }
                if self.target.submit(Tag(tag), &io).is_err() {
                    self.free.push(tag);
                    return;
                }
                let lane = &mut self.lanes[n];
                lane.sent(&io);
                self.slots[tag as usize] = Some(Slot {
                    lane: n,
                    io,
                    drawn: self.now,
                    depth: lane.in_flight,
                });
            }
        }
    }

    fn came_back(&mut self, done: &Done) -> Result<(), FioError> {
        let Some(slot) = self
            .slots
            .get_mut(done.tag.0 as usize)
            .and_then(Option::take)
        else {
            return Ok(());
        };
        self.free.push(done.tag.0);
        self.lanes[slot.lane].came_back(&slot, done);
        if Ended::by(done.outcome).is_some_and(Ended::is_loss) {
            let after = self.now.since(self.began);
            return Err(FioError::Target(format!(
                "the drive, or the way to it, was lost after {after}"
            )));
        }
        let lane = &mut self.lanes[slot.lane];
        if lane.state == State::Flushing && slot.io.op == Op::Flush && lane.in_flight == 0 {
            self.lane_ended(slot.lane);
        }
        Ok(())
    }
}
