//! The current generation of each position, and what a job has yet to verify.

use std::collections::{BTreeMap, VecDeque};

use base::label::MOST_GENERATIONS;
use base::{Bytes, Fill, Io, Op};

/// What all jobs of a run wrote last: begin, with end and generation.
#[derive(Default)]
pub(super) struct Labels(BTreeMap<u64, (u64, u16)>);

impl Labels {
    /// The generation of a write: one more than any that it replaces, at least that of its job's loop.
    pub(super) fn next(&self, io: &Io, pass: u64) -> u16 {
        let over = self
            .over(io)
            .map(|(_, (_, generation))| u64::from(generation));
        let next = over.max().map_or(pass, |last| last + 1);
        (next.max(1) - 1).wrapping_rem(u64::from(MOST_GENERATIONS)) as u16 + 1
    }

    /// The expected generation of a read: of one generation all of it, the first one if unknown; `None` if it spans
    /// several.
    pub(super) fn expected(&self, io: &Io) -> Option<u16> {
        let mut found = None;
        let (mut from, end) = (io.offset.get(), io.end().get());
        for (start, (until, generation)) in self.over(io) {
            if start > from || found.is_some_and(|known| known != generation) {
                return None;
            }
            found = Some(generation);
            from = until;
        }
        match found {
            None => Some(1),
            Some(generation) => (from >= end).then_some(generation),
        }
    }

    /// A write is complete.
    pub(super) fn written(&mut self, io: &Io) {
        let gone: Vec<u64> = self.over(io).map(|(start, _)| start).collect();
        for start in gone {
            self.0.remove(&start);
        }
        if let (Op::Write, Some(generation)) = (io.op, io.generation()) {
            self.0.insert(io.offset.get(), (io.end().get(), generation));
        }
    }

    fn over<'a>(&'a self, io: &Io) -> impl Iterator<Item = (u64, (u64, u16))> + use<'a> {
        let (from, end) = (io.offset.get(), io.end().get());
        let before = self.0.range(..from).next_back();
        let before = before.filter(move |(_, (until, _))| *until > from);
        let all = before.into_iter().chain(self.0.range(from..end));
        all.map(|(start, rest)| (*start, *rest))
    }
}

/// Writes of a job that are not verified yet.
pub(super) enum Unverified {
    /// Each position is written once: in write order.
    InOrder(VecDeque<(u64, u64)>),
    /// Places may come again: the last writing of each, in order of address.
    Sorted(BTreeMap<u64, u64>),
}

impl Unverified {
    pub(super) fn new(places_repeat: bool) -> Unverified {
        match places_repeat {
            true => Unverified::Sorted(BTreeMap::new()),
            false => Unverified::InOrder(VecDeque::new()),
        }
    }

    pub(super) fn written(&mut self, io: &Io) {
        let (from, len) = (io.offset.get(), io.len.get());
        match self {
            Unverified::InOrder(list) => list.push_back((from, len)),
            Unverified::Sorted(all) => {
                let before = all.range(..from).next_back();
                let before = before
                    .filter(|(at, len)| **at + **len > from)
                    .map(|(at, _)| *at);
                let gone: Vec<u64> = before
                    .into_iter()
                    .chain(all.range(from..from + len).map(|(at, _)| *at))
                    .collect();
                for at in gone {
                    all.remove(&at);
                }
                all.insert(from, len);
            }
        }
    }

    pub(super) fn len(&self) -> u64 {
        let len = match self {
            Unverified::InOrder(list) => list.len(),
            Unverified::Sorted(all) => all.len(),
        };
        len as u64
    }

    pub(super) fn clear(&mut self) {
        match self {
            Unverified::InOrder(list) => list.clear(),
            Unverified::Sorted(all) => all.clear(),
        }
    }

    pub(super) fn first(&self) -> Option<(Bytes, Bytes)> {
        let first = match self {
            Unverified::InOrder(list) => list.front().copied(),
            Unverified::Sorted(all) => all.iter().next().map(|(at, len)| (*at, *len)),
        };
        first.map(|(at, len)| (Bytes::new(at), Bytes::new(len)))
    }

    pub(super) fn take_first(&mut self) {
        match self {
            Unverified::InOrder(list) => drop(list.pop_front()),
            Unverified::Sorted(all) => drop(all.pop_first()),
        }
    }
}

/// A verifying read.
pub(super) fn checked(offset: Bytes, len: Bytes, labels: &Labels) -> Io {
    let read = Io::read(offset, len);
    match labels.expected(&read) {
        Some(generation) => Io {
            fill: Fill::labelled(generation),
            ..read
        },
        None => read,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(at: u64, len: u64, generation: u16) -> Io {
        Io {
            fill: Fill::labelled(generation),
            ..Io::write(Bytes::new(at), Bytes::new(len), 1)
        }
    }

    #[test]
    fn a_place_that_is_written_again_has_the_next_generation() {
        let mut labels = Labels::default();
        assert_eq!(labels.next(&write(0, 4096, 0), 1), 1);
        labels.written(&write(0, 4096, 1));
        labels.written(&write(4096, 4096, 1));
        assert_eq!(labels.next(&write(2048, 4096, 0), 1), 2);
        assert_eq!(
            labels.expected(&Io::read(Bytes::ZERO, Bytes::new(8192))),
            Some(1)
        );
        labels.written(&write(0, 4096, 2));
        assert_eq!(
            labels.expected(&Io::read(Bytes::ZERO, Bytes::new(4096))),
            Some(2)
        );
        assert_eq!(
            labels.expected(&Io::read(Bytes::ZERO, Bytes::new(8192))),
            None
        );
        assert_eq!(
            labels.expected(&Io::read(Bytes::mib(1), Bytes::new(512))),
            Some(1)
        );
    }

    #[test]
    fn places_that_repeat_are_verified_once_in_order_of_address() {
        let mut list = Unverified::new(true);
        for at in [8192, 0, 8192, 4096] {
            list.written(&write(at, 4096, 1));
        }
        let mut order = Vec::new();
        while let Some((at, _)) = list.first() {
            order.push(at.get());
            list.take_first();
        }
        assert_eq!(order, [0, 4096, 8192]);
    }
}
