//! The documents of a run: its figures and charts, the phases behind them, the target, the settings, the environment.
//!
//! These types are the documents: the store keeps them, `--json` prints them (`drivelab schema`), and every conclusion
//! and report is derived from them. Documents from several runs are a [`sweep`], a [`screening`], a [`reproduction`].
//! The creator of a document decides what is in it, and a report only shows it.

use base::message::keyed;
use base::statistic::{Kind, Statistic};
use base::{Better, Chart, Figure, Info, Message, PhaseRecord, Scale, Settings};
use std::collections::BTreeMap;
use std::fmt;

use base::health::{HealthReading, HealthSample};
use base::surroundings::{HostActivity, Layer, SlowLink};
use base::target::{HostRates, LinkRates};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use imported::ImportedFrom;
use tails::{KnownMiss, Tails};

pub mod benchmarks;
pub mod calibration;
pub mod cause;
pub mod comparison;
mod date;
pub mod devices;
pub mod explanation;
pub mod forecast;
pub mod gate;
pub mod health;
pub mod imported;
pub mod listing;
pub mod plan;
pub mod prediction;
pub mod progress;
pub mod rated;
pub mod reproduction;
pub mod rescue;
pub mod schema;
pub mod screening;
pub mod statement;
pub mod surface;
pub mod sweep;
pub mod tails;
pub mod twin;
pub mod uses;

pub use comparison::{Comparison, ConditionDifference};
pub use date::date;
pub use plan::PlanOutcome;
pub use screening::{Limits, Screening};
pub use statement::{Quantity, Statement};
pub use tails::TailMark;
pub use uses::Standing;

/// The schema that a stored or printed result follows; `drivelab schema result` prints it.
pub const RESULT_SCHEMA: &str = "drivelab.result/2";

/// One method on one target, once.
///
/// ```json
/// {
///   "schema": "drivelab.result/2",
///   "id": 0,
///   "method": "latency-watch",
///   "method_title": "Latency watch",
///   "method_title_ja": "応答時間の監視 (プチフリ検出)",
///   "method_version": 1,
///   "settings": {
///     "scale": "quick",
///     "seed": 1,
///     "values": {
///       "every": "5ms", "load": "none", "load-depth": "4", "op": "read",
///       "size": "64MiB", "stutter": "100ms", "time": "100ms"
///     },
///     "given": ["load", "time"]
///   },
///   "scale": "quick",
///   "stands_beside_published": false,
///   "target": {
///     "name": "null:",
///     "title": "null target, 1.00 us an I/O",
///     "kind": "model",
///     "info": { "capacity": 1099511627776, "block": 512, "max_in_flight": 4096, "writable": true },
///     "identity": {},
///     "state": "none",
///     "path": "virtual time, no host",
///     "tails": { "standing": "exact" }
///   },
///   "...": "..."
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunResult {
    /// [`RESULT_SCHEMA`].
    pub schema: String,
    /// Its number in the store; 0 where it was not stored.
    pub id: i64,
    /// The user's name for it (`drivelab label --name`), as currently in the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The method's name.
    pub method: String,
    /// The method's title, in English.
    pub method_title: String,
    /// The method's title in Japanese; empty in a result that was made before methods had one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub method_title_ja: String,
    /// The method's version: it changes when the same settings would no longer give the same workloads.
    pub method_version: u32,
    /// All settings with their values.
    pub settings: Settings,
    /// The scale again: how much of the original's counts and times the run took.
    pub scale: Scale,
    /// Whether nothing was shortened or changed, so that it may be compared with published figures.
    pub stands_beside_published: bool,
    /// What was measured.
    pub target: TargetRecord,
    /// Where and with what it was measured.
    pub environment: Environment,
    /// When it began, in milliseconds of the Unix epoch; 0 for a model, which has no date.
    pub began_unix_ms: u64,
    /// What was measured, in the order in which it is shown.
    pub figures: Vec<Figure>,
    /// What is drawn: design and curves.
    pub charts: Vec<Chart>,
    /// Phases, in order, with the workloads that made them.
    pub phases: Vec<PhaseRecord>,
    /// What a reader must know: quirks of the original that distort, shortcuts taken.
    pub notes: Vec<Message>,
    /// What spoils or limits the result.
    pub warnings: Vec<Message>,
    /// The notes, warnings, marks, names, figures' statistics and reasons for missing figures that have a key, under which a report
    /// has the sentence in each language. Absent in older results, whose text is shown unchanged.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "keyed")]
    #[schemars(with = "Vec<keyed::Keyed>")]
    pub messages: Vec<Message>,
    /// `complete`, or why it ended early.
    pub ended: RunEnd,
    /// The drive's health before the run; absent if there is no drive to query (files, directories, loop devices,
    /// `null:`, modelled arrays), and with `?health=off`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_before: Option<HealthReading>,
    /// The drive's health after the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_after: Option<HealthReading>,
    /// Temperature and bytes written over the time of the run, if the drive reports them: between phases; on NVMe, or
    /// with `?health=PERIOD`, also during phases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub health_during: Vec<HealthSample>,
    /// Where the level of a time series steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub change_points: Vec<ChangePoint>,
    /// Every value of every figure, where the method was repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<Repeats>,
    /// Which tool's file it was read from; absent of what drivelab measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<ImportedFrom>,
}

