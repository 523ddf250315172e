//! Results that cannot be of one drive.
//!
//! A twin of two drives is none. So results are refused that name different drives, or that measured the same workload in
//! the same state and differ by more than repeats of a drive do ([`MOST_APART`]); and so are random reads that a drive
//! answers much faster with fewer in flight, which no drive does. The two results are named.

use base::record::{Ended, PhaseRecord};
use base::workload::{Order, Pacing, Workload};
use results::RunResult;

use crate::error::AccuracyError;

/// Repeats of a workload on one drive lie within this factor, unless its state differs.
const MOST_APART: f64 = 1.5;
/// Of fewer I/Os a rate says little.
const LEAST_IOS: u64 = 64;

/// Refuses results that contradict each other.
///
/// # Errors
/// With the two results.
pub(super) fn refuse(results: &[RunResult]) -> Result<(), AccuracyError> {
    for (nth, first) in results.iter().enumerate() {
        for second in &results[nth + 1..] {
            let why = of_two_drives(first, second).or_else(|| apart(first, second));
            if let Some(why) = why {
                return Err(AccuracyError::Calibrate(format!(
                    "results {} ({}) and {} ({}) contradict each other: {why}; give results of one drive in one state",
                    first.id, first.method, second.id, second.method
                )));
            }
        }
    }
    Ok(())
}

/// What names different drives.
fn of_two_drives(first: &RunResult, second: &RunResult) -> Option<String> {
    for key in ["serial", "wwn", "model", "firmware", "link", "rotational"] {
        let said = |result: &RunResult| result.target.identity.get(key).cloned();
        if let (Some(one), Some(other)) = (said(first), said(second))
            && one != other
        {
            return Some(format!("{key} {one} and {other}"));
        }
    }
    let capacity = |result: &RunResult| result.target.info.as_ref().map(|info| info.capacity);
    match (capacity(first), capacity(second)) {
        (Some(one), Some(other)) if one != other => {
            Some(format!("{} and {} bytes", one.get(), other.get()))
        }
        _ => None,
    }
}

/// The first workload whose rates are too far apart.
fn apart(first: &RunResult, second: &RunResult) -> Option<String> {
    // What was read before lies elsewhere once a method has written it: only the same method reads the same twice.
    if first.target.state != second.target.state || first.method != second.method {
        return None;
    }
    for one in first.phases.iter().filter(|phase| is_plain(phase)) {
        for other in second.phases.iter().filter(|phase| is_plain(phase)) {
            let (Some(here), Some(there)) = (rate(one), rate(other)) else {
                continue;
            };
            let differs = match depths(&one.workload, &other.workload) {
                Some((depth, deeper)) if depth == deeper => {
                    here.max(there) > MOST_APART * here.min(there)
                }
                Some((depth, deeper)) if depth < deeper => here > MOST_APART * there,
                Some(_) => there > MOST_APART * here,
                None => false,
            };
            if differs {
                return Some(format!(
                    "{} gave {here:.0} I/Os a second and {} gave {there:.0}",
                    one.name, other.name
                ));
            }
        }
    }
    None
}

/// Streams that ran to their end.
fn is_plain(phase: &PhaseRecord) -> bool {
    phase.script.is_none() && phase.traced.is_none() && phase.ended == Ended::Complete
}

fn rate(phase: &PhaseRecord) -> Option<f64> {
    let ops = phase.jobs.iter().flat_map(|job| &job.ops);
    let ios: u64 = ops.map(|op| op.ios).sum();
    let seconds = phase.took.as_secs_f64();
    (ios >= LEAST_IOS && seconds > 0.0).then(|| ios as f64 / seconds)
}

/// The depths of two workloads that are the same apart from them: any, with the same depth; random reads, with another.
fn depths(one: &Workload, other: &Workload) -> Option<(u32, u32)> {
    let ([a], [b]) = (&one.jobs[..], &other.jobs[..]) else {
        return None;
    };
    let (Pacing::Closed { depth: at, .. }, Pacing::Closed { depth: of, .. }) = (a.pacing, b.pacing)
    else {
        return None;
    };
    let mut like = b.clone();
    like.name.clone_from(&a.name);
    like.pacing = a.pacing;
    let reads = a.accesses.iter().all(|access| access.read_percent == 100);
    let random = matches!(a.order, Order::Random);
    // What is written wears out a cache, what was written lies in one: only reads are the same twice.
    (like == *a && reads && (at == of || random)).then_some((at, of))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::io::Op;
    use base::size::Bytes;
    use base::workload::{Job, Span};

    fn work(op: Op, order: Order, depth: u32) -> Workload {
        let job = Job::closed(
            "x",
            op,
            order,
            Span::first(Bytes::gib(1)),
            Bytes::kib(4),
            depth,
        );
        Workload::single(job, base::workload::Stop::default(), 1)
    }

    #[test]
    fn only_reads_are_the_same_twice_and_only_random_ones_at_another_depth() {
        let reads = |order, depth| work(Op::Read, order, depth);
        let random = reads(Order::Random, 1);
        assert_eq!(depths(&random, &reads(Order::Random, 1)), Some((1, 1)));
        assert_eq!(depths(&random, &reads(Order::Random, 32)), Some((1, 32)));
        let in_order = reads(Order::Sequential, 1);
        assert_eq!(
            depths(&in_order, &reads(Order::Sequential, 1)),
            Some((1, 1))
        );
        assert_eq!(depths(&in_order, &reads(Order::Sequential, 32)), None);
        assert_eq!(depths(&random, &in_order), None);
        let writes = work(Op::Write, Order::Random, 1);
        assert_eq!(depths(&writes, &writes.clone()), None);
    }
}
