//! A host cache answers instead of the drive: rates above those of the link.

use results::{Quantity, Statement};

use super::{Behind, Evidence, Finding, Found, Severity, Sureness};
use crate::answers::figures;
use crate::key;
use base::io::Op;

pub(super) const FINDING: Finding = Finding::new("host-cache", Severity::Caution, look);

/// Minimum excess of a rate over the link's: link rates are known to a few per cent.
const ABOVE: f64 = 1.1;

/// The benchmarks whose data would fit a cache.
const METHODS: [&str; 3] = ["crystaldiskmark", "crystaldiskmark-classic", "quick-scan"];

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    let link = evidence.target.link?;
    let all = METHODS
        .into_iter()
        .flat_map(|method| evidence.method(method));
    let of = |result: &'a results::RunResult| {
        result.figures.iter().filter_map(move |figure| {
            let rate = figures::mb_s(result, &figure.key)?;
            let carries = match key::direction(&figure.key)? {
                Op::Read => link.read_mb_s,
                Op::Write => link.write_mb_s,
                Op::Flush | Op::Trim => return None,
            };
            let takes_part = !figure.key.ends_with(".top");
            (takes_part && carries > 0.0 && rate > ABOVE * carries).then_some((
                rate,
                carries,
                Behind { result, figure },
            ))
        })
    };
    let (rate, carries, behind) = all
        .flat_map(of)
        .max_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)))?;
    let says = Statement::new("finding-host-cache-says")
        .with("rate", Quantity::MegabytesPerSecond(rate))
        .with("carries", Quantity::MegabytesPerSecond(carries));
    Some(Found {
        sure: Sureness::Likely,
        figures: vec![behind],
        ..FINDING.found(says)
    })
}
