//! The map's journal: changes of the map are saved in flash while the host writes.
//!
//! The map lives in DRAM. So that it is not lost with the power, what changed is written to the
//! drive's journal ([`crate::ssd::front`], the stream of saved data): a page of changes each time
//! that so much was written, and after more of them a *checkpoint*, which saves a part of the map
//! itself, many pages at once on as many dies. Each is a program that reads and writes on its die
//! wait for, and takes the firmware some time, which the next command waits for.
//!
//! An entry takes 4 to 8 bytes, so a flash page of 16 KiB holds the changes of 8 to 16 MiB of
//! writes of 4 KiB; firmware that saves earlier loses less. No maker publishes its period: values
//! are estimated or fitted to a tail.

use base::size::Bytes;
use base::time::{Duration, Instant};

use crate::sheet::quantity::{Count, Mebibytes, Microseconds};
use crate::sheet::table::parameters;
use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::PAGE;
use crate::ssd::ftl::stream::Stream;

parameters! {
    /// When the map's changes are saved.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub Journaling from MapJournalConfig ["scatter.map_journal"] {
        /// Of the host's data, between two pages of changes.
        every "every_mib": Mebibytes in 0.0625..=4_096.0;
        /// The firmware's own time for a page of changes, in which no command passes the controller.
        busy "busy_us": Microseconds in 0.0..=10_000.0, or Duration::ZERO;
        /// Pages of changes between two checkpoints; none if zero.
        checkpoint_every "checkpoint_every": Count("pages") in 0..=100_000, or 0;
        /// Units of a checkpoint.
        checkpoint "checkpoint_units": Count("units") in 0..=1_024, or 0;
    }
}

/// What was written since the last page of changes.
#[derive(Clone, Debug)]
pub(in crate::ssd) struct MapJournal {
    rules: Journaling,
    since: Bytes,
    pages: u32,
}

impl MapJournal {
    pub(in crate::ssd) fn new(rules: Journaling) -> MapJournal {
        MapJournal {
            rules,
            since: Bytes::ZERO,
            pages: 0,
        }
    }

    /// The host wrote pages; gives the units that are to be saved now.
    #[inline]
    fn wrote(&mut self, pages: u32) -> u32 {
        self.since += Bytes::new(u64::from(pages) * PAGE);
        if self.since < self.rules.every {
            return 0;
        }
        self.since = Bytes::ZERO;
        self.pages += 1;
        if self.rules.checkpoint_every > 0 && self.pages >= self.rules.checkpoint_every {
            self.pages = 0;
            return 1 + self.rules.checkpoint;
        }
        1
    }
}

impl Drive {
    /// The host wrote pages: the map's changes are saved where it is time to.
    #[inline]
    pub(in crate::ssd) fn journal_map(&mut self, at: Instant, pages: u32) {
        let Some(journal) = &mut self.mechanisms.map_journal else {
            return;
        };
        let units = journal.wrote(pages);
        if units > 0 {
            self.front.controller.held_until(at + journal.rules.busy);
        }
        for _ in 0..units {
            if !self.may_journal_map() {
                return;
            }
            let _ = self.journal(at);
        }
    }

    /// Whether a unit of the journal takes no room that is kept for collection or was promised to the
    /// host: else the changes are saved with the next ones.
    fn may_journal_map(&self) -> bool {
        let pool = &self.ftl.pool;
        let opened = u64::from(pool.pages_of(false));
        let may_open =
            pool.free() > self.p.reserves.for_moves && pool.host_room() >= self.promised() + opened;
        may_open || pool.left(Stream::Journal) >= self.ftl.layout.unit_pages()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_saved_each_time_that_enough_was_written_and_a_checkpoint_after_some() {
        let mut journal = MapJournal::new(Journaling {
            every: Bytes::mib(1),
            busy: Duration::ZERO,
            checkpoint_every: 4,
            checkpoint: 10,
        });
        let units: Vec<u32> = (0..1_024)
            .map(|_| journal.wrote(1))
            .filter(|units| *units > 0)
            .collect();
        assert_eq!(units, [1, 1, 1, 11]);
    }
}
