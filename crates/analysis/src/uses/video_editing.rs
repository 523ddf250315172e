//! Cutting film: several streams read at once while others are written, for hours.
//!
//! The measure is a stream of ProRes 422 HQ in UHD at 29.97 pictures a second: 884 Mbit/s, 110.5 MB/s
//! (Apple, "ProRes White Paper", table of target data rates).

use super::{Bound, Means, Rule, Source, Use};

/// The use.
pub(super) const USE: Use = Use {
    id: "video-editing",
    rules: &[
        Rule {
            id: "stream-reads",
            sources: &[
                Source::whole("full-scan", "read.mean"),
                Source::whole("quick-scan", "read.mean"),
                Source::whole("hd-tune", "read.mean-by-time"),
            ],
            unit: "MB/s",
            bound: Bound::AtLeast(331.5, 110.5),
            means: Means::Times(110.5),
        },
        Rule {
            id: "stream-writes",
            sources: super::LASTING_WRITES,
            unit: "MB/s",
            bound: Bound::AtLeast(221.0, 110.5),
            means: Means::Times(110.5),
        },
        Rule {
            id: "copy-within",
            sources: &[Source::of("delay-ratio", "delay_ratio")],
            unit: "ratio",
            // As long as apart, and a tenth by which runs of one copy differ.
            bound: Bound::AtMost(1.1, 2.0),
            means: Means::Itself,
        },
    ],
};
