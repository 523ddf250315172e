//! Sequential rates at high queue depth, and small reads at queue depth 1: what data sheets emphasise, and what they
//! omit.

use results::{RunResult, Statement};

use super::figures::value;
use super::rates::{self, Cells};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let cells = Cells {
        in_order: &["seq128k-qd32"],
        small: value(result, "rnd4k-qd1.read"),
    };
    rates::answer(result, &cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn both_directions_and_the_small_read_are_told() {
        let result = measured(
            "datasheet",
            &[
                ("seq128k-qd32.read", 560.0, "MB/s"),
                ("seq128k-qd32.write", 530.0, "MB/s"),
                ("rnd4k-qd1.read", 10_000.0, "IOPS"),
            ],
        );
        assert_eq!(answer(&result).unwrap()[0].key, "answer-rates-both-small");
    }
}
