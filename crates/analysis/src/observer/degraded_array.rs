//! An array lacks a drive, or is being rebuilt: the missing data is computed from the others at each read, and the
//! rebuild reads and writes concurrently. It is slower than the intact array.

use base::surroundings::LayerKind;
use results::{RunResult, Statement};

use super::{Figures, Kind, has_layer, naming_layers};

pub(super) const KIND: Kind = Kind {
    id: "degraded-array",
    worsens: &[Figures::ResponseTimes, Figures::Rates],
    holds: |result| has_layer(result, KINDS),
    says,
    does: "reservation-degraded-array-do",
};

const KINDS: &[LayerKind] = &[LayerKind::DegradedArray];

fn says(results: &[&RunResult]) -> Statement {
    naming_layers("reservation-degraded-array", results, KINDS)
}
