//! What is said of an SSD's write path: its buffer, its one-bit cache, and what rests give back of that.

use base::size::Bytes;
use base::time::Duration;
use results::RunResult;
use results::statement::{Quantity, Statement};

use super::figures::{HOT, figure, hottest, part_of, rate, why_not};

/// What the write buffer takes.
pub(super) fn buffer(result: &RunResult) -> Option<Statement> {
    let Some(least) = figure(result, "buffer.at-least") else {
        let why = why_not(result, "buffer.at-least")?;
        return Some(Statement::new("answer-explain-buffer-not-visible").with("why", why));
    };
    let taken = figure(result, "buffer.at-most")?;
    let (least, most) = (least.interval?.low, taken.interval?.high);
    let mib = |mib: f64| Quantity::Length(part_of(mib.max(0.0), Bytes::mib(1)));
    Some(
        Statement::new("answer-explain-buffer")
            .with("least", mib(least.floor()))
            .with("most", mib(most.ceil()))
            .with("taken", mib(taken.value?)),
    )
}

/// How much goes into a one-bit cache before the write rate falls.
pub(super) fn slc(result: &RunResult) -> Option<Statement> {
    let Some(found) = figure(result, "slc.size") else {
        let why = why_not(result, "slc.size")?;
        return Some(Statement::new("answer-explain-slc-not-visible").with("why", why));
    };
    let between = found.interval?;
    let gb = |gb: f64| Quantity::Size(Bytes::new((gb.max(0.0) * 1e9) as u64));
    // A drive that throttles for good shows the same.
    let key = match hottest(result) {
        Some(celsius) if celsius < HOT => "answer-explain-slc",
        _ => "answer-explain-slc-or-heat",
    };
    Some(
        Statement::new(key)
            .with("size", gb(found.value?))
            .with("low", gb(between.low))
            .with("high", gb(between.high))
            .with("before", rate(result, "slc.before")?)
            .with("after", rate(result, "slc.after")?),
    )
}

/// When it is emptied at rest, and how fast.
pub(super) fn rest(result: &RunResult) -> Option<Statement> {
    let Some(onset) = figure(result, "rest.onset") else {
        let why = why_not(result, "rest.onset")?;
        return Some(Statement::new("answer-explain-rest-not-visible").with("why", why));
    };
    let between = onset.interval?;
    let seconds = |seconds: f64| Quantity::Time(Duration::from_secs_f64(seconds.max(0.0)));
    Some(
        Statement::new("answer-explain-rest")
            .with("onset", seconds(onset.value?))
            .with("low", seconds(between.low))
            .with("high", seconds(between.high))
            .with("rate", rate(result, "rest.gives-back")?),
    )
}
