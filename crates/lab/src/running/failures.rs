//! Reporting failed I/Os.
//!
//! Rates and response times are those of successful I/Os; the effect of a bad sector is the half second during which
//! the drive retries. So failed I/Os have separate figures, their first addresses are reported at once, and a phase
//! with nothing else is not a success.

use base::errno;
use base::message::{Argument, Message};
use base::record::{IoError, JobRecord, Latencies, PhaseRecord};
use base::result::{Better, Comparable, Figure};
use base::time::Duration;
use results::RunResult;

/// Number of failed I/Os reported individually.
const TOLD: usize = 8;

/// How many I/Os failed, and how long they took: nothing where none did.
pub(super) fn figures(phases: &[PhaseRecord]) -> Vec<Figure> {
    let with_failures = phases
        .iter()
        .filter(|phase| failed(std::slice::from_ref(phase)) > 0);
    let names: Vec<String> = with_failures.map(|phase| phase.name.clone()).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let (failed, times) = (failed(phases), times(phases));
    let figure = |key: &str, unit: &str, statistic: &str, value: Option<f64>| Figure {
        key: format!("failed.{key}"),
        value,
        why_not: value
            .is_none()
            .then(|| Message::of("why-no-times-of-failures")),
        unit: unit.to_owned(),
        better: Better::Lower,
        statistic: statistic.into(),
        n: failed,
        interval: None,
        phases: names.clone(),
        comparable_by: Comparable::default(),
    };
    let longest = (!times.is_empty()).then(|| times.max());
    let ms = |time: Option<Duration>| time.map(Duration::as_millis_f64);
    vec![
        figure("ios", "count", "count", Some(failed as f64)),
        figure("median", "ms", "median", ms(times.percentile(50.0))),
        figure("longest", "ms", "max", ms(longest)),
    ]
}

/// The jobs whose failures are the target's.
fn at_fault(phases: &[PhaseRecord]) -> impl Iterator<Item = &JobRecord> {
    let jobs = phases.iter().flat_map(|phase| &phase.jobs);
    jobs.filter(|job| !job.only_refused())
}

fn failed(phases: &[PhaseRecord]) -> u64 {
    let errors = at_fault(phases).map(|job| &job.errors);
    errors
        .map(|e| e.count.saturating_sub(e.differing_reads))
        .sum()
}

fn times(phases: &[PhaseRecord]) -> Latencies {
    let mut all = Latencies::default();
    at_fault(phases).for_each(|job| all.merge(&job.errors.times));
    all
}

/// How many I/Os failed, how long they took, and where the first of them were; nothing where none did.
pub(super) fn told(phases: &[PhaseRecord]) -> Option<Message> {
    let (failed, times) = (failed(phases), times(phases));
    if failed == 0 {
        return None;
    }
    let errors = at_fault(phases).flat_map(|job| &job.errors.first);
    let of_the_drive = errors.filter(|error| error.differs.is_none());
    let first: Vec<Message> = of_the_drive.take(TOLD).map(one).collect();
    let is_more = failed > first.len() as u64;
    let first = ("first", Argument::clauses(first));
    let ios = ("ios", failed.into());
    let said = match times.percentile(50.0) {
        Some(median) if failed > 1 => {
            let (median, longest) = (("median", median.into()), ("longest", times.max().into()));
            Message::new("warning-failed-times", [ios, median, longest, first])
        }
        _ => Message::new("warning-failed", [ios, first]),
    };
    Some(match is_more {
        true => Message::new("warning-more-addresses", [("failed", said.into())]),
        false => said,
    })
}

/// `read of 4 KiB at byte 1048576: EIO, I/O error, after 612 ms`.
fn one(error: &IoError) -> Message {
    let how = match error.errno {
        0 => Message::new("failed-short", [("moved", error.moved.into())]).into(),
        errno => Argument::text(errno::in_words(errno)),
    };
    Message::new(
        "failed-io",
        [
            ("operation", Argument::Phase(error.op.name().to_owned())),
            ("length", error.len.into()),
            ("byte", error.offset.get().into()),
            ("how", how),
            ("time", error.after.into()),
        ],
    )
}

/// True if every I/O of a phase failed. Not if it only trimmed: many drives refuse that, and a method that trims
/// reports it.
fn measured_nothing(phase: &PhaseRecord) -> bool {
    let accesses = phase.workload.jobs.iter().flat_map(|job| &job.accesses);
    phase.all_failed() && !accesses.clone().all(|access| access.trims)
}

