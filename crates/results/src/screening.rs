//! Which drives of a batch are accepted, and which one is the odd one out.

use base::health::Condition;
use base::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What each drive of a batch must keep to; what is not given is not asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// The longest response of all.
    pub response_max: Option<Duration>,
    /// The 99th percentile of the responses of each kind of I/O.
    pub response_p99: Option<Duration>,
    /// How far an eighth of a transfer curve may be below the batch's median, in per cent of it.
    pub curve_below_percent: Option<f64>,
    /// I/Os that failed.
    pub errors: Option<u64>,
    /// The worst condition that is accepted.
    pub condition: Option<Condition>,
    /// Sectors or blocks that were replaced.
    pub reallocated: Option<u64>,
    /// Sectors that wait to be replaced.
    pub pending: Option<u64>,
    /// Errors that could not be corrected.
    pub uncorrectable: Option<u64>,
    /// Degrees Celsius at any time.
    pub temperature_celsius: Option<i64>,
    /// Robust z above which a drive of a large batch stands out.
    pub odd: f64,
}

/// What came of a batch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Screening {
    /// What was asked of each drive: the plan's `[screen]`.
    pub limits: Limits,
    /// Oddness beyond which one of a batch of this size stands out; absent if the batch is too small to tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub odd_beyond: Option<f64>,
    /// The target that stands out furthest, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub odd_one: Option<String>,
    /// Each drive, in the order of the plan.
    pub drives: Vec<Screened>,
}

/// How a drive of a batch was judged.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Screened {
    /// The target's name.
    pub target: String,
    /// What it is, with its serial number if that is known.
    pub title: String,
    /// Whether it keeps to every limit.
    pub accepted: bool,
    /// Why it does not.
    pub reasons: Vec<String>,
    /// How far it stands off the batch: the greatest of the three robust z scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oddness: Option<f64>,
    /// Median z of a method's figures, of the method where it is greatest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figures_z: Option<f64>,
    /// Greatest z of its transfer curves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curves_z: Option<f64>,
    /// Greatest z of its response distributions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub responses_z: Option<f64>,
    /// The measures that stand off furthest, with their z: three at most.
    pub furthest: Vec<String>,
}

impl Screening {
    /// Drives that are not accepted.
    pub fn refused(&self) -> usize {
        self.drives.iter().filter(|drive| !drive.accepted).count()
    }
}
