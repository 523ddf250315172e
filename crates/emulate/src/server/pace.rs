//! Whose time a served drive has.
//!
//! Usually it is the machine's. Virtual time does not advance while requests arrive, and jumps to the drive's next
//! event when there are none; its owner may let any amount of it pass. So a day of a mostly idle drive is served in the
//! time that its requests take.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base::time::{Duration, Instant};
use uring::clock::Clock;

/// The time of a drive that is served.
#[derive(Debug)]
pub(super) enum Pace {
    /// The machine's: the drive's time at the clock's zero, and the clock.
    Machine(Instant, Clock),
    Virtual(VirtualTime),
}

impl Pace {
    pub(super) fn now(&self) -> Instant {
        match self {
            Pace::Machine(origin, clock) => *origin + clock.now().since(Instant::ZERO),
            Pace::Virtual(time) => time.now(),
        }
    }
}

/// Virtual time, which those share that have it.
#[derive(Clone, Debug)]
pub struct VirtualTime(Arc<AtomicU64>);

impl VirtualTime {
    /// Time that stands still.
    pub fn from(moment: Instant) -> VirtualTime {
        VirtualTime(Arc::new(AtomicU64::new(moment.as_nanos())))
    }

    /// What time it is.
    pub fn now(&self) -> Instant {
        Instant::from_nanos(self.0.load(Ordering::Acquire))
    }

    /// Lets some time pass.
    pub fn pass(&self, time: Duration) {
        self.0.fetch_add(time.as_nanos(), Ordering::AcqRel);
    }

    /// It is that late, unless it is later.
    pub(super) fn reach(&self, moment: Instant) {
        self.0.fetch_max(moment.as_nanos(), Ordering::AcqRel);
    }
}
