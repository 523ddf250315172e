//! What is to be run: time spans, and in each the work on a target.
//!
//! DiskSpd has two forms, arguments and XML; both give these types. A time span warms up, measures and cools down
//! without stopping in between: only I/Os that complete in the measured time are counted. Each piece of work has
//! threads, and each thread a number of requests that are resent as soon as they complete.

use base::io::{Fill, FillKind};
use base::size::Bytes;

use crate::error::DiskSpdError;
use crate::size;

/// All that one call of DiskSpd does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// The command line, as the output has it.
    pub command: String,
    /// `-v`.
    pub verbose: bool,
    /// `-Rxml`: the output is XML.
    pub as_xml: bool,
    /// `-Rp`: the profile is printed and nothing is run.
    pub profile_only: bool,
    /// Consecutive.
    pub spans: Vec<TimeSpan>,
    /// Options that are left out since they cannot change a result here, with the reason.
    pub skipped: Vec<(String, String)>,
}

/// One measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeSpan {
    /// Seconds that are measured.
    pub duration: u32,
    /// Seconds before.
    pub warm_up: u32,
    /// Cool-down in seconds.
    pub cool_down: u32,
    /// Seeds all threads.
    pub seed: u32,
    /// `-L`: latencies are printed.
    pub measures_latency: bool,
    /// `-D`: I/Os are counted in intervals of this many milliseconds.
    pub interval_ms: Option<u32>,
    /// `-F`: total number of threads.
    pub threads: Option<u32>,
    /// `-O`: requests of each of those.
    pub requests: Option<u32>,
    /// `-Zr`: each write has its own data.
    pub fresh_data: bool,
    /// `-n`.
    pub without_affinity: bool,
    /// `-x`.
    pub completion_routines: bool,
    /// What is done, all at once.
    pub works: Vec<Work>,
}

impl Default for TimeSpan {
    fn default() -> TimeSpan {
        TimeSpan {
            duration: 10,
            warm_up: 5,
            cool_down: 0,
            seed: 0,
            measures_latency: false,
            interval_ms: None,
            threads: None,
            requests: None,
            fresh_data: false,
            without_affinity: false,
            completion_routines: false,
            works: Vec::new(),
        }
    }
}

/// How fast a thread may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Throttle {
    /// Bytes in a millisecond.
    BytesPerMs(u32),
    /// I/Os a second.
    Iops(u32),
}

/// The caches between a thread and the drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cache {
    /// The system's page cache.
    #[default]
    Software,
    /// Nothing: direct I/O.
    None,
}

/// What is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// The bytes 0, 1 ... 255, again and again.
    #[default]
    Counting,
    /// `-Z`.
    Zeros,
    /// `-Z<size>`: parts of a random buffer of this size.
    Random(u64),
}

/// What the threads of one target do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// The target, as it was named.
    pub path: String,
    /// Bytes of an I/O.
    pub block: u64,
    /// Alignment of random I/Os, distance of sequential ones; the block where nothing is given.
    pub stride: Option<u64>,
    /// Per cent of I/Os that are random.
    pub random_percent: u8,
    /// `-si`: threads share one position.
    pub interlocked: bool,
    /// `-p`: each request goes through the target by itself.
    pub parallel: bool,
    /// First byte.
    pub base: u64,
    /// The end (exclusive), if it is not the target's.
    pub end: Option<u64>,
    /// `-c`: the file is made, of this size.
    pub create: Option<u64>,
    /// Requests of a thread.
    pub requests: u32,
    /// Threads, where they are not counted in all.
    pub threads: u32,
    /// From where one thread begins to where the next one does.
    pub thread_stride: u64,
    /// Per cent of I/Os that are writes.
    pub write_percent: u8,
    /// Milliseconds of pause after a burst.
    pub think_ms: u32,
    /// I/Os of a burst.
    pub burst: u32,
    /// How fast.
    pub throttle: Option<Throttle>,
    /// The caches in between.
    pub cache: Cache,
    /// Writes are complete when they are on stable storage.
    pub write_through: bool,
    /// What is written.
    pub content: Content,
    /// 1 to 3; printed, and nothing else.
    pub priority: u8,
}

