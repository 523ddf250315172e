//! What was inferred of a drive's inside: each part with what was found, how certain that is, and what it rests on.

use base::result::Figure;
use schemars::JsonSchema;
use serde::Serialize;

use crate::TargetKind;

/// The schema of what was inferred of drives.
pub const EXPLAIN_SCHEMA: &str = "drivelab.explain/1";

/// What was inferred of the inside of each drive. Texts are in English.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Explanations {
    /// [`EXPLAIN_SCHEMA`].
    pub schema: &'static str,
    /// One for each result of `explain`.
    pub drives: Vec<Explanation>,
}

/// What was inferred of one drive.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Explanation {
    /// The result's number in the store; 0 where it was not stored.
    pub result: i64,
    /// The target's name.
    pub target: String,
    /// For people: model and capacity.
    pub title: String,
    /// Real or modelled.
    pub kind: TargetKind,
    /// What spoils all of it: failed I/Os, a run that ended early.
    pub reserved: Vec<String>,
    /// What it took.
    pub cost: ExplanationCost,
    /// The findings, the certain ones first.
    pub findings: Vec<ExplainedPart>,
    /// Questions that were not asked, since what they write was not allowed.
    pub not_asked: Vec<&'static str>,
}

/// What it took to find out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ExplanationCost {
    /// Time on the drive, in seconds.
    pub seconds: f64,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
}

/// A part of a drive, or of the way to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "DrivePart")]
pub enum Part {
    /// Host, cable and interface.
    Link,
    /// What takes commands, and fetches ahead of them.
    Controller,
    /// What keeps data that were read.
    ReadCache,
    /// What takes writes before the medium has them.
    WriteCache,
    /// Where pages are.
    Map,
    /// Cells written with one bit.
    SlcCache,
    /// The flash.
    Dies,
    /// The arm of a disk.
    Arm,
    /// Discs and their tracks.
    Discs,
}

/// How certain it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// A value, or that it is so.
    Found,
    /// A value between wide bounds.
    Bounded,
    /// It was looked for and is not so.
    Absent,
    /// No effect stands out: it is absent, or hidden.
    NotVisible,
    /// It was asked, and more than one answer fits.
    Open,
    /// It could not be asked of this target.
    NotAsked,
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ExplainedPart {
    /// The question, which the names of its phases and the keys of its figures begin with.
    pub question: &'static str,
    /// What it is about.
    pub part: Part,
    /// How certain it is.
    pub certainty: Certainty,
    /// What was found, in words.
    pub says: String,
    /// What it means for whoever uses the drive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub means: Option<String>,
    /// What else would look like it, and why it is not that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules_out: Option<String>,
    /// What is taken for granted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumes: Option<String>,
    /// What would settle what is left open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settles: Option<String>,
    /// The figures behind it.
    pub evidence: Vec<Figure>,
}
