//! Observing a phase while it runs, and receiving stop requests.
//!
//! An update is due at intervals of the target's own time. On a modelled drive such an interval may take long in real
//! time: a target with a latency of a nanosecond does a thousand million I/Os per second. So stop requests are also
//! polled after a number of I/Os; this costs one comparison per I/O, changes no recorded data, and so nothing in a
//! phase that runs to its end.

use crate::record::PhaseRecord;
use crate::time::{Duration, Instant};

/// I/Os between two questions whether to stop: a small part of a second on any target.
const IOS: usize = 16_384;

/// Sees a phase while it runs.
pub trait Watcher {
    /// The interval of updates, in the target's time.
    fn every(&self) -> Duration;

    /// Receives the record so far; returns whether to continue.
    fn look(&mut self, live: &Live<'_>) -> Verdict;

    /// True if the phase is to stop; polled between updates, cheap.
    fn wants_to_stop(&self) -> bool {
        false
    }
}

/// A phase while it runs.
#[derive(Debug)]
pub struct Live<'a> {
    /// The record so far; `took` is the time so far.
    pub record: &'a PhaseRecord,
    /// I/Os in flight now.
    pub in_flight: u32,
    /// Time since the last completion, or since the phase began.
    pub quiet: Duration,
}

/// Whether to continue.
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
    /// Whether looks become rarer the longer nothing is sent: in virtual time nobody waits for the next one, and a trace's
    /// gap of years is over in an instant.
    rarer: bool,
    /// Completions since the watcher was last polled for a stop.
    ios: usize,
}

impl Looks {
    pub(super) fn new(watcher: &dyn Watcher, began: Instant, in_virtual_time: bool) -> Looks {
        let every = watcher.every();
        Looks {
            every,
            next: began.saturating_add(every),
            last_done: began,
            rarer: in_virtual_time,
            ios: 0,
        }
    }

    /// When.
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// I/Os completed; true if the watcher is to be polled for a stop.
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

    /// True where a look is due, which is then taken; nothing is in flight where it `rests`.
    #[inline]
    pub(super) fn are_due(&mut self, now: Instant, rests: bool) -> bool {
        let due = now >= self.next;
        if due {
            let every = match self.rarer && rests {
                true => self.every.max(self.quiet(now)),
                false => self.every,
            };
            self.next = now.saturating_add(every);
        }
        due
    }

    /// Time since the last completion.
    pub(super) fn quiet(&self, now: Instant) -> Duration {
        now.since(self.last_done)
    }
}
