//! A section's job, each option parsed as its type.
//!
//! Most options of fio have a value for reads, writes and trims each, with commas between them; a value that is left
//! out is the one before it (`bs=4k,64k` trims 64k, too). Those are [`Each`].

use base::{Duration, Fill, Op};

use crate::error::{Problem, Problems};
use crate::file::{Given, JobFile, Section};
use crate::units;

pub mod ends;
pub mod kinds;
pub mod law;
pub mod logs;
pub mod pace;
pub mod region;
pub mod replay;
pub mod reporting;
pub mod steady;
mod values;
pub mod verify;
pub mod zones;

use ends::Ends;
use kinds::{ASYNCHRONOUS, Steps};
use law::{Distribution, Repeats};
use logs::Logs;
use pace::Pace;
use region::{Files, Region};
use replay::Replay;
use reporting::Reporting;
use steady::{LatencyTarget, Steady};
use values::sizes;
use verify::Verify;
use zones::{Strided, Zbd};

/// A value for reads, writes and trims each, in this order.
pub type Each<T> = [T; 3];

/// Which I/Os a job does, before their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// As fio calls it: `randrw`.
    pub name: &'static str,
    /// Places are drawn, not followed.
    pub random: bool,
    /// Its operations: for a mix, [`Job::read_percent`] is the share of the first.
    pub does: (Op, Option<Op>),
    /// Each trim is followed by a write at the same position.
    pub trims_before_writes: bool,
    /// The meaning of a number after the name.
    pub steps: Steps,
}

/// A job to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The section's name.
    pub name: String,
    pub description: Option<String>,
    /// What it does.
    pub kind: Kind,
    /// Of a mix, how many of 100 are the first kind.
    pub read_percent: u8,
    /// Sizes with their weights.
    pub sizes: Each<Vec<(u64, u32)>>,
    /// Alignment of random positions, if it is not the smallest size.
    pub align: Each<Option<u64>>,
    pub region: Region,
    pub files: Files,
    /// Engine, by name.
    pub engine: String,
    /// I/Os in flight.
    pub depth: u32,
    /// Filled up again when so few are left.
    pub depth_low: u32,
    /// Refilled when this many have completed.
    pub complete_min: u32,
    pub copies: u32,
    /// Around the page cache.
    pub direct: bool,
    /// The time, where it ends by it.
    pub runtime: Option<Duration>,
    /// By time alone.
    pub time_based: bool,
    /// Not counted at the beginning.
    pub ramp: Duration,
    /// Start delay, minimum and maximum.
    pub start_delay: (Duration, Duration),
    /// After everything before it.
    pub stonewall: bool,
    /// Behind the job of this name.
    pub wait_for: Option<String>,
    /// How often.
    pub loops: u64,
    /// I/Os in all.
    pub ios: Option<u64>,
    /// Places may repeat.
    pub no_map: bool,
    /// Where random I/Os go.
    pub distribution: Distribution,
    /// In parts of the file, one after the other.
    pub strided: Option<Strided>,
    /// Where the zones of a drive take I/Os.
    pub zbd: Option<Zbd>,
    /// Per cent of I/Os that are random.
    pub random_percent: u8,
    /// Seeds all that is drawn.
    pub seed: u64,
    /// How fast.
    pub pace: Pace,
    /// A flush after this many writes.
    pub flush_every: Option<u64>,
    /// A flush at the end.
    pub flush_at_end: bool,
    /// Every write is durable.
    pub durable: bool,
    /// What is written.
    pub fill: Fill,
    /// What of it is written again.
    pub repeats: Option<Repeats>,
    pub verify: Option<Verify>,
    /// I/Os that overlap wait for each other.
    pub serializes: bool,
    /// What ends it early, and who with it.
    pub ends: Ends,
    /// Replays a log.
    pub replay: Option<Replay>,
    /// Ends when its rate is steady.
    pub steady: Option<Steady>,
    /// Its depth is determined by a latency target.
    pub latency_target: Option<LatencyTarget>,
    /// What it writes down.
    pub logs: Logs,
    pub reporting: Reporting,
    /// Its own options as given.
    pub given: Vec<(String, String)>,
}

impl Job {
    /// The least size of an I/O.
    pub fn least(&self) -> u64 {
        self.all_sizes().min().unwrap_or(4096)
    }

