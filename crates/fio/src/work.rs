//! The jobs of a file as a piece of work: what they do on a target of this size and kind, whichever it is.
//!
//! Write permission is checked, the target is opened, its file is filled and everything is monitored as for any method:
//! a job file defines the operations, never the target.

use std::collections::BTreeMap;
use std::sync::Mutex;

use base::result::alike;
use base::run::{Jobs, Share, Watcher};
use base::side_by_side::held;
use base::workload::{Job as Streams, Keep};
use base::zone::ZoneLimits;
use base::{
    Bench, Bytes, Card, Duration, Forecast, Group, Info, JobRecord, Method, MethodOutput, Order,
    PhaseRecord, Scale, Settings, Span, Stop, Stopped, Takes, Target, Workload,
};

use crate::error::FioError;
use crate::job::{Job, walls};
use crate::layout::{Place, layout};
use crate::running::{Lanes, Ran, are_independent};
use crate::script::with_logs;
use crate::zoned::{self, Reported};

/// What it is in the list of results.
static CARD: Card = Card {
    id: "fio",
    title: "fio's jobs",
    publisher: "fio",
    summary: "The jobs of a file in fio's language.",
    version: 2,
    group: Group::Program,
    short: "The jobs of a file in fio's language",
    shortest: &[],
    settings: &[],
    ..Card::PLAIN
};

/// What jobs have to know of their target beforehand.
#[derive(Clone, Copy, Debug)]
pub struct On<'a> {
    /// As it was named, for messages.
    pub name: &'a str,
    /// Its properties.
    pub info: Info,
    /// Its zones, where its writes have to mind them.
    pub zones: Option<&'a ZoneLimits>,
    /// Whether a file is made for the jobs, as large as they need it.
    pub is_made: bool,
    /// Whether it is modelled.
    pub is_a_model: bool,
}

/// Jobs laid out on a target.
pub struct Work {
    jobs: Vec<Job>,
    places: Vec<Place>,
    extent: Bytes,
    text: String,
    ran: Mutex<Vec<Ran>>,
}

impl Work {
    /// Checks jobs against a target, and lays them out. `text` is their file and the selected sections: what must be
    /// identical for two results to be compared.
    ///
    /// # Errors
    /// Sizes that do not fit, ignored zones, jobs of which only some bypass the page cache.
    pub fn new(jobs: Vec<Job>, text: &str, on: &On<'_>) -> Result<Work, FioError> {
        let jobs = with_logs(jobs)?;
        let direct = jobs.iter().filter(|job| job.direct).count();
        if direct > 0 && direct < jobs.len() && !on.is_a_model {
            return Err(FioError::Target(
                "some jobs go around the page cache (direct=1) and some do not: all go one way here"
                    .to_owned(),
            ));
        }
        let jobs = zoned::in_bytes(jobs, on.zones);
        let (mut places, extent) = layout(&jobs, on.info.capacity, on.is_made)?;
        for place in &mut places {
            if let Some(replay) = &jobs[place.job].replay {
                let turn = place.copy as usize % replay.scripts.len().max(1);
                place.script = replay.scripts.get(turn).cloned();
            }
        }
        zoned::fit(&jobs, &mut places, on.zones, on.name)?;
        let work = Work {
            jobs,
            places,
            // A file that is made is of whole MiB; one that is there is as large as it is.
            extent: match on.is_made {
                true => Bytes::new(extent),
                false => Bytes::new(extent).min(on.info.capacity),
            },
            text: text.to_owned(),
            ran: Mutex::default(),
        };
        let writable = Info {
            writable: true,
            ..on.info
        };
        let checked = work.streams().check(&writable);
        checked.map_err(|why| FioError::Target(why.to_string()))?;
        Ok(work)
    }

    /// The jobs.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// What came of each copy so far: of all of a run that has ended, early or not.
    pub fn ran(&self) -> Vec<Ran> {
        std::mem::take(&mut held(&self.ran))
    }

