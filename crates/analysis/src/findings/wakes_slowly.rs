//! After a rest the first access takes much longer: the drive, its link or its motor sleeps.
//!
//! Links and controllers save power within milliseconds to seconds of idling, and need from some microseconds to a tenth
//! of a second to come back; a disk that has parked its heads needs a second, one that has stopped ten. Whoever listens
//! to music from such a drive hears it.

use base::time::Duration;
use results::RunResult;
use results::statement::{Quantity, Statement};

use super::{Behind, Evidence, Finding, Found, Severity, Sureness};
use crate::answers::figures;

pub(super) const FINDING: Finding = Finding {
    id: "wakes-slowly",
    severity: Severity::Caution,
    look,
};

/// What a person begins to notice where one access waits for another: the wake-up alone is half a picture of a film.
const NOTICED: Duration = Duration::from_millis(20);
/// And by how many times longer it is than the access behind it.
const FACTOR: u64 = 4;

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    let mut results = evidence.method("idle-latency");
    results.find_map(after_a_rest)
}

fn after_a_rest(result: &RunResult) -> Option<Found<'_>> {
    result.figures.iter().find_map(|figure| {
        let rest = figure
            .key
            .strip_prefix("rest-")?
            .strip_suffix(".first.median")?;
        let first = figures::time(result, &figure.key)?;
        let second = figures::time(result, &format!("rest-{rest}.second.median"))?;
        let slow = first >= NOTICED + second && first >= second * FACTOR;
        slow.then(|| Found {
            of: &FINDING,
            sure: Sureness::Seen,
            standing: &[],
            says: Statement::new("finding-wakes-slowly-says")
                .with("rest", Quantity::Name(rest.to_owned()))
                .with("first", Quantity::Time(first))
                .with("second", Quantity::Time(second)),
            does: None,
            figures: vec![Behind { result, figure }],
        })
    })
}
