//! What else a processor does: timer ticks, other interrupts, other tasks.
//!
//! A processor that serves I/Os is taken away from them now and then. Often and shortly: the timer
//! ticks some hundred times a second, and takes a microsecond or two. Rarely and for longer: an
//! interrupt of another device, deferred kernel work, a task that the scheduler lets run first.
//! Both are Poisson processes on each processor by itself, each with exponential lengths; what
//! they cost an I/O is only what is left of an interruption when the processor is needed. A mean
//! gap of zero, and a file without the section, is a processor that does nothing else.

use base::rng::Rng;
use base::time::{Duration, Instant};

use crate::sheet::quantity::{Microseconds, Seconds};
use crate::sheet::table::parameters;

parameters! {
    /// What takes a processor away.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub Noise from NoiseConfig ["noise"] {
        /// Mean time between two short interruptions; 0: there are none.
        short_gap "short_gap_s": Seconds in 0.0..=1e6;
        /// Mean length of a short one.
        short "short_us": Microseconds in 0.0..=10_000.0;
        /// Mean time between two long interruptions; 0: there are none.
        long_gap "long_gap_s": Seconds in 0.0..=1e6;
        /// Mean length of a long one.
        long "long_us": Microseconds in 0.0..=100_000.0;
    }
}

/// One kind of interruption on one processor.
#[derive(Clone, Debug)]
struct Interruptions {
    rng: Rng,
    gap: Duration,
    mean: Duration,
    /// When the next one begins.
    at: Instant,
}

impl Interruptions {
    fn new(gap: Duration, mean: Duration, rng: Rng) -> Interruptions {
        let mut made = Interruptions {
            rng,
            // Half of the time at least is left for the I/Os.
            gap: gap.max(mean.saturating_mul(2)),
            mean,
            at: Instant::MAX,
        };
        if !gap.is_zero() && !mean.is_zero() {
            made.at = Instant::ZERO + made.drawn(made.gap);
        }
        made
    }

    fn drawn(&mut self, mean: Duration) -> Duration {
        Duration::from_nanos((self.rng.exponential() * mean.as_nanos() as f64) as u64)
    }

    /// When a processor that is free at `free` can begin what comes at `now`.
    fn put_off(&mut self, now: Instant, free: Instant) -> Instant {
        let mut free = free;
        // Those that ended long ago took nothing away: the process has no memory.
        let long_ago = Duration::from_nanos(self.gap.as_nanos() * 4 + self.mean.as_nanos() * 50);
        if self.at.saturating_add(long_ago) < now {
            let before = self.mean.as_nanos() * 50;
            let begin = Instant::from_nanos(now.as_nanos().saturating_sub(before));
            self.at = begin + self.drawn(self.gap);
        }
        while self.at <= now.max(free) {
            free = self.at.max(free) + self.drawn(self.mean);
            self.at = self.at + Duration::from_nanos(1) + self.drawn(self.gap);
        }
        free
    }
}

/// All interruptions of one processor.
#[derive(Clone, Debug)]
pub(super) struct Interrupted {
    short: Interruptions,
    long: Interruptions,
}

impl Interrupted {
    /// Those of the processor of a number.
    pub(super) fn new(noise: &Noise, seed: u64, processor: u64) -> Interrupted {
        let rng = |kind: u64| Rng::stream(seed, 0x484f_5354_0000 + 2 * processor + kind);
        Interrupted {
            short: Interruptions::new(noise.short_gap, noise.short, rng(0)),
            long: Interruptions::new(noise.long_gap, noise.long, rng(1)),
        }
    }

    /// When a processor that is free at `free` can begin what comes at `now`.
    #[inline]
    pub(super) fn put_off(&mut self, now: Instant, free: Instant) -> Instant {
        let need = now.max(free);
        if self.short.at > need && self.long.at > need {
            return free;
        }
        let free = self.short.put_off(now, free);
        self.long.put_off(now, free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise() -> Noise {
        Noise {
            short_gap: Duration::from_millis(4),
            short: Duration::from_micros(10),
            ..Noise::default()
        }
    }

    #[test]
    fn a_processor_is_away_for_the_share_of_time_that_was_asked_for() {
        let mut interrupted = Interrupted::new(&noise(), 7, 0);
        let (mut away, n) = (0_u64, 2_000_000_u64);
        for i in 0..n {
            // Free long before: what is left of an interruption is what a need at a time waits.
            let now = Instant::from_nanos(i * 5_000);
            let free = interrupted.put_off(now, Instant::ZERO);
            away += u64::from(free > now);
        }
        // 10 us in 4 ms; one that is looked at once is not seen again, and half of them end between
        // two looks 5 us apart.
        let share = away as f64 / n as f64;
        assert!(share > 0.0005 && share < 0.0025, "{share}");
    }

    #[test]
    fn without_noise_nothing_is_put_off() {
        let mut quiet = Interrupted::new(&Noise::default(), 7, 0);
        for at in [0, 5, 1_000_000_000_000] {
            let at = Instant::from_nanos(at);
            assert_eq!(quiet.put_off(at, at), at);
        }
    }

    #[test]
    fn a_long_rest_is_passed_over_at_once_and_the_same_again_for_the_same_seed() {
        let after_a_day = |seed| {
            let mut interrupted = Interrupted::new(&noise(), seed, 3);
            let day = Instant::from_nanos(86_400_000_000_000);
            let times = (0..1_000).map(|i| {
                let now = day + Duration::from_micros(i * 50);
                interrupted.put_off(now, now).since(now).as_nanos()
            });
            times.collect::<Vec<u64>>()
        };
        assert_eq!(after_a_day(1), after_a_day(1));
        assert_ne!(after_a_day(1), after_a_day(2));
        assert!(after_a_day(1).iter().sum::<u64>() < 1_000_000);
    }
}
