//! Data that have lain for months are read slowly.
//!
//! Cells lose charge. If a drive's reads then need several retries with other voltages, old files are read at a
//! fraction of the speed of new ones, although nothing is lost (Samsung's 840 and 840 EVO, 2014). Benchmarks read what
//! they have just written and never see it.

use results::{Quantity, Statement};

use super::{Behind, Evidence, Finding, Found, Severity};
use crate::answers::figures;

pub(super) const FINDING: Finding = Finding::new("slow-old-data", Severity::Weakness, look);

/// What is left of the rate, at most: less than two thirds is felt.
const SHARE: f64 = 2.0 / 3.0;

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    let result = evidence.method("retention").next()?;
    let mut rates: Vec<(f64, Behind<'a>)> = result
        .figures
        .iter()
        .filter_map(|figure| {
            let days = figure.key.strip_prefix("after-")?.strip_suffix("d.rate")?;
            figures::figure(result, &figure.key)?;
            Some((days.parse().ok()?, Behind { result, figure }))
        })
        .collect();
    rates.sort_by(|a, b| a.0.total_cmp(&b.0));
    let rate = |of: &(f64, Behind<'a>)| figures::mb_s(result, &of.1.figure.key);
    let (new, old) = (rates.first()?, rates.last()?);
    let (fresh, slowest) = (rate(new)?, rate(old)?);
    let slow = |of: &&(f64, Behind<'a>)| rate(of).is_some_and(|rate| rate < SHARE * fresh);
    // From here on all that is older is slow: one slow reading in between is no ageing.
    let lasting = rates.iter().rev().take_while(slow);
    let from = lasting.last()?;
    let says = Statement::new("finding-slow-old-data-says")
        .with("days", Quantity::Count(from.0 as u64))
        .with("then", Quantity::MegabytesPerSecond(rate(from)?))
        .with("fresh", Quantity::MegabytesPerSecond(fresh))
        .with("last", Quantity::Count(old.0 as u64))
        .with("slowest", Quantity::MegabytesPerSecond(slowest));
    Some(Found {
        figures: vec![new.1, from.1, old.1],
        ..FINDING.found(says)
    })
}
