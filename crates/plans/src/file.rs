//! The file of a plan.
//!
//! ```toml
//! title = "Two drives, warm and rested"    # for people; the file's name where it is left out
//! targets = [
//!     "model:samsung-840-evo-750gb",
//!     { name = "/dev/sdb", rated_endurance = "600TB" },  # what its maker warrants
//! ]
//! scale = "default"        # quick, default, full: of all steps that do not say otherwise
//! seed = 1
//! order = "as-listed"      # as-listed, by-target, shuffled
//! state = "anew"           # anew, carried-over: what a modelled drive keeps between steps
//! at_once = 1              # targets side by side: a number, or "all"
//! repeat = "1"             # a number, or auto:5%,max=20
//! rest = "0s"              # of the target before each step
//!
//! [[step]]
//! method = "crystaldiskmark"
//! set = { profile = "nvme", size = "4GiB" }
//!
//! [[step]]
//! method = "latency-watch"
//! scale = "quick"          # scale, repeat and rest of this step
//! repeat = "auto:5%,max=20"
//! rest = "1min"
//! targets = ["/dev/sdb"]   # of the plan's; all of them where it is left out
//! ```
//!
//! `[screen]` makes an acceptance test of it: see [`analysis::screening`]. Every mistake is told with file,
//! line and key, what the key takes, and the name that was probably meant.

use std::path::Path;

use base::health::Condition;
use base::method::{Scale, Settings};
use base::nearest::nearest;
use base::size::Bytes;
use base::time::Duration;
use base::whole_file;
use stats::repeat::{LEAST_RUNS, MOST_RUNS, Repeat, WIDTH_PERCENT};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::reading::{Source, Table, plain};
use super::{Plan, PlannedStep, PlannedTarget};
use crate::error::PlanError;
use analysis::screening::ODD;
use lab::LabError;
use lab::grammar::Spec;
use lab::opening::check_models;
use results::plan::{Between, StepOrder};
use results::screening::Limits;

const KEYS: &[&str] = &[
    "title", "targets", "scale", "seed", "order", "state", "at_once", "repeat", "rest", "step",
    "screen",
];
const STEP_KEYS: &[&str] = &["method", "set", "scale", "repeat", "rest", "targets"];
const TARGET_KEYS: &[&str] = &["name", "rated_endurance"];
const SCREEN_KEYS: &[&str] = &[
    "response_max",
    "response_p99",
    "curve_below_percent",
    "errors",
    "condition",
    "reallocated",
    "pending",
    "uncorrectable",
    "temperature_celsius",
    "odd",
];

const SCALES: [(&str, Scale); 3] = [
    ("quick", Scale::Quick),
    ("default", Scale::Default),
    ("full", Scale::Full),
];
const ORDERS: [(&str, StepOrder); 3] = [
    ("as-listed", StepOrder::AsListed),
    ("by-target", StepOrder::ByTarget),
    ("shuffled", StepOrder::Shuffled),
];
const STATES: [(&str, Between); 2] = [
    ("anew", Between::Anew),
    ("carried-over", Between::CarriedOver),
];
const CONDITIONS: [(&str, Condition); 3] = [
    ("good", Condition::Good),
    ("unknown", Condition::Unknown),
    ("suspect", Condition::Suspect),
];
/// Targets side by side at most: more drives than a shelf holds.
const MOST_AT_ONCE: usize = 256;
/// The most that is read of a plan: thousands of steps.
const MOST_TEXT: Bytes = Bytes::mib(1);
/// The longest rest: a week.
const LONGEST_REST: Duration = Duration::from_secs(7 * 24 * 3_600);
/// Bounds of a rated endurance: a floppy's worth to more than any drive of today.
const ENDURANCE: [Bytes; 2] = [Bytes::gib(1), Bytes::new(1_000_000_000_000_000_000)];

/// What holds for all steps that do not say otherwise.
struct Usual {
    scale: Scale,
    repeat: Repeat,
    rest: Duration,
}

/// Reads a plan's file.
///
/// # Errors
/// A file that cannot be read, or the first mistake in it.
pub fn open(path: &Path) -> Result<Plan, PlanError> {
    let text = whole_file::text(path, MOST_TEXT).map_err(|source| LabError::File {
        path: path.to_owned(),
        source,
    })?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    parse(&name, &path.to_string_lossy(), &text)
}

