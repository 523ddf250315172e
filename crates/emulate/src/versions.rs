//! Which version of each position is on stable storage.
//!
//! A drive that keeps acknowledged writes in a volatile cache may have several versions of one position: one in flash,
//! a newer one in memory, and a still newer one in flight. After a power cut the contents are never older than the
//! newest version that was promised. An address alone does not identify it: a FUA write followed by an ordinary one to
//! the same position would be lost by its address, but is kept by its version.
//!
//! So every completion has a number, which is the version of all positions that it changed. A version is stable when
//!
//! - it was a durable write's, and the drive honours them;
//! - a flush that was submitted after its completion has completed, and the drive honours flushes;
//! - the model, queried before anything newer arrives at that position, says that a power cut would not take it
//!   ([`Target::at_risk`](base::target::Target::at_risk)). For a lying drive this is the only criterion.
//!
//! Only positions are kept whose newest version is not known to be stable, a few dozen bytes per contiguous run. All of
//! it follows from the order of requests and completions, so replaying a log restores it.

use std::collections::BTreeMap;

use base::{Bytes, Io, Op, Span};

use crate::paced::{Paced, Ticket};

/// A range whose newest version is not known to be stable, or was not when it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    end: u64,
    newest: u64,
    stable: u64,
}

/// An outstanding request.
#[derive(Clone, Copy, Debug)]
struct Asked {
    op: Op,
    span: Span,
    durable: bool,
    /// Completions before it was submitted.
    before: u64,
}

/// The versions of a drive's positions.
#[derive(Debug, Default)]
pub struct Versions {
    /// The number of the newest completion.
    told: u64,
    /// Versions up to this one are stable everywhere.
    floor: u64,
    /// By first byte; no two overlap.
    places: BTreeMap<u64, Place>,
    on_their_way: BTreeMap<Ticket, Asked>,
}

impl Versions {
    /// The number of the newest completion.
    pub fn told(&self) -> u64 {
        self.told
    }

    /// Versions up to this one are stable everywhere.
    pub fn floor(&self) -> u64 {
        self.floor
    }

    /// A request arrives.
    pub fn asked(&mut self, ticket: Ticket, io: &Io) {
        let asked = Asked {
            op: io.op,
            span: Span::new(io.offset, io.len),
            durable: io.durable,
            before: self.told,
        };
        self.on_their_way.insert(ticket, asked);
    }

    /// A request completes, with success if `done`; returns the completion's number. `honest` if the drive honours
    /// flushes and durable writes.
    pub fn answered(&mut self, ticket: Ticket, done: bool, honest: bool) -> u64 {
        self.told += 1;
        let Some(asked) = self.on_their_way.remove(&ticket) else {
            return self.told;
        };
        match asked.op {
            Op::Read => {}
            Op::Flush if done && honest => self.all_stable(asked.before),
            Op::Flush => {}
            Op::Write | Op::Trim => {
                self.changed(asked.span);
                if asked.durable && done && honest {
                    self.stable(asked.span, self.told);
                }
            }
        }
        self.told
    }

    /// The parts of a range whose newest version is not known to be stable.
    pub fn open_in(&self, span: Span) -> Vec<Span> {
        let touching = self.touching(span);
        let open = touching.filter(|(_, place)| place.newest > place.stable.max(self.floor));
        open.filter_map(|(start, place)| between(start, place.end).within(span))
            .collect()
    }

    /// All ranges whose newest version is not known to be stable.
    pub fn open(&self) -> Vec<Span> {
        self.open_in(between(0, u64::MAX))
    }

    /// Asks the drive what of these ranges it holds stable.
    pub fn note_stable(&mut self, paced: &mut Paced, open: &[Span]) {
        for part in open {
            let mut at = part.start;
            for risk in paced.at_risk(*part) {
                if at < risk.start {
                    self.stable(Span::new(at, risk.start - at), self.told);
                }
                at = at.max(risk.end());
            }
            if at < part.end() {
                self.stable(Span::new(at, part.end() - at), self.told);
            }
        }
    }

    /// Versions of a range up to a number are stable.
    pub fn stable(&mut self, span: Span, number: u64) {
        self.split(span);
        for (_, place) in self.places.range_mut(span.start.get()..span.end().get()) {
            place.stable = place.stable.max(number.min(place.newest));
        }
    }

    /// Versions up to a number are stable everywhere.
    pub fn all_stable(&mut self, number: u64) {
        self.floor = self.floor.max(number);
        let floor = self.floor;
        self.places.retain(|_, place| place.newest > floor);
    }

    /// Of a range, in parts: the newest version that is stable.
    pub fn newest_stable(&self, span: Span) -> Vec<(Span, u64)> {
        let mut found = Vec::new();
        let mut at = span.start;
        for (start, place) in self.touching(span) {
            let Some(part) = between(start, place.end).within(span) else {
                continue;
            };
            if at < part.start {
                found.push((Span::new(at, part.start - at), self.floor));
            }
            found.push((part, place.stable.max(self.floor)));
            at = part.end();
        }
        if at < span.end() {
            found.push((Span::new(at, span.end() - at), self.floor));
        }
        found
    }

    /// The version from which on something is still needed: all that stood before is stable everywhere.
    pub fn needed_from(&self) -> u64 {
        let open = self.places.values();
        let open = open.filter(|place| place.newest > place.stable.max(self.floor));
        let oldest = open.map(|place| place.stable.max(self.floor)).min();
        oldest.unwrap_or(self.told)
    }

    /// The power was cut: outstanding requests never complete, and the current contents are stable.
    pub fn power_cut(&mut self) {
        self.on_their_way.clear();
        self.all_stable(self.told);
    }