    /// What the run's settings are.
    pub fn settings(&self, seed: u64) -> Settings {
        Settings {
            scale: Scale::Full,
            seed,
            values: BTreeMap::from([("jobs".to_owned(), self.text.clone())]),
            given: vec!["jobs".to_owned()],
            inputs: BTreeMap::new(),
        }
    }

    /// All copies as a workload: for opening and checking the target.
    fn streams(&self) -> Workload {
        let streams = self.places.iter().map(|place| {
            let job = &self.jobs[place.job];
            let first = place.regions.first().copied();
            let span = first.map_or(Span::first(Bytes::new(1)), |region| {
                Span::new(Bytes::new(region.start), Bytes::new(region.len))
            });
            let mut streams = Streams::closed(
                &job.name,
                job.kind.does.1.unwrap_or(job.kind.does.0),
                Order::Random,
                span,
                Bytes::new(job.largest()),
                job.depth,
            );
            streams.align = Bytes::new(job.least());
            streams
        });
        Workload {
            jobs: streams.collect(),
            stop: Stop::after_passes(1),
            keep: Keep::default(),
            flush_at_end: false,
            seed: 1,
        }
    }

    /// Where a job writes.
    fn written(&self) -> Vec<Span> {
        let writing = self.places.iter().filter(|p| self.jobs[p.job].writes());
        let spans = writing.flat_map(|place| {
            let job = &self.jobs[place.job];
            place.regions.iter().map(move |region| {
                let len = region.reach(job).saturating_sub(region.start);
                Span::new(Bytes::new(region.start), Bytes::new(len))
            })
        });
        Span::merged(spans.collect())
    }

    /// The components of its duration: jobs after a wall follow those before it, the others run in parallel.
    fn takes(&self) -> Takes {
        let walls = walls(&self.jobs);
        let last = walls.last().copied().unwrap_or(0);
        let behind = (0..=last).map(|wall| {
            let places = self.places.iter().filter(|p| walls[p.job] == wall);
            let mut takes = Takes::default();
            for place in places {
                let job = &self.jobs[place.job];
                match job.runtime {
                    Some(time) => {
                        let time = time.saturating_add(job.ramp);
                        takes.timed = takes.timed.max(time);
                        if !job.writes() {
                            takes.reading = takes.reading.max(time);
                        }
                    }
                    None => {
                        let sizes = place.limit.saturating_mul(job.loops);
                        let ios = job.ios.unwrap_or(u64::MAX).saturating_mul(job.loops);
                        let bytes = Bytes::new(sizes.min(ios.saturating_mul(job.largest())));
                        takes = match job.writes() {
                            true => takes.and_moving(bytes),
                            false => takes.and_reading(bytes),
                        };
                    }
                }
            }
            Takes {
                reading: takes.reading.min(takes.timed),
                ..takes
            }
        });
        behind.fold(Takes::default(), Takes::and)
    }
}

impl Method for Work {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn alike(&self) -> Option<String> {
        Some(alike(CARD.id, &self.text))
    }

    /// Jobs that would write elsewhere are refused when they are laid out.
    fn respects_zones(&self, _: &Settings) -> bool {
        true
    }

    fn forecast(&self, _: &Settings, _: &Info) -> Forecast {
        // Jobs that fill zones read what they have filled.
        let fills_zones = self
            .jobs
            .iter()
            .any(|job| job.zbd.is_some() && job.writes());
        Forecast {
            takes: self.takes(),
            reads: None,
            writes: None,
            written: self.written(),
            reads_as_found: self.jobs.iter().any(Job::reads) && !fills_zones,
            extent: self.extent,
        }
    }

