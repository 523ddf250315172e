//! How fast programs and games are served: bandwidth, mean access, and the score of both.

use results::{Quantity, RunResult, Statement};

use super::figures::{between, count, rate, time};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let set = *between(result, "", ".score").first()?;
    let of = |key: &str| format!("{set}.{key}");
    let said = Statement::new("answer-application-traces")
        .with("set", Quantity::name(set))
        .with("rate", rate(result, &of("bandwidth"))?)
        .with("access", Quantity::Time(time(result, &of("access"))?))
        .with("points", Quantity::Count(count(result, &of("score"))?));
    Some(vec![said])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn the_figures_are_those_of_the_whole_set_and_not_of_one_trace() {
        let figures = [
            ("games.load.bandwidth", 100.0, "MB/s"),
            ("games.bandwidth", 300.0, "MB/s"),
            ("games.access", 120.0, "us"),
            ("games.score", 1_500.0, "drivelab points"),
        ];
        let said = answer(&measured("application-traces", &figures)).unwrap();
        let rate = said[0].quantity("rate");
        assert_eq!(rate, Some(&Quantity::MegabytesPerSecond(300.0)));
        assert_eq!(answer(&measured("application-traces", &figures[..3])), None);
    }
}
