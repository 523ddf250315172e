//! Screening: which drives of a batch are accepted, and which one is the outlier.
//!
//! Drives of one kind, the same methods on each. **Accepted** is a drive that keeps to every limit of the
//! plan's `[screen]` table and has a result for every step:
//!
//! | key | what it must keep to |
//! |---|---|
//! | `response_max` | no I/O took longer |
//! | `response_p99` | the 99th percentile of each method's reads and of its writes |
//! | `curve_below_percent` | no eighth of a transfer curve lies, by its median, further below the batch's |
//! | `errors` | I/Os that failed |
//! | `condition` | how the drive is by its own counters: `good`, `unknown` at worst, `suspect` at worst |
//! | `reallocated`, `pending`, `uncorrectable` | counters, where the drive tells them |
//! | `temperature_celsius` | the highest that it told |
//!
//! **The odd one** is found without any limit, in batches of three and more, by three kinds of evidence,
//! each a robust z against the batch ([`stats::robust`]): its figures but for tails and counts
//! of rare events (the median over those of a method of how far they stand off), its transfer curves
//! (mean distance from the batch's median curve), and its response distributions (the median distance
//! to those of the others). It stands out where the greatest of the three is beyond the limit for a
//! batch of that size; `odd` is it for a large one.

use results::RunResult;
use results::screening::{Limits, Screened, Screening};
use stats::robust::{LEAST_BATCH, critical_z};

mod evidence;
mod limits;

/// Robust z above which a drive of a large batch stands out, where nothing else is said.
pub const ODD: f64 = 3.5;

/// A drive of a batch, before it is judged.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    /// The target's name.
    pub target: &'a str,
    /// What it was when the batch was begun, where that is known: a drive that is gone says nothing.
    pub title: Option<String>,
    /// Results that there should be.
    pub steps: usize,
    /// Those that there are.
    pub results: Vec<&'a RunResult>,
}

/// Judges a batch.
pub fn screen(limits: &Limits, batch: &[Candidate<'_>]) -> Screening {
    let enough = batch.iter().filter(|c| !c.results.is_empty()).count();
    let odd_beyond = (enough >= LEAST_BATCH).then(|| critical_z(limits.odd, enough));
    let measures = evidence::measures(batch);
    let dips = limits::dips(batch);
    let drives: Vec<Screened> = (batch.iter().enumerate())
        .map(|(at, candidate)| {
            let of = |kind| evidence::strength(&measures, kind, at);
            let figures_z = of(evidence::Kind::Figure);
            let curves_z = of(evidence::Kind::Curve);
            let responses_z = of(evidence::Kind::Response);
            let all = [figures_z, curves_z, responses_z].into_iter().flatten();
            let reasons = limits::broken(limits, candidate, &dips[at]);
            Screened {
                target: candidate.target.to_owned(),
                title: title(candidate),
                accepted: reasons.is_empty(),
                reasons,
                oddness: all.reduce(f64::max),
                figures_z,
                curves_z,
                responses_z,
                furthest: evidence::furthest(&measures, at),
            }
        })
        .collect();
    let odd = drives
        .iter()
        .filter(|drive| {
            drive
                .oddness
                .zip(odd_beyond)
                .is_some_and(|(z, most)| z > most)
        })
        .max_by(|a, b| {
            a.oddness
                .unwrap_or(0.0)
                .total_cmp(&b.oddness.unwrap_or(0.0))
        });
    Screening {
        limits: limits.clone(),
        odd_beyond,
        odd_one: odd.map(|drive| drive.target.clone()),
        drives,
    }
}

fn title(candidate: &Candidate<'_>) -> String {
    let Some(result) = candidate.results.first() else {
        let known = candidate.title.clone();
        return known.unwrap_or_else(|| candidate.target.to_owned());
    };
    match result.target.identity.get("serial") {
        Some(serial) => format!("{} ({serial})", result.target.title),
        None => result.target.title.clone(),
    }
}
