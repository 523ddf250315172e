//! What is said of flash: the map, pages and dies, and the write path with its buffer and its one-bit cache.

use base::result::Interval;
use base::{Bytes, Duration};
use results::{Quantity, RunResult, Statement};

use super::{both, gigabytes, seconds};
use crate::answers::figures::{
    HOT, count, figure, hottest, mb_s, part_of, rate, time, value, why_not,
};

/// Misaligned writes that take longer by less show no unit.
const LEAST_MISALIGNED: f64 = 1.25;
/// A read of a trimmed page that takes less of another one did not go to the flash; one that takes more did.
const NOT_READ: f64 = 0.6;
const READ_AS_BEFORE: f64 = 0.9;
/// Zeros that are written faster by less show no compression.
const LEAST_COMPRESSED: f64 = 1.15;

/// The part of the address map in memory, and what a read outside it costs.
pub(super) fn map(result: &RunResult) -> Option<Statement> {
    let Some(covered) = figure(result, "map.coverage") else {
        let why = why_not(result, "map.coverage")?;
        let key = match &why {
            Quantity::Why(why) if why.key() == Some("why-no-step") => {
                "answer-explain-map-not-visible"
            }
            _ => "answer-explain-map-not-asked",
        };
        return Some(Statement::new(key).with("why", why));
    };
    let (miss, hit) = (time(result, "map.miss")?, time(result, "map.hit")?);
    let length = |gib: f64| Quantity::Length(part_of(gib, Bytes::gib(1)));
    let mut said = Statement::new("answer-explain-map")
        .with("covered", length(covered.value?))
        .with("miss", Quantity::Time(miss))
        .with("hit", Quantity::Time(hit))
        .with("lost", super::lost_by(result, "map.lost-by"))
        .with("within", singly(hit))
        .with(
            "whole",
            singly(over_all(result, hit, miss, covered.value?)?),
        );
    if let Some(interval) = covered.interval {
        said = said
            .with("low", length(interval.low))
            .with("high", length(interval.high));
    }
    Some(said)
}

/// What a random read takes over the whole drive, where only so many GiB of it are in the map.
fn over_all(result: &RunResult, hit: Duration, miss: Duration, gib: f64) -> Option<Duration> {
    let capacity = result.target.info.as_ref()?.capacity.get() as f64;
    let missing = 1.0 - gib * Bytes::gib(1).get() as f64 / capacity.max(1.0);
    let miss = miss.as_secs_f64() * missing.clamp(0.0, 1.0);
    Some(hit + Duration::from_secs_f64(miss))
}

/// How many a second, one at a time.
fn singly(each: Duration) -> Quantity {
    Quantity::PerSecond(1.0 / each.as_secs_f64().max(1e-9))
}

/// What misaligned writes cost.
pub(super) fn unit(result: &RunResult) -> Option<Statement> {
    let found = figure(result, "unit.misaligned")?;
    let ratio = found.value?;
    let certain = found.interval.is_some_and(|it| it.low > 1.0);
    Some(match ratio > LEAST_MISALIGNED && certain {
        true => Statement::new("answer-explain-unit").with("ratio", Quantity::Factor(ratio)),
        false => Statement::new("answer-explain-unit-not-visible"),
    })
}

/// Whether zeros are written faster than random data.
pub(super) fn compression(result: &RunResult) -> Option<Statement> {
    let faster = figure(result, "zeros.faster")?;
    let ratio = faster.value?;
    let certain = faster.interval.is_some_and(|it| it.low > 1.0);
    Some(match ratio > LEAST_COMPRESSED && certain {
        true => Statement::new("answer-explain-compresses").with("ratio", Quantity::Factor(ratio)),
        false => Statement::new("answer-explain-compression-not-visible"),
    })
}

/// How pages lie on the dies.
pub(super) fn stripe(result: &RunResult) -> Option<Statement> {
    let pages = count(result, "stripe.pages")?;
    let lost = super::lost_by(result, "stripe.lost-by");
    let Some(planes) = count(result, "stripe.side-by-side") else {
        let said = Statement::new("answer-explain-stripe-of-unknown-width");
        return Some(
            said.with("lost", lost)
                .with("pages", Quantity::Count(pages)),
        );
    };
    let said = Statement::new("answer-explain-stripe")
        .with("lost", lost)
        .with("pages", Quantity::Count(pages))
        .with("planes", Quantity::Count(planes))
        .with("dies", Quantity::Count(pages / planes.max(1)));
    Some(said)
}

/// Whether TRIM is obeyed.
pub(super) fn trim(result: &RunResult) -> Option<Statement> {
    let share = value(result, "trim.read")?;
    // Where a cache answers for the written pages, a trimmed one that is read proves nothing.
    let key = match share {
        _ if both::is_kept(result) => "answer-explain-trim-open",
        share if share < NOT_READ => "answer-explain-trim",
        share if share > READ_AS_BEFORE => "answer-explain-trim-ignored",
        _ => "answer-explain-trim-open",
    };
    Some(Statement::new(key).with("share", Quantity::Percent(100.0 * share)))
}

