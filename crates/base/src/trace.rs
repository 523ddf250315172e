//! I/Os of a trace: what some other computer asked of some other drive. The formats are read and written in a room of
//! their own, `traces`; here is what a replay takes.
//!
//! **Moments.** An I/O of a trace was sent at a moment and, where the format tells, complete at another. A
//! moment is a time since the first line, and at equal times the place in the trace: so the order of what
//! happened in the same microsecond is kept. *B followed A* where A was complete before B was sent; that is
//! all that a trace tells of dependencies (Mesnier et al., "//TRACE: parallel trace replay with approximate
//! causal events", FAST 2007, call it the happens-before of a trace; what it takes for a dependency may be
//! chance, but no dependency is missed).

use crate::io::Io;
use crate::time::Duration;

/// A moment of a trace: since the first line, and at equal times by the place in the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Since the trace began.
    pub at: Duration,
    /// Line of the trace; 0 for a completion whose place in the trace is unknown, which counts as before
    /// whatever was sent at the same time.
    pub line: u64,
}

/// One I/O of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traced {
    pub sent: Moment,
    /// When it was complete, where the trace tells.
    pub done: Option<Moment>,
    pub io: Io,
    /// Which of the trace's drives, as a number made from its name.
    pub device: u64,
}

/// I/Os of a trace as they come, in order of their sending.
pub type Source<'a> = Box<dyn Iterator<Item = Result<Traced, BadTrace>> + Send + 'a>;

/// A line that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct BadTrace {
    /// Which line, from 1.
    pub line: u64,
    /// What was found, and what was expected.
    pub what: String,
}
