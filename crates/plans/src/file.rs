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
//! order = "as-listed"      # as-listed, by-target, models-first, shuffled
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
//! `[[cause]]` asks why one of two modelled drives is ahead of the other: see [`super::causes`].
//! `[screen]` makes it an acceptance test: see [`analysis::screening`]. Every error is reported with file, line and
//! key, the accepted values, and the name that was probably meant.

use std::collections::BTreeMap;
use std::path::Path;

use base::nearest::nearest;
use base::whole_file;
use base::{Bytes, Duration, Scale};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use stats::repeat::{LEAST_RUNS, MOST_RUNS, Repeat, WIDTH_PERCENT};
use toml::Spanned;

use super::causes::CauseTable;
use super::reading::{Plain, Source, Usual, method_of, settings_of, written};
use super::screen::ScreenTable;
use super::{Plan, PlannedStep, PlannedTarget};
use crate::error::PlanError;
use lab::LabError;
use results::plan::{Between, StepOrder};
use targets::check_models;
use targets::error::did_you_mean;
use targets::grammar::Spec;

/// Targets side by side at most: more drives than a shelf holds.
const MOST_AT_ONCE: usize = 256;
/// The most that is read of a plan: thousands of steps.
const MOST_TEXT: Bytes = Bytes::mib(1);
/// The longest idle time: a week.
const LONGEST_REST: Duration = Duration::from_secs(7 * 24 * 3_600);
/// Bounds of a rated endurance: a floppy's worth to more than any drive of today.
const ENDURANCE: [Bytes; 2] = [Bytes::gib(1), Bytes::new(1_000_000_000_000_000_000)];

/// A plan as written.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanTable {
    title: Option<String>,
    #[serde(default)]
    targets: Vec<Spanned<TargetEntry>>,
    #[serde(default)]
    scale: Scale,
    #[serde(default = "first_seed")]
    seed: u64,
    #[serde(default)]
    order: StepOrder,
    #[serde(default)]
    state: Between,
    #[serde(default = "one_at_once", deserialize_with = "at_once")]
    at_once: usize,
    #[serde(default, deserialize_with = "repeat")]
    repeat: Option<Repeat>,
    #[serde(default, deserialize_with = "rest")]
    rest: Option<Duration>,
    #[serde(default)]
    step: Vec<StepTable>,
    #[serde(default)]
    cause: Vec<CauseTable>,
    screen: Option<Spanned<ScreenTable>>,
    beside_published: Option<String>,
}

