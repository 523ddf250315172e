//! A drive in a network storage box: a line to be filled, users that come at the same time, an array
//! that must not lose the drive, and a rebuild that reads every sector.
//!
//! A Gigabit Ethernet line has 125 MB/s; a frame of 1,538 bytes (with preamble and gap) carries 1,460
//! of TCP data: 118.7 MB/s, which no file server reaches: headers of SMB and NFS and their turns take some 5 % of it, so
//! that about 112 MB/s of files are left (an estimate).
//!
//! 32 outstanding I/Os represent many users waiting at the same moment. A disk of 5,400 rpm serves about 230 I/Os per
//! second at such a queue depth, so that each waits 32 / 230 s = 140 ms, and one of 7,200 rpm about 100 ms: with the
//! 100 ms that a desktop user perceives as immediate no disk would be fit for a NAS, and nobody expects it of a
//! network. The limit is 400 ms, up to which people work without waiting (Doherty and Thadani, "The Economic Value of
//! Rapid Response Time", IBM 1982).

use super::{Bound, Means, Rule, Source, Use};

/// MB/s of files that a Gigabit line carries.
const LINE: f64 = 112.0;

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
            bound: Bound::AtLeast(LINE, LINE / 2.0),
            means: Means::Times(LINE),
        },
        Rule {
            id: "line-writes",
            sources: super::LASTING_WRITES,
            unit: "MB/s",
            bound: Bound::AtLeast(LINE, LINE / 2.0),
            means: Means::Times(LINE),
        },
        Rule {
            id: "many-users",
            sources: &[Source::of(
                "iometer",
                "file-server.qd32.total.response.mean",
            )],
            unit: "ms",
            bound: Bound::AtMost(400.0, 1_000.0),
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
