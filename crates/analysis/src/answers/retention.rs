//! Whether data that have lain for long are read as fast as fresh ones, and whether all of them can be read.

use results::{Quantity, RunResult, Statement};

use super::figures::{between, count, mb_s};

/// What is left of the rate of fresh data where old ones are as fast: sequential reads repeat to a twentieth.
const SAME: f64 = 0.95;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let rated = |days: u64| Some((days, mb_s(result, &format!("after-{days}d.rate"))?));
    let mut ages: Vec<(u64, f64)> = between(result, "after-", "d.rate")
        .into_iter()
        .filter_map(|days| rated(days.parse().ok()?))
        .collect();
    ages.sort_by_key(|(days, _)| *days);
    let bad = |days: u64| {
        let of = |key: &str| count(result, &format!("after-{days}d.{key}")).unwrap_or(0);
        of("read-errors") + of("differing")
    };
    let days = |days: u64| Quantity::Count(days);
    if let Some((first, _)) = ages.iter().find(|(age, _)| bad(*age) > 0) {
        let said = Statement::new("answer-retention-lost")
            .with("days", days(*first))
            .with("lost", Quantity::Count(bad(*first)));
        return Some(vec![said]);
    }
    let (&(youngest, new), &(oldest, old)) = ages.first().zip(ages.last())?;
    let said = if youngest == oldest || youngest > 0 {
        Statement::new("answer-retention-rate")
    } else if old >= SAME * new {
        Statement::new("answer-retention-same")
    } else {
        Statement::new("answer-retention-slower").with("new", Quantity::MegabytesPerSecond(new))
    };
    Some(vec![
        said.with("days", days(oldest))
            .with("old", Quantity::MegabytesPerSecond(old)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    fn key(figures: &[(&str, f64, &str)]) -> Option<&'static str> {
        answer(&measured("retention", figures)).map(|said| said[0].key)
    }

    #[test]
    fn old_data_are_judged_by_fresh_ones_where_there_are_any() {
        let fresh = ("after-0d.rate", 500.0, "MB/s");
        let old = |rate| ("after-240d.rate", rate, "MB/s");
        assert_eq!(key(&[fresh, old(475.0)]), Some("answer-retention-same"));
        assert_eq!(key(&[old(474.0), fresh]), Some("answer-retention-slower"));
        assert_eq!(key(&[old(474.0)]), Some("answer-retention-rate"));
        assert_eq!(key(&[]), None);
    }

    #[test]
    fn data_that_are_lost_come_before_their_rate() {
        let rate = ("after-30d.rate", 500.0, "MB/s");
        let lost = ("after-30d.read-errors", 1.0, "count");
        assert_eq!(key(&[rate, lost]), Some("answer-retention-lost"));
    }
}
