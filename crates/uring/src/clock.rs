//! The machine's clock, as nanoseconds since a target was opened.
//!
//! `CLOCK_MONOTONIC` is read without entering the kernel (about 25 ns on a machine whose time stamp
//! counter is steady) and is the clock by which io_uring measures its timeouts.

use std::num::NonZeroU64;

use base::time::Instant;
use rustix::time::{ClockId, Timespec, clock_gettime};

/// A clock that began at zero when it was made.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin_nanos: u64,
}

impl Clock {
    /// Also reduces this thread's timer slack: by default it may sleep 50 us longer than requested, which an open loop
    /// would count as response time of the drive.
    pub fn starting_now() -> Clock {
        // Only a wish: without it the thread wakes later.
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        Clock {
            origin_nanos: machine_nanos(),
        }
    }

    /// Time since it was made.
    #[inline]
    pub fn now(self) -> Instant {
        Instant::from_nanos(machine_nanos().saturating_sub(self.origin_nanos))
    }

    /// The machine's own nanoseconds of a moment.
    pub(crate) fn machine_time(self, at: Instant) -> u64 {
        at.as_nanos().saturating_add(self.origin_nanos)
    }

    /// A time on the machine's clock in nanoseconds; the origin for earlier times.
    pub(crate) fn of_machine_time(self, nanos: u64) -> Instant {
        Instant::from_nanos(nanos.saturating_sub(self.origin_nanos))
    }

    /// Returns no earlier than `until`, on signals neither.
    pub fn sleep_until(self, until: Instant) {
        let nanos = self.machine_time(until);
        let at = Timespec {
            tv_sec: (nanos / 1_000_000_000) as i64,
            tv_nsec: (nanos % 1_000_000_000) as i64,
        };
        while rustix::thread::clock_nanosleep_absolute(ClockId::Monotonic, &at).is_err() {
            if self.now() >= until {
                return;
            }
        }
    }
}

/// The machine's own nanoseconds.
#[inline]
pub(crate) fn machine_nanos() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    // Since the machine was started: never negative.
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