impl RunResult {
    /// What a judgement of the drive goes by. A figure over repeats is the median of its values, which hides what happened
    /// in few of them: of the longest, of the slowest and of what is counted against a drive, all repeats together.
    pub fn in_all_repeats(&self, figure: &Figure) -> Option<f64> {
        let own = figure.value?;
        let values = self
            .repeats
            .as_ref()
            .and_then(|all| all.values.get(&figure.key));
        let values = values.filter(|values| !values.is_empty());
        Some(match (values, together(figure)) {
            (Some(values), Some(together)) => together(values),
            _ => own,
        })
    }

    /// Whether a figure was made of several repeats whose median would hide something: its interval is of the median.
    pub fn hides_repeats(&self, figure: &Figure) -> bool {
        self.repeats.is_some() && together(figure).is_some()
    }

    /// How what a judgement goes by was made: of all repeats together it is no median.
    pub fn statistic_in_all_repeats(&self, figure: &Figure) -> Statistic {
        match self.hides_repeats(figure) {
            true => figure.statistic.message_of_one_run().into(),
            false => figure.statistic.clone(),
        }
    }

    /// The samples behind a figure, of all repeats together.
    pub fn samples(&self, figure: &Figure) -> u64 {
        let repeats = self.repeats.as_ref();
        let of_all = repeats.and_then(|all| all.samples.get(&figure.key));
        of_all.copied().unwrap_or(figure.n)
    }

    /// The sentences that may have a key.
    fn sentences(&mut self) -> impl Iterator<Item = &mut Message> {
        let figures = self.figures.iter_mut();
        let of_figures = figures.flat_map(Figure::sentences);
        let readings = [&mut self.health_before, &mut self.health_after];
        let of_health = (readings.into_iter().flatten()).flat_map(HealthReading::sentences);
        let early = match &mut self.ended {
            RunEnd::Early(why) => Some(why),
            RunEnd::Complete => None,
        };
        let marks = (self.charts.iter_mut()).flat_map(|chart| &mut chart.marks);
        let of_marks = marks.map(|mark| &mut mark.label);
        let said = self.notes.iter_mut().chain(&mut self.warnings).chain(early);
        let said = said.chain([&mut self.target.title, &mut self.target.path]);
        (said.chain(of_figures).chain(of_health)).chain(of_marks)
    }

    /// Gathers the sentences that have a key, before the result is stored: elsewhere only their texts are.
    pub fn gather_messages(&mut self) {
        let mut all: Vec<Message> = Vec::new();
        for sentence in self.sentences() {
            if sentence.key().is_some() && !all.contains(sentence) {
                all.push(sentence.clone());
            }
        }
        self.messages = all;
    }

    /// Gives the sentences of a stored result their keys again.
    pub fn restore_messages(&mut self) {
        let all = std::mem::take(&mut self.messages);
        for sentence in self.sentences() {
            if let Some(keyed) = all.iter().find(|keyed| keyed.as_str() == sentence.as_str()) {
                sentence.clone_from(keyed);
            }
        }
        self.messages = all;
    }
}

/// How values of repeats are one where their median would hide what happened in few of them.
fn together(figure: &Figure) -> Option<fn(&[f64]) -> f64> {
    let kind = figure.statistic.kind();
    let longest = figure.statistic.is_of_the_longest() && !matches!(kind, Kind::Percentile(_));
    match (figure.better, figure.unit.as_str()) {
        // A queue depth is no number of events.
        (Better::Lower, "count") if longest || figure.statistic.of_one_run() == "count" => {
            Some(|values| values.iter().sum())
        }
        (Better::Lower, "per min") => Some(|values| {
            let sum: f64 = values.iter().sum();
            sum / values.len() as f64
        }),
        (Better::Lower, _) if longest => Some(|values| {
            let longest = values.iter().copied();
            longest.fold(f64::NEG_INFINITY, f64::max)
        }),
        (Better::Higher, _) if kind == Kind::Min => Some(|values| {
            let slowest = values.iter().copied();
            slowest.fold(f64::INFINITY, f64::min)
        }),
        _ => None,
    }
}

/// The schema of a document with several results.
pub const RESULTS_SCHEMA: &str = "drivelab.results/1";

/// Several results.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RunResults<'a> {
    /// [`RESULTS_SCHEMA`].
    pub schema: &'static str,
    /// The plan that a review is stored as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<i64>,
    /// Whole `drivelab.result/2` documents, each with its own schema; a review's begin with those of the reviewed
    /// target.
    pub results: &'a [RunResult],
}

