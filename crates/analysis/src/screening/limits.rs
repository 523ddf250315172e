//! Which limits a drive breaks, and where.

use base::health::{Condition, Health, HealthReading};
use base::record::PhaseRecord;
use base::size::Bytes;
use base::time::Duration;
use results::RunResult;
use stats::median;

use super::evidence::{Off, latencies, off_the_batch, transfer_curves};
use super::{Candidate, Limits};

/// Parts of a surface of which one as a whole must lie below the batch: a stall hits a position or a few
/// by chance, and is told by the longest response; a weak head or zone is slow all along.
const PARTS: usize = 8;

/// The part of a curve that lies deepest below the batch's median.
#[derive(Clone, Debug)]
pub(super) struct Dip {
    curve: String,
    /// Where the part begins.
    position: f64,
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
            dips[drive].extend(deepest.map(|(position, off)| Dip {
                curve: curve.clone(),
                position,
                below_percent: -off,
            }));
        }
    }
    dips
}

fn deepest_part(off: &Off) -> Option<(f64, f64)> {
    let parts = off
        .chunks(off.len().div_ceil(PARTS).max(1))
        .filter_map(|part| {
            let offs: Vec<f64> = part.iter().map(|(_, off)| *off).collect();
            Some((part.first()?.0, median(&offs)?))
        });
    parts.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// The limits that a drive breaks, in words.
pub(super) fn broken(limits: &Limits, candidate: &Candidate<'_>, dips: &[Dip]) -> Vec<String> {
    let mut reasons = Vec::new();
    let missing = candidate.steps.saturating_sub(candidate.results.len());
    if missing > 0 {
        reasons.push(format!(
            "{missing} of {} steps have no result",
            candidate.steps
        ));
    }
    for result in &candidate.results {
        slow(limits, result, &mut reasons);
        failed(limits, result, &mut reasons);
    }
    if let Some(most) = limits.curve_below_percent {
        let deep = dips.iter().filter(|dip| dip.below_percent > most);
        reasons.extend(deep.map(|dip| {
            format!(
                "{}: {:.0} % below the batch in the eighth from {} on (at most {most} %)",
                dip.curve,
                dip.below_percent,
                Bytes::new(dip.position as u64)
            )
        }));
    }
    unhealthy(limits, candidate, &mut reasons);
    reasons
}

fn slow(limits: &Limits, result: &RunResult, reasons: &mut Vec<String>) {
    let mut check = |name: &str, what: &str, value: Option<Duration>, most: Option<Duration>| {
        if let Some((value, most)) = value.zip(most).filter(|(value, most)| value > most) {
            reasons.push(format!(
                "{} {name}: {what} {value} (at most {most})",
                result.method
            ));
        }
    };
    for (name, all) in latencies(result) {
        check(&name, "the longest", Some(all.max()), limits.response_max);
        check(&name, "p99", all.percentile(99.0), limits.response_p99);
    }
}

/// Failed I/Os, and reads that gave other data than was written: one limit holds for their sum, two words say them.
fn failed(limits: &Limits, result: &RunResult, reasons: &mut Vec<String>) {
    let sum = |of: fn(&PhaseRecord) -> u64| result.phases.iter().map(of).sum::<u64>();
    let (failed, differing) = (sum(PhaseRecord::failed), sum(PhaseRecord::differing_reads));
    let Some(most) = limits.errors.filter(|most| failed + differing > *most) else {
        return;
    };
    let said = match (failed, differing) {
        (failed, 0) => format!("{failed} I/Os failed"),
        (0, differing) => format!("{differing} reads gave other data than was written"),
        (failed, differing) => {
            format!("{failed} I/Os failed, {differing} reads gave other data than was written")
        }
    };
    reasons.push(format!("{}: {said} (at most {most})", result.method));
}

/// What the drive said last of itself, and the highest temperature that it told.
fn unhealthy(limits: &Limits, candidate: &Candidate<'_>, reasons: &mut Vec<String>) {
    let readings = candidate.results.iter().rev();
    let last = readings
        .filter_map(|result| {
            result
                .health_after
                .as_ref()
                .or(result.health_before.as_ref())
        })
        .next();
    if let Some(worst) = limits.condition {
        let assessed = last.map(HealthReading::assess);
        let condition = assessed
            .as_ref()
            .map_or(Condition::Unknown, |a| a.condition);
        if condition > worst {
            let why = assessed.map_or_else(
                || "nobody asked it, or it does not answer".to_owned(),
                |assessment| assessment.reasons.join("; "),
            );
            reasons.push(format!("its health is {}: {why}", condition.word()));
        }
    }
    let health = last.and_then(HealthReading::health);
    let told = |of: fn(&Health) -> Option<u64>| health.and_then(of);
    let counters = [
        ("reallocated", told(|h| h.reallocated), limits.reallocated),
        ("pending", told(|h| h.pending), limits.pending),
        (
            "uncorrectable",
            told(|h| h.uncorrectable),
            limits.uncorrectable,
        ),
    ];
    for (name, told, most) in counters {
        if let Some((told, most)) = told.zip(most).filter(|(told, most)| told > most) {
            reasons.push(format!("{name}: {told} (at most {most})"));
        }
    }
    let during = candidate
        .results
        .iter()
        .flat_map(|result| &result.health_during);
    let heat = during.filter_map(|sample| sample.temperature_celsius);
    let heat = heat.chain(health.and_then(|h| h.temperature_celsius)).max();
    let hot = heat.zip(limits.temperature_celsius);
    if let Some((heat, most)) = hot.filter(|(heat, most)| heat > most) {
        reasons.push(format!("{heat} degrees Celsius (at most {most})"));
    }
}
