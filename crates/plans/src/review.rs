//! The main job: one real drive and two modelled ones, side by side.
//!
//! The models are simulated first, so that nothing runs beside the measurement. A review is a plan of its own making: it
//! is stored, resumed and reported as any other.

use base::method::{Needs, Scale};
use base::time::Duration;
use results::RunResult;
use results::plan::{Between, PlanOutcome, StepOrder};
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
/// server's mix, a copy within the drive, and zones where it has any.
const METHODS: [&str; 10] = [
    "crystaldiskmark",
    "crystaldiskmark-classic",
    "quick-scan",
    "full-scan",
    "slc-fill",
    "latency-watch",
    "application-traces",
    "iometer",
    "delay-ratio",
    "zones",
];

/// How a method is run in a review, by settings that are not its own at that scale; nothing where it is left out.
///
/// At full scale all of them are, for hours where the drive is large; at the quick one those that take seconds. In
/// between it is three minutes: a full scan takes hours on a whole disk, while a file has it in seconds, and of a
/// modelled drive both ends are scanned.
fn settings(method: &str, scale: Scale, on: On) -> Option<&'static [&'static str]> {
    match (scale, method, on) {
        (Scale::Full, ..) => Some(&[]),
        (Scale::Quick, "crystaldiskmark" | "quick-scan" | "latency-watch" | "zones", _) => {
            Some(&[])
        }
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

/// The method that all modelled drives of a class are run with, to say where the reviewed one stands among them.
const OF_THE_CLASS: &[&str] = &["crystaldiskmark"];

/// The names of the other modelled drives of a target's class, without those that stand beside it.
///
/// # Errors
/// A target that there is not.
pub fn class(target: &str, beside: &[String], seed: u64) -> Result<Vec<String>, PlanError> {
    let mut names = resolve(target, &Consent::default(), seed)?.drives_of_its_class();
    names.retain(|name| !beside.contains(name));
    Ok(names)
}

/// About how many seconds of a processor the drives of a class take at most: one run of the method on one modelled
/// NVMe drive is about so long (counted on drives of the catalogue); a drive on SATA takes a fifth of it, a disk a tenth.
pub fn seconds_of_class(drives: usize, scale: Scale) -> f64 {
    let one = match scale {
        Scale::Quick => 0.15,
        Scale::Default => 1.2,
        Scale::Full => 15.0,
    };
    one * drives as f64
}

/// The results of the drives that a review shows in full, and of those that only say where the reviewed one stands.
pub fn apart(outcome: &PlanOutcome) -> (Vec<RunResult>, Vec<RunResult>) {
    let is_in_full = |result: &RunResult| {
        let mut own = outcome
            .results
            .iter()
            .filter(|r| r.target.name == result.target.name);
        own.any(|r| !OF_THE_CLASS.contains(&r.method.as_str()))
    };
    // The reviewed drive comes first, and is shown whatever there is of it.
    let first = outcome
        .results
        .first()
        .map(|result| result.target.name.clone());
    let results = outcome.results.iter().cloned();
    results.partition(|result| Some(&result.target.name) == first.as_ref() || is_in_full(result))
}

/// A review as a plan: so it goes on after an interruption as any plan does, and has one account. The reviewed
/// target is its first one, whose results come first in the report; `consent` is what is allowed on it. The drives of
/// `class` have one method each.
///
/// # Errors
/// A target that there is not, or that is named twice.
pub fn plan(
    target: &str,
    consent: &Consent,
    beside: &[String],
    class: &[String],
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
    let others = |names: &[String], methods| -> Vec<(String, &'static [&'static str])> {
        let named = names.iter().map(|name| (name.clone(), methods));
        named.collect()
    };
    let all = [others(beside, &METHODS), others(class, OF_THE_CLASS)].concat();
    let all = all
        .iter()
        .map(|(name, methods)| (name.as_str(), &nobody, *methods));
    for (name, consent, methods) in [(target, consent, &METHODS[..])].into_iter().chain(all) {
        let resolved = resolve(name, consent, seed)?;
        let steps = steps_on(name, &resolved, consent, scale, methods)?;
        // What is only run to be ranked and cannot be (a zoned drive) is no target.
        if steps.is_empty() && methods == OF_THE_CLASS {
            continue;
        }
        plan.steps.extend(steps);
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
    methods: &[&str],
) -> Result<Vec<PlannedStep>, PlanError> {
    let on = if resolved.is_a_model() {
        On::Model
    } else if resolved.is_a_test_file() {
        On::TestFile
    } else {
        On::Drive
    };
    let mut planned = Vec::new();
    let run = methods
        .iter()
        .filter_map(|method| Some((method, settings(method, scale, on)?)));
    for (method, set) in run {
        let card = lab::running::method(method)?.card();
        let lacks = |needs: &Needs| match needs {
            Needs::Flash(_) => resolved.is_known_as_a_disk().is_some(),
            Needs::Writing => resolved.is_the_users_own() && !consent.destroy_data,
            Needs::Zones => resolved.zones().is_none(),
        };
        let mut set: Vec<String> = set.iter().map(|&pair| pair.to_owned()).collect();
        // Of what does not mind zones, there is what it reads, where it can be asked for that alone.
        let in_zones = resolved.zones().is_some() && card.writes && !card.respects_zones();
        let has = |key: &str| card.settings.iter().any(|setting| setting.key == key);
        let reads_alone = has("ops");
        if in_zones && reads_alone {
            set.retain(|pair| !pair.starts_with("ops="));
            set.push("ops=read".to_owned());
            // What is read would else be written before, wherever it lies.
            set.extend(has("prepare").then(|| "prepare=no".to_owned()));
        }
        if !card.needs.iter().any(lacks) && (!in_zones || reads_alone) {
            planned.push(PlannedStep {
                method: (*method).to_owned(),
                scale,
                set,
                repeat: Repeat::default(),
                rest: Duration::ZERO,
                targets: vec![name.to_owned()],
            });
        }
    }
    Ok(planned)
}
