//! From jobs to a run: the target is resolved, what would be written is known, the drive is opened.
//!
//! What may be overwritten is asked exactly as for `drivelab run`: a device or a file of the user's is read unless
//! the consent names it. Files that are not there are made as drivelab's own test file, written whole before the
//! first read, and removed behind the run; fio leaves its files.

use base::message::Message;
use base::method::{Forecast, Scale};
use base::record::{Ended, JobRecord, PhaseRecord};
use base::run::{Unwatched, run};
use base::size::Bytes;
use base::target::Target;
use base::time::{Duration, Instant};
use base::workload::{Job as Streams, Order, Span, Stop, Workload};
use base::zone::Zoned;
use lab::opening::{Consent, Drive, Opened, ResolvedTarget, resolve};
use lab::progress::{Interrupt, Progress};
use results::TargetRecord;

use crate::error::FioError;
use crate::job::Job;
use crate::layout::{Place, layout, target_of};
use crate::running::{self, Ran};
use crate::script::with_logs;
use crate::zoned;

/// Jobs on a target that is known: nothing is made or opened for writing yet.
pub struct Prepared {
    jobs: Vec<Job>,
    places: Vec<Place>,
    target: String,
    resolved: ResolvedTarget,
    extent: u64,
    consent: Consent,
}

/// What came of jobs.
pub struct Finished {
    /// The jobs.
    pub jobs: Vec<Job>,
    /// Of each copy.
    pub ran: Vec<Ran>,
    /// What they ran on.
    pub record: TargetRecord,
    /// What limits the figures.
    pub warnings: Vec<Message>,
    /// All streams as a workload of drivelab's.
    workload: Workload,
}

impl Finished {
    /// The same as drivelab's phases: one for each job with all of its copies.
    pub fn phases(&self) -> Vec<PhaseRecord> {
        let numbers = 0..self.jobs.len();
        let each = numbers.filter_map(|number| self.phase(number));
        each.collect()
    }

    fn phase(&self, number: usize) -> Option<PhaseRecord> {
        let job = &self.jobs[number];
        let mut copies = self.ran.iter().filter(|ran| ran.job == number);
        let mut kept = copies.next()?.kept.clone();
        copies.for_each(|ran| kept.merge(&ran.kept));
        let mut record = JobRecord::new(&job.name, Duration::from_secs(1), None);
        for (op, of) in record.ops.iter_mut().zip(&kept.ops) {
            op.ios = of.ios;
            op.bytes = Bytes::new(of.bytes);
            op.service = of.completion.histogram.clone();
            op.response = of.whole.histogram.clone();
        }
        record.errors.count = kept.errors;
        // Two jobs may share a name.
        let first = self.jobs.iter().position(|other| other.name == job.name);
        let name = match first == Some(number) {
            true => job.name.clone(),
            false => format!("{} {number}", job.name),
        };
        let streams = self
            .workload
            .jobs
            .iter()
            .filter(|streams| streams.name == job.name);
        Some(PhaseRecord {
            name,
            workload: Workload {
                jobs: streams.cloned().collect(),
                ..self.workload.clone()
            },
            began: Instant::ZERO,
            took: kept.runtime,
            ended: Ended::Complete,
            jobs: vec![record],
            done_below: None,
            pauses: base::record::Pauses::default(),
            script: None,
            traced: None,
        })
    }
}

/// The target of jobs: the one that is given, or what they name.
///
/// # Errors
/// Where they name several.
pub fn target(jobs: &[Job], given: Option<&str>) -> Result<String, FioError> {
    let named = given
        .map(str::to_owned)
        .map_or_else(|| target_of(jobs), Ok)?;
    let is_path = std::path::Path::new(&named).exists();
    // The page cache is between, as the jobs ask.
    let buffered = jobs.iter().any(|job| !job.direct);
    Ok(match is_path && buffered && !named.contains('?') {
        true => format!("{named}?buffered=yes"),
        false => named,
    })
}

/// Checks jobs against a target.
///
/// # Errors
/// Sizes that do not fit, a write that nobody allowed, jobs of which some go around the page cache.
pub fn prepare(
    jobs: Vec<Job>,
    target: String,
    consent: Consent,
    seed: u64,
) -> Result<Prepared, FioError> {
    let jobs = with_logs(jobs)?;
    let mut target = target;
    let mut resolved = resolve(&target, &consent, seed)?;
    if jobs.iter().any(|job| job.verify.is_some()) && resolved.is_a_model() {
        target = with_contents(&target)?;
        resolved = resolve(&target, &consent, seed)?;
    }
    let direct = jobs.iter().filter(|job| job.direct).count();
    if direct > 0 && direct < jobs.len() && !resolved.is_a_model() {
        return Err(FioError::Target(
            "some jobs go around the page cache (direct=1) and some do not: all go one way here"
                .to_owned(),
        ));
    }
    let jobs = zoned::in_bytes(jobs, resolved.zones().as_ref());
    let info = resolved.provisional;
    let (mut places, extent) = layout(&jobs, info.capacity, resolved.is_a_test_file())?;
    for place in &mut places {
        if let Some(replay) = &jobs[place.job].replay {
            let turn = place.copy as usize % replay.scripts.len().max(1);
            place.script = replay.scripts.get(turn).cloned();
        }
    }
    if jobs.iter().any(Job::writes) && resolved.is_the_users_own() && !consent.destroy_data {
        return Err(FioError::Target(format!(
            "{target} would be overwritten: add --destroy-data and --confirm with {}",
            resolved.token()
        )));
    }
    zoned::fit(&jobs, &mut places, resolved.zones().as_ref(), &target)?;
    // Jobs that fill zones read what they have filled.
    let fills_zones = jobs.iter().any(|job| job.zbd.is_some() && job.writes());
    let resolved = match jobs.iter().any(Job::reads) && !fills_zones {
        true => resolved.written_over()?.unwrap_or(resolved),
        false => resolved,
    };
    let prepared = Prepared {
        jobs,
        places,
        target,
        resolved,
        extent,
        consent,
    };
    let on = base::target::Info {
        writable: true,
        ..info
    };
    prepared
        .workload()
        .check(&on)
        .map_err(|why| FioError::Target(why.to_string()))?;
    Ok(prepared)
}

