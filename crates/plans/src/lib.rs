//! A plan: methods on targets, with settings, repeats, idle times and an order, executed in one go.
//!
//! A plan is one TOML file ([`mod@file`]) or a built-in one ([`ready`]). Its steps are single runs, executed by the
//! same code as a run from the command line ([`lab::running`]); a plan adds which runs there are and in which order
//! ([`Plan::schedule`]), their cost ([`forecast`]), one prompt if drives are to be overwritten ([`consent`]), resuming
//! after a kill or a reboot (`work`), and one summary of all results ([`outcome`]).
//!
//! **Order.** As listed: each method on all its targets before the next method. By target: all methods on one target
//! before the next target. Shuffled: the first order, shuffled by the plan's seed, so that neither temperature nor time
//! of day correlates with a drive or a method.
//!
//! **State.** New (the default): a modelled drive is rebuilt for each step, as for a single run. Carried over: it is
//! passed from step to step, and idles in its own time; its results then say what they were measured after. A real
//! drive always carries its state over.
//!
//! **At once.** Several targets may be worked at side by side: each target's steps keep their order.
//! Modelled drives come first, real ones after them, so that no simulation disturbs a measurement.

use base::{Bytes, Duration, Rng, Scale};
use serde::{Deserialize, Serialize};
use stats::repeat::Repeat;

use crate::causes::PlannedCause;
use crate::error::PlanError;
use lab::running::Request;
use results::plan::{Between, StepOrder};
use results::screening::Limits;
use targets::grammar::Spec;

pub mod asking;
pub mod causes;
pub mod consent;
pub mod context;
pub mod error;
pub mod file;
pub mod forecast;
pub mod gating;
pub mod grid;
pub mod hosts;
pub mod outcome;
pub mod prepared;
mod reading;
pub mod ready;
pub mod review;
mod screen;
pub mod sweep;
mod work;

/// A plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Its name: a ready plan's, or the file's without `.toml`.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// In which order its steps come.
    pub order: StepOrder,
    /// A modelled drive kept from one step to the next.
    pub state: Between,
    /// Seeds everything random, the order too.
    pub seed: u64,
    /// Targets that are worked at side by side; 0 for all.
    pub at_once: usize,
    /// What is judged.
    pub targets: Vec<PlannedTarget>,
    /// What is run on them.
    pub steps: Vec<PlannedStep>,
    /// Where the drives are a batch that is to be accepted: what each must keep to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen: Option<Limits>,
    /// The document whose published figures are shown next to its own: the plan reproduces that document's tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside_published: Option<String>,
    /// What is asked of modelled drives after the steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<PlannedCause>,
}

/// A target of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedTarget {
    pub name: String,
    /// Bytes that its maker warrants to be written; a drive of the catalogue may know its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rated_endurance: Option<Bytes>,
}

/// A method with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedStep {
    /// The method's name.
    pub method: String,
    /// How long.
    pub scale: Scale,
    /// Settings, each as `key=value`.
    pub set: Vec<String>,
    /// How often it is run.
    #[serde(with = "as_text")]
    pub repeat: Repeat,
    /// Rest of the target before it.
    pub rest: Duration,
    /// Names of the targets that it is run on; all of the plan's where none are named.
    pub targets: Vec<String>,
}

/// One method on one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its number in the order of work, counted from 1.
    pub number: u32,
    /// Which of the plan's steps.
    pub method: usize,
    /// Which of the plan's targets.
    pub target: usize,
}

/// What a command line changes of a plan.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Targets that replace the plan's own.
    pub targets: Vec<String>,
    /// A scale for all steps.
    pub scale: Option<Scale>,
    /// Another seed.
    pub seed: Option<u64>,
    /// A rule of repetition for all steps.
    pub repeat: Option<Repeat>,
}

/// A repeat rule is stored as written.
mod as_text {
    use serde::{Deserialize, Deserializer, Serializer, de};
    use stats::repeat::Repeat;

