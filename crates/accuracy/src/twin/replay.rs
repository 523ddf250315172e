//! Runs the measured workloads on a candidate.
//!
//! A figure needs far fewer I/Os than a benchmark issues, so a phase is cut: reads after some thousands, writes later,
//! since a buffer takes the first of them. A workload keeps its seed: the candidate is asked for the same addresses in the
//! same order as the drive was.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use base::interrupt::Interrupt;
use base::record::PhaseRecord;
use base::run::{Unwatched, run};
use base::size::Bytes;
use base::state::State;
use base::workload::{Job, Workload};
use sim::catalogue::{ModelOptions, open};
use sim::virtual_time::Virtual;

use super::MakeTwin;
use super::candidate::Candidate;
use super::measured::{Measured, Session, Statistic, Step, figures_anyway};

/// The host that a model stands on where nothing is said.
const HOST: &str = sim::catalogue::hosts::DEFAULT_HOST;
/// Most I/Os of a phase that reads, and so many for each one in flight at the least.
const READS: u64 = 3_000;
/// Most I/Os of a phase that writes.
const WRITES: u64 = 6_000;
/// A phase of large I/Os ends after so much; a buffer takes less.
const MOST_READ: Bytes = Bytes::mib(64);
const MOST_WRITTEN: Bytes = Bytes::mib(192);
/// So many rounds of what is in flight, at the least.
const ROUNDS: u64 = 20;

/// On flash, what is filled before a workload is cut to so much, and the workload with it: no arm moves further for more.
const MOST_FILLED: Bytes = Bytes::gib(1);

/// A value of a candidate, by its path.
pub(super) type Values = [(String, String)];

/// Figures by workload, operation and statistic.
type Figures = BTreeMap<(usize, u8, Statistic), f64>;

/// Runs measured workloads on one candidate.
pub(super) struct Bench<'a> {
    measured: &'a Measured,
    drive: String,
    has_discs: bool,
    host: String,
    jobs: usize,
    seed: u64,
    interrupt: &'a Interrupt,
    runs: AtomicUsize,
    /// Sessions that were run with these values already, each up to a step.
    known: Mutex<BTreeMap<(usize, String), Known>>,
}

/// How many steps of a session were run, and what they gave.
type Known = (usize, Result<Figures, String>);

/// What has to be run: a session's place, and how many of its steps.
type Asked = (usize, usize);

