//! What is asked about: the part of a target, how long a phase may take, and whether it may write.

use base::method::Takes;
use base::result::Comparable;
use base::size::Bytes;
use base::target::Info;
use base::time::Duration;
use base::workload::Span;

/// Bytes of a single access: the smallest that every host sends.
const ACCESS: Bytes = Bytes::kib(4);

/// What a question writes at most that does not need the whole drive.
const AREA: Bytes = Bytes::gib(4);

/// What may be written for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// Nothing.
    Nothing,
    /// The beginning, and some places elsewhere.
    Bounded,
    /// All of it, more than once.
    Whole,
}

/// What is asked about.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The part of the target.
    pub(crate) span: Span,
    /// What all of the target holds.
    pub(crate) capacity: Bytes,
    /// Bytes of a single access.
    pub(crate) access: Bytes,
    /// The smallest unit that the target takes.
    pub(crate) block: Bytes,
    /// The longest that a phase may take.
    pub(crate) patience: Duration,
    /// What of it may be written.
    pub(crate) writes: Writes,
    /// Draws addresses and orders.
    pub(crate) seed: u64,
    /// Conditions of all figures.
    pub(crate) by: Comparable,
}

impl Asked {
    /// The first `extent` bytes of a target; `patience` is the longest that a phase may take, and `seed` draws addresses
    /// and orders. Questions that write are asked where `writes` has room for them and the target may be written.
    pub fn of(extent: Bytes, on: &Info, writes: Writes, patience: Duration, seed: u64) -> Asked {
        let span = Span::first(extent.min(on.capacity).round_down(on.block));
        let access = ACCESS.max(on.block).min(span.len);
        Asked {
            capacity: on.capacity,
            access,
            patience,
            writes: match on.writable {
                true => writes,
                false => Writes::Nothing,
            },
            block: on.block,
            seed,
            by: Comparable {
                span: span.said(),
                alignment: access.to_string(),
                ..Comparable::default()
            },
            span,
        }
    }

    /// What questions write that need no more: the beginning.
    pub(crate) fn area(&self) -> Span {
        Span::new(self.span.start, AREA.min(self.span.len))
    }

    /// What so many single accesses take.
    pub(crate) fn singles(&self, accesses: u64) -> Takes {
        Takes::moving(self.access * accesses).and_accesses(accesses)
    }

    /// Places for single accesses.
    pub(crate) fn places(&self) -> u64 {
        (self.span.len.get() / self.access.get().max(1)).max(1)
    }
}
