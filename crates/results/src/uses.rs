//! For which use each drive is fit, with the figure behind each rule.

use base::{Better, Bytes};
use schemars::JsonSchema;
use serde::Serialize;

use crate::TargetKind;
use crate::tails::TailMark;

/// The schema of verdicts by use.
pub const USES_SCHEMA: &str = "drivelab.uses/1";

/// For which use each drive is fit, with the figure behind each rule. The rules with their reasoning:
/// [uses.md](uses.md).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct UseVerdicts {
    /// [`USES_SCHEMA`].
    pub schema: &'static str,
    /// The uses and their rules.
    pub uses: Vec<ListedUse>,
    /// One for each drive.
    pub drives: Vec<DriveVerdicts>,
}

/// A use, and its requirements.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ListedUse {
    /// Its name in documents.
    pub id: &'static str,
    /// Its name for people.
    pub name: String,
    /// The requirement.
    pub rules: Vec<UseRule>,
}

/// What one figure must be.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct UseRule {
    /// Its name in documents.
    pub id: &'static str,
    /// The requirement in words.
    pub asks: String,
    /// Its rationale.
    pub why: String,
    /// The unit of the bounds.
    pub unit: &'static str,
    /// Which of two figures is better: `higher` or `lower`.
    pub better: Better,
    /// The bound for `fit`.
    pub fit: f64,
    /// The bound for `limited`.
    pub limited: f64,
    /// The figures for it, the strictest method first.
    pub sources: Vec<FigureSource>,
}

/// A figure for a rule.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FigureSource {
    /// The id of the method that measures it.
    pub method: &'static str,
    /// The figure's key.
    pub key: &'static str,
    /// Whether the whole drive must have been measured.
    pub whole: bool,
    /// Its minimum number of samples.
    pub samples: u64,
}

/// The verdicts on one drive.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DriveVerdicts {
    /// The target's name.
    pub target: String,
    /// For people: model and capacity.
    pub title: String,
    /// Real or modelled.
    pub kind: TargetKind,
    /// What stood between the drive and its figures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reservations: Vec<DriveReservation>,
    /// What is the matter with the drive, the gravest first; empty where nothing was found.
    pub findings: Vec<DriveFinding>,
    /// One for each use.
    pub verdicts: Vec<UseVerdict>,
}

/// Something that is the matter with a drive.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DriveFinding {
    /// Its name in documents: `cache-drop`.
    pub id: &'static str,
    /// How grave it is: `failing` (data are lost or about to be), `weakness` (people feel it), `caution` (it matters for
    /// some work) or `trait` (how the drive is).
    pub severity: &'static str,
    /// How sure it is: `seen`, `likely` or `possible`.
    pub sure: &'static str,
    /// What was seen.
    pub says: String,
    /// What it means for whom.
    pub means: String,
    /// What to do.
    #[serde(rename = "do")]
    pub does: String,
    /// The figures that it is based on.
    pub figures: Vec<FindingFigure>,
}

/// A figure behind a finding.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FindingFigure {
    /// The number of the stored result; 0 where it is not stored.
    pub result: i64,
    /// The method that measured it.
    pub method: String,
    /// Its key.
    pub key: String,
    /// Its value; `null` where there is none.
    pub value: Option<f64>,
    /// The value's unit.
    pub unit: String,
}

/// What stood between a drive and its figures.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DriveReservation {
    /// Its name in documents: `busy-host`.
    pub id: &'static str,
    /// What was seen.
    pub says: String,
    /// What to do.
    #[serde(rename = "do")]
    pub does: String,
    /// In how many of the results.
    pub results: usize,
}

/// Whether a drive is fit for one use.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct UseVerdict {
    /// The use's id.
    #[serde(rename = "use")]
    pub of: &'static str,
    /// That of its worst rule.
    pub standing: Standing,
    /// True where a part of the drive spoke for all of it: the standing holds so far.
    pub so_far: bool,
    /// One for each rule.
    pub checks: Vec<RuleCheck>,
}

/// The verdict on a figure, or on a drive for a use; worse is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// All requirements are met.
    Fit,
    /// Usable, within the limits shown by the limited figures.
    Limited,
    /// Figures are missing.
    CannotBeSaid,
    /// A figure is beyond the last bound.
    Unfit,
}

/// A rule, and the figure used for it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RuleCheck {
    /// The rule's id.
    pub rule: &'static str,
    /// The verdict on the figure.
    pub standing: Standing,
    /// True where the figure falls short and is not held against the drive, for a busy computer or a slow link.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
    /// The figure, or why there is none.
    #[serde(flatten)]
    pub found: CheckedFigure,
}

/// The figure used for the rule, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum CheckedFigure {
    /// There is a figure.
    Found {
        /// In the rule's unit.
        value: f64,
        /// The unit.
        unit: &'static str,
        /// The result's number in the store.
        result: i64,
        /// The method that measured it.
        method: String,
        /// The figure's key.
        key: String,
        /// Its statistic.
        statistic: String,
        /// Its samples.
        n: u64,
        /// The drive's state before the run.
        state: String,
        /// The scale of the run.
        scale: String,
        /// Bytes of the part that was measured, if the rule requires the whole drive: the figure holds so far.
        #[serde(skip_serializing_if = "Option::is_none")]
        part: Option<Bytes>,
        /// The reliability of a modelled drive's tail: one that was not compared with a real drive's can count against
        /// the drive, not for it.
        #[serde(skip_serializing_if = "Option::is_none")]
        tail: Option<TailMark>,
    },
    /// There is none.
    Missing {
        /// Why, source by source.
        missing: Vec<String>,
        /// The command that would give it.
        run: Option<String>,
    },
}
