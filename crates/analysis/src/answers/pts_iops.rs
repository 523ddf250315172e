//! How many small reads and how many small writes a second a steady drive does.

use results::{RunResult, Statement};

use super::figures::per_second;
use super::steady::in_its_state;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let said = Statement::new("answer-pts-iops")
        .with("reads", per_second(result, "rnd4k-r100.iops")?)
        .with("writes", per_second(result, "rnd4k-r0.iops")?);
    Some(in_its_state(result, "", said))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn the_figures_stand_behind_the_state_that_they_are_of() {
        let figures = [
            ("rnd4k-r100.iops", 90_000.0, "IOPS"),
            ("rnd4k-r0.iops", 5_000.0, "IOPS"),
            ("steady.round", 4.0, "count"),
        ];
        let said = answer(&measured("pts-iops", &figures)).unwrap();
        assert_eq!(said[0].key, "answer-pts-steady");
        assert_eq!(answer(&measured("pts-iops", &figures[..1])), None);
    }
}
