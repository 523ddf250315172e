//! The fill rate of zones, the time of a reset, and how many can be open.

use results::{Quantity, RunResult, Statement};

use super::figures::{count, rate, time};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let said = match count(result, "open.limit") {
        Some(open) => Statement::new("answer-zones").with("open", Quantity::Count(open)),
        None => Statement::new("answer-zones-no-limit"),
    };
    Some(vec![said.with("fill", rate(result, "fill.rate")?).with(
        "reset",
        Quantity::Time(time(result, "reset.filled")?),
    )])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn a_limit_that_was_not_met_is_not_told() {
        let figures = [
            ("fill.rate", 1_250.0, "MB/s"),
            ("reset.filled", 15_445.0, "us"),
            ("open.limit", 14.0, "count"),
        ];
        let key = |n| answer(&measured("zones", &figures[..n])).map(|said| said[0].key);
        assert_eq!(key(3), Some("answer-zones"));
        assert_eq!(key(2), Some("answer-zones-no-limit"));
        assert_eq!(key(1), None);
    }
}
