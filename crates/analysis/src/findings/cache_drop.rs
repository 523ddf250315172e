//! The fast cache ends, and what is left is much slower.
//!
//! Flash written with one bit a cell takes data several times as fast as with three or four, so drives write new data
//! that way first. What a copy of a game or a film gets after the cache is a fact of the drive, which data sheets leave
//! out; two thirds of the speed or less is felt.

use base::size::Bytes;
use results::statement::{Quantity, Statement};

use super::{Behind, Evidence, Finding, Found, Severity, Sureness};
use crate::answers::figures::{mb_s, size};

pub(super) const FINDING: Finding = Finding {
    id: "cache-drop",
    severity: Severity::Caution,
    look,
};

/// What is left of the speed where the drop counts: two thirds, which a person sees in a copy's progress.
const SHARE: f64 = 2.0 / 3.0;

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    let fill = evidence.figure("slc-fill", "after.rate")?;
    let result = fill.result;
    let (before, after) = (mb_s(result, "before.rate")?, mb_s(result, "after.rate")?);
    let cache = size(result, "cache.size")?;
    if after > SHARE * before || cache == Bytes::ZERO {
        return None;
    }
    let behind = |key| evidence.figure("slc-fill", key);
    let figures: Vec<Behind> = ["cache.size", "before.rate", "after.rate"]
        .into_iter()
        .filter_map(behind)
        .collect();
    Some(Found {
        of: &FINDING,
        sure: Sureness::Seen,
        standing: &[],
        says: Statement::new("finding-cache-drop-says")
            .with("cache", Quantity::Size(cache))
            .with("before", Quantity::MegabytesPerSecond(before))
            .with("after", Quantity::MegabytesPerSecond(after))
            .with("factor", Quantity::Factor(before / after)),
        does: None,
        figures,
    })
}
