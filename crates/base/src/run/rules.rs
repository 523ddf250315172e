//! The stop rules that are checked before an I/O is sent. (The time is checked after it, unless the workload checks
//! only after whole passes.)

use crate::run::lane::Lane;
use crate::size::Bytes;
use crate::time::{Duration, Instant};
use crate::workload::{Look, Stop};

/// What may still be issued.
pub(super) struct Rules {
    ios_left: u64,
    bytes_left: u64,
    passes: u32,
    /// The deadline, if it is checked between passes.
    between_passes: Option<Instant>,
}

impl Rules {
    pub(super) fn new(stop: &Stop, deadline: Option<Instant>) -> Rules {
        let none_at_all = stop.passes == Some(0);
        Rules {
            ios_left: if none_at_all {
                0
            } else {
                stop.ios.unwrap_or(u64::MAX)
            },
            bytes_left: stop.bytes.map_or(u64::MAX, Bytes::get),
            passes: stop.passes.unwrap_or(u32::MAX),
            between_passes: deadline.filter(|_| stop.look == Look::EveryPass),
        }
    }

    /// The program itself was stopped for this long.
    pub(super) fn stood_still(&mut self, time: Duration) {
        self.between_passes = self.between_passes.map(|at| at.saturating_add(time));
    }

    /// True where not a single I/O may follow.
    pub(super) fn exhausted(&self) -> bool {
        self.ios_left == 0
    }

    /// Whether the lane's next I/O may be sent.
    #[inline]
    pub(super) fn allow(&self, lane: &mut Lane, now: Instant) -> bool {
        self.ios_left > 0
            && self.bytes_left >= lane.upcoming().len.get()
            && (!lane.may_begin_pass || self.allow_pass(lane, now))
    }

    /// The next I/O may be the first of a pass.
    #[cold]
    fn allow_pass(&self, lane: &mut Lane, now: Instant) -> bool {
        let pass = lane.upcoming_pass();
        if pass >= self.passes {
            return false;
        }
        let begins = pass > lane.pass;
        lane.pass = pass;
        !begins || self.between_passes.is_none_or(|deadline| now < deadline)
    }

    /// An I/O that was allowed is sent.
    #[inline]
    pub(super) fn count(&mut self, len: Bytes) {
        self.ios_left -= 1;
        self.bytes_left -= len.get();
    }
}
