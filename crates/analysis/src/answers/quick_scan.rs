//! Whether positions across the LBA range can be read, and the overall rate.
//!
//! It reads the start of each region: everywhere, but not everything. The sentence states the share that was read,
//! counting each position once: a small file is read repeatedly during a dwell.

use results::{FILE_SYSTEM, Quantity, RunResult, Statement};

use super::figures::{covered, figure, rate, samples_of_one_run, share_of_drive, told_time};
use super::full_scan::{direction, failed};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let op = direction(result)?;
    if let Some(failed) = failed(result) {
        return Some(vec![failed]);
    }
    let of = |key: &str| format!("{}.{key}", op.name());
    let scanned = covered(result, op, |_| true);
    let share = share_of_drive(result, scanned).map(Quantity::Percent);
    let key = match result.target.identity.contains_key(FILE_SYSTEM) {
        true => "answer-quick-scan-clean-file",
        false => "answer-quick-scan-clean",
    };
    let said = Statement::new(key)
        .with(
            "regions",
            Quantity::Count(samples_of_one_run(result, figure(result, &of("mean"))?)),
        )
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
        let mut result = measured("quick-scan", &figures);
        result.target.identity.clear();
        result
    }

    #[test]
    fn what_was_read_over_and_over_is_covered_once() {
        let mut result = scanned(0.0);
        result.phases = fixtures::results::review().swap_remove(0).phases;
        result.phases.truncate(1);
        let capacity = result.target.info.as_ref().unwrap().capacity;
        let phase = &mut result.phases[0];
        phase.workload.jobs[0].span = base::workload::Span::first(capacity);
        phase.jobs[0].ops[0].bytes = capacity * 4;
        result.phases.push(result.phases[0].clone());
        let said = answer(&result).unwrap();
        assert_eq!(said[0].quantity("share"), Some(&Quantity::Percent(100.0)));
        let file = ("file system".to_owned(), "ext4".to_owned());
        result.target.identity.extend([file]);
        assert_eq!(
            answer(&result).unwrap()[0].key,
            "answer-quick-scan-clean-file"
        );
    }

    #[test]
    fn the_share_that_was_read_is_told_and_an_error_comes_first() {
        let said = answer(&scanned(0.0)).unwrap();
        assert_eq!(said[0].key, "answer-quick-scan-clean");
        assert!(said[0].quantity("share").is_some());
        assert_eq!(answer(&scanned(1.0)).unwrap()[0].key, "answer-scan-failed");
    }
}
