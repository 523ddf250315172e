//! How much a job has to do, and when that is done.
//!
//! fio counts in two ways at once. A loop ends when its files are finished; with an engine that has several I/Os in
//! flight also when its bytes were sent. The job as a whole ends when its bytes (`io_size`, else the size) or I/Os,
//! each times the loops, were sent; if `io_size` exceeds its loops, more loops follow until less than one I/O is
//! missing. For a trim followed by a write the write counts; for the loop and the remainder both do. The last I/O is
//! sent whole: a job may move more than requested, by less than an I/O. `time_based` continues whatever was sent.

use base::io::{Io, Op};

use crate::job::Job;
use crate::layout::Place;
use crate::units::Amount;

/// What one copy of a job has to do.
pub(super) struct Work {
    /// Bytes of a loop.
    a_loop: u64,
    /// Bytes in all, of one loop.
    limit: u64,
    loops: u64,
    /// Bytes sent in all that count.
    sent: u64,
    /// Bytes sent in all and in this loop, of every I/O.
    moved: u64,
    moved_in_loop: u64,
    ios: u64,
}

/// Bytes that end a loop.
fn a_loop(job: &Job, place: &Place) -> u64 {
    let (kind, asked) = (&job.kind, place.bytes.max(place.limit));
    let is_mixed = matches!(kind.does, (Op::Read, Some(_)));
    let may_repeat = kind.random && job.no_map && job.writes();
    let bytes = match may_repeat || (is_mixed && !kind.random) {
        true => asked,
        false => place.bytes,
    };
    if job.verify.is_some() {
        place.bytes
    } else if !job.has_several_in_flight() {
        u64::MAX
    } else if kind.trims_before_writes {
        bytes.saturating_add(place.limit.saturating_mul(job.loops))
    } else {
        bytes
    }
}

impl Work {
    pub(super) fn of(job: &Job, place: &Place) -> Work {
        let unbounded = place.script.is_some();
        Work {
            a_loop: if unbounded {
                u64::MAX
            } else {
                a_loop(job, place)
            },
            limit: if unbounded { u64::MAX } else { place.limit },
            loops: job.loops,
            sent: 0,
            moved: 0,
            moved_in_loop: 0,
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
        job.time_based || !(self.has_sent_all(job) || self.moved_in_loop >= self.a_loop)
    }

    /// An I/O is sent.
    pub(super) fn sent(&mut self, job: &Job, io: &Io) {
        self.moved = self.moved.saturating_add(io.len.get());
        self.moved_in_loop = self.moved_in_loop.saturating_add(io.len.get());
        if job.kind.trims_before_writes && io.op == Op::Trim {
            return;
        }
        self.ios += 1;
        self.sent = self.sent.saturating_add(io.len.get());
    }

    /// Whether a loop follows the one with this number, from 1.
    pub(super) fn goes_on(&self, job: &Job, pass: u64) -> bool {
        if self.moved_in_loop == 0 {
            return false;
        }
        if job.time_based || (pass < self.loops && !self.has_sent_all(job)) {
            return true;
        }
        let missing = self.limit.saturating_sub(self.moved);
        let ios = job
            .ios
            .is_some_and(|ios| self.ios >= ios.saturating_mul(self.loops));
        let more = matches!(job.region.io_size, Some(Amount::Bytes(_))) && self.limit < u64::MAX;
        more && !ios && missing >= job.largest_of_all().max(1)
    }

    pub(super) fn begin_loop(&mut self) {
        self.moved_in_loop = 0;
    }
}
