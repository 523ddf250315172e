//! What is said of a disk: rotation, arm, tracks, its caches, and whether it is shingled.

use base::{Bytes, Duration};
use results::{Quantity, RunResult, Statement};

use super::gigabytes;
use crate::answers::figures::{
    count, figure, mb_s, part_of, per_second, rate, size, time, value, why_not,
};

/// A random write that takes less of a read went somewhere else first; one that takes more did not.
const ELSEWHERE: f64 = 0.15;
const IN_PLACE: f64 = 0.25;
/// First writes that take less of a turn were taken by a write cache; those that take more went to the medium.
const CACHE_ON: f64 = 0.1;
const CACHE_OFF: f64 = 0.3;

/// Turns, tracks and skew of a disk.
pub(super) fn rotation(result: &RunResult) -> Option<Statement> {
    let speed = value(result, "rotation.speed")?;
    let track = value(result, "rotation.track")?;
    let half_turn = Duration::from_secs_f64(30.0 / speed);
    let said = Statement::new("answer-explain-rotation")
        .with("speed", Quantity::Count(speed.round() as u64))
        .with("track", Quantity::Length(part_of(track, Bytes::kib(1))))
        .with("wait", Quantity::Time(half_turn));
    Some(said)
}

/// How long the arm takes.
pub(super) fn seek(result: &RunResult) -> Option<Statement> {
    let mean = figure(result, "seek.mean")?;
    let between = mean.interval?;
    let ms = |ms: f64| Quantity::Time(Duration::from_secs_f64(ms.max(0.0) / 1e3));
    let of = |key: &str| time(result, key).map(Quantity::Time);
    let said = Statement::new("answer-explain-seek")
        .with("mean", of("seek.mean")?)
        .with("low", ms(between.low))
        .with("high", ms(between.high))
        .with("third", of("seek.third")?)
        .with("shortest", of("seek.shortest")?)
        .with("full", of("seek.full")?);
    Some(said)
}

/// How fast it streams, outside and inside.
pub(super) fn transfer(result: &RunResult) -> Option<Statement> {
    let outer = rate(result, "transfer.outer")?;
    let said = Statement::new("answer-explain-transfer")
        .with("outer", outer)
        .with("inner", rate(result, "transfer.inner")?)
        .with("mean", rate(result, "transfer.mean")?)
        .with("whole", Quantity::Time(all_of_it(result)?));
    Some(said)
}

/// What reading all of it takes at the mean rate.
fn all_of_it(result: &RunResult) -> Option<Duration> {
    let mean = mb_s(result, "transfer.mean").filter(|mean| *mean > 0.0)?;
    let capacity = result.target.info.as_ref()?.capacity.get() as f64;
    let seconds = capacity / 1e6 / mean;
    Some(Duration::from_secs_f64(seconds))
}

/// Whether its surfaces are unlike: nothing where not even a rate was found.
pub(super) fn surfaces(result: &RunResult) -> Option<Statement> {
    figure(result, "transfer.outer")?;
    let Some(fast) = rate(result, "transfer.surface-fast") else {
        return super::without(
            result,
            "transfer.surface-fast",
            "answer-explain-surfaces-not-visible",
        );
    };
    let said = Statement::new("answer-explain-surfaces")
        .with("fast", fast)
        .with("slow", rate(result, "transfer.surface-slow")?);
    Some(said)
}

/// How many streams a disk's read cache follows.
pub(super) fn streams(result: &RunResult) -> Option<Statement> {
    let streams = count(result, "segments.streams")?;
    Some(Statement::new("answer-explain-streams").with("streams", Quantity::Count(streams)))
}

/// How far a disk reads ahead.
pub(super) fn ahead_by(result: &RunResult) -> Option<Statement> {
    let ahead = size(result, "segments.ahead")?;
    Some(Statement::new("answer-explain-ahead-by").with("ahead", Quantity::Length(ahead)))
}

/// How many disks of an array there are, and how addresses are dealt to them.
pub(super) fn members(result: &RunResult) -> Option<Statement> {
    let members = count(result, "members.number")?;
    let chunk = size(result, "members.chunk")?;
    let said = Statement::new("answer-explain-members")
        .with("count", Quantity::Count(members))
        .with("chunk", Quantity::Length(chunk))
        .with("longer", Quantity::Factor(value(result, "members.longer")?))
        .with("lost", super::lost_by(result, "members.lost-by"));
    Some(said)
}

/// Whether a disk writes at random somewhere else first.
pub(super) fn elsewhere(result: &RunResult) -> Option<Statement> {
    let share = value(result, "elsewhere.write")?;
    let key = match share {
        share if share < ELSEWHERE => "answer-explain-writes-elsewhere",
        share if share > IN_PLACE => "answer-explain-writes-in-place",
        _ => "answer-explain-writes-open",
    };
    Some(Statement::new(key).with("share", Quantity::Percent(100.0 * share)))
}

/// Whether it certainly does.
pub(super) fn writes_elsewhere(result: &RunResult) -> bool {
    value(result, "elsewhere.write").is_some_and(|share| share < ELSEWHERE)
}

/// How much goes there before random writes are slow.
pub(super) fn media_cache(result: &RunResult) -> Option<Statement> {
    let size = figure(result, "media-cache.size")?;
    let between = size.interval?;
    let said = Statement::new("answer-explain-media-cache")
        .with("size", gigabytes(size.value?))
        .with("low", gigabytes(between.low))
        .with("high", gigabytes(between.high))
        .with(
            "pieces",
            Quantity::Count(count(result, "media-cache.pieces")?),
        )
        .with("before", per_second(result, "media-cache.before")?)
        .with("after", per_second(result, "media-cache.after")?);
    Some(said)
}

/// Whether a disk's write cache is on, and how much it takes.
pub(super) fn write_cache(result: &RunResult) -> Option<Statement> {
    let share = value(result, "write-cache.first")?;
    let of_a_turn = Quantity::Percent(100.0 * share);
    if share > CACHE_OFF {
        return Some(Statement::new("answer-explain-write-cache-off").with("share", of_a_turn));
    }
    if share > CACHE_ON {
        return Some(Statement::new("answer-explain-write-cache-open").with("share", of_a_turn));
    }
    let entries = count(result, "write-cache.entries").map(Quantity::Count);
    let bytes = value(result, "write-cache.bytes");
    let bytes = bytes.map(|mib| Quantity::Length(part_of(mib.max(1.0), Bytes::mib(1))));
    let said = match (&entries, &bytes) {
        (Some(_), Some(_)) => Statement::new("answer-explain-write-cache"),
        (Some(_), None) => Statement::new("answer-explain-write-cache-entries"),
        (None, Some(_)) => Statement::new("answer-explain-write-cache-bytes"),
        (None, None) => {
            let why = why_not(result, "write-cache.entries")?;
            Statement::new("answer-explain-write-cache-on").with("why", why)
        }
    };
    let limits = [("entries", entries), ("bytes", bytes)];
    let known = limits
        .into_iter()
        .filter_map(|(key, limit)| Some((key, limit?)));
    Some(known.fold(said, |said, (key, limit)| said.with(key, limit)))
}