/// Reads a plan's text; `file` is its name in messages.
///
/// # Errors
/// The first mistake in it.
pub fn parse(name: &str, file: &str, text: &str) -> Result<Plan, PlanError> {
    let source = Source { file, text };
    let parsed = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or_default();
        source.error(span, error.message().to_owned())
    })?;
    let table = Table::new(&source, parsed.get_ref(), 0..0, "a plan", KEYS)?;
    let usual = Usual {
        scale: table.word("scale", &SCALES)?.unwrap_or_default(),
        repeat: repeat(&table)?.unwrap_or_default(),
        rest: rest(&table)?.unwrap_or(Duration::ZERO),
    };
    let takes = "whole numbers from 0 on";
    let seed = table.read("seed", takes, |_: &u64| true)?.unwrap_or(1);
    let targets = targets(&table)?;
    let steps = table
        .list("step", "tables, [[step]]")?
        .iter()
        .map(|value| step(&table, value, &usual, seed, &targets))
        .collect::<Result<Vec<_>, _>>()?;
    if steps.is_empty() {
        return Err(table.error_here(
            "a plan needs a [[step]] with a method: `drivelab methods` lists them".to_owned(),
        ));
    }
    Ok(Plan {
        name: name.to_owned(),
        title: table.text("title")?.unwrap_or(name).to_owned(),
        order: table.word("order", &ORDERS)?.unwrap_or_default(),
        state: table.word("state", &STATES)?.unwrap_or_default(),
        seed,
        at_once: at_once(&table)?,
        targets,
        steps,
        screen: screen(&table)?,
    })
}

fn repeat(table: &Table<'_>) -> Result<Option<Repeat>, PlanError> {
    let takes = format!(
        "a number from 1 to 1000, or auto[:WIDTH%][,max=RUNS]: until each median's interval is that narrow ({WIDTH_PERCENT}% where no width is given), {LEAST_RUNS} runs at least, {MOST_RUNS} at most"
    );
    table.read("repeat", &takes, |_: &Repeat| true)
}

fn rest(table: &Table<'_>) -> Result<Option<Duration>, PlanError> {
    let takes = "a time from 0s to 168h, such as \"1min\"";
    table.read("rest", takes, |rest: &Duration| *rest <= LONGEST_REST)
}

fn at_once(table: &Table<'_>) -> Result<usize, PlanError> {
    let takes = format!("a number from 1 to {MOST_AT_ONCE}, or \"all\"");
    if let Some("all") = table.get("at_once").and_then(|v| v.get_ref().as_str()) {
        return Ok(0);
    }
    let allowed = |n: &usize| (1..=MOST_AT_ONCE).contains(n);
    Ok(table.read("at_once", &takes, allowed)?.unwrap_or(1))
}

/// The targets: names, or tables with a name and what is known beside it.
fn targets(table: &Table<'_>) -> Result<Vec<PlannedTarget>, PlanError> {
    let takes = "a list of names, such as [\"./dir\", \"model:samsung-840-evo-750gb\"]";
    let mut targets: Vec<PlannedTarget> = Vec::new();
    for value in table.list("targets", takes)? {
        let (at, target) = match value.get_ref().as_str() {
            Some(name) => (
                value,
                PlannedTarget {
                    name: name.to_owned(),
                    rated_endurance: None,
                },
            ),
            None => target(table, value)?,
        };
        let checked = target
            .name
            .parse()
            .map_err(|why| LabError::Name(why).into());
        let checked = checked.and_then(|spec| check(&target.name, &spec));
        checked.map_err(|error| table.error(at, error.to_string()))?;
        if targets.iter().any(|known| known.name == target.name) {
            return Err(table.error(at, format!("target {} is named twice", target.name)));
        }
        targets.push(target);
    }
    Ok(targets)
}

/// Whether there are such modelled drives with such options; what is real is looked at when the plan
/// is run.
fn check(name: &str, spec: &Spec) -> Result<(), PlanError> {
    fn of_models_alone(spec: &Spec) -> bool {
        match spec {
            Spec::Model { .. } => true,
            Spec::Layer { name, members, .. } => {
                name != "fault" && members.iter().all(of_models_alone)
            }
            Spec::Path { .. } | Spec::Null { .. } => false,
        }
    }
    if of_models_alone(spec) {
        check_models(name, 0)?;
    }
    Ok(())
}

