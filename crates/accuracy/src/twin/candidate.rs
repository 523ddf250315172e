//! A drive that the measured one may be a twin of: a kind, a capacity, a link.

use sim::interface::Interface;

/// A drive of a kind, of which no more is said than its capacity and its link.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Its kind.
    pub(super) kind: String,
    /// The drive's name for people.
    pub(super) title: String,
    pub(super) interface: Interface,
    /// Discs, not flash.
    pub(super) has_discs: bool,
    /// Its file, which has a head alone.
    pub(super) path: String,
    /// The head of its file.
    pub(super) head: String,
}
