//! Screening: which drives of a batch are accepted, and which one is the outlier.
//!
//! The same methods on each drive. Only drives of one model are compared with each other: a disk is not worse for being
//! slower than the SSDs beside it. The limits hold for all. **Rejected** is a drive that breaks a limit of the plan's `[screen]`
//! table, on which an I/O failed, or that has no result for a step:
//!
//! | key | what it must keep to |
//! |---|---|
//! | `response_max`, `read_max`, `write_max` | no I/O took longer |
//! | `response_p99`, `read_p99`, `write_p99` | the 99th percentile of the reads and of the writes of each measurement |
//! | `curve_below_percent` | no eighth of a transfer curve lies, by its median, further below the batch's |
//! | `errors` | I/Os that failed; none where it is not given |
//! | `condition` | how the drive is by its own counters: `good`, `unknown` at worst, `suspect` at worst |
//! | `reallocated`, `pending`, `uncorrectable` | counters, where the drive tells them |
//! | `temperature_celsius` | the highest that it told |
//!
//! A *measurement* is what a figure of the method is based on: creating a test file, and a probe of the pace, are
//! preparation, and are not judged.
//!
//! **To be looked at** is a drive within the limits but unlike the others: an outlier, one with a weak area
//! ([`crate::surface`]), with reads or writes far longer than the others' longest, one that stalls more often, or one
//! with too little data to check a limit. **Accepted** are all others.
//!
//! **An outlier** is found without any limit, in batches of three and more, by three kinds of evidence, each a robust z
//! score against the batch ([`stats::robust`]): its figures except tails and counts of rare events (the median
//! deviation over those of a method), its transfer curves (mean distance from the batch's median curve), and its
//! response distributions (median distance from those of the others). It is an outlier if the greatest of the three
//! exceeds the limit for a batch of that size; `odd` is the limit for a large one.

use results::screening::{Acceptance, Evidence, Limits, Reason, Screened, Screening};
use results::surface::Surface;
use results::{Quantity, RunResult, Statement, TargetKind};
use stats::robust::{LEAST_BATCH, critical_z};

mod evidence;
mod limits;
mod unlike;

/// Default robust z above which a drive of a large batch is an outlier.
pub const ODD: f64 = 3.5;

/// A drive of a batch, before it is judged.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    /// The target's name.
    pub target: &'a str,
    /// Its identity at the beginning of the batch, if known: a drive that is gone cannot be queried.
    pub title: Option<String>,
    /// Results that there should be.
    pub steps: usize,
    /// Those that there are.
    pub results: Vec<&'a RunResult>,
}

