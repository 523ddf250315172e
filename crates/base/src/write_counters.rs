//! A drive's own counters of what hosts wrote to it and what it wrote to its flash: their growth over some work is its
//! write amplification.
//!
//! A counter has a unit, often 32 MiB or 1 GiB, and counts for everybody. So what was sent is held against the counter of
//! the host's writes first: where the two disagree, the unit is too coarse for so little work, or somebody else wrote.

use std::ops::RangeInclusive;

use crate::health::{ByteCount, Health};
use crate::message::{Argument, Message};
use crate::size::Bytes;

/// A counter of host writes that is further from what was written is coarse, or counts what others write.
const COUNTED_WITHIN: RangeInclusive<f64> = 0.9..=1.1;

/// The counters at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteCounters {
    /// What hosts wrote.
    pub host: Option<Bytes>,
    /// What went to the flash.
    pub flash: Option<Bytes>,
}

impl WriteCounters {
    /// Those of a health report; a drive that gives none has none.
    pub fn of(health: Option<Health>) -> WriteCounters {
        let bytes = |count: &Option<ByteCount>| count.as_ref().and_then(|count| count.bytes);
        health.map_or_else(WriteCounters::default, |health| WriteCounters {
            host: bytes(&health.host_written),
            flash: bytes(&health.nand_written),
        })
    }

    /// Whether the drive counts both.
    pub fn is_complete(self) -> bool {
        self.host.is_some() && self.flash.is_some()
    }

    /// Bytes written to flash for each that a host sent since an earlier moment, of so many sent.
    ///
    /// # Errors
    /// Why that is not known: a counter is missing or ran backwards, nothing was sent, or the host's disagrees with what
    /// was sent.
    pub fn amplification(self, before: WriteCounters, sent: Bytes) -> Result<f64, Message> {
        let grown = |before: Option<Bytes>, after: Option<Bytes>| {
            Some(after?.get().checked_sub(before?.get())? as f64)
        };
        let (Some(flash), Some(host)) = (
            grown(before.flash, self.flash),
            grown(before.host, self.host),
        ) else {
            return Err(Message::of("why-no-flash-counter"));
        };
        if sent.get() == 0 {
            return Err(Message::of("why-nothing-completed"));
        }
        let sent = sent.get() as f64;
        if !COUNTED_WITHIN.contains(&(host / sent)) {
            let counted = Argument::text(format!("{:.0}", host / 1e6));
            let written = Argument::text(format!("{:.0}", sent / 1e6));
            let places = [("counted", counted), ("written", written)];
            return Err(Message::new("why-host-counter-differs", places));
        }
        Ok(flash / sent)
    }
}
