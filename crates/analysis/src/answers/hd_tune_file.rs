//! How fast in order, and how many small reads one at a time, in one file.

use results::{RunResult, Statement};

use super::figures::mb_s;
use super::rates::{self, Cells, SMALL};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let cells = Cells {
        in_order: &["sequential"],
        small: mb_s(result, "rnd4k-single.read").map(|rate| rate * 1e6 / SMALL),
    };
    rates::answer(result, &cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn writes_alone_are_told_alone() {
        let result = measured("hd-tune-file", &[("sequential.write", 120.0, "MB/s")]);
        assert_eq!(answer(&result).unwrap()[0].key, "answer-rates-write");
    }
}
