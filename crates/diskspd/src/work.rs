//! A profile as a piece of work: its time spans on a target of this size, whichever it is.
//!
//! Write permission is checked, the target is opened, its file is filled and everything is monitored as for any method.
//! DiskSpd creates a file with `-c` and leaves it; here a file that does not exist yet is drivelab's own test file,
//! completely written before the first I/O, and removed after the run. On a modelled drive `-c` means its first bytes.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use base::bench::{Bench, Stopped};
use base::io::Op;
use base::method::{Card, Forecast, Group, Method, Scale, Settings, Takes};
use base::record::PhaseRecord;
use base::result::{MethodOutput, alike};
use base::run::{Jobs, Share, Watcher};
use base::side_by_side::held;
use base::size::Bytes;
use base::target::{Info, Target};
use base::time::{Duration, Instant};
use base::workload::{Job, Keep, Order, Span as BlockSpan, Stop, Workload};

use crate::error::DiskSpdError;
use crate::profile::{Cache, Profile, TimeSpan, Work};
use crate::running::{Failed, Ran, Threads};
use crate::xml;

/// What it is in the list of results.
static CARD: Card = Card {
    id: "diskspd",
    title: "DiskSpd",
    publisher: "Microsoft",
    summary: "The time spans of a profile in DiskSpd's language.",
    version: 1,
    group: Group::Program,
    short: "The time spans of a DiskSpd profile",
    shortest: &[],
    settings: &[],
    ..Card::PLAIN
};

/// What a profile has to know of its target beforehand.
#[derive(Clone, Copy, Debug)]
pub struct On<'a> {
    /// As it was named, for messages.
    pub name: &'a str,
    /// Its properties.
    pub info: Info,
    /// Whether a file is made for it, as large as it needs.
    pub is_made: bool,
    /// Whether it is a drive or file of the user's, with its size.
    pub is_the_users_own: bool,
    /// Whether it is modelled.
    pub is_a_model: bool,
}

/// A profile that fits its target.
pub struct Spans {
    profile: Profile,
    extent: Bytes,
    capacity: Bytes,
    is_made: bool,
    is_a_model: bool,
    ran: Mutex<Vec<Ran>>,
}

impl Spans {
    /// Checks a profile against a target.
    ///
    /// # Errors
    /// Work that does not fit.
    pub fn new(profile: Profile, on: &On<'_>) -> Result<Spans, DiskSpdError> {
        let mut extent = profile.creates().unwrap_or(0);
        for work in profile.spans.iter().flat_map(|span| &span.works) {
            fits(work, on)?;
            if on.is_made && work.create.is_none() && work.end.is_none() {
                return Err(DiskSpdError::Target(
                    "how large the test file is to be says -c<size>".to_owned(),
                ));
            }
            let (_, end) = work.region(on.info.capacity)?;
            extent = extent.max(end);
        }
        Ok(Spans {
            profile,
            extent: Bytes::new(extent),
            capacity: on.info.capacity,
            is_made: on.is_made,
            is_a_model: on.is_a_model,
            ran: Mutex::default(),
        })
    }

    /// The request.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// What came of each time span that was measured.
    pub fn ran(&self) -> Vec<Ran> {
        std::mem::take(&mut held(&self.ran))
    }

    /// What the run's settings are, in both of DiskSpd's ways.
    pub fn settings(&self) -> Settings {
        let values = [
            ("command", self.profile.command.clone()),
            ("profile", xml::printed(&self.profile)),
        ];
        let values = values.map(|(key, value)| (key.to_owned(), value));
        Settings {
            scale: Scale::Full,
            seed: self
                .profile
                .spans
                .first()
                .map_or(0, |span| span.seed.into()),
            given: values.iter().map(|(key, _)| key.clone()).collect(),
            values: BTreeMap::from(values),
            inputs: BTreeMap::new(),
        }
    }

    /// A workload with the depth of the profile, or of a ring's share of it, and its largest I/O: for opening a target.
    fn streams(&self, share: Option<Share>) -> Workload {
        let op = match self.profile.writes() {
            true => Op::Write,
            false => Op::Read,
        };
        let works = || {
            let spans = self.profile.spans.iter();
            spans.flat_map(|span| span.works.iter().map(move |work| (span, work)))
        };
        let depth_of = |span: &TimeSpan| {
            let works = span.works.iter().map(|work| span.threads_of(work));
            let threads = works.flat_map(|(threads, requests)| (0..threads).map(move |_| requests));
            let all = threads.enumerate();
            let here = all.filter(|(n, _)| share.is_none_or(|share| share.has(*n)));
            here.map(|(_, requests)| requests)
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
        let whole = BlockSpan::first(self.extent.max(Bytes::new(1)));
        let job = Job::closed(
            "diskspd",
            op,
            Order::Random,
            whole,
            Bytes::new(largest),
            depth,
        );
        let stop = Stop::after_passes(1);
        Workload::single(job, stop, 1)
    }

    /// Where it writes.
    fn written(&self) -> Vec<BlockSpan> {
        let works = self.profile.spans.iter().flat_map(|span| &span.works);
        let writing = works.filter(|work| work.write_percent > 0);
        let regions = writing.filter_map(|work| work.region(self.capacity).ok());
        let spans = regions.map(|(from, to)| {
            BlockSpan::new(Bytes::new(from), Bytes::new(to.saturating_sub(from)))
        });
        BlockSpan::merged(spans.collect())
    }
}

impl Method for Spans {
    fn card(&self) -> &'static Card {
        &CARD
    }

