//! Compression: fewer bytes are programmed than the host wrote.
//!
//! A SandForce controller compresses what it is given, adds parity over the dies (RAISE), and
//! programs the result: the flash and its channels see compressed bytes, the host link and the
//! controller see all of them. So the same drive writes zeros at the speed of its link and random
//! data at the speed of its dies, and is amplified by less than one where the data allow it. Data
//! that cannot be compressed take all their bytes and the parity beside.
//!
//! A share of constant data is left (headers remain); data with a constant part compress in proportion
//! to that part. A repetition further apart than a cluster is not found. Data that garbage collection
//! moves compress like the mean of the host's writes. Source: constant data were seen down to a share
//! of 0.14 on the SF-2281 (Tom's Hardware, "SSD 60 GB benchmark review", 2012), a system with its
//! programs at 0.44 (25 GB stored as 11 GB, pcmasters.de, 2010); RAISE is described as one more page
//! a stripe of dies.
//!
//! Groups of pages are counted in uncompressed pages; a program takes place whenever the compressed
//! bytes of those since the last one fill a unit. Divergence: the room that compression saves is not
//! used to make collection lighter, and reading compressed data moves as many bytes as other data.

use base::io::{Fill, FillKind};
use base::time::Instant;

use crate::sheet::quantity::Number;
use crate::sheet::table::parameters;
use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::{Group, NONE};
use crate::ssd::ftl::stream::Stream;

/// Shares are counted in parts of a page.
const PART: u64 = 1_024;

parameters! {
    /// What is left of data, and what is added to them.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub CompressionRules from CompressionConfig ["compression"] {
        /// Share that is left of constant data.
        constant_share "constant_share": Number("of the data") in 0.001..=1.0;
        /// Parity, as a share of what is programmed.
        parity_share "parity_share": Number("of the data") in 0.0..=1.0;
    }
}

impl CompressionRules {
    /// The share of data that is left of a fill, parity included, in parts.
    fn parts(&self, fill: Fill) -> u64 {
        let constant = match fill.kind {
            FillKind::Zeros | FillKind::Ones | FillKind::Pattern { .. } => 1.0,
            FillKind::Fresh | FillKind::RepeatEachMib | FillKind::Labelled { .. } => {
                f64::from(fill.compressible_percent.min(100)) / 100.0
            }
        };
        let share = 1.0 - constant * (1.0 - self.constant_share);
        (share * (1.0 + self.parity_share) * PART as f64 + 0.5) as u64
    }
}

/// Compressed bytes on their way.
#[derive(Clone, Debug)]
pub(in crate::ssd) struct Compression {
    rules: CompressionRules,
    /// Parts of a page of the write that is being placed.
    current: u64,
    /// Pages that the host wrote and parts that they became.
    written: u64,
    became: u64,
    /// Parts that wait to fill a unit: of the host's data, and of what is moved.
    waiting: [u64; 2],
}

impl Compression {
    pub(in crate::ssd) fn new(rules: CompressionRules) -> Compression {
        Compression {
            rules,
            current: PART,
            written: 0,
            became: 0,
            waiting: [0; 2],
        }
    }

    /// The power has failed: nothing waits any more.
    pub(in crate::ssd) fn power_cut(&mut self) {
        self.waiting = [0; 2];
    }

    /// The data of the next pages that are placed.
    pub(in crate::ssd) fn begins(&mut self, fill: Fill) {
        self.current = self.rules.parts(fill);
    }

    /// The host's pages have got their places.
    pub(in crate::ssd) fn placed(&mut self, pages: u32) {
        let parts = u64::from(pages) * self.current;
        self.written += u64::from(pages);
        self.became += parts;
        self.waiting[0] += parts;
    }

    /// Pages of a complete group: how many units are to be programmed for it.
    fn units(&mut self, pages: u32, moved: bool) -> u64 {
        if moved {
            let mean = self.became.checked_div(self.written).unwrap_or(PART);
            self.waiting[1] += u64::from(pages) * mean;
        }
        let waiting = &mut self.waiting[usize::from(moved)];
        let unit = u64::from(pages) * PART;
        let units = *waiting / unit;
        *waiting %= unit;
        units
    }
}

impl Drive {
    /// A group is complete: true where it needs no program of its own, since its compressed bytes
    /// fit beside others. A further program is sent where they, with parity, are more than a unit.
    pub(in crate::ssd) fn fits_beside_others(
        &mut self,
        at: Instant,
        group: Group,
        pages: u32,
        stream: Stream,
    ) -> bool {
        let Some(compression) = &mut self.mechanisms.compression else {
            return false;
        };
        if group.superblock == NONE || stream == Stream::Journal {
            return false;
        }
        let units = compression.units(pages, stream == Stream::Move);
        for _ in 1..units {
            let further = Group {
                superblock: NONE,
                ..group
            };
            self.send(at, further, Stream::Move, false);
        }
        if units > 0 {
            return false;
        }
        self.ftl.group_programmed(&group);
        self.account.beside += u64::from(pages);
        match stream {
            Stream::Move => self.ftl.relocator.programmed(pages),
            Stream::Host | Stream::Slc => self.write_cache.buffer.release(u64::from(pages)),
            Stream::Journal => {}
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(kind: FillKind, compressible_percent: u8) -> Fill {
        Fill {
            kind,
            compressible_percent,
        }
    }

    #[test]
    fn as_many_units_are_programmed_as_the_compressed_bytes_and_the_parity_fill() {
        let units = |fill, parity_share| {
            let mut compression = Compression::new(CompressionRules {
                constant_share: 0.125,
                parity_share,
            });
            compression.begins(fill);
            let mut units = 0;
            for _ in 0..1_000 {
                compression.placed(8);
                units += compression.units(8, false);
            }
            units
        };
        assert_eq!(units(Fill::FRESH, 0.0), 1_000);
        assert_eq!(units(Fill::ZEROS, 0.0), 125);
        assert_eq!(units(fill(FillKind::Ones, 0), 0.0), 125);
        // Half of each 4 KiB is zeros: half, and an eighth of the other half.
        assert_eq!(units(fill(FillKind::Fresh, 50), 0.0), 562);
        assert_eq!(units(fill(FillKind::RepeatEachMib, 0), 0.0625), 1_062);
    }

    #[test]
    fn what_is_moved_is_as_compressible_as_what_was_written() {
        let mut compression = Compression::new(CompressionRules {
            constant_share: 0.25,
            parity_share: 0.0,
        });
        // Nothing is known of data that were there before.
        assert_eq!(compression.units(8, true), 1);
        compression.begins(Fill::ZEROS);
        compression.placed(800);
        let units: u64 = (0..100).map(|_| compression.units(8, true)).sum();
        assert_eq!(units, 25);
    }
}
