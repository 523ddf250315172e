//! What happens inside a modelled drive, as it happens: the truth that answers about its inside are held against.
//!
//! A drive's file says what it is made of, not what a host meets: how much of the map is at hand depends on the clock that
//! replaces it, how much the one-bit cache takes on what else is open. So a drive can be told to keep a log. Only the tests
//! of inference need one: it is there with the feature `event-log` alone; without it nothing is kept, and a note costs
//! nothing.

use base::size::Bytes;
use base::time::{Duration, Instant};

/// Something that happened inside a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The part of the map that a read needs was not at hand, and had to come from the flash first.
    MapMiss,
    /// A die read a page of data for the host.
    PageRead {
        /// Which one.
        die: u32,
    },
    /// That page had to be read again, with other voltages.
    ReadRetry,
    /// A write waited, because the buffer of an SSD or the write cache of a disk was full.
    BufferFull,
    /// The host's data went straight to all bits a cell.
    PastOneBit {
        /// What the host had written before.
        written: Bytes,
    },
    /// A superblock begins to be emptied, to make room.
    Collection,
    /// A superblock of the one-bit cache begins to be folded.
    Folding,
    /// A disk answered a read from its buffer.
    FromSegment,
    /// The arm of a disk went to a read.
    Seek {
        /// What that took with settling, without the wait for the sector.
        took: Duration,
    },
}

/// A log, empty until it is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventLog {
    #[cfg(feature = "event-log")]
    kept: Option<Vec<(Instant, Event)>>,
}

impl EventLog {
    /// Something happened.
    #[inline(always)]
    #[cfg_attr(
        not(feature = "event-log"),
        allow(clippy::unused_self, reason = "nothing is kept without the feature")
    )]
    pub(crate) fn note(&mut self, at: Instant, event: Event) {
        #[cfg(feature = "event-log")]
        if let Some(kept) = &mut self.kept {
            kept.push((at, event));
        }
        #[cfg(not(feature = "event-log"))]
        let _ = (at, event);
    }

    /// The same, where it takes work to see that it happened: none is done while nothing is kept.
    #[inline(always)]
    #[cfg_attr(
        not(feature = "event-log"),
        allow(clippy::unused_self, reason = "nothing is kept without the feature")
    )]
    pub(crate) fn note_if(&mut self, at: Instant, event: Event, happened: impl FnOnce() -> bool) {
        #[cfg(feature = "event-log")]
        if self.kept.is_some() && happened() {
            self.note(at, event);
        }
        #[cfg(not(feature = "event-log"))]
        let _ = (at, event, happened);
    }

    /// What has happened since the last time; the log is kept from now on.
    #[cfg(feature = "event-log")]
    pub(crate) fn take(&mut self) -> Vec<(Instant, Event)> {
        self.kept.replace(Vec::new()).unwrap_or_default()
    }
}
