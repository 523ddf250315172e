//! How fast in order and one small read at a time, and the score by which its users rank drives.

use results::{Quantity, RunResult, Statement};

use super::figures::{count, mb_s};
use super::rates::{self, Cells, SMALL};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let cells = Cells {
        in_order: &["seq"],
        small: mb_s(result, "4k.read").map(|rate| rate * 1e6 / SMALL),
    };
    let mut said = rates::answer(result, &cells)?;
    let score = count(result, "score.total");
    said.extend(score.map(|points| {
        Statement::new("answer-as-ssd-score").with("points", Quantity::Count(points))
    }));
    Some(said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn the_binary_megabytes_of_the_original_are_as_many_reads_as_they_hold() {
        let result = measured("as-ssd", &[("4k.read", 100.0, "MiB/s")]);
        let said = answer(&result).unwrap();
        let Some(Quantity::PerSecond(reads)) = said[0].quantity("small") else {
            panic!("no reads");
        };
        assert!((reads - 25_600.0).abs() < 1e-6);
        assert_eq!(said.len(), 1, "no score without one");
    }
}
