//! Slow positions of a scan, read again.
//!
//! A scan passes each position once. So it cannot tell a slow place from a slow moment: a busy host, another guest of a
//! virtual machine, a drive that collects or refreshes what it stores. A place with weak sectors is slow again; a moment
//! is over. So the slowest position of each group is read once more when all have been read, and a surface map drops
//! those that are then as fast as their neighbours. A drive's cache must not answer: where what was read last is suspect,
//! something else is read before. A drive that fails is not tortured: a position is left as soon as it has taken several
//! times as long as its neighbours, which settles it.

use base::record::STALL;
use base::{Bytes, Duration, Job, JobRecord, Op, Order, Settings, Span, Stop, Stopped, Workload};
use stats::median;

use crate::run::Run;

/// At most so many positions are read again, and an eighth of all.
const MOST: u64 = 8;
/// So many times as long as its neighbours, on whichever side is slower, makes a position suspect.
const FACTOR: f64 = 1.5;
/// So does a stall of so many times the usual longest I/O.
const STALL_FACTOR: f64 = 4.0;
/// A position is left when it has taken so many times as long as its neighbours, or this time.
const LEFT_AFTER: f64 = 3.0;
const LEAST_LEFT_AFTER: Duration = Duration::from_secs(1);
/// One long I/O is no slow place: at least so many must have been slow for the excess to come about.
const FEWEST: f64 = 3.0;
/// Neighbours on each side: at least this many, and an eighth of the scan.
const LEAST_SIDE: usize = 4;
const SIDES_OF: usize = 8;
const MOST_OF: u64 = 8;
/// A drive's cache may hold what was read last: so much has to be read between a position's two readings.
pub(crate) const CACHED: Bytes = Bytes::mib(512);

/// A position as it was read first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visited {
    span: Span,
    ios: u64,
    bytes: Bytes,
    /// Of all I/Os.
    sum: Duration,
    worst: Duration,
    has_failed: bool,
}

impl Visited {
    /// The position of a phase that visits nothing else.
    pub(crate) fn alone(span: Span, record: &JobRecord) -> Visited {
        let read = &record.ops[Op::Read as usize];
        let (ios, mean) = (read.service.count(), read.service.mean());
        Visited {
            span,
            ios,
            bytes: read.bytes,
            sum: mean.unwrap_or_default().saturating_mul(ios),
            worst: read.service.max(),
            has_failed: record.errors.count > 0,
        }
    }

    /// The positions of a scan.
    pub(crate) fn all(record: &JobRecord) -> Vec<Visited> {
        let failed = |span: Span| {
            let mut first = record.errors.first.iter();
            first.any(|error| error.offset >= span.start && error.offset < span.end())
        };
        let bins = record.bins.iter();
        let each = bins.flat_map(|bins| {
            let numbered = bins.bins.iter().enumerate();
            numbered.map(|(at, bin)| {
                let start = bins.start_of(at);
                let end = (start + bins.width).min(bins.span.end());
                let span = Span::new(start, end.saturating_sub(start));
                Visited {
                    span,
                    ios: bin.ios,
                    bytes: bin.bytes,
                    sum: bin.sum,
                    worst: bin.worst,
                    has_failed: failed(span),
                }
            })
        });
        each.collect()
    }

    /// Nanoseconds of an I/O.
    fn mean(&self) -> Option<f64> {
        (self.ios > 0).then(|| self.sum.as_nanos() as f64 / self.ios as f64)
    }
}

/// How many of so many positions are read again at most.
pub(crate) fn most(positions: u64) -> u64 {
    (positions / MOST_OF).clamp(1, MOST)
}

/// A position that is to be read again, and the longest that it may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suspect {
    pub(crate) span: Span,
    pub(crate) at_most: Duration,
}

