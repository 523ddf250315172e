//! How a twin of a measured drive was made, and how near it is.

use std::fmt;

use base::io::Op;
use schemars::JsonSchema;
use serde::Serialize;

/// The schema of a twin.
pub const TWIN_SCHEMA: &str = "drivelab.twin/1";

/// A modelled drive that was made from what was measured on one drive.
///
/// ```json
/// {
///   "schema": "drivelab.twin/1",
///   "title": "My drive",
///   "kind": "sata-tlc",
///   "capacity_bytes": 250059350016,
///   "interface": "sata-6",
///   "host": "linux-uring",
///   "results": [3, 4],
///   "parameters": [
///     { "key": "ssd.nand.read_us", "value": 61.2, "interval": [59.0, 63.4], "within": [45.0, 85.0], "of_kind": 60.0 }
///   ],
///   "untold": [
///     { "key": "ssd.nand.erase_us", "value": 8000.0, "within": [3500.0, 15000.0],
///       "why": "no figure follows from it more than from others" }
///   ],
///   "fit": { "rates_percent": 1.2, "medians_percent": 1.5, "p99_percent": 8.0 },
///   "held_back": { "rates_percent": 2.5, "medians_percent": 3.1, "p99_percent": 11.0 },
///   "figures": [
///     { "result": 3, "workload": "rnd4k-q1t1 read run 1", "op": "read", "statistic": "rate", "unit": "IOPS",
///       "held_back": true, "measured": 11800.0, "simulated": 11920.0, "error": 0.0102 }
///   ],
///   "left_out": ["5 (slc-fill): its phases are scripts or too long to be run again"],
///   "runs": 420
/// }
/// ```
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Twin {
    /// The schema.
    pub schema: &'static str,
    /// The drive's name for people.
    pub title: String,
    /// The kind of drives that it was made from.
    pub kind: String,
    /// Bytes that can be addressed.
    pub capacity_bytes: u64,
    /// How it is attached.
    pub interface: String,
    /// The modelled host on which the measured workloads were run again.
    pub host: String,
    /// The results that it was made from.
    pub results: Vec<i64>,
    /// The values that were fitted.
    pub parameters: Vec<TwinParameter>,
    /// The values that the results cannot tell: they stay as the kind has them.
    pub untold: Vec<TwinUntold>,
    /// The values that `explain` found: no search moved them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub structure: Vec<TwinStructure>,
    /// How far the twin is off on what it was fitted to.
    pub fit: TwinError,
    /// How far the twin is off on what was held back from the fit.
    pub held_back: TwinError,
    /// Every figure, measured and of the twin.
    pub figures: Vec<TwinFigure>,
    /// What of the results was not used, and why.
    pub left_out: Vec<String>,
    /// How often a run was repeated on a model.
    pub runs: usize,
}

/// A fitted value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TwinParameter {
    /// Its path in the file.
    pub key: String,
    /// What was found, in the unit of the file.
    pub value: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
    /// The range of the kind, which it does not leave.
    pub within: [f64; 2],
    /// What the kind has.
    pub of_kind: f64,
    /// It takes whole numbers alone.
    #[serde(skip)]
    pub whole: bool,
}

/// A value that stays as the kind has it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TwinUntold {
    /// Its path in the file.
    pub key: String,
    /// What the kind has.
    pub value: f64,
    /// The range of the kind.
    pub within: [f64; 2],
    /// Why it was not fitted.
    pub why: String,
}

/// A value that `explain` found.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TwinStructure {
    /// Its path in the file.
    pub key: String,
    /// What was found, in the unit of the file.
    pub value: f64,
    /// The interval that `explain` gives it, in the same unit.
    pub interval: [f64; 2],
    /// What the kind has.
    pub of_kind: f64,
    /// The figure of `explain` that it is.
    pub figure: String,
    /// The result that has it.
    pub result: i64,
    /// It takes whole numbers alone.
    #[serde(skip)]
    pub whole: bool,
}

