//! Recording without a gap, until the drive is full: pictures or samples that do not wait.
//!
//! The measures are a UHD stream of 884 Mbit/s and an HD stream at 59.94 pictures a second of
//! 440 Mbit/s (ProRes 422 HQ; Apple, "ProRes White Paper", table of target data rates).

use super::{Bound, Means, Rule, Source, Use};

/// The use.
pub(super) const USE: Use = Use {
    id: "continuous-recording",
    rules: &[
        Rule {
            id: "record-rate",
            sources: super::LASTING_WRITES,
            unit: "MB/s",
            bound: Bound::AtLeast(110.5, 55.0),
            means: Means::Times(110.5),
        },
        Rule {
            id: "record-slowest",
            sources: &[Source::at_the_end("full-scan", "write.innermost.bottom")],
            unit: "MB/s",
            bound: Bound::AtLeast(110.5, 55.0),
            means: Means::Times(110.5),
        },
        Rule {
            id: "record-worst",
            sources: &[
                Source::whole("full-scan", "write.response.max"),
                Source::whole("quick-scan", "write.response.max"),
            ],
            unit: "ms",
            bound: Bound::AtMost(100.0, 1_000.0),
            means: Means::Itself,
        },
        Rule {
            id: "record-errors",
            sources: &[Source::whole("full-scan", "write.errors")],
            unit: "count",
            bound: Bound::AtMost(0.0, 0.0),
            means: Means::Itself,
        },
    ],
};
