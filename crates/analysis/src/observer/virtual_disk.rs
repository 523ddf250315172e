//! A hypervisor's disk: the memory of its host may answer, and the effect of a flush is up to the host.

use base::surroundings::LayerKind;
use results::{RunResult, Statement};

use super::{Kind, has_layer, naming_layers};

pub(super) const KIND: Kind = Kind {
    id: "virtual-disk",
    worsens: &[],
    holds: |result| has_layer(result, KINDS),
    says,
    does: "reservation-virtual-disk-do",
};

const KINDS: &[LayerKind] = &[LayerKind::VirtualDisk];

fn says(results: &[&RunResult]) -> Statement {
    naming_layers("reservation-virtual-disk", results, KINDS)
}
