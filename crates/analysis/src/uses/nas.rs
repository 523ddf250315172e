//! A drive in a network storage box: a line to be filled, users that come at the same time, an array
//! that must not lose the drive, and a rebuild that reads every sector.
//!
//! A Gigabit Ethernet line has 125 MB/s; a frame of 1,538 bytes (with preamble and gap) carries 1,460
//! of TCP data: 118.7 MB/s.

use super::{Bound, Means, Rule, Source, Use};

/// The use.
pub(super) const USE: Use = Use {
    id: "nas",
    rules: &[
        Rule {
            id: "line-reads",
            sources: &[
                Source::whole("full-scan", "read.mean"),
                Source::whole("quick-scan", "read.mean"),
                Source::whole("hd-tune", "read.mean-by-time"),
            ],
            unit: "MB/s",
            bound: Bound::AtLeast(118.7, 59.3),
            means: Means::Times(118.7),
        },
        Rule {
            id: "line-writes",
            sources: super::LASTING_WRITES,
            unit: "MB/s",
            bound: Bound::AtLeast(118.7, 59.3),
            means: Means::Times(118.7),
        },
        Rule {
            id: "many-users",
            sources: &[Source::of(
                "iometer",
                "file-server.qd32.total.response.mean",
            )],
            unit: "ms",
            bound: Bound::AtMost(100.0, 1_000.0),
            means: Means::Itself,
        },
        Rule {
            id: "array-reads",
            sources: &[
                Source::whole("full-scan", "read.response.max"),
                Source::whole("quick-scan", "read.response.max"),
            ],
            unit: "ms",
            bound: Bound::AtMost(1_000.0, 7_000.0),
            means: Means::Itself,
        },
        Rule {
            id: "array-writes",
            sources: &[
                Source::whole("full-scan", "write.response.max"),
                Source::whole("quick-scan", "write.response.max"),
            ],
            unit: "ms",
            bound: Bound::AtMost(1_000.0, 7_000.0),
            means: Means::Itself,
        },
        Rule {
            id: "rebuild",
            sources: &[Source::whole("full-scan", "read.errors")],
            unit: "count",
            bound: Bound::AtMost(0.0, 0.0),
            means: Means::Itself,
        },
    ],
};