    fn changed(&mut self, span: Span) {
        if span.len.is_zero() {
            return;
        }
        self.split(span);
        let (start, end, told) = (span.start.get(), span.end().get(), self.told);
        let mut at = start;
        let mut gaps = Vec::new();
        for (first, place) in self.places.range_mut(start..end) {
            if at < *first {
                gaps.push((at, *first));
            }
            if place.newest <= self.floor {
                place.stable = self.floor;
            }
            place.newest = told;
            at = place.end;
        }
        if at < end {
            gaps.push((at, end));
        }
        for (first, end) in gaps {
            let place = Place {
                end,
                newest: told,
                stable: self.floor,
            };
            self.places.insert(first, place);
        }
        self.join(start, end);
    }

    /// Splits ranges at both ends of a range, so that each is inside or outside.
    fn split(&mut self, span: Span) {
        for at in [span.start.get(), span.end().get()] {
            let before = self.places.range_mut(..at).next_back();
            if let Some((_, place)) = before
                && place.end > at
            {
                let rest = *place;
                place.end = at;
                self.places.insert(at, rest);
            }
        }
    }

    /// Merges equal neighbours in a range and at its ends.
    fn join(&mut self, start: u64, end: u64) {
        let first = self.places.range(..start).next_back();
        let from = first.map_or(start, |(first, _)| *first);
        let starts: Vec<u64> = self
            .places
            .range(from..=end)
            .map(|(first, _)| *first)
            .collect();
        let mut last: Option<u64> = None;
        for at in starts {
            let Some(place) = self.places.get(&at).copied() else {
                continue;
            };
            if let Some(before) = last.and_then(|last| self.places.get_mut(&last))
                && before.end == at
                && (before.newest, before.stable) == (place.newest, place.stable)
            {
                before.end = place.end;
                self.places.remove(&at);
            } else {
                last = Some(at);
            }
        }
    }

    /// Places that touch a range, in order.
    fn touching(&self, span: Span) -> impl Iterator<Item = (u64, Place)> + '_ {
        let (start, end) = (span.start.get(), span.end().get());
        let first = self.places.range(..=start).next_back();
        let from = first.map_or(start, |(first, _)| *first);
        let found = self.places.range(from..end.max(from));
        found
            .filter(move |(_, place)| place.end > start)
            .map(|(first, place)| (*first, *place))
    }
}

fn between(start: u64, end: u64) -> Span {
    Span::new(Bytes::new(start), Bytes::new(end - start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kib(start: u64, len: u64) -> Span {
        Span::new(Bytes::kib(start), Bytes::kib(len))
    }

    fn write(versions: &mut Versions, span: Span, durable: bool) -> u64 {
        let mut io = Io::write(span.start, span.len, 0);
        io.durable = durable;
        versions.asked(Ticket(0), &io);
        versions.answered(Ticket(0), true, true)
    }

    #[test]
    fn a_durable_write_is_stable_whatever_is_written_over_it() {
        let mut versions = Versions::default();
        write(&mut versions, kib(0, 8), false);
        let durable = write(&mut versions, kib(4, 4), true);
        write(&mut versions, kib(0, 8), false);
        assert_eq!(
            versions.newest_stable(kib(0, 12)),
            [(kib(0, 4), 0), (kib(4, 4), durable), (kib(8, 4), 0)]
        );
        assert_eq!(versions.open(), [kib(0, 4), kib(4, 4)]);
        assert_eq!(versions.needed_from(), 0);
    }

    #[test]
    fn a_flush_is_of_what_was_answered_before_it_was_asked() {
        let mut versions = Versions::default();
        let before = write(&mut versions, kib(0, 4), false);
        versions.asked(Ticket(9), &Io::flush());
        write(&mut versions, kib(0, 4), false);
        versions.answered(Ticket(9), true, true);
        assert_eq!(versions.newest_stable(kib(0, 4)), [(kib(0, 4), before)]);
        versions.asked(Ticket(9), &Io::flush());
        versions.answered(Ticket(9), true, false);
        assert_eq!(versions.open(), [kib(0, 4)], "the drive lies");
    }

    proptest! {
        /// Against one number for each block.
        #[test]
        fn places_are_what_single_blocks_would_be(
            steps in prop::collection::vec((0_u64..20, 1_u64..8, 0_u8..4), 1..80)
        ) {
            let mut versions = Versions::default();
            let mut blocks = [(0_u64, 0_u64); 32];
            for (start, len, what) in steps {
                let span = kib(start, len);
                let inside = &mut blocks[start as usize..(start + len) as usize];
                match what {
                    0 | 1 => {
                        let number = write(&mut versions, span, what == 1);
                        inside.iter_mut().for_each(|block| {
                            *block = (number, if what == 1 { number } else { block.1 });
                        });
                    }
                    2 => {
                        let told = versions.told();
                        versions.stable(span, told);
                        inside.iter_mut().for_each(|block| block.1 = block.1.max(block.0));
                    }
                    _ => {
                        versions.asked(Ticket(1), &Io::flush());
                        let told = versions.answered(Ticket(1), true, true) - 1;
                        blocks.iter_mut().for_each(|block| block.1 = block.1.max(told));
                    }
                }
                for (block, number) in blocks.iter().zip(0..) {
                    let found = versions.newest_stable(kib(number, 1));
                    prop_assert_eq!(found.len(), 1);
                    // What is above the newest version says no more than the newest.
                    prop_assert_eq!(found[0].1.min(block.0), block.1.min(block.0));
                    let is_open = !versions.open_in(kib(number, 1)).is_empty();
                    prop_assert_eq!(is_open, block.0 > block.1);
                }
            }
        }
    }
}
