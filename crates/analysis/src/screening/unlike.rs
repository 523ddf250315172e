//! Differences of a drive from its batch, besides the limits: areas of its surface, its longest I/Os, its stalls.
//!
//! The robust z of a figure says little about rare events. Two hundred reads of 300 ms among forty million affect no
//! percentile, and yet no other drive of the batch has one. So rare events are counted: I/Os beyond [`BEYOND`] times
//! the usual longest of the others, and stalls. One or two are chance on any drive, except for an I/O of a second.

use base::{Duration, Latencies};
use results::screening::Reason;
use results::{Quantity, RunResult, Statement};
use stats::median;
use stats::robust::LEAST_BATCH;

use super::evidence::{Name, Responses, gather, latencies};
use super::{Candidate, look};
use crate::surface::{WeakArea, weak_areas};

/// So many times as long as the others' longest is no tail of theirs.
const BEYOND: f64 = 4.0;
/// Fewest of these that are no chance; and of standstills, beyond [`BEYOND`] times the others' number.
const FEWEST: u64 = 3;
/// A single I/O this long is significant.
const ALONE: Duration = Duration::from_secs(1);

/// For each drive, why it must be checked.
pub(super) fn reasons(batch: &[Candidate<'_>]) -> Vec<Vec<Reason>> {
    let mut reasons: Vec<Vec<Reason>> = (0..batch.len()).map(|at| weak(batch, at)).collect();
    for (name, all) in gather(batch, latencies) {
        for (at, mine) in all.iter().enumerate() {
            let others = all.iter().enumerate().filter(|(other, _)| *other != at);
            let others: Vec<&Responses> = others.filter_map(|(_, one)| one.as_ref()).collect();
            if others.len() + 1 < LEAST_BATCH {
                continue;
            }
            let says = mine
                .as_ref()
                .and_then(|mine| stalls(mine, &others).or_else(|| longest(&name, mine, &others)));
            reasons[at].extend(says.map(|says| look(Some(name.measured()), says)));
        }
    }
    reasons
}

/// The results of the other drives by the method of one.
pub(super) fn beside<'a>(batch: &[Candidate<'a>], at: usize, of: &RunResult) -> Vec<&'a RunResult> {
    let others = batch.iter().enumerate().filter(|(other, _)| *other != at);
    let same = |one: &Candidate<'a>| {
        let mut results = one.results.iter().copied();
        results.find(|result| {
            result.method == of.method && result.settings.values == of.settings.values
        })
    };
    others.filter_map(|(_, one)| same(one)).collect()
}

fn weak(batch: &[Candidate<'_>], at: usize) -> Vec<Reason> {
    let of = |result: &&RunResult| -> Vec<Reason> {
        let areas = weak_areas(result, &beside(batch, at, result));
        let measured = results::screening::Measured::of(result);
        let reason = |area: &WeakArea| look(Some(measured.clone()), place(area));
        areas.iter().map(reason).collect()
    };
    batch[at].results.iter().flat_map(of).collect()
}

fn place(area: &WeakArea) -> Statement {
    Statement::new("acceptance-weak")
        .with("from", Quantity::Place(area.from))
        .with("to", Quantity::Place(area.to))
        .with("factor", Quantity::Factor(area.factor))
        .with("worst", Quantity::Time(area.worst))
        .with("count", Quantity::Count(area.reads))
}

/// Standstills, where there are far more of them than the others have.
fn stalls(mine: &Responses, others: &[&Responses]) -> Option<Statement> {
    let theirs: Vec<f64> = others.iter().map(|one| one.stalls as f64).collect();
    let theirs = median(&theirs)?;
    if mine.stalls < FEWEST || (mine.stalls as f64) < FEWEST as f64 + BEYOND * theirs {
        return None;
    }
    let said = Statement::new("acceptance-stalls")
        .with("count", Quantity::Count(mine.stalls))
        .with("longest", Quantity::Time(mine.longest_stall))
        .with("others", Quantity::Count(theirs as u64));
    Some(said)
}

/// Accesses that are far longer than the longest of the others.
fn longest(name: &Name, mine: &Responses, others: &[&Responses]) -> Option<Statement> {
    let theirs: Vec<f64> = others
        .iter()
        .map(|one| one.all.max().as_nanos() as f64)
        .collect();
    let theirs = median(&theirs)?;
    let limit = Duration::from_nanos((BEYOND * theirs) as u64);
    let beyond = longer_than(&mine.all, limit);
    if beyond < FEWEST && (beyond == 0 || mine.all.max() < ALONE) {
        return None;
    }
    let key = if name.writes() {
        "acceptance-long-writes"
    } else {
        "acceptance-long-reads"
    };
    let said = Statement::new(key)
        .with("count", Quantity::Count(beyond))
        .with("limit", Quantity::Time(limit))
        .with("longest", Quantity::Time(mine.all.max()))
        .with(
            "others",
            Quantity::Time(Duration::from_nanos(theirs as u64)),
        );
    Some(said)
}

/// Accesses that took longer, to a bucket of the histogram.
fn longer_than(all: &Latencies, limit: Duration) -> u64 {
    let long = all.buckets().filter(|(low, _, _)| *low >= limit);
    long.map(|(_, _, count)| count).sum()
}
