//! How many accesses a second at most, and how long one waits at half of that.
//!
//! Half of the saturated rate is a usual operating point; close to the saturated rate every drive has a queue.

use results::{Quantity, RunResult, Statement};

use super::figures::{between, per_second, told_time, value};

/// The share of the requested rate at which the drive counts as keeping up.
const KEPT_UP: f64 = 0.95;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let saturated = per_second(result, "saturated");
    let loads = between(result, "at-", ".asked");
    let half = |load: &&&str| load.parse::<u64>().map_or(0, |load| load.abs_diff(50));
    let load = *loads.iter().min_by_key(half)?;
    let of = |key: &str| format!("at-{load}.{key}");
    let asked = value(result, &of("asked"))?;
    let kept_up = value(result, &of("done"))? >= KEPT_UP * asked;
    let p99 = told_time(result, &of("response.p99"));
    let key = match (kept_up, &saturated, &p99) {
        (false, ..) => "answer-fixed-rate-behind",
        (true, Some(_), Some(_)) => "answer-fixed-rate",
        (true, None, Some(_)) => "answer-fixed-rate-one",
        (true, _, None) => "answer-fixed-rate-few",
    };
    let mut said = Statement::new(key).with("asked", Quantity::PerSecond(asked));
    if !kept_up {
        return Some(vec![said.with("done", per_second(result, &of("done"))?)]);
    }
    for (name, quantity) in [("saturated", saturated), ("p99", p99)] {
        if let Some(quantity) = quantity {
            said = said.with(name, quantity);
        }
    }
    Some(vec![said])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    fn said(done: f64) -> Statement {
        let figures = [
            ("saturated", 20_000.0, "IOPS"),
            ("at-10.asked", 2_000.0, "IOPS"),
            ("at-50.asked", 10_000.0, "IOPS"),
            ("at-50.done", done, "IOPS"),
            ("at-50.response.p99", 0.2, "ms"),
        ];
        answer(&measured("fixed-rate", &figures)).unwrap().remove(0)
    }

    #[test]
    fn half_of_the_most_is_told_and_whether_the_drive_kept_up() {
        assert_eq!(said(9_500.0).key, "answer-fixed-rate");
        let asked = said(9_500.0).quantity("asked").cloned();
        assert_eq!(asked, Some(Quantity::PerSecond(10_000.0)));
        assert_eq!(said(9_499.0).key, "answer-fixed-rate-behind");
    }

    #[test]
    fn of_few_accesses_only_the_rate_is_told() {
        let figures = [
            ("at-given.asked", 50.0, "IOPS"),
            ("at-given.done", 50.0, "IOPS"),
        ];
        let said = answer(&measured("fixed-rate", &figures)).unwrap();
        assert_eq!(said[0].key, "answer-fixed-rate-few");
    }
}
