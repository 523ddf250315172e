//! Predicted figures of drives that were not measured here, with intervals and two baselines.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

/// The schema of predictions.
pub const PREDICTION_SCHEMA: &str = "drivelab.prediction/1";

/// Answers to a table of questions.
///
/// ```json
/// {
///   "schema": "drivelab.prediction/1",
///   "drawings": 64,
///   "answers": [
///     { "id": "B001", "low": 5300.0, "value": 6100.0, "high": 7000.0, "why": "", "nearest": 5800.0, "data_sheet": 5000.0 }
///   ]
/// }
/// ```
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Predictions {
    /// The schema.
    pub schema: &'static str,
    /// Number of samples of the unknown parameters.
    pub drawings: usize,
    /// One for each question, in their order.
    pub answers: Vec<Predicted>,
}

/// One answer.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Predicted {
    /// The question's name.
    pub id: String,
    /// The lower end of an interval that holds the truth four times in five.
    pub low: Option<f64>,
    /// The model's value with its parameters as they are; `null` if there is no prediction.
    pub value: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Why there is no prediction; empty if there is one.
    pub why: String,
    /// A baseline: the simulated value of the nearest drive of the catalogue.
    pub nearest: Option<f64>,
    /// A guess from the data sheet alone: I/Os are the lesser of depth by time at depth 1 and the rated; the median is
    /// depth by them, the 99th percentile 1.1, the 99.9th 2 and the longest 20 times it.
    pub data_sheet: Option<f64>,
}

impl Predictions {
    /// As a table: `id,low,value,high,why,nearest,data_sheet`, five digits a number.
    pub fn csv(&self) -> String {
        let mut text = String::from("id,low,value,high,why,nearest,data_sheet\n");
        for answer in &self.answers {
            let [low, value, high, nearest, sheet] = [
                answer.low,
                answer.value,
                answer.high,
                answer.nearest,
                answer.data_sheet,
            ]
            .map(digits);
            let why = quoted(&answer.why);
            // A string takes what is written to it.
            let _ = writeln!(
                text,
                "{},{low},{value},{high},{why},{nearest},{sheet}",
                answer.id
            );
        }
        text
    }
}

/// Five digits, and never an exponent.
fn digits(value: Option<f64>) -> String {
    let Some(value) = value.filter(|value| value.is_finite()) else {
        return String::new();
    };
    let places = 4 - value.abs().max(1e-9).log10().floor() as i32;
    let scale = 10_f64.powi(places);
    let rounded = (value * scale).round() / scale;
    format!("{rounded:.0$}", places.clamp(0, 9) as usize)
}

fn quoted(text: &str) -> String {
    match text.contains(['"', ',', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"").replace('\n', " ")),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_five_digits_and_quotes_what_needs_it() {
        let answer = |id: &str, value, why: &str| Predicted {
            id: id.to_owned(),
            value,
            why: why.to_owned(),
            ..Predicted::default()
        };
        let predictions = Predictions {
            schema: PREDICTION_SCHEMA,
            drawings: 1,
            answers: vec![
                answer("B1", Some(123_456.7), ""),
                answer("B2", None, "no file, so \"nothing\""),
                answer("B3", Some(0.123_456_7), ""),
            ],
        };
        assert_eq!(
            predictions.csv(),
            "id,low,value,high,why,nearest,data_sheet\nB1,,123460,,,,\n\
             B2,,,,\"no file, so \"\"nothing\"\"\",,\nB3,,0.12346,,,,\n"
        );
    }
}
