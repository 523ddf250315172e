//! The options of a target's name, checked one by one.

use base::fault::Faults;
use base::size::Bytes;
use base::time::{Duration, Instant};
use base::workload::Span;
use uring::open::{Engine, Options, Sync};

use super::asking::Asking;
use crate::error::LabError;
use crate::grammar::Options as NameOptions;

/// Options of a real path.
#[derive(Clone, Debug, Default)]
pub(super) struct RealOptions {
    pub(super) size: Option<Bytes>,
    pub(super) span: Option<Bytes>,
    pub(super) buffered: bool,
    pub(super) sync: bool,
    pub(super) engine: Engine,
    /// How the drive's health is asked during a run.
    pub(super) health: Asking,
}

impl RealOptions {
    /// Checks the sizes against what there is: `has` bytes of a device or a file of the user's, or a
    /// directory (`None`). A size that does not fit is an error, never silently another one.
    pub(super) fn check(&self, target: &str, has: Option<Bytes>) -> Result<(), LabError> {
        let refuse = |what: String| Err(option_error(target, what));
        let nothing = Some(Bytes::ZERO);
        match (has, self.size, self.span) {
            (_, size, span) if size == nothing || span == nothing => {
                refuse("a size of 0 leaves nothing to measure".to_owned())
            }
            (None, _, Some(_)) => refuse(
                "span is a part of a device or of a file of yours; for a directory, size says how large the test file is".to_owned(),
            ),
            (Some(_), Some(_), _) => refuse(
                "size is for a test file in a directory; for a device or a file of yours, span is the part that is used".to_owned(),
            ),
            (Some(has), _, Some(span)) if span > has => {
                refuse(format!("a span of {span} does not fit: there are {has}"))
            }
            _ => Ok(()),
        }
    }
}

/// What is wrong with an option of a target.
pub(super) fn option_error(target: &str, what: String) -> LabError {
    LabError::Option {
        target: target.to_owned(),
        what,
    }
}

/// The layers that there are.
pub(super) const LAYERS: [&str; 5] = ["raid0", "rapid", "delay", "contents", "fault"];

/// A layer that there is not.
pub(super) fn unknown_layer(target: &str, name: &str) -> LabError {
    let meant = crate::error::did_you_mean(&base::nearest::nearest(name, &LAYERS));
    let what = format!(
        "there is no layer '{name}'{meant}; there are {}",
        LAYERS.join(", ")
    );
    option_error(target, what)
}

/// Options of drives that people write behind a layer.
const OF_DRIVES: [&str; 2] = ["host", "state"];

fn is_layer(target: &str, layer: &str) -> bool {
    let behind = target.strip_prefix(layer);
    behind.is_some_and(|behind| behind.starts_with('('))
}

/// An option that a target does not take, with the nearest ones.
pub(super) fn unknown_option(target: &str, key: &str, known: &[&str]) -> LabError {
    if let Some(layer) = LAYERS.iter().find(|layer| is_layer(target, layer))
        && OF_DRIVES.contains(&key)
    {
        let what = format!(
            "'?{key}=' is an option of the drive, so it stands within: {layer}(model:DRIVE?{key}=...)"
        );
        return option_error(target, what);
    }
    let meant = crate::error::did_you_mean(&base::nearest::nearest(key, known));
    option_error(
        target,
        format!("no option '{key}'{meant}; it takes {}", known.join(", ")),
    )
}

/// An option's value.
pub(super) fn parse<T: std::str::FromStr>(
    target: &str,
    key: &str,
    value: &str,
) -> Result<T, LabError>
where
    T::Err: std::fmt::Display,
{
    value
        .parse()
        .map_err(|e| option_error(target, format!("{key}: {e}")))
}

/// The longest time that something is held back for: many of them together still end before the clock
/// of virtual time does.
const LONGEST: Duration = Duration::from_secs(3_600);

/// An option that is a time.
pub(super) fn time(target: &str, key: &str, value: &str) -> Result<Duration, LabError> {
    let time = parse(target, key, value)?;
    if time > LONGEST {
        return Err(option_error(
            target,
            format!("{key}: {value} is too long, 1h is the most"),
        ));
    }
    Ok(time)
}

