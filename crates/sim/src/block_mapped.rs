//! A first-generation solid-state drive: block map, log blocks, no write buffer.
//!
//! The map has one entry a *block* (a few MiB: one erase block of each channel together), and page `n`
//! of the data lies at page `n` of the block: the map fits into the controller's own SRAM. Random
//! overwrites go to *log blocks* instead, one for each data block in use; every write takes a page
//! there, whatever its size. When no log block is free the oldest one is
//! *merged* with its data block while the host waits, reads too, since one controller does one
//! thing at a time ([`ftl`]). Written in order from its first page on, a log block becomes the data
//! block when it is full and nothing is copied: such a drive is fast at sequential writes and stalls for a
//! good part of a second under small or mixed writes. In rest it merges of its own accord, slowly.
//!
//! Two such controllers behind a RAID-0 chip are two halves that stall each on its own ([`drive`]).
//!
//! Sources: kmlansen's measurement of the JMF602B from outside (lansen.hatenadiary.org,
//! 2009-04-02): 77 log blocks of about 126 usable pages, one merge in 1.2 s of rest, none while
//! reads continue; the forced merge, of the order of 200 ms an erase block
//! (reservoir.hatenablog.com, 2008-11-27); the drive that answers "busy" to reads as well
//! (pcinformation.info). The mechanism is that of Kim et al., "A space-efficient flash translation
//! layer for CompactFlash systems", 2002.

pub mod config;
pub mod drive;
pub mod ftl;

#[cfg(test)]
mod tests;
