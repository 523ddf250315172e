//! One plan run on many hosts: which drive is not as the others of its model and firmware.
//!
//! Each host judged its own drives, of which it may have two. Here all drives of one model and firmware are one batch,
//! whatever host they are in, and are judged as [`analysis::screening`] judges the drives of one plan: by the plan's
//! limits, and against each other.

use std::collections::BTreeMap;

use analysis::screening::{Candidate, ODD, screen};
use results::{Limits, PlanOutcome, RunEnd, RunResult, Screening};

/// The drives of one model and firmware.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Their model, and their firmware where it is known; empty for drives of which nothing was measured.
    pub kind: String,
    /// How they were judged; targets are named `HOST: TARGET`.
    pub screening: Screening,
}

/// A drive in a host.
struct Found<'a> {
    target: String,
    steps: usize,
    results: Vec<&'a RunResult>,
}

/// The batches, the largest first.
pub fn batches(outcomes: &[(String, PlanOutcome)]) -> Vec<Batch> {
    let mut kinds: BTreeMap<String, Vec<Found>> = BTreeMap::new();
    for (host, outcome) in outcomes {
        for found in drives_of(host, outcome) {
            kinds.entry(kind_of(&found)).or_default().push(found);
        }
    }
    let limits = outcomes
        .iter()
        .find_map(|(_, outcome)| outcome.screening.as_ref());
    let limits = limits.map_or_else(without_limits, |screening| screening.limits.clone());
    let judged = kinds.into_iter().map(|(kind, drives)| {
        let candidates = drives.iter().map(|drive| Candidate {
            target: &drive.target,
            title: None,
            steps: drive.steps,
            results: drive.results.clone(),
        });
        Batch {
            kind,
            screening: screen(&limits, &candidates.collect::<Vec<_>>()),
        }
    });
    let mut batches: Vec<Batch> = judged.collect();
    batches.sort_by_key(|batch| std::cmp::Reverse(batch.screening.drives.len()));
    batches
}

/// Of a plan that sets no limits: failed I/Os reject, and drives are compared with each other.
fn without_limits() -> Limits {
    Limits {
        odd: ODD,
        ..Limits::default()
    }
}

fn drives_of<'a>(host: &str, outcome: &'a PlanOutcome) -> Vec<Found<'a>> {
    let mut targets: Vec<&str> = Vec::new();
    for step in &outcome.steps {
        if !targets.contains(&&*step.target) {
            targets.push(&step.target);
        }
    }
    let found = targets.into_iter().map(|target| {
        let runs: Vec<i64> = outcome
            .steps
            .iter()
            .filter(|step| step.target == target)
            .map(|step| step.run)
            .collect();
        let is_whole =
            |result: &&RunResult| runs.contains(&result.id) && result.ended == RunEnd::Complete;
        Found {
            target: format!("{host}: {target}"),
            steps: runs.len(),
            results: outcome.results.iter().filter(is_whole).collect(),
        }
    });
    found.collect()
}

fn kind_of(drive: &Found) -> String {
    let Some(result) = drive.results.first() else {
        return String::new();
    };
    let of = |key: &str| result.target.identity.get(key);
    let model = of("model").map_or(result.target.title.as_str(), String::as_str);
    match of("firmware") {
        Some(firmware) => format!("{model}, firmware {firmware}"),
        None => model.to_owned(),
    }
}
