//! What must hold at all times, looked at while the drive works, in every debug build.
//!
//! Each I/O and each page is checked where it is handled: a logical page's old place leads back to
//! it, a page ends once, a group is programmed once after an erase, all bytes of a command have
//! moved when it ends, and no two things hold a channel or a die at once. What can only be seen of
//! the whole drive is looked at when twice as many pages have been written since the last time as
//! the map has (a few thousand at least), so that it costs a constant share of the work: map, way
//! back, counts and lists agree, and every page that was given a place was programmed, or waits for
//! that, or was lost with the power. So the pages that the drive says it programmed, over those
//! that the host wrote, are its write amplification.

use super::drive::Drive;

/// Pages written between two looks at the whole drive, at least.
const LEAST: u64 = 4_096;

/// Pages that were given places, by what became of them beside being programmed there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Account {
    /// Filled up with nothing.
    pub(super) padding: u64,
    /// Programmed in a place of the drive's own: saved data and tables. They have no place.
    pub(super) apart: u64,
    /// Compressed beside others: they need no program of their own.
    pub(super) beside: u64,
    /// Not programmed when the power failed.
    pub(super) cut: u64,
    /// All that were given places when the whole drive was looked at last.
    audited: u64,
}

impl Drive {
    /// Looks at the whole drive where it is time to; nothing in a release build.
    #[inline]
    pub(super) fn audit_in_time(&mut self) {
        if cfg!(debug_assertions) {
            let placed = self.placed_pages();
            if placed - self.account.audited >= LEAST.max(2 * u64::from(self.ftl.l2p.pages())) {
                self.account.audited = placed;
                let found = self.audit();
                debug_assert_eq!(found, Ok(()));
            }
        }
    }

    /// Pages that were given places so far.
    fn placed_pages(&self) -> u64 {
        let counters = &self.counters;
        counters.host_pages
            + counters.collected_pages
            + counters.folded_pages
            + self.account.padding
    }

    /// Checks the whole drive.
    ///
    /// # Errors
    /// The first disagreement, in words.
    pub fn audit(&self) -> Result<(), String> {
        self.ftl.check()?;
        let account = &self.account;
        let programmed = self.counters.programmed_pages - account.apart;
        let waiting = self.ftl.waiting_pages();
        let accounted = programmed + account.beside + account.cut + waiting;
        let placed = self.placed_pages();
        if placed != accounted {
            return Err(format!(
                "{placed} pages were given places: {programmed} were programmed, {} are beside others, {} were cut off, {waiting} wait",
                account.beside, account.cut
            ));
        }
        Ok(())
    }
}
