//! What is said of disks and flash alike: read-ahead, caches, queues, sleep, capacity, and reads beside writes.

use base::{Bytes, Duration};
use results::{Quantity, RunResult, Statement};

use super::{FLASH_BELOW, seconds};
use crate::answers::figures::{
    count, figure, part_of, per_second, rate, samples_of_one_run, time, value, why_not,
};

/// A read in order that takes less of a random one than this did not go to the medium.
const FETCHED: f64 = 0.6;
/// One that takes more went there as a random one does.
const NOT_FETCHED: f64 = 0.8;
/// In reverse, nothing is read ahead: so much longer than in order says that something is.
const REVERSE_LONGER: f64 = 2.0;
/// Reads that wait longer beside writes wait for whole programs.
const WAITS_FOR_PROGRAMS: Duration = Duration::from_micros(300);
/// A second read that takes less of a first one came from a cache; one that takes more did not.
const KEPT: f64 = 0.5;
const NOT_KEPT: f64 = 0.75;
/// The largest buffers of drives have 512 MB, and SSDs keep their map in what they have more: a cache of what was read that
/// has more is none of the drive's.
const NO_DRIVE_KEEPS_MIB: f64 = 512.0;
/// A shortest read that takes more of a random one may have come from the medium, too.
const READY: f64 = 0.6;
/// A queue that gains less gains nothing.
const LEAST_GAIN: f64 = 1.1;

/// Whether what was read is read again from a cache.
pub(super) fn is_kept(result: &RunResult) -> bool {
    let share = figure(result, "again.read").and_then(|share| share.interval);
    share.is_some_and(|it| it.high < KEPT)
}

/// Whether reads in order are fetched before they are asked for.
pub(super) fn read_ahead(result: &RunResult) -> Option<Statement> {
    let up = value(result, "ahead.in-order")?;
    let down = value(result, "ahead.in-reverse")?;
    let key = match (up, down) {
        (up, down) if up < FETCHED && down > REVERSE_LONGER * up => "answer-explain-reads-ahead",
        (up, down) if up < FETCHED && down < FETCHED => "answer-explain-keeps-neighbours",
        (up, _) if up > NOT_FETCHED => "answer-explain-no-read-ahead",
        _ => "answer-explain-read-ahead-open",
    };
    let said = Statement::new(key)
        .with("up", Quantity::Percent(100.0 * up))
        .with("down", Quantity::Percent(100.0 * down));
    Some(said)
}

/// What more than one read in flight gains.
pub(super) fn queue(result: &RunResult) -> Option<Statement> {
    let gain = value(result, "depth.gain")?;
    let key = match gain < LEAST_GAIN {
        true => "answer-explain-queue-gains-nothing",
        false => "answer-explain-queue",
    };
    let said = Statement::new(key)
        .with("gain", Quantity::Factor(gain))
        .with("ceiling", per_second(result, "depth.ceiling")?)
        .with("depth", Quantity::Count(count(result, "depth.enough")?));
    Some(said)
}

/// Whether what was read is read again from a cache.
pub(super) fn again(result: &RunResult) -> Option<Statement> {
    let share = figure(result, "again.read")?;
    let low = share.interval.as_ref()?.low;
    let key = match share.value? {
        _ if is_kept(result) => "answer-explain-read-again-kept",
        _ if low > NOT_KEPT => "answer-explain-read-again-not-kept",
        _ => "answer-explain-read-again-open",
    };
    Some(Statement::new(key).with("share", Quantity::Percent(100.0 * share.value?)))
}

/// Whether what was read is read again from a cache that is nearer than the drive.
pub(super) fn host_cache(result: &RunResult) -> Option<Statement> {
    let Some(faster) = value(result, "host-cache.faster") else {
        return super::without(
            result,
            "host-cache.faster",
            "answer-explain-host-cache-not-visible",
        );
    };
    let kept = figure(result, "host-cache.kept")?;
    let Some(mib) = kept.value else {
        let said = super::without(result, "host-cache.kept", "answer-explain-host-cache-open")?;
        return Some(said.with("faster", Quantity::Factor(faster)));
    };
    let key = match &kept.interval {
        _ if mib < NO_DRIVE_KEEPS_MIB => "answer-explain-host-cache-small",
        None => "answer-explain-host-cache-at-least",
        Some(_) => "answer-explain-host-cache",
    };
    let kept = Quantity::Length(part_of(mib, Bytes::mib(1)));
    let said = Statement::new(key)
        .with("faster", Quantity::Factor(faster))
        .with("kept", kept);
    Some(said)
}

/// No processor takes longer to wake, in us: leaving the deepest state of a client takes 890 (C10 of Skylake in the kernel's
/// drivers/idle/intel_idle.c). The one that takes the drive's interrupt may be another than the one that is kept awake.
const SLOWEST_PROCESSOR_US: f64 = 1_000.0;
/// Reads that take less than so much longer, in us, are not late.
const NOT_LATE_US: f64 = 30.0;
/// What is left with the processor awake is most of it from this share on.
const MOST: f64 = 0.5;

/// Whether the first read after a rest takes longer, and who slept.
pub(super) fn wake(result: &RunResult) -> Option<Statement> {
    if let Some(longer) = time(result, "wake.longer") {
        let rest = Duration::from_secs_f64(value(result, "wake.rest")?);
        let all = longer.as_secs_f64() * 1e6;
        let key = match value(result, "wake.processor-awake") {
            Some(us) if us >= SLOWEST_PROCESSOR_US.max(MOST * all) => "answer-explain-wakes-drive",
            Some(us) if us < NOT_LATE_US => "answer-explain-wakes-host",
            _ => "answer-explain-wakes",
        };
        let said = Statement::new(key).with("rest", Quantity::Time(rest));
        return Some(said.with("longer", Quantity::Time(longer)));
    }
    match why_not(result, "wake.longer")? {
        Quantity::Why(why) if why.key() == Some("why-no-wake") => {
            let longest = Duration::from_secs_f64(value(result, "wake.longest-rest")?);
            Some(Statement::new("answer-explain-awake").with("rest", Quantity::Time(longest)))
        }
        _ => super::without(result, "wake.longer", "answer-explain-wake-open"),
    }
}

