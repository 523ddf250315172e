//! A partition: an offset on a drive.
//!
//! Old partitions begin at 31.5 KiB (sector 63), so that every 4 KiB access of the file system
//! straddles two pages of the drive.

use base::io::{Io, Op};
use base::size::Bytes;
use base::target::{Info, Tag};
use base::time::Instant;
use base::workload::Span;

use crate::model::{Finished, Model};

/// A model from an offset on.
#[derive(Debug)]
pub struct Partition<M> {
    inner: M,
    offset: Bytes,
    moved: Vec<Io>,
}

/// The offset leaves nothing, or is not a whole number of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a partition cannot begin at {offset} of a drive of {capacity}: a multiple of {block} inside the drive is allowed"
)]
pub struct NoPartition {
    pub offset: Bytes,
    pub capacity: Bytes,
    /// The drive's block.
    pub block: Bytes,
}

impl<M: Model> Partition<M> {
    /// `inner` from `offset` on.
    ///
    /// # Errors
    /// Where the offset is not a multiple of the drive's block, or leaves nothing of it.
    pub fn new(inner: M, offset: Bytes) -> Result<Partition<M>, NoPartition> {
        let info = inner.info();
        if !offset.is_multiple_of(info.block) || offset >= info.capacity {
            return Err(NoPartition {
                offset,
                capacity: info.capacity,
                block: info.block,
            });
        }
        Ok(Partition {
            inner,
            offset,
            moved: Vec::new(),
        })
    }

    fn moved(offset: Bytes, io: &Io) -> Io {
        let mut io = *io;
        if io.op != Op::Flush {
            io.offset = io.offset.saturating_add(offset);
        }
        io
    }
}

impl<M: Model> Model for Partition<M> {
    fn beneath(&self) -> Option<&dyn Model> {
        Some(&self.inner)
    }

    fn beneath_mut(&mut self) -> Option<&mut dyn Model> {
        Some(&mut self.inner)
    }

    fn next(&self) -> Option<Instant> {
        self.inner.next()
    }
    fn step(&mut self, done: &mut Vec<Finished>) {
        self.inner.step(done);
    }
    fn power_cut(&mut self, at: Instant) {
        self.inner.power_cut(at);
    }

    /// The zones of the whole drive: a layer over a part of it has to know that there are any.
    fn zoned(&mut self) -> Option<&mut dyn base::zone::Zoned> {
        self.inner.zoned()
    }

    fn info(&self) -> Info {
        let info = self.inner.info();
        Info {
            capacity: info.capacity.saturating_sub(self.offset),
            ..info
        }
    }
    fn hint(&mut self, upcoming: &[Io]) {
        self.moved.clear();
        let offset = self.offset;
        self.moved
            .extend(upcoming.iter().map(|io| Self::moved(offset, io)));
        self.inner.hint(&self.moved);
    }
    fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
        self.inner.start(now, tag, &Self::moved(self.offset, io));
    }
    fn advance(&mut self, until: Instant, done: &mut Vec<Finished>) -> Option<Instant> {
        self.inner.advance(until, done)
    }
    fn at_risk(&mut self, at: Instant, span: Span) -> Vec<Span> {
        let moved = Span::new(span.start + self.offset, span.len);
        let found = self.inner.at_risk(at, moved).into_iter();
        found
            .map(|part| Span::new(part.start - self.offset, part.len))
            .collect()
    }
    fn lost(&self) -> Vec<Span> {
        let spans = self.inner.lost().into_iter();
        spans
            .filter(|span| span.end() > self.offset)
            .map(|span| {
                let start = span.start.max(self.offset);
                Span::new(start - self.offset, span.end() - start)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Notes where I/Os go.
    #[derive(Default)]
    struct Notes {
        started: Vec<Io>,
        hinted: Vec<Io>,
    }

    impl Model for Notes {
        fn info(&self) -> Info {
            Info {
                capacity: Bytes::mib(1),
                block: Bytes::SECTOR,
                max_in_flight: 1,
                writable: true,
            }
        }
        fn hint(&mut self, upcoming: &[Io]) {
            self.hinted.extend(upcoming);
        }
        fn start(&mut self, _: Instant, _: Tag, io: &Io) {
            self.started.push(*io);
        }
        fn next(&self) -> Option<Instant> {
            None
        }
        fn step(&mut self, _: &mut Vec<Finished>) {}
        fn power_cut(&mut self, _: Instant) {}
    }

    #[test]
    fn everything_but_a_flush_is_moved_by_the_offset() {
        let offset = Bytes::new(63 * 512);
        let mut partition = Partition::new(Notes::default(), offset).unwrap();
        assert_eq!(partition.info().capacity, Bytes::mib(1) - offset);
        let read = Io::read(Bytes::kib(4), Bytes::kib(4));
        partition.hint(&[read, Io::flush()]);
        partition.start(Instant::ZERO, Tag(0), &read);
        let moved = Io::read(Bytes::new(63 * 512 + 4_096), Bytes::kib(4));
        assert_eq!(partition.inner.hinted, [moved, Io::flush()]);
        assert_eq!(partition.inner.started, [moved]);
    }

    #[test]
    fn a_partition_begins_at_a_block_inside_the_drive() {
        for offset in [Bytes::new(100), Bytes::mib(1), Bytes::mib(2)] {
            assert!(
                Partition::new(Notes::default(), offset).is_err(),
                "{offset}"
            );
        }
    }
}
