//! Whether all of the surface can be read, how fast it is at either end, and the longest access.
//!
//! Errors come first. A part is never the whole: what was not scanned may have errors, so the sentence states the share
//! of the LBA range unless all of it was scanned.

use base::io::Op;
use results::{FILE_SYSTEM, Quantity, RunResult, Statement};

use super::figures::{
    count, covered, failures, is_of_the_whole, rate, share_of_drive, told_time, value,
};
use super::without_room;

/// So near to each other in rate, both ends are one: zones of a disk differ by a half.
const EVEN: f64 = 0.05;

/// Positions of the curve at an end, whose median is the end's rate: a single one may contain a stall.
const END: usize = 16;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let op = direction(result)?;
    if let Some(failed) = failed(result) {
        return Some(vec![failed]);
    }
    let of = |key: &str| format!("{}.{key}", op.name());
    let scanned = covered(result, op, |_| true);
    let longest = told_time(result, &of("response.max"))?;
    if is_of_the_whole(result, &of("errors")) {
        let said = Statement::new("answer-scan-clean").with("size", Quantity::Size(scanned));
        let mut said = said
            .with("rate", rate(result, &of("mean"))?)
            .with("longest", longest);
        if let Some((start, end)) = ends(result, op, END).filter(differ) {
            said.key = "answer-scan-clean-ends";
            said = with_ends(said, start, end);
        }
        return Some(vec![said]);
    }
    let share = share_of_drive(result, scanned).map(Quantity::Percent);
    let share = share.unwrap_or(Quantity::Size(scanned));
    let part = |key| {
        Statement::new(key)
            .with("share", share)
            .with("longest", longest)
    };
    if value(result, &of("covered")).is_some() {
        let (start, end) = ends(result, op, 1)?;
        return Some(vec![with_ends(
            part("answer-scan-clean-two-ends"),
            start,
            end,
        )]);
    }
    let said = part(match result.target.identity.contains_key(FILE_SYSTEM) {
        true => "answer-scan-clean-file",
        false => "answer-scan-clean-part",
    });
    Some(vec![said.with("rate", rate(result, &of("mean"))?)])
}

fn with_ends(said: Statement, start: f64, end: f64) -> Statement {
    said.with("start", Quantity::MegabytesPerSecond(start))
        .with("end", Quantity::MegabytesPerSecond(end))
}

/// Reads, if there are any; otherwise writes.
pub(super) fn direction(result: &RunResult) -> Option<Op> {
    let scanned = |op: &Op| value(result, &format!("{}.errors", op.name())).is_some();
    [Op::Read, Op::Write].into_iter().find(scanned)
}

/// That accesses failed, where any did.
pub(super) fn failed(result: &RunResult) -> Option<Statement> {
    let of = |op: &str| count(result, &format!("{op}.errors")).unwrap_or(0);
    let (reads, writes) = (of("read"), of("write"));
    if reads + writes == 0 {
        return None;
    }
    let (key, op) = match reads {
        0 => ("answer-scan-unwritable", Op::Write),
        _ => ("answer-scan-unreadable", Op::Read),
    };
    let known = failures(result, &[op]);
    if let Some(full) = known.is_none().then(|| without_room(result)).flatten() {
        return Some(full);
    }
    // Places are not told where only the first of the failures are known.
    let Some(failed) = known.filter(|failed| failed.all_known) else {
        let said = Statement::new("answer-scan-failed");
        return Some(said.with("failed", Quantity::Count(reads + writes)));
    };
    let said = Statement::new(key)
        .with("places", Quantity::Count(failed.places))
        .with("first", Quantity::Size(failed.first));
    Some(said)
}

