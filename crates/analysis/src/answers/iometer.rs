//! How many of a server's accesses a second: one at a time, and with many in flight.

use results::{Quantity, RunResult, Statement};

use super::figures::{between, per_second, time};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    // `file-server.qd32`: the specification and the depth.
    let runs = between(result, "", ".total.iops");
    let spec = runs.first()?.rsplit_once(".qd")?.0;
    let start = format!("{spec}.qd");
    let depth = |run: &&str| run.strip_prefix(&start)?.parse::<u64>().ok();
    let depths: Vec<u64> = runs.iter().filter_map(depth).collect();
    let most = depths.iter().copied().max()?;
    let done = |depth: u64| per_second(result, &format!("{start}{depth}.total.iops"));
    let mean = time(result, &format!("{start}{most}.total.response.mean"))?;
    let key = match most > 1 && depths.contains(&1) {
        true => "answer-iometer",
        false => "answer-iometer-one-depth",
    };
    let mut said = Statement::new(key)
        .with("spec", Quantity::name(spec))
        .with("most", done(most)?)
        .with("depth", Quantity::Count(most))
        .with("mean", Quantity::Time(mean));
    if key == "answer-iometer" {
        said = said.with("one", done(1)?);
    }
    Some(vec![said])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn the_deepest_queue_stands_beside_the_single_access_where_both_were_run() {
        let deep = [
            ("web-server.qd32.total.iops", 9_000.0, "IOPS"),
            ("web-server.qd32.total.response.mean", 3.5, "ms"),
        ];
        let one = ("web-server.qd1.total.iops", 900.0, "IOPS");
        let said = answer(&measured("iometer", &deep)).unwrap();
        assert_eq!(said[0].key, "answer-iometer-one-depth");
        let said = answer(&measured("iometer", &[one, deep[0], deep[1]])).unwrap();
        assert_eq!(said[0].key, "answer-iometer");
        assert_eq!(said[0].quantity("one"), Some(&Quantity::PerSecond(900.0)));
        assert_eq!(said[0].quantity("depth"), Some(&Quantity::Count(32)));
    }
}
