//! The score: errors of the rows that count, and the guess's on the same rows.
//!
//! A mean would be ruled by the one row that is off by a factor of ten; so it is the median, and the
//! share of rows within a bound. Rows to calibrate to are scored apart from those that were
//! predicted, and not at all where a family has as many free parameters as rows.

use results::reproduction::{
    Category, ClaimScore, ErrorScore, ReproducedFigure, Score, StricterScore,
};
use stats::median;

/// A calibrated figure should be this near.
pub const CALIBRATED_WITHIN: f64 = 0.06;
/// A predicted one this near.
pub const PREDICTED_WITHIN: f64 = 0.25;

/// The score of some rows.
pub(super) fn score<'a>(rows: impl Iterator<Item = &'a ReproducedFigure> + Clone) -> Score {
    let of = |category| rows.clone().filter(move |row| row.category == category);
    let predicted: Vec<&ReproducedFigure> = of(Category::Predicted).collect();
    let [as_scored, stricter @ ..] = READINGS.map(|reading| reading.score(&predicted));
    let calibrated = of(Category::Calibrated).map(|row| row.error);
    Score {
        calibrated: errors(calibrated, CALIBRATED_WITHIN),
        predicted: as_scored.predicted,
        null: as_scored.null,
        stricter: stricter.into(),
        claims: claims(of(Category::Claim)),
    }
}

/// A way to score the predicted numbers.
#[derive(Clone, Copy)]
struct ReadAs {
    tolerances: bool,
    dependent_on_drive: bool,
}

/// The reading of the score, then those that are stricter.
const READINGS: [ReadAs; 4] = [
    ReadAs {
        tolerances: true,
        dependent_on_drive: false,
    },
    ReadAs {
        tolerances: false,
        dependent_on_drive: false,
    },
    ReadAs {
        tolerances: true,
        dependent_on_drive: true,
    },
    ReadAs {
        tolerances: false,
        dependent_on_drive: true,
    },
];

impl ReadAs {
    fn score(self, predicted: &[&ReproducedFigure]) -> StricterScore {
        let counts = |row: &&&ReproducedFigure| {
            !self.dependent_on_drive || row.independent_of_drive.is_none()
        };
        let of_row = |row: &&ReproducedFigure| match self.tolerances {
            true => (row.error, row.null_error),
            false => (row.plain_error, row.null_plain_error),
        };
        let both: Vec<_> = predicted.iter().filter(counts).map(of_row).collect();
        // The guess is judged where the model is: a row that was not run says nothing of either.
        let guessed = both.iter().map(|(error, null)| error.and(*null));
        StricterScore {
            tolerances: self.tolerances,
            dependent_on_drive: self.dependent_on_drive,
            predicted: errors(both.iter().map(|(error, _)| *error), PREDICTED_WITHIN),
            null: errors(guessed, PREDICTED_WITHIN),
        }
    }
}

/// A claim that no change of the model makes fail is no test of the model, and does not count as held.
fn claims<'a>(claims: impl Iterator<Item = &'a ReproducedFigure>) -> ClaimScore {
    let mut score = ClaimScore::default();
    for row in claims {
        score.rows += 1;
        score.run += usize::from(row.holds.is_some());
        match (row.holds, row.can_fail) {
            (Some(true), Some(false)) => score.cannot_fail += 1,
            (Some(true), _) => score.held += 1,
            _ => {}
        }
    }
    score
}

fn errors(errors: impl Iterator<Item = Option<f64>>, bound: f64) -> ErrorScore {
    let all: Vec<Option<f64>> = errors.collect();
    let run: Vec<f64> = all.iter().copied().flatten().collect();
    let count_within = run.iter().filter(|error| **error <= bound).count();
    ErrorScore {
        rows: all.len(),
        run: run.len(),
        bound,
        median: median(&run),
        within: (!run.is_empty()).then(|| count_within as f64 / run.len() as f64),
        count_within,
    }
}