fn target<'a>(
    table: &Table<'a>,
    value: &'a Spanned<DeValue<'a>>,
) -> Result<(&'a Spanned<DeValue<'a>>, PlannedTarget), PlanError> {
    let target = table.in_list(value, "a target", TARGET_KEYS)?;
    let at = target.needed("name")?;
    let takes = "bytes written in all, from 1GiB to 1000000TB, such as \"600TB\"";
    let [least, most] = ENDURANCE;
    let allowed = |bytes: &Bytes| (least..=most).contains(bytes);
    let planned = PlannedTarget {
        name: target.text("name")?.unwrap_or_default().to_owned(),
        rated_endurance: target.read("rated_endurance", takes, allowed)?,
    };
    Ok((at, planned))
}

fn step<'a>(
    plan: &Table<'a>,
    value: &'a Spanned<DeValue<'a>>,
    usual: &Usual,
    seed: u64,
    targets: &[PlannedTarget],
) -> Result<PlannedStep, PlanError> {
    let step = plan.in_list(value, "a [[step]]", STEP_KEYS)?;
    let at = step.needed("method")?;
    let id = step.text("method")?.unwrap_or_default();
    let method = methods::find(id).map_err(|nearest| {
        let error = LabError::NoMethod {
            id: id.to_owned(),
            nearest,
        };
        step.error(at, error.to_string())
    })?;
    let scale = step.word("scale", &SCALES)?.unwrap_or(usual.scale);
    let mut set = Vec::new();
    let keys: Vec<&str> = method.card().settings.iter().map(|s| s.key).collect();
    let table = step.table("set", "the settings of its method", &keys)?;
    for (key, value) in table.iter().flat_map(Table::pairs) {
        let Some(text) = plain(value.get_ref()) else {
            return Err(step.misfit(key, value, "a text or a number", &[]));
        };
        let pair = format!("{key}={text}");
        let check = Settings::new(method.card(), scale, seed, std::slice::from_ref(&pair));
        check.map_err(|error| step.error(value, error.to_string()))?;
        set.push(pair);
    }
    Ok(PlannedStep {
        method: id.to_owned(),
        scale,
        set,
        repeat: repeat(&step)?.unwrap_or(usual.repeat),
        rest: rest(&step)?.unwrap_or(usual.rest),
        targets: targets_of(&step, targets)?,
    })
}

/// Names out of the plan's targets.
fn targets_of(step: &Table<'_>, known: &[PlannedTarget]) -> Result<Vec<String>, PlanError> {
    let names: Vec<&str> = known.iter().map(|target| target.name.as_str()).collect();
    let takes = "a list of names out of the plan's targets";
    let values = step.list("targets", takes)?.iter();
    let name = |value| {
        let name = plain(Spanned::get_ref(value)).unwrap_or_default();
        if names.contains(&name.as_str()) {
            return Ok(name);
        }
        let near = nearest(&name, &names);
        let meant = lab::error::did_you_mean(&near);
        let message = format!("'{name}' is none of the plan's targets{meant}");
        Err(step.error(value, message))
    };
    values.map(name).collect()
}

