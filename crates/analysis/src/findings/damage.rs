//! Where I/Os of a drive failed, in every phase of every result.
//!
//! A clean scan is worth little if a fill of the same drive failed: so all failures are collected first, by operation
//! and error, and merged into *areas*: failures less than 16 MiB apart are one area of the medium (a scratch, a bad
//! block of flash), however many I/Os hit it.
//!
//! Not every failure is the drive's: a full file system, a file that may not grow, a refused command. Such errors are
//! excluded by their error number; so is data that a method loses on purpose (never flushed, after a power cut). A
//! check for missing capacity writes where there may be no memory: losses beyond the stored part indicate a
//! counterfeit, and failures before it, or with no known missing capacity, a failing drive.

use base::record::IoError;
use base::{Bytes, Figure, JobRecord, Op, PhaseRecord};
use results::RunResult;

use crate::answers::figures;

/// Failures nearer to each other than this belong to one area: more than an access of a scan, less than a zone.
const APART: Bytes = Bytes::mib(16);

/// What is not of the drive: permission, memory, no such device any more, busy, arguments, files' limits, space,
/// not supported, cancelled.
const NOT_OF_THE_DRIVE: [i32; 16] = [
    1, 6, 9, 11, 12, 13, 16, 19, 22, 24, 27, 28, 95, 108, 123, 125,
];

/// A write is refused as read-only. What is read-only to begin with cannot be opened for writing, so this one turned
/// read-only since: a drive at the end of its flash, or a file system that gave up on a drive's errors.
const READ_ONLY: i32 = 30;

/// What methods lose on purpose, by method and phase (all of them where none is named): a drive is worn out or left
/// alone for years, the power is cut while data are not flushed.
const LOST_ON_PURPOSE: [(&str, Option<&str>); 4] = [
    ("wear-out", None),
    ("retention", None),
    ("verify", Some("read after a power cut")),
    ("verify", Some("read what was not flushed")),
];

/// Failures of one kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Failures {
    /// I/Os.
    pub ios: u64,
    /// The areas, in order: each from the first byte to the end (exclusive). With very many I/Os the first thousand of
    /// a phase are located.
    pub areas: Vec<(Bytes, Bytes)>,
}

impl Failures {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ios == 0
    }

    /// Merges failures into areas.
    fn of(ios: u64, mut places: Vec<(Bytes, Bytes)>) -> Failures {
        places.sort_unstable();
        let mut areas: Vec<(Bytes, Bytes)> = Vec::new();
        for (from, to) in places {
            match areas.last_mut() {
                Some(last) if from.saturating_sub(last.1) < APART => last.1 = last.1.max(to),
                _ => areas.push((from, to)),
            }
        }
        Failures { ios, areas }
    }
}

/// All failures of a drive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Damage {
    /// Reads that returned an error, or less than requested.
    pub unreadable: Failures,
    /// Writes that gave an error.
    pub unwritable: Failures,
    /// Writes that were refused since it turned read-only.
    pub refused_as_read_only: u64,
    /// Flushes that returned an error: they have no address.
    pub unflushed: u64,
    /// Reads that gave other data than was written.
    pub differing: Failures,
}

impl Damage {
    /// What failed in these results.
    pub(super) fn of(results: &[&RunResult]) -> Damage {
        let jobs: Vec<Judged> = results.iter().copied().flat_map(judged).collect();
        let of = |kind: Kind| {
            let ios = jobs.iter().map(|job| job.count(kind)).sum();
            let places = jobs.iter().flat_map(|job| job.kept(kind));
            Failures::of(ios, places.map(|e| (e.offset, e.offset + e.len)).collect())
        };
        Damage {
            unreadable: of(Kind::Unreadable),
            unwritable: of(Kind::Unwritable),
            refused_as_read_only: of(Kind::ReadOnly).ios,
            unflushed: of(Kind::Unflushed).ios,
            differing: of(Kind::Differing),
        }
    }

    /// Whether nothing failed.
    pub fn is_none(&self) -> bool {
        [&self.unreadable, &self.unwritable, &self.differing]
            .iter()
            .all(|failures| failures.is_empty())
            && self.refused_as_read_only == 0
            && self.unflushed == 0
    }
}

/// A job with errors, and up to where they are the drive's.
struct Judged<'a> {
    job: &'a JobRecord,
    /// If less is stored than was written, the stored amount: data beyond it is missing, and differences before it were
    /// overwritten from there.
    keeps: Option<Bytes>,
}

/// The jobs of a result whose errors count.
fn judged<'a>(result: &'a RunResult) -> impl Iterator<Item = Judged<'a>> {
    let keeps = keeps(result);
    let phases = result.phases.iter().filter(|phase| counts(result, phase));
    let jobs = phases.flat_map(|phase| &phase.jobs);
    let failed = jobs.filter(|job| job.errors.count > 0 && !job.only_refused());
    failed.map(move |job| Judged { job, keeps })
}

/// What a drive with missing capacity stores.
fn keeps(result: &RunResult) -> Option<Bytes> {
    let [kept, claimed] = match result.method.as_str() {
        "capacity" => ["kept.size", "claimed.size"],
        "explain" => ["capacity.kept", "capacity.claimed"],
        _ => return None,
    };
    let of = |key| figures::size(result, key);
    let (kept, claimed) = (of(kept)?, of(claimed)?);
    (kept < claimed).then_some(kept)
}

