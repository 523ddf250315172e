//! What is asked about: the part of a target, how long a phase may take, and whether it may write.

use base::{Bytes, Comparable, Duration, Info, Span, Takes};

/// Bytes of a single access: the smallest that every host sends.
const ACCESS: Bytes = Bytes::kib(4);

/// What a question writes at most that does not need the whole drive.
const AREA: Bytes = Bytes::gib(4);

/// Where a part begins and ends that may be written: units and stripes are asked about from there.
const ALIGNED: Bytes = Bytes::mib(1);

/// What may be written for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// Nothing.
    Nothing,
    /// The beginning, and some places elsewhere.
    Bounded,
    /// This part, and nothing else.
    Within(Span),
    /// All of it, more than once.
    Whole {
        /// It is filled, too: three quarters, to see what that leaves of a one-bit cache, and all of it, to see when
        /// collection begins.
        fills: bool,
    },
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
    /// The first `extent` bytes of a target on `on`; `patience` is the longest that a phase may take, and `seed` draws addresses
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

    /// What questions write that need no more: the beginning, or of the part that may be written what lies inside.
    pub(crate) fn area(&self) -> Span {
        match self.writes {
            Writes::Within(part) => {
                let start = part.start.round_up(ALIGNED).max(self.span.start);
                let end = part.end().min(self.span.end()).round_down(ALIGNED);
                Span::new(start, end.max(start) - start)
            }
            _ => Span::new(self.span.start, AREA.min(self.span.len)),
        }
    }

    /// Whether a question may write this part.
    pub(crate) fn may_write(&self, part: Span) -> bool {
        match self.writes {
            Writes::Nothing => false,
            Writes::Bounded | Writes::Whole { .. } => true,
            Writes::Within(_) => {
                let area = self.area();
                area.len > Bytes::ZERO && area.start <= part.start && part.end() <= area.end()
            }
        }
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
