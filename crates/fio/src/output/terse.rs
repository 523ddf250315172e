//! `--output-format=terse`, version 3: a line a job, semicolons between its fields.

use std::fmt::Write;

use super::{Entry, VERSION, iops, millis, percent, percentiles, rate, shares};
use crate::kept::{OpKept, Times};

/// A line for each entry.
pub fn terse(entries: &[Entry<'_>]) -> String {
    let mut text = String::new();
    for entry in entries {
        let (job, kept) = (entry.job, &entry.kept);
        let _ = write!(
            text,
            "3;{VERSION};{};{};{}",
            job.name, entry.group, kept.errno
        );
        let ops = if job.reporting.unified { 1 } else { 2 };
        for op in &kept.ops[..ops] {
            of_op(&mut text, op, &job.reporting.percentiles);
        }
        let _ = write!(text, ";0.000000%;0.000000%;0;0;0");
        let total: u64 = kept.ops[..3].iter().map(|op| op.ios).sum();
        for depth in kept.depths {
            let _ = write!(text, ";{:.1}%", percent(depth, total));
        }
        let [_, micros, millis] = shares(kept);
        for share in micros.iter().chain(&millis) {
            let _ = write!(text, ";{share:.2}%");
        }
        if let Some(words) = &job.description {
            let _ = write!(text, ";{words}");
        }
        text.push('\n');
    }
    text
}

fn of_op(text: &mut String, op: &OpKept, list: &[f64]) {
    let some = op.ios > 0;
    let _ = write!(
        text,
        ";{};{};{};{}",
        op.bytes >> 10,
        if some { rate(op) >> 10 } else { 0 },
        iops(op) as u64,
        if some { millis(op.time) } else { 0 }
    );
    times(text, &op.submission);
    times(text, &op.completion);
    let all = percentiles(&op.completion.histogram, list);
    for n in 0..20 {
        let _ = match all.get(n).filter(|_| some) {
            Some((percent, nanos)) => write!(text, ";{percent:.6}%={}", nanos / 1_000),
            None => write!(text, ";0%=0"),
        };
    }
    times(text, &op.whole);
    let rates = &op.rates;
    let all = rate(op) as f64 / 1024.0;
    let share = if all > 0.0 {
        (rates.mean() / all * 100.0).min(100.0)
    } else {
        0.0
    };
    let _ = write!(
        text,
        ";{};{};{share:.6}%;{:.6};{:.6}",
        rates.min as u64,
        rates.max as u64,
        rates.mean(),
        rates.deviation()
    );
}

/// In microseconds.
fn times(text: &mut String, times: &Times) {
    let spread = &times.spread;
    let micros = |nanos: f64| nanos / 1_000.0;
    let _ = write!(
        text,
        ";{};{};{:.6};{:.6}",
        micros(spread.min) as u64,
        micros(spread.max) as u64,
        micros(spread.mean()),
        micros(spread.deviation())
    );
}
