//! The score: errors of the rows that count, and the guess's on the same rows.
//!
//! A mean would be ruled by the one row that is off by a factor of ten; so it is the median, and the
//! share of rows within a bound. Rows to calibrate to are scored apart from those that were
//! predicted, and not at all where a family has as many free parameters as rows.

use results::reproduction::{Category, ClaimScore, ErrorScore, ReproducedFigure, Score};
use stats::median;

/// A calibrated figure should be this near.
pub const CALIBRATED_WITHIN: f64 = 0.06;
/// A predicted one this near.
pub const PREDICTED_WITHIN: f64 = 0.25;

/// The score of some rows.
pub(super) fn score<'a>(rows: impl Iterator<Item = &'a ReproducedFigure> + Clone) -> Score {
    let of = |category| rows.clone().filter(move |row| row.category == category);
    // The guess is judged where the model is: a row that was not run says nothing of either.
    let guessed = of(Category::Predicted).map(|row| row.error.and(row.null_error));
    let claims = || of(Category::Claim);
    Score {
        calibrated: errors(
            of(Category::Calibrated).map(|row| row.error),
            CALIBRATED_WITHIN,
        ),
        predicted: errors(
            of(Category::Predicted).map(|row| row.error),
            PREDICTED_WITHIN,
        ),
        null: errors(guessed, PREDICTED_WITHIN),
        claims: ClaimScore {
            rows: claims().count(),
            run: claims().filter(|row| row.holds.is_some()).count(),
            held: claims().filter(|row| row.holds == Some(true)).count(),
        },
    }
}

fn errors(errors: impl Iterator<Item = Option<f64>>, bound: f64) -> ErrorScore {
    let all: Vec<Option<f64>> = errors.collect();
    let run: Vec<f64> = all.iter().copied().flatten().collect();
    let within = run.iter().filter(|error| **error <= bound).count();
    ErrorScore {
        rows: all.len(),
        run: run.len(),
        bound,
        median: median(&run),
        within: (!run.is_empty()).then(|| within as f64 / run.len() as f64),
    }
}
