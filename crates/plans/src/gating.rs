//! A gate as a plan: the methods that its requirements name, each once. So it is forecast, asks for consent, is stored
//! and goes on after an interruption as any plan does.

use analysis::gate::{GateError, Requirement};
use base::{Duration, Interrupt, Scale};
use lab::progress::Silent;
use lab::running::{Request, prepare};
use results::plan::{Between, StepOrder};
use stats::repeat::Repeat;

use crate::error::PlanError;
use crate::{Changes, Plan, PlannedStep, PlannedTarget};

/// The name of the plan of a gate.
pub const NAME: &str = "gate";

/// Reads requirements, and tries each of their methods in virtual time: a figure that it does not give, and a limit of
/// another unit, are told before hours are spent on them.
///
/// # Errors
/// A requirement that is none, or that nothing can meet.
pub fn requirements(asked: &[String]) -> Result<Vec<Requirement>, PlanError> {
    let methods: Vec<String> = methods::METHODS
        .iter()
        .map(|method| method.card().id.to_owned())
        .collect();
    let read = asked.iter().map(|one| Requirement::read(one, &methods));
    let requirements: Vec<Requirement> = read.collect::<Result<_, _>>()?;
    if requirements.is_empty() {
        return Err(GateError::Nothing.into());
    }
    for method in methods_of(&requirements) {
        let request = Request::new(method, "null:", Scale::Quick, 1);
        let tried = prepare(request)?.run(None, &mut Silent, &Interrupt::new())?;
        let of_it = |requirement: &&Requirement| requirement.method == method;
        for requirement in requirements.iter().filter(of_it) {
            let keys: Vec<String> = tried.figures.iter().map(|f| f.key.clone()).collect();
            requirement.is_among(&keys)?;
            for figure in tried.figures.iter().filter(|f| f.key == requirement.figure) {
                requirement.limit_in(&figure.unit)?;
            }
        }
    }
    Ok(requirements)
}

/// The methods that requirements name, in their order, none twice.
fn methods_of(requirements: &[Requirement]) -> Vec<&str> {
    let mut methods = Vec::new();
    for requirement in requirements {
        if !methods.contains(&requirement.method.as_str()) {
            methods.push(requirement.method.as_str());
        }
    }
    methods
}

/// How the methods of a gate are run.
#[derive(Clone, Copy, Debug)]
pub struct Gating {
    pub scale: Scale,
    pub seed: u64,
    pub repeat: Repeat,
}

/// The plan that measures what the requirements ask.
///
/// # Errors
/// A target that there is not.
pub fn plan(requirements: &[Requirement], target: &str, how: Gating) -> Result<Plan, PlanError> {
    let step = |method: &str| PlannedStep {
        method: method.to_owned(),
        scale: how.scale,
        set: Vec::new(),
        repeat: how.repeat,
        rest: Duration::ZERO,
        targets: vec![target.to_owned()],
    };
    let plan = Plan {
        name: NAME.to_owned(),
        title: "Gate".to_owned(),
        order: StepOrder::ModelsFirst,
        state: Between::Anew,
        seed: how.seed,
        at_once: 0,
        targets: vec![PlannedTarget {
            name: target.to_owned(),
            rated_endurance: None,
        }],
        steps: methods_of(requirements).into_iter().map(step).collect(),
        screen: None,
        beside_published: None,
        causes: Vec::new(),
    };
    plan.changed(Changes::default())
}