impl<'a> Bench<'a> {
    pub(super) fn new(
        measured: &'a Measured,
        candidate: &Candidate,
        asked: &MakeTwin,
        interrupt: &'a Interrupt,
    ) -> Bench<'a> {
        let host = asked.host.clone().or_else(|| measured.host.clone());
        Bench {
            measured,
            drive: candidate.path.clone(),
            has_discs: candidate.has_discs,
            host: host.unwrap_or_else(|| HOST.to_owned()),
            jobs: asked.jobs.max(1),
            seed: asked.seed,
            interrupt,
            runs: AtomicUsize::new(0),
            known: Mutex::new(BTreeMap::new()),
        }
    }

    /// The host that the candidate stands on.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// How many sessions were run.
    pub(super) fn runs(&self) -> usize {
        self.runs.load(Ordering::Relaxed)
    }

    /// All figures, in the order of the measured ones, of sessions that are as long as the measured ones were: a cut one
    /// leaves caches emptier and spare flash less used than the drive's were.
    pub(super) fn whole(&self, values: &Values) -> Result<Vec<f64>, String> {
        let next = AtomicUsize::new(0);
        let found: Mutex<Result<Figures, String>> = Mutex::new(Ok(Figures::new()));
        let work = || {
            while let Some(session) =
                (self.measured.sessions).get(next.fetch_add(1, Ordering::Relaxed))
            {
                self.runs.fetch_add(1, Ordering::Relaxed);
                let figures = self.run_whole(values, session);
                let mut found = lock(&found);
                match (&mut *found, figures) {
                    (Ok(all), Ok(figures)) => all.extend(figures),
                    (_, Err(why)) => *found = Err(why),
                    (Err(_), _) => {}
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.jobs.min(self.measured.sessions.len()) {
                scope.spawn(work);
            }
            work();
        });
        let found = found.into_inner();
        let found = found.unwrap_or_else(|poisoned| poisoned.into_inner())?;
        self.in_order(
            &found,
            &(0..self.measured.figures.len()).collect::<Vec<_>>(),
        )
    }

    fn run_whole(&self, values: &Values, session: &Session) -> Result<Figures, String> {
        let mut drive = self.opened(values, session.state)?;
        let mut records: BTreeMap<usize, Vec<PhaseRecord>> = BTreeMap::new();
        for step in &session.whole {
            if self.interrupt.wanted() {
                return Err("interrupted".to_owned());
            }
            let record = run(&mut drive, "twin", &step.work, &mut Unwatched);
            let record = record.map_err(|error| error.to_string())?;
            if let Some(workload) = step.gives {
                records.entry(workload).or_default().push(record);
            }
        }
        let mut figures = Figures::new();
        for (workload, records) in &records {
            for given in figures_anyway(&records.iter().collect::<Vec<_>>()) {
                figures.insert((*workload, given.op as u8, given.what), given.value);
            }
        }
        Ok(figures)
    }

    /// The figures at these places.
    pub(super) fn figures(&self, values: &Values, places: &[usize]) -> Result<Vec<f64>, String> {
        let sessions = self.sessions_of(places);
        self.run_all(sessions.iter().map(|asked| (values, *asked)).collect());
        let mut found = Figures::new();
        for asked in sessions {
            found.extend(self.session(values, asked)?);
        }
        self.in_order(&found, places)
    }

    fn in_order(&self, found: &Figures, places: &[usize]) -> Result<Vec<f64>, String> {
        let value = |place: &usize| {
            let figure = &self.measured.figures[*place];
            let key = (figure.workload, figure.op as u8, figure.what);
            let missing = || format!("no {} of {:?}", figure.what.name(), figure.op);
            found.get(&key).copied().ok_or_else(missing)
        };
        places.iter().map(value).collect()
    }

    /// Runs what [`Bench::figures`] will be asked for with each of these values: on all threads, where a question after
    /// the other would leave them idle at the end of each.
    pub(super) fn run_ahead(&self, all: &[Vec<(String, String)>], places: &[usize]) {
        let sessions = self.sessions_of(places);
        let of = |values: &'_ Vec<(String, String)>| -> Vec<_> {
            let values = values.clone();
            let pairs = sessions.iter().map(|asked| (values.clone(), *asked));
            pairs.collect()
        };
        let pairs: Vec<_> = all.iter().flat_map(of).collect();
        self.run_all(pairs.iter().map(|(v, asked)| (&v[..], *asked)).collect());
    }

    /// The sessions that give the figures at these places, each up to the last step that gives one.
    fn sessions_of(&self, places: &[usize]) -> Vec<Asked> {
        let workload = |place: &usize| self.measured.figures[*place].workload;
        let workloads: BTreeSet<usize> = places.iter().map(workload).collect();
        let gives = |step: &Step| step.gives.is_some_and(|gives| workloads.contains(&gives));
        let sessions = self.measured.sessions.iter().enumerate();
        let last = |(place, session): (usize, &Session)| {
            let last = session.steps.iter().rposition(gives)?;
            Some((place, last + 1))
        };
        sessions.filter_map(last).collect()
    }

    /// Runs sessions on several threads, for their figures to be known.
    fn run_all(&self, asked: Vec<(&Values, Asked)>) {
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some((values, asked)) = asked.get(next.fetch_add(1, Ordering::Relaxed)) {
                let _ = self.session(values, *asked); // kept, with why it failed where it did
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.jobs.min(asked.len()) {
                scope.spawn(work);
            }
            work();
        });
    }

    fn session(&self, values: &Values, (place, steps): Asked) -> Result<Figures, String> {
        if self.interrupt.wanted() {
            return Err("interrupted".to_owned());
        }
        let key = (place, format!("{values:?}"));
        if let Some((_, known)) =
            (lock(&self.known).get(&key)).filter(|(up_to, known)| *up_to >= steps || known.is_err())
        {
            return known.clone();
        }
        self.runs.fetch_add(1, Ordering::Relaxed);
        let session = &self.measured.sessions[place];
        let figures = self.run(values, session.state, &session.steps, steps);
        lock(&self.known).insert(key, (steps, figures.clone()));
        figures
    }

    fn opened(
        &self,
        values: &Values,
        state: State,
    ) -> Result<Virtual<Box<dyn sim::model::Model>>, String> {
        let options = ModelOptions {
            state,
            host: Some(self.host.clone()),
            seed: self.seed,
            overrides: values.to_vec(),
            ..ModelOptions::default()
        };
        let opened = open(&self.drive, &options).map_err(|error| error.to_string())?;
        Ok(Virtual::new(opened.model))
    }

    fn run(
        &self,
        values: &Values,
        state: State,
        steps: &[Step],
        up_to: usize,
    ) -> Result<Figures, String> {
        let mut drive = self.opened(values, state)?;
        let mut figures = Figures::new();
        let is_filled = steps.iter().any(|step| step.work.flush_at_end);
        for step in &steps[..up_to] {
            if self.interrupt.wanted() {
                return Err("interrupted".to_owned());
            }
            let mut work = match step.work.flush_at_end {
                true => step.work.clone(),
                false => cut(&step.work),
            };
            if is_filled && !self.has_discs {
                for job in &mut work.jobs {
                    job.span.len = job.span.len.min(MOST_FILLED);
                }
            }
            let record = run(&mut drive, "twin", &work, &mut Unwatched);
            let record = record.map_err(|error| error.to_string())?;
            let Some(workload) = step.gives else { continue };
            for given in figures_anyway(&[&record]) {
                figures.insert((workload, given.op as u8, given.what), given.value);
            }
        }
        Ok(figures)
    }
}

fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A workload that ends as soon as its figures can be told.
fn cut(work: &Workload) -> Workload {
    let mut work = work.clone();
    let writes = work.jobs.iter().any(Job::writes);
    let (ios, bytes) = match writes {
        true => (WRITES, MOST_WRITTEN),
        false => (READS, MOST_READ),
    };
    let largest = work.jobs.iter().map(|job| job.largest().get()).max();
    let by_bytes = bytes.get() / largest.unwrap_or(1).max(1);
    let in_flight: u64 = work
        .jobs
        .iter()
        .map(|job| u64::from(job.depth().min(4_096)))
        .sum();
    let most = ios.min(by_bytes).max(ROUNDS * in_flight).max(32);
    work.stop.ios = Some(work.stop.ios.map_or(most, |own| own.min(most)));
    work
}
