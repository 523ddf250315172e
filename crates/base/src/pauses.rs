//! The time in which the program that measures stood still itself.
//!
//! A program that is stopped (SIGSTOP), whose machine is suspended or paused by its hypervisor, or that gets no
//! processor for a while, reaps no completions meanwhile. An I/O that completed after 80 us is then seen after three
//! seconds, and looks like a stall of the drive. Code that issues I/Os to a real drive has an [`Observer`], which only
//! sleeps and wakes, never touches the drive, and so detects when the program itself was late. Such pauses are excluded
//! from the stalls, the long responses and the duration of the phase, and are reported.
//!
//! A response is attributed to the program if half of it or more overlaps with such pauses; one that lasted far longer
//! than the pause within it is the drive's. In virtual time there are no pauses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::{Duration, Instant};

/// The least time without a sign of life that counts as a pause: half of what counts as a standstill of the drive, and
/// far more than a program waits for a processor that it shares with a few others.
pub const OWN_PAUSE: Duration = Duration::from_millis(50);

/// A wake-up that is late by this much counts as a pause: longer than an idle computer ever takes.
pub const LATE: Duration = Duration::from_millis(1);

/// So many pauses are remembered to find what fell into them; all are counted.
const REMEMBERED: usize = 64;

/// One pause of the program, on the target's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnPause {
    /// When it should have shown a sign of life.
    pub from: Instant,
    /// When it did.
    pub until: Instant,
    /// The part that the target's clock does not show: the machine was suspended.
    pub slept: Duration,
}

/// Knows when the program itself stood still.
pub trait Observer {
    /// Adds the pauses that ended after `since`, in order; a pause still in progress counts with its duration so far.
    fn pauses(&self, since: Instant, found: &mut Vec<OwnPause>);

    /// How punctually it was woken since the target was opened.
    fn wake_ups(&self) -> WakeUps;
}

/// How punctually a thread that only sleeps was woken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WakeUps {
    /// How often it was.
    pub count: u64,
    /// How often 1 ms late or more.
    pub late: u64,
}

/// The pauses of the program in one phase.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OwnPauses")]
pub struct Pauses {
    /// How many, of 50 ms or more.
    pub count: u64,
    /// Their total. The duration of the phase excludes it, except for the time that the machine was suspended, which no
    /// clock of the phase shows.
    pub total: Duration,
    /// The longest.
    pub longest: Duration,
    /// The part of the total during which the machine was suspended.
    #[serde(default)]
    pub slept: Duration,
    /// I/Os that are in no distribution of times, because half or more of their time was the program's; they are
    /// counted as done.
    pub left_out: u64,
    /// How punctually the program was woken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake_ups: Option<WakeUps>,
    /// The last of them.
    #[serde(skip)]
    recent: Vec<OwnPause>,
}

/// Compares what was found, not the internal state.
impl PartialEq for Pauses {
    fn eq(&self, other: &Pauses) -> bool {
        let found = |p: &Pauses| {
            let sums = (p.total, p.longest, p.slept);
            (p.count, sums, p.left_out, p.wake_ups)
        };
        found(self) == found(other)
    }
}

impl Pauses {
    /// True if the program was not observed, or there is nothing to report.
    pub fn is_empty(&self) -> bool {
        self.count == 0 && self.wake_ups.is_none()
    }

    /// What the target's clock shows of them.
    pub(crate) fn on_the_clock(&self) -> Duration {
        self.total.saturating_sub(self.slept)
    }

