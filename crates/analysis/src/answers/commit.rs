//! How many commits a second one writer gets, and how long it waits for them.

use results::{Quantity, RunResult, Statement};

use super::figures::{between, per_second, time, told_time};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    // A drive that is asked for durable writes alone answers by those.
    let way = ["flushed", "durable"]
        .into_iter()
        .find(|way| per_second(result, &format!("{way}.writers1.rate")).is_some())?;
    let of = |writers: u64, key: &str| format!("{way}.writers{writers}.{key}");
    let rate = per_second(result, &of(1, "rate"))?;
    let said = match told_time(result, &of(1, "p99")) {
        Some(p99) => Statement::new("answer-commit").with("p99", p99),
        None => {
            let middle = time(result, &of(1, "p50"))?;
            Statement::new("answer-commit-few").with("median", Quantity::Time(middle))
        }
    };
    let writers = between(result, &format!("{way}.writers"), ".rate").into_iter();
    let most = writers.filter_map(|n| n.parse::<u64>().ok()).max()?;
    let many = per_second(result, &of(most, "rate")).filter(|_| most > 1);
    let many = many.map(|rate| {
        Statement::new("answer-commit-writers")
            .with("writers", Quantity::Count(most))
            .with("rate", rate)
    });
    let said = said.with("rate", rate);
    Some(std::iter::once(said).chain(many).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn of_few_commits_the_middle_is_told_and_no_percentile() {
        let figures = [
            ("flushed.writers1.rate", 12_417.0, "IOPS"),
            ("flushed.writers1.p50", 80.0, "us"),
            ("flushed.writers1.p99", 300.0, "us"),
            ("flushed.writers16.rate", 40_000.0, "IOPS"),
        ];
        let mut result = measured("commit", &figures);
        result.figures[2].statistic = "p99".into();
        let said = answer(&result).unwrap();
        assert_eq!(said[0].key, "answer-commit");
        assert_eq!(said[1].quantity("writers"), Some(&Quantity::Count(16)));
        result.figures[2].n = 99;
        assert_eq!(answer(&result).unwrap()[0].key, "answer-commit-few");
    }

    #[test]
    fn a_rate_without_any_time_is_no_answer() {
        let figures = [("flushed.writers1.rate", 12_417.0, "IOPS")];
        assert_eq!(answer(&measured("commit", &figures)), None);
    }
}
