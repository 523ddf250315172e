//! I/Os of a trace, recorded on another computer and drive. The formats are read and written by the crate `traces`;
//! this module defines what a replay needs.
//!
//! **Times.** An I/O of a trace was sent at one time and, if the format has completions, completed at another. A time
//! is measured since the first line, with ties ordered by position in the trace: so the order of events in the same
//! microsecond is kept. *B followed A* if A completed before B was sent; that is all that a trace shows about
//! dependencies (Mesnier et al., "//TRACE: parallel trace replay with approximate causal events", FAST 2007, call it
//! the happens-before of a trace; an apparent dependency may be coincidence, but none is missed).

use crate::io::{Fill, Io, Op};
use crate::rng::splitmix64;
use crate::time::Duration;

/// A time in a trace: since the first line, with ties ordered by position in the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Since the trace began.
    pub at: Duration,
    /// Line of the trace; 0 for a completion whose position in the trace is unknown, which counts as before everything
    /// sent at the same time.
    pub line: u64,
}

/// One I/O of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traced {
    pub sent: Moment,
    /// Its completion time, if the trace has it.
    pub done: Option<Moment>,
    pub io: Io,
    /// Which of the trace's drives, as a number made from its name.
    pub device: u64,
    /// Its line stands too far behind those that were sent later: it is sent with the last of them.
    pub late: bool,
}

/// I/Os of a trace as they come, in order of their sending.
pub type Source<'a> = Box<dyn Iterator<Item = Result<Traced, BadTrace>> + Send + 'a>;

/// The data of replayed writes: a trace has none, so each write gets bytes of its own, made from the seed and its number.
#[derive(Clone, Copy, Debug)]
pub struct Stamps {
    number: u64,
    fill: Fill,
}

impl Stamps {
    /// The data of a replay with this seed.
    pub const fn new(seed: u64, fill: Fill) -> Stamps {
        Stamps { number: seed, fill }
    }

    /// The next I/O with its data; one that writes nothing is left as it is.
    pub fn stamp(&mut self, io: Io) -> Io {
        if io.op != Op::Write {
            return io;
        }
        self.number = self.number.wrapping_add(1);
        Io {
            fill: self.fill,
            stamp: splitmix64(self.number),
            ..io
        }
    }
}

/// A line that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct BadTrace {
    /// Which line, from 1.
    pub line: u64,
    /// What was found, and what was expected.
    pub what: String,
}
