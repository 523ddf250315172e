//! Starting and playing games: large files in one go, many pieces that wait for each other, and reads
//! while the picture moves.

use super::{Bound, Means, Rule, Source, Use};

/// The use.
pub(super) const USE: Use = Use {
    id: "game-load",
    rules: &[
        Rule {
            id: "level-rate",
            sources: super::LARGE_READS,
            unit: "MB/s",
            bound: Bound::AtLeast(500.0, 167.0),
            means: Means::Seconds(10_000.0),
        },
        Rule {
            id: "game-trace",
            sources: &[
                Source::of("application-traces", "games.load.bandwidth"),
                Source::of("application-traces", "full-system.game.bandwidth"),
            ],
            unit: "MB/s",
            bound: Bound::AtLeast(200.0, 50.0),
            means: Means::Seconds(2_000.0),
        },
        Rule {
            id: "within-a-frame",
            sources: &[Source::sampled("latency-watch", "loaded.p99.9")],
            unit: "ms",
            bound: Bound::AtMost(16.7, 100.0),
            means: Means::Itself,
        },
    ],
};
