//! An array lacks a drive, or is being filled again: what the missing one held is computed from the others at each read, and
//! the rebuilding reads and writes beside the run. It is slower than the array is when it is whole.

use base::surroundings::LayerKind;
use results::RunResult;
use results::statement::Statement;

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
