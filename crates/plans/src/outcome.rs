//! What came of a plan: `drivelab.plan/1`.

use inspect::Seen;
use results::RunResult;
use serde::Serialize;
use store::{PlanId, Store, Which};

use super::forecast::PlanForecast;
use super::prepared::stored;
use super::{Between, Order, Plan, Step};
use crate::error::PlanError;
use analysis::screening::{Candidate, screen};
use lab::running::stored_result;
use results::screening::Screening;

/// The schema of a plan's outcome.
pub const PLAN_SCHEMA: &str = "drivelab.plan/1";

/// What came of a plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanOutcome {
    /// [`PLAN_SCHEMA`].
    pub schema: &'static str,
    /// Its number in the store.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// In which order its steps came.
    pub order: Order,
    /// What modelled drives kept between steps.
    pub state: Between,
    /// What seeded it.
    pub seed: u64,
    /// Targets side by side; 0 for all.
    pub at_once: usize,
    /// What it was said to take; absent where a stored plan is looked at again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forecast: Option<PlanForecast>,
    /// Every step, in order.
    pub steps: Vec<StepOutcome>,
    /// Which drives of a batch are accepted, where that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screening: Option<Screening>,
    /// The results, in the order of the targets, then of the steps.
    pub results: Vec<RunResult>,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepOutcome {
    /// Its number.
    pub step: u32,
    /// The method's name.
    pub method: String,
    /// The target's name.
    pub target: String,
    /// The number of its result in the store; 0 where there is none.
    pub run: i64,
    /// `finished`, `failed`, `skipped` or `not run`.
    pub state: &'static str,
    /// Why there is no whole result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A step that has been worked at.
pub(super) enum Done {
    /// It has its result.
    Finished(Box<RunResult>),
    /// It has none, or a part of one.
    Failed(String),
    /// It was not run, since its target is out.
    Skipped(String),
}

impl PlanOutcome {
    /// Puts it together.
    pub(super) fn new(
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
            if let Done::Finished(result) = done {
                results.push((step, *result));
            }
        }
        let screening = plan.screen.as_ref().map(|limits| {
            let of = |at: usize| results.iter().filter(move |(step, _)| step.target == at);
            let candidates = plan
                .targets
                .iter()
                .enumerate()
                .map(|(at, target)| Candidate {
                    target: &target.name,
                    title: seen.get(at).and_then(|seen| title_of(seen.as_ref()?)),
                    steps: steps.iter().filter(|s| s.target == target.name).count(),
                    results: of(at).map(|(_, result)| result).collect(),
                });
            screen(limits, &candidates.collect::<Vec<_>>())
        });
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
            results: results.into_iter().map(|(_, result)| result).collect(),
        }
    }

    /// How many steps have no result.
    pub fn without_result(&self) -> usize {
        let without = self.steps.iter().filter(|step| step.state != "finished");
        without.count()
    }
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
            Some(run) if run.state == store::RunState::Finished => {
                Done::Finished(Box::new(stored_result(store, Which::Id(run.run))?))
            }
            Some(run) => Done::Failed(format!("run {} {}", run.run, run.state)),
        };
        Ok((step, done))
    });
    let done = done.collect::<Result<Vec<_>, PlanError>>()?;
    Ok(PlanOutcome::new(plan, id, None, done, stored.seen()))
}

/// A drive's model, capacity and serial number, as they were when the plan was begun: it may be gone.
fn title_of(seen: &Seen) -> Option<String> {
    let drive = seen.drive.as_ref()?;
    let model = drive.model.as_deref().unwrap_or("drive");
    let serial = drive.serial.as_ref().or(drive.wwn.as_ref());
    let serial = serial.map_or_else(String::new, |serial| format!(" ({serial})"));
    Some(format!("{model} {}{serial}", seen.bytes))
}
