//! The score: errors of the rows that count, and the guess's on the same rows.
//!
//! A mean would be ruled by the one row that is off by a factor of ten; so it is the median, and the
//! share of rows within a bound. Rows to calibrate to are scored apart from those that were
//! predicted, and not at all where a family has as many free parameters as rows.

use serde::Serialize;
use stats::median;

use super::RowResult;
use crate::published::Independence;

/// A calibrated figure should be this near.
pub const CALIBRATED_WITHIN: f64 = 0.06;
/// A predicted one this near.
pub const PREDICTED_WITHIN: f64 = 0.25;

/// The score of some rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Score {
    /// Figures that parameters were fitted to, families that are exactly determined left out.
    pub calibrated: Errors,
    /// Numbers that were predicted.
    pub predicted: Errors,
    /// The guess that looks at no drive, on the same rows.
    pub null: Errors,
    /// Orders and behaviours that were predicted.
    pub claims: Claims,
}

/// How far numbers are off.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Errors {
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
}

/// How many claims hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Claims {
    /// Claims that count.
    pub rows: usize,
    /// Those that were run.
    pub run: usize,
    /// Those that hold.
    pub held: usize,
}

/// The score of one document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DocumentScore {
    /// Which.
    pub document: String,
    /// Its score.
    pub score: Score,
}

impl Score {
    /// Of some rows.
    pub fn of<'a>(rows: impl Iterator<Item = &'a RowResult>) -> Score {
        let counted: Vec<&RowResult> = rows.filter(|row| row.counts).collect();
        let calibrate = counted.iter().filter(|row| row.role == "calibrate");
        let numbers: Vec<&&RowResult> = counted.iter().filter(|row| is_number(row)).collect();
        let own = numbers.iter();
        // The guess is judged where the model is: a row that was not run says nothing of either.
        let guessed = numbers.iter().map(|row| row.error.and(row.null_error));
        let claims = counted.iter().filter(|row| is_own(row) && !is_number(row));
        Score {
            calibrated: Errors::of(calibrate.map(|row| row.error), CALIBRATED_WITHIN),
            predicted: Errors::of(own.map(|row| row.error), PREDICTED_WITHIN),
            null: Errors::of(guessed, PREDICTED_WITHIN),
            claims: Claims {
                rows: claims.clone().count(),
                run: claims.clone().filter(|row| row.holds.is_some()).count(),
                held: claims.filter(|row| row.holds == Some(true)).count(),
            },
        }
    }
}

fn is_own(row: &RowResult) -> bool {
    row.independence == Some(Independence::Own)
}

/// A guess stands beside every predicted number that counts.
fn is_number(row: &RowResult) -> bool {
    is_own(row) && row.null.is_some()
}

impl Errors {
    fn of(errors: impl Iterator<Item = Option<f64>>, bound: f64) -> Errors {
        let all: Vec<Option<f64>> = errors.collect();
        let run: Vec<f64> = all.iter().copied().flatten().collect();
        let within = run.iter().filter(|error| **error <= bound).count();
        Errors {
            rows: all.len(),
            run: run.len(),
            bound,
            median: median(&run),
            within: (!run.is_empty()).then(|| within as f64 / run.len() as f64),
        }
    }
}
