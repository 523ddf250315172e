//! A layer between the target and the drive adds to each I/O, or answers instead of the drive. A part of a drive, and
//! several drives as one, are measured intentionally.

use base::surroundings::LayerKind;
use results::{RunResult, Statement};

use super::{Kind, has_layer, naming_layers};

pub(super) const KIND: Kind = Kind {
    id: "layer-beneath",
    worsens: &[],
    holds: |result| has_layer(result, KINDS),
    says,
    does: "reservation-layer-beneath-do",
};

const KINDS: &[LayerKind] = &[
    LayerKind::Cache,
    LayerKind::Copies,
    LayerKind::Encryption,
    LayerKind::Thin,
    LayerKind::Snapshot,
    LayerKind::Loop,
    LayerKind::Network,
    LayerKind::UserSpace,
];

fn says(results: &[&RunResult]) -> Statement {
    naming_layers("reservation-layer-beneath", results, KINDS)
}
