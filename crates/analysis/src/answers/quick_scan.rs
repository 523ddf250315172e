//! Whether places all over the surface can be read, and how fast on the whole.
//!
//! It looks at the head of each region: that is everywhere, and not all. The share that was read stands in the sentence.

use results::RunResult;
use results::statement::{Quantity, Statement};

use super::figures::{figure, moved_by, rate, share_of_drive, told_time};
use super::full_scan::{direction, failed};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let op = direction(result)?;
    if let Some(failed) = failed(result) {
        return Some(vec![failed]);
    }
    let of = |key: &str| format!("{}.{key}", op.name());
    let scanned = moved_by(result, op);
    let share = share_of_drive(result, scanned).map(Quantity::Percent);
    let said = Statement::new("answer-quick-scan-clean")
        .with("regions", Quantity::Count(figure(result, &of("mean"))?.n))
        .with("share", share.unwrap_or(Quantity::Size(scanned)))
        .with("rate", rate(result, &of("mean"))?)
        .with("longest", told_time(result, &of("response.max"))?);
    Some(vec![said])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    fn scanned(errors: f64) -> RunResult {
        let figures = [
            ("read.mean", 130.0, "MB/s"),
            ("read.response.max", 84.0, "ms"),
            ("read.errors", errors, "count"),
        ];
        measured("quick-scan", &figures)
    }

    #[test]
    fn the_share_that_was_read_is_told_and_an_error_comes_first() {
        let said = answer(&scanned(0.0)).unwrap();
        assert_eq!(said[0].key, "answer-quick-scan-clean");
        assert!(said[0].quantity("share").is_some());
        assert_eq!(answer(&scanned(1.0)).unwrap()[0].key, "answer-scan-failed");
    }
}
