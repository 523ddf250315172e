//! The DRAM that holds written data until they are in the flash.
//!
//! A write is complete for the host once its data are here. Data stay until the group that they
//! belong to is programmed, so the buffer fills when the flash is slower than the host, and the next
//! write waits for room: this is how programs and garbage collection slow the host.

/// The buffer, in pages of 4 KiB.
#[derive(Clone, Debug)]
pub struct Buffer {
    pages: u64,
    used: u64,
}

impl Buffer {
    /// An empty buffer; its size is in pages.
    pub fn new(pages: u64) -> Buffer {
        Buffer { pages, used: 0 }
    }

    /// Takes room for pages; says whether there was any.
    pub fn take(&mut self, pages: u64) -> bool {
        let fits = self.used + pages <= self.pages;
        if fits {
            self.used += pages;
        }
        fits
    }

    /// Takes room that must be had: padding of a unit that is closed early. Never more than a unit
    /// beyond the end.
    pub fn take_anyway(&mut self, pages: u64) {
        self.used += pages;
    }

    /// Pages are in the flash.
    ///
    /// # Panics
    /// In debug builds, where more is given back than was taken.
    pub fn release(&mut self, pages: u64) {
        debug_assert!(pages <= self.used, "more given back than taken");
        self.used = self.used.saturating_sub(pages);
    }

    /// Pages that it has room for.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Pages held.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Empties it: the power has failed.
    pub fn clear(&mut self) {
        self.used = 0;
    }
}
