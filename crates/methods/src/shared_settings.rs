//! Settings that several methods have, and what they mean.

use base::io::{Fill, Op};
use base::method::{Kind, SettingCard, Settings};
use base::size::Bytes;
use base::target::Info;

/// A part of the target, from 1 MiB on, or all of it.
pub(crate) const PART: Kind = Kind::Size {
    min: Bytes::mib(1),
    max: Bytes::new(u64::MAX),
    or_whole: true,
};

/// Which directions are measured: see [`ops_of`].
pub(crate) const OPS: SettingCard = SettingCard {
    key: "ops",
    help: "directions; as-allowed writes where the target may be written",
    kind: Kind::Choice(&["as-allowed", "read-write", "read", "write"]),
    by_scale: ["as-allowed", "as-allowed", "as-allowed"],
};

/// Whether the part in use is written before it is read: see [`prepares`].
pub(crate) const PREPARE: SettingCard = SettingCard {
    key: "prepare",
    help: "write the part in use in order before, where the target may be written",
    kind: Kind::Choice(&["yes", "no"]),
    by_scale: ["yes", "yes", "yes"],
};

/// What is written: see [`fill_of`].
pub(crate) const DATA: SettingCard = SettingCard {
    key: "data",
    help: "what is written",
    kind: Kind::Choice(&["random", "zeros"]),
    by_scale: ["random", "random", "random"],
};

/// The directions that [`OPS`] asks for, reads first.
pub(crate) fn ops_of(settings: &Settings, on: &Info) -> Vec<Op> {
    match settings.text(OPS.key) {
        "read" => vec![Op::Read],
        "write" => vec![Op::Write],
        "read-write" => vec![Op::Read, Op::Write],
        _ if on.writable => vec![Op::Read, Op::Write],
        _ => vec![Op::Read],
    }
}

/// True where [`PREPARE`] asks for it and the target may be written.
pub(crate) fn prepares(settings: &Settings, on: &Info) -> bool {
    on.writable && settings.text(PREPARE.key) == "yes"
}

/// The data that [`DATA`] asks for.
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
