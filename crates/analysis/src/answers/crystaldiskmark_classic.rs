//! How fast in order, and how many small reads one at a time, from the four cells of the old grid.

use results::{RunResult, Statement};

use super::figures::value;
use super::rates::{self, Cells};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let cells = Cells {
        in_order: &["seq"],
        small: value(result, "4k.read.iops"),
    };
    rates::answer(result, &cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn a_drive_that_was_only_read_has_no_rate_of_writing() {
        let result = measured("crystaldiskmark-classic", &[("seq.read", 520.0, "MB/s")]);
        assert_eq!(answer(&result).unwrap()[0].key, "answer-rates-read");
    }
}
