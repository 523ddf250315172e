//! The host must write its zones sequentially: ordinary systems cannot use such a drive.

use results::{Quantity, Standing, Statement};

use super::{Evidence, Finding, Found, Severity};

pub(super) const FINDING: Finding = Finding::new("zoned", Severity::Trait, look);

/// Nothing that does not know of zones can write to it.
const STANDING: &[(&str, Standing)] = &[
    ("os-drive", Standing::Unfit),
    ("game-load", Standing::Unfit),
    ("video-editing", Standing::Limited),
    ("nas", Standing::Limited),
    ("continuous-recording", Standing::Limited),
];

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    let zones = evidence
        .fact("zones")
        .filter(|zones| zones.starts_with("host-managed"))?;
    let zones = Quantity::name(zones);
    Some(Found {
        standing: STANDING,
        ..FINDING.found(Statement::new("finding-zoned-says").with("zones", zones))
    })
}
