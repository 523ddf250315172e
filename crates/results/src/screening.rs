//! Which drives of a batch are accepted, which a person must check, and which one is the outlier.

use base::health::Condition;
use base::{Duration, Message};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RunResult;
use crate::statement::Statement;
use crate::surface::Surface;

/// The limits for each drive of a batch; an absent one is not checked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// The longest response of all.
    pub response_max: Option<Duration>,
    /// The 99th percentile of the responses of each kind of I/O.
    pub response_p99: Option<Duration>,
    /// The longest read, in addition to [`Limits::response_max`]: the stricter of the two applies, as for the next
    /// three.
    #[serde(default)]
    pub read_max: Option<Duration>,
    /// The 99th percentile of reads.
    #[serde(default)]
    pub read_p99: Option<Duration>,
    /// The longest write.
    #[serde(default)]
    pub write_max: Option<Duration>,
    /// The 99th percentile of writes.
    #[serde(default)]
    pub write_p99: Option<Duration>,
    /// How far an eighth of a transfer curve may be below the batch's median, in per cent of it.
    pub curve_below_percent: Option<f64>,
    /// I/Os that failed; none may where it is not given.
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
    /// Robust z above which a drive of a large batch is an outlier.
    pub odd: f64,
}

/// What came of a batch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Screening {
    /// The limits for each drive: the plan's `[screen]`.
    pub limits: Limits,
    /// Oddness limit for a batch of this size; absent if the batch is too small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub odd_beyond: Option<f64>,
    /// The outlier, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub odd_one: Option<String>,
    /// How many models there are: only drives of the same one are compared with each other.
    #[serde(default, skip_serializing_if = "is_one")]
    pub models: usize,
    /// Each drive, in the order of the plan.
    pub drives: Vec<Screened>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for it
fn is_one(models: &usize) -> bool {
    *models <= 1
}

impl Screening {
    /// The oddness of the outlier; 0 if there is none.
    pub fn furthest_odd(&self) -> f64 {
        let odd = self.drives.iter();
        let mut odd = odd.filter(|drive| Some(&drive.target) == self.odd_one.as_ref());
        odd.find_map(|drive| drive.oddness).unwrap_or(0.0)
    }
}

/// What becomes of a drive of a batch, the best first.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Acceptance")]
pub enum Acceptance {
    /// It is within every limit, and like the others.
    #[default]
    Accept,
    /// It is within every limit but unlike the others, or something could not be determined: a person must check.
    Look,
    /// It breaks a limit, an I/O failed on it, or a result is missing.
    Reject,
}

/// How a drive of a batch was judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Screened {
    /// The target's name.
    pub target: String,
    /// What it is, with its serial number if that is known.
    pub title: String,
    /// What becomes of it.
    pub verdict: Acceptance,
    /// Why it is not accepted; those that reject it first.
    pub reasons: Vec<Reason>,
    /// Its deviation from the batch: the greatest of the three robust z scores.
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
    /// The measures with the largest deviations: three at most.
    pub furthest: Vec<Deviation>,
    /// Its surface map, position by position, from its finest scan; empty if none of its methods is a scan.
    pub surfaces: Vec<Surface>,
}

/// Why a drive is not accepted.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Reason {
    /// Whether it is rejected for it, or is to be checked.
    pub verdict: Acceptance,
    /// The method that found it; absent where it is of the drive as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<Measured>,
    /// What it is.
    pub says: Statement,
    /// Its basis, in English sentences, if there is more to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<Message>,
}

/// A method, and where it has several measurements, which of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Measured {
    /// The method's name.
    pub id: String,
    /// Its title in English and in Japanese; the latter may be empty.
    pub titles: [String; 2],
    /// The phase, if a single phase is a separate measurement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
}

impl Measured {
    /// All of a result.
    pub fn of(result: &RunResult) -> Measured {
        Measured {
            id: result.method.clone(),
            titles: [result.method_title.clone(), result.method_title_ja.clone()],
            phase: None,
        }
    }
}

/// A measure in which a drive deviates from its batch.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Deviation {
    /// The method.
    pub method: Measured,
    /// What kind of measure it is.
    pub kind: Evidence,
    /// A figure's key; of a curve or of responses, the operation.
    pub key: String,
    /// Its robust z.
    pub z: f64,
}

/// Kinds of measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ScreeningEvidence")]
pub enum Evidence {
    /// A figure of a method.
    Figure,
    /// A transfer curve.
    Curve,
    /// A distribution of response times.
    Response,
}

impl Screening {
    /// Number of drives with this outcome.
    pub fn count(&self, verdict: Acceptance) -> usize {
        let drives = self.drives.iter();
        drives.filter(|drive| drive.verdict == verdict).count()
    }

    /// What became of the batch: of its worst drive.
    pub fn worst(&self) -> Acceptance {
        let drives = self.drives.iter().map(|drive| drive.verdict);
        drives.max().unwrap_or_default()
    }
}
