//! The first I/O after idle time takes much longer: the drive, its link or its motor sleeps.
//!
//! Links and controllers save power within milliseconds to seconds of idle time, and need from some microseconds to a
//! tenth of a second to wake; a disk with parked heads needs a second, one with a stopped spindle ten. Audible when
//! playing music from such a drive.
//!
//! A shingled disk is not asked: when idle it empties its cache, and an I/O that comes meanwhile waits for a band.

use base::time::Duration;
use results::{Quantity, RunResult, Statement};

use super::{Behind, Evidence, Finding, Found, Severity, shingled};
use crate::answers::figures;

pub(super) const FINDING: Finding = Finding::new("wakes-slowly", Severity::Caution, look);

/// What a person begins to notice where one access waits for another: the wake-up alone is half a picture of a film.
const NOTICED: Duration = Duration::from_millis(20);
/// Minimum ratio to the next I/O.
const FACTOR: u64 = 4;

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    if (shingled::FINDING.look)(evidence).is_some() {
        return None;
    }
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
            figures: vec![Behind { result, figure }],
            ..FINDING.found(
                Statement::new("finding-wakes-slowly-says")
                    .with("rest", Quantity::name(rest))
                    .with("first", Quantity::Time(first))
                    .with("second", Quantity::Time(second)),
            )
        })
    })
}
