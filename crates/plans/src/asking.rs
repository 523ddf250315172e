//! A question as a plan: so it is forecast, requires consent, is stored and can be resumed like any plan. Steps that do
//! not apply to the drive are omitted.

use analysis::questions::{Asked, Question, Reply};
use base::{Duration, Needs, OnModels, Scale};
use results::RunResult;
use results::plan::{Between, PlanOutcome, StepOrder};
use stats::repeat::Repeat;
use targets::{Consent, resolve};

use crate::error::PlanError;
use crate::{Changes, Plan, PlannedStep, PlannedTarget};

/// The name of the plan of a question.
pub fn name(question: &Question) -> String {
    format!("ask-{}", question.id)
}

/// The plan that answers a question on these targets; `consents` are the permissions for each.
///
/// # Errors
/// A target that there is not, or that is named twice.
pub fn plan(
    question: &Question,
    targets: &[(String, Consent)],
    scale: Scale,
    seed: u64,
) -> Result<Plan, PlanError> {
    let mut steps = Vec::new();
    for (target, consent) in targets {
        let resolved = resolve(target, consent, seed)?;
        for step in question.steps {
            let card = lab::running::method(step.method)?.card();
            let lacks = |needs: &Needs| match needs {
                Needs::Flash(_) => resolved.is_known_as_a_disk().is_some(),
                Needs::Writing => false,
                Needs::Zones => resolved.zones().is_none(),
            };
            let is_of_models = matches!(card.on_models, OnModels::Only) && !resolved.is_a_model();
            // Where zones are written in order, of a method that does not know of them only the reads are left.
            let only_reads = resolved.zones().is_some() && !card.respects_zones();
            let may_read = || card.settings.iter().any(|setting| setting.key == "ops");
            if is_of_models || card.needs.iter().any(lacks) || (only_reads && !may_read()) {
                continue;
            }
            let mut set: Vec<String> = step.set.iter().map(|&pair| pair.to_owned()).collect();
            if only_reads && !set.iter().any(|pair| pair.starts_with("ops=")) {
                set.push("ops=read".to_owned());
            }
            steps.push(PlannedStep {
                method: step.method.to_owned(),
                scale,
                set,
                repeat: match step.times {
                    1 => Repeat::default(),
                    times => Repeat::Times(times),
                },
                rest: Duration::ZERO,
                targets: vec![target.clone()],
            });
        }
    }
    let planned = |(name, _): &(String, Consent)| PlannedTarget {
        name: name.clone(),
        rated_endurance: None,
    };
    let plan = Plan {
        name: name(question),
        title: format!("Question: {}", question.id),
        order: StepOrder::ModelsFirst,
        state: Between::Anew,
        seed,
        at_once: 0,
        targets: targets.iter().map(planned).collect(),
        steps,
        screen: None,
        beside_published: None,
        causes: Vec::new(),
    };
    plan.changed(Changes::default())
}

/// The answer to a question from the results of its plan; `earlier` is an earlier result for the same question and
/// drive.
pub fn reply(question: &Question, earlier: Option<&PlanOutcome>, outcome: &PlanOutcome) -> Reply {
    let mut targets: Vec<&str> = Vec::new();
    for step in &outcome.steps {
        if !targets.contains(&step.target.as_str()) {
            targets.push(&step.target);
        }
    }
    let before = earlier.map(|earlier| {
        let first = earlier.results.first();
        let target = first.map_or("", |result| result.target.name.as_str());
        asked(target, earlier)
    });
    let now = targets.iter().map(|target| asked(target, outcome));
    let drives: Vec<Asked> = before.into_iter().chain(now).collect();
    question.answer(&drives)
}

fn asked<'a>(target: &'a str, outcome: &'a PlanOutcome) -> Asked<'a> {
    let of = |result: &&RunResult| result.target.name == target;
    Asked {
        target,
        steps: outcome
            .steps
            .iter()
            .filter(|step| step.target == target)
            .count(),
        results: outcome.results.iter().filter(of).collect(),
    }
}

#[cfg(test)]
mod tests {
    use analysis::questions::reject;

    #[test]
    fn which_drive_to_reject_is_asked_with_the_limits_of_the_plan_that_screens() {
        let plan = crate::ready::find("screen").unwrap().unwrap();
        assert_eq!(plan.screen, Some(reject::limits()));
    }
}
