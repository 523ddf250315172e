//! From a profile to a run: the target is resolved, what would be written is known, the drive is opened.
//!
//! What may be overwritten is asked exactly as for `drivelab run`. DiskSpd makes a file with `-c` and leaves it; here a
//! file that is not there yet is drivelab's own test file, written whole before the first I/O, and removed behind the
//! run. Of a modelled drive `-c` means its first bytes.

use std::path::Path;

use base::io::Op;
use base::message::Message;
use base::method::{Forecast, Scale};
use base::record::{Ended, PhaseRecord};
use base::run::{Unwatched, run};
use base::size::Bytes;
use base::target::{Info, Target};
use base::time::{Duration, Instant};
use base::workload::{Job, Keep, Order, Pacing, Span as BlockSpan, Stop, Workload};
use lab::opening::{Consent, Drive, Opened, ResolvedTarget, resolve};
use lab::progress::{Interrupt, Progress};
use results::TargetRecord;

use crate::error::DiskSpdError;
use crate::processors;
use crate::profile::{Cache, Profile, TimeSpan, Work};
use crate::running::{self, Ran};

/// A profile on a target that is known: nothing is made or opened for writing yet.
pub struct Prepared {
    profile: Profile,
    target: String,
    resolved: ResolvedTarget,
    extent: u64,
    consent: Consent,
}

/// What came of it.
pub struct Finished {
    /// What was asked for.
    pub profile: Profile,
    /// Of each time span.
    pub ran: Vec<Ran>,
    /// What it ran on.
    pub record: TargetRecord,
    /// What limits the figures.
    pub warnings: Vec<Message>,
}

impl Finished {
    /// The same as drivelab's phases: one for each time span, in it a job for each piece of work.
    pub fn phases(&self) -> Vec<PhaseRecord> {
        let spans = self.profile.spans.iter().zip(&self.ran).enumerate();
        spans
            .map(|(n, (span, ran))| phase(n + 1, span, ran))
            .collect()
    }
}

fn phase(number: usize, span: &TimeSpan, ran: &Ran) -> PhaseRecord {
    let seconds = |n: u32| Duration::from_secs(u64::from(n));
    let jobs = span.works.iter().zip(&ran.sizes).map(|(work, size)| {
        let (threads, requests) = span.threads_of(work);
        let order = match work.random_percent {
            0 => Order::Sequential,
            100 => Order::Random,
            random_percent => Order::Partly { random_percent },
        };
        let end = work.end.map_or(*size, |end| end.min(*size));
        let whole = BlockSpan::new(
            Bytes::new(work.base),
            Bytes::new(end.saturating_sub(work.base)),
        );
        let mut job = Job::closed(
            &work.path,
            Op::Read,
            order,
            whole,
            Bytes::new(work.block),
            requests,
        );
        job.streams = threads;
        job.accesses[0].read_percent = 100 - work.write_percent;
        job.align = Bytes::new(work.stride());
        job.fill = work.fill(span.fresh_data);
        job.durable = work.write_through;
        job
    });
    let stop = Stop {
        time: Some(seconds(span.duration)),
        ..Stop::default()
    };
    PhaseRecord {
        name: format!("timespan {number}"),
        workload: Workload {
            jobs: jobs.collect(),
            stop,
            keep: Keep::default(),
            flush_at_end: false,
            seed: u64::from(span.seed),
        },
        began: Instant::ZERO.saturating_add(seconds(span.warm_up)),
        took: ran.time,
        ended: Ended::Complete,
        jobs: ran.records.clone(),
        done_below: None,
        pauses: base::record::Pauses::default(),
        script: None,
        traced: None,
    }
}