/// Why a run that came to its end is no success: a phase whose every I/O failed.
pub fn nothing_measured(result: &RunResult) -> Option<String> {
    let phase = result.phases.iter().find(|phase| measured_nothing(phase))?;
    let first = phase.jobs.iter().find_map(|job| job.errors.first.first());
    let how = first.map_or_else(String::new, |error| format!("; the first: {}", one(error)));
    Some(format!(
        "{} on {}: phase '{}' measured nothing, since all of its {} I/Os failed{how}",
        result.method,
        result.target.name,
        phase.name,
        phase.failed()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::fault::{Faults, Faulty};
    use base::io::Op;
    use base::null::Null;
    use base::run::{Unwatched, run};
    use base::size::Bytes;
    use base::workload::{Job, Order, Span, Stop, Workload};

    /// A scan of 64 blocks of 4 KiB, some of which are unreadable, after 300 us each.
    fn scan(bad: Option<Span>) -> PhaseRecord {
        pass(Op::Read, bad)
    }

    fn pass(op: Op, bad: Option<Span>) -> PhaseRecord {
        let faults = Faults {
            bad: bad.into_iter().collect(),
            ..Faults::default()
        };
        let null = Null::new(Bytes::mib(1), Duration::from_micros(300));
        let span = Span::first(Bytes::kib(256));
        let job = Job::closed("pass", op, Order::Sequential, span, Bytes::kib(4), 1);
        let stop = Stop::after_passes(1);
        let work = Workload::single(job, stop, 1);
        run(
            &mut Faulty::new(null, faults),
            "read",
            &work,
            &mut Unwatched,
        )
        .unwrap()
    }

    #[test]
    fn a_phase_of_failures_is_no_success_but_a_drive_may_refuse_to_be_trimmed() {
        let all = Some(Span::first(Bytes::kib(256)));
        let some = Some(Span::first(Bytes::kib(64)));
        assert!(measured_nothing(&pass(Op::Read, all)) && measured_nothing(&pass(Op::Write, all)));
        assert!(!measured_nothing(&pass(Op::Trim, all)) && !measured_nothing(&scan(some)));
    }

    #[test]
    fn a_trim_that_a_drive_does_not_have_is_no_failure_and_one_that_it_failed_is() {
        let whole = Some(Span::first(Bytes::kib(256)));
        let mut refused = pass(Op::Trim, whole);
        assert!(told(std::slice::from_ref(&refused)).is_some());
        let errors = &mut refused.jobs[0].errors.first;
        errors
            .iter_mut()
            .for_each(|error| error.errno = base::errno::number("EOPNOTSUPP").unwrap());
        assert_eq!(told(std::slice::from_ref(&refused)), None);
        assert!(figures(&[refused]).is_empty());
    }

    #[test]
    fn a_drive_without_failures_has_no_such_figures_and_nothing_is_told() {
        let whole = [scan(None)];
        assert!(figures(&whole).is_empty());
        assert_eq!(told(&whole), None);
    }

    #[test]
    fn failures_have_a_number_a_median_and_a_longest_and_name_the_phase() {
        let phases = [
            scan(None),
            scan(Some(Span::new(Bytes::kib(64), Bytes::kib(40)))),
        ];
        let figures = figures(&phases);
        let told: Vec<_> = figures
            .iter()
            .map(|figure| (figure.key.as_str(), figure.unit.as_str(), figure.n))
            .collect();
        assert_eq!(
            told,
            [
                ("failed.ios", "count", 10),
                ("failed.median", "ms", 10),
                ("failed.longest", "ms", 10)
            ]
        );
        assert_eq!(figures[0].value, Some(10.0));
        assert_eq!(figures[2].value, Some(0.3));
    }

    #[test]
    fn the_first_eight_addresses_are_told_with_the_error_in_words() {
        let ten = told(&[scan(Some(Span::new(Bytes::kib(64), Bytes::kib(40))))]).unwrap();
        assert!(
            ten.starts_with("10 I/Os failed (half of them within 300"),
            "{ten}"
        );
        assert!(
            ten.contains("read of 4 KiB at byte 65536: EIO, I/O error, after 300"),
            "{ten}"
        );
        assert_eq!(ten.matches("at byte").count(), TOLD, "{ten}");
        assert!(ten.ends_with("more addresses are in the result"), "{ten}");
        let one = told(&[scan(Some(Span::new(Bytes::kib(64), Bytes::kib(4))))]).unwrap();
        assert!(one.starts_with("1 I/Os failed: read of"), "{one}");
    }
}
