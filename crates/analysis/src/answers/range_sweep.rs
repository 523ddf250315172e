//! From which range on random reads slow down: how much of the drive its map cache covers.

use results::{Quantity, RunResult, Statement};

use super::figures::{between, length, per_second, size, value};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let ranges = between(result, "range.", "");
    let largest = ranges.iter().filter_map(|part| length(part)).max()?;
    let rate = per_second(result, "plateau")?;
    let said = match size(result, "knee") {
        Some(knee) => Statement::new("answer-range-sweep-knee")
            .with("knee", Quantity::Length(knee))
            .with(
                "left",
                Quantity::Percent(value(result, "whole-of-plateau")?),
            ),
        None => Statement::new("answer-range-sweep-even"),
    };
    Some(vec![
        said.with("largest", Quantity::Length(largest))
            .with("rate", rate),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;
    use base::size::Bytes;

    #[test]
    fn a_knee_is_told_with_what_is_left_behind_it() {
        let mut figures = vec![
            ("range.1gib", 90_000.0, "IOPS"),
            ("range.64gib", 45_000.0, "IOPS"),
            ("plateau", 90_000.0, "IOPS"),
            ("whole-of-plateau", 50.0, "%"),
        ];
        let even = answer(&measured("range-sweep", &figures)).unwrap();
        assert_eq!(even[0].key, "answer-range-sweep-even");
        figures.push(("knee", 64.0, "GiB"));
        let knee = answer(&measured("range-sweep", &figures)).unwrap();
        assert_eq!(knee[0].key, "answer-range-sweep-knee");
        let largest = Quantity::Length(Bytes::gib(64));
        assert_eq!(knee[0].quantity("largest"), Some(&largest));
    }
}
