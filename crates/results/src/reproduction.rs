//! Simulated figures compared with published ones: each row, its role, and the score.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// The schema of a reproduction.
pub const REPRODUCTION_SCHEMA: &str = "drivelab.reproduce/1";

/// The modelled drives compared with published figures of the real ones. Errors are shares: 0.05 is 5 %.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Reproduction {
    /// [`REPRODUCTION_SCHEMA`].
    pub schema: &'static str,
    /// One for each published figure of the selection, by its id.
    pub rows: Vec<ReproducedFigure>,
    /// Of all rows together.
    pub score: Score,
    /// The first score of the same rows: from the first run of the models, before anything was changed with knowledge
    /// of the predicted figures. It is the only blind one.
    pub first: Score,
    /// Of each document by itself.
    pub documents: Vec<DocumentScore>,
}

/// A published figure's name: `F007`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct FactId(u16);

impl fmt::Display for FactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("F{:03}", self.0))
    }
}

impl Serialize for FactId {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl JsonSchema for FactId {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "FactId".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

impl std::str::FromStr for FactId {
    type Err = String;

    fn from_str(text: &str) -> Result<FactId, String> {
        let digits = text.strip_prefix('F').filter(|digits| digits.len() == 3);
        let number = digits.and_then(|digits| digits.parse().ok());
        number
            .map(FactId)
            .ok_or_else(|| format!("'{text}' is not an id of a figure: write F and three digits"))
    }
}

impl TryFrom<String> for FactId {
    type Error = String;

    fn try_from(text: String) -> Result<FactId, String> {
        text.parse()
    }
}

/// What a good prediction is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Independence {
    /// An independent number or behaviour: counts.
    Own,
    /// Follows from other rows by arithmetic.
    Derived,
    /// Next to a row to calibrate to.
    Trivial,
}

/// What a row is worth, in the order in which groups are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// A number that was predicted, and counts.
    #[default]
    Predicted,
    /// An order or a behaviour that was predicted, and counts.
    Claim,
    /// A number that parameters were fitted to, and counts.
    Calibrated,
    /// The same in a family that has as many free parameters as rows: does not count.
    ExactlyDetermined,
    /// A number next to a fitted one: does not count.
    Trivial,
    /// A number that follows from others.
    Derived,
    /// A bound, a maximum, a single run: compared alone.
    Range,
}

impl Category {
    /// All, in the order in which they are shown.
    pub const ALL: [Category; 7] = [
        Category::Predicted,
        Category::Claim,
        Category::Calibrated,
        Category::ExactlyDetermined,
        Category::Trivial,
        Category::Derived,
        Category::Range,
    ];

    /// Its name in a document.
    pub const fn name(self) -> &'static str {
        match self {
            Category::Predicted => "predicted",
            Category::Claim => "claim",
            Category::Calibrated => "calibrated",
            Category::ExactlyDetermined => "exactly-determined",
            Category::Trivial => "trivial",
            Category::Derived => "derived",
            Category::Range => "range",
        }
    }
}

/// A document's wording of a figure, in Japanese; empty if the words are the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InJapanese {
    /// What was done.
    pub test: String,
    /// Under which conditions.
    pub condition: String,
    /// What was measured.
    pub metric: String,
    /// What came out, where that is words.
    pub published: String,
}