    /// Adds a pause found between two moments at which the phase's loop was awake: only the part between them is a
    /// pause of the phase, since the observer may be late when the loop is not. Returns the excluded time.
    pub(crate) fn add(&mut self, pause: OwnPause, awake: (Instant, Instant)) -> Option<OwnPause> {
        // That the machine slept is known only when the observer is awake again, too.
        let known = self.recent.last_mut();
        if let Some(last) = known.filter(|last| pause.from < last.until && !pause.slept.is_zero()) {
            let slept = pause.slept.saturating_sub(last.slept);
            last.slept += slept;
            let last = *last;
            self.lengthen(slept, last);
            return None;
        }
        let from = pause.from.max(awake.0);
        let pause = OwnPause {
            from,
            until: pause.until.min(awake.1).max(from),
            ..pause
        };
        let took = pause.until.since(from);
        if took < OWN_PAUSE && pause.slept.is_zero() {
            return None;
        }
        self.count += 1;
        if self.recent.len() == REMEMBERED {
            self.recent.remove(0);
        }
        self.recent.push(pause);
        self.total += took;
        self.lengthen(pause.slept, pause);
        Some(pause)
    }

    fn lengthen(&mut self, slept: Duration, whole: OwnPause) {
        self.total += slept;
        self.slept += slept;
        let took = whole.until.since(whole.from) + whole.slept;
        self.longest = self.longest.max(took);
    }

    /// How much of the time between two moments was the program's.
    pub(crate) fn between(&self, from: Instant, until: Instant) -> Duration {
        let latest_first = self.recent.iter().rev();
        let touching = latest_first.take_while(|pause| pause.until > from);
        touching
            .map(|pause| pause.until.min(until).since(pause.from.max(from)))
            .fold(Duration::ZERO, |sum, part| sum + part)
    }

    /// Adds those of another ring of the same program, which saw the same pauses.
    pub(crate) fn beside(&mut self, other: &Pauses) {
        self.count = self.count.max(other.count);
        self.total = self.total.max(other.total);
        self.longest = self.longest.max(other.longest);
        self.slept = self.slept.max(other.slept);
        self.left_out += other.left_out;
        self.wake_ups = self.wake_ups.or(other.wake_ups);
    }

    /// Adds those of the remainder of the same phase, run later.
    pub(crate) fn append(&mut self, rest: &Pauses) {
        self.count = self.count.saturating_add(rest.count);
        self.total = self.total.saturating_add(rest.total);
        self.longest = self.longest.max(rest.longest);
        self.slept = self.slept.saturating_add(rest.slept);
        self.left_out = self.left_out.saturating_add(rest.left_out);
        self.wake_ups = match (self.wake_ups, rest.wake_ups) {
            (Some(a), Some(b)) => Some(WakeUps {
                count: a.count.saturating_add(b.count),
                late: a.late.saturating_add(b.late),
            }),
            (a, b) => a.or(b),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn at(ms: u64) -> Instant {
        Instant::ZERO.saturating_add(MS(ms))
    }

    fn pause(from: u64, until: u64) -> OwnPause {
        OwnPause {
            from: at(from),
            until: at(until),
            slept: Duration::ZERO,
        }
    }

    #[test]
    fn only_what_the_loop_was_not_awake_for_is_a_pause() {
        let mut pauses = Pauses::default();
        let awake = (at(110), at(400));
        assert_eq!(pauses.add(pause(100, 420), awake), Some(pause(110, 400)));
        // The observer was late, the loop was not.
        assert_eq!(pauses.add(pause(500, 580), (at(540), at(590))), None);
        pauses.add(pause(1_000, 1_060), (at(900), at(1_100)));
        assert_eq!((pauses.count, pauses.longest), (2, MS(290)));
        assert_eq!(pauses.total, MS(350));
        assert_eq!(pauses.between(at(390), at(1_010)), MS(20));
        assert_eq!(pauses.between(at(400), at(1_000)), Duration::ZERO);
    }

    #[test]
    fn what_the_machine_slept_is_told_but_is_not_on_the_clock() {
        let mut pauses = Pauses::default();
        let slept = OwnPause {
            slept: MS(60_000),
            ..pause(0, 75)
        };
        // The loop wakes first, and finds a pause that is not over; then the observer knows of the sleep.
        pauses.add(pause(0, 70), (at(0), at(70)));
        pauses.add(slept, (at(70), at(100)));
        assert_eq!((pauses.count, pauses.longest), (1, MS(60_070)));
        assert_eq!((pauses.total, pauses.on_the_clock()), (MS(60_070), MS(70)));
    }
}
