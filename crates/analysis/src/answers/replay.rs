//! The drive's response to the recorded load, and whether the replay kept its timing.

use results::{Quantity, RunResult, Statement};

use super::figures::{per_second, time, told_time, value};

/// More I/Os in a hundred than this sent over 1 ms late: the times are no longer those of the recording.
const UNFAITHFUL: f64 = 1.0;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let rate = per_second(result, "iops")?;
    let ops = [
        ("read", "answer-replay-reads"),
        ("write", "answer-replay-writes"),
    ];
    let (op, key) = ops
        .into_iter()
        .find(|(op, _)| value(result, &format!("{op}.response.median")).is_some())?;
    let of = |key: &str| format!("{op}.response.{key}");
    let median = Quantity::Time(time(result, &of("median"))?);
    let longest = told_time(result, &of("p99")).map(|p99| ("p99", p99));
    let said = match longest {
        Some((_, p99)) => Statement::new(key).with("p99", p99),
        None => Statement::new("answer-replay-median"),
    };
    let late = value(result, "late.over_1ms").filter(|percent| *percent > UNFAITHFUL);
    let late = late.map(|percent| {
        Statement::new("answer-replay-late").with("late", Quantity::Percent(percent))
    });
    let said = said.with("rate", rate).with("median", median);
    Some(std::iter::once(said).chain(late).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn a_replay_that_was_late_says_so_and_one_without_reads_tells_of_writes() {
        let said = |op: &str, late: f64| {
            let keys = ["median", "p99"].map(|key| format!("{op}.response.{key}"));
            let figures = [
                ("iops", 1_600.0, "IOPS"),
                (keys[0].as_str(), 75.0, "us"),
                (keys[1].as_str(), 190.0, "us"),
                ("late.over_1ms", late, "%"),
            ];
            answer(&measured("replay", &figures)).unwrap()
        };
        assert_eq!(said("read", 1.0).len(), 1);
        assert_eq!(said("read", 1.1)[1].key, "answer-replay-late");
        assert_eq!(said("write", 0.0)[0].key, "answer-replay-writes");
    }
}
