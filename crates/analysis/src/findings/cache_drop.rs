//! The fast cache ends, and the rate after it is much lower.
//!
//! Flash in SLC mode accepts data several times as fast as TLC or QLC, so drives write new data that way first. The
//! rate of a large copy after the cache is a property of the drive that data sheets omit; half of the speed or less is
//! visible to any user in a copy's progress.

use base::size::Bytes;
use results::{Quantity, Statement};

use super::{Evidence, Finding, Found, Severity};
use crate::answers::figures::{mb_s, size};

pub(super) const FINDING: Finding = Finding::new("cache-drop", Severity::Caution, look);

/// What is left of the speed where the drop counts: half, below which a copy takes twice as long as it promised.
const SHARE: f64 = 0.5;

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    let fill = evidence.figure("slc-fill", "after.rate")?;
    let result = fill.result;
    let (before, after) = (mb_s(result, "before.rate")?, mb_s(result, "after.rate")?);
    let cache = size(result, "cache.size")?;
    // Faster than the link carries is the host's memory, whose end is no end of the drive's cache.
    let link = evidence.target.link;
    let of_the_host =
        link.is_some_and(|link| link.write_mb_s > 0.0 && before > 1.1 * link.write_mb_s);
    if after > SHARE * before || cache == Bytes::ZERO || of_the_host {
        return None;
    }
    let says = Statement::new("finding-cache-drop-says")
        .with("cache", Quantity::Size(cache))
        .with("before", Quantity::MegabytesPerSecond(before))
        .with("after", Quantity::MegabytesPerSecond(after))
        .with("factor", Quantity::Factor(before / after));
    let figures = ["cache.size", "before.rate", "after.rate"];
    Some(Found {
        figures: evidence.figures("slc-fill", &figures),
        ..FINDING.found(says)
    })
}
