//! One stream of a phase with its pre-generated I/Os.
//!
//! I/Os are drawn in blocks before they are due and hinted to the target: a modelled drive fetches
//! its tables meanwhile, whose misses then overlap.

use crate::io::{Io, Op};
use crate::rng::Rng;
use crate::size::Bytes;
use crate::target::Target;
use crate::time::{Duration, Instant};
use crate::workload::arrival::Schedule;
use crate::workload::stream::Stream;
use crate::workload::{Job, Pacing};

/// I/Os drawn and hinted at once.
const AHEAD: usize = 64;

/// One stream with its pre-generated I/Os.
pub(super) struct Lane {
    pub(super) job: u32,
    pub(super) stream: Stream,
    pub(super) ahead: Vec<Io>,
    /// The number of complete passes before each of them.
    pub(super) passes: Vec<u32>,
    pub(super) next: usize,
    /// The current pass.
    pub(super) pass: u32,
    /// One of those drawn ahead may belong to a later pass.
    pub(super) may_begin_pass: bool,
    pub(super) pace: Pace,
    pub(super) flush_every: Option<u32>,
    writes_since_flush: u32,
    /// When the first write completed since the last flush was sent; kept only if the stream flushes.
    unflushed_since: Option<Instant>,
}

pub(super) enum Pace {
    Closed,
    Thinking {
        think: Duration,
        burst: u32,
        left: u32,
    },
    Paced(Paced),
    Open(Schedule),
}

/// One access at a time, every so often.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paced {
    pub(super) every: Duration,
    /// When the I/O after the outstanding one is due.
    due: Instant,
}

impl Paced {
    /// An access that was due at a time is sent.
    pub(super) fn sent(&mut self, due: Instant) {
        self.due = due.saturating_add(self.every);
    }

    /// It has completed: when the next one may be sent.
    fn after(&mut self, at: Instant) -> Instant {
        if at >= self.due {
            self.due = at.saturating_add(self.every);
        }
        self.due
    }

    /// The waiting times of those due while an I/O was outstanding, given its submission and completion times.
    pub(super) fn held_up(self, sent: Instant, at: Instant) -> impl Iterator<Item = Duration> {
        let due = move |n: u64| sent.saturating_add(self.every.saturating_mul(n));
        (1..)
            .map(due)
            .take_while(move |due| *due < at)
            .map(move |due| at.since(due))
    }
}

/// When a stream whose I/O has completed may send again.
pub(super) enum Next {
    Now,
    At(Instant),
    /// As its schedule says, independent of completions.
    OfItself,
}

impl Pace {
    /// An I/O has completed.
    #[inline]
    pub(super) fn after(&mut self, at: Instant) -> Next {
        match self {
            Pace::Closed => Next::Now,
            Pace::Open(_) => Next::OfItself,
            Pace::Paced(paced) => Next::At(paced.after(at)),
            Pace::Thinking { think, burst, left } => {
                *left -= 1;
                if *left > 0 {
                    return Next::Now;
                }
                *left = *burst;
                Next::At(at.saturating_add(*think))
            }
        }
    }
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
            Pacing::Paced { every } => Pace::Paced(Paced { every, due: began }),
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
            ahead: vec![Io::flush(); AHEAD],
            passes: vec![0; AHEAD],
            next: AHEAD, // none is left
            pass: 0,
            may_begin_pass: false,
            pace,
            flush_every: job.flush_every,
            writes_since_flush: 0,
            unflushed_since: None,
        }
    }

    #[inline]
    pub(super) fn owes_flush(&self) -> bool {
        self.flush_every
            .is_some_and(|n| self.writes_since_flush >= n)
    }

    /// From when the next flush's response time counts; `None` if no write waits for it.
    #[inline]
    pub(super) fn unflushed_since(&self) -> Option<Instant> {
        self.unflushed_since
    }

    /// A flush was sent.
    pub(super) fn flushed(&mut self) {
        self.writes_since_flush = 0;
        self.unflushed_since = None;
    }

    /// An I/O sent at this time has completed.
    #[inline]
    pub(super) fn came_back(&mut self, op: Op, sent: Instant) {
        if self.flush_every.is_some() && op == Op::Write {
            self.unflushed_since.get_or_insert(sent);
        }
    }

    /// Draws and hints a block of I/Os, where all that were drawn have been sent.
    #[inline]
    pub(super) fn draw_where_none_is_left<T: Target + ?Sized>(&mut self, target: &mut T) {
        if self.next == self.ahead.len() {
            self.draw_ahead();
            target.hint(&self.ahead);
        }
    }

    /// The next I/O.
    ///
    /// # Panics
    /// Where none is left.
    #[inline]
    pub(super) fn upcoming(&self) -> &Io {
        &self.ahead[self.next]
    }

    /// The number of complete passes before it.
    ///
    /// # Panics
    /// Where none is left.
    pub(super) fn upcoming_pass(&self) -> u32 {
        self.passes[self.next]
    }

    /// The next I/O was sent.
    #[inline]
    pub(super) fn advance(&mut self, op: Op) {
        self.next += 1;
        self.writes_since_flush += u32::from(op == Op::Write);
    }

    /// Where a sequential stream resumes; its end if its first pass is over.
    pub(super) fn position(&self) -> Option<Bytes> {
        match (self.ahead.get(self.next), self.passes.get(self.next)) {
            (Some(_), Some(&pass)) if pass > 0 => Some(self.stream.end()),
            (Some(io), _) => Some(io.offset),
            _ => self.stream.next_in_order(),
        }
    }

    fn draw_ahead(&mut self) {
        self.next = 0;
        self.stream.draw_block(&mut self.ahead, &mut self.passes);
        // Passes only grow: where the last one is the present one, all are.
        self.may_begin_pass = self.passes.last() != Some(&self.pass);
    }
}
