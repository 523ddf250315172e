//! A result's figures in the quantities of sentences: looked up by key, in the unit that a sentence states.

use std::collections::BTreeMap;

use base::health::Health;
use base::record::{IoError, REPEAT};
use base::statistic::Kind;
use base::{Bytes, Duration, Figure, JobRecord, Op, PhaseRecord};
use results::{Quantity, RunResult, Statement, TailMark};

use crate::tails::tail_mark;

/// The figure of this key that has a finite value.
pub(crate) fn figure<'a>(result: &'a RunResult, key: &str) -> Option<&'a Figure> {
    let of_key = |figure: &&Figure| figure.key == key;
    let found = result.figures.iter().find(of_key)?;
    found.value.filter(|value| value.is_finite())?;
    Some(found)
}

/// Its value over all repeats, whatever its unit.
pub(crate) fn value(result: &RunResult, key: &str) -> Option<f64> {
    result.in_all_repeats(figure(result, key)?)
}

/// A number of things.
pub(crate) fn count(result: &RunResult, key: &str) -> Option<u64> {
    value(result, key).filter(|n| *n >= 0.0).map(|n| n as u64)
}

/// A rate of bytes in megabytes (10^6) a second.
pub(crate) fn mb_s(result: &RunResult, key: &str) -> Option<f64> {
    let figure = figure(result, key)?;
    let scale = match figure.unit.as_str() {
        "MB/s" => 1.0,
        "MiB/s" => 1.048_576,
        _ => return None,
    };
    Some(result.in_all_repeats(figure)? * scale)
}

/// The same as a quantity.
pub(crate) fn rate(result: &RunResult, key: &str) -> Option<Quantity> {
    mb_s(result, key).map(Quantity::MegabytesPerSecond)
}

/// I/Os a second, as a quantity.
pub(crate) fn per_second(result: &RunResult, key: &str) -> Option<Quantity> {
    let figure = figure(result, key).filter(|of| of.unit == "IOPS")?;
    figure.value.map(Quantity::PerSecond)
}

/// A time.
pub(crate) fn time(result: &RunResult, key: &str) -> Option<Duration> {
    let figure = figure(result, key)?;
    let seconds = match figure.unit.as_str() {
        "ns" => 1e-9,
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "min" => 60.0,
        "h" => 3_600.0,
        _ => return None,
    };
    let value = result.in_all_repeats(figure)?;
    (value >= 0.0).then(|| Duration::from_secs_f64(value * seconds))
}

/// A time as a quantity; a model's tail with its reliability ([`worth`]), and `None` for a percentile with too few
/// I/Os.
pub(crate) fn told_time(result: &RunResult, key: &str) -> Option<Quantity> {
    let figure = figure(result, key)?;
    if let Kind::Percentile(percent) = figure.statistic.kind()
        && result.samples(figure) as f64 * (100.0 - percent) < 100.0 - 1e-6
    {
        return None;
    }
    Some(worth(result, figure, Quantity::Time(time(result, key)?)))
}

/// The quantity of a figure; for a model's tail with its error compared with a real drive, or that it is unverified.
pub(crate) fn worth(result: &RunResult, figure: &Figure, told: Quantity) -> Quantity {
    let of_model = match tail_mark(figure, &result.target) {
        None => return told,
        Some(TailMark::NotCompared) => Statement::new("answer-by-model"),
        Some(TailMark::OffPercent(percent)) => {
            Statement::new("answer-by-model-percent").with("off", Quantity::Percent(percent))
        }
        Some(TailMark::OffFactor(factor) | TailMark::MissesPublished { factor, .. }) => {
            Statement::new("answer-by-model-factor").with("off", Quantity::Factor(factor))
        }
    };
    Quantity::Said(vec![of_model.with("told", told)])
}

/// An amount of data.
pub(crate) fn size(result: &RunResult, key: &str) -> Option<Bytes> {
    let figure = figure(result, key)?;
    let scale = match figure.unit.as_str() {
        "B" => 1.0,
        "KiB" => 1_024.0,
        "MiB" => 1_048_576.0,
        "GiB" => 1_073_741_824.0,
        "MB" => 1e6,
        "GB" => 1e9,
        "TB" => 1e12,
        _ => return None,
    };
    let value = figure.value?;
    (value >= 0.0).then(|| Bytes::new((value * scale) as u64))
}