fn screen(plan: &Table<'_>) -> Result<Option<Limits>, PlanError> {
    let Some(table) = plan.table("screen", "[screen]", SCREEN_KEYS)? else {
        return Ok(None);
    };
    let time = |key| {
        let takes = "a time from 1us to 1h, such as \"1s\"";
        let allowed = |time: &Duration| {
            (Duration::from_micros(1)..=Duration::from_secs(3_600)).contains(time)
        };
        table.read(key, takes, allowed)
    };
    let count = |key| table.read(key, "whole numbers from 0 on", |_: &u64| true);
    let percent = |number: &f64| (1.0..=100.0).contains(number);
    let odd = |number: &f64| (1.0..=100.0).contains(number);
    let heat = |degrees: &i64| (0..=120).contains(degrees);
    Ok(Some(Limits {
        response_max: time("response_max")?,
        response_p99: time("response_p99")?,
        curve_below_percent: table.read("curve_below_percent", "a share from 1 to 100", percent)?,
        errors: count("errors")?,
        condition: table.word("condition", &CONDITIONS)?,
        reallocated: count("reallocated")?,
        pending: count("pending")?,
        uncorrectable: count("uncorrectable")?,
        temperature_celsius: table.read("temperature_celsius", "degrees from 0 to 120", heat)?,
        odd: table
            .read("odd", "a number from 1 to 100", odd)?
            .unwrap_or(ODD),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"
title = "Two drives"
targets = ["null:", { name = "./dir", rated_endurance = "600TB" }]
scale = "quick"
order = "shuffled"
state = "carried-over"
at_once = "all"
repeat = 3
rest = "10s"

[[step]]
method = "full-scan"
set = { block = "4KiB", ends = 8 }

[[step]]
method = "latency-watch"
scale = "full"
repeat = "auto:2%,max=30"
rest = "1min"
targets = ["./dir"]

[screen]
response_max = "1s"
condition = "unknown"
"#;

    #[test]
    fn every_key_is_read() {
        let plan = parse("own", "own.toml", WHOLE).unwrap();
        assert_eq!(plan.title, "Two drives");
        assert_eq!(
            plan.targets[1].rated_endurance.unwrap().get(),
            600 * 10_u64.pow(12)
        );
        assert_eq!((plan.order, plan.at_once), (StepOrder::Shuffled, 0));
        assert_eq!(plan.state, Between::CarriedOver);
        let [scan, watch] = &plan.steps[..] else {
            panic!("two steps")
        };
        assert_eq!(scan.set, ["block=4KiB", "ends=8"]);
        assert_eq!((scan.scale, scan.repeat), (Scale::Quick, Repeat::Times(3)));
        assert_eq!(scan.rest, Duration::from_secs(10));
        assert_eq!((watch.scale, watch.repeat.most()), (Scale::Full, 30));
        assert_eq!(watch.rest, Duration::from_secs(60));
        assert_eq!(watch.targets, ["./dir"]);
        let limits = plan.screen.unwrap();
        assert_eq!(limits.response_max, Some(Duration::from_secs(1)));
        assert_eq!(limits.condition, Some(Condition::Unknown));
    }

    /// The message about the plan with one line in place of another.
    fn refused(old: &str, new: &str) -> String {
        assert!(WHOLE.contains(old), "{old}");
        let text = WHOLE.replacen(old, new, 1);
        parse("own", "own.toml", &text).unwrap_err().to_string()
    }

    #[test]
    fn a_mistake_is_told_with_file_line_key_range_and_the_nearest_name() {
        for (old, new, says) in [
            (
                "order =",
                "ordr =",
                "own.toml, line 5: there is no key 'ordr' in a plan; did you mean order?",
            ),
            (
                "\"shuffled\"",
                "\"shufled\"",
                "line 5: order = \"shufled\" cannot be: it takes one of as-listed, by-target, shuffled; did you mean shuffled?",
            ),
            (
                "at_once = \"all\"",
                "at_once = 0",
                "line 7: at_once = 0 cannot be: it takes a number from 1 to 256, or \"all\"",
            ),
            (
                "repeat = 3",
                "repeat = 0",
                "line 8: repeat = 0 cannot be: it takes a number from 1 to 1000, or auto",
            ),
            (
                "rest = \"10s\"",
                "rest = \"soon\"",
                "line 9: rest = \"soon\" cannot be: it takes a time from 0s to 168h",
            ),
            (
                "\"full-scan\"",
                "\"ful-scan\"",
                "line 12: there is no method 'ful-scan'; did you mean full-scan",
            ),
            (
                "block =",
                "blok =",
                "line 13: there is no key 'blok' in the settings of its method; did you mean block?",
            ),
            (
                "\"4KiB\"",
                "\"4\"",
                "line 13: full-scan: invalid setting 'block=4': expected a size from 512 B to 16 MiB",
            ),
            (
                "[\"./dir\"]",
                "[\"./dri\"]",
                "line 20: './dri' is none of the plan's targets; did you mean ./dir?",
            ),
            (
                "600TB",
                "600",
                "line 3: rated_endurance = \"600\" cannot be: it takes bytes written in all, from 1GiB",
            ),
            ("\"null:\"", "\"fault(null:\"", "line 3: "),
            (
                "\"null:\"",
                "\"model:samsung-840-ev0-750gb\"",
                "did you mean samsung-840-evo-750gb",
            ),
            (
                "\"null:\"",
                "\"./dir\"",
                "line 3: target ./dir is named twice",
            ),
            (
                "condition = \"unknown\"",
                "condition = \"god\"",
                "line 24: condition = \"god\" cannot be: it takes one of good, unknown, suspect; did you mean good?",
            ),
            ("scale = \"quick\"", "scale = quick", "line 4: "),
            (
                "method = \"full-scan\"",
                "repeat = 2",
                "line 11: a [[step]] needs the key 'method'",
            ),
        ] {
            let said = refused(old, new);
            assert!(said.contains(says), "{new}: {said}");
            assert!(!said.contains('\n'), "one line: {said}");
        }
        let empty = parse("own", "own.toml", "seed = 1")
            .unwrap_err()
            .to_string();
        assert!(empty.contains("a plan needs a [[step]]"), "{empty}");
    }
}
