//! Processing a completion: its figures, its logs, and whether the job ends with it.

use base::label::EILSEQ;
use base::run::Slot;
use base::target::{Done, Outcome};
use base::{Instant, Io, Op};

use super::{Labels, Lane, State};
use crate::kept::One;

/// Numbers of the errors with which fio ends a job that is too slow: EIO, ETIMEDOUT.
const TOO_SLOW: i32 = 5;
const TOO_LATE: i32 = 110;

impl Lane<'_> {
    /// Whether it ends where it is too slow.
    pub(in crate::running) fn looks_at_rates(&self) -> bool {
        let ends = &self.job.ends;
        (0..3).any(|n| ends.least_rate[n].is_some() || ends.least_iops[n].is_some())
    }

    /// Ends it where it is slower than it must be.
    pub(super) fn look_at_rates(&mut self, now: Instant) {
        let ends = &self.job.ends;
        let passed = now.since(self.cycle.0.min(now));
        if !self.looks_at_rates() || passed < ends.cycle {
            return;
        }
        let seconds = passed.as_secs_f64();
        let does = [Some(self.job.kind.does.0), self.job.kind.does.1];
        let mut slow = false;
        for n in does
            .into_iter()
            .flatten()
            .map(|op| op as usize)
            .filter(|n| *n < 3)
        {
            let (ios, bytes) = (self.kept.ops[n].ios, self.kept.ops[n].bytes);
            let before = &mut self.cycle.1[n];
            let below = |got: u64, least: Option<u64>| {
                least.is_some_and(|least| (got as f64) < least as f64 * seconds)
            };
            slow |= below(ios.saturating_sub(before.0), ends.least_iops[n]);
            slow |= below(bytes.saturating_sub(before.1), ends.least_rate[n]);
            *before = (ios, bytes);
        }
        self.cycle.0 = now;
        if slow {
            self.failed(TOO_SLOW);
            self.end();
        }
    }

    fn failed(&mut self, errno: i32) {
        self.kept.errors += 1;
        if self.kept.errno == 0 {
            self.kept.errno = errno;
        }
    }

    pub(super) fn counts_to_rest(&mut self) {
        let pace = &self.job.pace;
        self.since_rest += 1;
        if !pace.rest.is_zero() && pace.rest_after.is_none() && self.since_rest >= pace.rest_ios {
            self.since_rest = 0;
            self.resting = true;
        }
    }

    /// One of its own I/Os has completed: a think time may be due by number or by time.
    fn may_rest(&mut self, now: Instant) {
        if !self.job.pace.counts_sent {
            self.counts_to_rest();
        }
        let pace = &self.job.pace;
        let worked = now.since(self.rested.min(now));
        if !pace.rest.is_zero() && pace.rest_after.is_some_and(|time| worked >= time) {
            self.resting = true;
        }
    }

    /// An I/O has completed that was sent with this many of its lane in flight, including itself.
    pub(in crate::running) fn came_back(
        &mut self,
        slot: &Slot,
        depth: u32,
        done: &Done,
        labels: &mut Labels,
    ) {
        let drawn = slot.intended.unwrap_or(done.sent);
        self.in_flight -= 1;
        self.came_back += 1;
        let io = &slot.io;
        if io.op == Op::Flush {
            self.flushing = false;
        } else if self.state == State::Running {
            self.may_rest(done.at);
        }
        if !self.counts && done.at >= self.counted_from {
            self.counts = true;
            self.kept.begin(self.counted_from);
        }
        self.release_span(io);
        let bytes = match done.outcome {
            Outcome::Complete => io.len.get(),
            Outcome::Differs(_) => return self.met(EILSEQ, 2),
            Outcome::Short(moved) => {
                self.kept.ops[io.op as usize].short += 1;
                moved.get()
            }
            Outcome::Failed(errno) | Outcome::Broken(errno) => {
                return self.met(errno, usize::from(io.op != Op::Read));
            }
        };
        if matches!(io.op, Op::Write | Op::Trim) {
            labels.written(io);
        }
        self.queue_verification(io);
        let late = self.job.ends.longest.get(io.op as usize).copied().flatten();
        if late.is_some_and(|most| done.at.since(done.sent) > most) {
            self.failed(TOO_LATE);
            self.end();
        }
        self.moved_so_far.0 += u64::from(io.op != Op::Flush);
        self.moved_so_far.1 += bytes;
        if io.op != Op::Flush {
            self.adjust_depth(drawn, done.at);
        }
        if self.counts {
            let one = One {
                op: io.op as usize,
                bytes,
                drawn,
                sent: done.sent,
                at: done.at,
                depth,
            };
            self.record(&one, io);
        }
    }

    /// A completion counts: in the figures and in the logs.
    #[inline]
    fn record(&mut self, one: &One, io: &Io) {
        self.kept.keep(one, self.job.is_asynchronous());
        if io.op != Op::Flush
            && let Some(logger) = &mut self.logger
        {
            logger.keep(one, io.offset.get());
        }
    }

    /// An I/O that overlaps others no longer holds them up.
    #[inline]
    fn release_span(&mut self, io: &Io) {
        if self.job.serializes {
            let span = (io.offset.get(), io.end().get(), io.op != Op::Read);
            if let Some(at) = self.spans.iter().position(|one| *one == span) {
                self.spans.swap_remove(at);
            }
        }
    }

    /// A write is to be verified: now, where the backlog is full.
    #[inline]
    fn queue_verification(&mut self, io: &Io) {
        if io.op == Op::Write
            && let Some(verify) = self.job.verify
        {
            self.unverified.written(io);
            if verify.backlog.is_some_and(|n| self.unverified.len() >= n) && self.catching_up == 0 {
                self.catching_up = verify.batch.min(self.unverified.len());
            }
        }
    }

    /// The search for the depth of a latency target has one latency more, and may end the job.
    #[inline]
    fn adjust_depth(&mut self, drawn: Instant, at: Instant) {
        if let Some(search) = &mut self.search
            && search.came_back(at, at.since(drawn))
        {
            self.kept.depth_found = Some(search.depth());
            if search.failed {
                self.failed(TOO_LATE);
            }
            self.end();
        }
    }

    /// An error of a kind: of reads, of writes, of verification.
    fn met(&mut self, errno: i32, kind: usize) {
        let goes_on = &self.job.ends.goes_on;
        if goes_on.ignored[kind].contains(&errno) {
            return;
        }
        self.failed(errno);
        if !goes_on.on[kind] {
            self.unverified.clear();
            self.end();
        }
    }
}
