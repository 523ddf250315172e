//! The drive that the system starts from: many small accesses, one waiting for the other, and a person
//! who waits for all of them.

use super::{Bound, Means, Rule, Source, Use};

/// The use.
pub(super) const USE: Use = Use {
    id: "os-drive",
    rules: &[
        Rule {
            id: "small-reads",
            sources: super::SMALL_READS,
            unit: "MB/s",
            bound: Bound::AtLeast(15.0, 3.7),
            means: Means::Seconds(18_000.0 * 4_096.0 / 1e6),
        },
        Rule {
            id: "small-writes",
            sources: &[
                Source::of("crystaldiskmark", "rnd4k-q1t1.write.median"),
                Source::of("crystaldiskmark-classic", "4k.write.median"),
                Source::of("as-ssd", "4k.write"),
            ],
            unit: "MB/s",
            bound: Bound::AtLeast(15.0, 3.7),
            means: Means::Seconds(18_000.0 * 4_096.0 / 1e6),
        },
        Rule {
            id: "worst-beside-load",
            sources: &[Source::sampled("latency-watch", "loaded.worst")],
            unit: "ms",
            bound: Bound::AtMost(100.0, 1_000.0),
            means: Means::Itself,
        },
        Rule {
            id: "stutters",
            sources: &[Source::sampled("latency-watch", "loaded.stutters")],
            unit: "per min",
            bound: Bound::AtMost(0.0, 6.0),
            means: Means::Itself,
        },
    ],
};
