//! A disk model beside real disks, whose traces were replayed on it. All times are in milliseconds.

use schemars::JsonSchema;
use serde::Serialize;

/// The schema of a validation.
pub const VALIDATION_SCHEMA: &str = "drivelab.validate/1";

/// The disk model beside the disks of a directory.
///
/// ```json
/// {
///   "schema": "drivelab.validate/1",
///   "disks": [
///     {
///       "name": "seagate-cheetah-9lp-st39102lw",
///       "requests": 10000,
///       "mean_ms": 4.2302,
///       "measured_mean_ms": 4.2731,
///       "demerit_ms": 0.1071,
///       "disksim_demerit_ms": 0.107,
///       "classes": [
///         {
///           "class": "random-read",
///           "requests": 3267,
///           "mean_ms": 9.333,
///           "measured_mean_ms": 9.311,
///           "demerit_ms": 0.065
///         },
///         "..."
///       ]
///     },
///     "..."
///   ]
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Validation {
    /// [`VALIDATION_SCHEMA`].
    pub schema: &'static str,
    /// One for each disk, by the names of their files.
    pub disks: Vec<ValidatedDisk>,
    /// Why other disks of the directory could not be used, a line each, with the file that is wrong.
    pub unusable: Vec<String>,
}

/// One disk: simulated and measured responses to the same requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ValidatedDisk {
    /// The name of the disk in its file of parameters.
    pub name: String,
    /// On all requests of its trace.
    #[serde(flatten)]
    pub all: Agreement,
    /// The demerit figure that DiskSim reaches on this trace, if the disk's file says so.
    pub disksim_demerit_ms: Option<f64>,
    /// On the requests of each kind that the trace has.
    pub classes: Vec<ValidatedClass>,
    /// Simulated responses in milliseconds, growing.
    #[serde(skip)]
    pub simulated_ms: Vec<f64>,
    /// Measured responses in milliseconds, growing.
    #[serde(skip)]
    pub measured_ms: Vec<f64>,
}

/// The requests of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ValidatedClass {
    /// Which of the requests: reads, writes, in order or not.
    pub class: RequestClass,
    /// On the requests of this kind alone.
    #[serde(flatten)]
    pub agreement: Agreement,
}

/// How near simulated responses are to measured ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Agreement {
    /// Requests of the trace that were compared.
    pub requests: usize,
    /// Mean simulated response.
    pub mean_ms: f64,
    /// Mean measured response.
    pub measured_mean_ms: f64,
    /// Root mean square distance between the two distributions of response times: both lists sorted, paired by
    /// rank.
    pub demerit_ms: f64,
}

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RequestClass {
    /// A read that begins anywhere else.
    RandomRead,
    /// A read that begins within 2 MiB of the end of the request before it.
    NearRead,
    /// A read that begins where the request before it ended.
    SequentialRead,
    /// A write.
    Write,
}

impl RequestClass {
    /// All of them, in the order in which they are shown.
    pub const ALL: [RequestClass; 4] = [
        RequestClass::RandomRead,
        RequestClass::NearRead,
        RequestClass::SequentialRead,
        RequestClass::Write,
    ];

    /// Its name in a document.
    pub const fn name(self) -> &'static str {
        match self {
            RequestClass::RandomRead => "random-read",
            RequestClass::NearRead => "near-read",
            RequestClass::SequentialRead => "sequential-read",
            RequestClass::Write => "write",
        }
    }
}
