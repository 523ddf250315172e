//! Jobs in parallel and in sequence, in the run loop.
//!
//! fio's jobs begin and end independently: by bytes, by I/Os, by time, after a delay, a wall (`stonewall`) or another
//! job (`wait_for`). A copy of a job is a *lane*; all lanes together are the source of one phase's I/Os, whose
//! statistics are kept twice: as drivelab records them, and as fio prints them.
//!
//! In fio each copy is a process; here copies that have nothing to do with each other (`are_independent`) are divided
//! among as many loops as there are processors where the drive is real, and otherwise run in one.

use base::run::{Flight, Share, Slot, Source, Watcher};
use base::target::Done;
use base::{Bytes, Duration, Instant, Io, Op, PhaseRecord, Target};

use crate::job::ends::Along;
use crate::job::{Job, groups, walls};
use crate::kept::Kept;
use crate::layout::Place;
use crate::logged::LogFile;
use crate::steady::Watch;
use crate::zoned::Reported;

mod depth;
mod labels;
mod lane;
#[cfg(test)]
mod tests;
mod zoned;

use labels::Labels;
use lane::{Lane, State};
use zoned::{Placed, Zones};

/// What came of one copy of a job.
pub struct Ran {
    /// Its number among all copies of all jobs.
    pub among_all: usize,
    /// Number of the job.
    pub job: usize,
    /// Number of the copy.
    pub copy: u32,
    /// Its figures.
    pub kept: Kept,
    /// From the beginning of the run until it ended.
    pub elapsed: Duration,
    /// What it wrote down.
    pub logs: Vec<LogFile>,
}

/// Whether jobs have nothing to do with each other beyond their target, so that each copy may run in a loop of its own:
/// none waits for another, ends with another, shares a flow, a watched rate or a zone, or verifies what another wrote.
pub(crate) fn are_independent(jobs: &[Job]) -> bool {
    let is_alone = |job: &Job| {
        let ends = &job.ends;
        job.wait_for.is_none()
            && (ends.with_it, ends.with_its_error) == (Along::Nobody, Along::Nobody)
            && job.pace.flow.is_none()
            && job.steady.is_none()
            && job.zbd.is_none()
            && job.verify.is_none()
    };
    walls(jobs).iter().all(|wall| *wall == 0) && jobs.iter().all(is_alone)
}

/// The copies of all jobs that run in this loop.
pub(crate) struct Lanes<'a> {
    lanes: Vec<Lane<'a>>,
    /// By lane: when it may have something to do, if nothing comes back to it before. To look at each of hundreds for
    /// every I/O costs more than the I/O.
    wakes: Vec<Instant>,
    /// What one does may let another go on, so that all are looked at each time: they share a flow, or zones.
    nobody_sleeps: bool,
    /// How many have ended.
    done: usize,
    /// By slot: how many of its lane were in flight when it was sent.
    depths: Vec<u32>,
    now: Instant,
    began: Instant,
    /// By job: when its first copy began to count, and when its last one ended.
    counted_from: Vec<Option<Instant>>,
    ended: Vec<Instant>,
    /// By job: how long the program itself stood still while it ran.
    stood_still: Vec<Duration>,
    labels: Labels,
    watches: Vec<Watch>,
    /// Those of a zoned drive, where a job minds them.
    zones: Option<Zones>,
    /// How often one was looked at.
    #[cfg(test)]
    looks: u64,
}

