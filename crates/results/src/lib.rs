//! What a run leaves: its figures and charts, the phases behind them, the target, the settings, the environment.
//!
//! These types are the documents: what the store keeps, `--json` prints (`docs/json.md`), and every conclusion and
//! report is drawn from. What is made from many runs is a document, too: a [`sweep`], a [`screening`], a
//! [`reproduction`], a [`validation`]. Who makes one decides what is in it, and a report only shows it.

use std::collections::BTreeMap;
use std::fmt;

use base::chart::Chart;
use base::health::{HealthReading, HealthSample};
use base::method::{Scale, Settings};
use base::record::PhaseRecord;
use base::result::Figure;
use base::target::Info;
use serde::{Deserialize, Serialize};

pub mod reproduction;
pub mod screening;
pub mod sweep;
pub mod validation;

/// The schema that a stored or printed result follows; documented in `docs/json.md`.
pub const RESULT_SCHEMA: &str = "drivelab.result/2";

/// A whole result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// [`RESULT_SCHEMA`].
    pub schema: String,
    /// Its number in the store; 0 where it was not stored.
    pub id: i64,
    /// The method's name.
    pub method: String,
    /// The method's title, in English.
    pub method_title: String,
    /// The method's title in Japanese; empty in a result that was made before methods had one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub method_title_ja: String,
    /// The method's version.
    pub method_version: u32,
    /// The settings.
    pub settings: Settings,
    /// The scale again, for readers in a hurry.
    pub scale: Scale,
    /// True where nothing was shortened or changed, so that it may stand beside published figures.
    pub stands_beside_published: bool,
    /// What was measured.
    pub target: TargetRecord,
    /// Where and by what it was measured.
    pub environment: Environment,
    /// When it began, milliseconds of the Unix epoch; 0 for a model, which has no date.
    pub began_unix_ms: u64,
    /// Figures.
    pub figures: Vec<Figure>,
    /// Charts.
    pub charts: Vec<Chart>,
    /// Phases, in order, with the workloads that made them.
    pub phases: Vec<PhaseRecord>,
    /// Notes of the method.
    pub notes: Vec<String>,
    /// What spoils or limits the result.
    pub warnings: Vec<String>,
    /// Complete, or why it ended early.
    pub ended: RunEnd,
    /// The drive's health before the run; absent where there is no drive that could be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_before: Option<HealthReading>,
    /// The drive's health after the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_after: Option<HealthReading>,
    /// Temperature and bytes written over the time of the run, where the drive tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub health_during: Vec<HealthSample>,
    /// Where the level of a time series steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub change_points: Vec<ChangePoint>,
    /// Every value of every figure, where the method was repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<Repeats>,
}

/// A step of the level of a time series: a cache is full, the drive throttles, collection begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangePoint {
    /// The chart.
    pub chart: String,
    /// The curve in it.
    pub curve: String,
    /// Where on the chart's x axis the new level begins.
    pub x: f64,
    /// Mean level before, in the unit of the chart's y axis.
    pub before: f64,
    /// Mean level after.
    pub after: f64,
}

/// What each repeat of a method gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Repeats {
    /// The rule: `5`, `auto:5%,max=20`.
    pub rule: String,
    /// Runs.
    pub runs: u32,
    /// False where the cap ended it before every interval was narrow enough.
    pub narrow_enough: bool,
    /// Values by a figure's key, in the order of the runs; a run that had none is left out.
    pub values: BTreeMap<String, Vec<f64>>,
}

/// How a run ended. In a document a text: `complete`, or why it ended early.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum RunEnd {
    /// By its method.
    Complete,
    /// Before: why, in words.
    Early(String),
}

/// What a whole run's document says.
const COMPLETE: &str = "complete";

impl From<String> for RunEnd {
    fn from(text: String) -> RunEnd {
        match text.as_str() {
            COMPLETE => RunEnd::Complete,
            _ => RunEnd::Early(text),
        }
    }
}

impl From<RunEnd> for String {
    fn from(end: RunEnd) -> String {
        end.to_string()
    }
}

impl fmt::Display for RunEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RunEnd::Complete => COMPLETE,
            RunEnd::Early(why) => why,
        })
    }
}

/// Whether a target is a drive, or a model of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetKind {
    /// A device or a file.
    #[default]
    Real,
    /// A modelled drive, or the null target.
    Model,
}

impl TargetKind {
    /// The word in documents.
    pub const fn name(self) -> &'static str {
        match self {
            TargetKind::Real => "real",
            TargetKind::Model => "model",
        }
    }
}

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TargetRecord {
    /// The target as it was named.
    pub name: String,
    /// A name for people: the drive's model and capacity.
    pub title: String,
    /// Real or modelled.
    pub kind: TargetKind,
    /// What it said of itself.
    pub info: Option<Info>,
    /// Identity of the drive: `model`, `firmware`, `serial`, `link`, `file system` ...
    pub identity: BTreeMap<String, String>,
    /// The state before the run.
    pub state: String,
    /// How I/Os were issued: `io_uring, direct, registered buffers`, or the modelled host.
    pub path: String,
}

/// Where and by what a result was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// drivelab's version.
    pub drivelab: String,
    /// The command line.
    pub command: Vec<String>,
    /// Machine facts: `cpu`, `kernel`, `memory` ...
    pub host: BTreeMap<String, String>,
}
