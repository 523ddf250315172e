//! Looking at a phase while it runs, and hearing that somebody wants it to stop.
//!
//! A look is due when so much of the target's own time has passed. On a modelled drive that may take long in
//! ours: a target that answers each nanosecond does a thousand million I/Os in its second. So the wish to
//! stop is asked for after a number of I/Os, too; that costs one comparison an I/O, changes nothing that is
//! kept, and so nothing of a phase that runs to its end.

use crate::record::PhaseRecord;
use crate::time::{Duration, Instant};

/// I/Os between two questions whether to stop: a small part of a second on any target.
const IOS: usize = 16_384;

/// Sees a phase while it runs.
pub trait Watcher {
    /// How often it wants to look, in the target's time.
    fn every(&self) -> Duration;

    /// Looks at the record so far; says whether to go on.
    fn look(&mut self, live: &Live<'_>) -> Verdict;

    /// True where the phase is to stop; asked between looks, and cheap.
    fn wants_to_stop(&self) -> bool {
        false
    }
}

/// A phase while it runs.
#[derive(Debug)]
pub struct Live<'a> {
    /// What was kept so far; `took` is the time so far.
    pub record: &'a PhaseRecord,
    /// I/Os in flight now.
    pub in_flight: u32,
    /// Time since an I/O came back last, or since the phase began.
    pub quiet: Duration,
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Go on.
    Continue,
    /// Stop issuing, drain, and end the phase as interrupted.
    Stop,
}

/// A watcher that never looks.
#[derive(Debug, Default)]
pub struct Unwatched;

impl Watcher for Unwatched {
    fn every(&self) -> Duration {
        Duration::MAX
    }
    fn look(&mut self, _: &Live<'_>) -> Verdict {
        Verdict::Continue
    }
}

/// When the next look is due.
pub(super) struct Looks {
    every: Duration,
    next: Instant,
    last_done: Instant,
    /// I/Os that came back since the watcher was asked whether to stop.
    ios: usize,
}

impl Looks {
    pub(super) fn new(watcher: &dyn Watcher, began: Instant) -> Looks {
        let every = watcher.every();
        Looks {
            every,
            next: began.saturating_add(every),
            last_done: began,
            ios: 0,
        }
    }

    /// When.
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// I/Os came back; true where the watcher is to be asked whether to stop.
    #[inline]
    pub(super) fn came_back(&mut self, ios: usize, now: Instant) -> bool {
        if ios > 0 {
            self.last_done = now;
        }
        self.ios += ios;
        let ask = self.ios >= IOS;
        if ask {
            self.ios = 0;
        }
        ask
    }

    /// True where a look is due, which is then taken.
    #[inline]
    pub(super) fn are_due(&mut self, now: Instant) -> bool {
        let due = now >= self.next;
        if due {
            self.next = now.saturating_add(self.every);
        }
        due
    }

    /// Time since an I/O came back.
    pub(super) fn quiet(&self, now: Instant) -> Duration {
        now.since(self.last_done)
    }
}
