//! Progress of a run, one line of JSON per update.

use schemars::JsonSchema;
use serde::Serialize;

/// The schema of a line of progress.
pub const PROGRESS_SCHEMA: &str = "drivelab.progress/2";

/// One line of `--progress json`, on standard error; at most five a second, and one for each message.
///
/// ```json
/// {
///   "schema": "drivelab.progress/2",
///   "step": 9,
///   "of": 12,
///   "target": "Samsung SSD 970 EVO Plus 1TB",
///   "method": "Quick scan",
///   "phase": "read region 012",
///   "mb_s": 3412.5,
///   "iops": 26660.2,
///   "p99_ms": 0.213,
///   "since": {
///     "from_seconds": 11.8,
///     "to_seconds": 12.0,
///     "from_byte": 410000000000,
///     "to_byte": 410700000000,
///     "mb_s": 3500.0,
///     "iops": 26702.9,
///     "p50_ms": 0.037,
///     "p99_ms": 0.210,
///     "longest_ms": 4.8
///   },
///   "worst": [{ "at_seconds": 11.9, "op": "read", "byte": 410123456512, "ms": 4.8 }],
///   "temperature_celsius": 46,
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
    /// What was completed since the line before, of the same phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Stretch>,
    /// The longest I/Os of them that are among the longest of the phase, ten at most, the longest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub worst: Vec<LongIo>,
    /// What the drive said of its temperature last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature_celsius: Option<i64>,
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

/// A stretch of a phase, from one line of progress to the next: a point of a curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Stretch {
    /// Since the beginning of the phase, as the target's clock has it.
    pub from_seconds: f64,
    /// Its end.
    pub to_seconds: f64,
    /// Of one sequential stream: everything below was done at its beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_byte: Option<u64>,
    /// The same at its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_byte: Option<u64>,
    /// In MB/s (10^6).
    pub mb_s: f64,
    /// I/Os a second.
    pub iops: f64,
    /// Median of what was waited, reads and writes together; of several rings the first one's, as all that follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<f64>,
    /// 99th percentile, if enough were completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p99_ms: Option<f64>,
    /// The longest one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_ms: Option<f64>,
}

/// A long I/O.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct LongIo {
    /// When it was complete, since the beginning of the phase.
    pub at_seconds: f64,
    /// `read`, `write`, `trim` or `flush`.
    pub op: &'static str,
    /// Its first byte.
    pub byte: u64,
    /// What was waited for it.
    pub ms: f64,
}
