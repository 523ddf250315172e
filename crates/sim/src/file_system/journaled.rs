//! What the journaling file systems of Linux are told: when times are noted, when what has changed
//! goes to the log, when it is written in place, and whether a commit flushes the drive.
//!
//! Parameters: `times`, `commit_s` and `in_place_s` in seconds, `barrier`. Sources: those of each file
//! system.

use base::size::Bytes;
use base::workload::Span;
use serde::Deserialize;

use super::{Log, Times, seconds};
use crate::sheet::{Section, Sourced};

/// The parameters that a host's file gives.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Journaled {
    pub(super) times: Sourced<Times>,
    pub(super) commit_s: Sourced<f64>,
    in_place_s: Sourced<f64>,
    barrier: Sourced<bool>,
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
    /// The values with units and ranges.
    pub(super) fn section(&self, name: &'static str) -> Section {
        Section::new(
            name,
            vec![
                self.times.plain_row("times", ""),
                self.commit_s.row("commit_s", "s", 0.001..=3_600.0),
                self.in_place_s.row("in_place_s", "s", 0.001..=3_600.0),
                self.barrier.plain_row("barrier", ""),
            ],
        )
    }

    /// A log that lies there.
    pub(super) fn log(&self, span: Span, commit: &Commit) -> Log {
        Log {
            span,
            commit: commit.head,
            a_page: commit.a_page,
            unit: commit.unit,
            in_place: seconds(&self.in_place_s),
            barrier: self.barrier.get(),
        }
    }
}
