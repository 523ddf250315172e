//! The drive is failing: I/O errors, data that differs from what was written, or its own prediction.
//!
//! One unreadable sector is not a figure to be weighed against others. In Google's population a drive with its first
//! scan error was 39 times as likely to fail within 60 days as one without (Pinheiro, Weber, Barroso, "Failure Trends
//! in a Large Disk Drive Population", FAST 2007). So whatever detected it, and however small the part that was read, it
//! comes first, with its address and with what to do now.

use base::health::{Assessment, Condition, HealthReading};
use base::size::Bytes;
use results::{Quantity, RunEnd, RunResult, Statement};

use super::damage::Failures;
use super::{Evidence, Finding, Found, Severity, flush_failed};

pub(super) const FINDING: Finding = Finding::new("failing", Severity::Failing, look);

/// An area up to this length is reported as a place.
const A_PLACE: Bytes = Bytes::mib(16);

/// The sentences for areas, and for a single long one.
const UNREADABLE: (&str, &str) = (
    "finding-failing-unreadable",
    "finding-failing-unreadable-span",
);
const DIFFERING: (&str, &str) = (
    "finding-failing-differing",
    "finding-failing-differing-span",
);
const UNWRITABLE: (&str, &str) = (
    "finding-failing-unwritable",
    "finding-failing-unwritable-span",
);

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    let damage = evidence.damage();
    let mut says: Vec<Statement> = [
        (&damage.unreadable, UNREADABLE),
        (&damage.differing, DIFFERING),
        (&damage.unwritable, UNWRITABLE),
    ]
    .into_iter()
    .filter(|(failures, _)| !failures.is_empty())
    .map(|(failures, keys)| places(failures, keys))
    .collect();
    if damage.refused_as_read_only > 0 {
        let writes = Quantity::Count(damage.refused_as_read_only);
        says.push(Statement::new("finding-failing-read-only").with("writes", writes));
    }
    if damage.unflushed > 0 && !flush_failed::may_be_of_the_host(evidence) {
        let flushes = Quantity::Count(damage.unflushed);
        says.push(Statement::new("finding-failing-unflushed").with("flushes", flushes));
    }
    says.extend(own_word(evidence));
    // A cable and a drive look alike from here: the first thing to do differs.
    let does = match says.is_empty() {
        true => "finding-failing-do-gone",
        false => "finding-failing-do-rescue",
    };
    if evidence.results.iter().any(|result| went_away(result)) {
        says.push(Statement::new("finding-failing-gone"));
    }
    if says.is_empty() {
        return None;
    }
    let target = Quantity::Word(evidence.target.name.clone());
    Some(Found {
        standing: super::FOR_NOTHING,
        does: Some(Statement::new(does).with("target", target)),
        ..FINDING.found(Statement::new("finding-failing-says").with("what", Quantity::Said(says)))
    })
}

/// Whether the drive was there no more (`ENODEV`) before the method was through: nothing else ends a stored run early.
fn went_away(result: &RunResult) -> bool {
    result.ended != RunEnd::Complete
}

/// `3 unreadable areas, the first at 1.5 TB (12 reads failed)`, or both ends of a single long one.
fn places(failures: &Failures, (key, of_a_span): (&'static str, &'static str)) -> Statement {
    let (from, to) = *failures
        .areas
        .first()
        .unwrap_or(&(Bytes::ZERO, Bytes::ZERO));
    let ios = Quantity::Count(failures.ios);
    if failures.areas.len() == 1 && to - from > A_PLACE {
        return Statement::new(of_a_span)
            .with("place", Quantity::Place(from))
            .with("to", Quantity::Place(to))
            .with("ios", ios);
    }
    Statement::new(key)
        .with("areas", Quantity::Count(failures.areas.len() as u64))
        .with("place", Quantity::Place(from))
        .with("ios", ios)
}

/// The drive's last own report, if it predicts failure.
pub(super) fn assessed(evidence: &Evidence) -> Option<Assessment> {
    let readings = evidence.results.iter().rev();
    let last = readings.filter_map(|result| {
        let after = result.health_after.as_ref();
        after.or(result.health_before.as_ref())
    });
    last.map(HealthReading::assess)
        .find(|assessment| assessment.condition != Condition::Unknown)
}

fn own_word(evidence: &Evidence) -> Option<Statement> {
    let assessment = assessed(evidence).filter(|a| a.condition == Condition::Failing)?;
    let reason = assessment.reasons.into_iter().next()?;
    Some(Statement::new("finding-failing-health").with("reason", Quantity::Why(reason)))
}