    /// The request, independent of the target.
    fn alike(&self) -> Option<String> {
        let mut profile = self.profile.clone();
        let works = profile.spans.iter_mut().flat_map(|span| &mut span.works);
        works.for_each(|work| "*1".clone_into(&mut work.path));
        Some(alike(CARD.id, &xml::printed(&profile)))
    }

    fn forecast(&self, _: &Settings, _: &Info) -> Forecast {
        let seconds = |span: &TimeSpan| {
            u64::from(span.warm_up) + u64::from(span.duration) + u64::from(span.cool_down)
        };
        let time = Duration::from_secs(self.profile.spans.iter().map(seconds).sum());
        Forecast {
            takes: match self.profile.writes() {
                true => Takes::timed(time),
                false => Takes::reading_for(time),
            },
            reads: None,
            writes: None,
            written: self.written(),
            // DiskSpd writes the files that it makes, too.
            reads_as_found: self.profile.reads() || self.is_made,
            extent: self.extent,
        }
    }

    fn run(&self, _: &Settings, bench: &mut dyn Bench) -> Result<MethodOutput, Stopped> {
        for number in 0..self.profile.spans.len() {
            let running = Running {
                work: self,
                number,
                ran: Mutex::default(),
                failed: Failed::default(),
            };
            bench.jobs(&running)?;
            if let Some(why) = running.failed.first() {
                return Err(Stopped::Failed(why.to_string()));
            }
        }
        Ok(MethodOutput::default())
    }
}

/// A time span in the run loop.
struct Running<'a> {
    work: &'a Spans,
    number: usize,
    /// What came of each ring's threads.
    ran: Mutex<Vec<Ran>>,
    /// DiskSpd ends at the first I/O that fails, on whichever ring.
    failed: Failed,
}

impl Running<'_> {
    fn span(&self) -> &TimeSpan {
        &self.work.profile.spans[self.number]
    }
}

impl Jobs for Running<'_> {
    fn workload(&self, share: Option<Share>) -> Workload {
        self.work.streams(share)
    }

    /// Threads run side by side, as in DiskSpd, unless some advance one position together (`-si`).
    fn shares(&self, most: u32) -> u32 {
        let span = self.span();
        let threads = span.works.iter().map(|work| span.threads_of(work).0);
        match span.works.iter().any(|work| work.interlocked) {
            true => 1,
            false => threads.fold(0, u32::saturating_add).min(most).max(1),
        }
    }

    fn run(
        &self,
        share: Option<Share>,
        target: &mut dyn Target,
        watcher: &mut dyn Watcher,
    ) -> Result<PhaseRecord, String> {
        let counts_processors = !self.work.is_a_model && share.is_none_or(|share| share.index == 0);
        let which = (share, counts_processors);
        let threads = Threads::new(target, self.span(), &self.failed, which);
        let threads = threads.map_err(|why| why.to_string())?;
        let name = format!("timespan {}", self.number + 1);
        let block = target.info().block;
        let record = base::run::new_record(&name, &self.workload(None), target.now(), block);
        let (record, ran) = threads.run(target, record, watcher);
        held(&self.ran).push(ran);
        Ok(record)
    }

    fn phases(&self, record: PhaseRecord) -> Vec<PhaseRecord> {
        let Some(ran) = Ran::merged(std::mem::take(&mut held(&self.ran))) else {
            return Vec::new();
        };
        let mut phase = phase(self.number + 1, self.span(), &ran, record);
        phase.took = phase.took.saturating_sub(ran.stood_still);
        if !ran.time.is_zero() {
            held(&self.work.ran).push(ran);
        }
        vec![phase]
    }
}

/// A time span's phase: in it a job for each piece of work.
fn phase(number: usize, span: &TimeSpan, ran: &Ran, record: PhaseRecord) -> PhaseRecord {
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
    let stop = Stop::after_time(seconds(span.duration));
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
        ..record
    }
}

/// The target's name as drivelab has it: a file to be made is a test file in its folder, and the page cache is between
/// where the profile wants it.
///
/// # Errors
/// Work of which some bypasses the page cache and some does not; a file that neither exists nor is to be created.
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

/// An existing file is used as it is, and blocks are whole ones.
fn fits(work: &Work, on: &On<'_>) -> Result<(), DiskSpdError> {
    let (info, target) = (&on.info, on.name);
    if let Some(size) = work.create
        && on.is_the_users_own
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