impl Work {
    /// DiskSpd's own values.
    pub fn on(path: &str) -> Work {
        Work {
            path: path.to_owned(),
            block: 64 << 10,
            stride: None,
            random_percent: 0,
            interlocked: false,
            parallel: false,
            base: 0,
            end: None,
            create: None,
            requests: 2,
            threads: 1,
            thread_stride: 0,
            write_percent: 0,
            think_ms: 0,
            burst: 0,
            throttle: None,
            cache: Cache::Software,
            write_through: false,
            content: Content::Counting,
            priority: 3,
        }
    }

    /// Alignment of random I/Os, distance of sequential ones.
    pub fn stride(&self) -> u64 {
        self.stride.unwrap_or(self.block)
    }

    /// What its writes carry.
    pub fn fill(&self, fresh: bool) -> Fill {
        let kind = match self.content {
            _ if fresh => FillKind::Fresh,
            Content::Zeros => FillKind::Zeros,
            Content::Random(_) => FillKind::Fresh,
            // The first eight bytes of it over and over: to a drive that compresses, as good as the whole.
            Content::Counting => FillKind::Pattern {
                bytes: u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7]),
                len: 8,
            },
        };
        Fill {
            kind,
            compressible_percent: 0,
        }
    }
}

/// Unreasonably many threads, requests or intervals.
const MOST_THREADS: u32 = 4_096;
const MOST_REQUESTS: u64 = 65_536;
/// Of all threads: each counts its own.
const MOST_INTERVALS: u64 = 4_000_000;

impl TimeSpan {
    /// The threads of a piece of work, and the requests of each.
    pub fn threads_of(&self, work: &Work) -> (u32, u32) {
        match self.threads {
            None => (work.threads, work.requests),
            Some(threads) => (threads, self.requests.unwrap_or(work.requests)),
        }
    }

    /// What no target can run.
    pub(crate) fn wrong(&self) -> Option<(&'static str, String)> {
        if self.works.is_empty() {
            return Some(("", "missing target".to_owned()));
        }
        if self.duration == 0 {
            return Some(("-d", "nothing is measured in 0 seconds".to_owned()));
        }
        if self.requests.is_some() && self.threads.is_none() {
            return Some(("-O", "it goes with -F<threads>".to_owned()));
        }
        if self.requests.is_some() && self.works.len() > 1 {
            return Some((
                "-O",
                "one pool of requests for several targets is not done here: give each its -o"
                    .to_owned(),
            ));
        }
        let span = u64::from(self.duration) * 1_000;
        if let Some(interval) = self.interval_ms {
            let threads = self.works.iter().map(|work| self.threads_of(work).0);
            let threads: u64 = threads.map(u64::from).sum();
            let each = span / u64::from(interval.max(1));
            if each.saturating_mul(threads) > MOST_INTERVALS {
                return Some((
                    "-D",
                    format!("there are {MOST_INTERVALS} intervals at most, of all threads"),
                ));
            }
        }
        let mut all = 0_u64;
        for work in &self.works {
            let (threads, requests) = self.threads_of(work);
            if threads > MOST_THREADS {
                return Some(("-t", format!("there are {MOST_THREADS} threads at most")));
            }
            all += u64::from(threads) * u64::from(requests);
            if let Some(wrong) = work.wrong(self) {
                return Some(wrong);
            }
        }
        (all > MOST_REQUESTS).then(|| {
            (
                "-o",
                format!("there are {MOST_REQUESTS} requests at most, of all threads"),
            )
        })
    }
}

impl Work {
    fn wrong(&self, span: &TimeSpan) -> Option<(&'static str, String)> {
        let wrong = |option, what: &str| Some((option, what.to_owned()));
        if self.block == 0 || self.block > u64::from(u32::MAX) {
            return wrong("-b", "a block is from 1 byte to 4 GiB");
        }
        if self.random_percent > 0 && self.stride() == 0 {
            return wrong("-r", "an alignment of 0");
        }
        if self.interlocked && self.random_percent > 0 {
            return wrong(
                "-si",
                "it goes with sequential I/Os, and -r asks for random ones",
            );
        }
        if self.interlocked && (self.thread_stride > 0 || self.parallel) {
            return wrong("-si", "threads that share one place have no -T and no -p");
        }
        if self.thread_stride > 0 && self.random_percent > 0 {
            return wrong(
                "-T",
                "it is where threads of sequential I/Os begin, and -r asks for random ones",
            );
        }
        if self.throttle.is_some() && span.completion_routines {
            return wrong("-g", "it does not go with -x");
        }
        let end = self.end.or(self.create);
        if end.is_some_and(|end| end.saturating_sub(self.base) < self.block) {
            return wrong("-f", "what lies between -B and the end holds no I/O");
        }
        None
    }
}

