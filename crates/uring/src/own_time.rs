//! Knows when this program itself stood still: the [`Observer`] of all real targets.
//!
//! A thread that only sleeps for 10 ms at a time notes when it was due and when it was really woken. It does not use
//! the drive, so a late wake-up is never the drive's fault: the process was stopped, the machine was suspended or
//! paused, or there was no processor available. The loop that issues I/Os asks only after it was itself delayed for
//! long, and if the thread is late at that moment there is an unfinished pause: whichever wakes first, the answer is
//! the same.
//!
//! `CLOCK_MONOTONIC` does not advance while the machine is suspended, `CLOCK_BOOTTIME` does: the difference of their
//! advances is the suspended time (clock_gettime(2)).

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use base::record::{LATE, OWN_PAUSE, OwnPause, WakeUps};
use base::time::{Duration, Instant};
use rustix::time::{ClockId, clock_gettime};

use crate::clock::{Clock, machine_nanos};

/// How long the thread sleeps at a time: a fifth of the least pause, and a hundred wake-ups a second are no load.
const SLEEP: Duration = Duration::from_millis(10);
/// Number of pauses remembered; the loop fetches them at least every 100 ms.
const REMEMBERED: usize = 256;

/// What the thread has seen, in the machine's nanoseconds.
#[derive(Debug)]
struct Seen {
    /// When it was awake last.
    awake: AtomicU64,
    count: AtomicU64,
    late: AtomicU64,
    gaps: Mutex<VecDeque<Gap>>,
}

#[derive(Clone, Copy, Debug)]
struct Gap {
    from: u64,
    until: u64,
    slept: u64,
}

impl Seen {
    fn gaps(&self) -> MutexGuard<'_, VecDeque<Gap>> {
        self.gaps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread was woken at `now`; it was due at `due`, and the machine was suspended for this long meanwhile.
    fn woken(&self, due: u64, now: u64, slept: u64) {
        let pause = OWN_PAUSE.as_nanos();
        let late = now.saturating_sub(due);
        let gap = Gap {
            from: due,
            until: now,
            slept: if slept < pause { 0 } else { slept },
        };
        self.count.fetch_add(1, Ordering::Relaxed);
        if late >= LATE.as_nanos() {
            self.late.fetch_add(1, Ordering::Relaxed);
        }
        if late < pause && gap.slept == 0 {
            self.awake.store(now, Ordering::Release);
            return;
        }
        let mut gaps = self.gaps();
        if gaps.len() == REMEMBERED {
            gaps.pop_front();
        }
        gaps.push_back(gap);
        // Within the lock: whoever holds it sees either an unfinished pause or the whole of it.
        self.awake.store(now, Ordering::Release);
    }

    /// The pauses that ended after a moment, including one in progress at `now`.
    fn since(&self, since: u64, now: u64) -> Vec<Gap> {
        let gaps = self.gaps();
        let due = self.awake.load(Ordering::Acquire) + SLEEP.as_nanos();
        let over = gaps.iter().filter(|gap| gap.until > since).copied();
        let under_way = (now.saturating_sub(due) >= OWN_PAUSE.as_nanos()).then_some(Gap {
            from: due,
            until: now,
            slept: 0,
        });
        over.chain(under_way).collect()
    }

    fn wake_ups(&self) -> WakeUps {
        WakeUps {
            count: self.count.load(Ordering::Relaxed),
            late: self.late.load(Ordering::Relaxed),
        }
    }
}

/// The thread that all targets share; it ends with the last of them.
static SHARED: Mutex<Weak<Seen>> = Mutex::new(Weak::new());

fn shared() -> Option<Arc<Seen>> {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(seen) = shared.upgrade() {
        return Some(seen);
    }
    let seen = Arc::new(Seen {
        awake: AtomicU64::new(machine_nanos()),
        count: AtomicU64::new(0),
        late: AtomicU64::new(0),
        gaps: Mutex::default(),
    });
    let theirs = Arc::downgrade(&seen);
    let thread = std::thread::Builder::new().name("own-time".to_owned());
    // Without the thread nobody knows; what is measured is the same.
    thread.spawn(move || watch(&theirs)).ok()?;
    *shared = Arc::downgrade(&seen);
    Some(seen)
}

