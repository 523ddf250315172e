//! What every crate speaks of: I/Os, targets, workloads, the run loop, records, units.
//!
//! Units ([`time`], [`size`]), one I/O ([`io`]) and its targets ([`target`], [`zone`]), workloads ([`workload`],
//! [`script`]), the run loop that issues them ([`run`]), the record ([`record`]), traces ([`trace`]), the interface of
//! methods ([`method`], [`mod@bench`]), and the contents of results ([`result`], [`chart`]). `base` depends on no other
//! crate, has no clock and only seeded randomness, and does no I/O except reading a user's file completely
//! ([`whole_file`]).
//!
//! The words that most crates use are at its root.

#[macro_use]
mod whole;

pub mod bench;
pub mod chart;
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
pub mod phase_name;
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
pub mod state;
pub mod statistic;
pub mod surroundings;
pub mod target;
pub mod time;
pub mod trace;
pub mod whole_file;
pub mod workload;
pub mod write_counters;
pub mod zone;

pub use bench::{Bench, Stopped};
pub use chart::{Chart, Curve};
pub use interrupt::Interrupt;
pub use io::{Fill, Io, Op};
pub use message::{Argument, Message};
pub use method::{Card, Forecast, Group, Method, Needs, OnModels, Scale, Setting, Settings, Takes};
pub use record::{JobRecord, Latencies, PhaseRecord, TrailIo};
pub use result::{Better, Comparable, Figure, MethodOutput};
pub use rng::{Rng, splitmix64};
pub use script::{Script, StepId};
pub use size::{Bytes, Rate};
pub use target::{Info, Target};
pub use time::{Duration, Instant};
pub use workload::{Job, Order, Pacing, Span, Stop, Workload};
