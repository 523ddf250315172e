//! Playing out without a gap: the same streams as in recording, read.

use super::{Bound, Means, Rule, Source, Use};

/// The use.
pub(super) const USE: Use = Use {
    id: "continuous-play-out",
    rules: &[
        Rule {
            id: "play-slowest",
            sources: &[
                Source::at_the_end("full-scan", "read.innermost.bottom"),
                Source::whole("hd-tune", "read.min"),
            ],
            unit: "MB/s",
            bound: Bound::AtLeast(110.5, 55.0),
            means: Means::Times(110.5),
        },
        Rule {
            id: "play-worst",
            sources: &[
                Source::whole("full-scan", "read.response.max"),
                Source::whole("quick-scan", "read.response.max"),
            ],
            unit: "ms",
            bound: Bound::AtMost(100.0, 1_000.0),
            means: Means::Itself,
        },
        Rule {
            id: "play-errors",
            sources: &[Source::whole("full-scan", "read.errors")],
            unit: "count",
            bound: Bound::AtMost(0.0, 0.0),
            means: Means::Itself,
        },
    ],
};
