//! Which access is next: the one that the head can begin soonest, with an allowance for age.
//!
//! A drive with native command queuing knows where each waiting block is, how far away the arm is,
//! and where the discs will stand when it gets there. So it can take the access with the shortest
//! positioning time (seek, settle and rotation together), which at 32 waiting reads takes about
//! half the time of the next one in line. Taken alone, that rule can starve an access at the edge
//! for as long as nearer ones keep coming. So each nanosecond of waiting counts against the
//! positioning time, at one part in `patience`: an access that waits longer than `patience` times
//! the longest positioning is taken before any that just came.

use super::geometry::PhysicalAddress;
use super::seek::SeekCurve;
use super::spindle::Spindle;
use super::track_pass::{Mechanics, TrackPass};

/// An access that waits for the head.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// Whose it is.
    pub tag: u32,
    /// Whether a write is acknowledged only when it is on the medium.
    pub write: bool,
    /// First block needed from the medium.
    pub start: u64,
    /// Block after the last one.
    pub end: u64,
    /// Segment that this continues, if any.
    pub segment: Option<u32>,
    /// When it came, in nanoseconds.
    pub since: u64,
    /// Where its first block is.
    pub place: PhysicalAddress,
}

/// What waiting counts against positioning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Nanoseconds of allowance a nanosecond of waiting, in 2^-16.
    allowance_q16: u64,
}

/// No wait counts for more than this, 18 minutes: the product stays in 64 bits.
const LONGEST_WAIT: u64 = 1 << 40;

impl Patience {
    /// One part in `patience` of the waiting time; 1 to 65,536.
    pub const fn new(patience: u32) -> Patience {
        Patience {
            allowance_q16: if patience == 0 {
                1 << 16
            } else {
                (1 << 16) / patience as u64
            },
        }
    }

    /// The allowance for having waited from `since` to `now`.
    #[inline]
    pub fn allowance(self, since: u64, now: u64) -> i64 {
        let waited = now.saturating_sub(since).min(LONGEST_WAIT);
        ((waited * self.allowance_q16) >> 16) as i64
    }
}

/// The head at the time of a choice: what each access that waits is measured against.
#[derive(Clone, Copy, Debug)]
pub struct Aim<'a> {
    curve: &'a SeekCurve,
    cylinder: u32,
    head: u16,
    head_switch_ns: u64,
    write_settle_ns: i64,
    spindle: Spindle,
    now: u64,
    patience: Patience,
}

impl<'a> Aim<'a> {
    /// The head of a pass at a given time.
    pub fn new(
        mechanics: &'a Mechanics,
        head: &TrackPass,
        now: u64,
        patience: Patience,
    ) -> Aim<'a> {
        Aim {
            curve: &mechanics.actuator.curve,
            cylinder: head.track.cylinder,
            head: head.track.head,
            head_switch_ns: mechanics.actuator.head_switch_ns,
            write_settle_ns: mechanics.actuator.write_settle_ns,
            spindle: mechanics.spindle,
            now,
            patience,
        }
    }

    /// Positioning time less the allowance for having waited since a time, in nanoseconds.
    #[inline]
    pub fn cost(&self, place: &PhysicalAddress, write: bool, since: u64) -> i64 {
        // As `Arm::time`, without a branch: which of the waiting ones change the head is chance.
        let switch = if self.head == place.track.head {
            0
        } else {
            self.head_switch_ns
        };
        let distance = self.cylinder.abs_diff(place.track.cylinder);
        let move_ns = self.curve.time(distance).max(switch);
        let settle = if write && move_ns != 0 {
            self.write_settle_ns
        } else {
            0
        };
        // Far below 2^63: no seek takes more than 4 s.
        let moving = (move_ns as i64 + settle).max(0) as u64;
        let wait = self.spindle.wait(self.now + moving, place.angle);
        (moving + wait) as i64 - self.patience.allowance(since, self.now)
    }
}

/// The waiting accesses.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    waiting: Vec<Waiting>,
}

impl Queue {
    /// Whether nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
    /// One more.
    #[inline]
    pub fn push(&mut self, access: Waiting) {
        self.waiting.push(access);
    }
    /// The cheapest access and its cost. `streaming` is the block that comes under the head next,
    /// if the head is in the middle of a pass: going on there costs nothing.
    #[inline]
    pub fn cheapest(
        &self,
        mechanics: &Mechanics,
        head: &TrackPass,
        now: u64,
        streaming: Option<u64>,
        patience: Patience,
    ) -> Option<(i64, usize)> {
        // Equal costs: the earlier one in line, then the lower tag, whatever the order here.
        let mut best = (i64::MAX, u64::MAX, u32::MAX, 0);
        let aim = Aim::new(mechanics, head, now, patience);
        for (index, w) in self.waiting.iter().enumerate() {
            let goes_on = !w.write && streaming == Some(w.start);
            let cost = if goes_on {
                -patience.allowance(w.since, now)
            } else {
                aim.cost(&w.place, w.write, w.since)
            };
            if cost <= best.0 {
                best = best.min((cost, w.since, w.tag, index));
            }
        }
        (!self.waiting.is_empty()).then_some((best.0, best.3))
    }
    /// Takes one out.
    #[inline]
    pub fn take(&mut self, index: usize) -> Waiting {
        self.waiting.swap_remove(index)
    }
    /// The power is gone.
    pub fn clear(&mut self) {
        self.waiting.clear();
    }
}
