//! What remains of a fresh drive's small-write IOPS in steady state.
//!
//! A drive that was not written until it is steady has a last level that is only the last one seen.

use results::{Quantity, RunResult, Statement};

use super::figures::{per_second, value};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let key = match value(result, "steady.round") {
        Some(_) => "answer-pts-write-saturation-steady",
        None => "answer-pts-write-saturation-not-steady",
    };
    let said = Statement::new(key)
        .with("fresh", per_second(result, "fresh.iops")?)
        .with("last", per_second(result, "last.iops")?)
        .with("left", Quantity::Percent(value(result, "last-of-fresh")?))
        .with("times", Quantity::Factor(value(result, "written.extents")?));
    Some(vec![said])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn a_drive_that_is_not_steady_yet_is_told_as_such() {
        let figures = [
            ("fresh.iops", 80_000.0, "IOPS"),
            ("last.iops", 8_000.0, "IOPS"),
            ("last-of-fresh", 10.0, "%"),
            ("written.extents", 2.5, "count"),
            ("steady.round", 9.0, "count"),
        ];
        let key = |n| answer(&measured("pts-write-saturation", &figures[..n])).unwrap()[0].key;
        assert_eq!(key(5), "answer-pts-write-saturation-steady");
        assert_eq!(key(4), "answer-pts-write-saturation-not-steady");
    }
}
