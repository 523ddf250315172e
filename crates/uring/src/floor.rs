//! What the ring itself costs: no-ops, which the kernel completes at once.
//!
//! No I/O through the ring can be faster than this on the same machine. Compared with a measured rate it shows how much
//! of the time belongs to the kernel's file and block layers and how much to the submission path.

use std::io;

use base::record::Latencies;
use base::time::Duration;

use crate::clock::Clock;
use crate::raw::{self, RawRing, Request};

/// Processor time that the whole process has used since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTime {
    /// In the program.
    pub user: Duration,
    /// In the kernel on the program's behalf.
    pub system: Duration,
}

impl CpuTime {
    /// So far, from `getrusage`.
    pub fn of_this_process() -> CpuTime {
        let (user, system) = raw::process_cpu_nanos();
        CpuTime {
            user: Duration::from_nanos(user),
            system: Duration::from_nanos(system),
        }
    }

    /// What was used since `earlier`.
    #[must_use]
    pub fn since(self, earlier: CpuTime) -> CpuTime {
        CpuTime {
            user: self.user.saturating_sub(earlier.user),
            system: self.system.saturating_sub(earlier.system),
        }
    }

    /// User and system time together.
    pub fn total(self) -> Duration {
        self.user + self.system
    }
}

/// No-ops through the ring, and their cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Floor {
    /// How many.
    pub ops: u64,
    /// What they cost.
    pub cpu: CpuTime,
}

impl Floor {
    /// No-ops a second of processor time.
    pub fn per_cpu_second(&self) -> f64 {
        self.ops as f64 / self.cpu.total().as_secs_f64().max(1e-9)
    }
}

/// Sends batches of `depth` no-ops through a ring for a time.
///
/// # Errors
/// Where there is no io_uring.
pub fn noop_rate(depth: u32, time: Duration) -> io::Result<Floor> {
    let depth = depth.max(1);
    let nothing = std::fs::File::open("/dev/null")?;
    let mut ring = RawRing::new(nothing.into(), depth, raw::PAGE).map_err(|(_, error)| error)?;
    let clock = Clock::starting_now();
    let before = CpuTime::of_this_process();
    let mut ops = 0;
    while clock.now().as_nanos() < time.as_nanos() {
        for slot in 0..depth {
            ring.push(slot, Request::Nop);
        }
        ring.enter(depth, None)?;
        ring.reap(|_| ops += 1);
    }
    Ok(Floor {
        ops,
        cpu: CpuTime::of_this_process().since(before),
    })
}

/// Wake-up delay of this thread when it repeatedly sleeps for a millisecond, over a time.
pub fn wake_ups(time: Duration) -> Latencies {
    let clock = Clock::starting_now();
    let mut late = Latencies::default();
    while clock.now().as_nanos() < time.as_nanos() {
        let due = clock.now() + Duration::from_millis(1);
        clock.sleep_until(due);
        late.keep(clock.now().since(due));
    }
    late
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_no_op_comes_back() {
        let Ok(floor) = noop_rate(7, Duration::from_millis(1)) else {
            fixtures::skip::skip("every_no_op_comes_back", "no io_uring here");
            return;
        };
        assert!(floor.ops >= 7 && floor.ops.is_multiple_of(7), "{floor:?}");
    }

    #[test]
    fn a_sleeper_is_never_woken_early_and_each_sleep_is_counted() {
        let late = wake_ups(Duration::from_millis(5));
        assert!((1..=5).contains(&late.count()), "{}", late.count());
        assert!(wake_ups(Duration::ZERO).is_empty());
    }
}
