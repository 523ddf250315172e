//! What every crate speaks of: I/Os, targets, workloads, the run loop, records, units.
//!
//! Units ([`time`], [`size`]), one I/O ([`io`]) and what takes it ([`target`], [`zone`]), what is issued
//! ([`workload`], [`script`]), the one loop that issues it ([`run`]), what is kept of it ([`record`]), traces of other drives
//! ([`trace`]), what a
//! method is ([`method`]) and sees ([`mod@bench`]), and what a run leaves ([`result`], [`chart`]). `base` depends
//! on no other room, owns no clock and no randomness but seeded ones, and does no I/O but for reading a
//! person's file whole ([`whole_file`]).

#[macro_use]
mod whole;

pub mod bench;
pub mod chart;
pub mod conformance;
pub mod errno;
pub mod exit;
pub mod fault;
pub mod health;
pub mod input;
pub mod interrupt;
pub mod io;
pub mod label;
pub mod message;
pub mod method;
pub mod nearest;
pub mod null;
pub mod pauses;
pub mod printable;
pub mod record;
pub mod result;
pub mod rng;
pub mod run;
pub mod script;
pub mod side_by_side;
pub mod size;
pub mod span;
pub mod spread;
pub mod statistic;
pub mod surroundings;
pub mod target;
pub mod time;
pub mod trace;
pub mod whole_file;
pub mod workload;
pub mod zone;
