//! Common to the methods of SNIA's specification: the state that their figures refer to.
//!
//! A figure outside steady state is a snapshot, and one over a small part of the drive has so much spare area that
//! garbage collection never starts. Both are stated before the figure.

use results::{Quantity, RunResult, Statement};

use super::figures::{count, setting, value};

/// The specification's window: greatest less least within 20 % of the mean, the fitted line moves by 10 % at most.
const EXCURSION_PERCENT: f64 = 20.0;
const SLOPE_PERCENT: f64 = 10.0;

/// `said` with the state that it refers to; `prefix` precedes the keys of the steady state (`seq1m.`).
pub(super) fn in_its_state(result: &RunResult, prefix: &str, said: Statement) -> Vec<Statement> {
    let of = |key: &str| format!("{prefix}steady.{key}");
    let within =
        |key: &str, most: f64| value(result, &of(key)).is_some_and(|percent| percent.abs() <= most);
    let state = if let Some(round) = count(result, &of("round")) {
        Statement::new("answer-pts-steady").with("rounds", Quantity::Count(round))
    } else if within("excursion", EXCURSION_PERCENT) && within("slope", SLOPE_PERCENT) {
        Statement::new("answer-pts-part")
    } else if let Some(rounds) = setting::<u64>(result, "rounds") {
        Statement::new("answer-pts-not-steady").with("rounds", Quantity::Count(rounds))
    } else {
        Statement::new("answer-pts-unsteady")
    };
    vec![state.with("said", Quantity::Said(vec![said]))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    fn state(figures: &[(&str, f64, &str)]) -> &'static str {
        let mut result = measured("pts-iops", figures);
        let rounds = ("rounds".to_owned(), "25".to_owned());
        result.settings.values.extend([rounds]);
        in_its_state(&result, "", Statement::new("said"))[0].key
    }

    #[test]
    fn the_state_is_that_of_the_specifications_window() {
        let at = |excursion, slope| {
            state(&[
                ("steady.excursion", excursion, "%"),
                ("steady.slope", slope, "%"),
            ])
        };
        assert_eq!(
            state(&[("steady.round", 5.0, "count")]),
            "answer-pts-steady"
        );
        assert_eq!(at(20.0, -10.0), "answer-pts-part");
        assert_eq!(at(20.1, 0.0), "answer-pts-not-steady");
        assert_eq!(at(0.0, -10.1), "answer-pts-not-steady");
        assert_eq!(state(&[]), "answer-pts-not-steady");
    }
}
