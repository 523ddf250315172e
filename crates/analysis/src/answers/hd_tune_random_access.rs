//! IOPS of small random I/Os, and their mean and maximum time.

use results::{Quantity, RunResult, Statement};

use super::figures::{per_second, time, told_time};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let told = |op: &str| {
        let of = |key: &str| format!("4k.{op}.{key}");
        let said = Statement::new(match op {
            "read" => "answer-hd-tune-random-access-reads",
            _ => "answer-hd-tune-random-access-writes",
        })
        .with("rate", per_second(result, &of("iops"))?)
        .with("mean", Quantity::Time(time(result, &of("mean"))?))
        .with("longest", told_time(result, &of("max"))?);
        Some(vec![said])
    };
    told("read").or_else(|| told("write"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn reads_are_told_where_there_are_any() {
        let of = |op: &str| {
            let keys = ["iops", "mean", "max"].map(|key| format!("4k.{op}.{key}"));
            let figures = [
                (keys[0].as_str(), 80.0, "IOPS"),
                (keys[1].as_str(), 12.0, "ms"),
                (keys[2].as_str(), 40.0, "ms"),
            ];
            answer(&measured("hd-tune-random-access", &figures)).unwrap()[0].key
        };
        assert_eq!(of("read"), "answer-hd-tune-random-access-reads");
        assert_eq!(of("write"), "answer-hd-tune-random-access-writes");
    }
}
