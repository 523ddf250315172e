//! How a drive's model was brought to what its maker rates it at.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// The schema of a fit to a data sheet.
pub const RATED_FIT_SCHEMA: &str = "drivelab.rated-fit/1";

/// What fitting a drive's file to its own rated figures changes.
///
/// ```json
/// {
///   "schema": "drivelab.rated-fit/1",
///   "drive": "mine.toml",
///   "parameters": [],
///   "figures": [
///     { "key": "random_read_iops", "conditions": "4 KiB, 32 in flight", "rated": 98000.0,
///       "before": 95969.0, "after": 97990.0, "error": -0.0001, "why": null }
///   ],
///   "runs": 12
/// }
/// ```
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RatedFit {
    /// The schema.
    pub schema: &'static str,
    /// The drive, or the path of its file.
    pub drive: String,
    /// The values that were changed.
    pub parameters: Vec<RatedParameter>,
    /// The rated figures.
    pub figures: Vec<RatedOutcome>,
    /// How often a figure was simulated.
    pub runs: usize,
}

/// One value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RatedParameter {
    /// Its path in the file.
    pub key: String,
    /// What it was, in the unit of the file.
    pub before: f64,
    /// What it is now, in the unit of the file.
    pub after: f64,
    /// The range of the drive's kind.
    pub within: [f64; 2],
    /// The rated figure that required it.
    pub figure: String,
    /// It takes whole numbers alone.
    #[serde(skip)]
    pub whole: bool,
}

/// One rated figure.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RatedOutcome {
    /// Its key in the file, with its unit.
    pub key: String,
    /// The conditions that it was simulated under.
    pub conditions: String,
    /// As the maker rates it.
    pub rated: f64,
    /// As the model had it before.
    pub before: f64,
    /// As the model has it now.
    pub after: f64,
    /// How far the model is off now, as a share: 0.05 is 5 %.
    pub error: f64,
    /// If it is not met within 3 %: the limiting factor, for people.
    pub why: Option<String>,
}

impl fmt::Display for RatedFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.drive)?;
        writeln!(
            f,
            "{:29} {:>10} {:>10} {:>10} {:>8}  as",
            "rated", "sheet", "before", "now", "off"
        )?;
        for figure in &self.figures {
            writeln!(
                f,
                "{:29} {:>10} {:>10.1} {:>10.1} {:>6.1} %  {}",
                figure.key,
                figure.rated,
                figure.before,
                figure.after,
                100.0 * figure.error,
                figure.conditions
            )?;
            if let Some(why) = &figure.why {
                writeln!(f, "    not met: {why}")?;
            }
        }
        if !self.parameters.is_empty() {
            writeln!(f, "{:35} {:>10} {:>10}  kind", "value", "before", "now")?;
        }
        for p in &self.parameters {
            let [low, high] = p.within;
            let (before, after) = (p.before, p.after);
            writeln!(f, "{:35} {before:>10} {after:>10}  {low} to {high}", p.key)?;
        }
        Ok(())
    }
}
