//! How much goes at full speed, how fast, and what is left of it after that.

use base::size::Bytes;
use results::RunResult;
use results::statement::{Quantity, Statement};

use super::figures::{mb_s, size};

pub(super) fn answer(result: &RunResult) -> Vec<Statement> {
    let before = mb_s(result, "before.rate");
    let after = mb_s(result, "after.rate");
    let fell = size(result, "cache.size").zip(before).zip(after);
    if let Some(((cache, before), after)) = fell {
        let said = Statement::new("answer-slc-fill-falls")
            .with("cache", Quantity::Size(cache))
            .with("before", Quantity::MegabytesPerSecond(before))
            .with("after", Quantity::MegabytesPerSecond(after))
            .with("share", Quantity::Percent(after / before * 100.0));
        return vec![said];
    }
    let whole = mb_s(result, "whole.rate").map(|rate| {
        let moved = result.phases.iter().map(|phase| phase.bytes().get());
        Statement::new("answer-slc-fill-even")
            .with("written", Quantity::Size(Bytes::new(moved.sum())))
            .with("rate", Quantity::MegabytesPerSecond(rate))
    });
    whole.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fixtures::results as sample;

    fn filled(figures: &[(&str, f64, &str)]) -> RunResult {
        let mut result = sample::review().swap_remove(0);
        result.method = "slc-fill".to_owned();
        let figure =
            |(key, value, unit): &(&str, f64, &str)| sample::figure(key, Some(*value), unit);
        result.figures = figures.iter().map(figure).collect();
        result
    }

    #[test]
    fn a_fall_is_told_with_the_share_that_is_left() {
        let said = answer(&filled(&[
            ("cache.size", 140.2, "GB"),
            ("before.rate", 3_494.0, "MB/s"),
            ("after.rate", 282.9, "MB/s"),
            ("whole.rate", 320.0, "MB/s"),
        ]));
        assert_eq!(said[0].key, "answer-slc-fill-falls");
        let share = said[0].quantity("share");
        assert_eq!(share, Some(&Quantity::Percent(282.9 / 3_494.0 * 100.0)));
    }

    #[test]
    fn a_drive_without_a_fall_has_one_rate_and_one_without_figures_has_no_answer() {
        let said = answer(&filled(&[("whole.rate", 520.0, "MB/s")]));
        assert_eq!(said[0].key, "answer-slc-fill-even");
        assert_eq!(answer(&filled(&[])), []);
    }
}
