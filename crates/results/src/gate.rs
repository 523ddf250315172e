//! What a gate asked of a drive, and what came of it.

use base::message::Message;
use base::result::Interval;
use schemars::JsonSchema;
use serde::Serialize;

/// The schema of a gate's outcome.
pub const GATE_SCHEMA: &str = "drivelab.gate/1";

/// Requirements held against a drive's figures.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Gate {
    /// [`GATE_SCHEMA`].
    pub schema: &'static str,
    /// The target as it was named.
    pub target: String,
    /// A name for people: the drive's model and capacity.
    pub title: String,
    /// What came of all of them: `not-met` where one is not met, else `not-decided` where one is not decided.
    pub outcome: GateOutcome,
    /// Each requirement, in the order in which they were given.
    pub requirements: Vec<GatedRequirement>,
}

/// What came of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GateOutcome {
    /// The figure and its whole interval meet it.
    Met,
    /// The limit is inside the figure's interval, or the figure has no value: measure longer.
    NotDecided,
    /// Neither the figure nor any of its interval meets it.
    NotMet,
}

/// One requirement with the figure that decides it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GatedRequirement {
    /// As it was asked: `latency-watch.alone.p99 <= 5ms`.
    pub asked: String,
    /// The method that measures the figure.
    pub method: String,
    /// The figure's key.
    pub figure: String,
    /// `<=`, `<`, `>=`, `>`, `=` or `!=`.
    pub sign: &'static str,
    /// The limit, in the figure's unit.
    pub limit: f64,
    /// The unit of limit, value and interval.
    pub unit: String,
    /// The figure's value; `null` if it has none.
    pub value: Option<f64>,
    /// Its interval, where its samples allow one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// Why there is no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<Message>,
    /// What came of it.
    pub outcome: GateOutcome,
}
