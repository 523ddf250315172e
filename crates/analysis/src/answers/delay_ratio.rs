//! Whether the drive reads and writes at the same time, or hinders one with the other.

use results::{Quantity, RunResult, Statement, TailMark};

use super::figures::{figure, time};
use crate::tails::tail_mark;

/// Within a twentieth of one, the copy takes what reading and writing take one after the other.
const EVEN: f64 = 0.05;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let of_ratio = figure(result, "delay_ratio")?;
    let ratio = of_ratio.value.filter(|ratio| *ratio > 0.0)?;
    // What the model is known to miss is no property of the drive.
    if let Some(TailMark::MissesPublished { published, factor }) =
        tail_mark(of_ratio, &result.target)
    {
        let missed = match published {
            Some(published) => Statement::new("answer-delay-ratio-missed")
                .with("published", Quantity::Factor(published)),
            None => {
                Statement::new("answer-delay-ratio-missed-by").with("off", Quantity::Factor(factor))
            }
        };
        return Some(vec![missed.with("ratio", Quantity::Factor(ratio))]);
    }
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

    #[test]
    fn a_ratio_that_the_model_misses_is_told_as_missed() {
        use results::TargetKind;
        use results::tails::KnownMiss;
        let figures = [("delay_ratio", 1.02, "ratio"), ("copy_s", 20.0, "s")];
        let mut result = measured("delay-ratio", &figures);
        result.target.kind = TargetKind::Model;
        result.target.known_misses = vec![KnownMiss {
            key: "delay_ratio".to_owned(),
            published: None,
            unit: String::new(),
            factor: 3.6,
        }];
        let said = |result: &RunResult| answer(result).unwrap()[0].key;
        assert_eq!(said(&result), "answer-delay-ratio-missed-by");
        result.target.known_misses[0].published = Some(3.69);
        assert_eq!(said(&result), "answer-delay-ratio-missed");
    }
}
