//! SLC cache size, its speed, and the speed after it.
//!
//! A part that was written at one speed says nothing about the rest: only a whole drive can have no drop.

use results::{Quantity, RunResult, Statement};

use super::figures::{is_of_the_whole, mb_s, moved, size};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let before = mb_s(result, "before.rate");
    let after = mb_s(result, "after.rate");
    let fell = size(result, "cache.size").zip(before).zip(after);
    if let Some(((cache, before), after)) = fell {
        let said = Statement::new("answer-slc-fill-falls")
            .with("cache", Quantity::Size(cache))
            .with("before", Quantity::MegabytesPerSecond(before))
            .with("after", Quantity::MegabytesPerSecond(after))
            .with("share", Quantity::Percent(after / before * 100.0));
        return Some(vec![said]);
    }
    let key = match is_of_the_whole(result, "whole.rate") {
        true => "answer-slc-fill-even",
        false => "answer-slc-fill-even-part",
    };
    let said = Statement::new(key)
        .with("written", Quantity::Size(moved(result)))
        .with(
            "rate",
            Quantity::MegabytesPerSecond(mb_s(result, "whole.rate")?),
        );
    Some(vec![said])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn a_fall_is_told_with_the_share_that_is_left() {
        let figures = [
            ("cache.size", 140.2, "GB"),
            ("before.rate", 3_494.0, "MB/s"),
            ("after.rate", 282.9, "MB/s"),
            ("whole.rate", 320.0, "MB/s"),
        ];
        let said = answer(&measured("slc-fill", &figures)).unwrap();
        assert_eq!(said[0].key, "answer-slc-fill-falls");
        let share = said[0].quantity("share");
        assert_eq!(share, Some(&Quantity::Percent(282.9 / 3_494.0 * 100.0)));
    }

    #[test]
    fn only_a_drive_that_was_filled_has_no_fall() {
        let mut filled = measured("slc-fill", &[("whole.rate", 520.0, "MB/s")]);
        let key = |result: &RunResult| answer(result).unwrap()[0].key;
        assert_eq!(key(&filled), "answer-slc-fill-even-part");
        filled.figures[0].comparable_by.whole = true;
        assert_eq!(key(&filled), "answer-slc-fill-even");
        assert_eq!(answer(&measured("slc-fill", &[])), None);
    }
}
