//! A drive that the measured one may be a twin of: a kind, a capacity, a link.

use std::path::Path;

use lab::LabError;
use lab::whole_file::write_whole;
use results::twin::TwinStructure;
use sim::interface::Interface;

use crate::error::AccuracyError;

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
    /// What of it `explain` found.
    pub(super) structure: Vec<TwinStructure>,
    /// Whether what `explain` found allows a drive of this kind.
    pub(super) is_admitted: bool,
}

/// Writes a candidate's file.
pub(super) fn write(path: &str, head: &str) -> Result<(), AccuracyError> {
    let path = Path::new(path);
    write_whole(path, head.as_bytes()).map_err(|source| {
        LabError::File {
            path: path.to_owned(),
            source,
        }
        .into()
    })
}
