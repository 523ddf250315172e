//! The controller compresses: what can be compressed is written faster, and benchmarks with zeros flatter it.
//!
//! SandForce's controllers did; their makers' figures are of data that shrink to nothing. Films and archives do not.

use results::{Quantity, Statement};

use super::{Evidence, Finding, Found, Severity};

pub(super) const FINDING: Finding = Finding::new("compresses", Severity::Trait, look);

/// By how much compressible data are faster, at least: runs differ by some per cent.
const GAIN: f64 = 1.2;

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    let gain = evidence
        .value("as-ssd-compression", "gain.write")
        .filter(|gain| *gain >= GAIN)?;
    let random = evidence.mb_s("as-ssd-compression", "0-percent.write")?;
    let says = Statement::new("finding-compresses-says")
        .with("gain", Quantity::Factor(gain))
        .with("random", Quantity::MegabytesPerSecond(random));
    Some(Found {
        figures: evidence.figures("as-ssd-compression", &["gain.write", "0-percent.write"]),
        ..FINDING.found(says)
    })
}