/// A step of the level of a time series: a cache is full, the drive throttles, collection begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangePoint {
    /// The key of the chart that it marks.
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Repeats {
    /// The rule: `5`, `auto:5%,max=20`.
    pub rule: String,
    /// How often the method was run.
    pub runs: u32,
    /// False where the cap ended it before every interval was narrow enough.
    pub narrow_enough: bool,
    /// Values by a figure's key, in the order of the runs; a run that had none is left out.
    pub values: BTreeMap<String, Vec<f64>>,
    /// Samples behind a figure by its key, of all runs together.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub samples: BTreeMap<String, u64>,
}

/// How a run ended. In a document a text: `complete`, or why it ended early.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "String", into = "String")]
pub enum RunEnd {
    /// By its method.
    Complete,
    /// Before: why, in words.
    Early(Message),
}

/// The contents of a whole run's document.
const COMPLETE: &str = "complete";

impl From<String> for RunEnd {
    fn from(text: String) -> RunEnd {
        match text.as_str() {
            COMPLETE => RunEnd::Complete,
            _ => RunEnd::Early(Message::as_it_stands(text)),
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
            RunEnd::Early(why) => why.as_str(),
        })
    }
}

/// Whether a target is a drive, or a model of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Target")]
pub struct TargetRecord {
    /// The target as it was named.
    pub name: String,
    /// A name for people: the drive's model and capacity, and the layers over it that change what it is.
    pub title: Message,
    /// Real or modelled.
    pub kind: TargetKind,
    /// Its properties.
    pub info: Option<Info>,
    /// Facts about the drive: `model`, `firmware`, `serial`, `wwn`, `namespace` (NVMe), `partition`, `device`,
    /// `interface`, `link`, `rotational`, `scheduler`, `write cache`, `file system`, `mount options`, `test file`,
    /// `known by` (for a modelled drive known by little more than its `data sheet`) ...; keys depend on what the drive
    /// reports.
    pub identity: BTreeMap<String, String>,
    /// The bandwidth of its link, if known: for a modelled drive from its interface and slot, for a real one from what
    /// the kernel reports as negotiated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<LinkRates>,
    /// The link's actual speed and the drive's maximum, if that is higher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slow_link: Option<SlowLink>,
    /// For a real target, the layers between it and its drive, from top to bottom.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beneath: Vec<Layer>,
    /// What the computer around a modelled drive lets through; absent of a real one, and where no host limits anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostRates>,
    /// What it had been through before the run; `unknown` for a real one.
    pub state: String,
    /// How I/Os were issued: `io_uring, direct, registered buffers and file, single issuer`; `psync, direct, O_SYNC`;
    /// `modelled host linux-uring`.
    pub path: Message,
    /// How far its long responses were verified against a real drive; absent for a real one, and in results from before
    /// this was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tails: Option<Tails>,
    /// Figures of the run that are known to be wrong: they were published of the drive, and its model misses them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known_misses: Vec<KnownMiss>,
}

/// The fact of [`TargetRecord::identity`] that says what a modelled drive is known by, if that is little.
pub const KNOWN_BY: &str = "known by";
/// The fact of [`TargetRecord::identity`] with the size of a test file that was created for the run and removed.
pub const TEST_FILE: &str = "test file";
/// What the identity of a target has where it is a file on a drive, and not the drive.
pub const FILE_SYSTEM: &str = "file system";
/// The value of [`KNOWN_BY`] if little more than the maker's data sheet is known.
pub const DATA_SHEET: &str = "data sheet";

/// The fact of [`TargetRecord::identity`] with the tool whose result was imported, and its version.
pub const IMPORTED_FROM: &str = "imported from";

impl TargetRecord {
    /// Whether another tool measured it: nothing more can be run on it here.
    pub fn is_imported(&self) -> bool {
        self.identity.contains_key(IMPORTED_FROM)
    }

    /// Whether it is a modelled drive known by little more than its data sheet: most of its behaviour follows from
    /// drives of its kind, and not from measurements of it.
    pub fn is_known_by_data_sheet(&self) -> bool {
        let known = self.identity.get(KNOWN_BY);
        known.is_some_and(|by| by == DATA_SHEET)
    }

    /// Whether it surely has no inner and outer tracks: flash, or a file somewhere on a drive.
    pub fn has_no_tracks(&self) -> bool {
        let says = |key: &str| self.identity.contains_key(key);
        let stands = self.identity.get("rotational").is_some_and(|r| r == "no");
        stands || says("flash") || says("controller") || says(FILE_SYSTEM)
    }
}

/// Where and with what a result was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// drivelab's version.
    pub drivelab: String,
    /// The command line.
    pub command: Vec<String>,
    /// Of the machine: `cpu`, `cpu threads`, `memory`, `kernel`, `system`, `cpu governor`, where known.
    pub host: BTreeMap<String, String>,
    /// What else the computer did; absent of a model, which is not disturbed by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activity: Option<HostActivity>,
}