/// Reads suspect positions again, each as `work` says; `others` may be read before, so that no cache holds what was read
/// last. Without others that is not read again.
pub(crate) fn read(
    visited: &[Visited],
    others: Option<Span>,
    run: &mut Run<'_>,
    work: impl Fn(Suspect) -> Workload,
) -> Result<(), Stopped> {
    let (suspects, before) = suspects(visited, others);
    if let Some(before) = before {
        let others = through(before, run.settings);
        run.bench.phase("read others", &others)?;
    }
    for (n, suspect) in suspects.into_iter().enumerate() {
        let name = format!("read again {}", n + 1);
        run.bench.phase(&name, &work(suspect))?;
    }
    Ok(())
}

/// A range, read once.
fn through(span: Span, settings: &Settings) -> Workload {
    let block = settings.size("block").min(span.len);
    let job = Job::closed("read", Op::Read, Order::Sequential, span, block, 1);
    Workload::single(job, Stop::after_passes(1), settings.seed)
}

/// What is to be read again, the slowest first; and the others, if they have to be read before.
fn suspects(visited: &[Visited], others: Option<Span>) -> (Vec<Suspect>, Option<Span>) {
    let mut found: Vec<(f64, usize)> = Vec::new();
    let mut before = None;
    for (at, excess) in excess(visited) {
        // Of neighbours the slowest stands for all.
        match found.last_mut().filter(|_| before == at.checked_sub(1)) {
            Some(last) if last.0 < excess => *last = (excess, at),
            Some(_) => {}
            None => found.push((excess, at)),
        }
        before = Some(at);
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let was_last = |at: usize| {
        let behind = visited[at + 1..].iter().map(|one| one.bytes.get());
        behind.fold(0, u64::saturating_add) < CACHED.get()
    };
    let can_be_told = |(_, at): &(f64, usize)| {
        let one = &visited[*at];
        let is_apart = others.is_some_and(|others| one.span.start >= others.end());
        !one.has_failed && (is_apart || !was_last(*at))
    };
    let again = found.into_iter().filter(can_be_told);
    let again: Vec<(f64, usize)> = again.take(most(visited.len() as u64) as usize).collect();
    let before = others.filter(|_| again.iter().any(|(_, at)| was_last(*at)));
    let suspect = |(excess, at): (f64, usize)| {
        let one = &visited[at];
        let expected = one.sum.as_nanos() as f64 - excess;
        let at_most = Duration::from_nanos((LEFT_AFTER * expected) as u64);
        Suspect {
            span: one.span,
            at_most: at_most.max(LEAST_LEFT_AFTER),
        }
    };
    (again.into_iter().map(suspect).collect(), before)
}

/// Suspect positions, and the nanoseconds that they took more than their neighbours.
fn excess(visited: &[Visited]) -> Vec<(usize, f64)> {
    let means: Vec<Option<f64>> = visited.iter().map(Visited::mean).collect();
    let longest = visited.iter().filter(|one| one.ios > 0);
    let longest: Vec<f64> = longest.map(|one| one.worst.as_nanos() as f64).collect();
    let usual = median(&longest).unwrap_or(0.0);
    let side = (means.len() / SIDES_OF).max(LEAST_SIDE);
    let suspect = |at: usize| {
        let (one, mean) = (&visited[at], means[at]?);
        let sides = [
            &means[at.saturating_sub(side)..at],
            &means[at + 1..means.len().min(at + 1 + side)],
        ];
        let middles = sides.iter().filter_map(|side| {
            let known: Vec<f64> = side.iter().flatten().copied().collect();
            median(&known).filter(|_| known.len() >= LEAST_SIDE)
        });
        let expected = middles.reduce(f64::max)?;
        let longest = one.worst.as_nanos() as f64;
        let excess = (mean - expected) * one.ios as f64;
        let ios = excess / (longest - expected).max(1.0);
        let stalls = one.worst >= STALL && longest >= STALL_FACTOR * usual;
        let is_slow = (mean >= FACTOR * expected || stalls) && ios >= FEWEST;
        is_slow.then_some((at, excess))
    };
    (0..means.len()).filter_map(suspect).collect()
}
