//! The depth that a latency allows, by doubling and halving.
//!
//! A depth is tried for a window. If enough I/Os were fast enough the next one is twice as deep, or half way to one
//! that was too deep; otherwise it is half way back. The result is the depth that cannot be improved.

use base::time::{Duration, Instant};

use crate::job::steady::LatencyTarget;

/// Looks for a depth.
pub(super) struct Search {
    target: LatencyTarget,
    most: u32,
    depth: u32,
    low: u32,
    high: u32,
    since: Option<Instant>,
    ios: u64,
    slow: u64,
    pub(super) found: bool,
    /// Not even one in flight is fast enough.
    pub(super) failed: bool,
}

impl Search {
    pub(super) fn new(target: LatencyTarget, most: u32) -> Search {
        // Without a window no depth is tried: every I/O must be fast enough.
        let depth = if target.window.is_zero() { most } else { 1 };
        Search {
            target,
            most,
            depth,
            low: 1,
            high: most,
            since: None,
            ios: 0,
            slow: 0,
            found: false,
            failed: false,
        }
    }

    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    /// An I/O has completed. True if the search is finished, and the job with it.
    pub(super) fn came_back(&mut self, at: Instant, took: Duration) -> bool {
        let since = *self.since.get_or_insert(at);
        self.ios += 1;
        self.slow += u64::from(took > self.target.most);
        let percent = (self.ios - self.slow) as f64 * 100.0 / self.ios as f64;
        let enough = percent >= self.target.percent;
        if self.target.window.is_zero() {
            self.failed |= !enough;
            return self.failed;
        }
        // One that is too slow is enough where none may be.
        let decided = at.since(since.min(at)) >= self.target.window
            || (!enough && self.target.percent >= 100.0);
        if self.found && !self.target.goes_on || !decided {
            return false;
        }
        let before = self.depth;
        match enough {
            true => self.deeper(),
            false => self.flatter(),
        }
        (self.since, self.ios, self.slow) = (None, 0, 0);
        self.found |= enough && self.depth == before;
        (self.found && !self.target.goes_on) || self.failed
    }

    fn deeper(&mut self) {
        self.low = self.depth;
        self.depth = match self.high == self.most {
            true => self.depth.saturating_mul(2),
            false => u32::midpoint(self.depth, self.high),
        };
        self.depth = self.depth.min(self.most);
    }

    fn flatter(&mut self) {
        if self.depth == 1 {
            self.failed = true;
            return;
        }
        self.high = self.depth;
        if self.depth == self.low {
            self.low = (self.low / 2).max(1);
        }
        self.depth = u32::midpoint(self.depth, self.low);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A drive that takes 100 us for each in flight.
    fn found(most_us: u64, most_depth: u32) -> (u32, bool) {
        let target = LatencyTarget {
            most: Duration::from_micros(most_us),
            window: Duration::from_millis(10),
            percent: 99.0,
            goes_on: false,
        };
        let mut search = Search::new(target, most_depth);
        for n in 0..10_000_u64 {
            let took = Duration::from_micros(100 * u64::from(search.depth()));
            if search.came_back(Instant::from_nanos(n * 100_000), took) {
                break;
            }
        }
        (search.depth(), search.failed)
    }

    #[test]
    fn the_deepest_that_is_fast_enough_is_found() {
        assert_eq!(found(2_000, 128), (20, false));
        assert_eq!(found(1_000_000, 32), (32, false));
        assert_eq!(found(100, 32), (1, false));
    }

    #[test]
    fn a_drive_that_is_too_slow_by_itself_fails() {
        assert!(found(50, 32).1);
    }
}
