//! The highest read rate within the latency bound with and without writes.

use base::time::Duration;
use results::{Quantity, RunResult, Statement};

use super::figures::{between, figure, per_second, setting};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    // `w100`: writes at so many per cent of their saturated rate.
    let planes = between(result, "w", ".frontier").into_iter();
    let planes = planes.filter_map(|share| share.parse::<u64>().ok());
    let most = planes.filter(|share| *share > 0).max()?;
    let frontier = |share: u64| per_second(result, &format!("w{share}.frontier"));
    // Percentiles of fewer than a hundred reads are none, and so is the frontier between them.
    let judged = between(result, "r", ".read.p99").into_iter();
    let mut judged = judged.filter_map(|pair| figure(result, &format!("r{pair}.read.p99")));
    if judged.any(|of| result.samples(of) < 100) {
        return Some(vec![Statement::new("answer-mixed-plane-few")]);
    }
    let bound: Duration = setting(result, "bound")?;
    let said = match (frontier(0), frontier(most)) {
        (Some(alone), Some(beside)) => Statement::new("answer-mixed-plane")
            .with("alone", alone)
            .with("beside", beside),
        (Some(alone), None) => Statement::new("answer-mixed-plane-alone").with("alone", alone),
        (None, _) => Statement::new("answer-mixed-plane-never"),
    };
    Some(vec![
        said.with("bound", Quantity::Time(bound))
            .with("share", Quantity::Percent(most as f64)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    fn plane(figures: &[(&str, f64, &str)], n: u64) -> &'static str {
        let mut result = measured("mixed-plane", figures);
        let bound = ("bound".to_owned(), "10ms".to_owned());
        result.settings.values.extend([bound]);
        let missing = fixtures::results::figure("w100.frontier", None, "IOPS");
        result.figures.push(missing);
        for figure in &mut result.figures {
            figure.n = n;
        }
        answer(&result).unwrap()[0].key
    }

    #[test]
    fn a_frontier_that_does_not_exist_is_told_as_such() {
        let p99 = ("r50-w0.read.p99", 2.0, "ms");
        let alone = ("w0.frontier", 9_000.0, "IOPS");
        let beside = ("w100.frontier", 3_000.0, "IOPS");
        assert_eq!(plane(&[p99, alone, beside], 100), "answer-mixed-plane");
        assert_eq!(plane(&[p99, alone], 100), "answer-mixed-plane-alone");
        assert_eq!(plane(&[p99], 100), "answer-mixed-plane-never");
        assert_eq!(plane(&[p99, alone, beside], 99), "answer-mixed-plane-few");
    }
}
