//! Missing capacity: the drive accepts more data than it stores.
//!
//! Counterfeit drives claim a capacity without the memory for it: writes beyond it are dropped, or overwrite lower
//! addresses. Nothing fails until the data is read back.

use base::size::Bytes;
use results::{Quantity, Statement};

use super::{Behind, Evidence, Finding, Found, Severity};
use crate::answers::figures;

pub(super) const FINDING: Finding = Finding::new("missing-capacity", Severity::Failing, look);

/// The methods that detect it, with the figures of what is kept and of how much they checked.
const METHODS: [[&str; 3]; 3] = [
    ["capacity", "kept.size", "claimed.size"],
    ["verify", "kept.size", "written.size"],
    ["explain", "capacity.kept", "capacity.claimed"],
];

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    METHODS.into_iter().find_map(|[method, kept, of]| {
        let kept = evidence.figure(method, kept)?;
        let looked_at = evidence.figure(method, of)?;
        let size = |of: Behind| figures::size(of.result, &of.figure.key);
        let (keeps, claims) = (size(kept)?, size(looked_at)?);
        figures::is_missing(keeps, claims).then(|| found(keeps, claims, vec![kept, looked_at]))
    })
}

fn found(keeps: Bytes, claims: Bytes, figures: Vec<Behind>) -> Found {
    let says = Statement::new("finding-missing-capacity-says")
        .with("kept", Quantity::Size(keeps))
        .with("claimed", Quantity::Size(claims));
    Found {
        standing: super::FOR_NOTHING,
        figures,
        ..FINDING.found(says)
    }
}