/// Whether the rate of sustained reads falls, and comes back.
pub(super) fn sustained(result: &RunResult) -> Option<Statement> {
    let before = rate(result, "sustained.before");
    let lasts = |key| value(result, key).map(seconds);
    if let Some(after) = rate(result, "sustained.after") {
        let said = Statement::new("answer-explain-throttles").with("before", before?);
        let said = said.with("after", after);
        return Some(said.with("falls", lasts("sustained.falls-after")?));
    }
    match why_not(result, "sustained.after")? {
        Quantity::Why(why) if why.key() == Some("why-rate-stays") => Some(
            Statement::new("answer-explain-no-throttling")
                .with("seconds", lasts("sustained.read-for")?)
                .with("rate", before?),
        ),
        _ => super::without(result, "sustained.after", "answer-explain-throttling-open"),
    }
}

/// Whether it was in a state that passed.
pub(super) fn passing(result: &RunResult) -> Option<Statement> {
    if let Some(ends) = figure(result, "passing.ends").and_then(|ends| ends.interval) {
        return Some(
            Statement::new("answer-explain-passing")
                .with("before", rate(result, "passing.before")?)
                .with("after", rate(result, "passing.after")?)
                .with("low", seconds(ends.low.floor()))
                .with("high", seconds(ends.high.ceil())),
        );
    }
    match why_not(result, "passing.ends")? {
        Quantity::Why(why) if why.key() == Some("why-no-step-of-time") => {
            let watched = value(result, "passing.watched")?;
            Some(Statement::new("answer-explain-no-passing").with("watched", seconds(watched)))
        }
        _ => super::without(result, "passing.ends", "answer-explain-passing-open"),
    }
}

/// Whether something takes far longer now and then.
pub(super) fn long_responses(result: &RunResult) -> Option<Statement> {
    let of = |key: &str| value(result, &format!("long-responses.{key}"));
    let said = |key, least| {
        let said = Statement::new(key)
            .with("least", seconds(of(least)? / 1e3))
            .with("watched", seconds(of("watched")?))
            .with(
                "events",
                Quantity::Count(of("events").unwrap_or(0.0) as u64),
            );
        Some(said)
    };
    let Some(longest) = of("longest") else {
        return said("answer-explain-no-long-response", "none-from");
    };
    let longest = seconds(longest / 1e3);
    match of("every") {
        Some(every) => said("answer-explain-stutter", "least")
            .map(|it| it.with("every", seconds(every)).with("longest", longest)),
        None => {
            let why = why_not(result, "long-responses.every")?;
            let key = match &why {
                Quantity::Why(why) => why.key().unwrap_or_default(),
                _ => "",
            };
            let key = match key {
                "why-few-long-responses" => "answer-explain-few-long-responses",
                "why-one-place" => "answer-explain-slow-place",
                _ => "answer-explain-long-responses",
            };
            let said = said(key, "least")?;
            // They were seen: no reason why nothing was found.
            Some(said.with("longest", longest).with("because", why))
        }
    }
}

/// How much of a response host, link and controller can have.
pub(super) fn floor(result: &RunResult) -> Option<Statement> {
    let at_most = figure(result, "floor.at-most")?;
    let (floor, lone) = (time(result, "floor.at-most")?, time(result, "lone.read")?);
    let share = floor.as_secs_f64() / lone.as_secs_f64();
    let said = match share <= READY {
        true => Statement::new("answer-explain-floor")
            .with(
                "reads",
                Quantity::Count(samples_of_one_run(result, at_most)),
            )
            .with("share", Quantity::Percent(100.0 * share)),
        false => Statement::new("answer-explain-floor-loose"),
    };
    let said = said.with("floor", Quantity::Time(floor));
    Some(said.with("lone", Quantity::Time(lone)))
}

/// Whether all of the capacity is there.
pub(super) fn capacity(result: &RunResult) -> Option<Statement> {
    let gigabytes = |gb: f64| Quantity::Size(part_of(1e9 * gb, Bytes::new(1)));
    let claimed = gigabytes(value(result, "capacity.claimed")?);
    let Some(kept) = figure(result, "capacity.kept") else {
        return super::without(result, "capacity.kept", "answer-explain-capacity-open");
    };
    let Some(between) = &kept.interval else {
        return Some(Statement::new("answer-explain-capacity-whole").with("claimed", claimed));
    };
    let said = Statement::new("answer-explain-capacity-missing")
        .with("kept", gigabytes(kept.value?))
        .with("high", gigabytes(between.high))
        .with("claimed", claimed);
    Some(said)
}

/// What reads wait for beside writes.
pub(super) fn beside(result: &RunResult) -> Option<Statement> {
    let (alone, beside) = (
        time(result, "beside.alone")?,
        time(result, "beside.writes")?,
    );
    let turns = time(result, "lone.read").is_none_or(|lone| lone > FLASH_BELOW);
    let key = match beside.saturating_sub(alone) > WAITS_FOR_PROGRAMS {
        _ if turns => "answer-explain-beside-disk",
        true => "answer-explain-beside-waits",
        false => "answer-explain-beside-stops",
    };
    let said = Statement::new(key).with("alone", Quantity::Time(alone));
    Some(said.with("beside", Quantity::Time(beside)))
}
