//! Settings shared by several methods, and their meaning.

use base::{Bytes, Duration, Fill, Info, Op, Setting, Settings};

/// A span of `n` microseconds.
pub(crate) const fn micros(n: u64) -> Duration {
    Duration::from_micros(n)
}

/// A span of `n` milliseconds.
pub(crate) const fn millis(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// A span of `n` seconds.
pub(crate) const fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// A setting for a part of the target, from 1 MiB on, or all of it.
pub(crate) const fn part(
    key: &'static str,
    help: &'static str,
    by_scale: [&'static str; 3],
) -> Setting {
    Setting::size_or_whole(key, help, Bytes::mib(1), by_scale)
}

/// Where a method works that is the more telling the more of the target it uses.
pub(crate) const EXTENT: Setting = part(
    "extent",
    "part of the target that is used",
    ["16MiB", "2GiB", "whole"],
);

/// The same of a method that has other uses for the word extent.
pub(crate) const SPAN: Setting = part("span", "part of the target that is used", ["whole"; 3]);

/// How much of the drive is tested, as HD Tune's slider sets it.
pub(crate) const SHORT_STROKE: Setting = part(
    "extent",
    "how much is tested, from the start (short stroke)",
    ["whole"; 3],
);

/// The part that is scanned.
pub(crate) const SCANNED_EXTENT: Setting = part(
    "extent",
    "how much is scanned, from the start",
    ["whole"; 3],
);

/// The part that is written by a method that writes it from the start to the end.
pub(crate) const WRITTEN_EXTENT: Setting = part(
    "extent",
    "how much is written, from the start",
    ["1GiB", "whole", "whole"],
);

/// I/Os in flight of a method that moves large pieces.
pub(crate) const DEPTH: Setting = Setting::count("depth", "queue depth", 1..=256, ["32"; 3]);

/// How long random I/Os last in a benchmark that gives one number for them.
pub(crate) const RANDOM_TIME: Setting = Setting::time(
    "time",
    "length of each random run",
    millis(10)..=seconds(3_600),
    ["50ms", "1s", "5s"],
);

/// Which directions are measured: see [`ops_of`].
pub(crate) const OPS: Setting = Setting::choice(
    "ops",
    "directions; as-allowed includes writes if the target is writable",
    &["as-allowed", "read-write", "read", "write"],
    ["as-allowed"; 3],
);

/// Whether the part in use is written before it is read: see [`prepares`].
pub(crate) const PREPARE: Setting = Setting::choice(
    "prepare",
    "write the part in use sequentially first, if the target is writable",
    &["yes", "no"],
    ["yes"; 3],
);

/// What is written: see [`fill_of`].
pub(crate) const DATA: Setting = Setting::choice(
    "data",
    "contents of writes",
    &["random", "zeros"],
    ["random"; 3],
);

/// The directions selected by [`OPS`], reads first.
pub(crate) fn ops_of(settings: &Settings, on: &Info) -> Vec<Op> {
    match settings.text(OPS.key) {
        "read" => vec![Op::Read],
        "write" => vec![Op::Write],
        "read-write" => vec![Op::Read, Op::Write],
        _ if on.writable => vec![Op::Read, Op::Write],
        _ => vec![Op::Read],
    }
}

/// Whether [`PREPARE`] is set and the target is writable.
pub(crate) fn prepares(settings: &Settings, on: &Info) -> bool {
    on.writable && settings.text(PREPARE.key) == "yes"
}

/// The data selected by [`DATA`].
pub(crate) fn fill_of(settings: &Settings) -> Fill {
    match settings.text(DATA.key) {
        "zeros" => Fill::ZEROS,
        _ => Fill::FRESH,
    }
}

/// The size that a setting gives, cut to the target and to whole blocks.
pub(crate) fn extent(settings: &Settings, key: &str, on: &Info) -> Bytes {
    settings
        .size_or_whole(key, on.capacity)
        .min(on.capacity)
        .round_down(on.block)
}