/// The target's name as drivelab has it: a file to be made is a test file in its folder, and the page cache is between
/// where the profile wants it.
///
/// # Errors
/// Work of which some goes around the page cache and some does not; a file that is neither there nor to be made.
pub fn named(profile: &Profile, target: &str) -> Result<String, DiskSpdError> {
    let path = Path::new(target);
    let is_name = target.contains("://")
        || target
            .split(['/', '?'])
            .next()
            .is_some_and(|first| first.contains([':', '(']));
    if is_name {
        return Ok(target.to_owned());
    }
    let mut works = profile.spans.iter().flat_map(|span| &span.works);
    let cached = works
        .clone()
        .filter(|work| work.cache == Cache::Software)
        .count();
    if cached > 0 && works.any(|work| work.cache == Cache::None) {
        return Err(DiskSpdError::Target(
            "some work goes around the page cache (-Su) and some does not: all goes one way here"
                .to_owned(),
        ));
    }
    let plain = target.split('?').next().unwrap_or(target);
    let mut name = target.to_owned();
    let mut option = |text: &str| {
        name.push(if name.contains('?') { '&' } else { '?' });
        name.push_str(text);
    };
    if !Path::new(plain).exists() {
        let Some(size) = profile.creates() else {
            return Err(DiskSpdError::Target(format!(
                "{target} is not there: -c<size> makes a file for the time of the run"
            )));
        };
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder.display().to_string(),
            _ => ".".to_owned(),
        };
        name = format!("{folder}?size={size}");
        if cached > 0 {
            name.push_str("&buffered=yes");
        }
        return Ok(name);
    }
    if cached > 0 && !target.contains("buffered=") {
        option("buffered=yes");
    }
    Ok(name)
}

/// Checks a profile against a target.
///
/// # Errors
/// Work that does not fit, a write that nobody allowed, zones.
pub fn prepare(
    profile: Profile,
    target: String,
    consent: Consent,
) -> Result<Prepared, DiskSpdError> {
    let seed = profile.spans.first().map_or(0, |span| u64::from(span.seed));
    let resolved = resolve(&target, &consent, seed)?;
    let info = resolved.provisional;
    if profile.writes() && resolved.is_the_users_own() && !consent.destroy_data {
        return Err(DiskSpdError::Target(format!(
            "{target} would be overwritten: add --destroy-data and --confirm with {}",
            resolved.token()
        )));
    }
    if profile.writes() && resolved.zones().is_some() {
        return Err(DiskSpdError::Target(format!(
            "{target} has zones, which are written in order, and DiskSpd does not: `drivelab run zones` does"
        )));
    }
    let mut extent = profile.creates().unwrap_or(0);
    for work in profile.spans.iter().flat_map(|span| &span.works) {
        fits(work, &info, &resolved, &target)?;
        if resolved.is_a_test_file() && work.create.is_none() && work.end.is_none() {
            return Err(DiskSpdError::Target(
                "how large the test file is to be says -c<size>".to_owned(),
            ));
        }
        let (_, end) = work.region(info.capacity)?;
        extent = extent.max(end);
    }
    let resolved = match profile.reads() {
        true => resolved.written_over()?.unwrap_or(resolved),
        false => resolved,
    };
    Ok(Prepared {
        profile,
        target,
        resolved,
        extent,
        consent,
    })
}

/// A file that is there is taken as it is, and blocks are whole ones.
fn fits(
    work: &Work,
    info: &Info,
    resolved: &ResolvedTarget,
    target: &str,
) -> Result<(), DiskSpdError> {
    if let Some(size) = work.create
        && resolved.is_the_users_own()
        && size != info.capacity.get()
    {
        return Err(DiskSpdError::Target(format!(
            "{target} is there and has {}: -c would make it anew; leave it out, or name a file that is not there",
            info.capacity
        )));
    }
    if work.create.is_some_and(|size| size > info.capacity.get()) {
        return Err(DiskSpdError::Target(format!(
            "{target} has {}, less than -c asks for",
            info.capacity
        )));
    }
    let block = info.block.get().max(1);
    let parts = [
        ("-b", work.block),
        ("-B", work.base),
        ("the stride", work.stride()),
        ("-T", work.thread_stride),
    ];
    let uneven = parts.iter().find(|(_, bytes)| !bytes.is_multiple_of(block));
    match uneven {
        Some((what, bytes)) => Err(DiskSpdError::Target(format!(
            "{what} is {bytes} bytes, and {target} has blocks of {}",
            info.block
        ))),
        None => Ok(()),
    }
}