impl Profile {
    /// Refuses what no target can run.
    pub(crate) fn check(&self) -> Result<(), (&'static str, String)> {
        match self.spans.iter().find_map(TimeSpan::wrong) {
            Some(wrong) => Err(wrong),
            None if self.spans.is_empty() => Err(("", "there is no time span".to_owned())),
            None => Ok(()),
        }
    }

    /// The one target of all work: the given one, or the profile's.
    ///
    /// # Errors
    /// Where it names several, or one of Windows.
    pub fn target(&self, given: Option<&str>) -> Result<String, DiskSpdError> {
        if let Some(given) = given {
            return Ok(given.to_owned());
        }
        let mut paths: Vec<&str> = Vec::new();
        for work in self.spans.iter().flat_map(|span| &span.works) {
            if !paths.contains(&work.path.as_str()) {
                paths.push(&work.path);
            }
        }
        let [path] = paths[..] else {
            return Err(DiskSpdError::Target(format!(
                "the work is on {}: a run has one target; name it by --target",
                paths.join(", ")
            )));
        };
        let drive_letter = path.len() >= 2
            && path.as_bytes()[1] == b':'
            && path.as_bytes()[0].is_ascii_alphabetic();
        if path.starts_with(['#', '*', '\\']) || drive_letter {
            return Err(DiskSpdError::Target(format!(
                "{path} is a target of Windows, or stands for one: name a target here by --target"
            )));
        }
        Ok(path.to_owned())
    }

    /// Whether anything is written.
    pub fn writes(&self) -> bool {
        let mut works = self.spans.iter().flat_map(|span| &span.works);
        works.any(|work| work.write_percent > 0)
    }

    /// Whether anything is read.
    pub fn reads(&self) -> bool {
        let mut works = self.spans.iter().flat_map(|span| &span.works);
        works.any(|work| work.write_percent < 100)
    }

    /// The size of the file that is to be made, if one is.
    pub fn creates(&self) -> Option<u64> {
        let works = self.spans.iter().flat_map(|span| &span.works);
        works.filter_map(|work| work.create).max()
    }

    /// Names skipped options, once.
    pub(crate) fn skip(&mut self, option: &str, why: &str) {
        if !self.skipped.iter().any(|(known, _)| known == option) {
            self.skipped.push((option.to_owned(), why.to_owned()));
        }
    }
}

impl Work {
    /// Its range on a target or file of `capacity` bytes: first byte, and end (exclusive).
    ///
    /// # Errors
    /// Where it holds no I/O.
    pub fn region(&self, capacity: Bytes) -> Result<(u64, u64), DiskSpdError> {
        let has = self
            .create
            .map_or(capacity.get(), |size| size.min(capacity.get()));
        let end = self.end.map_or(has, |end| end.min(has));
        if end.saturating_sub(self.base) < self.block {
            return Err(DiskSpdError::Target(format!(
                "from {} to {} there is no room for an I/O of {}",
                size::printed(self.base),
                size::printed(end),
                size::printed(self.block)
            )));
        }
        Ok((self.base, end))
    }
}

/// What DiskSpd itself does not look at.
pub(crate) fn ignored(work: &mut Work, profile: &mut Profile) {
    if work.throttle.is_some() && work.think_ms > 0 {
        profile.skip("-j", "DiskSpd does not look at it where -g is given");
        work.think_ms = 0;
    }
    if work.burst > 0 && work.think_ms == 0 {
        profile.skip(
            "-i",
            "a burst is followed by the rest that -j gives, and there is none",
        );
    }
    if work.parallel && work.random_percent > 0 {
        profile.skip("-p", "DiskSpd does not look at it where I/Os are random");
        work.parallel = false;
    }
}
