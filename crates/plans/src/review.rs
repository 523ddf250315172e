//! The main job: one real drive and two modelled ones, side by side.
//!
//! The models are simulated first, so that nothing runs beside the measurement. A review is a plan of its own making: it
//! is stored, resumed and reported as any other.

use base::method::{Needs, Scale};
use base::time::Duration;
use results::plan::{Between, StepOrder};
use stats::repeat::Repeat;

use crate::error::PlanError;
use crate::{Plan, PlannedStep, PlannedTarget};
use lab::opening::{Consent, ResolvedTarget, resolve};

/// What kind of target a step is for: how much may be used of it, and how long that takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum On {
    /// A test file on somebody's file system: some gigabytes, all of them written and read.
    TestFile,
    /// A modelled drive: a whole fill takes seconds.
    Model,
    /// A real drive or file of its own: nobody waits for hours, so a part speaks for it.
    Drive,
}

/// Every question that a use asks: the benchmarks, the surface, what writing goes on at, the watch, applications' traces, a
/// server's mix, and a copy within the drive.
const METHODS: [&str; 9] = [
    "crystaldiskmark",
    "crystaldiskmark-classic",
    "quick-scan",
    "full-scan",
    "slc-fill",
    "latency-watch",
    "application-traces",
    "iometer",
    "delay-ratio",
];

/// How a method is run in a review, by settings that are not its own at that scale; nothing where it is left out.
///
/// At full scale all of them are, for hours where the drive is large; at the quick one those that take seconds. In
/// between it is three minutes: a full scan takes hours on a whole disk, while a file has it in seconds, and of a
/// modelled drive both ends are scanned.
fn settings(method: &str, scale: Scale, on: On) -> Option<&'static [&'static str]> {
    match (scale, method, on) {
        (Scale::Full, ..) => Some(&[]),
        (Scale::Quick, "crystaldiskmark" | "quick-scan" | "latency-watch", _) => Some(&[]),
        (Scale::Quick, ..) | (_, "crystaldiskmark-classic", _) => None,
        (_, "full-scan", On::Model) => Some(&["ends=4"]),
        (_, "full-scan", On::Drive) => None,
        (_, "slc-fill", On::TestFile | On::Drive) => Some(&["extent=4GiB"]),
        _ => Some(&[]),
    }
}

/// The names of modelled drives that stand beside a target: of its class and age.
///
/// # Errors
/// A target that there is not.
pub fn neighbours(target: &str, seed: u64) -> Result<Vec<String>, PlanError> {
    Ok(resolve(target, &Consent::default(), seed)?.neighbours())
}

/// The name of the plan that a review is.
pub const NAME: &str = "review";

/// A review as a plan: so it goes on after an interruption as any plan does, and has one account. The reviewed
/// target is its first one, whose results come first in the report; `consent` is what is allowed on it.
///
/// # Errors
/// A target that there is not, or that is named twice.
pub fn plan(
    target: &str,
    consent: &Consent,
    beside: &[String],
    scale: Scale,
    seed: u64,
) -> Result<Plan, PlanError> {
    let mut plan = Plan {
        name: NAME.to_owned(),
        title: format!("Review of {target}"),
        order: StepOrder::ModelsFirst,
        state: Between::Anew,
        seed,
        at_once: 1,
        targets: Vec::new(),
        steps: Vec::new(),
        screen: None,
        beside_published: None,
    };
    let nobody = Consent::default();
    let all = [(target, consent)].into_iter();
    for (name, consent) in all.chain(beside.iter().map(|name| (name.as_str(), &nobody))) {
        let resolved = resolve(name, consent, seed)?;
        plan.steps
            .extend(steps_on(name, &resolved, consent, scale)?);
        plan.targets.push(PlannedTarget {
            name: name.to_owned(),
            rated_endurance: None,
        });
    }
    plan.changed(crate::Changes::default())
}

/// The steps for one target, without those that mean nothing on it or would have to write where nobody allowed it.
fn steps_on(
    name: &str,
    resolved: &ResolvedTarget,
    consent: &Consent,
    scale: Scale,
) -> Result<Vec<PlannedStep>, PlanError> {
    let on = if resolved.is_a_model() {
        On::Model
    } else if resolved.is_a_test_file() {
        On::TestFile
    } else {
        On::Drive
    };
    let mut planned = Vec::new();
    let run = METHODS
        .iter()
        .filter_map(|method| Some((method, settings(method, scale, on)?)));
    for (method, set) in run {
        let card = lab::running::method(method)?.card();
        let lacks = |needs: &Needs| match needs {
            Needs::Flash(_) => resolved.is_known_as_a_disk().is_some(),
            Needs::Writing => resolved.is_the_users_own() && !consent.destroy_data,
            Needs::Zones => resolved.zones().is_none(),
        };
        if !card.needs.iter().any(lacks) {
            planned.push(PlannedStep {
                method: (*method).to_owned(),
                scale,
                set: set.iter().map(|&pair| pair.to_owned()).collect(),
                repeat: Repeat::default(),
                rest: Duration::ZERO,
                targets: vec![name.to_owned()],
            });
        }
    }
    Ok(planned)
}