/// What the write buffer takes.
pub(super) fn buffer(result: &RunResult) -> Option<Statement> {
    let least = figure(result, "buffer.at-least")?;
    let taken = figure(result, "buffer.at-most")?;
    let (least, most) = (least.interval?.low, taken.interval?.high);
    let mib = |mib: f64| Quantity::Length(part_of(mib.max(0.0), Bytes::mib(1)));
    let said = Statement::new("answer-explain-buffer")
        .with("least", mib(least.floor()))
        .with("most", mib(most.ceil()))
        .with("taken", mib(taken.value?));
    Some(said)
}

/// A judgement, where no temperature was read: a fall after fewer seconds of writing in order is no throttling. A modelled
/// 970 EVO Plus without a heat sink, which begins at 77 °C, throttles after 14 s.
const HEATS_UP_IN: f64 = 10.0;

/// How much goes into a one-bit cache before the write rate falls.
pub(super) fn slc(result: &RunResult) -> Option<Statement> {
    let found = figure(result, "slc.size")?;
    let between = found.interval?;
    // A drive that throttles for good shows the same, though not so soon.
    let [before, after] = [mb_s(result, "slc.before")?, mb_s(result, "slc.after")?];
    let seconds = found.value? * 1e3 / before.max(1e-9);
    let key = match hottest(result) {
        Some(celsius) if celsius < HOT => "answer-explain-slc",
        None if seconds < HEATS_UP_IN => "answer-explain-slc",
        _ => "answer-explain-slc-or-heat",
    };
    let said = Statement::new(key)
        .with("size", gigabytes(found.value?))
        .with("low", gigabytes(between.low))
        .with("high", gigabytes(between.high))
        .with("before", rate(result, "slc.before")?)
        .with("after", rate(result, "slc.after")?)
        .with("fast", of_100_gb(before))
        .with("slow", of_100_gb(after));
    Some(said)
}

/// What 100 GB take at a rate.
fn of_100_gb(mb_s: f64) -> Quantity {
    Quantity::Time(Duration::from_secs_f64(100e3 / mb_s.max(1e-9)))
}

/// When it is emptied at rest, and how fast.
pub(super) fn rest(result: &RunResult) -> Option<Statement> {
    let onset = figure(result, "rest.onset")?;
    let between = onset.interval?;
    let said = Statement::new("answer-explain-rest")
        .with("onset", seconds(onset.value?))
        .with("low", seconds(between.low))
        .with("high", seconds(between.high))
        .with("rate", rate(result, "rest.gives-back")?);
    Some(said)
}

/// A cache that is smaller by less than an interval can show is none that shrinks, in per cent of an empty drive's.
const AS_LARGE: f64 = 95.0;
/// One that may be as large, and is as large as this at least, in per cent, is the same: both sizes are no surer than some
/// hundredths.
const LEAST_ALIKE: f64 = 85.0;

/// How much of it is left where the drive is three quarters full.
pub(super) fn full(result: &RunResult) -> Option<Statement> {
    let found = figure(result, "nearly-full.size")?;
    let (between, share) = (found.interval?, figure(result, "nearly-full.of-empty")?);
    let of_empty = share.interval?;
    let key = match (of_empty.low, of_empty.high) {
        (_, high) if high < AS_LARGE => "answer-explain-full-shrinks",
        (low, high) if low > LEAST_ALIKE && high >= 100.0 => "answer-explain-full-stays",
        _ => "answer-explain-full-open",
    };
    let said = Statement::new(key)
        .with("size", gigabytes(found.value?))
        .with("low", gigabytes(between.low))
        .with("high", gigabytes(between.high))
        .with("share", Quantity::Percent(share.value?));
    Some(said)
}

/// How much can be overwritten at random before collection begins, and the spare flash that this takes.
pub(super) fn spare(result: &RunResult) -> Option<Statement> {
    let until = figure(result, "spare.at-full-rate")?;
    let capacity = result.target.info.as_ref()?.capacity.get() as f64;
    let of_all = |gb: f64| Quantity::Percent(100.0 * gb * 1e9 / capacity.max(1.0));
    let share = figure(result, "spare.share").and_then(|share| share.interval.as_ref());
    let of_share = |said: Statement, share: &Interval| {
        said.with("low", Quantity::Percent(share.low))
            .with("high", Quantity::Percent(share.high))
    };
    let said = match (share, value(result, "spare.amplification")) {
        (Some(share), Some(times)) => {
            of_share(Statement::new("answer-explain-spare-counted"), share)
                .with("times", Quantity::Factor(times))
        }
        (Some(share), None) => of_share(Statement::new("answer-explain-spare"), share),
        (None, _) => Statement::new("answer-explain-spare-at-least")
            .with("low", of_all(until.interval.as_ref()?.low)),
    };
    Some(
        said.with("until", gigabytes(until.value?))
            .with("before", rate(result, "spare.before")?)
            .with("after", rate(result, "spare.after")?),
    )
}

/// The unit in which flash is opened and collected.
pub(super) fn reclaim(result: &RunResult) -> Option<Statement> {
    let mib = value(result, "spare.row")?;
    let unit = Quantity::Length(part_of(mib, Bytes::mib(1)));
    Some(Statement::new("answer-explain-reclaim").with("unit", unit))
}