/// One published figure, and its simulation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ReproducedFigure {
    /// The published figure: `F007`.
    pub id: FactId,
    /// The document that published it.
    pub document: String,
    /// The drive, as the document calls it.
    pub drive: String,
    /// Its capacity, or those that the figure is for.
    pub capacity: String,
    /// What was done.
    pub test: String,
    /// Under which conditions.
    pub condition: String,
    /// What was measured.
    pub metric: String,
    /// As it was printed: a number, a bound (`>500`), a range (`55-65`) or words.
    pub published: String,
    /// The same in Japanese.
    pub japanese: InJapanese,
    /// The unit of the published and the simulated figure.
    pub unit: String,
    /// The modelled drive's value; if one number stands for several drives or directions, the one furthest off; `null`
    /// for a claim, or if nothing was run.
    pub simulated: Option<f64>,
    /// A baseline that ignores the drive.
    pub null: Option<f64>,
    /// Distance to the nearest value that would have been printed so, over the published one.
    pub error: Option<f64>,
    /// The same of the guess.
    pub null_error: Option<f64>,
    /// The error without any tolerance: distance to the printed value itself, over it.
    pub plain_error: Option<f64>,
    /// The same of the guess.
    pub null_plain_error: Option<f64>,
    /// For an order or a behaviour: whether it holds.
    pub holds: Option<bool>,
    /// For an order or a behaviour: the change of the model that should make it fail.
    pub failing_change: Option<FailingChange>,
    /// For an order or a behaviour that holds: whether it fails with that change; `false` if no change is named.
    /// `null` if it was not tried.
    pub can_fail: Option<bool>,
    /// Numbers behind a claim; for a derived figure, its arithmetic over the published ones.
    pub shows: Vec<Shown>,
    /// For a figure that is judged by its excess over another one.
    pub excess: Option<Excess>,
    /// `calibrate`, `predict` or `range`.
    pub role: &'static str,
    /// For a predicted figure: its value as a prediction.
    pub independence: Option<Independence>,
    /// What the row is worth.
    pub category: Category,
    /// Whether the row counts in the score.
    pub counts: bool,
    /// Why the figure does not depend on the drive: it is arithmetic of the host, or one constant.
    pub independent_of_drive: Option<String>,
    /// The drive's family has as many free parameters as figures to fit to.
    pub exactly_determined: bool,
    /// The targets that were run.
    pub targets: Vec<String>,
    /// The methods that were run.
    pub methods: Vec<String>,
    /// The drives' states before.
    pub state: String,
    /// The hosts around them.
    pub host: String,
    /// The reason for this state, and other assumptions where the document is silent.
    pub assumed: Vec<String>,
    /// Why there is no result.
    pub not_run: Option<String>,
    /// For a claim that does not hold, and a number that is more than 25 % (fitted to: 6 %) off: what the model lacks,
    /// as far as known.
    pub missing: Option<String>,
}

/// A change of the model with which a claim should not hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FailingChange {
    /// What is changed, as `drivelab develop reproduce --change` takes it; all of it at once.
    pub changes: Vec<String>,
    /// Whether the claim holds with it; `null` if it was not run.
    pub holds: Option<bool>,
    /// Why it has no result.
    pub not_run: Option<String>,
}

/// A number behind a claim.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Shown {
    /// Its name.
    pub name: String,
    /// The number; `null` if it has no value.
    pub value: Option<f64>,
}

/// What a figure takes beyond another one, in its unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Excess {
    /// The other figure.
    pub over: FactId,
    /// The published excess.
    pub published: f64,
    /// The simulated excess.
    pub simulated: f64,
    /// The guess's excess.
    pub null: Option<f64>,
}

/// The score of some rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Score {
    /// Figures that parameters were fitted to, families that are exactly determined left out.
    pub calibrated: ErrorScore,
    /// Numbers that were predicted.
    pub predicted: ErrorScore,
    /// The baseline that ignores the drive, on the same rows.
    pub null: ErrorScore,
    /// The predicted numbers and the guess, read more strictly.
    pub stricter: Vec<StricterScore>,
    /// Orders and behaviours that were predicted.
    pub claims: ClaimScore,
}

/// The predicted numbers without what flatters them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct StricterScore {
    /// Whether a figure may be off by what printing and the document's means of measuring leave open.
    pub tolerances: bool,
    /// Whether rows whose figure does not depend on the drive are left out.
    pub dependent_on_drive: bool,
    /// Numbers that were predicted.
    pub predicted: ErrorScore,
    /// The baseline that ignores the drive, on the same rows.
    pub null: ErrorScore,
}

/// How far numbers are off.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ErrorScore {
    /// Rows that count.
    pub rows: usize,
    /// Those that were run.
    pub run: usize,
    /// The bound, as a share of the published value.
    pub bound: f64,
    /// Median absolute error of those that were run.
    pub median: Option<f64>,
    /// Share of those that were run that are within the bound.
    pub within: Option<f64>,
    /// How many of them that is.
    pub count_within: usize,
}

/// How many claims hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClaimScore {
    /// Claims that count.
    pub rows: usize,
    /// Those that were run.
    pub run: usize,
    /// Those that hold, and that a change of the model makes fail.
    pub held: usize,
    /// Those that hold, but also with every known change: they cannot fail, and prove nothing.
    pub cannot_fail: usize,
}

/// The score of one document.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DocumentScore {
    /// The source document that published them.
    pub document: String,
    /// Its score.
    pub score: Score,
    /// Its first score.
    pub first: Score,
}
