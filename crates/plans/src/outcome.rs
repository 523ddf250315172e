//! What came of a plan: `drivelab.plan/1`.

use inspect::Seen;
use results::plan::{PLAN_SCHEMA, PlanForecast, PlanOutcome, StepOutcome};
use results::{Limits, RunEnd, RunResult, Screening};
use store::{PlanId, RunState, Store, Which};

use super::prepared::stored;
use super::{Plan, Step};
use crate::error::PlanError;
use analysis::screening::{Candidate, screen};
use lab::running::stored_result;

/// A step that has been worked at.
pub(super) enum Done {
    Finished(Box<RunResult>),
    /// Its drive went away: it has a part of one, and why.
    WentAway(Box<RunResult>, String),
    /// It has none.
    Failed(String),
    /// It was not run, since its target is out.
    Skipped(String),
}

/// What came of a plan whose steps were worked at.
pub(super) fn outcome_of(
    plan: &Plan,
    id: PlanId,
    forecast: Option<PlanForecast>,
    mut done: Vec<(Step, Done)>,
    seen: &[Option<Seen>],
) -> PlanOutcome {
    done.sort_by_key(|(step, _)| step.number);
    let mut steps = Vec::new();
    let mut results: Vec<(Step, RunResult)> = Vec::new();
    for (step, done) in done {
        let (run, state, why) = match &done {
            Done::Finished(result) => (result.id, "finished", None),
            Done::WentAway(result, why) => (result.id, "failed", Some(why.clone())),
            Done::Failed(why) => (0, "failed", Some(why.clone())),
            Done::Skipped(why) => (0, "skipped", Some(why.clone())),
        };
        steps.push(StepOutcome {
            step: step.number,
            method: plan.steps[step.method].method.clone(),
            target: plan.targets[step.target].name.clone(),
            run,
            state,
            why,
        });
        if let Done::Finished(result) | Done::WentAway(result, _) = done {
            results.push((step, *result));
        }
    }
    let screening = plan
        .screen
        .as_ref()
        .map(|limits| screened(limits, plan, &steps, &results, seen));
    results.sort_by_key(|(step, _)| (step.target, step.number));
    PlanOutcome {
        schema: PLAN_SCHEMA,
        id: id.0,
        name: plan.name.clone(),
        title: plan.title.clone(),
        order: plan.order,
        state: plan.state,
        seed: plan.seed,
        at_once: plan.at_once,
        forecast,
        steps,
        screening,
        document: plan.beside_published.clone(),
        published: Vec::new(),
        causes: Vec::new(),
        results: results.into_iter().map(|(_, result)| result).collect(),
    }
}

/// The drives of a plan by its limits.
fn screened(
    limits: &Limits,
    plan: &Plan,
    steps: &[StepOutcome],
    results: &[(Step, RunResult)],
    seen: &[Option<Seen>],
) -> Screening {
    // A part of a scan is no evidence for a drive: who went away lacks a step, and is rejected for it.
    let whole = |(step, result): &&(Step, RunResult), at| {
        step.target == at && result.ended == RunEnd::Complete
    };
    let of = |at: usize| results.iter().filter(move |one| whole(one, at));
    let targets = plan.targets.iter().enumerate();
    let candidates = targets.map(|(at, target)| Candidate {
        target: &target.name,
        title: seen.get(at).and_then(|seen| title_of(seen.as_ref()?)),
        steps: steps.iter().filter(|s| s.target == target.name).count(),
        results: of(at).map(|(_, result)| result).collect(),
    });
    screen(limits, &candidates.collect::<Vec<_>>())
}

/// What came of a stored plan, as far as it has come.
///
/// # Errors
/// No such plan, or a document of another version.
pub fn stored_outcome(store: &Store, id: PlanId) -> Result<PlanOutcome, PlanError> {
    let stored = stored(store, id)?;
    let plan = &stored.plan;
    let begun = store.steps(id)?;
    let done = plan.schedule().into_iter().map(|step| {
        let run = begun.iter().find(|run| run.number == step.number);
        let done = match run {
            None => Done::Skipped("not run yet".to_owned()),
            Some(run) if run.state == RunState::Finished => {
                Done::Finished(Box::new(stored_result(store, Which::Id(run.run))?))
            }
            Some(run) if matches!(run.state, RunState::WentAway { .. }) => {
                let result = stored_result(store, Which::Id(run.run))?;
                let why = format!("{}; what was measured is run {}", result.ended, result.id);
                Done::WentAway(Box::new(result), why)
            }
            Some(run) => Done::Failed(format!("run {} {}", run.run, run.state)),
        };
        Ok((step, done))
    });
    let done = done.collect::<Result<Vec<_>, PlanError>>()?;
    Ok(outcome_of(plan, id, None, done, stored.seen()))
}

/// A drive's model, capacity and serial number, as of the beginning of the plan: it may be gone.
fn title_of(seen: &Seen) -> Option<String> {
    let drive = seen.drive.as_ref()?;
    let model = drive.model.as_deref().unwrap_or("drive");
    let serial = drive.serial.as_ref().or(drive.wwn.as_ref());
    let serial = serial.map_or_else(String::new, |serial| format!(" ({serial})"));
    Some(format!("{model} {}{serial}", seen.bytes))
}
