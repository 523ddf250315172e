//! `fault(target)`: injects faults into modelled and real drives.

use base::fault::Faults;
use base::time::{Duration, Instant};

use crate::error::TargetError;
use crate::grammar::Options;
use crate::options::{
    OptionOf, SPANS, TIME, option, option_error, put, put_some, put_spans, put_time, read,
};
use crate::stack::{Layer, Over};

pub(crate) const FAULT: Layer = Layer {
    name: "fault",
    over: Over::All,
};

const PER_MILLION: &str = "a number of I/Os per million";

const TABLE: &[OptionOf<Faults>] = &[
    option("errors", PER_MILLION, |f, value| {
        put(&mut f.errors_per_million, value)
    }),
    option("short", PER_MILLION, |f, value| {
        put(&mut f.short_per_million, value)
    }),
    option("delays", PER_MILLION, |f, value| {
        put(&mut f.delays_per_million, value)
    }),
    option("delay", TIME, |f, value| put_time(&mut f.delay, value)),
    option("stutter", TIME, |f, value| put_time(&mut f.stutter, value)),
    option("stutter_every", TIME, |f, value| {
        put_time(&mut f.stutter_every, value)
    }),
    option("sleeps_after", TIME, |f, value| {
        put_time(&mut f.sleeps_after, value)
    }),
    option("wakes_in", TIME, |f, value| {
        put_time(&mut f.wakes_in, value)
    }),
    option(
        "gone_after",
        "a number of I/Os, or a time of 1h at most",
        |f, value| {
            if let Ok(ios) = value.parse() {
                f.gone_after = Some(ios);
                return Some(());
            }
            let mut after = Duration::ZERO;
            put_time(&mut after, value)?;
            f.gone_at = Some(Instant::ZERO + after);
            Some(())
        },
    ),
    option("read_only_after", "a number of I/Os", |f, value| {
        put_some(&mut f.read_only_after, value)
    }),
    option("bad", SPANS, |f, value| put_spans(&mut f.bad, value)),
    option("unreadable", SPANS, |f, value| {
        put_spans(&mut f.unreadable, value)
    }),
    option("slow", SPANS, |f, value| put_spans(&mut f.slow, value)),
    option("slow_by", TIME, |f, value| put_time(&mut f.slow_by, value)),
    option("keeps", "a size, such as 1GiB", |f, value| {
        put_some(&mut f.keeps, value)
    }),
    option("seed", "a whole number", |f, value| put(&mut f.seed, value)),
];

/// The faults selected by the options of `fault(...)`.
///
/// # Errors
/// An unknown option, an invalid value, one that needs another.
pub(crate) fn faults_of(target: &str, options: &Options) -> Result<Faults, TargetError> {
    let mut faults = Faults::default();
    read(target, options, TABLE, &mut faults)?;
    let refuse = |what: &str| Err(option_error(target, what.to_owned()));
    if faults.slow.is_empty() != faults.slow_by.is_zero() {
        return refuse(
            "slow says where and slow_by by how much, such as slow=1GiB+64MiB&slow_by=20ms",
        );
    }
    if faults.sleeps_after.is_zero() != faults.wakes_in.is_zero() {
        return refuse(
            "sleeps_after says after which rest and wakes_in how long it takes to wake, such as sleeps_after=1s&wakes_in=60ms",
        );
    }
    if faults.stutter.is_zero() != faults.stutter_every.is_zero()
        || faults.stutter_every < faults.stutter * 2
    {
        return refuse(
            "stutter says how long and stutter_every how often, twice as long at least, such as stutter=300ms&stutter_every=10s",
        );
    }
    Ok(faults)
}
