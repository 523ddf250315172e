//! How much a job has to do, and when that is done.
//!
//! fio counts in two ways at once. A loop ends when its bytes (the size, or `io_size` where that is more) were sent, or
//! when its files are through. The job as a whole ends when its bytes (`io_size`, else the size) or I/Os, each times the
//! loops, were sent; where `io_size` asks for more than its loops have, loops follow until less than one I/O is missing.
//! The last I/O is sent whole: a job may move more than it was asked for, by less than an I/O. `time_based` goes on
//! whatever was sent.

use base::io::{Io, Op};

use crate::job::Job;
use crate::layout::Place;

/// What one copy of a job has to do.
pub(super) struct Work {
    /// Bytes of a loop.
    a_loop: u64,
    /// Bytes in all, of one loop.
    limit: u64,
    loops: u64,
    /// Bytes sent in all, and in this loop.
    sent: u64,
    sent_in_loop: u64,
    ios: u64,
}

impl Work {
    pub(super) fn of(job: &Job, place: &Place) -> Work {
        let unbounded = place.script.is_some();
        let a_loop = match job.verify {
            None => place.bytes.max(place.limit),
            Some(_) => place.bytes,
        };
        Work {
            a_loop: if unbounded { u64::MAX } else { a_loop },
            limit: if unbounded { u64::MAX } else { place.limit },
            loops: job.loops,
            sent: 0,
            sent_in_loop: 0,
            ios: 0,
        }
    }

    /// It moves no more than this.
    pub(super) fn holds(&mut self, bytes: u64) {
        self.a_loop = self.a_loop.min(bytes);
        self.limit = self.limit.min(bytes);
    }

    fn has_sent_all(&self, job: &Job) -> bool {
        let ios = job
            .ios
            .map_or(u64::MAX, |ios| ios.saturating_mul(self.loops));
        self.sent >= self.limit.saturating_mul(self.loops) || self.ios >= ios
    }

    /// Whether something is left of this loop.
    pub(super) fn is_left(&self, job: &Job) -> bool {
        job.time_based || !(self.has_sent_all(job) || self.sent_in_loop >= self.a_loop)
    }

    /// An I/O is sent. Of a trim and the write behind it, the write counts.
    pub(super) fn sent(&mut self, job: &Job, io: &Io) {
        if job.kind.trims_before_writes && io.op == Op::Trim {
            return;
        }
        self.ios += 1;
        self.sent = self.sent.saturating_add(io.len.get());
        self.sent_in_loop = self.sent_in_loop.saturating_add(io.len.get());
    }

    /// Whether a loop follows the one with this number, from 1.
    pub(super) fn goes_on(&self, job: &Job, pass: u64) -> bool {
        if self.sent_in_loop == 0 {
            return false;
        }
        if job.time_based || (pass < self.loops && !self.has_sent_all(job)) {
            return true;
        }
        let missing = self.limit.saturating_sub(self.sent);
        let ios = job
            .ios
            .is_some_and(|ios| self.ios >= ios.saturating_mul(self.loops));
        let more = job.io_size.is_some() && self.limit < u64::MAX;
        more && !ios && missing >= job.largest_of_all().max(1)
    }

    pub(super) fn begin_loop(&mut self) {
        self.sent_in_loop = 0;
    }
}