impl<'a> Lanes<'a> {
    /// None has begun; on one of several rings only its share. `reported` are the drive's zones, if any.
    pub(crate) fn new(
        target: &dyn Target,
        jobs: &'a [Job],
        places: &[Place],
        reported: Option<&Reported>,
        (seed, share): (u64, Option<Share>),
    ) -> Lanes<'a> {
        let info = target.info();
        let (walls, groups) = (walls(jobs), groups(jobs));
        let numbered = places.iter().enumerate();
        let here = numbered.filter(|(n, _)| share.is_none_or(|share| share.has(*n)));
        let lanes = here.map(|(n, place)| {
            let order = (walls[place.job], groups[place.job]);
            Lane::new(&jobs[place.job], (n, place), info.block, order, seed)
        });
        let mut lanes: Vec<Lane<'a>> = lanes.collect();
        let zones = zones_for(reported, &mut lanes, info.block);
        let watches = watches(jobs, &lanes);
        let began = target.now();
        let wanted = lanes.iter().map(|lane| lane.job.depth);
        let depth = wanted.fold(0, u32::saturating_add);
        let depth = depth.min(info.max_in_flight).max(1);
        Lanes {
            wakes: vec![Instant::ZERO; lanes.len()],
            nobody_sleeps: zones.is_some() || lanes.iter().any(|lane| lane.job.pace.flow.is_some()),
            done: 0,
            lanes,
            depths: vec![0; depth as usize],
            now: began,
            began,
            counted_from: vec![None; jobs.len()],
            ended: vec![began; jobs.len()],
            stood_still: vec![Duration::ZERO; jobs.len()],
            labels: Labels::default(),
            watches,
            zones,
            #[cfg(test)]
            looks: 0,
        }
    }

    /// Runs all of them; `record` has a record for each job.
    pub(crate) fn run(
        &mut self,
        target: &mut dyn Target,
        record: PhaseRecord,
        watcher: &mut dyn Watcher,
    ) -> PhaseRecord {
        let mut flight = Flight::new(record, self.depths.len() as u32);
        flight.go(target, self, watcher);
        self.now = flight.now;
        for n in 0..self.lanes.len() {
            if self.lanes[n].cut_off(self.now) {
                self.ended[self.lanes[n].number] = self.now;
                self.lanes[n].close_logs(self.now);
            }
        }
        self.keep_steadiness();
        flight.record
    }

    /// By job: how long the program itself stood still while it ran. fio counts that as the job's time; a rate of the
    /// drive's leaves it out.
    pub(crate) fn time_left_out(&self) -> Vec<Duration> {
        self.stood_still.clone()
    }

    /// What came of each copy.
    pub(crate) fn into_ran(self) -> Vec<Ran> {
        let (began, ended) = (self.began, self.ended);
        let ran = self.lanes.into_iter().map(|mut lane| Ran {
            elapsed: ended[lane.number].since(began),
            among_all: lane.among_all,
            job: lane.number,
            copy: lane.copy,
            logs: std::mem::take(&mut lane.logs),
            kept: lane.kept,
        });
        ran.collect()
    }
}

impl Source for Lanes<'_> {
    fn issue<T: Target + ?Sized>(&mut self, flight: &mut Flight, target: &mut T) {
        self.now = flight.now;
        loop {
            if flight.stopping {
                return;
            }
            self.watch();
            self.step_all();
            let has_room = self.send_all(flight, target);
            // What changes behind the sending (a job begins as another has ended, a loop begins anew) has something to
            // send now: to wait first would count the waiting as the job's.
            if self.step_all() {
                continue;
            }
            if has_room && !self.nobody_sleeps {
                self.sleep_until_due();
            }
            return;
        }
    }

    fn due(&self, _: &Flight) -> Option<Instant> {
        let wakes = self.wakes.iter().zip(&self.lanes);
        let lanes = wakes.filter_map(|(wakes, lane)| match *wakes > self.now {
            true => Some(*wakes),
            false => lane.due(self.now),
        });
        let watches = self.watches.iter().filter_map(Watch::due);
        lanes.chain(watches).filter(|at| *at > self.now).min()
    }

    fn is_exhausted(&self) -> bool {
        self.done == self.lanes.len()
    }

    /// Zone commands belong to no job, and completions in the ramp are not counted.
    fn job_of(&self, slot: &Slot, done: &Done) -> Option<usize> {
        let lane = &self.lanes[slot.of as usize];
        let counts = slot.io.zone.is_none() && lane.counts_at(done.at);
        counts.then_some(lane.number)
    }

    fn origin(&self, job: usize) -> Option<Instant> {
        self.counted_from[job]
    }

    fn stood_still(&mut self, time: Duration) {
        for (number, stood_still) in self.stood_still.iter_mut().enumerate() {
            let copies = self.lanes.iter().filter(|lane| lane.number == number);
            if copies.clone().any(Lane::has_begun) && copies.clone().any(|l| l.state != State::Done)
            {
                *stood_still = stood_still.saturating_add(time);
            }
        }
    }

    fn came_back(&mut self, flight: &mut Flight, slot: &Slot, done: &Done) {
        self.now = flight.now;
        if self.of_a_zone(slot, done) {
            return;
        }
        let n = slot.of as usize;
        self.wakes[n] = Instant::ZERO;
        let depth = self.depths[done.tag.0 as usize];
        self.lanes[n].came_back(slot, depth, done, &mut self.labels);
        let lane = &mut self.lanes[n];
        if lane.state == State::Flushing
            && slot.io.op == Op::Flush
            && lane.in_flight == 0
            && lane.moved(self.now)
        {
            self.lane_ended(n);
        }
    }
}

