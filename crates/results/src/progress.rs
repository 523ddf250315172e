//! Progress of a run, one line of JSON per update.

use schemars::JsonSchema;
use serde::Serialize;

/// The schema of a line of progress.
pub const PROGRESS_SCHEMA: &str = "drivelab.progress/1";

/// One line of `--progress json`, on standard error; at most five a second, and one for each message.
///
/// ```json
/// {
///   "schema": "drivelab.progress/1",
///   "step": 9,
///   "of": 12,
///   "target": "Samsung SSD 970 EVO Plus 1TB",
///   "method": "Quick scan",
///   "phase": "read region 012",
///   "mb_s": 3412.5,
///   "iops": 26660.2,
///   "p99_ms": 0.213,
///   "fraction": 0.41,
///   "seconds_left": 42.0,
///   "seconds_left_in_all": 180.0
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ProgressLine {
    /// The schema.
    pub schema: &'static str,
    /// Which run of a plan, a review or several targets it is, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// Of how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<usize>,
    /// The target, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The method's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Rate of the phase so far, in MB/s (10^6).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mb_s: Option<f64>,
    /// I/Os a second of the phase so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops: Option<f64>,
    /// 99th percentile of the phase's latencies so far, in ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p99_ms: Option<f64>,
    /// Progress of the method, 0 to 1, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fraction: Option<f64>,
    /// Seconds left for the method, in the computer's time also on a modelled drive; if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_left: Option<f64>,
    /// Seconds left for all runs together, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_left_in_all: Option<f64>,
    /// A message for the user, instead of all of the above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}
