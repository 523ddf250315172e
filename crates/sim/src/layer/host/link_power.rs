//! Sleep of the way to an idle drive: link states of SATA, power states of NVMe.
//!
//! A link without commands is let down in steps. SATA knows *partial* (10 us to leave by the
//! specification, 50 measured on an ICH8M) and *slumber* (10 ms; 3.5 measured). The kernel moves an
//! NVMe drive by itself between its power states, or tells it the times (*APST*): since 2021, after
//! 100 ms of rest into the deepest state that takes 15 ms to enter and leave, after 2 s into the
//! deepest that takes 100 ms (drivers/nvme/host/core.c). The first command after a rest waits for
//! the way back; all others are as before. How long that takes is the drive's own, so a host's file
//! has a value of its class.

use base::time::{Duration, Instant};

use crate::sheet::quantity::{Microseconds, Milliseconds};
use crate::sheet::table::parameters;

parameters! {
    /// Two steps of sleep.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub LinkPower from LinkPowerConfig {
        /// Rest before the lighter step.
        light_after "light_after_ms": Milliseconds in 0.0..=1e6;
        /// Leaving it; 0: there is no such step.
        light_exit "light_exit_us": Microseconds in 0.0..=1e6;
        /// Rest before the deeper step.
        deep_after "deep_after_ms": Milliseconds in 0.0..=1e6;
        /// Leaving it; 0: there is no such step.
        deep_exit "deep_exit_us": Microseconds in 0.0..=1e6;
    }
}

/// The way to one drive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    power: LinkPower,
    /// Commands at the drive or on their way to it.
    commands: u32,
    idle_since: Instant,
    /// Commands may go from then on.
    ready: Instant,
}

impl Link {
    pub(super) fn new(power: LinkPower) -> Link {
        Link {
            power,
            commands: 0,
            idle_since: Instant::ZERO,
            ready: Instant::ZERO,
        }
    }

    /// A command is to go at a time; gives when it can.
    #[inline]
    pub(super) fn takes(&mut self, at: Instant) -> Instant {
        if self.commands == 0 {
            let exit = self.exit(at.since(self.idle_since));
            if !exit.is_zero() {
                self.ready = at + exit;
            }
        }
        self.commands += 1;
        at.max(self.ready)
    }

    /// The drive has finished one.
    #[inline]
    pub(super) fn finished(&mut self, at: Instant) {
        self.commands -= 1;
        self.idle_since = at;
    }

    /// The power is gone.
    pub(super) fn power_cut(&mut self, at: Instant) {
        *self = Link {
            idle_since: at,
            ready: at,
            commands: 0,
            ..*self
        };
    }

    fn exit(&self, rested: Duration) -> Duration {
        let p = &self.power;
        if !p.deep_exit.is_zero() && rested >= p.deep_after {
            p.deep_exit
        } else if !p.light_exit.is_zero() && rested >= p.light_after {
            p.light_exit
        } else {
            Duration::ZERO
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn the_first_command_after_a_rest_waits_for_the_link_and_those_beside_it_too() {
        let mut link = Link::new(LinkPower {
            light_after: Duration::from_millis(100),
            light_exit: Duration::from_millis(2),
            deep_after: Duration::from_millis(2_000),
            deep_exit: Duration::from_millis(6),
        });
        assert_eq!(link.takes(at(99)), at(99));
        link.finished(at(100));
        assert_eq!(link.takes(at(200)), at(202));
        assert_eq!(link.takes(at(201)), at(202));
        assert_eq!(link.takes(at(203)), at(203));
        for _ in 0..3 {
            link.finished(at(300));
        }
        assert_eq!(link.takes(at(2_300)), at(2_306));
    }

    #[test]
    fn a_link_that_never_sleeps_takes_nothing() {
        let mut link = Link::new(LinkPower::default());
        assert_eq!(link.takes(at(1_000_000)), at(1_000_000));
        // Of another processor, asked later for an earlier time.
        assert_eq!(link.takes(at(999_999)), at(999_999));
    }
}
