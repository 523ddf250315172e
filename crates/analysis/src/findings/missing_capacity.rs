//! Not all of the drive is there: it takes more data than it keeps.
//!
//! Counterfeit drives answer for a capacity of which a part has no memory behind it: what is written there is dropped,
//! or written over what lies lower down. Nothing fails, until what was stored is read again.

use base::size::Bytes;
use results::statement::{Quantity, Statement};

use super::{Behind, Evidence, Finding, Found, Severity, Sureness};
use crate::answers::figures;

pub(super) const FINDING: Finding = Finding {
    id: "missing-capacity",
    severity: Severity::Failing,
    look,
};

/// The methods that look for it.
const METHODS: [&str; 2] = ["verify", "capacity"];

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    METHODS.into_iter().find_map(|method| {
        let kept = evidence.figure(method, "kept.size")?;
        let claimed = evidence.figure(method, "claimed.size")?;
        let size = |of: Behind| figures::size(of.result, &of.figure.key);
        let (keeps, claims) = (size(kept)?, size(claimed)?);
        (keeps < claims).then(|| found(keeps, claims, vec![kept, claimed]))
    })
}

fn found(keeps: Bytes, claims: Bytes, figures: Vec<Behind>) -> Found {
    Found {
        of: &FINDING,
        sure: Sureness::Seen,
        standing: super::FOR_NOTHING,
        says: Statement::new("finding-missing-capacity-says")
            .with("kept", Quantity::Size(keeps))
            .with("claimed", Quantity::Size(claims)),
        does: None,
        figures,
    }
}