fn counts(result: &RunResult, phase: &PhaseRecord) -> bool {
    // What was read that nobody had marked differs from nothing: its figure is withheld, and says why.
    let withheld = |figure: &Figure| {
        let is_of_it = figure.phases.iter().any(|name| phase.is_called(name));
        figure.key.ends_with(".differing") && is_of_it && figure.value.is_none()
    };
    if result.figures.iter().any(withheld) {
        return false;
    }
    // What runs on a file system is the method that it was asked for.
    let method = match result.method.as_str() {
        "file-system" => result
            .settings
            .values
            .get("method")
            .unwrap_or(&result.method),
        method => method,
    };
    let lost = |(of, name): &(&str, Option<&str>)| {
        method == *of && name.is_none_or(|name| phase.is_called(name))
    };
    !LOST_ON_PURPOSE.iter().any(lost)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Unreadable,
    Unwritable,
    ReadOnly,
    Unflushed,
    Differing,
}

impl Kind {
    /// What an error is of; nothing where it is none of the drive's.
    fn of(error: &IoError) -> Option<Kind> {
        match (error.op, error.differs) {
            (_, Some(_)) => Some(Kind::Differing),
            _ if NOT_OF_THE_DRIVE.contains(&error.errno) => None,
            (Op::Read, None) => Some(Kind::Unreadable),
            (Op::Write | Op::Flush, None) if error.errno == READ_ONLY => Some(Kind::ReadOnly),
            (Op::Write, None) => Some(Kind::Unwritable),
            (Op::Flush, None) => Some(Kind::Unflushed),
            (Op::Trim, None) => None,
        }
    }
}

impl<'a> Judged<'a> {
    /// The individually kept errors of a kind.
    fn kept(&self, kind: Kind) -> impl Iterator<Item = &'a IoError> {
        let keeps = self.keeps;
        let is_there = move |error: &&IoError| match kind {
            Kind::Differing => keeps.is_none(),
            Kind::Unreadable | Kind::Unwritable => keeps.is_none_or(|end| error.offset < end),
            Kind::ReadOnly | Kind::Unflushed => true,
        };
        let all = self.job.errors.first.iter();
        all.filter(move |error| Kind::of(error) == Some(kind))
            .filter(is_there)
    }

    /// Number of a job's I/Os: errors beyond the kept ones are assumed to be of the same kinds.
    fn count(&self, kind: Kind) -> u64 {
        let errors = &self.job.errors;
        if kind == Kind::Differing {
            return match self.keeps {
                None => errors.differing_reads,
                Some(_) => 0,
            };
        }
        let kept = errors.first.iter().filter(|e| e.differs.is_none()).count() as u64;
        let own = self.kept(kind).count() as u64;
        let all = errors.count.saturating_sub(errors.differing_reads);
        match kept {
            0 => 0,
            _ => (all as f64 * own as f64 / kept as f64).round() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_near_each_other_are_one_area() {
        let kib = |n: u64| Bytes::kib(n);
        let gib = |n: u64| Bytes::gib(n);
        let places = vec![
            (gib(5), gib(5) + kib(64)),
            (gib(1), gib(1) + kib(64)),
            (gib(1) + kib(64), gib(1) + kib(128)),
        ];
        let failures = Failures::of(3, places);
        let areas = [(gib(1), gib(1) + kib(128)), (gib(5), gib(5) + kib(64))];
        assert_eq!(failures.areas, areas);
    }

    #[test]
    fn what_a_method_loses_on_purpose_is_no_damage_in_a_repeat_nor_on_a_file_system() {
        let lost = |method: &str, phase: &str| {
            let mut result = figures::measured(method, &[]);
            let inner = ("method".to_owned(), "verify".to_owned());
            result.settings.values.extend([inner]);
            result.phases = fixtures::results::review().swap_remove(0).phases;
            result.phases.truncate(1);
            figures::fail_one_read(&mut result);
            result.phases[0].name = phase.to_owned();
            Damage::of(&[&result])
        };
        let name = "read after a power cut";
        assert!(lost("verify", name).is_none());
        assert!(lost("verify", &format!("repeat 2: {name}")).is_none());
        assert!(lost("file-system", &format!("repeat 2: fat32: {name}")).is_none());
        assert!(!lost("verify", "repeat 2: read in order").is_none());
        assert!(!lost("full-scan", name).is_none());
    }

    #[test]
    fn of_a_look_for_missing_capacity_what_fails_in_places_that_are_there_is_damage() {
        let looked = |kept: Option<f64>, at: Bytes, errno: i32| {
            let mut result = figures::measured("capacity", &[("claimed.size", 120.0, "GB")]);
            let kept = fixtures::results::figure("kept.size", kept, "GB");
            result.figures.push(kept);
            result.phases = fixtures::results::review().swap_remove(0).phases;
            result.phases.truncate(1);
            figures::fail_one_read(&mut result);
            let error = &mut result.phases[0].jobs[0].errors.first[0];
            (error.offset, error.errno, error.op) = (at, errno, Op::Write);
            Damage::of(&[&result])
        };
        let at = Bytes::new(60_000_000_000);
        // At the end accesses failed, so that nothing was said of the capacity; or all of it is there.
        assert_eq!(looked(None, at, 5).unwritable.ios, 1);
        assert_eq!(looked(Some(120.0), at, 5).unwritable.ios, 1);
        assert_eq!(looked(Some(90.0), at, 5).unwritable.ios, 1);
        assert!(looked(Some(30.0), at, 5).is_none(), "behind what is there");
        assert_eq!(looked(Some(30.0), at, READ_ONLY).refused_as_read_only, 1);
    }
}
