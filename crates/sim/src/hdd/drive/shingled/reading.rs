//! Reads: what is not mapped comes at once, what is in the log from the log, and the rest from home.
//!
//! A read that touches pieces in the log takes them in the order of the log, and then all home blocks in
//! one pass. Reading ahead ends before the next block that is in the log.

use base::target::Outcome;

use super::super::{Ahead, Hdd, Stage, Work};
use crate::hdd::geometry::PhysicalAddress;
use crate::hdd::queue::Waiting;

/// First block and the one after the last.
type Range = (u64, u64);

impl Hdd {
    /// Whether a range of blocks is read as zeros without the disc.
    #[inline]
    pub(in super::super) fn is_unmapped(&self, start: u64, end: u64) -> bool {
        let mapped = self.translation.as_ref().and_then(|t| t.mapped.as_ref());
        mapped.is_some_and(|mapped| !mapped.any(start, end))
    }

    /// Whether some of a range of blocks is in the log.
    #[inline]
    pub(in super::super) fn in_log(&self, start: u64, end: u64) -> bool {
        let translation = self.translation.as_ref();
        translation.is_some_and(|t| t.cache.touches(start, end))
    }

    /// Where reading ahead from a block ends at the latest: before what is in the log.
    #[inline]
    pub(in super::super) fn log_from(&self, block: u64) -> u64 {
        let translation = self.translation.as_ref();
        translation.map_or(u64::MAX, |t| t.cache.first_from(block))
    }

    /// Where a block is on the disc.
    #[inline]
    pub(in super::super) fn place_on_disc(&self, block: u64) -> PhysicalAddress {
        let piece = self
            .translation
            .as_ref()
            .and_then(|t| Some(t.blocks + t.cache.pieces(block, block + 1).next()?.2));
        let geometry = &self.p.mechanics.geometry;
        geometry.place(geometry.pba_of(piece.unwrap_or(block)))
    }

    /// The arm fetches an access that touches the log; false where it does not.
    pub(in super::super) fn begin_scattered(&mut self, waiting: &Waiting, now: u64) -> bool {
        if !self.in_log(waiting.start, waiting.end) {
            return false;
        }
        let (pieces, home) = self.ways_to(waiting.start, waiting.end);
        let mut at = self.leave(now);
        let segment = self.reads.take(waiting.start);
        for (start, end) in pieces.into_iter().chain(home) {
            at = self.pass_over(start, end, false, at);
        }
        self.reads.grow(segment, waiting.end);
        self.reads.touch(segment);
        self.busy = at;
        self.last_host_work = at;
        self.work = match home {
            Some((_, end)) if end == waiting.end => Work::Ahead(Ahead {
                segment,
                limit: self.ahead_limit(end),
                stopped: false,
            }),
            _ => Work::Rest,
        };
        let command = self.commands[waiting.tag as usize];
        let ready = self.link.begin_before(at, command.end - command.start);
        self.set(waiting.tag, Stage::Wire, ready.max(now));
        true
    }

    /// The ranges of the disc that a range of blocks is read from: the log's, in its order, and the one at
    /// home from the first to the last block that is there.
    fn ways_to(&self, start: u64, end: u64) -> (Vec<Range>, Option<Range>) {
        let Some(translation) = &self.translation else {
            return (Vec::new(), Some((start, end)));
        };
        let mut ranges = Vec::new();
        let mut home: Option<Range> = None;
        let mut reached = start;
        let mut at_home = |from: u64, to: u64| {
            if from < to {
                home = Some((home.map_or(from, |(first, _)| first), to));
            }
        };
        for (from, to, at) in translation.cache.pieces(start, end) {
            at_home(reached, from);
            let log = translation.blocks + at;
            ranges.push((log, log + (to - from)));
            reached = to;
        }
        at_home(reached, end);
        ranges.sort_unstable();
        (ranges, home)
    }

    /// A trim is decoded.
    pub(in super::super) fn trim(&mut self, tag: u32, now: u64) {
        let command = self.commands[tag as usize];
        let (start, end) = (command.start, command.end);
        self.forget_read(start, end, now);
        if let Some(translation) = &mut self.translation {
            translation.cache.cut(start, end);
            if let Some(mapped) = &mut translation.mapped {
                mapped.unmap(start, end);
            }
        }
        self.set(tag, Stage::End(Outcome::Complete), now);
    }
}
