//! How fast in order, and how many small reads one at a time: the two cells by which its grid is read.
//!
//! The figures are the original's, the best run of each cell, since that is what its users compare. If medians of
//! several runs exist, which are used for judging, the answer says so.

use results::{RunResult, Statement};

use super::figures::value;
use super::rates::{self, Cells};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let cells = Cells {
        in_order: &["seq1m-q8t1", "seq1m-q1t1", "seq128k-q32t1"],
        small: value(result, "rnd4k-q1t1.read.iops"),
    };
    let mut said = rates::answer(result, &cells)?;
    if has_medians(result) {
        said.push(Statement::new("answer-crystaldiskmark-best"));
    }
    Some(said)
}

/// Whether there is a median that is not the best run.
fn has_medians(result: &RunResult) -> bool {
    result.figures.iter().any(|figure| {
        let median = figure.key.strip_suffix(".median");
        let best = median.and_then(|cell| value(result, cell));
        best.is_some() && best != figure.value
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;
    use results::statement::Quantity;

    #[test]
    fn the_queued_cell_in_order_comes_before_the_single_one() {
        let result = measured(
            "crystaldiskmark",
            &[
                ("seq1m-q1t1.read", 2_500.0, "MB/s"),
                ("seq1m-q8t1.read", 3_500.0, "MB/s"),
                ("rnd4k-q1t1.read.iops", 16_000.0, "IOPS"),
            ],
        );
        let said = answer(&result).unwrap();
        let read = said[0].quantity("read");
        assert_eq!(read, Some(&Quantity::MegabytesPerSecond(3_500.0)));
        assert_eq!(said[0].key, "answer-rates-read-small");
        assert_eq!(said.len(), 1);
    }

    #[test]
    fn that_the_best_runs_are_told_is_said_where_medians_stand_beside_them() {
        let of = |median: f64| {
            let figures = [
                ("seq1m-q8t1.read", 3_500.0, "MB/s"),
                ("seq1m-q8t1.read.median", median, "MB/s"),
            ];
            let said = answer(&measured("crystaldiskmark", &figures)).unwrap();
            said.last().unwrap().key
        };
        assert_eq!(of(3_400.0), "answer-crystaldiskmark-best");
        assert_eq!(of(3_500.0), "answer-rates-read");
    }
}