/// Whether the figure is of all that can be addressed.
pub(crate) fn is_of_the_whole(result: &RunResult, key: &str) -> bool {
    figure(result, key).is_some_and(|of| of.comparable_by.whole)
}

/// The middle parts of keys between `start` and `end`, in the order of the figures, each once.
pub(crate) fn between<'a>(result: &'a RunResult, start: &str, end: &str) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for figure in &result.figures {
        let part = figure.key.strip_prefix(start);
        if let Some(part) = part.and_then(|rest| rest.strip_suffix(end))
            && !found.contains(&part)
        {
            found.push(part);
        }
    }
    found
}

/// The length that a key names (`512b`, `4k`, `1m`, `256mib`).
pub(crate) fn length(part: &str) -> Option<Bytes> {
    let digits = part.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.parse().ok()?;
    let unit = match &part[digits.len()..] {
        "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        _ => return None,
    };
    number.checked_mul(unit).map(Bytes::new)
}

/// A setting of the run, read.
pub(crate) fn setting<T: std::str::FromStr>(result: &RunResult, key: &str) -> Option<T> {
    result.settings.values.get(key)?.parse().ok()
}

/// The phases of one run of the method, the first: each repeat does the same once more.
pub(crate) fn phases_of_one_run(result: &RunResult) -> impl Iterator<Item = &PhaseRecord> {
    let repeated = result.repeats.is_some();
    let of_it = move |phase: &&PhaseRecord| !(repeated && phase.name.starts_with(REPEAT));
    result.phases.iter().filter(of_it)
}

/// Samples of a figure in one run of the method.
pub(crate) fn samples_of_one_run(result: &RunResult, figure: &Figure) -> u64 {
    let values = result
        .repeats
        .as_ref()
        .and_then(|all| all.values.get(&figure.key));
    let runs = values.map_or(1, |values| values.len().max(1) as u64);
    result.samples(figure) / runs
}

/// Bytes that the phases of one run moved.
pub(crate) fn moved(result: &RunResult) -> Bytes {
    Bytes::new(
        phases_of_one_run(result)
            .map(|phase| phase.bytes().get())
            .sum(),
    )
}

/// Bytes that the jobs of one run moved in one direction.
pub(crate) fn moved_by(result: &RunResult, op: Op) -> Bytes {
    let jobs = phases_of_one_run(result).flat_map(|phase| &phase.jobs);
    let of_op = jobs.filter_map(|job| job.ops.get(op as usize));
    Bytes::new(of_op.map(|record| record.bytes.get()).sum())
}

/// Distinct bytes that phases of these names moved in one direction: data read twice counts once. A phase covers as
/// much of its span as the bytes it moved, and no more than the span.
pub(crate) fn covered(result: &RunResult, op: Op, of: impl Fn(&PhaseRecord) -> bool) -> Bytes {
    let mut spans: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for phase in phases_of_one_run(result).filter(|phase| of(phase)) {
        for (job, record) in phase.workload.jobs.iter().zip(&phase.jobs) {
            let moved = record.ops.get(op as usize).map_or(0, |of| of.bytes.get());
            let span = (job.span.start.get(), job.span.len.get());
            *spans.entry(span).or_default() += moved;
        }
    }
    let each = spans.into_iter().map(|((_, len), moved)| moved.min(len));
    let all = Bytes::new(each.sum());
    match result.target.info {
        Some(info) if !info.capacity.is_zero() => all.min(info.capacity),
        _ => all,
    }
}

/// The share that a drive with some damaged sectors still has: below that, capacity is missing and not damaged.
const KEPT: f64 = 0.98;

/// Whether so much of the written data is gone that it was never stored.
pub(crate) fn is_missing(keeps: Bytes, claims: Bytes) -> bool {
    keeps.get() as f64 <= KEPT * claims.get() as f64
}

