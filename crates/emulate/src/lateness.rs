//! How late replies leave.
//!
//! The model says when a drive would have completed a request; the process can only reply later: it has to wake up, to
//! fetch the data, to write to the socket. This delay is reported, so that it is not attributed to the drive.

use std::fmt;

use base::{Duration, Instant, Latencies};

/// The delay from which on a reply counts as late: what a busy computer's own timer adds.
const LATE: Duration = Duration::from_micros(100);

/// How late the replies of an emulation were.
#[derive(Clone, Debug, Default)]
pub struct Lateness {
    all: Latencies,
    late: u64,
}

impl Lateness {
    /// A reply was due at a moment, and left at another.
    pub fn note(&mut self, due: Instant, left: Instant) {
        let late = left.since(due);
        self.all.keep(late);
        self.late += u64::from(late > LATE);
    }

    /// Percentile of the samples kept.
    pub fn percentile(&self, per_cent: f64) -> Option<Duration> {
        self.all.nearest_rank(per_cent)
    }

    /// Replies so far.
    pub fn count(&self) -> u64 {
        self.all.count()
    }
}

impl fmt::Display for Lateness {
    /// `1200 replies left 8.1 us (p50), 40.2 us (p99), 300 us (longest) after the drive's own time; 0.3 % of them more than 100 us`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(half), Some(most)) = (self.percentile(50.0), self.percentile(99.0)) else {
            return write!(f, "no reply left");
        };
        let us = |duration: Duration| duration.as_micros_f64();
        let share = 100.0 * self.late as f64 / self.count() as f64;
        write!(
            f,
            "{} replies left {:.1} us (p50), {:.1} us (p99), {:.0} us (longest) after the drive's own time; {share:.2} % of them more than {:.0} us",
            self.count(),
            us(half),
            us(most),
            us(self.all.max()),
            us(LATE)
        )
    }
}
