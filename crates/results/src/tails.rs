//! How far the long responses of a modelled drive have been held against a real one's.
//!
//! Means and medians of a model are checked against published figures; tails seldom are, because few have been
//! published. Their causes (a retried read, a collected block, a remapped sector) need not show in any mean, so a model
//! with correct means may have no tail at all. A result of a modelled drive therefore says whether its tails were
//! compared with a real drive's, and by how much they were off.

use base::io::Op;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is known of a target's long responses: percentiles from the 90th on, the longest, standstills.
///
/// ```json
/// {
///   "standing": "compared",
///   "errors": [
///     {
///       "op": "read", "tuned": false, "rate_percent": 2.6, "median_percent": 5.7,
///       "p99_percent": 13.4, "p99_9_percent": 9.3, "longest_factor": 1.5
///     }
///   ]
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "standing", rename_all = "kebab-case")]
pub enum Tails {
    /// The target follows a rule, without a real counterpart: `null:`.
    Exact,
    /// A model whose tails were never compared with a real drive's.
    NotCompared,
    /// A model whose responses were compared with those of a real drive.
    Compared {
        /// How far it was off, by direction.
        errors: Vec<TailErrors>,
    },
}

/// How far a modelled drive's responses were off those of a real one: medians over the rows compared.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TailErrors {
    /// The direction.
    pub op: Op,
    /// Whether values of the model were chosen by these very responses; if not, they were predicted.
    pub tuned: bool,
    /// Of I/Os a second, in per cent of the real drive's.
    pub rate_percent: f64,
    /// Of the median response, in per cent.
    pub median_percent: f64,
    /// Of the 99th percentile, in per cent.
    pub p99_percent: f64,
    /// Of the 99.9th percentile, in per cent.
    pub p99_9_percent: f64,
    /// Of the longest response: how many times too long or too short.
    pub longest_factor: f64,
}

/// A figure of a modelled drive that is known to be wrong: it was published of this very drive, and the model misses it by
/// half or more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KnownMiss {
    /// The figure's name.
    pub key: String,
    /// What was published; absent where it is the time that some data took, and this run had less of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<f64>,
    /// The unit of that; empty for a ratio.
    pub unit: String,
    /// Factor by which the model was off, in either direction, run as by the publisher.
    pub factor: f64,
}

/// The reliability of one figure of a modelled drive, mainly of its tail.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TailMark {
    /// Nobody held the drive's tails against a real one's.
    NotCompared,
    /// They were compared, and this percentile was off by this many per cent.
    OffPercent(f64),
    /// They were compared, and the longest was too long or too short by this factor.
    OffFactor(f64),
    /// This very figure was published of the drive, and the model misses it.
    MissesPublished {
        /// What was published, in the figure's unit; absent where this run's value is of less data.
        published: Option<f64>,
        /// Factor by which the model was off, in either direction.
        factor: f64,
    },
}

impl TailMark {
    /// Whether the figure is evidence about the real drive: it was compared with one, and was not far off.
    pub fn is_told(self) -> bool {
        !matches!(
            self,
            TailMark::NotCompared | TailMark::MissesPublished { .. }
        )
    }

    /// Whether it is known to be wrong: it takes no part in ranks and verdicts.
    pub fn is_known_miss(self) -> bool {
        matches!(self, TailMark::MissesPublished { .. })
    }

    /// The upper bound of a real drive's figure if the model gives `value`; infinite if unknown.
    pub fn at_worst(self, value: f64) -> f64 {
        match self {
            TailMark::OffPercent(percent) if percent < 100.0 => value / (1.0 - percent / 100.0),
            TailMark::OffFactor(factor) => value * factor,
            TailMark::NotCompared | TailMark::OffPercent(_) | TailMark::MissesPublished { .. } => {
                f64::INFINITY
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_may_be_as_much_greater_as_the_model_was_found_too_small() {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(near(TailMark::OffPercent(50.0).at_worst(10.0), 20.0));
        assert!(near(TailMark::OffFactor(2.5).at_worst(10.0), 25.0));
        assert!(TailMark::OffPercent(120.0).at_worst(10.0).is_infinite());
        assert!(TailMark::NotCompared.at_worst(10.0).is_infinite());
    }
}
