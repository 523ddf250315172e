//! Sleep of an idle processor: the deeper it sleeps, the longer it takes to wake.
//!
//! A processor without work stops its clock (C1), then lets caches and voltage go (C3, C6 and
//! deeper). Leaving a state takes from 2 us to almost a millisecond, and the interrupt that ends an
//! I/O has to wait for it. Which state is entered is decided beforehand by how long the sleep is
//! expected to last. Linux's *menu* governor (drivers/cpuidle/governors/menu.c) takes the deepest
//! state whose *residency*, the time from which it saves anything, is not longer than that, and,
//! where a task waits for an I/O, whose exit takes no more than an eleventh of it. So a queue of
//! one on an SSD sleeps lightly, and one on a disk of 10 ms an access wakes from the deepest state
//! that takes less than 0.9 ms.
//!
//! The governor expects the shorter of two things. One is the time until the next timer, by a factor
//! that follows what sleeps really lasted and moves by an eighth with each; the running mean of the
//! sleeps stands for it here. The other is the *typical interval*: the mean of the last eight sleeps,
//! where they are alike (a deviation of 20 us at most, or of a sixth of the mean); if they are not,
//! the longest of them is left out, and then the next, as long as six are left. So long waits are
//! forgotten after six short ones, where the running mean alone would remember one of 10 ms for
//! thirty.
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

/// The share of the expected sleep, as 1 in this many, that an exit may take while a task waits for an I/O.
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

/// Sleeps that are looked at for the typical interval, and how few of them may be left.
const REMEMBERED: usize = 8;
const LEAST: usize = 6;

/// Sleeps are alike where they deviate by no more than this, in nanoseconds.
const ALIKE: u128 = 20_000;
/// Or if their mean is more than this many deviations.
const DEVIATIONS: u128 = 6;

/// One processor's sleeps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sleeper {
    /// Running mean of its sleeps, in nanoseconds.
    mean: u64,
    /// The last sleeps, in nanoseconds, and where the next one goes.
    last: [u64; REMEMBERED],
    next: usize,
}

impl Sleeper {
    /// It slept for so long; gives what waking takes.
    pub(super) fn wake(&mut self, states: &IdleStates, slept: Duration) -> Duration {
        if *states == IdleStates::default() {
            return Duration::ZERO;
        }
        let exit = self.exit(states);
        let slept = slept.as_nanos();
        self.mean = (7 * self.mean + slept) / 8;
        self.last[self.next] = slept;
        self.next = (self.next + 1) % REMEMBERED;
        exit
    }

    /// What waking takes from the sleep that was expected.
    fn exit(&self, states: &IdleStates) -> Duration {
        let by_mean = states.exit(Duration::from_nanos(self.mean));
        // A shorter sleep is no deeper: where nothing is entered, nothing has to be worked out.
        if by_mean.is_zero() {
            return by_mean;
        }
        let typical = typical(self.last).unwrap_or(u64::MAX);
        states.exit(Duration::from_nanos(typical.min(self.mean)))
    }
}

/// What sleeps last, in nanoseconds, if all but two at most are alike.
fn typical(mut sleeps: [u64; REMEMBERED]) -> Option<u64> {
    sleeps.sort_unstable();
    (LEAST..=REMEMBERED).rev().find_map(|n| {
        let (count, sum, squares) = sleeps[..n]
            .iter()
            .fold((0, 0, 0), |(n, sum, squares), &ns| {
                let ns = u128::from(ns.min(MOST));
                (n + 1, sum + ns, squares + ns * ns)
            });
        // The mean and the variance, both times the count, or its square.
        let variance = count * squares - sum * sum;
        let alike = variance <= (ALIKE * count).pow(2);
        let alike = alike || sum * sum > DEVIATIONS.pow(2) * variance;
        alike.then_some((sum / count) as u64)
    })
}

/// A sleep counts as no longer than this, a thousand seconds: no state asks for more.
const MOST: u64 = 1_000_000_000_000;

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
    fn a_processor_that_sleeps_long_wakes_from_the_deepest_state() {
        let mut sleeper = Sleeper::default();
        let ten = Duration::from_micros(10_000);
        assert_eq!(sleeper.wake(&states(), ten), Duration::ZERO);
        for _ in 0..20 {
            sleeper.wake(&states(), ten);
        }
        assert_eq!(sleeper.wake(&states(), ten), Duration::from_micros(200));
    }

    #[test]
    fn six_short_sleeps_make_it_forget_long_ones() {
        let mut sleeper = Sleeper::default();
        for _ in 0..40 {
            sleeper.wake(&states(), Duration::from_micros(10_000));
        }
        let exits: Vec<u64> = (0..8)
            .map(|_| {
                sleeper
                    .wake(&states(), Duration::from_micros(50))
                    .as_nanos()
                    / 1_000
            })
            .collect();
        assert_eq!(exits, [200, 200, 200, 200, 200, 200, 0, 0]);
    }

    #[test]
    fn two_long_sleeps_among_eight_are_not_expected_again() {
        let mut sleeper = Sleeper::default();
        for n in 0..80 {
            let slept = if n % 4 == 0 { 20_000 } else { 60 };
            let exit = sleeper.wake(&states(), Duration::from_micros(slept));
            assert!(n < 8 || exit.is_zero(), "sleep {n}");
        }
    }

    #[test]
    fn sleeps_of_all_lengths_have_no_typical_one() {
        let us = |us: [u64; 8]| typical(us.map(|us| us * 1_000)).map(|ns| ns / 1_000);
        assert_eq!(us([1_000, 5_000, 100, 20_000, 7, 400, 60, 2_500]), None);
        // Six within 20 us of each other, and two that are left out.
        assert_eq!(us([90, 9_000, 100, 110, 90, 4_000, 100, 110]), Some(100));
        // Eight that differ by less than a sixth.
        assert_eq!(
            us([9_000, 10_000, 11_000, 10_000, 9_000, 11_000, 10_000, 10_000]),
            Some(10_000)
        );
        assert_eq!(typical([u64::MAX; 8]), Some(MOST));
    }
}