    /// The least size of reads, writes and trims, also of those that it does not do: fio's alignment of shares.
    pub fn least_of_all(&self) -> u64 {
        let all = self.sizes.iter().flatten().map(|(size, _)| *size);
        all.min().unwrap_or(4096).max(1)
    }

    /// The largest of reads, writes and trims, also of those that it does not do.
    pub fn largest_of_all(&self) -> u64 {
        let all = self.sizes.iter().flatten().map(|(size, _)| *size);
        all.max().unwrap_or(4096)
    }

    /// The largest size of an I/O.
    pub fn largest(&self) -> u64 {
        self.all_sizes().max().unwrap_or(4096)
    }

    /// The least size of an operation.
    pub fn least_of(&self, op: Op) -> u64 {
        let sizes = self.sizes.get(op as usize).into_iter().flatten();
        sizes.map(|(size, _)| *size).min().unwrap_or(4096)
    }

    /// The alignment of an operation's random positions.
    pub fn align_of(&self, op: Op) -> u64 {
        let given = self.align.get(op as usize).copied().flatten();
        given.unwrap_or(self.least_of(op)).max(1)
    }

    /// Whether random I/Os visit each position once: fio keeps a map of blocks of the smallest I/O size. If reads and
    /// writes differ in that, its map has two units at once, and positions may repeat here.
    pub fn visits_once(&self) -> bool {
        let does = [Some(self.kind.does.0), self.kind.does.1];
        let of_least =
            |op: Op| self.least_of(op) == self.least() && self.align_of(op) == self.least();
        let is_even = self.kind.random && self.distribution == Distribution::Even;
        is_even && !self.no_map && does.into_iter().flatten().all(of_least)
    }

    /// Sizes of its I/Os.
    fn all_sizes(&self) -> impl Iterator<Item = u64> + '_ {
        let does = [Some(self.kind.does.0), self.kind.does.1];
        let sizes = does
            .into_iter()
            .flatten()
            .map(|op| &self.sizes[op as usize]);
        sizes.flatten().map(|(size, _)| *size)
    }

    /// Whether it writes or trims; one whose log has not been read yet may.
    pub fn writes(&self) -> bool {
        let unread = self.replay.as_ref().is_some_and(|log| !log.is_read());
        unread || self.kind.does.0 != Op::Read || self.kind.does.1.is_some()
    }

    /// Whether it reads.
    pub fn reads(&self) -> bool {
        self.kind.does.0 == Op::Read
    }

    /// Whether its engine has more than one in flight.
    pub fn is_asynchronous(&self) -> bool {
        ASYNCHRONOUS.contains(&self.engine.as_str())
    }

    /// Whether its engine hands I/Os over without waiting for them: the null engine does with a depth.
    pub fn has_several_in_flight(&self) -> bool {
        match self.engine.as_str() {
            "null" => self.depth > 1,
            _ => self.is_asynchronous(),
        }
    }
}

/// The output group of each job: a group begins with a wall, or with `new_group`.
pub fn groups(jobs: &[Job]) -> Vec<u32> {
    let mut groups = Vec::new();
    for (n, job) in jobs.iter().enumerate() {
        let group = groups.last().copied().unwrap_or(0);
        groups.push(group + u32::from(n > 0 && (job.stonewall || job.reporting.new_group)));
    }
    groups
}

/// Number of walls (`stonewall`) before each job.
pub fn walls(jobs: &[Job]) -> Vec<u32> {
    let mut walls = Vec::new();
    for job in jobs {
        let before = walls.last().copied().unwrap_or(0);
        walls.push(before + u32::from(job.stonewall && !walls.is_empty()));
    }
    walls
}

