//! A part of the surface is far slower than what lies around it.
//!
//! A disk reads a sector that it can hardly make out again and again, and a cell of flash with other thresholds, before
//! it gives up: what is slow today is unreadable tomorrow. So a place that takes far longer than both of its sides, in a
//! scan that read it without an error ([`crate::surface`]), is told with its address. What every drive of the kind has,
//! a step from zone to zone or at the end of what was written, is none.

use base::io::Op;
use results::RunResult;
use results::statement::{Quantity, Statement};
use results::surface::WeakArea;
use results::uses::Standing;

use super::{Evidence, Finding, Found, Severity, Sureness};
use crate::observer::{Figures, is_worsened};
use crate::surface::{weak_areas, weak_areas_of_disk};

pub(super) const FINDING: Finding = Finding {
    id: "weak-area",
    severity: Severity::Weakness,
    look,
};

/// What an array or a recorder waits for.
const STANDING: &[(&str, Standing)] = &[
    ("nas", Standing::Limited),
    ("continuous-recording", Standing::Limited),
];

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    let of = |result: &&'a RunResult| {
        let areas: Vec<WeakArea> = match evidence.is_disk() {
            Some(true) => weak_areas_of_disk(result),
            _ => weak_areas(result, &[]),
        };
        let read = areas.into_iter().filter(|area| area.op == Op::Read);
        let worst = read.max_by(|a, b| a.factor.total_cmp(&b.factor))?;
        Some((*result, worst))
    };
    let all = evidence.results.iter().filter_map(of);
    let (result, worst) = all.max_by(|a, b| a.1.factor.total_cmp(&b.1.factor))?;
    let disturbed = is_worsened(Figures::ResponseTimes, result);
    Some(Found {
        of: &FINDING,
        sure: match disturbed {
            true => Sureness::Possible,
            false => Sureness::Seen,
        },
        standing: if disturbed { &[] } else { STANDING },
        says: Statement::new("finding-weak-area-says")
            .with("from", Quantity::Place(worst.from))
            .with("to", Quantity::Place(worst.to))
            .with("factor", Quantity::Factor(worst.factor))
            .with("longest", Quantity::Time(worst.worst)),
        does: None,
        figures: Vec::new(),
    })
}