/// A target: its name, or a table with it and additional facts.
struct TargetEntry(TargetTable);

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct TargetTable {
    name: String,
    #[serde(default, deserialize_with = "endurance")]
    rated_endurance: Option<Bytes>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct StepTable {
    method: Spanned<String>,
    #[serde(default)]
    set: BTreeMap<Spanned<String>, Spanned<Plain>>,
    scale: Option<Scale>,
    #[serde(default, deserialize_with = "repeat")]
    repeat: Option<Repeat>,
    #[serde(default, deserialize_with = "rest")]
    rest: Option<Duration>,
    #[serde(default)]
    targets: Vec<Spanned<String>>,
}

impl<'de> Deserialize<'de> for TargetEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TargetEntry, D::Error> {
        struct NameOrTable;
        impl<'de> Visitor<'de> for NameOrTable {
            type Value = TargetEntry;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("the name of a target, or a table with a name")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<TargetEntry, E> {
                Ok(TargetEntry(TargetTable {
                    name: name.to_owned(),
                    rated_endurance: None,
                }))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<TargetEntry, A::Error> {
                TargetTable::deserialize(MapAccessDeserializer::new(map)).map(TargetEntry)
            }
        }
        deserializer.deserialize_any(NameOrTable)
    }
}

fn first_seed() -> u64 {
    1
}

fn one_at_once() -> usize {
    1
}

fn repeat<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Repeat>, D::Error> {
    let takes = format!(
        "a number from 1 to 1000, or auto[:WIDTH%][,max=RUNS]: until each median's interval is that narrow ({WIDTH_PERCENT}% where no width is given), {LEAST_RUNS} runs at least, {MOST_RUNS} at most"
    );
    written(value, &takes, |_| true)
}

fn rest<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Duration>, D::Error> {
    let takes = "a time from 0s to 168h, such as \"1min\"";
    written(value, takes, |rest| *rest <= LONGEST_REST)
}

fn at_once<'de, D: Deserializer<'de>>(value: D) -> Result<usize, D::Error> {
    let Plain(text) = Plain::deserialize(value)?;
    let number = || text.parse().ok().filter(|n| (1..=MOST_AT_ONCE).contains(n));
    let read = if text == "all" { Some(0) } else { number() };
    let takes = format!("it takes a number from 1 to {MOST_AT_ONCE}, or \"all\"");
    read.ok_or_else(|| D::Error::custom(takes))
}

fn endurance<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Bytes>, D::Error> {
    let takes = "bytes written in all, from 1GiB to 1000000TB, such as \"600TB\"";
    let [least, most] = ENDURANCE;
    written(value, takes, |bytes| (least..=most).contains(bytes))
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
    let table: PlanTable = source.read()?;
    let targets = targets(&source, table.targets)?;
    let usual = Usual {
        scale: table.scale,
        repeat: table.repeat.unwrap_or_default(),
        rest: table.rest.unwrap_or(Duration::ZERO),
        seed: table.seed,
    };
    let step = |entry| step(&source, entry, &usual, &targets);
    let steps = table.step.into_iter().map(step);
    let steps = steps.collect::<Result<Vec<_>, _>>()?;
    if steps.is_empty() {
        let message = "a plan needs a [[step]] with a method: `drivelab methods` lists them";
        return Err(source.error(0..0, message.to_owned()));
    }
    let limits = |screen: Spanned<ScreenTable>| {
        let read = screen.get_ref().limits(&steps, usual.seed);
        read.map_err(|why| source.error(screen.span(), why))
    };
    let screen = table.screen.map(limits).transpose()?;
    let causes = table.cause.into_iter();
    let causes = causes.map(|asked| asked.read(&source, &usual));
    Ok(Plan {
        name: name.to_owned(),
        title: table.title.unwrap_or_else(|| name.to_owned()),
        order: table.order,
        state: table.state,
        seed: table.seed,
        at_once: table.at_once,
        targets,
        steps,
        screen,
        beside_published: table.beside_published,
        causes: causes.collect::<Result<_, _>>()?,
    })
}

fn targets(
    source: &Source<'_>,
    entries: Vec<Spanned<TargetEntry>>,
) -> Result<Vec<PlannedTarget>, PlanError> {
    let mut targets: Vec<PlannedTarget> = Vec::new();
    for entry in entries {
        let at = entry.span();
        let TargetEntry(table) = entry.into_inner();
        let checked = table.name.parse();
        let checked = checked.map_err(PlanError::from);
        let checked = checked.and_then(|spec| check(&table.name, &spec));
        checked.map_err(|error: PlanError| source.error(at.clone(), error.to_string()))?;
        if targets.iter().any(|known| known.name == table.name) {
            return Err(source.error(at, format!("target {} is named twice", table.name)));
        }
        targets.push(PlannedTarget {
            name: table.name,
            rated_endurance: table.rated_endurance,
        });
    }
    Ok(targets)
}

/// Whether such modelled drives with such options exist; real targets are checked when the plan is run.
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

fn step(
    source: &Source<'_>,
    table: StepTable,
    usual: &Usual,
    targets: &[PlannedTarget],
) -> Result<PlannedStep, PlanError> {
    let method = method_of(source, &table.method)?;
    let scale = table.scale.unwrap_or(usual.scale);
    Ok(PlannedStep {
        method: table.method.into_inner(),
        scale,
        set: settings_of(source, method, &table.set, scale, usual.seed)?,
        repeat: table.repeat.unwrap_or(usual.repeat),
        rest: table.rest.unwrap_or(usual.rest),
        targets: targets_of(source, table.targets, targets)?,
    })
}

/// Names out of the plan's targets.
fn targets_of(
    source: &Source<'_>,
    names: Vec<Spanned<String>>,
    known: &[PlannedTarget],
) -> Result<Vec<String>, PlanError> {
    let known: Vec<&str> = known.iter().map(|target| target.name.as_str()).collect();
    let name = |name: Spanned<String>| {
        if known.contains(&name.get_ref().as_str()) {
            return Ok(name.into_inner());
        }
        let meant = did_you_mean(&nearest(name.get_ref(), &known));
        let message = format!("'{}' is none of the plan's targets{meant}", name.get_ref());
        Err(source.error(name.span(), message))
    };
    names.into_iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::health::Condition;

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

    /// The error of the plan with one line replaced.
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
                "own.toml, line 5: ordr = \"shuffled\": unknown field 'ordr', expected one of 'title', 'targets', 'scale', 'seed', 'order', 'state', 'at_once', 'repeat', 'rest', 'step', 'cause', 'screen', 'beside_published'; did you mean order?",
            ),
            (
                "\"shuffled\"",
                "\"shufled\"",
                "line 5: order = \"shufled\": unknown variant 'shufled', expected one of 'as-listed', 'by-target', 'models-first', 'shuffled'; did you mean shuffled?",
            ),
            (
                "at_once = \"all\"",
                "at_once = 0",
                "line 7: at_once = 0: it takes a number from 1 to 256, or \"all\"",
            ),
            (
                "repeat = 3",
                "repeat = 0",
                "line 8: repeat = 0: it takes a number from 1 to 1000, or auto",
            ),
            (
                "rest = \"10s\"",
                "rest = \"soon\"",
                "line 9: rest = \"soon\": it takes a time from 0s to 168h",
            ),
            (
                "\"full-scan\"",
                "\"ful-scan\"",
                "line 12: there is no method 'ful-scan'; did you mean full-scan",
            ),
            (
                "block =",
                "blok =",
                "line 13: full-scan has no setting 'blok'; did you mean block",
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
            ("600TB", "600", ": it takes bytes written in all, from 1GiB"),
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
                "line 24: condition = \"god\": unknown variant 'god', expected one of 'good', 'unknown', 'suspect', 'failing'; did you mean good?",
            ),
            ("scale = \"quick\"", "scale = quick", "line 4: "),
            (
                "method = \"full-scan\"",
                "repeat = 2",
                "missing field 'method'",
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
