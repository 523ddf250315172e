//! Housekeeping: now and then the firmware does something else.
//!
//! Counters and attributes are saved, temperatures read, tables of bad blocks and of wear looked
//! through, blocks tested. Each such chore holds the controller for some time, and no command passes
//! it meanwhile. Reads of an idle drive therefore have a tail of milliseconds, too. The gaps between
//! chores are drawn from an exponential distribution about a mean; a chore takes a minimum time plus
//! an exponentially distributed one.
//!
//! Makers publish that there is such work (power-on hours, media scans, SMART attributes), but not
//! when it is done: a drive file's values are fitted to measured tails, or estimated.

use base::rng::Rng;
use base::time::{Duration, Instant};

use crate::sheet::quantity::{Microseconds, Milliseconds};
use crate::sheet::table::parameters;
use crate::ssd::drive::Drive;

parameters! {
    /// When chores come, and how long they take.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub Chores from HousekeepingConfig ["scatter.housekeeping"] {
        /// Mean time from one to the next.
        every "every_ms": Milliseconds in 0.1..=3_600_000.0;
        /// The least that one takes.
        least "least_us": Microseconds in 0.0..=100_000.0;
        /// What it takes beyond that, in the mean.
        more "more_us": Microseconds in 0.0..=100_000.0, or Duration::ZERO;
    }
}

/// The next chore.
#[derive(Clone, Debug)]
pub(in crate::ssd) struct Housekeeping {
    chores: Chores,
    rng: Rng,
    next: Instant,
    takes: Duration,
}

impl Housekeeping {
    pub(in crate::ssd) fn new(chores: Chores, seed: u64) -> Housekeeping {
        let mut keeping = Housekeeping {
            chores,
            rng: Rng::stream(seed, 0xc40e),
            next: Instant::ZERO,
            takes: Duration::ZERO,
        };
        keeping.plan(Instant::ZERO);
        keeping
    }

    /// Draws when the next chore begins, and how long it takes.
    fn plan(&mut self, from: Instant) {
        let times = |mean: Duration, draw: f64| Duration::from_secs_f64(mean.as_secs_f64() * draw);
        self.next = from + times(self.chores.every, self.rng.exponential());
        self.takes = self.chores.least + times(self.chores.more, self.rng.exponential());
    }

    /// When the controller is free again for a command that comes now, where a chore holds it.
    #[inline]
    fn holds(&mut self, now: Instant) -> Option<Instant> {
        if now < self.next {
            return None;
        }
        let mut end = self.next + self.takes;
        while now >= self.next {
            end = self.next + self.takes;
            self.plan(end);
        }
        (end > now).then_some(end)
    }
}

impl Drive {
    /// A command comes to the controller: it waits for the chore that holds it, if any.
    #[inline]
    pub(in crate::ssd) fn keep_house(&mut self, now: Instant) {
        if let Some(keeping) = &mut self.mechanisms.housekeeping
            && let Some(end) = keeping.holds(now)
        {
            self.front.controller.held_until(end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chores_hold_the_controller_for_their_share_of_the_time() {
        let chores = Chores {
            every: Duration::from_millis(10),
            least: Duration::from_micros(200),
            more: Duration::from_micros(300),
        };
        let mut keeping = Housekeeping::new(chores, 5);
        let mut held = 0;
        let mut until = Instant::ZERO;
        for at in 0..1_000_000 {
            let now = Instant::from_nanos(at * 10_000);
            if let Some(end) = keeping.holds(now) {
                until = end;
            }
            held += u32::from(now < until);
        }
        // 0.5 ms in 10.5.
        let share = f64::from(held) / 1e6;
        assert!((share - 0.0476).abs() < 0.004, "{share}");
    }
}
