//! A row table as written.

use std::collections::BTreeMap;

use base::method::Scale;
use serde::Deserialize;
use toml::Spanned;

use super::settings::FittedSetting;
use crate::claim::Expression;
use results::reproduction::FactId;

/// A file as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// Which document's rows these are.
    pub(super) document: String,
    /// The host where an experiment names none.
    pub(super) host: String,
    /// The state where an experiment names none, and why.
    pub(super) state: String,
    pub(super) state_because: String,
    /// Settings of experiments that are fitted.
    #[serde(default)]
    pub(super) setting: BTreeMap<String, Spanned<FittedSetting>>,
    #[serde(default)]
    pub(super) experiment: BTreeMap<String, Spanned<ExperimentText>>,
    #[serde(default)]
    pub(super) row: Vec<Spanned<RowText>>,
    #[serde(default)]
    pub(super) derived: Vec<Spanned<DerivedText>>,
    #[serde(default)]
    pub(super) unrun: Vec<Spanned<UnrunText>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExperimentText {
    /// The target; `@` stands for `state=...&host=...`.
    pub(super) target: String,
    pub(super) state: Option<String>,
    pub(super) state_because: Option<String>,
    pub(super) host: Option<String>,
    pub(super) method: String,
    #[serde(default)]
    pub(super) settings: Vec<String>,
    #[serde(default)]
    pub(super) scale: Option<Scale>,
    #[serde(default)]
    pub(super) assumed: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RowText {
    pub(super) ids: Vec<FactId>,
    /// The experiment of the figure; several if one number stands for several drives.
    #[serde(default)]
    pub(super) experiments: Vec<String>,
    /// The figure; several if one number stands for several.
    #[serde(default)]
    pub(super) figures: Vec<String>,
    /// `experiment: metric` by name, instead of the two above.
    #[serde(default)]
    pub(super) terms: BTreeMap<String, String>,
    /// What makes the number of the terms; `x` is the figure.
    pub(super) value: Option<Expression>,
    pub(super) holds: Option<Expression>,
    /// Numbers to show with a claim.
    #[serde(default)]
    pub(super) shows: BTreeMap<String, Expression>,
    pub(super) tolerance: Option<f64>,
    pub(super) tolerance_factor: Option<f64>,
    pub(super) excess_over: Option<FactId>,
    /// The setting of its experiment that is fitted to this very figure.
    pub(super) fitted: Option<String>,
    #[serde(default)]
    pub(super) assumed: Vec<String>,
    /// What the model lacks, where the row is missed.
    pub(super) missing: Option<String>,
    /// Of a claim: the change of the model that makes it fail.
    #[serde(default)]
    pub(super) fails_with: Vec<String>,
    /// Why the figure does not depend on the drive.
    pub(super) independent_of_drive: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DerivedText {
    pub(super) ids: Vec<FactId>,
    /// The arithmetic, over ids of published rows.
    pub(super) from: Expression,
    pub(super) within_percent: f64,
    /// The simulated value to show with it.
    #[serde(default)]
    pub(super) experiments: Vec<String>,
    #[serde(default)]
    pub(super) figures: Vec<String>,
    pub(super) value: Option<Expression>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnrunText {
    pub(super) ids: Vec<FactId>,
    pub(super) because: String,
}