/// Sleeps and wakes until no longer needed.
fn watch(seen: &Weak<Seen>) {
    let clock = Clock::starting_now();
    let mut slept = slept_so_far();
    loop {
        let due = clock.now().saturating_add(SLEEP);
        clock.sleep_until(due);
        let Some(seen) = seen.upgrade() else { return };
        let (now, before) = (machine_nanos(), slept);
        slept = slept_so_far();
        seen.woken(clock.machine_time(due), now, slept.saturating_sub(before));
    }
}

/// What the machine has slept since it was started.
fn slept_so_far() -> u64 {
    let boot = clock_gettime(ClockId::Boottime);
    let boot = boot.tv_sec as u64 * 1_000_000_000 + boot.tv_nsec as u64;
    boot.saturating_sub(machine_nanos())
}

/// The observer of one target.
#[derive(Debug)]
pub(crate) struct OwnTime {
    seen: Arc<Seen>,
    clock: Clock,
    before: WakeUps,
}

impl OwnTime {
    /// From here on, on a target's clock.
    pub(crate) fn from_now(clock: Clock) -> Option<OwnTime> {
        let seen = shared()?;
        let before = seen.wake_ups();
        Some(OwnTime {
            seen,
            clock,
            before,
        })
    }
}

impl base::record::Observer for OwnTime {
    fn pauses(&self, since: Instant, found: &mut Vec<OwnPause>) {
        let since = self.clock.machine_time(since);
        let gaps = self.seen.since(since, machine_nanos());
        found.extend(gaps.into_iter().map(|gap| OwnPause {
            from: self.clock.of_machine_time(gap.from),
            until: self.clock.of_machine_time(gap.until),
            slept: Duration::from_nanos(gap.slept),
        }));
    }

    fn wake_ups(&self) -> WakeUps {
        let now = self.seen.wake_ups();
        WakeUps {
            count: now.count - self.before.count,
            late: now.late - self.before.late,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn seen(awake: u64) -> Seen {
        Seen {
            awake: AtomicU64::new(awake * MS),
            count: AtomicU64::new(0),
            late: AtomicU64::new(0),
            gaps: Mutex::default(),
        }
    }

    fn found(seen: &Seen, since: u64, now: u64) -> Vec<(u64, u64, u64)> {
        let gaps = seen.since(since * MS, now * MS);
        let ms = |gap: &Gap| (gap.from / MS, gap.until / MS, gap.slept / MS);
        gaps.iter().map(ms).collect()
    }

    #[test]
    fn whoever_wakes_first_the_pause_is_the_same() {
        let seen = seen(100);
        // The loop is back before the thread is.
        assert_eq!(found(&seen, 90, 3_100), [(110, 3_100, 0)]);
        seen.woken(110 * MS, 3_101 * MS, 0);
        assert_eq!(found(&seen, 90, 3_102), [(110, 3_101, 0)]);
        assert_eq!(found(&seen, 3_101, 3_110), []);
    }

    #[test]
    fn wake_ups_that_are_a_little_late_are_counted_and_are_no_pauses() {
        let seen = seen(0);
        seen.woken(10 * MS, 10 * MS, 0);
        seen.woken(20 * MS, 50 * MS, 0);
        assert_eq!(found(&seen, 0, 60), []);
        assert_eq!(seen.wake_ups(), WakeUps { count: 2, late: 1 });
    }

    #[test]
    fn a_sleep_of_the_machine_is_a_pause_however_short_it_is_on_the_clock() {
        let seen = seen(0);
        seen.woken(10 * MS, 11 * MS, 60_000 * MS);
        assert_eq!(found(&seen, 0, 12), [(10, 11, 60_000)]);
    }

    #[test]
    fn targets_share_one_thread() {
        let one = shared().unwrap();
        let two = shared().unwrap();
        assert!(Arc::ptr_eq(&one, &two));
    }
}
