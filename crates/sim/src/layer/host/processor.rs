//! One processor of a host: its work, in order, and when it is free again.

use std::collections::VecDeque;

use base::target::Outcome;
use base::time::{Duration, Instant};

use super::Computer;
use super::idle::{IdleStates, Sleeper};
use super::noise::Interrupted;

/// What a processor has in hand, ready at a given time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Work {
    /// The drive gets a command.
    Submit {
        /// Its tag.
        inner: u32,
    },
    /// The program gets its answer.
    Complete {
        /// The tag of its I/O.
        outer: u32,
        /// How it ended.
        outcome: Outcome,
    },
}

/// A processor.
#[derive(Debug)]
pub(super) struct Processor {
    /// Its work in order; times never fall, since it does one thing at a time.
    pub(super) work: VecDeque<(Instant, Work)>,
    free: Instant,
    states: IdleStates,
    sleeper: Sleeper,
    interrupted: Interrupted,
}

impl Processor {
    /// The processor of a number, idle.
    pub(super) fn new(computer: &Computer, number: u32) -> Processor {
        Processor {
            work: VecDeque::with_capacity(64),
            free: Instant::ZERO,
            states: computer.idle,
            sleeper: Sleeper::default(),
            interrupted: Interrupted::new(&computer.noise, computer.seed, u64::from(number)),
        }
    }

    /// It works for so long as soon as it can from a time on; gives the end.
    #[inline]
    pub(super) fn works(&mut self, now: Instant, time: Duration) -> Instant {
        let free = self.interrupted.put_off(now, self.free);
        self.free = now.max(free) + time;
        self.free
    }

    /// What waking takes for an interrupt at a time: nothing where it is at work.
    #[inline]
    pub(super) fn wakes(&mut self, at: Instant, wake: Duration) -> Duration {
        if self.free >= at {
            return Duration::ZERO;
        }
        wake + self.sleeper.wake(&self.states, at.since(self.free))
    }

    /// When it has something to do next; the end of time where it has nothing.
    #[inline]
    pub(super) fn next(&self) -> Instant {
        self.work.front().map_or(Instant::MAX, |(at, _)| *at)
    }

    /// The power is gone.
    pub(super) fn power_cut(&mut self, at: Instant) {
        self.work.clear();
        self.free = at;
    }
}
