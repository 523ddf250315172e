//! A drive that the measured one may be a twin of: a kind, a capacity, a link.

use results::twin::TwinStructure;
use sim::interface::Interface;

/// A drive of a kind, of which no more is said than its capacity, its link and what `explain` found.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Its kind.
    pub(super) kind: String,
    /// The drive's name for people.
    pub(super) title: String,
    pub(super) interface: Interface,
    /// Discs, not flash.
    pub(super) has_discs: bool,
    /// Its file, which has the head alone.
    pub(super) path: String,
    /// The head of its file, with the values that no search moves.
    pub(super) head: String,
    /// Those of them that `explain` found.
    pub(super) structure: Vec<TwinStructure>,
}
