//! The main job: one real drive and two modelled ones, side by side.
//!
//! The models are simulated first, so that nothing runs concurrently with the measurement. A review is a generated
//! plan: it is stored, resumed and reported like any other.

use base::{Bytes, Duration, Forecast, Needs, Scale};
use results::RunResult;
use results::plan::{Between, PlanOutcome, StepOrder};
use stats::repeat::Repeat;

use crate::error::PlanError;
use crate::{Plan, PlannedStep, PlannedTarget};
use targets::{Consent, ResolvedTarget, resolve};

/// What kind of target a step is for: how much may be used of it, and how long that takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum On {
    /// A test file on a user's file system: some gigabytes, completely written and read.
    TestFile(Files),
    /// A modelled drive next to one: its first part, of the same size as the file.
    ModelBesideFile(Files),
    /// A modelled drive: a whole fill takes seconds, and so many positions at either end are scanned.
    Model { ends: u64 },
    /// A real drive or user file: to limit the time, a part represents it.
    Drive,
}

/// How large the test files are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Files {
    /// Of what takes all there is.
    scanned: Bytes,
    /// Size of the fill, which must be larger than the drive's DRAM.
    filled: Bytes,
}

impl Files {
    /// The same on a drive of this size, which may be smaller than the file.
    fn within(self, capacity: Bytes) -> Files {
        let most = capacity.round_down(Bytes::mib(1));
        Files {
            scanned: self.scanned.min(most),
            filled: self.filled.min(most),
        }
    }

    /// Those that are made on a target; nothing where none is made.
    fn on(target: &ResolvedTarget, scale: Scale) -> Option<Files> {
        let of = |extent| {
            let forecast = Forecast {
                extent,
                ..Forecast::default()
            };
            target.test_file_bytes(&forecast, scale)
        };
        Some(Files {
            scanned: of(Bytes::new(u64::MAX))?,
            filled: of(FILL)?,
        })
    }
}

/// So much is filled where not all of a drive is.
const FILL: Bytes = Bytes::gib(4);

/// Positions at either end that a scan takes of a modelled drive, out of 1,024: four, and of small drives as many as
/// make up what a part must have to be judged by. Forty are enough for 14 GB, and a twelfth of a large drive beside it.
fn ends(capacity: Bytes) -> u64 {
    let position = (capacity.get() / POSITIONS).saturating_sub(Bytes::kib(64).get());
    let of_both = JUDGED.get().div_ceil(position.max(1));
    of_both.div_ceil(2).clamp(4, 40)
}

/// Positions of a full scan.
const POSITIONS: u64 = 1_024;

/// The least part of a drive by which it is judged.
const JUDGED: Bytes = Bytes::gib(1);

/// Area for the reads after idle time: larger than a disk's cache.
const RESTED: Bytes = Bytes::gib(1);

/// Everything that a use requires: the benchmarks, the scan, the sustained write rate, the watch, application traces, a
/// server's mix, a copy within the drive, and zones if it has any. And whether it is slow to wake, which takes a
/// quarter of a minute.
const METHODS: [&str; 11] = [
    "crystaldiskmark",
    "crystaldiskmark-classic",
    "quick-scan",
    "full-scan",
    "slc-fill",
    "latency-watch",
    "application-traces",
    "iometer",
    "delay-ratio",
    "idle-latency",
    "zones",
];

/// What is asked of the reviewed drive alone: what is inside it. Last, since some of its questions write.
const INSIDE: &str = "explain";

