//! Whether all of the drive is there.

use results::{Quantity, RunResult, Statement};

use super::figures::size;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let claimed = size(result, "claimed.size")?;
    let kept = size(result, "kept.size")?;
    let said = if kept < claimed {
        Statement::new("answer-capacity-missing").with("kept", Quantity::Size(kept))
    } else {
        Statement::new("answer-capacity-whole")
    };
    Some(vec![said.with("claimed", Quantity::Size(claimed))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::size::Bytes;
    use fixtures::results as sample;

    fn looked_at(kept: Option<f64>) -> RunResult {
        let mut result = sample::review().swap_remove(0);
        result.method = "capacity".to_owned();
        result.figures = vec![
            sample::figure("claimed.size", Some(1.073_741_824), "GB"),
            sample::figure("kept.size", kept, "GB"),
        ];
        result
    }

    #[test]
    fn what_is_missing_is_told_with_what_is_kept_and_nothing_where_nothing_was_judged() {
        let said = answer(&looked_at(Some(0.100_663_296))).unwrap();
        assert_eq!(said[0].key, "answer-capacity-missing");
        let kept = said[0].quantity("kept");
        assert_eq!(kept, Some(&Quantity::Size(Bytes::mib(96))));
        let said = answer(&looked_at(Some(1.073_741_824))).unwrap();
        assert_eq!(said[0].key, "answer-capacity-whole");
        assert_eq!(answer(&looked_at(None)), None);
    }
}