/// Rates at the start and at the end of the curve: of at least this many positions, up to [`END`].
fn ends(result: &RunResult, op: Op, least: usize) -> Option<(f64, f64)> {
    let curves = result.charts.iter().flat_map(|chart| &chart.curves);
    let curve = curves.into_iter().find(|curve| curve.name == op.name())?;
    let rates: Vec<f64> = curve.y.iter().flatten().copied().collect();
    let of_an_end = END.min(rates.len() / 2);
    if of_an_end < least {
        return None;
    }
    let (first, last) = (&rates[..of_an_end], &rates[rates.len() - of_an_end..]);
    Some((middle(first)?, middle(last)?))
}

/// Whether both ends are worth reporting: on flash they are alike.
fn differ(&(start, end): &(f64, f64)) -> bool {
    let apart = (start - end).abs() / start.max(end).max(f64::MIN_POSITIVE);
    apart > EVEN
}

fn middle(rates: &[f64]) -> Option<f64> {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::{fail_one_read, measured};
    use fixtures::results as sample;

    fn scanned(errors: f64, whole: bool) -> RunResult {
        let figures = [
            ("read.mean", 130.0, "MB/s"),
            ("read.response.max", 84.0, "ms"),
            ("read.errors", errors, "count"),
        ];
        let mut result = measured("full-scan", &figures);
        result.target.identity.clear();
        result.phases = sample::review().swap_remove(0).phases;
        result.phases.truncate(1);
        for figure in &mut result.figures {
            figure.comparable_by.whole = whole;
        }
        result
    }

    fn key(result: &RunResult) -> &'static str {
        answer(result).unwrap()[0].key
    }

    #[test]
    fn a_part_without_errors_is_not_a_drive_without_errors() {
        assert_eq!(key(&scanned(0.0, false)), "answer-scan-clean-part");
        assert_eq!(key(&scanned(0.0, true)), "answer-scan-clean");
    }

    #[test]
    fn errors_come_before_rates_and_are_told_with_their_first_place() {
        let mut result = scanned(1.0, true);
        assert_eq!(key(&result), "answer-scan-failed", "without an address");
        fail_one_read(&mut result);
        assert_eq!(key(&result), "answer-scan-unreadable");
        // Of the reads, as many as are known by their address.
        result.phases[0].jobs[0].errors.count += 1_000;
        assert_eq!(key(&result), "answer-scan-failed");
        result.phases[0].jobs[0].errors.count -= 1_000;
        result.figures[2].key = "write.errors".to_owned();
        result.phases[0].jobs[0].errors.first[0].op = Op::Write;
        assert_eq!(key(&result), "answer-scan-unwritable");
    }

    #[test]
    fn both_ends_are_told_where_they_differ() {
        let with_curve = |end: f64| {
            let mut result = scanned(0.0, true);
            let mut charts = sample::review().into_iter();
            let chart = charts.find_map(|of| (of.method == "full-scan").then_some(of.charts));
            result.charts = chart.unwrap();
            result.charts.truncate(1);
            let curve = &mut result.charts[0].curves[0];
            curve.name = "read".to_owned();
            curve.y = vec![Some(160.0); END];
            curve.y.extend(vec![Some(end); END]);
            result.charts[0].curves.truncate(1);
            result
        };
        assert_eq!(key(&with_curve(75.0)), "answer-scan-clean-ends");
        assert_eq!(key(&with_curve(153.0)), "answer-scan-clean");
        // Two ends alone have no mean, and say what they have.
        let mut ends = with_curve(75.0);
        let y = vec![Some(160.0), Some(158.0), None, Some(76.0), Some(75.0)];
        ends.charts[0].curves[0].y = y;
        for figure in &mut ends.figures {
            figure.comparable_by.whole = false;
        }
        ends.figures[0].value = None;
        let mut covered = ends.figures[1].clone();
        (covered.key, covered.value) = ("read.covered".to_owned(), Some(0.78));
        ends.figures.push(covered);
        let said = answer(&ends).unwrap();
        assert_eq!(said[0].key, "answer-scan-clean-two-ends");
        let end = said[0].quantity("end");
        assert_eq!(end, Some(&Quantity::MegabytesPerSecond(76.0)));
    }
}
