//! How fast in order, and how many small reads one at a time: the two cells by which its grid is read.
//!
//! The figures are the dialect's own, the best run of each cell, since that is what its users compare.

use results::RunResult;
use results::statement::Statement;

use super::figures::value;
use super::rates::{self, Cells};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let cells = Cells {
        in_order: &["seq1m-q8t1", "seq1m-q1t1", "seq128k-q32t1"],
        small: value(result, "rnd4k-q1t1.read.iops"),
    };
    rates::answer(result, &cells)
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
    }
}
