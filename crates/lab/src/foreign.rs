//! Runs in another program's language, stored beside those of methods.
//!
//! fio's job files and DiskSpd's profiles are no methods of the house: what they do is in the file and not on a card.
//! Their results are kept all the same, with figures of each phase and operation and with what was asked for. Two of
//! them are compared only where that is the same to the letter, so a digest of it stands in the conditions.

use base::message::Message;
use std::collections::BTreeMap;
use std::path::Path;

use base::io::Op;
use base::method::{Scale, Settings};
use base::record::{Latencies, OpRecord, PhaseRecord};
use base::result::{Better, Comparable, Figure};
use base::size::Rate;
use results::{Environment, RESULT_SCHEMA, RunEnd, RunResult, TargetKind, TargetRecord};
use sha2::{Digest, Sha256};
use store::{RunHeader, Store};

use crate::environment::environment;
use crate::error::LabError;

/// Another program's language.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// The name in place of a method's.
    pub id: &'static str,
    /// For people.
    pub title: &'static str,
    /// The same in Japanese.
    pub title_ja: &'static str,
    /// It changes when the same text would no longer give the same I/Os.
    pub version: u32,
}

/// A run that has ended.
#[derive(Clone, Debug)]
pub struct Foreign {
    /// Its language.
    pub language: Language,
    /// Seeds everything random.
    pub seed: u64,
    /// What was asked for, by name.
    pub values: BTreeMap<String, String>,
    /// What has to be the same to the letter where two are compared; the target is no part of it.
    pub alike: String,
    /// The command line.
    pub command: Vec<String>,
    /// When it began, in milliseconds of the Unix epoch.
    pub began_unix_ms: u64,
    /// What it ran on.
    pub target: TargetRecord,
    /// What came of it.
    pub phases: Vec<PhaseRecord>,
    /// What limits it.
    pub warnings: Vec<Message>,
}

/// Stores a run; the number that it has then.
///
/// # Errors
/// The store cannot be written.
pub fn keep(store: &Store, foreign: Foreign) -> Result<RunResult, LabError> {
    let began = foreign.began_unix_ms;
    let mut result = result_of(foreign);
    result.gather_messages();
    let header = RunHeader {
        method: &result.method,
        target: &result.target.name,
        settings: &serde_json::to_string(&result.settings).unwrap_or_default(),
        environment: &serde_json::to_string(&result.environment).unwrap_or_default(),
        started_unix_ms: i64::try_from(began).unwrap_or(i64::MAX),
    };
    let run = store.begin_run(&header)?;
    result.id = run.id().0;
    if let Some(figure) = crate::running::headline(&result) {
        // A list without it is no reason to lose the result.
        let _ = run.headline(&figure);
    }
    let document = serde_json::to_string(&result).map_err(|why| LabError::Document {
        id: result.id,
        what: "result",
        why: why.to_string(),
    })?;
    run.finish(&document)?;
    Ok(result)
}

/// A run as a result.
pub fn result_of(foreign: Foreign) -> RunResult {
    let is_a_model = foreign.target.kind == TargetKind::Model;
    let mut environment: Environment = environment(Path::new("/"), &foreign.command);
    if is_a_model {
        // A modelled drive's result does not depend on the machine that simulated it.
        environment.host.clear();
    }
    let by = Comparable {
        state: foreign.target.state.clone(),
        scale: format!("{} {}", foreign.language.id, digest(&foreign.alike)),
        ..Comparable::default()
    };
    RunResult {
        schema: RESULT_SCHEMA.to_owned(),
        id: 0,
        label: None,
        method: foreign.language.id.to_owned(),
        method_title: foreign.language.title.to_owned(),
        method_title_ja: foreign.language.title_ja.to_owned(),
        method_version: foreign.language.version,
        scale: Scale::Full,
        stands_beside_published: false,
        settings: Settings {
            scale: Scale::Full,
            seed: foreign.seed,
            given: foreign.values.keys().cloned().collect(),
            values: foreign.values,
            inputs: BTreeMap::new(),
        },
        began_unix_ms: if is_a_model { 0 } else { foreign.began_unix_ms },
        target: foreign.target,
        environment,
        figures: foreign
            .phases
            .iter()
            .flat_map(|phase| figures(phase, &by))
            .collect(),
        charts: Vec::new(),
        phases: foreign.phases,
        notes: Vec::new(),
        warnings: foreign.warnings,
        messages: Vec::new(),
        ended: RunEnd::Complete,
        health_before: None,
        health_after: None,
        health_during: Vec::new(),
        change_points: Vec::new(),
        repeats: None,
    }
}

