//! When the I/Os of an open stream are due.
//!
//! Even arrivals are placed by multiplication from the start, not by adding a rounded gap: at a
//! million a second, a gap cut to whole nanoseconds would drift by up to 0.1 %.

use crate::rng::Rng;
use crate::time::{Duration, Instant};
use crate::workload::Arrivals;

/// The due times of one open stream.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    began: Instant,
    nanos_between: f64,
    arrivals: Arrivals,
    sent: u64,
    due: f64,
    rng: Rng,
}

impl Schedule {
    /// `per_second` I/Os a second from `began` on.
    pub(crate) fn new(began: Instant, per_second: f64, arrivals: Arrivals, rng: Rng) -> Schedule {
        let mut schedule = Schedule {
            began,
            nanos_between: 1e9 / per_second,
            arrivals,
            sent: 0,
            due: 0.0,
            rng,
        };
        if arrivals == Arrivals::Poisson {
            schedule.due = schedule.gap();
        }
        schedule
    }

    fn gap(&mut self) -> f64 {
        self.nanos_between * self.rng.exponential()
    }

    /// When the next I/O is due.
    pub(crate) fn due(&self) -> Instant {
        self.began
            .saturating_add(Duration::from_nanos((self.due + 0.5) as u64))
    }

    /// Delays everything due from now on by this much.
    pub(crate) fn shift(&mut self, time: Duration) {
        self.began = self.began.saturating_add(time);
    }

    /// The next I/O has been sent (or dropped).
    pub(crate) fn advance(&mut self) {
        self.sent += 1;
        self.due = match self.arrivals {
            Arrivals::Even => self.sent as f64 * self.nanos_between,
            Arrivals::Poisson => self.due + self.gap(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_arrivals_do_not_drift() {
        let mut schedule = Schedule::new(Instant::ZERO, 3_000_000.0, Arrivals::Even, Rng::new(0));
        for _ in 0..3_000_000 {
            schedule.advance();
        }
        assert_eq!(schedule.due(), Instant::from_nanos(1_000_000_000));
    }

    #[test]
    fn poisson_arrivals_keep_their_rate() {
        let mut schedule = Schedule::new(Instant::ZERO, 1_000.0, Arrivals::Poisson, Rng::new(3));
        for _ in 0..100_000 {
            schedule.advance();
        }
        let seconds = schedule.due().as_nanos() as f64 / 1e9;
        assert!((seconds - 100.0).abs() < 1.0, "{seconds}");
    }
}
