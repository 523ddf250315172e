//! Whether it matters on which of two file systems a method runs.

use base::Figure;
use results::{Quantity, RunResult, Statement};

use super::figures::{between, value};

/// Figures that differ by less are as good as equal.
const NOTHING: f64 = 1.05;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let keys = between(result, "ratio.", "");
    let is_tail = |key: &str| {
        let of_half =
            |figure: &&Figure| figure.key.split_once('.').is_some_and(|half| half.1 == key);
        let mut halves = result.figures.iter().filter(of_half);
        halves.any(|half| half.statistic.is_tail() || half.statistic.is_of_the_longest())
    };
    // A longest response of one run beside that of another says nothing of file systems.
    let apart = |key: &&str| {
        if is_tail(key) {
            return None;
        }
        let ratio = value(result, &format!("ratio.{key}")).filter(|ratio| *ratio > 0.0)?;
        Some(ratio.max(1.0 / ratio))
    };
    let most = keys.iter().filter_map(apart).max_by(f64::total_cmp)?;
    let mut halves: Vec<&str> = Vec::new();
    for figure in &result.figures {
        let half = figure.key.split('.').next().unwrap_or_default();
        if half != "ratio" && !halves.contains(&half) {
            halves.push(half);
        }
    }
    let [one, other] = halves.as_slice() else {
        return None;
    };
    let said = match most < NOTHING {
        true => Statement::new("answer-file-system-same")
            .with("apart", Quantity::Percent((most - 1.0) * 100.0)),
        false => {
            Statement::new("answer-file-system-differs").with("factor", Quantity::Factor(most))
        }
    };
    Some(vec![
        said.with("one", Quantity::name(*one))
            .with("other", Quantity::name(*other)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    fn key(ratio: f64) -> Option<&'static str> {
        let figures = [
            ("fat32.boot_s", 1.0, "s"),
            ("ntfs.boot_s", ratio, "s"),
            ("ratio.boot_s", ratio, "ratio"),
        ];
        answer(&measured("file-system", &figures)).map(|said| said[0].key)
    }

    #[test]
    fn a_figure_may_differ_to_either_side() {
        assert_eq!(key(1.04), Some("answer-file-system-same"));
        assert_eq!(key(1.05), Some("answer-file-system-differs"));
        assert_eq!(key(0.5), Some("answer-file-system-differs"));
        assert_eq!(key(0.0), None);
    }

    #[test]
    fn one_half_alone_tells_of_no_difference() {
        assert_eq!(
            answer(&measured("file-system", &[("ntfs.boot_s", 1.0, "s")])),
            None
        );
    }
}