/// The drive's zones, where a job minds them.
fn zones_for(reported: Option<&Reported>, lanes: &mut [Lane<'_>], block: Bytes) -> Option<Zones> {
    let zones = Zones::of(reported?, block);
    let mut minds = false;
    for lane in lanes.iter_mut().filter(|lane| lane.job.zbd.is_some()) {
        lane.holds(zones.capacity(lane.region()));
        minds = true;
    }
    minds.then_some(zones)
}

/// Who watches which rates: that of a group together where its jobs are reported together, else each by itself.
fn watches(jobs: &[Job], lanes: &[Lane<'_>]) -> Vec<Watch> {
    let mut watches: Vec<Watch> = Vec::new();
    for (n, lane) in lanes.iter().enumerate() {
        let job = &jobs[lane.number];
        let Some(rule) = &job.steady else { continue };
        let together = job.reporting.by_group;
        if together
            && watches
                .iter()
                .any(|watch| watch.group == lane.group && watch.lane.is_none())
        {
            continue;
        }
        watches.push(Watch::new(
            rule.clone(),
            lane.group,
            (!together).then_some(n),
        ));
    }
    watches
}

fn watched(watch: &Watch, lanes: &[Lane<'_>]) -> Vec<usize> {
    let is_of = |n: usize| match watch.lane {
        Some(one) => one == n,
        None => lanes[n].group == watch.group && lanes[n].job.steady.is_some(),
    };
    (0..lanes.len()).filter(|n| is_of(*n)).collect()
}

impl Lanes<'_> {
    /// What was found is among the figures of those that it was found of.
    fn keep_steadiness(&mut self) {
        for watch in &self.watches {
            for n in watched(watch, &self.lanes) {
                self.lanes[n].kept.steadiness = Some(watch.found.clone());
            }
        }
    }

    /// Jobs whose rate is steady end.
    fn watch(&mut self) {
        for watch in &mut self.watches {
            let of = watched(watch, &self.lanes);
            if !of.iter().any(|n| self.lanes[*n].state == State::Running) {
                continue;
            }
            let (mut ios, mut bytes) = (0, 0);
            for n in &of {
                ios += self.lanes[*n].moved_so_far.0;
                bytes += self.lanes[*n].moved_so_far.1;
            }
            let steady = watch.look(self.now, ios, bytes);
            for n in of {
                if steady {
                    self.wakes[n] = Instant::ZERO;
                    self.lanes[n].end();
                }
            }
        }
    }

    /// Lanes begin, and end. Whether any did, or went on to something else.
    fn step_all(&mut self) -> bool {
        let mut changed = false;
        for n in 0..self.lanes.len() {
            if self.wakes[n] <= self.now {
                changed |= self.step(n);
            }
        }
        changed
    }

    /// Those that have sent what they may are looked at again when something comes back to them, or is due.
    fn sleep_until_due(&mut self) {
        for (wakes, lane) in self.wakes.iter_mut().zip(&self.lanes) {
            if *wakes <= self.now && !lane.looks_at_rates() {
                *wakes = lane.due(self.now).unwrap_or(Instant::MAX);
            }
        }
    }

    /// A lane begins, or ends. Whether it did, or went on to something else.
    fn step(&mut self, n: usize) -> bool {
        #[cfg(test)]
        {
            self.looks += 1;
        }
        let before = (self.lanes[n].state, self.lanes[n].pass);
        if self.lanes[n].state == State::Waiting && self.may_begin(&self.lanes[n]) {
            let lane = &mut self.lanes[n];
            let (least, most) = lane.job.start_delay;
            let more = most.saturating_sub(least).as_secs_f64();
            let delay = least + Duration::from_secs_f64(more * lane.rng.unit());
            // A delay counts from the beginning of the run, also behind a wall.
            lane.state = State::Delayed(self.began.saturating_add(delay).max(self.now));
        }
        let ended = self.lanes[n].step(self.now);
        if let (before, State::Running) = (before.0, self.lanes[n].state)
            && before != State::Running
        {
            let first = &mut self.counted_from[self.lanes[n].number];
            *first = first.or(Some(self.lanes[n].counted_from()));
        }
        if ended {
            self.lane_ended(n);
        }
        before != (self.lanes[n].state, self.lanes[n].pass)
    }

    fn may_begin(&self, lane: &Lane<'_>) -> bool {
        let wanted = lane.job.wait_for.as_ref();
        !self.lanes.iter().any(|other| {
            let before = other.wall < lane.wall
                || wanted.is_some_and(|name| other.number < lane.number && other.job.name == *name);
            before && other.state != State::Done
        })
    }

    /// Takes those along that end with it.
    fn lane_ended(&mut self, n: usize) {
        let lane = &self.lanes[n];
        let (number, group, ends) = (lane.number, lane.group, &lane.job.ends);
        let along = match (ends.with_it, lane.kept.errno) {
            (Along::Nobody, 1..) => ends.with_its_error,
            (along, _) => along,
        };
        self.ended[number] = self.now;
        self.done += 1;
        self.wakes.fill(Instant::ZERO);
        self.lanes[n].close_logs(self.now);
        for other in &mut self.lanes {
            let ends = match along {
                Along::Nobody => false,
                Along::Group => other.group == group,
                Along::Running => other.state != State::Waiting,
                Along::All => true,
            };
            if ends {
                other.end();
            }
        }
    }

    /// Whether a lane has not exceeded its share of its flow.
    fn is_its_turn(&self, lane: &Lane<'_>) -> bool {
        let Some((id, weight)) = lane.job.pace.flow else {
            return true;
        };
        let (mut sent, mut weights) = (0_u128, 0_u128);
        for other in self
            .lanes
            .iter()
            .filter(|other| other.state == State::Running)
        {
            if let Some((_, weight)) = other.job.pace.flow.filter(|(with, _)| *with == id) {
                sent += u128::from(other.sent);
                weights += u128::from(weight);
            }
        }
        u128::from(lane.sent) * weights <= sent * u128::from(weight)
    }

    /// Sends all that lanes want to send now; false where there was no room for all of it.
    fn send_all<T: Target + ?Sized>(&mut self, flight: &mut Flight, target: &mut T) -> bool {
        for n in 0..self.lanes.len() {
            if self.wakes[n] > self.now {
                continue;
            }
            while self.is_its_turn(&self.lanes[n]) {
                let Some(io) = self.lanes[n].wants(self.now, &self.labels) else {
                    break;
                };
                let Some((io, is_its_own)) = self.placed(n, &io) else {
                    break;
                };
                if self.lanes.len() > 1 {
                    target.next_from(n as u32);
                }
                let Some(slot) = flight.send(target, &io, n as u32, Some(self.now)) else {
                    return false;
                };
                let lane = &mut self.lanes[n];
                if is_its_own {
                    if let (Some(zones), Some(rule)) = (&mut self.zones, &lane.job.zbd) {
                        zones.sent(n, rule, &io);
                        lane.placed(&io);
                    }
                    lane.sent(&io, self.now);
                } else if let Some(zones) = &mut self.zones {
                    zones.commanded(&io);
                }
                self.depths[slot as usize] = lane.in_flight;
            }
        }
        true
    }

    /// The position of a lane's I/O, or what must precede it; `None` if it has to wait.
    fn placed(&mut self, n: usize, io: &Io) -> Option<(Io, bool)> {
        let lane = &mut self.lanes[n];
        let (Some(zones), Some(rule)) = (&mut self.zones, &lane.job.zbd) else {
            return Some((*io, true));
        };
        if io.op == Op::Flush {
            return Some((*io, true));
        }
        match zones.place(n, lane.job, rule, lane.region(), io) {
            Placed::At(io) => Some((io, true)),
            Placed::Behind(command) => Some((command, false)),
            Placed::Later => None,
            Placed::Nowhere => {
                lane.end();
                None
            }
        }
    }

    /// A completion from a zone; whether it was a command, which belongs to no job.
    fn of_a_zone(&mut self, slot: &Slot, done: &Done) -> bool {
        let n = slot.of as usize;
        let Some(zones) = &mut self.zones else {
            return false;
        };
        let lane = &mut self.lanes[n];
        let succeeded = done.outcome == base::target::Outcome::Complete;
        if zones.came_back(&slot.io, succeeded, lane.job.least()) {
            lane.kept.zone_resets += 1;
        }
        slot.io.zone.is_some()
    }
}
