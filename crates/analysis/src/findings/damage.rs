//! Where I/Os of a drive failed, in every phase of every result.
//!
//! A scan that found nothing is worth little where a fill of the same drive failed: so all failures are gathered first,
//! by what was asked and what came back, and put together into *areas*: failures less than 16 MiB from each other
//! are one place on the medium (a scratch, a bad block of flash), however many accesses hit it.
//!
//! Not all that fails is the drive: a file system that is full, a file that may not grow, a command that was refused. Such
//! errors are left out by their number; so is what a method loses on purpose (data that were never flushed, after a
//! power cut).

use base::io::Op;
use base::record::{IoError, JobRecord, PhaseRecord};
use base::result::Figure;
use base::size::Bytes;
use results::RunResult;

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
/// alone for years, a probe writes where no memory is, the power is cut while data are not flushed.
const LOST_ON_PURPOSE: [(&str, Option<&str>); 5] = [
    ("wear-out", None),
    ("retention", None),
    ("capacity", None),
    ("verify", Some("read after a power cut")),
    ("verify", Some("read what was not flushed")),
];

/// Failures of one kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Failures {
    /// I/Os.
    pub ios: u64,
    /// Where, in order: each from the first byte to behind the last. Of very many I/Os the first thousand of a phase
    /// say where.
    pub areas: Vec<(Bytes, Bytes)>,
}

impl Failures {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ios == 0
    }

    /// Puts places into areas.
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
    /// Reads that gave an error, or less than was asked for.
    pub unreadable: Failures,
    /// Writes that gave an error.
    pub unwritable: Failures,
    /// Writes that were refused since it turned read-only.
    pub refused_as_read_only: u64,
    /// Flushes that gave an error: they have no place.
    pub unflushed: u64,
    /// Reads that gave other data than was written.
    pub differing: Failures,
}

impl Damage {
    /// What failed in these results.
    pub(super) fn of(results: &[&RunResult]) -> Damage {
        let jobs: Vec<&JobRecord> = results
            .iter()
            .flat_map(|result| result.phases.iter().filter(|phase| counts(result, phase)))
            .flat_map(|phase| &phase.jobs)
            .filter(|job| job.errors.count > 0 && !job.only_refused())
            .collect();
        let of = |kind: Kind| {
            let ios = jobs.iter().map(|job| kind.count(job)).sum();
            let all = jobs.iter().flat_map(|job| &job.errors.first);
            let places = all.filter(|error| Kind::of(error) == Some(kind));
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

fn counts(result: &RunResult, phase: &PhaseRecord) -> bool {
    // What was read that nobody had marked differs from nothing: its figure is withheld, and says why.
    let withheld = |figure: &Figure| {
        let of_phase = figure.key.ends_with(".differing") && figure.phases.contains(&phase.name);
        of_phase && figure.value.is_none()
    };
    if result.figures.iter().any(withheld) {
        return false;
    }
    let lost = |(method, name): &(&str, Option<&str>)| {
        result.method == *method && name.is_none_or(|name| phase.name == name)
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

    /// How many of a job's I/Os: what is beyond the errors that were kept is of the kinds of the kept ones.
    fn count(self, job: &JobRecord) -> u64 {
        let errors = &job.errors;
        if self == Kind::Differing {
            return errors.differing_reads;
        }
        let kept = errors.first.iter().filter(|e| e.differs.is_none()).count() as u64;
        let own = errors
            .first
            .iter()
            .filter(|e| Kind::of(e) == Some(self))
            .count() as u64;
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
}
