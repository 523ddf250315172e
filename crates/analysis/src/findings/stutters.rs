//! It stutters: for a while nothing completes, and everything that uses the drive waits (プチフリ).
//!
//! A stall is a period of 100 ms or more in which the drive had outstanding I/Os and completed none
//! ([`base::record::Stalls`]), so that one stall that holds up two hundred I/Os is one. Idle drives should have none.
//! Under load a disk needs some tens of milliseconds for each I/O ahead, so only what is far longer than its queue is a
//! stutter there; flash has no such excuse.

use base::record::STALL;
use base::{Bytes, Duration, JobRecord, Op, Order, Pacing, PhaseRecord, Scale};
use results::{Quantity, RunResult, Standing, Statement};

use super::{Evidence, Finding, Found, Severity, Sureness};
use crate::observer::{Figures, is_worsened};

pub(super) const FINDING: Finding = Finding::new("stutters", Severity::Weakness, look);

/// What people wait through many times a minute.
const OFTEN: &[(&str, Standing)] = &[
    ("os-drive", Standing::Unfit),
    ("game-load", Standing::Unfit),
    ("continuous-recording", Standing::Limited),
];
/// What happens now and then.
const RARELY: &[(&str, Standing)] = &[
    ("os-drive", Standing::Limited),
    ("game-load", Standing::Limited),
];
/// More stutters a minute than this are often: one every ten seconds, about as long as attention stays on a task
/// (Nielsen, *Usability Engineering*, 1993).
const OFTEN_A_MINUTE: f64 = 6.0;

/// One standstill of this length counts by itself; shorter ones from the second on, as a busy computer has one, too.
const LONG: Duration = Duration::from_millis(250);
/// What is longer than a disk's queue: some sixteen accesses of a slow one.
const BEYOND_A_QUEUE: Duration = Duration::from_millis(500);

/// A part of the watch, the most significant first.
struct Part {
    key: &'static str,
    says: &'static str,
    /// The least standstill of a disk that counts.
    of_a_disk: Duration,
}

const PARTS: [Part; 3] = [
    Part {
        key: "alone",
        says: "finding-stutters-alone",
        of_a_disk: LONG,
    },
    Part {
        key: "writing",
        says: "finding-stutters-writing",
        of_a_disk: BEYOND_A_QUEUE,
    },
    Part {
        key: "loaded",
        says: "finding-stutters-loaded",
        of_a_disk: BEYOND_A_QUEUE,
    },
];

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    let mut found = anywhere(evidence)?;
    let disturbed = |result: &&RunResult| is_worsened(Figures::ResponseTimes, result);
    // A stutter of the computer looks like one of the drive.
    if evidence.results.iter().any(disturbed) {
        found.sure = Sureness::Possible;
        found.standing = &[];
    }
    Some(found)
}

fn anywhere<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    let is_disk = evidence.is_disk().unwrap_or(false);
    let watched: Vec<(Statement, f64)> = PARTS
        .iter()
        .filter_map(|part| part_of_watch(evidence, part, is_disk))
        .collect();
    if let Some(worst) = watched.iter().map(|(_, rate)| *rate).max_by(f64::total_cmp) {
        let says = watched.into_iter().map(|(says, _)| says).collect();
        let keys = [
            "alone.longest-stall",
            "writing.longest-stall",
            "loaded.longest-stall",
        ];
        return Some(Found {
            standing: standing(worst),
            figures: evidence.figures("latency-watch", &keys),
            does: was_watched_for_long(evidence)
                .then(|| Statement::new("finding-stutters-do-watched")),
            ..FINDING
                .found(Statement::new("finding-stutters-says").with("what", Quantity::Said(says)))
        });
    }
    elsewhere(evidence, is_disk)
}

fn standing(stalls_a_minute: f64) -> &'static [(&'static str, Standing)] {
    match stalls_a_minute > OFTEN_A_MINUTE {
        true => OFTEN,
        false => RARELY,
    }
}

fn a_minute(stalls: f64, time: Duration) -> f64 {
    stalls / (time.as_secs_f64() / 60.0).max(1.0 / 60.0)
}

/// Whether no longer watch is left to be advised.
fn was_watched_for_long(evidence: &Evidence) -> bool {
    let mut results = evidence.results.iter();
    results.any(|of| of.method == "latency-watch" && of.scale == Scale::Full)
}

/// How a part of the watch stutters, and how often a minute.
fn part_of_watch(evidence: &Evidence, part: &Part, is_disk: bool) -> Option<(Statement, f64)> {
    let of = |what: &str| evidence.figure("latency-watch", &format!("{}.{what}", part.key));
    let counted = of("stalls")?;
    let stalls = counted.result.in_all_repeats(counted.figure)?;
    let longest = evidence.time("latency-watch", &format!("{}.longest-stall", part.key))?;
    let counts = match is_disk {
        true => stalls >= 1.0 && longest >= part.of_a_disk,
        false => stalls >= 2.0 || (stalls >= 1.0 && longest >= LONG),
    };
    if !counts {
        return None;
    }
    let watched: Duration = took(counted.result, &counted.figure.phases);
    let says = Statement::new(part.says)
        .with("stalls", Quantity::Count(stalls as u64))
        .with("time", Quantity::Time(watched))
        .with("longest", Quantity::Time(longest));
    Some((says, a_minute(stalls, watched)))
}

