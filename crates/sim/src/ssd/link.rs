//! The link to the host: commands and data share it.
//!
//! SATA is half duplex in effect: while a data frame travels one way, only its acknowledgement
//! travels the other, so commands, data and completions of all commands in flight queue on one
//! resource, first come, first served. A rate in picoseconds a byte includes the coding (8b/10b),
//! headers, checks and handshakes; each command costs a fixed time on the wire before and after
//! its data (register, DMA set-up and set-device-bits frames).

use base::size::{Bytes, PicosPerByte};
use base::time::{Duration, Instant};

/// What the link takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkTimes {
    /// Data to the host.
    pub read: PicosPerByte,
    /// Data to the drive.
    pub write: PicosPerByte,
    /// A command's frames before its data.
    pub command: Duration,
    /// A command's frames after its data.
    pub status: Duration,
}

/// The link and how far it is taken.
#[derive(Clone, Debug)]
pub struct Link {
    times: LinkTimes,
    free: Instant,
    /// The last sizes in each direction and their times: a workload has few sizes, and the exact
    /// division of picoseconds is the dearest step of an I/O.
    last_read: (Bytes, Duration),
    last_write: (Bytes, Duration),
}

impl Link {
    /// An idle link.
    pub fn new(times: LinkTimes) -> Link {
        Link {
            times,
            free: Instant::ZERO,
            last_read: (Bytes::ZERO, Duration::ZERO),
            last_write: (Bytes::ZERO, Duration::ZERO),
        }
    }

    /// A command's frames; gives the moment at which the drive has it.
    #[inline]
    pub fn command(&mut self, now: Instant) -> Instant {
        self.take(now, self.times.command)
    }

    /// A piece of a read's data, with the command's completion where it is the last one.
    #[inline]
    pub fn to_host(&mut self, now: Instant, bytes: Bytes, last: bool) -> Instant {
        let status = if last {
            self.times.status
        } else {
            Duration::ZERO
        };
        if self.last_read.0 != bytes {
            self.last_read = (bytes, self.times.read.time_for(bytes));
        }
        self.take(now, self.last_read.1 + status)
    }

    /// A piece of a write's data.
    #[inline]
    pub fn to_drive(&mut self, now: Instant, bytes: Bytes) -> Instant {
        if self.last_write.0 != bytes {
            self.last_write = (bytes, self.times.write.time_for(bytes));
        }
        self.take(now, self.last_write.1)
    }

    /// A completion without data.
    #[inline]
    pub fn status(&mut self, now: Instant) -> Instant {
        self.take(now, self.times.status)
    }

    #[inline]
    fn take(&mut self, now: Instant, time: Duration) -> Instant {
        self.free = now.max(self.free) + time;
        self.free
    }
}
