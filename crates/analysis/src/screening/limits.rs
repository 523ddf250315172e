//! Which limits a drive breaks, and where.

use base::health::{Condition, Health, HealthReading};
use base::{Bytes, Duration, Op, PhaseRecord};
use results::screening::{Acceptance, Measured, Reason};
use results::{Quantity, RunResult, Statement};
use stats::median;

use super::evidence::{Name, Off, Responses, latencies, off_the_batch, transfer_curves};
use super::{Candidate, Limits};

/// Number of parts of the LBA range that must each be below the batch as a whole: a stall affects a few positions by
/// chance, and shows in the longest response; a weak head or zone is slow throughout.
const PARTS: usize = 8;

/// Positions of a part at least: of two, one on which a seek fell decides.
const LEAST_POSITIONS: usize = 3;

/// The part of a curve furthest below the batch's median.
#[derive(Clone, Debug)]
pub(super) struct Dip {
    curve: Name,
    /// Where the part begins.
    position: f64,
    end: f64,
    /// The median of its positions.
    below_percent: f64,
}

/// The deepest part of each of each drive's curves.
pub(super) fn dips(batch: &[Candidate<'_>]) -> Vec<Vec<Dip>> {
    let mut dips = vec![Vec::new(); batch.len()];
    for (curve, curves) in transfer_curves(batch) {
        let all = off_the_batch(&curves).unwrap_or_default();
        for (drive, off) in all.into_iter().enumerate() {
            let deepest = off.as_ref().and_then(deepest_part);
            dips[drive].extend(deepest.map(|([position, end], off)| Dip {
                curve: curve.clone(),
                position,
                end,
                below_percent: -off,
            }));
        }
    }
    dips
}

fn deepest_part(off: &Off) -> Option<([f64; 2], f64)> {
    let parts = off
        .chunks(off.len().div_ceil(PARTS).max(LEAST_POSITIONS))
        .filter(|part| part.len() >= LEAST_POSITIONS)
        .filter_map(|part| {
            let offs: Vec<f64> = part.iter().map(|(_, off)| *off).collect();
            Some(([part.first()?.0, part.last()?.0], median(&offs)?))
        });
    parts.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Minimum number of samples for a 99th percentile: one in a hundred.
const LEAST_FOR_P99: u64 = 100;

fn reject(method: Option<Measured>, says: Statement) -> Reason {
    Reason {
        verdict: Acceptance::Reject,
        method,
        says,
        because: Vec::new(),
    }
}

/// A value with the limit that it breaks.
fn beyond(key: &'static str, name: &'static str, value: Quantity, most: Quantity) -> Statement {
    Statement::new(key).with(name, value).with("most", most)
}

/// The exceeded limits, and those that could not be checked.
pub(super) fn broken(limits: &Limits, candidate: &Candidate<'_>, dips: &[Dip]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let missing = candidate.steps.saturating_sub(candidate.results.len());
    if missing > 0 {
        let says = Statement::new("acceptance-missing")
            .with("missing", Quantity::Count(missing as u64))
            .with("steps", Quantity::Count(candidate.steps as u64));
        reasons.push(reject(None, says));
    }
    for result in &candidate.results {
        slow(limits, result, &mut reasons);
        failed(limits, result, &mut reasons);
    }
    reasons.extend(not_measured(limits, candidate));
    if let Some(most) = limits.curve_below_percent {
        let deep = dips.iter().filter(|dip| dip.below_percent > most);
        reasons.extend(deep.map(|dip| {
            let place = |at: f64| Quantity::Place(Bytes::new(at as u64));
            let says = Statement::new("acceptance-below")
                .with("below", Quantity::Percent(dip.below_percent))
                .with("from", place(dip.position))
                .with("to", place(dip.end))
                .with("most", Quantity::Percent(most));
            reject(Some(dip.curve.measured()), says)
        }));
    }
    unhealthy(limits, candidate, &mut reasons);
    reasons
}

/// A limit on writes would hold for every drive that was not written, and likewise for reads: that must be visible.
fn not_measured(limits: &Limits, candidate: &Candidate<'_>) -> Option<Reason> {
    let measured = |writes: bool| {
        let mut each = candidate
            .results
            .iter()
            .flat_map(|result| latencies(result));
        candidate.results.is_empty() || each.any(|(name, _)| name.writes() == writes)
    };
    let asked = |one: Option<Duration>, other: Option<Duration>| one.or(other).is_some();
    let key = if asked(limits.read_max, limits.read_p99) && !measured(false) {
        "acceptance-no-reads"
    } else if asked(limits.write_max, limits.write_p99) && !measured(true) {
        "acceptance-no-writes"
    } else {
        return None;
    };
    Some(super::look(None, Statement::new(key)))
}

/// The longest and the 99th percentile that hold for reads, or for writes: the stricter of the two that are given.
fn response_limits(limits: &Limits, writes: bool) -> [Option<Duration>; 2] {
    let own = if writes {
        [limits.write_max, limits.write_p99]
    } else {
        [limits.read_max, limits.read_p99]
    };
    let stricter = |one: Option<Duration>, other| [one, other].into_iter().flatten().min();
    [
        stricter(own[0], limits.response_max),
        stricter(own[1], limits.response_p99),
    ]
}

fn slow(limits: &Limits, result: &RunResult, reasons: &mut Vec<Reason>) {
    for (name, Responses { all, .. }) in latencies(result) {
        let writes = name.writes();
        let [longest, p99] = response_limits(limits, writes);
        let measured = || Some(name.measured());
        let said = |read, write| if writes { write } else { read };
        let time = Quantity::Time;
        if let Some(most) = longest.filter(|most| all.max() > *most) {
            let key = said("acceptance-read-longest", "acceptance-write-longest");
            let says = beyond(key, "value", time(all.max()), time(most));
            reasons.push(reject(measured(), says));
        }
        let Some(most) = p99 else { continue };
        if all.count() < LEAST_FOR_P99 {
            let key = said("acceptance-few-reads", "acceptance-few-writes");
            let says = Statement::new(key).with("count", Quantity::Count(all.count()));
            // The longest of a few is no less than the 99th of a hundred: within the limit, it is told.
            if all.max() > most {
                reasons.push(super::look(measured(), says));
            }
        } else if let Some(value) = all.percentile(99.0).filter(|value| *value > most) {
            let key = said("acceptance-read-p99", "acceptance-write-p99");
            let says = beyond(key, "value", time(value), time(most));
            reasons.push(reject(measured(), says));
        }
    }
}

/// Failed I/Os, and reads that gave other data than was written: one limit holds for their sum. What failed counts in
/// whatever phase it did.
fn failed(limits: &Limits, result: &RunResult, reasons: &mut Vec<Reason>) {
    let sum = |of: fn(&PhaseRecord) -> u64| result.phases.iter().map(of).sum::<u64>();
    let (failed, differing) = (sum(PhaseRecord::failed), sum(PhaseRecord::differing_reads));
    let most = limits.errors.unwrap_or(0);
    if failed + differing <= most {
        return;
    }
    let jobs = result.phases.iter().flat_map(|phase| &phase.jobs);
    let listed = jobs.flat_map(|job| &job.errors.first);
    let mut ops = listed.filter(|e| e.differs.is_none()).map(|e| e.op);
    let first = ops.next();
    let key = match first.filter(|first| ops.all(|op| op == *first)) {
        Some(Op::Read) => "acceptance-failed-reads",
        Some(Op::Write) => "acceptance-failed-writes",
        _ => "acceptance-failed",
    };
    for (key, count) in [(key, failed), ("acceptance-differing", differing)] {
        if count > 0 {
            let says = beyond(key, "count", Quantity::Count(count), Quantity::Count(most));
            reasons.push(reject(Some(Measured::of(result)), says));
        }
    }
}

/// The drive's last report, and its highest temperature.
fn unhealthy(limits: &Limits, candidate: &Candidate<'_>, reasons: &mut Vec<Reason>) {
    let mut readings = candidate.results.iter().rev();
    let last = readings.find_map(|result| {
        let after = result.health_after.as_ref();
        after.or(result.health_before.as_ref())
    });
    if let Some(worst) = limits.condition {
        reasons.extend(ill(last, worst));
    }
    let health = last.and_then(HealthReading::health);
    let told = |of: fn(&Health) -> Option<u64>| health.and_then(of);
    let counters = [
        (
            "acceptance-reallocated",
            told(|h| h.reallocated),
            limits.reallocated,
        ),
        ("acceptance-pending", told(|h| h.pending), limits.pending),
        (
            "acceptance-uncorrectable",
            told(|h| h.uncorrectable),
            limits.uncorrectable,
        ),
    ];
    for (key, told, most) in counters {
        if let Some((told, most)) = told.zip(most).filter(|(told, most)| told > most) {
            let says = beyond(key, "count", Quantity::Count(told), Quantity::Count(most));
            reasons.push(reject(None, says));
        }
    }
    let during = candidate.results.iter().flat_map(|r| &r.health_during);
    let heat = during.filter_map(|sample| sample.temperature_celsius);
    let heat = heat.chain(health.and_then(|h| h.temperature_celsius)).max();
    let hot = heat.zip(limits.temperature_celsius);
    if let Some((heat, most)) = hot.filter(|(heat, most)| heat > most) {
        let degrees = |celsius: i64| Quantity::Celsius(celsius as f64);
        let says = beyond("acceptance-hot", "heat", degrees(heat), degrees(most));
        reasons.push(reject(None, says));
    }
}

/// A condition that is worse than the worst that is accepted.
fn ill(last: Option<&HealthReading>, worst: Condition) -> Option<Reason> {
    let assessed = last.map(HealthReading::assess);
    let condition = assessed
        .as_ref()
        .map_or(Condition::Unknown, |a| a.condition);
    if condition <= worst {
        return None;
    }
    let key = match condition {
        Condition::Failing => "acceptance-failing",
        Condition::Suspect => "acceptance-suspect",
        Condition::Good | Condition::Unknown => "acceptance-unknown",
    };
    Some(Reason {
        because: assessed.map_or_else(Vec::new, |assessment| assessment.reasons),
        ..reject(None, Statement::new(key))
    })
}