/// The target with its contents known, so that data can be verified.
fn with_contents(target: &str) -> Result<String, FioError> {
    match target {
        kept if kept.starts_with("contents(") => Ok(kept.to_owned()),
        null if null.starts_with("null:") => Err(FioError::Target(
            "a null target keeps no data to verify: take a modelled or a real drive".to_owned(),
        )),
        model if model.contains("file_system=") => Err(FioError::Target(format!(
            "{model} has a file system between: give contents(MODEL)?file_system=... to verify on it"
        ))),
        model => Ok(format!("contents({model})")),
    }
}

impl Prepared {
    /// The jobs.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// What would be written, a line each.
    pub fn dry_run(&self) -> Vec<String> {
        let mut lines = vec![format!("target: {}", self.target)];
        for place in &self.places {
            let job = &self.jobs[place.job];
            let does = if job.writes() { "writes" } else { "reads" };
            for region in &place.regions {
                let (from, to) = (Bytes::new(region.start), Bytes::new(region.reach(job)));
                lines.push(format!("{} {does} from {from} to {to}", job.name));
            }
        }
        lines
    }

    /// All streams as a workload of drivelab's: what a target is opened for, and checked against.
    fn workload(&self) -> Workload {
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
            ..Workload::single(
                Streams::closed(
                    "",
                    base::io::Op::Read,
                    Order::Random,
                    Span::first(Bytes::SECTOR),
                    Bytes::SECTOR,
                    1,
                ),
                Stop {
                    passes: Some(1),
                    ..Stop::default()
                },
                1,
            )
        }
    }

    /// Runs all jobs; the jobs, and what came of each copy.
    ///
    /// # Errors
    /// As [`Prepared::finish`].
    pub fn run(
        self,
        seed: u64,
        progress: &mut dyn Progress,
        interrupt: &Interrupt,
    ) -> Result<(Vec<Job>, Vec<Ran>), FioError> {
        let finished = self.finish(seed, progress, interrupt)?;
        Ok((finished.jobs, finished.ran))
    }

    /// Runs all jobs.
    ///
    /// # Errors
    /// Where the target cannot be opened or is lost, or somebody wants to stop.
    pub fn finish(
        self,
        seed: u64,
        progress: &mut dyn Progress,
        interrupt: &Interrupt,
    ) -> Result<Finished, FioError> {
        let workload = self.workload();
        let forecast = Forecast {
            extent: Bytes::new(self.extent),
            ..Forecast::default()
        };
        if self.resolved.is_a_model() {
            progress.building(&self.target);
        }
        let opened = self
            .resolved
            .open(&forecast, Scale::Full, &self.consent, interrupt)?;
        let Opened {
            mut drive,
            remarks,
            warnings,
            unwritten,
            record,
            ..
        } = opened;
        for said in remarks.iter().chain(&warnings) {
            progress.say(said);
        }
        if matches!(drive, Drive::Model(_)) {
            let (drive, state) = ((&record.title).into(), (&record.state).into());
            progress.say(&Message::new(
                "modelled-drive",
                [("drive", drive), ("state", state)],
            ));
        }
        let minds_zones = self.jobs.iter().any(|job| job.zbd.is_some());
        let zoned = match &mut drive {
            Drive::Model(model) => model.zoned(),
            Drive::Real(real) if real.is_zoned() => Some(real.as_mut() as &mut dyn Zoned),
            Drive::Real(_) => None,
        };
        let reported = zoned
            .filter(|_| minds_zones)
            .map(zoned::report)
            .transpose()?;
        let mut real;
        let target: &mut dyn Target = match &mut drive {
            Drive::Model(model) => model.as_mut(),
            Drive::Real(drive) => {
                let failed = |why: &dyn std::fmt::Display| FioError::Target(why.to_string());
                if unwritten && self.jobs.iter().any(Job::reads) {
                    let whole = Span::first(Bytes::new(self.extent));
                    let mut fill = workload.clone();
                    fill.jobs = vec![Streams::closed(
                        "fill",
                        base::io::Op::Write,
                        Order::Sequential,
                        whole,
                        Bytes::mib(1),
                        4,
                    )];
                    fill.flush_at_end = true;
                    let mut filled = drive.target_for(&fill).map_err(|why| failed(&why))?;
                    run(&mut filled, "fill", &fill, &mut Unwatched).map_err(|why| failed(&why))?;
                }
                real = drive.target_for(&workload).map_err(|why| failed(&why))?;
                real.as_mut()
            }
        };
        let ran = running::run(
            target,
            &self.jobs,
            &self.places,
            reported.as_ref(),
            seed,
            &|| interrupt.wanted(),
        )?;
        Ok(Finished {
            jobs: self.jobs,
            ran,
            record,
            warnings,
            workload,
        })
    }
}
