//! How fast at the start, at the end and on average, and how long a random access takes.

use results::{Quantity, RunResult, Statement};

use super::figures::{figure, mb_s, rate, samples_of_one_run, time};

/// So near to each other, both ends are one: a disk's zones differ by a half, flash has none.
const EVEN: f64 = 0.05;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let op = ["read", "write"]
        .into_iter()
        .find(|op| mb_s(result, &format!("{op}.mean")).is_some())?;
    let of = |key: &str| format!("{op}.{key}");
    let (start, end) = (mb_s(result, &of("start"))?, mb_s(result, &of("end"))?);
    let even = (start - end).abs() <= EVEN * start.max(end);
    let access = time(result, &of("access"));
    let key = match (even, &access) {
        (true, Some(_)) => "answer-hd-tune-even",
        (false, Some(_)) => "answer-hd-tune-ends",
        (true, None) => "answer-hd-tune-even-rate",
        (false, None) => "answer-hd-tune-ends-rate",
    };
    let mut said = Statement::new(key).with("mean", rate(result, &of("mean"))?);
    if even {
        let points = samples_of_one_run(result, figure(result, &of("mean"))?);
        said = said.with("points", Quantity::Count(points));
    } else {
        said = said
            .with("start", Quantity::MegabytesPerSecond(start))
            .with("end", Quantity::MegabytesPerSecond(end));
    }
    if let Some(access) = access {
        said = said.with("access", Quantity::Time(access));
    }
    Some(vec![said])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    fn key(end: f64, access: bool) -> &'static str {
        let mut figures = vec![
            ("read.mean", 120.0, "MB/s"),
            ("read.start", 160.0, "MB/s"),
            ("read.end", end, "MB/s"),
        ];
        if access {
            figures.push(("read.access", 15.0, "ms"));
        }
        answer(&measured("hd-tune", &figures)).unwrap()[0].key
    }

    #[test]
    fn both_ends_are_told_where_they_differ() {
        assert_eq!(key(152.0, true), "answer-hd-tune-even");
        assert_eq!(key(151.9, true), "answer-hd-tune-ends");
        assert_eq!(key(152.0, false), "answer-hd-tune-even-rate");
        assert_eq!(key(80.0, false), "answer-hd-tune-ends-rate");
    }
}
