//! From how many accesses in flight on the drive is at full speed, and what one takes there.

use results::{Quantity, RunResult, Statement};

use super::figures::{between, count, per_second, time};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    // `rnd4k.read`: the pattern and the direction; reads come first, small before large.
    let swept = *between(result, "", ".knee.depth").first()?;
    let depth = count(result, &format!("{swept}.knee.depth"))?;
    let deepest = between(result, &format!("{swept}.qd"), ".iops")
        .into_iter()
        .filter_map(|depth| depth.parse::<u64>().ok())
        .max()?;
    let of = |key: &str| format!("{swept}.knee.{key}");
    let key = match depth < deepest {
        true => "answer-queue-depth-sweep-knee",
        false => "answer-queue-depth-sweep-gains",
    };
    let op = match swept.ends_with(".write") {
        true => "answer-writes",
        false => "answer-reads",
    };
    let said = Statement::new(key)
        .with("depth", Quantity::Count(depth))
        .with("rate", per_second(result, &of("iops"))?)
        .with("mean", Quantity::Time(time(result, &of("mean"))?))
        .with("accesses", Quantity::Said(vec![Statement::new(op)]));
    Some(vec![said])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn a_drive_that_still_gains_at_the_deepest_queue_has_no_knee() {
        let key = |knee: f64| {
            let figures = [
                ("rnd4k.read.qd1.iops", 10_000.0, "IOPS"),
                ("rnd4k.read.qd16.iops", 90_000.0, "IOPS"),
                ("rnd4k.read.knee.depth", knee, "count"),
                ("rnd4k.read.knee.iops", 90_000.0, "IOPS"),
                ("rnd4k.read.knee.mean", 170.0, "us"),
            ];
            answer(&measured("queue-depth-sweep", &figures)).unwrap()[0].key
        };
        assert_eq!(key(8.0), "answer-queue-depth-sweep-knee");
        assert_eq!(key(16.0), "answer-queue-depth-sweep-gains");
    }
}
