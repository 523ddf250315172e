//! A part of `drivelab develop reproduce` that runs in seconds: a change of the models that makes the score worse fails
//! here. The whole is `make reproduce`.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use accuracy::compare::run::{Reproduce, reproduce};
use base::interrupt::Interrupt;

/// Predicted numbers of eight families: writes in order and of parts of pages, aligned and misaligned, mixed reads at
/// depths of 1 and 32.
const NUMBERS: [&str; 13] = [
    "F002", "F038", "F057", "F108", "F109", "F124", "F125", "F140", "F141", "F206", "F212", "F214",
    "F216",
];
/// Predicted behaviours: the SLC area's first writes, and a disk's start in the cold.
const CLAIMS: [&str; 3] = ["F106", "F432", "F433"];
/// The median error of the numbers was 14.2 % when this was written; a change may cost a little.
const MEDIAN_AT_MOST: f64 = 0.16;
/// Eleven of the thirteen were within 25 %.
const WITHIN_AT_LEAST: usize = 11;

#[test]
fn the_score_of_a_part_of_the_published_figures_does_not_get_worse() {
    let rows = NUMBERS.iter().chain(&CLAIMS);
    let asked = Reproduce {
        rows: rows.map(|&row| row.to_owned()).collect(),
        jobs: 2,
        seed: 1,
        ..Reproduce::default()
    };
    let made = reproduce(&asked, &Interrupt::new(), &|_, _| {}).unwrap();
    let score = &made.score;
    let errors: Vec<_> = made.rows.iter().map(|row| (row.id, row.error)).collect();
    assert_eq!(score.predicted.run, NUMBERS.len(), "{errors:?}");
    assert!(
        score.predicted.median.unwrap() <= MEDIAN_AT_MOST,
        "{errors:?}"
    );
    assert!(
        score.predicted.count_within >= WITHIN_AT_LEAST,
        "{errors:?}"
    );
    let claims: Vec<_> = made
        .rows
        .iter()
        .map(|r| (r.id, r.holds, r.can_fail))
        .collect();
    assert_eq!(score.claims.held, CLAIMS.len(), "{claims:?}");
    // It is better than the guess that ignores the drive, without tolerances too.
    assert!(score.predicted.median < score.null.median);
    let strict = &score.stricter[0];
    assert!(!strict.tolerances && strict.predicted.median < strict.null.median);
}