    fn run(&self, settings: &Settings, bench: &mut dyn Bench) -> Result<MethodOutput, Stopped> {
        let minds_zones = self.jobs.iter().any(|job| job.zbd.is_some());
        let zoned = bench.zoned().filter(|_| minds_zones);
        let reported = zoned.map(zoned::report).transpose();
        let reported = reported.map_err(|why| Stopped::Failed(why.to_string()))?;
        held(&self.ran).clear();
        bench.jobs(&Running {
            work: self,
            reported,
            seed: settings.seed,
            stood_still: Mutex::new(vec![Duration::ZERO; self.jobs.len()]),
        })?;
        Ok(MethodOutput::default())
    }
}

/// The jobs in the run loop.
struct Running<'a> {
    work: &'a Work,
    reported: Option<Reported>,
    seed: u64,
    /// How long the program itself stood still while each job ran: the longest time of any ring.
    stood_still: Mutex<Vec<Duration>>,
}

impl Jobs for Running<'_> {
    fn workload(&self, share: Option<Share>) -> Workload {
        let mut all = self.work.streams();
        if let Some(share) = share {
            let mut numbers = 0..;
            let mut is_here = |_: &Streams| numbers.next().is_some_and(|n| share.has(n));
            all.jobs.retain(|streams| is_here(streams));
        }
        all
    }

    /// Copies that have nothing to do with each other run side by side, as the processes that they are in fio.
    fn shares(&self, most: u32) -> u32 {
        match are_independent(&self.work.jobs) {
            true => most.clamp(1, self.work.places.len().max(1) as u32),
            false => 1,
        }
    }

    fn run(
        &self,
        share: Option<Share>,
        target: &mut dyn Target,
        watcher: &mut dyn Watcher,
    ) -> Result<PhaseRecord, String> {
        let Work { jobs, places, .. } = self.work;
        let reported = self.reported.as_ref();
        let mut lanes = Lanes::new(target, jobs, places, reported, (self.seed, share));
        let record = self.work.record(target);
        let record = lanes.run(target, record, watcher);
        let mut stood_still = held(&self.stood_still);
        for (longest, here) in stood_still.iter_mut().zip(lanes.time_left_out()) {
            *longest = here.max(*longest);
        }
        held(&self.work.ran).extend(lanes.into_ran());
        Ok(record)
    }

    fn phases(&self, whole: PhaseRecord) -> Vec<PhaseRecord> {
        let mut ran = held(&self.work.ran);
        ran.sort_by_key(|ran| ran.among_all);
        self.work.phases(&whole, &ran, &held(&self.stood_still))
    }
}

impl Work {
    /// The record of all jobs together, before they begin.
    fn record(&self, target: &dyn Target) -> PhaseRecord {
        let info = target.info();
        let mut record = base::run::new_record("jobs", &self.streams(), target.now(), info.block);
        let each = self.jobs.iter();
        record.jobs = each
            .map(|job| JobRecord::new(&job.name, Duration::from_secs(1), None))
            .collect();
        record
    }

    /// A phase for each job, with all of its copies.
    fn phases(&self, all: &PhaseRecord, ran: &[Ran], stood_still: &[Duration]) -> Vec<PhaseRecord> {
        let each = self.jobs.iter().enumerate();
        each.filter_map(|(number, job)| {
            let copies = ran.iter().filter(|ran| ran.job == number);
            let took = copies.map(|ran| ran.kept.runtime).max()?;
            // Two jobs may share a name.
            let first = self.jobs.iter().position(|other| other.name == job.name);
            let name = match first == Some(number) {
                true => job.name.clone(),
                false => format!("{} {number}", job.name),
            };
            let streams = all.workload.jobs.iter();
            let own = streams.filter(|streams| streams.name == job.name);
            Some(PhaseRecord {
                name,
                workload: Workload {
                    jobs: own.cloned().collect(),
                    ..all.workload.clone()
                },
                took: took.saturating_sub(stood_still[number]),
                jobs: vec![all.jobs[number].clone()],
                ..all.clone()
            })
        })
        .collect()
    }
}