/// The options of `fault(...)`.
pub(super) fn faults_of(target: &str, options: &NameOptions) -> Result<Faults, LabError> {
    const KNOWN: [&str; 16] = [
        "errors",
        "short",
        "delays",
        "delay",
        "stutter",
        "stutter_every",
        "sleeps_after",
        "wakes_in",
        "gone_after",
        "read_only_after",
        "bad",
        "unreadable",
        "slow",
        "slow_by",
        "keeps",
        "seed",
    ];
    let mut faults = Faults::default();
    for (key, value) in options {
        match key.as_str() {
            "errors" => faults.errors_per_million = parse(target, key, value)?,
            "short" => faults.short_per_million = parse(target, key, value)?,
            "delays" => faults.delays_per_million = parse(target, key, value)?,
            "delay" => faults.delay = time(target, key, value)?,
            "stutter" => faults.stutter = time(target, key, value)?,
            "stutter_every" => faults.stutter_every = time(target, key, value)?,
            "sleeps_after" => faults.sleeps_after = time(target, key, value)?,
            "wakes_in" => faults.wakes_in = time(target, key, value)?,
            // A number of I/Os, or a time.
            "gone_after" => match value.parse() {
                Ok(ios) => faults.gone_after = Some(ios),
                Err(_) => faults.gone_at = Some(Instant::ZERO + time(target, key, value)?),
            },
            "read_only_after" => faults.read_only_after = Some(parse(target, key, value)?),
            "seed" => faults.seed = parse(target, key, value)?,
            "bad" => faults.bad = spans(target, key, value)?,
            "unreadable" => faults.unreadable = spans(target, key, value)?,
            "slow" => faults.slow = spans(target, key, value)?,
            "slow_by" => faults.slow_by = time(target, key, value)?,
            "keeps" => faults.keeps = Some(parse(target, key, value)?),
            _ => return Err(unknown_option(target, key, &KNOWN)),
        }
    }
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

/// Several of `START+LENGTH`.
pub(super) fn spans(target: &str, key: &str, value: &str) -> Result<Vec<Span>, LabError> {
    value
        .split(',')
        .map(|text| span(target, key, text))
        .collect()
}

/// `START+LENGTH`.
fn span(target: &str, key: &str, value: &str) -> Result<Span, LabError> {
    let (start, len) = value.split_once('+').ok_or_else(|| {
        option_error(
            target,
            format!("{key}: write START+LENGTH, such as 1MiB+4KiB"),
        )
    })?;
    let (start, len): (Bytes, Bytes) = (parse(target, key, start)?, parse(target, key, len)?);
    // Cut off where addresses end.
    let most = Bytes::new(u64::MAX - start.get());
    Ok(Span::new(start, len.min(most)))
}

/// The options of a path.
pub(super) fn real_options(target: &str, options: &NameOptions) -> Result<RealOptions, LabError> {
    const KNOWN: [&str; 6] = ["size", "buffered", "span", "sync", "engine", "health"];
    let mut real = RealOptions::default();
    let yes_no = |key: &str, value: &str| match value {
        "yes" | "true" | "1" => Ok(true),
        "no" | "false" | "0" => Ok(false),
        _ => Err(option_error(
            target,
            format!("{key} is yes or no, not '{value}'"),
        )),
    };
    for (key, value) in options {
        match key.as_str() {
            "size" => real.size = Some(parse(target, key, value)?),
            "span" => real.span = Some(parse(target, key, value)?),
            "buffered" => real.buffered = yes_no(key, value)?,
            "sync" => real.sync = yes_no(key, value)?,
            "health" => real.health = parse(target, key, value)?,
            "engine" => {
                real.engine = match value.as_str() {
                    "auto" => Engine::Auto,
                    "uring" => Engine::Uring,
                    "psync" => Engine::Psync,
                    _ => {
                        return Err(option_error(
                            target,
                            format!("engine is auto, uring or psync, not '{value}'"),
                        ));
                    }
                }
            }
            _ => return Err(unknown_option(target, key, &KNOWN)),
        }
    }
    Ok(real)
}

/// How the engine of such a target is opened.
pub(super) fn engine_options(real: &RealOptions, read_only: bool) -> Options {
    let sync = if real.sync { Sync::OSync } else { Sync::None };
    Options {
        buffered: real.buffered,
        sync,
        read_only,
        engine: real.engine,
        ..Options::default()
    }
}
