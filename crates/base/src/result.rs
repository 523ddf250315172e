//! What a run leaves: figures with their conditions, charts, phases, environment.
//!
//! A figure without its unit, statistic and conditions is a rumour. Each one says how it was made
//! (statistic, number of samples, interval), in which phase, and under which conditions it may be
//! compared with another ([`Comparable`]). The report and every export draw on these types alone.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::health::{HealthReading, HealthSample};
use crate::method::{Scale, Settings};
use crate::record::PhaseRecord;
use crate::target::Info;

/// The schema that a stored or printed result follows; documented in `docs/json.md`.
pub const RESULT_SCHEMA: &str = "drivelab.result/1";

/// Which of two figures is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Neither: a description.
    None,
}

/// One number of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Its name, dotted, stable: `seq1m-q8t1.read`.
    pub key: String,
    /// The number; `None` where there is none, and then `why_not` says why.
    pub value: Option<f64>,
    /// Why there is no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
    /// Its unit: `MB/s`, `IOPS`, `us`, `ms`, `%`, `count`.
    pub unit: String,
    /// Which of two is better.
    pub better: Better,
    /// How it was made of its samples: `best of 5`, `median of 5`, `p99.9`, `max`, `mean`.
    pub statistic: String,
    /// Number of samples behind it (runs, or I/Os for a distribution's figure).
    pub n: u64,
    /// An interval for the figure, where samples allow one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// The phases it comes from.
    pub phases: Vec<String>,
    /// Under which conditions it may be compared.
    pub comparable_by: Comparable,
}

/// A confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end, in the figure's unit.
    pub low: f64,
    /// Upper end, in the figure's unit.
    pub high: f64,
    /// The confidence that it really has, in per cent.
    pub confidence_percent: f64,
}

/// The conditions of a figure: two figures are comparable where all of these agree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparable {
    /// Where it was measured: `1000 MiB from 0 B`.
    pub span: String,
    /// What was written: `fresh, 0 % compressible`, `zeros`; empty where nothing was.
    pub data: String,
    /// Alignment of accesses: `4 KiB`.
    pub alignment: String,
    /// The state of the drive before the run; `unknown` on a real one. Set by the lab.
    pub state: String,
    /// The scale, and `changed` where settings were. Set by the lab.
    pub scale: String,
}

/// What a method returns: figures, what to draw, and what a reader must know.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MethodOutput {
    /// The figures.
    pub figures: Vec<Figure>,
    /// What to draw.
    pub charts: Vec<Chart>,
    /// What a reader must know: quirks of the original that distort, shortcuts taken.
    pub notes: Vec<String>,
    /// What spoils or limits the figures: a drive that did not become steady.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// One picture, as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    /// Its name, stable: `transfer`, `response`, `latency`.
    pub key: String,
    /// What kind of picture.
    pub kind: ChartKind,
    /// What is drawn in it.
    pub curves: Vec<Curve>,
    /// Single points to mark: the worst I/Os of a timeline.
    #[serde(default)]
    pub marks: Vec<Mark>,
}

/// Kinds of pictures, with their axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChartKind {
    /// x: position in bytes; y: MB/s (10^6), with a min-max band.
    Transfer,
    /// x: response time in us, lower edge of a bucket; y: number of I/Os in it. Both logarithmic.
    Response,
    /// x: seconds since the phase began; y: latency in ms (mean, band up to the worst).
    Latency,
    /// x: seconds since the phase began; y: MB/s (10^6).
    Rate,
    /// x: seconds since the run began; y: the drive's temperature in degrees Celsius.
    Temperature,
    /// x: number of a round of the same work, from 1; y: what it gave, in per cent of the mean over the
    /// rounds that its figure is made of.
    Rounds,
    /// x: I/Os a second; y: latency in ms. Both logarithmic.
    Load,
    /// x: writes a second; y: reads a second.
    Frontier,
    /// x: seconds, of a rest or since the phase began; y: GB (10^9).
    Volume,
    /// x: position in bytes; y: response time in ms (mean, band from least to greatest).
    Access,
    /// x: bytes an access, logarithmic; y: MB/s (10^6).
    Sizes,
    /// x: per cent of the written data that can be compressed; y: MB/s (10^6).
    Compression,
}

/// One line (or histogram) of a chart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// `read`, `write`, or what else tells it apart.
    pub name: String,
    /// Positions on the x axis, ascending.
    pub x: Vec<f64>,
    /// Values; `None` where there is none.
    pub y: Vec<Option<f64>>,
    /// Lower edge of the band, if any; as long as `x`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<Vec<Option<f64>>>,
    /// Upper edge of the band, if any; as long as `x`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<Vec<Option<f64>>>,
}

/// One marked point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// Position on the x axis.
    pub x: f64,
    /// Position on the y axis.
    pub y: f64,
    /// What it is: `write 4 KiB at 12.3 GB, 212 ms, beside 31 reads`.
    pub label: String,
}

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
    /// `complete`, or why it ended early.
    pub ended: String,
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

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TargetRecord {
    /// The target as it was named.
    pub name: String,
    /// A name for people: the drive's model and capacity.
    pub title: String,
    /// `real` or `model`.
    pub kind: String,
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
