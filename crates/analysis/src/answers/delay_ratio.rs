//! Whether the drive reads and writes at the same time, or hinders one with the other.

use results::RunResult;
use results::statement::{Quantity, Statement};

use super::figures::{time, value};

/// Within a twentieth of one, the copy takes what reading and writing take one after the other.
const EVEN: f64 = 0.05;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let ratio = value(result, "delay_ratio").filter(|ratio| *ratio > 0.0)?;
    let said = if ratio < 1.0 - EVEN {
        Statement::new("answer-delay-ratio-overlaps")
            .with("share", Quantity::Percent(ratio * 100.0))
    } else if ratio <= 1.0 + EVEN {
        Statement::new("answer-delay-ratio-in-turns")
    } else {
        Statement::new("answer-delay-ratio-hinders").with("factor", Quantity::Factor(ratio))
    };
    let copy = Quantity::Time(time(result, "copy_s")?);
    Some(vec![said.with("copy", copy)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    fn key(ratio: f64) -> Option<&'static str> {
        let figures = [("delay_ratio", ratio, "ratio"), ("copy_s", 30.0, "s")];
        answer(&measured("delay-ratio", &figures)).map(|said| said[0].key)
    }

    #[test]
    fn the_ratio_is_told_by_its_side_of_one() {
        assert_eq!(key(0.94), Some("answer-delay-ratio-overlaps"));
        assert_eq!(key(0.96), Some("answer-delay-ratio-in-turns"));
        assert_eq!(key(1.04), Some("answer-delay-ratio-in-turns"));
        assert_eq!(key(1.06), Some("answer-delay-ratio-hinders"));
        assert_eq!(key(0.0), None);
    }
}