impl TwinStructure {
    /// Why the file has it.
    pub fn why(&self) -> String {
        let [low, high] = self.interval;
        format!(
            "explain found it ({}): {} to {}; its kind has {}",
            self.figure,
            four(low),
            four(high),
            self.of_kind
        )
    }
}

/// Median errors of figures, in per cent; `null` if there is no such figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TwinError {
    /// Of I/Os a second.
    pub rates_percent: Option<f64>,
    /// Of median service times.
    pub medians_percent: Option<f64>,
    /// Of 99th percentiles of service times.
    pub p99_percent: Option<f64>,
}

/// One figure.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TwinFigure {
    /// The result that has it.
    pub result: i64,
    /// The phase.
    pub workload: String,
    /// Reads or writes.
    pub op: Op,
    /// `rate`, `median` or `p99`.
    pub statistic: String,
    /// Its unit.
    pub unit: String,
    /// Whether it was held back from the fit.
    pub held_back: bool,
    /// As it was measured.
    pub measured: f64,
    /// As the twin has it.
    pub simulated: f64,
    /// How far the twin is off, as a share: 0.05 is 5 %.
    pub error: f64,
}

/// A number with four digits, as a person would write it.
pub fn four(value: f64) -> String {
    let digits = 3 - value.abs().max(1e-9).log10().floor() as i32;
    let places = usize::try_from(digits).unwrap_or(0);
    let text = format!("{value:.places$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

impl fmt::Display for Twin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {}, {}, {} bytes",
            self.title, self.kind, self.interface, self.capacity_bytes
        )?;
        writeln!(
            f,
            "{:38} {:>10} {:>21}  kind",
            "value", "fitted", "95 % interval"
        )?;
        for p in &self.parameters {
            let interval = format!("{} to {}", four(p.interval[0]), four(p.interval[1]));
            let [low, high] = p.within;
            writeln!(
                f,
                "{:38} {:>10} {interval:>21}  {low} to {high}",
                p.key,
                four(p.value)
            )?;
        }
        if !self.structure.is_empty() {
            writeln!(f, "found by explain, so not fitted:")?;
        }
        for found in &self.structure {
            let interval = format!("{} to {}", four(found.interval[0]), four(found.interval[1]));
            let value = four(found.value);
            writeln!(
                f,
                "{:38} {value:>10} {interval:>21}  {} in the kind",
                found.key,
                four(found.of_kind)
            )?;
        }
        if !self.untold.is_empty() {
            writeln!(f, "the results cannot tell, so as the kind has it:")?;
        }
        for untold in &self.untold {
            let [low, high] = untold.within;
            writeln!(
                f,
                "{:38} {:>10} {:>21}  {low} to {high}",
                untold.key,
                four(untold.value),
                ""
            )?;
        }
        self.write_held_back(f)?;
        for left in &self.left_out {
            writeln!(f, "not used: {left}")?;
        }
        Ok(())
    }
}

impl Twin {
    /// What was held back from the fit, measured and by the twin.
    fn write_held_back(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:44} {:>10} {:>10} {:>8}",
            "held back from the fit", "measured", "twin", "off"
        )?;
        for figure in self.figures.iter().filter(|figure| figure.held_back) {
            let op = if figure.op == Op::Write {
                "write"
            } else {
                "read"
            };
            let name = format!(
                "{} {op} {} {}",
                figure.workload, figure.statistic, figure.unit
            );
            let (measured, simulated) = (four(figure.measured), four(figure.simulated));
            writeln!(
                f,
                "{name:44} {measured:>10} {simulated:>10} {:>6.1} %",
                100.0 * figure.error
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_four_digits_and_no_zeros_behind() {
        for (value, text) in [
            (61.204, "61.2"),
            (8000.0, "8000"),
            (0.1, "0.1"),
            (12.3456, "12.35"),
        ] {
            assert_eq!(four(value), text);
        }
    }
}