impl Prepared {
    /// What would be written, a line each.
    pub fn dry_run(&self) -> Vec<String> {
        let mut lines = vec![format!("target: {}", self.target)];
        for work in self.profile.spans.iter().flat_map(|span| &span.works) {
            let does = if work.write_percent > 0 {
                "writes"
            } else {
                "reads"
            };
            if let Ok((from, to)) = work.region(self.resolved.provisional.capacity) {
                lines.push(format!(
                    "{does} from {} to {}",
                    Bytes::new(from),
                    Bytes::new(to)
                ));
            }
        }
        lines
    }

    /// A workload of drivelab's, as deep and with I/Os as large as the profile's: what a target is opened for.
    fn workload(&self, op: Op, order: Order) -> Workload {
        let works = || {
            let spans = self.profile.spans.iter();
            spans.flat_map(|span| span.works.iter().map(move |work| (span, work)))
        };
        let depth_of = |span: &TimeSpan| {
            let all = span.works.iter().map(|work| span.threads_of(work));
            all.map(|(threads, requests)| threads.saturating_mul(requests))
                .fold(0, u32::saturating_add)
        };
        let depth = self
            .profile
            .spans
            .iter()
            .map(depth_of)
            .max()
            .unwrap_or(1)
            .max(1);
        let largest = works().map(|(_, work)| work.block).max().unwrap_or(512);
        let whole = BlockSpan::first(Bytes::new(self.extent.max(1)));
        let job = Job::closed("diskspd", op, order, whole, Bytes::new(largest), depth);
        let stop = Stop {
            passes: Some(1),
            ..Stop::default()
        };
        Workload::single(job, stop, 1)
    }

    /// Runs all time spans.
    ///
    /// # Errors
    /// Where the target cannot be opened, an I/O fails, or somebody wants to stop.
    pub fn run(
        self,
        progress: &mut dyn Progress,
        interrupt: &Interrupt,
    ) -> Result<Finished, DiskSpdError> {
        let workload = self.workload(
            if self.profile.writes() {
                Op::Write
            } else {
                Op::Read
            },
            Order::Random,
        );
        let fill = self.workload(Op::Write, Order::Sequential);
        let forecast = Forecast {
            extent: Bytes::new(self.extent),
            ..Forecast::default()
        };
        let is_a_model = self.resolved.is_a_model();
        if is_a_model {
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
        if is_a_model {
            let (drive, state) = ((&record.title).into(), (&record.state).into());
            progress.say(&Message::new(
                "modelled-drive",
                [("drive", drive), ("state", state)],
            ));
        }
        let mut real;
        let target: &mut dyn Target = match &mut drive {
            Drive::Model(model) => model.as_mut(),
            Drive::Real(drive) => {
                let failed = |why: &dyn std::fmt::Display| DiskSpdError::Target(why.to_string());
                if unwritten {
                    // DiskSpd writes the files that it makes, too.
                    let mut filling = fill.clone();
                    filling.jobs[0].pacing = Pacing::Closed {
                        depth: 4,
                        think: Duration::ZERO,
                        burst: 1,
                    };
                    filling.jobs[0].accesses[0].size = Bytes::mib(1).min(Bytes::new(self.extent));
                    filling.jobs[0].align = filling.jobs[0].accesses[0].size;
                    filling.flush_at_end = true;
                    let mut filled = drive.target_for(&filling).map_err(|why| failed(&why))?;
                    run(&mut filled, "fill", &filling, &mut Unwatched)
                        .map_err(|why| failed(&why))?;
                }
                real = drive.target_for(&workload).map_err(|why| failed(&why))?;
                real.as_mut()
            }
        };
        let processors = || {
            if is_a_model {
                Vec::new()
            } else {
                processors::now()
            }
        };
        let mut ran = Vec::new();
        for span in &self.profile.spans {
            ran.push(running::run(target, span, &processors, &|| {
                interrupt.wanted()
            })?);
        }
        Ok(Finished {
            profile: self.profile,
            ran,
            record,
            warnings,
        })
    }
}
