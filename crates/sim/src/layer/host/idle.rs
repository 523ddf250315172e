//! Sleep of an idle processor: the deeper it sleeps, the longer it takes to wake.
//!
//! A processor without work stops its clock (C1), then lets caches and voltage go (C3, C6 and
//! deeper). Leaving a state takes from 2 us to almost a millisecond, and the interrupt that ends an
//! I/O has to wait for it. Which state is entered is decided beforehand by how long the sleep is
//! expected to last. Linux's *menu* governor (drivers/cpuidle/governors/menu.c) takes the deepest
//! state whose *residency*, the time from which it saves anything, is not longer than that, and,
//! where a task waits for an I/O, whose exit takes no more than an eleventh of it. So a queue of
//! one on an SSD sleeps lightly, and one on a disk of 10 ms an access wakes from the deepest state
//! that takes less than 0.9 ms. The expectation here is the running mean of the last sleeps.
//!
//! What a light sleep costs is part of the driver's `wake_us` already.

use base::time::Duration;

use crate::sheet::quantity::Microseconds;
use crate::sheet::table::parameters;

parameters! {
    /// States that the processor sleeps in, beyond the light ones.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub IdleStates from IdleConfig ["idle"] {
        /// Leaving C3, or the first state beyond C1E.
        c3_exit "c3_exit_us": Microseconds in 0.0..=10_000.0, maybe;
        /// From when on C3 is worth while.
        c3_residency "c3_residency_us": Microseconds in 0.0..=100_000.0, maybe;
        /// Leaving C6.
        c6_exit "c6_exit_us": Microseconds in 0.0..=10_000.0, maybe;
        /// From when on C6 is worth while.
        c6_residency "c6_residency_us": Microseconds in 0.0..=100_000.0, maybe;
        /// Leaving the deepest state.
        deepest_exit "deepest_exit_us": Microseconds in 0.0..=10_000.0, maybe;
        /// From when on the deepest state is worth while.
        deepest_residency "deepest_residency_us": Microseconds in 0.0..=100_000.0, maybe;
    }
}

/// An exit may take one in so many of the expected sleep while a task waits for an I/O.
const WAITING: u64 = 11;

impl IdleStates {
    /// How long waking takes from a sleep that was expected to last so long.
    fn exit(&self, expected: Duration) -> Duration {
        let states = [
            (self.deepest_exit, self.deepest_residency),
            (self.c6_exit, self.c6_residency),
            (self.c3_exit, self.c3_residency),
        ];
        let expected = expected.as_nanos();
        let entered = |(exit, residency): (Option<Duration>, Option<Duration>)| {
            let (exit, residency) = (exit?, residency?);
            let worth = residency.as_nanos() <= expected;
            (worth && exit.as_nanos() * WAITING <= expected).then_some(exit)
        };
        let found = states.into_iter().find_map(entered);
        found.unwrap_or(Duration::ZERO)
    }
}

/// One processor's sleeps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sleeper {
    /// Running mean of its sleeps, in nanoseconds.
    expected: u64,
}

impl Sleeper {
    /// It slept for so long; gives what waking takes.
    pub(super) fn wake(&mut self, states: &IdleStates, slept: Duration) -> Duration {
        if *states == IdleStates::default() {
            return Duration::ZERO;
        }
        let exit = states.exit(Duration::from_nanos(self.expected));
        self.expected = (7 * self.expected + slept.as_nanos()) / 8;
        exit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states() -> IdleStates {
        let us = |us| Some(Duration::from_micros(us));
        IdleStates {
            c3_exit: us(70),
            c3_residency: us(100),
            c6_exit: us(85),
            c6_residency: us(200),
            deepest_exit: us(200),
            deepest_residency: us(800),
        }
    }

    #[test]
    fn a_state_is_entered_where_its_exit_is_short_against_the_sleep_that_is_expected() {
        let exit = |us| states().exit(Duration::from_micros(us)).as_nanos() / 1_000;
        assert_eq!(exit(100), 0);
        assert_eq!(exit(800), 70);
        assert_eq!(exit(1_000), 85);
        assert_eq!(exit(10_000), 200);
    }

    #[test]
    fn the_expectation_follows_the_sleeps() {
        let mut sleeper = Sleeper::default();
        let ten = Duration::from_micros(10_000);
        assert_eq!(sleeper.wake(&states(), ten), Duration::ZERO);
        for _ in 0..20 {
            sleeper.wake(&states(), ten);
        }
        assert_eq!(sleeper.wake(&states(), ten), Duration::from_micros(200));
        for _ in 0..60 {
            sleeper.wake(&states(), Duration::from_micros(50));
        }
        assert_eq!(sleeper.wake(&states(), ten), Duration::ZERO);
    }
}
