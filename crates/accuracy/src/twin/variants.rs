//! Ways in which a drive may differ from all that its kind leaves open.
//!
//! A kind has what most of its drives do. Some firmware does otherwise, and then no value inside the kind's ranges comes near:
//! a drive that collects in steps lets sixty writes through at full speed and then none for eight milliseconds, one that
//! collects evenly makes each of them wait a millisecond, and both write as many a second. So a few such ways are tried
//! beside the kind's own, each with a value or two of its range. The one that brings the figures nearest, by enough, is taken,
//! and its value is searched like those that the kind leaves open.
//!
//! Other ways show only after gigabytes: where the same addresses are overwritten for an hour, collection that keeps
//! what it moves apart has less and less to do, one that does not has always the same. Shortened workloads say nothing
//! of them, so they are tried at full length, after the fit.

/// One way.
pub(super) struct Variant {
    /// The value that makes it, by its path.
    pub(super) key: &'static str,
    /// What is tried of it.
    pub(super) tried: &'static [i64],
    /// Its range.
    pub(super) within: [f64; 2],
    /// What it is, for the drive's file.
    pub(super) why: &'static str,
}

/// All of them. A drive that has no such section refuses the value, and is left as it is.
pub(super) const VARIANTS: &[Variant] = &[Variant {
    key: "ssd.background.collect_step_kib",
    tried: &[64, 256, 1_024],
    // A Crucial MX200 does 232 KiB at once.
    within: [16.0, 2_048.0],
    why: "the measured writes are nearer where collection goes in steps than as its kind has it",
}];

/// A way that shows only at full length.
pub(super) struct AtLength {
    /// The value that makes it, by its path; it is whole.
    pub(super) key: &'static str,
    pub(super) value: f64,
    /// What drives have that do not say.
    pub(super) usual: f64,
    /// What the rates of writes are in proportion to, where it was fitted: it is set anew, once.
    pub(super) rates_follow: &'static str,
}

/// All of them.
pub(super) const AT_LENGTH: &[AtLength] = &[AtLength {
    key: "ssd.background.write_streams",
    value: 1.0,
    usual: 2.0,
    rates_follow: "ssd.nand.sustained_share",
}];
