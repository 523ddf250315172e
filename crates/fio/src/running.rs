//! Jobs side by side and one behind the other, on one target.
//!
//! drivelab's own run loop ends a phase as a whole; fio's jobs each begin and end for themselves: by bytes, by I/Os, by
//! time, behind a delay, a wall (`stonewall`) or another job (`wait_for`). So the jobs have a loop of their own over a
//! target, one stream (a *lane*) a copy. Time is the target's, as everywhere: a modelled drive's is virtual.

use base::io::{Io, Op};
use base::record::Ended;
use base::size::Bytes;
use base::target::{Done, Tag, Target};
use base::time::{Duration, Instant};

use crate::error::FioError;
use crate::job::ends::Along;
use crate::job::{Job, groups};
use crate::kept::Kept;
use crate::layout::Place;
use crate::logged::LogFile;
use crate::steady::Watch;
use crate::zoned::Reported;

mod depth;
mod labels;
mod lane;
mod zoned;

use labels::Labels;
use lane::{Lane, Slot, State};
use zoned::{Placed, Zones};

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
    /// What it wrote down.
    pub logs: Vec<LogFile>,
}

/// Runs all jobs. `reported` is what a drive with zones tells of them.
///
/// # Errors
/// The wish to stop; a drive that went away.
pub fn run(
    target: &mut dyn Target,
    jobs: &[Job],
    places: &[Place],
    reported: Option<&Reported>,
    seed: u64,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<Ran>, FioError> {
    let info = target.info();
    let mut walls = Vec::new();
    for job in jobs {
        let before = walls.last().copied().unwrap_or(0);
        walls.push(before + u32::from(job.stonewall && !walls.is_empty()));
    }
    let groups = groups(jobs);
    let mut lanes = Vec::new();
    for place in places {
        let job = &jobs[place.job];
        let order = (walls[place.job], groups[place.job]);
        lanes.push(Lane::new(job, place, info.block, order, seed));
    }
    let zones = zones_for(reported, &mut lanes, info.block);
    let watches = watches(jobs, &lanes);
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
        labels: Labels::default(),
        watches,
        zones,
    };
    running.go(stop)?;
    running.keep_steadiness();
    let ended = &running.ended;
    Ok(running
        .lanes
        .into_iter()
        .map(|mut lane| Ran {
            elapsed: ended[lane.number].since(began),
            job: lane.number,
            copy: lane.copy,
            logs: std::mem::take(&mut lane.logs),
            kept: lane.kept,
        })
        .collect())
}

struct Running<'t, 'a> {
    target: &'t mut dyn Target,
    lanes: Vec<Lane<'a>>,
    slots: Vec<Option<Slot>>,
    free: Vec<u32>,
    now: Instant,
    began: Instant,
    ended: Vec<Instant>,
    labels: Labels,
    watches: Vec<Watch>,
    /// Those of a zoned drive, where a job minds them.
    zones: Option<Zones>,
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
        let together = job.group_reporting;
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

impl Running<'_, '_> {
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
                    self.lanes[n].end();
                }
            }
        }
    }

    fn go(&mut self, stop: &dyn Fn() -> bool) -> Result<(), FioError> {
        let mut done = Vec::new();
        let mut look = self.now.saturating_add(LOOK);
        let mut ios = 0_usize;
        loop {
            self.watch();
            self.step_all();
            self.issue();
            // What changes behind the issuing (a job begins as another has ended, a loop begins anew) has something to
            // send now: to wait first would count the waiting as the job's.
            if self.step_all() {
                continue;
            }
            let nothing_in_flight = self.free.len() == self.slots.len();
            if nothing_in_flight && self.lanes.iter().all(|lane| lane.state == State::Done) {
                return Ok(());
            }
            let due = self
                .lanes
                .iter()
                .filter_map(|lane| lane.due(self.now))
                .chain(self.watches.iter().filter_map(Watch::due))
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

    /// Lanes begin, and end. Whether any did, or went on to something else.
    fn step_all(&mut self) -> bool {
        let mut changed = false;
        for n in 0..self.lanes.len() {
            let before = (self.lanes[n].state, self.lanes[n].pass);
            if self.lanes[n].state == State::Waiting && self.may_begin(&self.lanes[n]) {
                let lane = &mut self.lanes[n];
                let (least, most) = lane.job.start_delay;
                let more = most.saturating_sub(least).as_secs_f64();
                let delay = least + Duration::from_secs_f64(more * lane.rng.unit());
                // A delay counts from the beginning of the run, also behind a wall.
                lane.state = State::Delayed(self.began.saturating_add(delay).max(self.now));
            }
            if self.lanes[n].step(self.now) {
                self.lane_ended(n);
            }
            changed |= before != (self.lanes[n].state, self.lanes[n].pass);
        }
        changed
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
        self.lanes[n].close_logs(n + 1, self.now);
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

    /// Whether a lane has not more than its share of what it flows with.
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

    fn issue(&mut self) {
        for n in 0..self.lanes.len() {
            while self.is_its_turn(&self.lanes[n]) {
                let Some(io) = self.lanes[n].wants(self.now, &self.labels) else {
                    break;
                };
                let Some((io, is_its_own)) = self.placed(n, &io) else {
                    break;
                };
                let Some(tag) = self.free.pop() else {
                    return;
                };
                if self.lanes.len() > 1 {
                    self.target.next_from(n as u32);
                }
                if self.target.submit(Tag(tag), &io).is_err() {
                    self.free.push(tag);
                    return;
                }
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
                self.slots[tag as usize] = Some(Slot {
                    lane: n,
                    io,
                    drawn: self.now,
                    depth: lane.in_flight,
                });
            }
        }
    }

    /// Where an I/O of a lane goes, or what goes before it; nothing where it has to wait.
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

    fn is_there(&self, done: &Done) -> Result<(), FioError> {
        match Ended::by(done.outcome).is_some_and(Ended::is_loss) {
            true => Err(FioError::Target(format!(
                "the drive, or the way to it, was lost after {}",
                self.now.since(self.began)
            ))),
            false => Ok(()),
        }
    }

    /// What came back of a zone; whether it was a command, which is nobody's I/O.
    fn of_a_zone(&mut self, slot: &Slot, done: &Done) -> bool {
        let Some(zones) = &mut self.zones else {
            return false;
        };
        let lane = &mut self.lanes[slot.lane];
        let succeeded = done.outcome == base::target::Outcome::Complete;
        if zones.came_back(&slot.io, succeeded, lane.job.least()) {
            lane.kept.zone_resets += 1;
        }
        slot.io.zone.is_some()
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
        if self.of_a_zone(&slot, done) {
            return self.is_there(done);
        }
        self.lanes[slot.lane].came_back(&slot, done, &mut self.labels);
        self.is_there(done)?;
        let now = self.now;
        let lane = &mut self.lanes[slot.lane];
        if lane.state == State::Flushing
            && slot.io.op == Op::Flush
            && lane.in_flight == 0
            && lane.moved(now)
        {
            self.lane_ended(slot.lane);
        }
        Ok(())
    }
}
