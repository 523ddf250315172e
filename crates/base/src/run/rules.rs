//! The stop rules that are looked at before an I/O is sent. (The time is looked at after it, unless
//! the workload looks only after whole passes.)

use crate::io::Io;
use crate::run::lane::Lane;
use crate::size::Bytes;
use crate::time::Instant;
use crate::workload::{Look, Stop};

/// What may still be issued.
pub(super) struct Rules {
    ios_left: u64,
    bytes_left: u64,
    passes: u32,
    /// The deadline, where it is looked at between passes.
    between_passes: Option<Instant>,
}

impl Rules {
    pub(super) fn new(stop: &Stop, deadline: Option<Instant>) -> Rules {
        Rules {
            ios_left: stop.ios.unwrap_or(u64::MAX),
            bytes_left: stop.bytes.map_or(u64::MAX, Bytes::get),
            passes: stop.passes.unwrap_or(u32::MAX),
            between_passes: deadline.filter(|_| stop.look == Look::EveryPass),
        }
    }

    /// True where not a single I/O may follow.
    pub(super) fn exhausted(&self) -> bool {
        self.ios_left == 0
    }

    /// Whether the lane's next I/O may be sent.
    #[inline]
    pub(super) fn allow(&self, lane: &mut Lane, now: Instant) -> bool {
        let (io, pass) = lane.upcoming();
        if self.ios_left == 0 || self.bytes_left < io.len.get() || pass >= self.passes {
            return false;
        }
        pass == lane.pass || self.begin_pass(lane, pass, now)
    }

    #[cold]
    fn begin_pass(&self, lane: &mut Lane, pass: u32, now: Instant) -> bool {
        lane.pass = pass;
        self.between_passes.is_none_or(|deadline| now < deadline)
    }

    #[inline]
    pub(super) fn count(&mut self, io: &Io) {
        self.ios_left -= 1;
        self.bytes_left = self.bytes_left.saturating_sub(io.len.get());
    }
}
