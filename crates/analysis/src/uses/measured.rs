//! The measured figure for a rule: its value, how much of the drive it covers, and its reliability.
//!
//! A figure is not an answer by itself. One for a part of the drive represents all of it only from a certain size on;
//! one of a model that misses the published value counts only if the published value gives the same verdict; and one
//! with a method's own overhead in it, such as the seeks of a scan that jumps, only if the verdict would be the same
//! without it.

use base::{Bytes, Duration, Figure, Op, PhaseRecord, Rate};
use results::{FILE_SYSTEM, RunResult, Standing, TailMark};

use super::{Bound, Found, Rule, Source, Why};
use crate::answers::figures::{covered, share_of_drive, value};
use crate::tails::tail_mark;

/// A source's contribution to a rule, or why it has none.
pub(super) fn answer<'a>(
    rule: &Rule,
    source: &Source,
    results: &[&'a RunResult],
) -> Result<Found<'a>, Why<'a>> {
    let result = results.iter().find(|r| r.method == source.method);
    let result: &'a RunResult = result.ok_or(Why::NotRun)?;
    let figure = result.figures.iter().find(|f| f.key == source.key);
    let figure = figure.ok_or_else(|| not_measured(source.key, result))?;
    let value = result
        .in_all_repeats(figure)
        .and_then(|value| in_unit(value, &figure.unit, rule.unit))
        .ok_or(Why::NoValue(figure.why_not.as_ref()))?;
    let part = part_of(source, result, figure)?;
    let samples = result.samples(figure);
    if samples < source.samples {
        return Err(Why::TooFew(samples));
    }
    let without_seeks = without_seeks(result, figure).unwrap_or(value);
    if rule.bound.standing(without_seeks) != rule.bound.standing(value) {
        return Err(Why::Seeks);
    }
    let mark = tail_mark(figure, &result.target);
    let published = |published: f64| in_unit(published, &figure.unit, rule.unit);
    let tail = match mark {
        Some(TailMark::MissesPublished {
            published: of,
            factor,
        }) => Some(TailMark::MissesPublished {
            published: of.and_then(published),
            factor,
        }),
        other => other,
    };
    Ok(Found::Value {
        result,
        figure,
        value,
        tail: mark,
        part,
        standing: with_tail(rule.bound, value, tail),
    })
}

/// Why a result lacks a figure: the reason given for another one of the same kind of work, if there is one.
fn not_measured<'a>(key: &str, result: &'a RunResult) -> Why<'a> {
    let work = |key: &str| key.split('.').next().map(str::to_owned);
    let mut alike = result.figures.iter().filter(|f| work(&f.key) == work(key));
    let why = alike.find_map(|figure| figure.why_not.as_ref());
    why.map_or(Why::NotMeasured, |why| Why::NoValue(Some(why)))
}

/// The part that was measured, if the whole drive is required: `None` if it was all of it.
pub(crate) fn part_of<'a>(
    source: &Source,
    result: &RunResult,
    figure: &'a Figure,
) -> Result<Option<Bytes>, Why<'a>> {
    let is_file = result.target.identity.contains_key(FILE_SYSTEM);
    let span = &figure.comparable_by.span;
    if !source.whole || (!is_file && figure.comparable_by.whole) {
        return Ok(None);
    }
    let (part, lacks) = match result.target.info {
        Some(file) if is_file => (file.capacity, Why::TestFile),
        _ => {
            let own = |phase: &PhaseRecord| figure.phases.contains(&phase.name);
            let covered = [Op::Read, Op::Write].map(|op| covered(result, op, own));
            (covered[0].max(covered[1]), Why::NotWhole(span))
        }
    };
    let share = share_of_drive(result, part).filter(|_| !is_file);
    let too_small = part < source.part || share.is_some_and(|share| share < source.share);
    if too_small || (source.at_the_end && !is_file && !has_both_ends(result, figure)) {
        return Err(lacks);
    }
    Ok(Some(part))
}

/// Whether a scan of a part covered both ends: such a scan states how much of the range they are.
fn has_both_ends(result: &RunResult, figure: &Figure) -> bool {
    let op = figure.key.split('.').next().unwrap_or("");
    value(result, &format!("{op}.covered")).is_some()
}

/// The mean of a quick scan if the longest I/O at each position had taken no time, in MB/s: the first one there
/// includes a seek. The true mean is between this and the figure.
fn without_seeks(result: &RunResult, figure: &Figure) -> Option<f64> {
    let op = match figure.key.as_str() {
        "read.mean" => Op::Read,
        "write.mean" => Op::Write,
        _ => return None,
    };
    if result.method != "quick-scan" {
        return None;
    }
    let own = |phase: &&PhaseRecord| figure.phases.contains(&phase.name);
    let (mut bytes, mut time) = (Bytes::ZERO, Duration::ZERO);
    for phase in result.phases.iter().filter(own) {
        let longest = phase.of(op).service.max();
        bytes += phase.bytes();
        time += phase.took.saturating_sub(longest);
    }
    Rate::of(bytes, time).map(Rate::mb_s)
}

/// The verdict of a value, given the known error of a model's tail: at its upper end, if it was compared with a real
/// drive. A known miss decides nothing if the published value, or the value corrected by its error in either direction,
/// gives another verdict.
fn with_tail(bound: Bound, value: f64, tail: Option<TailMark>) -> Standing {
    let standing = bound.standing(value);
    let Some(mark) = tail else { return standing };
    if let TailMark::MissesPublished { published, factor } = mark {
        let in_truth = match published {
            Some(published) => vec![published],
            None => vec![value * factor, value / factor],
        };
        let mut others = in_truth.into_iter().map(|value| bound.standing(value));
        return match others.all(|other| other == standing) {
            true => standing,
            false => Standing::CannotBeSaid,
        };
    }
    let worst = Some(mark.at_worst(value)).filter(|worst| worst.is_finite());
    worst.map_or(standing, |worst| standing.max(bound.standing(worst)))
}

/// A value in another unit of the same quantity; `None` for what is not a number.
pub(crate) fn in_unit(value: f64, from: &str, to: &str) -> Option<f64> {
    let factor = match (from, to) {
        _ if from == to => 1.0,
        ("MiB/s", "MB/s") => 1.048_576,
        ("us", "ms") => 1e-3,
        ("s", "ms") => 1e3,
        _ => return None,
    };
    value.is_finite().then_some(value * factor)
}