/// The jobs of a file.
///
/// # Errors
/// All values that are wrong.
pub fn jobs(file: &JobFile) -> Result<Vec<Job>, Problems> {
    let mut problems = Vec::new();
    let jobs = file
        .sections
        .iter()
        .map(|section| job(section, &mut problems))
        .collect::<Vec<_>>();
    for (n, job) in jobs.iter().enumerate() {
        let Some(wanted) = &job.wait_for else {
            continue;
        };
        if !jobs[..n].iter().any(|job| job.name == *wanted) {
            problems.push(Problem {
                file: file.sections[n].file.clone(),
                line: file.sections[n].line,
                option: "wait_for".to_owned(),
                what: format!("no job '{wanted}' stands before it"),
            });
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    // A global option is read once for each job.
    problems.retain(|p| seen.insert((p.file.clone(), p.line, p.option.clone(), p.what.clone())));
    match problems.is_empty() {
        true => Ok(jobs),
        false => Err(Problems(problems)),
    }
}

struct Options<'a> {
    section: &'a Section,
    problems: &'a mut Vec<Problem>,
    kb_base: u64,
}

type Read<T> = Result<T, String>;

impl<'a> Options<'a> {
    fn of(section: &'a Section, problems: &'a mut Vec<Problem>) -> Options<'a> {
        let mut options = Options {
            section,
            problems,
            kb_base: 1024,
        };
        options.kb_base = options.take("kb_base", 1024, |text, _| match text {
            "1000" | "si" => Ok(1000),
            "1024" | "iec" => Ok(1024),
            _ => Err("it is 1000 or 1024".to_owned()),
        });
        options
    }

    fn wrong(&mut self, name: &str, what: String) {
        let given = self.section.get(name);
        self.problems.push(Problem {
            file: given.map_or(&self.section.file, |g| &g.file).clone(),
            line: given.map_or(self.section.line, |g| g.line),
            option: name.to_owned(),
            what,
        });
    }

    /// The value of an option by a parser, or its default if it was not given (or is invalid).
    fn take<T>(&mut self, name: &str, otherwise: T, read: impl FnOnce(&str, u64) -> Read<T>) -> T {
        let Some(given) = self.section.get(name) else {
            return otherwise;
        };
        let read = match given.value.as_deref() {
            Some(value) => read(value, self.kb_base),
            None => Err(format!("it needs a value: {name}=...")),
        };
        read.unwrap_or_else(|what| {
            self.wrong(name, what);
            otherwise
        })
    }

    /// The value of an option that takes one of these words; the first one's if it was not given.
    fn choice<T: Copy>(&mut self, name: &str, words: &[(&str, T)]) -> T {
        self.take(name, words[0].1, |text, _| {
            let found = words.iter().find(|(word, _)| *word == text);
            found.map(|(_, value)| *value).ok_or_else(|| {
                let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                let (last, others) = names.split_last().expect("a choice has words");
                format!("it is {} or {last}", others.join(", "))
            })
        })
    }

    /// The text of an option that any text fits.
    fn text(&self, name: &str) -> Option<String> {
        self.section.get(name).and_then(|given| given.value.clone())
    }

    fn number(&mut self, name: &str, otherwise: u64, least: u64, most: u64) -> u64 {
        self.take(name, otherwise, |text, base| {
            let value = units::number(text, base)?;
            match (least..=most).contains(&value) {
                true => Ok(value),
                false => Err(format!("{value} is not from {least} to {most}")),
            }
        })
    }

    /// fio takes a word alone for yes, and else a number.
    fn flag(&mut self, name: &str, otherwise: bool) -> bool {
        match self.section.get(name) {
            Some(Given { value: None, .. }) => true,
            None => otherwise,
            Some(_) => self.take(name, otherwise, |text, base| {
                Ok(units::number(text, base)? != 0)
            }),
        }
    }

    fn time(&mut self, name: &str, bare: u64) -> Option<Duration> {
        self.take(name, None, |text, _| Ok(Some(duration(text, bare)?)))
    }

    /// A number of which 0 stands for none.
    fn some(&mut self, name: &str) -> Option<u64> {
        Some(self.number(name, 0, 0, u64::MAX)).filter(|n| *n > 0)
    }

    fn each(&mut self, name: &str) -> Each<Option<u64>> {
        self.take(name, [None; 3], |text, base| {
            each(text, &mut |value| units::number(value, base))
        })
    }
}

fn duration(text: &str, bare: u64) -> Read<Duration> {
    let micros = units::micros(text, bare)?;
    match micros.checked_mul(1_000) {
        Some(nanos) if micros < 1 << 53 => Ok(Duration::from_nanos(nanos)),
        _ => Err(format!("'{text}' is longer than any run")),
    }
}

/// Comma-separated values; an omitted one equals the previous one.
fn each<T: Clone>(text: &str, read: &mut dyn FnMut(&str) -> Read<T>) -> Read<Each<Option<T>>> {
    let mut values = [const { None }; 3];
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    if parts.len() > 3 {
        return Err("there are three values at most: reads, writes, trims".to_owned());
    }
    for n in 0..3 {
        values[n] = match parts.get(n) {
            Some(part) if !part.is_empty() => Some(read(part)?),
            Some(_) => None,
            None => values[n - 1].clone(),
        };
    }
    Ok(values)
}

