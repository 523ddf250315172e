//! fio's output: `json`, `json+`, `normal` and `terse` (version 3), with the keys and meanings of fio 3.33.
//!
//! Percentiles are those of fio's own histogram, 64 steps in each power of two, into which ours, twice as fine, map
//! exactly. What fio counts about its own process (CPU time, faults) and the kernel (`disk_util`) does not belong to
//! any target here: it is 0, or an empty list.

use base::{Duration, Latencies};

use crate::file::JobFile;
use crate::job::{Job, groups};
use crate::kept::{Kept, OpKept};
use crate::running::Ran;

mod json;
mod normal;
mod terse;
mod value;

pub use json::json;
pub use normal::normal;
pub use terse::terse;
pub use value::Value;

/// The version whose output it is.
pub const VERSION: &str = "fio-3.33";

/// One entry of the output: a copy of a job, or all of a group.
pub struct Entry<'a> {
    /// The job, or the first one of the group.
    pub job: &'a Job,
    /// Number of its group.
    pub group: u32,
    /// How many copies are in it.
    pub copies: u32,
    /// Its figures.
    pub kept: Kept,
    /// Seconds from the beginning of the run until it ended.
    pub elapsed: u64,
}

/// A moment, as the output has it.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Milliseconds of the Unix epoch.
    pub unix_ms: u64,
    /// The same for people: `Mon Nov 23 10:59:20 2026`.
    pub text: String,
}

/// The forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people.
    Normal,
    Json,
    /// JSON with whole histograms.
    JsonPlus,
    /// A line a job.
    Terse,
}

/// The entries: each copy of a job, or all of a group together if the job has `group_reporting`.
pub fn entries<'a>(jobs: &'a [Job], ran: &[Ran]) -> Vec<Entry<'a>> {
    let groups = groups(jobs);
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for one in ran.iter().filter(|one| jobs[one.job].reporting.shown) {
        let (job, group) = (&jobs[one.job], groups[one.job]);
        let elapsed = one.elapsed.as_nanos() / 1_000_000_000 + 1;
        let mut kept = one.kept.clone();
        if job.reporting.unified {
            kept.unify();
        }
        match entries.last_mut() {
            Some(last)
                if job.reporting.by_group && last.job.reporting.by_group && last.group == group =>
            {
                last.kept.merge(&kept);
                last.copies += 1;
                last.elapsed = last.elapsed.max(elapsed);
            }
            _ => entries.push(Entry {
                job,
                group,
                copies: 1,
                kept,
                elapsed,
            }),
        }
    }
    entries
}

/// The output of a run in a form.
pub fn output(form: Form, file: &JobFile, entries: &[Entry<'_>], at: &Moment) -> String {
    match form {
        Form::Normal => normal(entries, at),
        Form::Terse => terse(entries),
        Form::Json => json(file, entries, at, false),
        Form::JsonPlus => json(file, entries, at, true),
    }
}

/// Names of the operations of a job in the output, with their figures.
fn named<'a>(entry: &'a Entry<'_>) -> Vec<(&'static str, &'a OpKept)> {
    let ops = &entry.kept.ops;
    match entry.job.reporting.unified {
        true => vec![("mixed", &ops[0])],
        false => vec![("read", &ops[0]), ("write", &ops[1]), ("trim", &ops[2])],
    }
}

/// The value of fio's bucket: the middle of one of 64 steps of its power of two.
fn bucket(nanos: u64) -> u64 {
    if nanos < 128 {
        return nanos;
    }
    let shift = nanos.ilog2() - 6;
    ((nanos >> shift) << shift) + (1 << shift) / 2
}

/// Buckets with their counts, ascending.
fn buckets(latencies: &Latencies) -> Vec<(u64, u64)> {
    let mut all: Vec<(u64, u64)> = Vec::new();
    for (low, _, count) in latencies.buckets() {
        let at = bucket(low.as_nanos());
        match all.last_mut() {
            Some(last) if last.0 == at => last.1 += count,
            _ => all.push((at, count)),
        }
    }
    all
}

/// Percentiles of a histogram, each as fio's bucket.
fn percentiles(latencies: &Latencies, list: &[f64]) -> Vec<(f64, u64)> {
    let all = buckets(latencies);
    let total: u64 = all.iter().map(|(_, n)| n).sum();
    let value = |percent: f64| {
        let wanted = percent / 100.0 * total as f64;
        let mut counted = 0;
        let found = all.iter().find(|(_, n)| {
            counted += n;
            counted as f64 >= wanted
        });
        found.map_or(0, |(at, _)| *at)
    };
    list.iter()
        .map(|percent| (*percent, value(*percent)))
        .collect()
}

/// Upper edges of fio's latency table, in ns, us and ms.
const EDGES: [&[u64]; 3] = [
    &[2, 4, 10, 20, 50, 100, 250, 500, 750, 1000],
    &[2, 4, 10, 20, 50, 100, 250, 500, 750, 1000],
    &[2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000, u64::MAX],
];

/// Shares of all I/Os by completion latency, in per cent, by [`EDGES`].
fn shares(kept: &Kept) -> [Vec<f64>; 3] {
    let mut counts = EDGES.map(|edges| vec![0_u64; edges.len()]);
    let mut total = 0;
    for op in &kept.ops[..3] {
        for (low, _, count) in op.completion.histogram.buckets() {
            let nanos = low.as_nanos();
            let (unit, value) = match nanos {
                0..1_000 => (0, nanos),
                1_000..1_000_000 => (1, nanos / 1_000),
                _ => (2, nanos / 1_000_000),
            };
            let at = EDGES[unit].iter().position(|edge| value < *edge);
            counts[unit][at.unwrap_or(EDGES[unit].len() - 1)] += count;
            total += count;
        }
    }
    counts.map(|counts| counts.iter().map(|n| percent(*n, total)).collect())
}

fn percent(part: u64, of: u64) -> f64 {
    if of == 0 {
        0.0
    } else {
        100.0 * part as f64 / of as f64
    }
}

/// Milliseconds of a time, at least one.
fn millis(time: Duration) -> u64 {
    (time.as_nanos() / 1_000_000).max(1)
}

/// Bytes a second of an operation.
fn rate(op: &OpKept) -> u64 {
    (u128::from(op.bytes) * 1_000 / u128::from(millis(op.time))) as u64
}

/// I/Os a second of an operation.
fn iops(op: &OpKept) -> f64 {
    op.ios as f64 * 1_000.0 / millis(op.time) as f64
}