    pub(super) fn serialize<S: Serializer>(rule: &Repeat, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(rule)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Repeat, D::Error> {
        String::deserialize(from)?
            .parse()
            .map_err(de::Error::custom)
    }
}

/// Whether a name is that of a device, a file or a directory, under layers or not.
fn is_real(name: &str) -> bool {
    fn real(spec: &Spec) -> bool {
        match spec {
            Spec::Path { .. } => true,
            Spec::Model { .. } | Spec::Null { .. } => false,
            Spec::Layer { members, .. } => members.iter().any(real),
        }
    }
    name.parse().is_ok_and(|spec| real(&spec))
}

impl Plan {
    /// One method on several targets, as given on a command line: a plan of one step.
    ///
    /// # Errors
    /// A target that is named twice.
    pub fn of_one_method(
        step: PlannedStep,
        targets: Vec<String>,
        seed: u64,
    ) -> Result<Plan, PlanError> {
        let plan = Plan {
            name: step.method.clone(),
            title: step.method.clone(),
            order: StepOrder::AsListed,
            state: Between::Anew,
            seed,
            at_once: 1,
            targets: Vec::new(),
            steps: vec![step],
            screen: None,
            beside_published: None,
            causes: Vec::new(),
        };
        plan.changed(Changes {
            targets,
            ..Changes::default()
        })
    }

    /// The plan with the command line's changes.
    ///
    /// # Errors
    /// A plan without targets, neither its own nor given ones; given targets where the plan's steps
    /// name theirs.
    pub fn changed(mut self, changes: Changes) -> Result<Plan, PlanError> {
        if !changes.targets.is_empty() {
            if self.steps.iter().any(|step| !step.targets.is_empty()) {
                return Err(PlanError::Targets(format!(
                    "plan {}: its steps name their own targets, so that none can be given: change the file",
                    self.name
                )));
            }
            let given = specimens(changes.targets);
            let given = given.into_iter().map(|name| PlannedTarget {
                name,
                rated_endurance: None,
            });
            self.targets = given.collect();
        }
        if self.targets.is_empty() {
            return Err(PlanError::Targets(format!(
                "plan {} names no target: write one behind it, as in `drivelab run {} ./some/dir`",
                self.name, self.name
            )));
        }
        for (at, target) in self.targets.iter().enumerate() {
            if self.targets[..at].iter().any(|t| t.name == target.name) {
                return Err(PlanError::Targets(format!(
                    "plan {}: {} is named twice",
                    self.name, target.name
                )));
            }
        }
        self.seed = changes.seed.unwrap_or(self.seed);
        for step in &mut self.steps {
            step.scale = changes.scale.unwrap_or(step.scale);
            step.repeat = changes.repeat.unwrap_or(step.repeat);
        }
        for cause in &mut self.causes {
            cause.scale = changes.scale.unwrap_or(cause.scale);
        }
        Ok(self)
    }

    /// Every method on every target, in the order of work.
    pub fn schedule(&self) -> Vec<Step> {
        let pair = |method: usize, target: usize| {
            let on = &self.steps[method].targets;
            let name = &self.targets[target].name;
            (on.is_empty() || on.contains(name)).then_some((method, target))
        };
        let (methods, targets) = (0..self.steps.len(), 0..self.targets.len());
        let mut pairs: Vec<(usize, usize)> = match self.order {
            StepOrder::ByTarget => targets
                .flat_map(|t| methods.clone().filter_map(move |m| pair(m, t)))
                .collect(),
            StepOrder::ModelsFirst => {
                let (real, models): (Vec<usize>, Vec<usize>) =
                    targets.partition(|&t| is_real(&self.targets[t].name));
                let of = |t| methods.clone().filter_map(move |m| pair(m, t));
                models.into_iter().chain(real).flat_map(of).collect()
            }
            StepOrder::AsListed | StepOrder::Shuffled => methods
                .flat_map(|m| targets.clone().filter_map(move |t| pair(m, t)))
                .collect(),
        };
        if self.order == StepOrder::Shuffled {
            shuffle(&mut pairs, self.seed);
        }
        (1..)
            .zip(pairs)
            .map(|(number, (method, target))| Step {
                number,
                method,
                target,
            })
            .collect()
    }

    /// The request of a step, as if given on a command line.
    pub(crate) fn request(&self, step: Step, context: &context::Context) -> Request {
        let method = &self.steps[step.method];
        Request {
            method: method.method.clone(),
            target: self.targets[step.target].name.clone(),
            scale: method.scale,
            seed: self.seed,
            repeat: method.repeat,
            set: method.set.clone(),
            consent: context.consents[step.target].clone(),
            command: context.command.clone(),
            now_unix_ms: context.now_unix_ms,
        }
    }
}

/// Fisher and Yates' shuffle: every order as likely.
fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut rng = Rng::stream(seed, 0x91a2);
    for last in (1..items.len()).rev() {
        let other = rng.below(last as u64 + 1) as usize;
        items.swap(last, other);
    }
}

