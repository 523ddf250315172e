//! Flushed data is gone after a power cut: a power failure corrupts a database on such a drive.
//!
//! A flush is a promise. Drives and layers that acknowledge it before the data is safe are fast in every commit
//! benchmark, and the only way to detect them is to cut the power and check.

use results::{Quantity, Standing, Statement};

use super::{Evidence, Finding, Found, Severity};

pub(super) const FINDING: Finding =
    Finding::new("loses-acknowledged-writes", Severity::Failing, look);

/// What is left of these uses.
const STANDING: &[(&str, Standing)] = &[
    ("os-drive", Standing::Unfit),
    ("nas", Standing::Unfit),
    ("continuous-recording", Standing::Limited),
];

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    let lost = evidence.figure("verify", "power-cut.differing")?;
    let sectors = (lost.result.in_all_repeats(lost.figure)).filter(|sectors| *sectors > 0.0)?;
    // What was already wrong before the power went is no fault of the flush.
    let before = evidence.value("verify", "overwritten.differing");
    if before.is_some_and(|sectors| sectors > 0.0) {
        return None;
    }
    let says = Statement::new("finding-loses-acknowledged-writes-says")
        .with("sectors", Quantity::Count(sectors as u64));
    Some(Found {
        standing: STANDING,
        figures: vec![lost],
        ..FINDING.found(says)
    })
}