/// A part in per cent of all that can be addressed, where that is known.
pub(crate) fn share_of_drive(result: &RunResult, part: Bytes) -> Option<f64> {
    let all = result.target.info.as_ref()?.capacity;
    (!all.is_zero()).then(|| part.get() as f64 / all.get() as f64 * 100.0)
}

/// Reads and writes that failed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Failures {
    /// How many.
    pub(crate) count: u64,
    /// The lowest address among them.
    pub(crate) first: Bytes,
    /// Number of failed areas of the drive: adjacent failures count as one.
    pub(crate) places: u64,
    /// Whether all failures are known by address: of a job only the first thousand are.
    pub(crate) all_known: bool,
}

/// Whether an I/O found no room: a file system, a thin pool or a quota is full, or a file may not grow (ENOSPC, EDQUOT,
/// EFBIG). This is not the drive's fault.
fn lacks_room(error: &IoError) -> bool {
    matches!(error.errno, 27 | 28 | 122)
}

/// Number of I/Os that found no room.
pub(crate) fn without_room(result: &RunResult) -> u64 {
    let jobs = result.phases.iter().flat_map(|phase| &phase.jobs);
    let of = |job: &JobRecord| match job.errors.first.iter().filter(|of| lacks_room(of)).count() {
        0 => 0,
        // Those behind the first thousand are of the kinds of these, for all that is known.
        kept if kept == job.errors.first.len() => job.errors.count,
        kept => kept as u64,
    };
    jobs.map(of).sum()
}

/// Failed I/Os of these operations, of all phases; differing sectors and lack of room do not count.
pub(crate) fn failures(result: &RunResult, ops: &[Op]) -> Option<Failures> {
    let errors = result.phases.iter().flat_map(|phase| &phase.jobs);
    let (mut count, mut at, mut all_known) = (0, Vec::new(), true);
    for errors in errors.map(|job| &job.errors) {
        let kept = (errors.first.iter()).filter(|of| of.differs.is_none() && !lacks_room(of));
        let before = at.len();
        at.extend(kept.filter(|of| ops.contains(&of.op)).map(|of| {
            (
                of.offset.get(),
                of.offset.get().saturating_add(of.len.get()),
            )
        }));
        let beyond = errors.count.saturating_sub(errors.first.len() as u64);
        count += (at.len() - before) as u64;
        // Only the first thousand are kept one by one: the others are of the same kind, for all that is known.
        if at.len() > before {
            count += beyond;
            all_known &= beyond == 0;
        }
    }
    at.sort_unstable();
    let first = Bytes::new(at.first()?.0);
    let (mut places, mut end) = (0, None);
    for (from, to) in at {
        places += u64::from(end.is_none_or(|end| from > end));
        end = end.max(Some(to));
    }
    Some(Failures {
        count,
        first,
        places,
        all_known,
    })
}

/// Degrees Celsius at which client drives begin to throttle, at least: data sheets name 70 as the highest operating
/// temperature, and warnings begin above.
pub(crate) const HOT: i64 = 75;

/// The highest temperature of a run, in degrees Celsius; nothing where none was read.
pub(crate) fn hottest(result: &RunResult) -> Option<i64> {
    let during = result.health_during.iter();
    let during = during.filter_map(|sample| sample.temperature_celsius);
    let at_its_ends = readings(result).filter_map(|health| health.temperature_celsius);
    during.chain(at_its_ends).max()
}

/// What the drive said of its health before and after a run.
pub(crate) fn readings(result: &RunResult) -> impl Iterator<Item = &Health> {
    let both = [&result.health_before, &result.health_after];
    both.into_iter()
        .flatten()
        .filter_map(|reading| reading.health())
}

/// Why a figure has no value.
pub(crate) fn why_not(result: &RunResult, key: &str) -> Option<Quantity> {
    let of_key = |figure: &&Figure| figure.key == key;
    let found = result.figures.iter().find(of_key)?;
    found.why_not.clone().map(Quantity::Why)
}

