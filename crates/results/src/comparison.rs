//! Results side by side, against the first of them.

use base::message::Message;
use base::result::{Better, Interval};
use schemars::JsonSchema;
use serde::Serialize;

use crate::TargetKind;
use crate::tails::TailMark;

/// The schema of a comparison as JSON.
pub const COMPARISON_SCHEMA: &str = "drivelab.comparison/1";

/// Results side by side, against the first of them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Comparison {
    /// [`COMPARISON_SCHEMA`].
    pub schema: &'static str,
    /// A part for each method.
    pub methods: Vec<MethodComparison>,
    /// Values that could not be compared.
    pub refused: usize,
    /// Values that were compared.
    pub compared: usize,
}

/// The results of one method, compared.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MethodComparison {
    /// The method's name.
    pub method: String,
    /// The results, in the order of the values below; the others are compared with the first.
    pub results: Vec<Compared>,
    /// Figures that both have, side by side.
    pub figures: Vec<FigureComparison>,
    /// How many facts were compared, and what came of it.
    pub facts: FactsCompared,
}

/// Number of facts compared, and the outcome. A fact is one test's result for one direction: its rate, its IOPS, its
/// median and its other figures are one fact in several units, and count once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FactsCompared {
    /// Facts with a figure whose difference could be judged.
    pub judged: usize,
    /// Those of them that differ; the chance that any of these does so falsely is 5 %.
    pub differ: usize,
    /// Facts with only one run of a real drive, for which nothing can be said.
    pub of_one_run: usize,
    /// Facts with too few values for 95 %.
    pub of_too_few_values: usize,
}

/// The result of a column.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Compared {
    /// Its number in the store.
    pub id: i64,
    /// What was judged.
    pub title: String,
    /// Real or modelled.
    pub kind: TargetKind,
}

/// One figure of all results.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FigureComparison {
    /// The figure's name.
    pub key: String,
    /// Its unit.
    pub unit: String,
    /// Which is better.
    pub better: Better,
    /// One for each result.
    pub values: Vec<ValueComparison>,
}

/// One value compared with the first.
///
/// ```json
/// {
///   "value": 465.3056,
///   "ratio": null,
///   "with_reserve": false,
///   "differs": [{ "what": "scale", "here": "quick, ops=read", "there": "quick, dwell=20ms" }]
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ValueComparison {
    /// The number, if there is one.
    pub value: Option<f64>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<Message>,
    /// The value over the first available one; `null` for the first one, and if they may not be compared.
    pub ratio: Option<f64>,
    /// `best` or `worst` of those that may be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<&'static str>,
    /// Whether the state of one of the drives is not known: the ratio holds with reserve.
    pub with_reserve: bool,
    /// Whether the drive's link limits it: it is a rate within 5 % of the link's (the target's `link`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub held_by_link: bool,
    /// Whether the modelled host limits it, and not the drive: its I/Os are within 5 % of the maximum of the host's
    /// processors with this many threads (the target's `host`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub held_by_host: bool,
    /// Whether it is a disk's write cache alone: the disk writes faster than it reads anything in
    /// order.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub held_by_write_cache: bool,
    /// What it is worth, where it is of a modelled drive's tail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tail: Option<TailMark>,
    /// Its difference from the first one, if both have enough samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// What differs from the first one's conditions, and forbids the comparison.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<ConditionDifference>,
}

/// The verdict on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EffectVerdict {
    /// It takes less time, or moves more in a time.
    Faster,
    /// It takes more time, or moves less in a time.
    Slower,
    /// It is better in something that is not a speed.
    Better,
    /// It is worse in something that is not a speed.
    Worse,
    /// It is more, where neither is better.
    Higher,
    /// It is less, where neither is better.
    Lower,
    /// No difference is shown: the interval contains zero, or so many facts were compared that one may be as far from
    /// zero by chance.
    NoDifference,
    /// Undetermined: only one run of a real drive is known, and its next run may differ by more than the I/Os of one
    /// run do among each other.
    CannotTell,
    /// Undetermined: too few values to reach 95 %.
    TooFewValues,
}

/// A difference with its interval.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Effect {
    /// In a word.
    pub verdict: EffectVerdict,
    /// Its basis: `repeats` (medians of at least five runs, resampled), `latencies` (the histograms of the two runs,
    /// resampled), `intervals` (the figures' own intervals, from end to end).
    pub basis: &'static str,
    /// This value less the first one's, in the figure's unit.
    pub difference: f64,
    /// The interval of that.
    pub interval: Interval,
    /// The chance that any of the facts compared differs by this much by accident; above 0.05 no difference is
    /// reported. Absent if nothing could be judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance: Option<f64>,
    /// The difference in per cent of the first value; absent if that is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<f64>,
    /// The interval of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent_interval: Option<Interval>,
}

/// One condition that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConditionDifference {
    /// Which condition: `span`, `data`, `alignment`, `state`, `scale`, `unit`, `statistic`, `method version`, `tail`.
    pub what: &'static str,
    /// As it is for this figure.
    pub here: Message,
    /// As it is for the figure that it would be compared with.
    pub there: Message,
}
