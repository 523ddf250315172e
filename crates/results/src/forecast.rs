//! What a run would take and write, and what would refuse it: a dry run as a document.

use schemars::JsonSchema;
use serde::Serialize;

use crate::plan::PlanForecast;

/// The schema of a dry run.
pub const FORECAST_SCHEMA: &str = "drivelab.forecast/1";
/// The schema of the list of questions.
pub const QUESTIONS_SCHEMA: &str = "drivelab.questions/1";

/// What a dry run says. The exit code is 2 if the run would be refused.
///
/// ```json
/// {
///   "schema": "drivelab.forecast/1",
///   "forecast": {
///     "real_hours": 0.1,
///     "simulated_seconds": 0.0,
///     "estimated": true,
///     "steps": [],
///     "targets": []
///   },
///   "lines": ["crystaldiskmark on .:", "  a test file of 256 MiB is made, and removed"],
///   "refused": "crystaldiskmark would overwrite data on /dev/sda: add --destroy-data and --confirm with S59A"
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DryRun {
    /// The schema.
    pub schema: &'static str,
    /// Time and bytes, of each step and each target.
    pub forecast: PlanForecast,
    /// The same in words, with every range that would be written, in the language of the process.
    pub lines: Vec<String>,
    /// Why the run would be refused, as the command line says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// The questions of `drivelab ask`.
///
/// ```json
/// {
///   "schema": "drivelab.questions/1",
///   "questions": [{ "id": "cache", "asks": "How large is its cache?", "least_drives": 1, "most_drives": 1 }]
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Questions {
    /// The schema.
    pub schema: &'static str,
    /// The questions, in the order of the list.
    pub questions: Vec<QuestionListing>,
}

/// One question.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct QuestionListing {
    /// Its name on the command line.
    pub id: &'static str,
    /// The question in words, in the language of the process.
    pub asks: String,
    /// How many drives it is about, at least.
    pub least_drives: usize,
    /// How many, at most.
    pub most_drives: usize,
}