fn took(result: &RunResult, phases: &[String]) -> Duration {
    let own = |phase: &&PhaseRecord| phases.contains(&phase.name);
    let nanos = result
        .phases
        .iter()
        .filter(own)
        .map(|phase| phase.took.as_nanos());
    Duration::from_nanos(nanos.sum())
}

fn only_reads(phase: &PhaseRecord) -> bool {
    let of = |op| phase.of(op).ios;
    of(Op::Write) == 0 && of(Op::Flush) == 0 && of(Op::Trim) == 0
}

/// So many times as long as a read usually takes is a standstill; less may be its transfer, of megabytes over a slow
/// link.
const STANDS_OUT: u64 = 4;

fn stands_out(job: &JobRecord) -> bool {
    let usual = job.ops[Op::Read as usize].felt().mean();
    usual.is_none_or(|usual| job.stalls.longest > usual * STANDS_OUT)
}

/// Methods that do some of their work as people's programs do.
const OF_DAILY_WORK: &[&str] = &[
    "iometer",
    "crystaldiskmark",
    "crystaldiskmark-classic",
    "as-ssd",
];

/// Larger accesses are no lone small ones: a stick takes its time for a megabyte.
const SMALL: Bytes = Bytes::kib(64);

/// Whether a phase sends small I/Os in random order, one at a time, and asks for nothing to be durable.
fn is_daily_work(phase: &PhaseRecord) -> bool {
    phase.workload.jobs.iter().all(|job| {
        matches!(job.pacing, Pacing::Closed { depth: 1, .. })
            && job.streams == 1
            && matches!(job.order, Order::Random)
            && job
                .accesses
                .iter()
                .all(|one| one.size <= SMALL && !one.trims)
            && job.flush_every.is_none()
            && !job.durable
    }) && phase.workload.jobs.len() == 1
}

/// Lone small I/Os stall if at least so many of them do: less may be the work of a drive that was filled before.
const OF_LONE_IOS: f64 = 0.01;

/// Whether a job stalled at each hundredth of its I/Os, or more often.
fn often(job: &JobRecord) -> bool {
    let ios: u64 = job.ops.iter().map(|op| op.ios).sum();
    job.stalls.count as f64 >= OF_LONE_IOS * ios as f64
}

/// Whether it writes in another order than the disk's own.
fn scatters(phase: &PhaseRecord) -> bool {
    let mut jobs = phase.workload.jobs.iter();
    phase.of(Op::Write).ios > 0 && jobs.any(|job| !matches!(job.order, Order::Sequential))
}

/// The jobs of a result whose stalls have no excuse. Pure reads count, as a write may legitimately wait for a flush of
/// gigabytes, for a zone reset, or for a cache to be emptied; of a disk those before writes all over it, as it empties its
/// cache for minutes then. On flash lone small writes count, too: the first controllers stalled where they were scattered over
/// more of the drive than a watch uses.
fn without_excuse(
    result: &RunResult,
    is_disk: Option<bool>,
) -> impl Iterator<Item = (&PhaseRecord, &JobRecord)> {
    let daily = is_disk == Some(false) && OF_DAILY_WORK.contains(&result.method.as_str());
    let untouched = move |phase: &&PhaseRecord| is_disk != Some(true) || !scatters(phase);
    let phases = result.phases.iter().take_while(untouched);
    let counts = move |phase: &&PhaseRecord| only_reads(phase) || daily && is_daily_work(phase);
    phases.filter(counts).flat_map(|phase| {
        let is_read = only_reads(phase);
        let jobs = phase.jobs.iter().filter(move |job| is_read || often(job));
        jobs.map(move |job| (phase, job))
    })
}

/// Stalls in other methods' phases: those that a watch missed, or without a watch.
fn elsewhere<'a>(evidence: &Evidence<'a>, is_disk: bool) -> Option<Found<'a>> {
    let least = if is_disk { BEYOND_A_QUEUE * 2 } else { STALL };
    let jobs = |result: &'a RunResult| {
        without_excuse(result, evidence.is_disk()).filter(|(_, job)| job.errors.count == 0)
    };
    let stalls = |result: &'a RunResult| {
        let stalls = jobs(result).map(|(_, job)| job);
        stalls.filter(|job| job.stalls.longest >= least && stands_out(job))
    };
    let of = |result: &&'a RunResult| {
        let count: u64 = stalls(result).map(|job| job.stalls.count).sum();
        let longest = stalls(result).map(|job| job.stalls.longest).max();
        Some((count, longest?, *result))
    };
    let results = evidence
        .results
        .iter()
        .filter(|result| result.method != "latency-watch");
    let (count, longest, result) = results
        .filter_map(of)
        .filter(|(count, longest, _)| *count >= 2 || *longest >= LONG)
        .max_by_key(|(_, longest, _)| *longest)?;
    let looked = jobs(result).map(|(phase, _)| phase.took.as_nanos()).sum();
    let a_minute = a_minute(count as f64, Duration::from_nanos(looked));
    let title = Quantity::Title {
        en: result.method_title.clone(),
        ja: result.method_title_ja.clone(),
    };
    Some(Found {
        sure: Sureness::Likely,
        standing: standing(a_minute),
        ..FINDING.found(
            Statement::new("finding-stutters-elsewhere")
                .with("stalls", Quantity::Count(count))
                .with("method", title)
                .with("longest", Quantity::Time(longest)),
        )
    })
}
