//! One stream of a phase with what is drawn ahead of it.
//!
//! I/Os are drawn in blocks before they are due and hinted to the target: a modelled drive fetches
//! its tables meanwhile, whose misses then overlap.

use crate::io::Io;
use crate::rng::Rng;
use crate::target::Target;
use crate::time::{Duration, Instant};
use crate::workload::arrival::Schedule;
use crate::workload::stream::Stream;
use crate::workload::{Job, Pacing};

/// I/Os drawn and hinted at once.
const AHEAD: usize = 64;

/// One stream with what is drawn ahead of it.
pub(super) struct Lane {
    pub(super) job: u32,
    pub(super) stream: Stream,
    pub(super) ahead: Vec<Io>,
    /// How many whole passes lie before each of them.
    pub(super) passes: Vec<u32>,
    pub(super) next: usize,
    pub(super) pass: u32,
    pub(super) pace: Pace,
    pub(super) flush_every: Option<u32>,
    pub(super) writes_since_flush: u32,
}

pub(super) enum Pace {
    Closed,
    Thinking {
        think: Duration,
        burst: u32,
        left: u32,
    },
    Open(Schedule),
}

impl Lane {
    /// The `index`-th stream of job number `job_number`, seeded.
    pub(super) fn new(
        job_number: usize,
        job: &Job,
        index: u32,
        stream: Stream,
        began: Instant,
        seed: u64,
    ) -> Lane {
        let pace = match job.pacing {
            Pacing::Closed { think, burst, .. } if !think.is_zero() => Pace::Thinking {
                think,
                burst,
                left: burst,
            },
            Pacing::Closed { .. } => Pace::Closed,
            Pacing::Open {
                per_second,
                arrivals,
            } => {
                let rng = Rng::stream(seed, u64::from(index) + 1);
                Pace::Open(Schedule::new(began, per_second, arrivals, rng))
            }
        };
        Lane {
            job: job_number as u32,
            stream,
            ahead: Vec::with_capacity(AHEAD),
            passes: Vec::with_capacity(AHEAD),
            next: 0,
            pass: 0,
            pace,
            flush_every: job.flush_every,
            writes_since_flush: 0,
        }
    }

    /// The next I/O; draws and hints a block of them where none is left.
    #[inline]
    pub(super) fn peek<T: Target + ?Sized>(&mut self, target: &mut T) -> &Io {
        if self.next == self.ahead.len() {
            self.draw_ahead();
            target.hint(&self.ahead);
        }
        &self.ahead[self.next]
    }

    fn draw_ahead(&mut self) {
        self.ahead.clear();
        self.passes.clear();
        self.next = 0;
        for _ in 0..AHEAD {
            let drawn = self.stream.draw();
            self.ahead.push(drawn.io);
            self.passes.push(drawn.pass);
        }
    }
}
