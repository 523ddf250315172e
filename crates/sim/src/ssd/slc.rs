//! The SLC area: a fixed set of blocks that hold one bit a cell.
//!
//! They take the host's writes at the speed of one-bit programs as long as one of them is free;
//! after that the host writes straight to all bits. When the host is idle, the area is folded: its
//! valid pages are moved to all-bit blocks, and each superblock that is empty then is free again, so
//! writes that come meanwhile find what is empty so far. A superblock that was written in part is
//! filled up with padding first, since a closed one is what can be emptied.

use base::time::Instant;

use super::drive::Drive;
use super::nand::NONE;
use super::space::Stream;

impl Drive {
    /// Closes the SLC superblock that is open, so that it can be folded.
    pub(super) fn close_slc(&mut self, now: Instant) {
        let Some(open) = self.t.space.open(Stream::Slc) else {
            return;
        };
        let unit = self.t.layout.geometry().unit_pages();
        loop {
            let written = self.t.space.block(open).written;
            let padding = written.next_multiple_of(unit) - written;
            if padding == 0 {
                break;
            }
            // The padding lies in the buffer like data until it is programmed.
            self.buffer.take_anyway(u64::from(padding));
            let Some(placed) = self.t.place(Stream::Slc, NONE, padding) else {
                break;
            };
            if let Some(group) = placed.completed {
                self.send(now, group, Stream::Slc, true);
            }
        }
        let pages = self.t.space.pages_of(true);
        let never = (pages - self.t.space.block(open).written) / unit;
        if self.t.space.open(Stream::Slc) == Some(open) {
            self.t.space.close_early(Stream::Slc, never);
        }
    }
}