/// The first digits of a digest of what was asked for.
fn digest(alike: &str) -> String {
    let bytes = Sha256::digest(alike);
    bytes
        .iter()
        .take(6)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Rate, I/Os a second and response times of each operation that a phase has.
fn figures(phase: &PhaseRecord, by: &Comparable) -> Vec<Figure> {
    let mut all = Vec::new();
    for op in [Op::Read, Op::Write, Op::Trim] {
        let kept = phase.of(op);
        if kept.ios == 0 {
            continue;
        }
        let figure =
            |name: &str, unit: &str, better: Better, statistic: &str, value: Option<f64>| {
                let figure = Figure {
                    key: format!("{}.{}{name}", key(&phase.name), op.name()),
                    value,
                    why_not: value
                        .is_none()
                        .then(|| Message::of("why-nothing-completed")),
                    unit: unit.to_owned(),
                    better,
                    statistic: statistic.into(),
                    n: kept.ios,
                    interval: None,
                    phases: vec![phase.name.clone()],
                    comparable_by: by.clone(),
                };
                figure.if_told()
            };
        let seconds = phase.took.as_secs_f64();
        let iops = (seconds > 0.0).then(|| kept.ios as f64 / seconds);
        let rate = rate(&kept, phase);
        let times: &Latencies = kept.felt();
        let micros = |time: Option<base::time::Duration>| time.map(|time| time.as_micros_f64());
        all.push(figure("", "MB/s", Better::Higher, "mean", rate));
        all.push(figure(".iops", "IOPS", Better::Higher, "mean", iops));
        all.push(figure(
            ".latency",
            "us",
            Better::Lower,
            "mean",
            micros(times.mean()),
        ));
        for (name, percent) in [(".p99", 99.0), (".p99.9", 99.9)] {
            let statistic = format!("p{percent}");
            all.push(figure(
                name,
                "us",
                Better::Lower,
                &statistic,
                micros(times.nearest_rank(percent)),
            ));
        }
        all.push(figure(
            ".worst",
            "us",
            Better::Lower,
            "max",
            micros(Some(times.max())),
        ));
    }
    all
}

fn rate(kept: &OpRecord, phase: &PhaseRecord) -> Option<f64> {
    Rate::of(kept.bytes, phase.took).map(Rate::mb_s)
}

/// A phase's name as a part of a figure's.
fn key(name: &str) -> String {
    let letter = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    name.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::record::JobRecord;
    use base::size::Bytes;
    use base::time::{Duration, Instant};
    use base::workload::{Job, Order, Span, Stop, Workload};

    fn foreign(job: &str) -> Foreign {
        let span = Span::first(Bytes::mib(1));
        let workload = Job::closed("a", Op::Read, Order::Random, span, Bytes::kib(4), 1);
        let mut record = JobRecord::new("a", Duration::from_secs(1), None);
        record.ops[0].ios = 2;
        record.ops[0].bytes = Bytes::new(2_000_000);
        record.ops[0].service.keep(Duration::from_micros(100));
        record.ops[0].service.keep(Duration::from_micros(300));
        let phase = PhaseRecord {
            name: "Job A".to_owned(),
            workload: Workload::single(workload, Stop::default(), 1),
            began: Instant::ZERO,
            took: Duration::from_secs(2),
            ended: base::record::Ended::Complete,
            jobs: vec![record],
            done_below: None,
            pauses: base::record::Pauses::default(),
            script: None,
            traced: None,
        };
        Foreign {
            language: Language {
                id: "fio",
                title: "fio",
                title_ja: "fio",
                version: 1,
            },
            seed: 1,
            values: BTreeMap::from([("jobs".to_owned(), job.to_owned())]),
            alike: job.to_owned(),
            command: Vec::new(),
            began_unix_ms: 5,
            target: TargetRecord {
                kind: TargetKind::Model,
                ..TargetRecord::default()
            },
            phases: vec![phase],
            warnings: Vec::new(),
        }
    }

    #[test]
    fn each_operation_of_a_phase_has_its_figures() {
        let result = result_of(foreign("a"));
        let of = |key: &str| {
            result
                .figures
                .iter()
                .find(|figure| figure.key == key)
                .and_then(|figure| figure.value)
        };
        let value =
            |key: &str, wanted: f64| assert!((of(key).unwrap() - wanted).abs() < 1e-6, "{key}");
        value("job-a.read", 1.0);
        value("job-a.read.iops", 1.0);
        value("job-a.read.latency", 200.0);
        value("job-a.read.worst", 300.0);
        assert_eq!(of("job-a.write"), None);
    }

    #[test]
    fn only_what_was_asked_for_alike_may_be_compared() {
        let condition = |job: &str| result_of(foreign(job)).figures[0].comparable_by.clone();
        assert_eq!(condition("a"), condition("a"));
        assert_ne!(condition("a"), condition("b"));
    }

    #[test]
    fn a_run_is_stored_and_read_as_any_other() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("store.sqlite3")).unwrap();
        let kept = keep(&store, foreign("a")).unwrap();
        let read = crate::running::stored_result(&store, store::Which::Last).unwrap();
        assert_eq!((kept.id, &kept), (1, &read));
        let listed = crate::listing::results(&store).unwrap().results.remove(0);
        assert_eq!(
            (listed.method.as_str(), listed.state.as_str()),
            ("fio", "finished")
        );
        assert_eq!(listed.figure.unwrap().key, "job-a.read");
    }
}