/// So many units, to the whole unit.
pub(crate) fn part_of(many: f64, unit: Bytes) -> Bytes {
    Bytes::new(many.round().max(0.0) as u64 * unit.get())
}

/// A result of a method with these figures, each of 5,000 samples; of a real drive, and without phases.
#[cfg(test)]
pub(crate) fn measured(method: &str, figures: &[(&str, f64, &str)]) -> RunResult {
    let mut result = fixtures::results::review().swap_remove(0);
    method.clone_into(&mut result.method);
    result.phases.clear();
    result.charts.clear();
    result.figures = figures
        .iter()
        .map(|(key, value, unit)| {
            let mut figure = fixtures::results::figure(key, Some(*value), unit);
            figure.n = 5_000;
            figure
        })
        .collect();
    result
}

/// The same result with the read that was its first one failed.
#[cfg(test)]
pub(crate) fn fail_one_read(result: &mut RunResult) {
    let errors = &mut result.phases[0].jobs[0].errors;
    errors.count += 1;
    errors.first.push(base::record::IoError {
        op: Op::Read,
        offset: Bytes::new(1_500_000_000_000),
        len: Bytes::kib(64),
        errno: 5,
        moved: Bytes::ZERO,
        differs: None,
        after: Duration::ZERO,
        at: Duration::ZERO,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::TargetKind;

    #[test]
    fn a_percentile_is_told_only_where_there_is_something_beyond_it() {
        let mut result = measured("commit", &[("p99", 1.0, "ms")]);
        result.figures[0].statistic = "p99".into();
        for (n, told) in [(99, false), (100, true), (1, false)] {
            result.figures[0].n = n;
            assert_eq!(told_time(&result, "p99").is_some(), told, "{n}");
        }
    }

    #[test]
    fn a_models_tail_that_nobody_compared_is_told_as_the_models() {
        let mut result = measured("commit", &[("worst", 1.0, "ms")]);
        result.figures[0].statistic = "max".into();
        assert!(matches!(
            told_time(&result, "worst"),
            Some(Quantity::Time(_))
        ));
        result.target.kind = TargetKind::Model;
        let Some(Quantity::Said(said)) = told_time(&result, "worst") else {
            panic!("told as fact");
        };
        assert_eq!(said[0].key, "answer-by-model");
    }

    #[test]
    fn lengths_are_read_off_keys() {
        assert_eq!(length("512b"), Some(Bytes::new(512)));
        assert_eq!(length("4k"), Some(Bytes::kib(4)));
        assert_eq!(length("256mib"), Some(Bytes::mib(256)));
        assert_eq!(length("x"), None);
        assert_eq!(length("4q"), None);
    }

    #[test]
    fn failures_that_touch_are_one_place_and_trims_are_none() {
        let mut result = fixtures::results::review().swap_remove(0);
        result.phases.truncate(1);
        assert_eq!(failures(&result, &[Op::Read, Op::Write]), None);
        fail_one_read(&mut result);
        fail_one_read(&mut result);
        let errors = &mut result.phases[0].jobs[0].errors;
        errors.first[1].offset = Bytes::new(errors.first[0].offset.get() + Bytes::kib(64).get());
        assert_eq!(
            failures(&result, &[Op::Read, Op::Write]).map(|of| (of.count, of.places)),
            Some((2, 1))
        );
        let errors = &mut result.phases[0].jobs[0].errors;
        errors.first[1].offset = Bytes::ZERO;
        let found = failures(&result, &[Op::Read, Op::Write]).unwrap();
        assert_eq!(
            (found.count, found.places, found.first),
            (2, 2, Bytes::ZERO)
        );
        let errors = &mut result.phases[0].jobs[0].errors;
        errors.first[1].op = Op::Trim;
        assert_eq!(
            failures(&result, &[Op::Read, Op::Write]).map(|of| of.count),
            Some(1)
        );
        let errors = &mut result.phases[0].jobs[0].errors;
        errors.first.iter_mut().for_each(|error| error.errno = 28);
        assert_eq!(
            (
                failures(&result, &[Op::Read, Op::Write]),
                without_room(&result)
            ),
            (None, 2)
        );
    }
}
