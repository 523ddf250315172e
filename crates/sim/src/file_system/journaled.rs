//! What the journaling file systems of Linux are told: when times are noted, when what has changed
//! goes to the log, when it is written in place, and whether a commit flushes the drive.
//!
//! Parameters: `times`, `commit_s` and `in_place_s` in seconds, `barrier`. Sources: those of each file
//! system.

use base::size::Bytes;
use base::workload::Span;

use super::{Log, Times};
use crate::sheet::quantity::{Flag, Seconds, Word};
use crate::sheet::table::parameters;

parameters! {
    /// What a host tells a journaling file system.
    #[derive(Clone, Copy, Debug)]
    pub(super) Journaled from JournaledConfig {
        /// When a write in place becomes a change of the file's times.
        times "times": Word<Times>;
        /// From the first change until what has changed goes to the log.
        commit "commit_s": Seconds in 0.001..=3_600.0;
        /// From then until it is written in place.
        in_place "in_place_s": Seconds in 0.001..=3_600.0;
        /// A commit flushes the drive.
        barrier "barrier": Flag;
    }
}

/// What a commit takes of the log.
pub(super) struct Commit {
    /// Beside what has changed.
    pub(super) head: Bytes,
    /// For each changed page.
    pub(super) a_page: Bytes,
    /// What it is rounded up to.
    pub(super) unit: Bytes,
}

impl Journaled {
    /// A log that lies there.
    pub(super) fn log(&self, span: Span, commit: &Commit) -> Log {
        Log {
            span,
            commit: commit.head,
            a_page: commit.a_page,
            unit: commit.unit,
            in_place: self.in_place,
            barrier: self.barrier,
        }
    }
}