/// Judges a batch.
pub fn screen(limits: &Limits, batch: &[Candidate<'_>]) -> Screening {
    let of_models: Vec<(Vec<usize>, Screening)> = by_model(batch)
        .into_iter()
        .map(|places| {
            let of_model: Vec<_> = places.iter().map(|&at| batch[at].clone()).collect();
            (places, screen_model(limits, &of_model))
        })
        .collect();
    let models = of_models.len();
    let (mut whole, mut drives) = (Screening::default(), vec![None; batch.len()]);
    let mut furthest = 0.0;
    for (places, of_model) in of_models {
        let beyond = of_model.furthest_odd();
        if whole.odd_beyond.is_none() || beyond > furthest {
            (whole.odd_beyond, whole.odd_one) = (of_model.odd_beyond, of_model.odd_one);
            furthest = beyond;
        }
        for (at, drive) in places.into_iter().zip(of_model.drives) {
            drives[at] = Some(drive);
        }
    }
    Screening {
        limits: limits.clone(),
        models,
        drives: drives.into_iter().flatten().collect(),
        ..whole
    }
}

/// The places of the drives of each model, in the order of the batch. Drives that do not say what they are count as one
/// model; one without a result is compared with none, wherever it is counted.
fn by_model(batch: &[Candidate<'_>]) -> Vec<Vec<usize>> {
    let first = batch.iter().find_map(model);
    let mut models: Vec<(String, Vec<usize>)> = Vec::new();
    for (at, candidate) in batch.iter().enumerate() {
        let model = model(candidate).or_else(|| first.clone());
        let model = model.unwrap_or_default();
        match models.iter_mut().find(|(known, _)| *known == model) {
            Some((_, places)) => places.push(at),
            None => models.push((model, vec![at])),
        }
    }
    models.into_iter().map(|(_, places)| places).collect()
}

fn model(candidate: &Candidate<'_>) -> Option<String> {
    let target = &candidate.results.first()?.target;
    Some(match (target.identity.get("model"), target.kind) {
        (Some(model), _) => model.clone(),
        (None, TargetKind::Model) => target.title.to_string(),
        (None, _) => String::new(),
    })
}

/// Judges drives of one model.
fn screen_model(limits: &Limits, batch: &[Candidate<'_>]) -> Screening {
    let enough = batch.iter().filter(|c| !c.results.is_empty()).count();
    let odd_beyond = (enough >= LEAST_BATCH).then(|| critical_z(limits.odd, enough));
    let measures = evidence::measures(batch);
    let dips = limits::dips(batch);
    let unlike = unlike::reasons(batch);
    let drives: Vec<Screened> = (batch.iter().enumerate())
        .map(|(at, candidate)| {
            let of = |kind| evidence::strength(&measures, kind, at);
            let figures_z = of(Evidence::Figure);
            let curves_z = of(Evidence::Curve);
            let responses_z = of(Evidence::Response);
            let all = [figures_z, curves_z, responses_z].into_iter().flatten();
            let oddness = all.reduce(f64::max);
            let mut reasons = limits::broken(limits, candidate, &dips[at]);
            reasons.extend(unlike[at].iter().cloned());
            reasons.extend(outlier(oddness, odd_beyond));
            reasons.sort_by_key(|reason| std::cmp::Reverse(reason.verdict));
            Screened {
                target: candidate.target.to_owned(),
                title: title(candidate),
                verdict: reasons.first().map_or(Acceptance::Accept, |r| r.verdict),
                reasons,
                oddness,
                figures_z,
                curves_z,
                responses_z,
                furthest: evidence::furthest(&measures, at),
                surfaces: finest(batch, at),
            }
        })
        .collect();
    let stands_out = |drive: &&Screened| outlier(drive.oddness, odd_beyond).is_some();
    let odd = drives.iter().filter(stands_out).max_by(|a, b| {
        let of = |drive: &Screened| drive.oddness.unwrap_or(0.0);
        of(a).total_cmp(&of(b))
    });
    Screening {
        limits: limits.clone(),
        odd_beyond,
        odd_one: odd.map(|drive| drive.target.clone()),
        models: 1,
        drives,
    }
}

/// An outlier is never accepted: a person must check it.
fn outlier(oddness: Option<f64>, beyond: Option<f64>) -> Option<Reason> {
    let (z, most) = oddness.zip(beyond).filter(|(z, most)| z > most)?;
    let says = Statement::new("acceptance-outlier")
        .with("oddness", Quantity::Factor(z))
        .with("limit", Quantity::Factor(most));
    Some(look(None, says))
}

fn look(method: Option<results::screening::Measured>, says: Statement) -> Reason {
    Reason {
        verdict: Acceptance::Look,
        method,
        says,
        because: Vec::new(),
    }
}

/// The maps of a drive from its scan with the finest resolution, compared with the batch.
fn finest(batch: &[Candidate<'_>], at: usize) -> Vec<Surface> {
    let all = batch[at].results.iter().map(|result| {
        let beside = unlike::beside(batch, at, result);
        crate::surface::surfaces(result, &beside)
    });
    let regions = |surfaces: &Vec<Surface>| surfaces.first().map_or(0, |s| s.regions.len());
    all.max_by_key(regions).unwrap_or_default()
}

fn title(candidate: &Candidate<'_>) -> String {
    let Some(result) = candidate.results.first() else {
        let known = candidate.title.clone();
        return known.unwrap_or_else(|| candidate.target.to_owned());
    };
    match result.target.identity.get("serial") {
        Some(serial) => format!("{} ({serial})", result.target.title),
        None => result.target.title.to_string(),
    }
}