/// Target names without duplicates: a model that is named again is another specimen of it, with the next seed. A real
/// drive that is named twice is one drive.
pub fn specimens(given: Vec<String>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in given {
        let sign = if name.contains('?') { '&' } else { '?' };
        let is_a_model = name.starts_with("model:") && !name.contains("seed=");
        let next = (2..).map(|seed| format!("{name}{sign}seed={seed}"));
        let mut all = std::iter::once(name.clone()).chain(next);
        let free = all.find(|name| !names.contains(name));
        names.push(free.filter(|_| is_a_model).unwrap_or(name));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_is_named_again_is_another_specimen_and_a_drive_is_not() {
        let named = |names: &[&str]| specimens(names.iter().map(|&n| n.into()).collect());
        assert_eq!(
            named(&["model:a", "fault(model:a)?bad=1GiB", "model:a", "model:a"]),
            [
                "model:a",
                "fault(model:a)?bad=1GiB",
                "model:a?seed=2",
                "model:a?seed=3"
            ]
        );
        assert_eq!(
            named(&[
                "model:a?state=x",
                "model:a?state=x&seed=2",
                "model:a?state=x"
            ])[2],
            "model:a?state=x&seed=3"
        );
        assert_eq!(named(&["/dev/sda", "/dev/sda"]), ["/dev/sda", "/dev/sda"]);
        assert_eq!(
            named(&["model:a?seed=5", "model:a?seed=5"]),
            ["model:a?seed=5"; 2]
        );
    }

    fn plan(order: StepOrder) -> Plan {
        let step = |method: &str| PlannedStep {
            method: method.to_owned(),
            scale: Scale::Quick,
            set: Vec::new(),
            repeat: Repeat::default(),
            rest: Duration::ZERO,
            targets: Vec::new(),
        };
        let target = |name: &str| PlannedTarget {
            name: name.to_owned(),
            rated_endurance: None,
        };
        Plan {
            name: "own".to_owned(),
            title: "Own".to_owned(),
            order,
            state: Between::Anew,
            seed: 1,
            at_once: 1,
            targets: ["A", "B", "C"].map(target).into(),
            steps: ["x", "y"].map(step).into(),
            screen: None,
            beside_published: None,
            causes: Vec::new(),
        }
    }

    fn order(plan: &Plan) -> Vec<String> {
        let names = plan.schedule().into_iter().map(|step| {
            let method = &plan.steps[step.method].method;
            format!("{method}{}", plan.targets[step.target].name)
        });
        names.collect()
    }

    #[test]
    fn steps_come_as_listed_by_target_or_shuffled_by_the_seed() {
        let listed = order(&plan(StepOrder::AsListed));
        assert_eq!(listed, ["xA", "xB", "xC", "yA", "yB", "yC"]);
        let by_target = order(&plan(StepOrder::ByTarget));
        assert_eq!(by_target, ["xA", "yA", "xB", "yB", "xC", "yC"]);
        let mut mixed = plan(StepOrder::ModelsFirst);
        mixed.targets[1].name = "null:".to_owned();
        mixed.targets[2].name = "fault(./dir)?errors=1".to_owned();
        let models_first = ["xnull:", "ynull:", "xA", "yA"];
        assert_eq!(order(&mixed)[..4], models_first, "a word is a path");
        let mut shuffled = order(&plan(StepOrder::Shuffled));
        assert_ne!(shuffled, listed);
        let again = order(&plan(StepOrder::Shuffled));
        assert_eq!(shuffled, again, "the seed decides");
        let other = Changes {
            seed: Some(2),
            ..Changes::default()
        };
        assert_ne!(
            order(&plan(StepOrder::Shuffled).changed(other).unwrap()),
            again
        );
        shuffled.sort();
        assert_eq!(shuffled, listed);
    }

    #[test]
    fn a_step_that_names_targets_runs_on_these_alone() {
        let mut plan = plan(StepOrder::AsListed);
        plan.steps[1].targets = vec!["B".to_owned()];
        assert_eq!(order(&plan), ["xA", "xB", "xC", "yB"]);
        let given = Changes {
            targets: vec!["D".to_owned()],
            ..Changes::default()
        };
        let refused = plan.changed(given).unwrap_err().to_string();
        assert!(refused.contains("name their own targets"), "{refused}");
    }

    #[test]
    fn a_plan_reads_back_as_it_was_stored() {
        let mut plan = plan(StepOrder::Shuffled);
        plan.steps[0].repeat = "auto:2%,max=9".parse().unwrap();
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
    }
}