/// How a method is run in a review, by settings that are not its own at that scale; nothing where it is left out.
///
/// At full scale all of them are, for hours where the drive is large; at the quick one those that take seconds. In
/// between it is about two minutes, and on a whole drive a few more for what is inside: a full scan takes hours on a whole
/// disk, while a file has it in seconds, and of a modelled drive both ends are scanned.
///
/// A test file is not a whole drive. So below full scale each size is explicit, and the drives compared use the same: a
/// row with different spans ranks nothing. A full scan of a file takes seconds, so there is no quick scan in addition:
/// that would write all of it several times over, without new information.
fn settings(method: &str, scale: Scale, on: On) -> Option<Vec<String>> {
    let given = |pairs: &[(&str, String)]| {
        let pairs = pairs.iter().map(|(key, value)| format!("{key}={value}"));
        Some(pairs.collect())
    };
    let files = match on {
        On::TestFile(files) | On::ModelBesideFile(files) => Some(files),
        On::Model { .. } | On::Drive => None,
    };
    match (scale, method, files) {
        (Scale::Full, ..) => given(&[]),
        (Scale::Quick, "quick-scan", Some(files)) => given(&[("extent", written(files.scanned))]),
        (_, "quick-scan", Some(_)) => None,
        (Scale::Quick, "crystaldiskmark" | "quick-scan" | "latency-watch" | "zones", _) => {
            given(&[])
        }
        (Scale::Quick, ..) | (_, "crystaldiskmark-classic", _) => None,
        (_, "full-scan", Some(files)) => given(&[("extent", written(files.scanned))]),
        (_, "full-scan", None) => match on {
            On::Model { ends } => given(&[("ends", ends.to_string())]),
            _ => None,
        },
        (Scale::Default, "idle-latency", _) => {
            let most = files.map_or(RESTED, |files| files.scanned.min(RESTED));
            given(&[("extent", written(most)), ("repeats", 3.to_string())])
        }
        (_, "slc-fill", Some(files)) => given(&[("extent", written(files.filled))]),
        (_, "slc-fill", None) if on == On::Drive => given(&[("extent", written(FILL))]),
        // A file system answers in front of the drive, and the rests would take longer than all else.
        (_, INSIDE, Some(_)) => None,
        (_, "application-traces" | "iometer", Some(files)) => {
            given(&[("span", written(files.scanned))])
        }
        _ => given(&[]),
    }
}

/// A size as a setting is written: in the largest unit that is exact, as a test file is of whole MiB.
fn written(size: Bytes) -> String {
    let units = [(Bytes::gib(1), "GiB"), (Bytes::mib(1), "MiB")];
    let exact = units.iter().find(|(unit, _)| size.is_multiple_of(*unit));
    exact.map_or_else(
        || size.get().to_string(),
        |(unit, name)| format!("{}{name}", size.get() / unit.get()),
    )
}

/// The names of modelled drives to compare a target with: of its class and age.
///
/// # Errors
/// A target that there is not.
pub fn neighbours(target: &str, seed: u64) -> Result<Vec<String>, PlanError> {
    Ok(resolve(target, &Consent::default(), seed)?.neighbours())
}

/// The name of the plan that a review is.
pub const NAME: &str = "review";

/// The method run on all modelled drives of a class, to rank the reviewed one among them.
const OF_THE_CLASS: &[&str] = &["crystaldiskmark"];

/// The names of the other modelled drives of a target's class, without those it is compared with.
///
/// # Errors
/// A target that there is not.
pub fn class(target: &str, beside: &[String], seed: u64) -> Result<Vec<String>, PlanError> {
    let mut names = resolve(target, &Consent::default(), seed)?.drives_of_its_class();
    names.retain(|name| !beside.contains(name));
    Ok(names)
}

/// Approximate maximum processor seconds for the drives of a class: one run of the method on one modelled NVMe drive
/// takes about this long (measured on drives of the catalogue); a SATA drive takes a fifth of it, a disk a tenth.
pub fn seconds_of_class(drives: usize, scale: Scale) -> f64 {
    let one = match scale {
        Scale::Quick => 0.15,
        Scale::Default => 1.2,
        Scale::Full => 15.0,
    };
    one * drives as f64
}

