//! Figures of a phase as it is, for jobs whose file defines them: nothing is chosen or derived.

use sha2::{Digest, Sha256};

use super::{Better, Comparable, Figure};
use crate::io::Op;
use crate::message::Message;
use crate::record::{Latencies, OpRecord, PhaseRecord};
use crate::size::Rate;
use crate::time::Duration;

/// Rate, I/Os a second and response times of each operation that a phase has.
pub fn figures_of(phase: &PhaseRecord) -> Vec<Figure> {
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
                    comparable_by: Comparable::default(),
                };
                figure.if_told()
            };
        let seconds = phase.took.as_secs_f64();
        let iops = (seconds > 0.0).then(|| kept.ios as f64 / seconds);
        let rate = rate(&kept, phase);
        let times: &Latencies = kept.felt();
        let micros = |time: Option<Duration>| time.map(|time| time.as_micros_f64());
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

/// What must be identical for two results of jobs to be compared, instead of scale and settings: the language, and the
/// first digits of a digest of the exact request.
pub fn alike(language: &str, text: &str) -> String {
    let digest = Sha256::digest(text);
    let digits = digest.iter().take(6).map(|byte| format!("{byte:02x}"));
    format!("{language} {}", digits.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Ended, JobRecord, Pauses};
    use crate::size::Bytes;
    use crate::time::Instant;
    use crate::workload::{Job, Order, Span, Stop, Workload};

    #[test]
    fn only_what_was_asked_for_alike_may_be_compared() {
        assert_eq!(alike("fio", "[a]"), alike("fio", "[a]"));
        assert_ne!(alike("fio", "[a]"), alike("fio", "[b]"));
        assert_eq!(alike("fio", "[a]").len(), "fio ".len() + 12);
    }

    #[test]
    fn each_operation_of_a_phase_has_its_figures() {
        let span = Span::first(Bytes::mib(1));
        let workload = Job::closed("a", Op::Read, Order::Random, span, Bytes::kib(4), 1);
        let mut record = JobRecord::new("a", Duration::from_secs(1), None);
        record.ops[0].ios = 2;
        record.ops[0].bytes = Bytes::new(2_000_000);
        record.ops[0].service.keep(Duration::from_micros(100));
        record.ops[0].service.keep(Duration::from_micros(300));
        let figures = figures_of(&PhaseRecord {
            name: "Job A".to_owned(),
            workload: Workload::single(workload, Stop::default(), 1),
            began: Instant::ZERO,
            took: Duration::from_secs(2),
            ended: Ended::Complete,
            jobs: vec![record],
            done_below: None,
            pauses: Pauses::default(),
            script: None,
            traced: None,
        });
        let of = |key: &str| {
            let figure = figures.iter().find(|figure| figure.key == key);
            figure.and_then(|figure| figure.value)
        };
        let value =
            |key: &str, wanted: f64| assert!((of(key).unwrap() - wanted).abs() < 1e-6, "{key}");
        value("job-a.read", 1.0);
        value("job-a.read.iops", 1.0);
        value("job-a.read.latency", 200.0);
        value("job-a.read.worst", 300.0);
        assert_eq!(of("job-a.write"), None);
    }
}
