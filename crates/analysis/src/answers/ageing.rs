//! Whether the drive writes more slowly with use, and whether it begins to stutter.

use results::{Quantity, RunResult, Statement};

use super::figures::{between, is_of_the_whole, mb_s, value};

/// What is left of the rate where the drive is as fast as it was: runs of one drive differ by as much.
const SAME: f64 = 0.9;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let rate = |of: u64| mb_s(result, &format!("use-{of}.rate"));
    let mut steps: Vec<(u64, f64)> = between(result, "use-", ".rate")
        .into_iter()
        .filter_map(|part| part.parse().ok())
        .filter_map(|of| Some((of, rate(of)?)))
        .collect();
    steps.sort_by_key(|(of, _)| *of);
    let (&(_, first), &(used, last)) = steps.first().zip(steps.last())?;
    let said = match steps.len() {
        1 => Statement::new("answer-ageing-once"),
        _ if last < SAME * first => Statement::new("answer-ageing-slower")
            .with("first", Quantity::MegabytesPerSecond(first))
            .with("share", Quantity::Percent(last / first * 100.0)),
        // A small part that is overwritten leaves a drive all the spare room that it has.
        _ if !is_of_the_whole(result, &format!("use-{used}.rate")) => {
            Statement::new("answer-ageing-same-part")
        }
        _ => Statement::new("answer-ageing-same"),
    };
    let said = said
        .with("used", Quantity::Percent(used as f64))
        .with("last", Quantity::MegabytesPerSecond(last));
    let stutters = value(result, &format!("use-{used}.stutters")).filter(|n| *n > 0.0);
    let stutters = stutters
        .map(|n| Statement::new("answer-ageing-stutters").with("stutters", Quantity::PerMinute(n)));
    Some(std::iter::once(said).chain(stutters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    fn key(figures: &[(&str, f64, &str)]) -> &'static str {
        answer(&measured("ageing", figures)).unwrap()[0].key
    }

    #[test]
    fn a_tenth_less_is_slower_and_one_step_tells_of_no_change() {
        let first = ("use-25.rate", 100.0, "MB/s");
        assert_eq!(key(&[first]), "answer-ageing-once");
        assert_eq!(
            key(&[first, ("use-100.rate", 90.0, "MB/s")]),
            "answer-ageing-same-part"
        );
        let slower = [("use-100.rate", 89.0, "MB/s"), first];
        assert_eq!(key(&slower), "answer-ageing-slower");
    }

    #[test]
    fn stutters_of_the_last_watch_are_told_too() {
        let figures = [
            ("use-25.rate", 100.0, "MB/s"),
            ("use-25.stutters", 3.0, "per min"),
        ];
        assert_eq!(answer(&measured("ageing", &figures)).unwrap().len(), 2);
    }

    #[test]
    fn only_a_drive_that_was_overwritten_all_over_does_not_slow_down_with_use() {
        let rates = [25, 100].map(|used| format!("use-{used}.rate"));
        let figures = [
            (rates[0].as_str(), 100.0, "MB/s"),
            (rates[1].as_str(), 99.0, "MB/s"),
        ];
        let mut result = measured("ageing", &figures);
        result.figures[1].comparable_by.whole = true;
        assert_eq!(answer(&result).unwrap()[0].key, "answer-ageing-same");
    }
}
