//! The outcome of a plan, its forecast, and the built-in plans.

use base::size::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RunResult;
use crate::cause::Cause;
use crate::reproduction::ReproducedFigure;
use crate::screening::Screening;

/// The schema of the list of ready plans.
pub const PLANS_SCHEMA: &str = "drivelab.plans/1";
/// The schema of a plan's outcome.
pub const PLAN_SCHEMA: &str = "drivelab.plan/1";

/// What came of a plan.
///
/// ```json
/// {
///   "schema": "drivelab.plan/1",
///   "id": 1,
///   "name": "quick",
///   "title": "Quick look",
///   "order": "as-listed",
///   "state": "anew",
///   "seed": 1,
///   "at_once": 1,
///   "steps": [
///     { "step": 1, "method": "crystaldiskmark", "target": "null:", "run": 1, "state": "finished" },
///     { "step": 2, "method": "quick-scan", "target": "null:", "run": 2, "state": "finished" },
///     { "step": 3, "method": "latency-watch", "target": "null:", "run": 3, "state": "finished" }
///   ],
///   "results": ["..."]
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PlanOutcome {
    /// [`PLAN_SCHEMA`].
    pub schema: &'static str,
    /// Its number in the store: `resume` and `report` take `plan-ID`.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// In which order its steps came.
    pub order: StepOrder,
    /// Whether modelled drives keep their state between steps.
    pub state: Between,
    /// Seeds everything random, the order too.
    pub seed: u64,
    /// Targets side by side; 0 for all.
    pub at_once: usize,
    /// Its forecast; absent when a stored plan is shown again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forecast: Option<PlanForecast>,
    /// Every step, in the order of work.
    pub steps: Vec<StepOutcome>,
    /// Which drives of a batch are accepted, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screening: Option<Screening>,
    /// The source document whose tables the plan runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// That document's published figures, each with the value from the plan's results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<ReproducedFigure>,
    /// What its questions for a cause were answered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<PlanCause>,
    /// The results, in the order of the targets, then of the steps.
    pub results: Vec<RunResult>,
}

/// What came of a question for the cause of a difference.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PlanCause {
    /// The question in words, as the plan's file has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
    /// The answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StepOutcome {
    /// Its number, from 1.
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

impl PlanOutcome {
    /// How many steps have no result.
    pub fn without_result(&self) -> usize {
        let without = self.steps.iter().filter(|step| step.state != "finished");
        without.count()
    }

    /// How many questions for a cause have no answer.
    pub fn without_answer(&self) -> usize {
        let causes = self.causes.iter();
        causes.filter(|asked| asked.cause.is_none()).count()
    }
}

/// In which order steps come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepOrder {
    /// Each method on all its targets before the next method.
    #[default]
    AsListed,
    /// All methods on a target before the next target.
    ByTarget,
    /// All methods on a target before the next target, modelled drives before real ones: no simulation comes
    /// between two measurements.
    ModelsFirst,
    /// As listed, shuffled by the seed.
    Shuffled,
}

/// What a modelled drive keeps from one step to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "StateBetweenSteps")]
pub enum Between {
    /// Nothing: each step begins with the drive in the state of its name.
    #[default]
    Anew,
    /// Everything.
    CarriedOver,
}

/// What a plan will take.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PlanForecast {
    /// Hours on real drives, those that are worked at side by side counted once.
    pub real_hours: f64,
    /// Approximate processor seconds to simulate the modelled drives.
    pub simulated_seconds: f64,
    /// Whether a rate was assumed somewhere.
    pub estimated: bool,
    /// Each step.
    pub steps: Vec<StepForecast>,
    /// Each target.
    pub targets: Vec<TargetForecast>,
    /// Each question for a cause.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<CauseForecast>,
}

/// What a question for a cause will take: time of the processor alone, since only models are run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CauseForecast {
    /// The method's name.
    pub method: String,
    /// The first modelled drive, as a target.
    pub a: String,
    /// The second one.
    pub b: String,
    /// Approximate processor seconds of all its runs.
    pub simulated_seconds: f64,
}

/// What a step will take.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StepForecast {
    /// Its number.
    pub step: u32,
    /// The method's name.
    pub method: String,
    /// The target's name.
    pub target: String,
    /// Maximum seconds, including all repeats and the idle time before it; virtual time on a modelled drive.
    pub seconds: f64,
    /// Bytes written at most, all repeats together; of a modelled drive none of them reaches the machine's.
    pub written: Bytes,
    /// Bytes read at most, all repeats together.
    pub read: Bytes,
    /// The size of the test file that is made for it, and removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_file: Option<Bytes>,
    /// Approximate processor seconds to simulate it: the actual waiting time, unlike its virtual time. Absent on a real
    /// drive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulated_seconds: Option<f64>,
    /// Whether a rate was assumed.
    pub estimated: bool,
    /// That rate, in MB/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed_mb_s: Option<f64>,
}

/// What a target will take.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TargetForecast {
    /// The target's name.
    pub target: String,
    /// True for a real drive or file.
    pub real: bool,
    /// Hours; a modelled drive's are its own.
    pub hours: f64,
    /// Bytes written at most.
    pub written: Bytes,
    /// Bytes read at most.
    pub read: Bytes,
    /// The largest test file that is made on it; each is removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_file: Option<Bytes>,
    /// Its rated endurance in bytes, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rated_endurance: Option<Bytes>,
    /// What is written of them, in per cent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share_percent: Option<f64>,
}

/// The plans that come with drivelab.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReadyPlans {
    /// The schema.
    pub schema: &'static str,
    /// Plans that come with the program, by name.
    pub plans: Vec<PlanListing>,
}

/// One ready plan.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlanListing {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name for people.
    pub title: String,
    /// Its methods, in order.
    pub methods: Vec<String>,
    /// Whether one of them may write to the target.
    pub writes: bool,
    /// Whether it accepts or refuses the drives of a batch.
    pub screens: bool,
}
