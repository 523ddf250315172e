//! What fitting the free parameters of a family of drives changes.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::reproduction::FactId;

/// The schema of a calibration.
pub const CALIBRATION_SCHEMA: &str = "drivelab.calibrate/1";

/// What fitting the free parameters of a drive's family changes.
///
/// ```json
/// {
///   "schema": "drivelab.calibrate/1",
///   "family": ["acard-ans-9010-14gb"],
///   "parameters": [],
///   "figures": [
///     { "id": "F187", "published": 15.76, "simulated": 16.598927038, "error": 0.05323141104060913 }
///   ],
///   "exactly_determined": false,
///   "trials": 0
/// }
/// ```
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Calibration {
    /// The schema.
    pub schema: &'static str,
    /// The drives that share the free parameters.
    pub family: Vec<String>,
    /// The free parameters.
    pub parameters: Vec<FittedParameter>,
    /// The figures that they are fitted to.
    pub figures: Vec<FittedFigure>,
    /// As many parameters as figures: agreement proves nothing.
    pub exactly_determined: bool,
    /// How often figures were simulated.
    pub trials: usize,
}

/// One parameter.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FittedParameter {
    /// The file that holds it.
    pub file: String,
    /// Its path there.
    pub key: String,
    /// What it was, in the unit of the file.
    pub before: f64,
    /// What it is now, in the unit of the file.
    pub after: f64,
    /// The least and the greatest that is physically possible.
    pub within: [f64; 2],
    /// It is at one of its bounds: the figures would move it further.
    pub at_bound: bool,
    /// How it was found: by `calibrate`, or by `likelihood`, which needs no simulation.
    pub by: &'static str,
    /// The figures that it is fitted to.
    pub facts: Vec<String>,
    /// Its file documents how it was found.
    #[serde(skip)]
    pub says_by: bool,
    /// It takes whole multiples of this alone; nothing where it takes any number.
    #[serde(skip)]
    pub step: Option<u32>,
}

/// One figure.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FittedFigure {
    /// The published figure.
    pub id: FactId,
    /// As it was published.
    pub published: f64,
    /// As it is simulated with the fitted values.
    pub simulated: f64,
    /// How far the simulated figure is off, as a share: 0.05 is 5 %.
    pub error: f64,
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "family: {}", self.family.join(", "))?;
        writeln!(
            f,
            "{:34} {:>12} {:>12}   {:24} fitted to",
            "free parameter", "before", "after", "within"
        )?;
        for p in &self.parameters {
            let within = format!("{} to {}", p.within[0], p.within[1]);
            let facts = p.facts.join(", ");
            let bound = if p.at_bound { ", at its bound" } else { "" };
            let by = match p.by {
                "likelihood" => ", by likelihood",
                _ => "",
            };
            writeln!(
                f,
                "{:34} {:>12} {:>12}   {within:24} {facts}{bound}{by}",
                p.key, p.before, p.after
            )?;
        }
        writeln!(
            f,
            "{:34} {:>12} {:>12} {:>9}",
            "figure", "published", "simulated", "error"
        )?;
        for figure in &self.figures {
            let (id, published, error) = (figure.id, figure.published, 100.0 * figure.error);
            let simulated = figure.simulated;
            writeln!(
                f,
                "{id:34} {published:>12} {simulated:>12.4} {error:>7.2} %"
            )?;
        }
        let (free, figures) = (self.parameters.len(), self.figures.len());
        let exact = match self.exactly_determined {
            true => ": exactly determined, so these figures are not scored",
            false => "",
        };
        writeln!(
            f,
            "{free} free parameters, {figures} figures{exact}; {} trials",
            self.trials
        )
    }
}
