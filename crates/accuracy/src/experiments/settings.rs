//! Fitted settings of experiments: the host's part, where the documents do not state it.
//!
//! A setting that is chosen by a published figure is a free parameter like any value of a drive's file, except that it
//! is in a row table: it has bounds, names its figures, and is found by `drivelab develop fit`. An experiment refers to
//! it by its name after a `$`: `host=$host` becomes `host=15.1s`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::reference::{Facts, Published};
use results::reproduction::FactId;
use sim::catalogue::free::{FittedBy, FreeParameter};

use super::Planned;

/// Its position in the file.
const SECTION: &str = "setting";

/// A fitted setting, as written.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedSetting {
    /// Its value, in its unit.
    pub value: f64,
    /// The unit, as the method's setting takes it; nothing for a plain number.
    #[serde(default)]
    pub unit: String,
    /// Marks it as fitted, as in a catalogue file.
    pub source: FittedSource,
    /// Restricts it to integer multiples of this; any number by default.
    pub step: Option<u32>,
    /// How it was found; only the fit may set it.
    pub by: Option<FoundBy>,
    /// The least and the greatest that is possible.
    pub within: [f64; 2],
    /// The figures that it is fitted to.
    pub facts: Vec<FactId>,
    /// Its meaning, and the reason for its bounds.
    pub why: String,
    /// Its file, from the root of the sources.
    #[serde(skip)]
    pub file: String,
}

/// The one source that a setting here has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FittedSource {
    /// It is fitted to figures.
    Fitted,
}

/// Who found a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FoundBy {
    /// `drivelab develop fit`.
    Calibrate,
}

impl FittedSetting {
    /// The value as a method's setting takes it.
    fn text(&self, value: f64) -> String {
        format!("{value}{}", self.unit)
    }

    /// The name of its table: `rows-002`.
    pub fn table(&self) -> &str {
        let name = self.file.rsplit('/').next().unwrap_or_default();
        name.trim_end_matches(".toml")
    }

    /// As a free parameter.
    pub fn parameter(&self, name: &str) -> FreeParameter {
        FreeParameter {
            key: format!("{SECTION}.{name}"),
            value: self.value,
            step: self.step,
            within: self.within,
            facts: self.facts.iter().map(ToString::to_string).collect(),
            by: self.by.map(|FoundBy::Calibrate| FittedBy::Calibrate),
            file: self.file.clone(),
        }
    }

    /// Refuses one without reason, outside its bounds, or fitted to what nothing may be fitted to.
    pub(super) fn check(&self, name: &str, facts: &Facts) -> Result<(), String> {
        let [low, high] = self.within;
        if !(low < high && (low..=high).contains(&self.value)) {
            return Err(format!(
                "setting {name}: {} is not within {low} to {high}",
                self.value
            ));
        }
        if self.facts.is_empty() || self.why.is_empty() {
            return Err(format!("setting {name}: say by which figures, and why"));
        }
        let may = |id: &FactId| matches!(facts.get(*id), Some(Published::Calibrate(_)));
        match self.facts.iter().find(|id| !may(id)) {
            None => Ok(()),
            Some(id) => Err(format!(
                "setting {name}: {id} is not a figure that anything may be fitted to"
            )),
        }
    }
}

/// An experiment's settings with values substituted for the names after `$`.
///
/// # Errors
/// A name that no setting has.
pub(super) fn filled(
    written: &[String],
    settings: &BTreeMap<String, FittedSetting>,
    values: &BTreeMap<String, f64>,
) -> Result<Vec<String>, String> {
    let fill = |text: &String| match text.split_once("=$") {
        None => Ok(text.clone()),
        Some((key, name)) => {
            let setting = settings
                .get(name)
                .ok_or_else(|| format!("there is no setting '{name}'"))?;
            let value = values.get(name).copied().unwrap_or(setting.value);
            Ok(format!("{key}={}", setting.text(value)))
        }
    };
    written.iter().map(fill).collect()
}

/// Whether an experiment takes a setting over.
pub(super) fn takes(planned: &Planned, name: &str) -> bool {
    let mut names = planned
        .written
        .iter()
        .filter_map(|text| text.split_once("=$"));
    names.any(|(_, taken)| taken == name)
}
