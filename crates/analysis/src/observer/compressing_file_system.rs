//! Fewer bytes reach the drive than are written: data that can be compressed are faster than the drive, and all data cost
//! the processor.

use base::surroundings::LayerKind;
use results::{RunResult, Statement};

use super::{Kind, has_layer, naming_layers};

pub(super) const KIND: Kind = Kind {
    id: "compressing-file-system",
    worsens: &[],
    holds: |result| has_layer(result, KINDS),
    says,
    does: "reservation-compressing-file-system-do",
};

const KINDS: &[LayerKind] = &[LayerKind::Compression];

fn says(results: &[&RunResult]) -> Statement {
    naming_layers("reservation-compressing-file-system", results, KINDS)
}