fn job(section: &Section, problems: &mut Vec<Problem>) -> Job {
    let mut o = Options::of(section, problems);
    let kind = kinds::of_job(&mut o);
    let sizes = sizes(&mut o);
    let (strided, zbd) = zones::zones(&mut o);
    let (engine, depth, complete_min) = kinds::engine_and_depth(&mut o);
    let read_percent = kinds::read_percent(&mut o);
    let (runtime, time_based) = runtime(&mut o);
    let copies = o.number("numjobs", 1, 1, 4_096) as u32;
    let flush_every = o.some("fsync").or_else(|| o.some("fdatasync"));
    let buffered = o.flag("buffered", true);
    let fills = o.flag("fill_device", false);
    let align = o.each("ba");
    let verify = verify::verify(&mut o, are_whole_sectors(&sizes, &align));
    Job {
        name: section.name.clone(),
        description: o.text("description"),
        kind,
        read_percent,
        sizes,
        align,
        region: region::region(&mut o, fills),
        files: region::files(&mut o),
        engine,
        depth,
        depth_low: kinds::depth_low(&mut o, depth),
        complete_min,
        copies,
        direct: o.flag("direct", !buffered),
        runtime,
        time_based,
        ramp: o.time("ramp_time", 1_000_000).unwrap_or(Duration::ZERO),
        start_delay: o.take("startdelay", (Duration::ZERO, Duration::ZERO), start_delay),
        stonewall: o.flag("stonewall", false),
        wait_for: o.text("wait_for"),
        loops: o.number("loops", 1, 1, u64::MAX),
        ios: o.some("number_ios"),
        no_map: o.flag("norandommap", false),
        distribution: o.take("random_distribution", Distribution::Even, law::distribution),
        strided,
        zbd,
        random_percent: o.number("percentage_random", 100, 0, 100) as u8,
        seed: o.number("randseed", 0x89, 0, u64::MAX),
        pace: pace::pace(&mut o),
        flush_every,
        flush_at_end: o.flag("end_fsync", false) || o.flag("fsync_on_close", false),
        durable: o.take("sync", false, durable),
        fill: law::fill(&mut o),
        repeats: law::repeats(&mut o),
        serializes: o.flag("serialize_overlap", false) || verify.is_some(),
        verify,
        ends: ends::ends(&mut o),
        replay: replay::replay(&mut o),
        steady: steady::steady(&mut o),
        latency_target: steady::latency_target(&mut o),
        logs: logs::logs(&mut o),
        reporting: reporting::reporting(&mut o),
        given: pairs(&section.own),
    }
}

/// The time of a job that has one, and whether it ends by time alone.
fn runtime(o: &mut Options<'_>) -> (Option<Duration>, bool) {
    let runtime = o.time("runtime", 1_000_000).filter(|time| !time.is_zero());
    let time_based = o.flag("time_based", false);
    if time_based && runtime.is_none() {
        o.wrong(
            "time_based",
            "it needs a time: runtime=60 is a minute".to_owned(),
        );
    }
    (runtime, time_based)
}

fn are_whole_sectors(sizes: &Each<Vec<(u64, u32)>>, align: &Each<Option<u64>>) -> bool {
    let sizes = sizes.iter().flatten().map(|(size, _)| size);
    sizes.chain(align.iter().flatten()).all(|n| n % 512 == 0)
}

fn start_delay(text: &str, _: u64) -> Read<(Duration, Duration)> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    let both = (duration(least, 1_000_000)?, duration(most, 1_000_000)?);
    match both.0 <= both.1 {
        true => Ok(both),
        false => Err("the range begins behind its end".to_owned()),
    }
}

fn durable(text: &str, _: u64) -> Read<bool> {
    match text {
        "none" | "0" => Ok(false),
        "sync" | "1" | "dsync" => Ok(true),
        _ => Err("it is none, sync or dsync".to_owned()),
    }
}

/// Options with their values, as given.
fn pairs(list: &[Given]) -> Vec<(String, String)> {
    let pair = |given: &Given| {
        let value = given.value.clone().unwrap_or_default();
        (given.name.to_owned(), value)
    };
    list.iter().map(pair).collect()
}