/// The results of the drives that a review shows in full, and of those used only for ranking. Empty if the reviewed
/// drive has none: a neighbour must not be taken for it.
pub fn apart(outcome: &PlanOutcome) -> (Vec<RunResult>, Vec<RunResult>) {
    let reviewed = outcome.title.strip_prefix(TITLE).unwrap_or_default();
    // By the steps: a result names its target in full, a plan as somebody typed it.
    let steps = outcome.steps.iter();
    let own: Vec<i64> = steps
        .filter(|step| step.target == reviewed)
        .map(|step| step.run)
        .collect();
    let is_reviewed = |result: &RunResult| own.contains(&result.id);
    if !outcome.results.iter().any(is_reviewed) {
        return (Vec::new(), Vec::new());
    }
    let is_in_full = |result: &RunResult| {
        let own = outcome.results.iter();
        let mut own = own.filter(|r| r.target.name == result.target.name);
        own.any(|r| !OF_THE_CLASS.contains(&r.method.as_str()))
    };
    // The reviewed drive is shown whatever there is of it.
    let results = outcome.results.iter().cloned();
    results.partition(|result| is_reviewed(result) || is_in_full(result))
}

/// What a review's title begins with, before the name of the reviewed target.
const TITLE: &str = "Review of ";

/// A review as a plan: so it can be resumed like any plan, and has one summary. The reviewed target is its first one,
/// whose results come first in the report; `consent` is the permission for it. The drives of `class` have one method
/// each.
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
        title: format!("{TITLE}{target}"),
        order: StepOrder::ModelsFirst,
        state: Between::Anew,
        seed,
        at_once: 1,
        targets: Vec::new(),
        steps: Vec::new(),
        screen: None,
        beside_published: None,
        causes: Vec::new(),
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
    let files = Files::on(&resolve(target, consent, seed)?, scale);
    let own = [&METHODS[..], &[INSIDE]].concat();
    let all = [(target, consent, &own[..])].into_iter().chain(all);
    let all: Vec<_> = all
        .map(|(name, consent, methods)| Ok((resolve(name, consent, seed)?, name, consent, methods)))
        .collect::<Result<_, PlanError>>()?;
    // The same of all, as rows of different spans rank nothing. Of a real drive no ends are scanned.
    let models = all.iter().filter(|(of, ..)| of.is_a_model());
    let smallest = models.map(|(of, ..)| of.provisional.capacity).min();
    let ends = smallest.map_or(4, ends);
    for (resolved, name, consent, methods) in all {
        let on = on(&resolved, files, ends);
        let steps = steps_on((name, &resolved), on, consent, scale, methods)?;
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

/// What a target is in a review whose test files are these, and whose scans of models take so many positions.
fn on(resolved: &ResolvedTarget, files: Option<Files>, ends: u64) -> On {
    match (resolved.is_a_model(), files) {
        (true, None) => On::Model { ends },
        (true, Some(files)) => On::ModelBesideFile(files.within(resolved.provisional.capacity)),
        (false, Some(files)) if resolved.is_a_test_file() => On::TestFile(files),
        (false, _) => On::Drive,
    }
}

/// The steps for one target, without those that do not apply to it or would have to write without permission.
fn steps_on(
    (name, resolved): (&str, &ResolvedTarget),
    on: On,
    consent: &Consent,
    scale: Scale,
    methods: &[&str],
) -> Result<Vec<PlannedStep>, PlanError> {
    let mut planned = Vec::new();
    let run = methods
        .iter()
        .filter_map(|method| Some((method, settings(method, scale, on)?)));
    for (method, mut set) in run {
        let card = lab::running::method(method)?.card();
        let lacks = |needs: &Needs| match needs {
            Needs::Flash(_) => resolved.is_known_as_a_disk().is_some(),
            Needs::Writing => resolved.is_the_users_own() && !consent.destroy_data,
            Needs::Zones => resolved.zones().is_none(),
        };
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What is run on a target, each with its settings.
    fn on<'a>(plan: &'a Plan, target: &str) -> Vec<(&'a str, &'a [String])> {
        let steps = plan.steps.iter().filter(|step| step.targets == [target]);
        let steps = steps.map(|step| (step.method.as_str(), step.set.as_slice()));
        steps.collect()
    }

    fn review(target: &str, beside: &str, scale: Scale) -> Plan {
        plan(
            target,
            &Consent::default(),
            &[beside.to_owned()],
            &[],
            scale,
            1,
        )
        .unwrap()
    }

    #[test]
    fn what_stands_beside_a_test_file_is_run_over_as_much_as_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().display().to_string();
        let small = format!("{file}?size=512MiB");
        let model = "model:samsung-860-pro-512gb";
        for target in [file.as_str(), &small] {
            for scale in [Scale::Quick, Scale::Default] {
                let plan = review(target, model, scale);
                let (own, beside) = (on(&plan, target), on(&plan, model));
                assert!(own.len() >= 3, "{own:?}");
                assert_eq!(own, beside, "{target}, {scale:?}");
            }
        }
        let plan = review(&small, model, Scale::Default);
        let of = |method: &str| {
            let found = on(&plan, &small)
                .into_iter()
                .find(|(name, _)| *name == method);
            found.unwrap().1.concat()
        };
        assert_eq!(of("slc-fill"), "extent=512MiB");
        assert_eq!(of("full-scan"), "extent=512MiB");
        // A whole drive is asked for all of it, whoever stands beside.
        let alone = review("model:wd-red-wd30efrx-3tb", model, Scale::Default);
        assert!(on(&alone, model).contains(&("slc-fill", &[])));
        // What is inside is asked of the reviewed drive alone.
        let is_asked = |target| on(&alone, target).iter().any(|(of, _)| *of == INSIDE);
        assert!(is_asked("model:wd-red-wd30efrx-3tb") && !is_asked(model));
    }

    #[test]
    fn scans_of_small_drives_take_as_much_as_a_drive_is_judged_by_and_all_beside_the_same() {
        let scanned = |capacity| {
            let position = Bytes::new(capacity / POSITIONS).round_down(Bytes::kib(64));
            position * 2 * ends(Bytes::new(capacity))
        };
        for capacity in [14_000_000_000, 30_000_000_000, 128_035_676_160] {
            assert!(scanned(capacity) >= JUDGED, "{capacity}");
        }
        assert_eq!(ends(Bytes::new(3_000_000_000_000)), 4);
        // However small the smallest, those beside it are not scanned whole.
        assert_eq!(ends(Bytes::mib(1)), 40);
        let (small, large) = ("model:ocz-vertex-30gb", "model:samsung-860-pro-512gb");
        let plan = review(large, small, Scale::Default);
        let of = |target| {
            let steps = on(&plan, target).into_iter();
            let mut scan = steps.filter(|(method, _)| *method == "full-scan");
            scan.next().unwrap().1.to_vec()
        };
        assert_eq!(of(small), of(large));
        assert_ne!(of(small), ["ends=4"]);
    }

    #[test]
    fn a_review_of_a_directory_says_what_it_writes_and_leaves_most_of_a_days_rated_writes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().display().to_string();
        let plan = review(&file, "null:", Scale::Default);
        let context = crate::context::Context::reading(plan.targets.len());
        let forecast = crate::forecast::forecast(&plan, &context).unwrap();
        let of_file = forecast.targets.iter().find(|target| target.real).unwrap();
        // What time alone bounds is as much as a drive of the class could take: a faster one is a newer and larger one.
        let assumed = forecast.steps.iter().filter_map(|step| step.assumed_mb_s);
        let times = assumed.fold(1.0, |most: f64, mb_s| most.max(mb_s / 500.0));
        // 150 TB in five years are 82 GB a day, which is what 250 GB of SATA flash are rated for.
        assert!((of_file.written.get() as f64) < 40e9 * times, "{of_file:?}");
        assert!(of_file.test_file == Some(FILL) && !of_file.read.is_zero());
        let said = crate::forecast::before_it_starts(&forecast);
        assert!(
            said[0].starts_with(&file)
                && said[0].contains(" writes about ")
                && said[0].contains("4 GiB"),
            "{said:?}"
        );
        assert!(
            said[1].contains("nothing is written to this machine's drives"),
            "{said:?}"
        );
    }
}
