//! The contents of a modelled drive: a stamp a sector, so that methods can verify what they wrote.
//!
//! Models keep no bytes. Each write carries a stamp from which its bytes are made, so 64 bits a
//! sector say what should be read back; a sector of stamp 0 was never written, or was trimmed. A
//! write takes effect when it is complete. Where the power fails, acknowledged data that the drive
//! lost ([`Model::lost`]) are marked so, and writes and trims in flight leave their sectors torn: the
//! old data, the new, or neither. A read that carries a stamp asks for what the write with that stamp left
//! there, and fails with EILSEQ where there is anything else, as the kernel's block layer does where
//! protection information does not match. A labelled write ([`base::label`]) leaves in each sector its
//! own label in place of a stamp, and a labelled read is told how the contents differ.
//!
//! This is also where a drive may lose what it took ([`Flaws`]): counterfeit capacity, which has
//! no memory behind it, a flush that is answered and not done, sectors that come back changed without an error. Such
//! drives are as fast as others; only a read of the data shows the flaw.
//!
//! Stamps lie in pages of 2 MiB of the drive, made when they are first written:
//! memory is 1/64 of what was written, nothing for what was not.

use std::collections::BTreeMap;

use base::io::{Io, Op};
use base::label::{Difference, Differs};
use base::size::Bytes;
use base::target::{Info, Outcome, Tag};
use base::time::Instant;
use base::workload::Span;

use crate::model::{Finished, Model};

/// Bytes of a sector, and sectors of a page.
const SECTOR: u64 = 512;
const PAGE_SECTORS: u64 = 4_096;
/// Marks in place of a stamp; no write carries them.
const LOST: u64 = u64::MAX;
const TORN: u64 = u64::MAX - 1;

pub use base::label::EILSEQ;

/// Of a labelled sector's stamp the lower bits are its number, 128 PiB; those above its generation.
const ADDRESS_BITS: u32 = 48;

/// The contents of a sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sector {
    /// Nothing: it was never written, or was trimmed.
    Blank,
    /// The data of the write with this stamp.
    Written(u64),
    /// It was acknowledged, and a power cut lost it.
    Lost,
    /// A power cut came while it was written or trimmed.
    Torn,
}

/// How a drive loses data that it took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flaws {
    /// So many bytes of its capacity there are. The upper bits of an address behind them are not looked at: what is
    /// written there lands on what lies lower down.
    pub wraps: Option<Bytes>,
    /// It answers flushes and does none, and no write is durable.
    pub ignores_flush: bool,
    /// What is written here comes back changed.
    pub corrupt: Vec<Span>,
}

/// A model with its contents.
#[derive(Debug)]
pub struct Contents<M> {
    inner: M,
    flaws: Flaws,
    pages: BTreeMap<u64, Box<[u64]>>,
    /// By tag: the I/O in flight.
    in_flight: Vec<Option<Io>>,
    finished: Vec<Finished>,
}

impl<M: Model> Contents<M> {
    /// `inner`, blank.
    pub fn new(inner: M) -> Contents<M> {
        Contents::with_flaws(inner, Flaws::default())
    }

    /// `inner`, blank, which does not keep all that it takes.
    pub fn with_flaws(inner: M, flaws: Flaws) -> Contents<M> {
        let depth = inner.info().max_in_flight as usize;
        Contents {
            inner,
            flaws,
            pages: BTreeMap::new(),
            in_flight: vec![None; depth],
            finished: Vec::new(),
        }
    }

    /// The drive itself.
    pub fn drive(&mut self) -> &mut M {
        &mut self.inner
    }

    /// The contents of a sector, by its number.
    pub fn sector(&self, number: u64) -> Sector {
        let place = self.place_of(number);
        let page = self.pages.get(&(place / PAGE_SECTORS));
        let stamp = page.map_or(0, |page| page[(place % PAGE_SECTORS) as usize]);
        match stamp {
            0 => Sector::Blank,
            LOST => Sector::Lost,
            TORN => Sector::Torn,
            stamp => Sector::Written(stamp),
        }
    }

    /// The sectors of a range that do not hold what a write with this stamp left there, in order.
    pub fn differing(&self, span: Span, stamp: u64) -> impl Iterator<Item = (u64, Sector)> + '_ {
        let wanted = Sector::Written(kept(stamp));
        sectors_of(span)
            .map(|number| (number, self.sector(number)))
            .filter(move |(_, found)| *found != wanted)
    }

    /// Bytes of memory that the stamps take.
    pub fn memory(&self) -> u64 {
        self.pages.len() as u64 * PAGE_SECTORS * 8
    }

    /// Where a sector lies, by its number.
    fn place_of(&self, number: u64) -> u64 {
        match self.flaws.wraps {
            Some(kept) => number % (kept.get() / SECTOR).max(1),
            None => number,
        }
    }

    fn mark(&mut self, span: Span, stamp: u64) {
        for number in sectors_of(span) {
            let number = self.place_of(number);
            let blank = || vec![0; PAGE_SECTORS as usize].into_boxed_slice();
            let page = self
                .pages
                .entry(number / PAGE_SECTORS)
                .or_insert_with(blank);
            page[(number % PAGE_SECTORS) as usize] = stamp;
        }
    }

    /// Each sector of a labelled write has a stamp of its own.
    fn mark_labels(&mut self, span: Span, generation: u16) {
        for number in sectors_of(span) {
            let sector = Span::new(Bytes::new(number * SECTOR), Bytes::new(SECTOR));
            self.mark(sector, label_of(number, generation));
        }
    }

    /// Holds a range against what a labelled write left there.
    fn check_labels(&self, span: Span, generation: u16) -> Option<Differs> {
        Differs::of(sectors_of(span).zip(0..).filter_map(|(number, i)| {
            let difference = match self.sector(number) {
                Sector::Blank => Difference::Unwritten,
                Sector::Lost => Difference::Lost,
                Sector::Torn => Difference::Corrupt,
                Sector::Written(stamp) if stamp == label_of(number, generation) => return None,
                Sector::Written(stamp) => {
                    match (stamp >> ADDRESS_BITS, stamp % (1 << ADDRESS_BITS)) {
                        (_, at) if at == number => Difference::OldGeneration,
                        (other, _) if other == u64::from(generation) => Difference::OtherAddress,
                        _ => Difference::Corrupt,
                    }
                }
            };
            Some((i, difference))
        }))
    }

    /// What was written comes back changed where the drive is corrupt.
    fn corrupt(&mut self, written: Span) {
        let touched = |bad: &&Span| bad.start < written.end() && written.start < bad.end();
        let parts = self.flaws.corrupt.iter().filter(touched).map(|bad| {
            let start = bad.start.max(written.start);
            let end = bad.end().min(written.end());
            Span::new(start, end.saturating_sub(start))
        });
        for part in parts.collect::<Vec<Span>>() {
            self.mark(part, TORN);
        }
    }

    /// Puts another stamp on sectors that hold data: a trim, which may be as long as the drive, makes no
    /// pages. Beyond the capacity that there is, it does nothing.
    fn replace(&mut self, span: Span, stamp: u64) {
        let kept = self.flaws.wraps.unwrap_or(span.end());
        let start = span.start.min(kept);
        let span = Span::new(start, span.end().min(kept).saturating_sub(start));
        let sectors = sectors_of(span);
        let pages = sectors.start / PAGE_SECTORS..sectors.end.div_ceil(PAGE_SECTORS);
        for (number, page) in self.pages.range_mut(pages) {
            let first = number * PAGE_SECTORS;
            let from = sectors.start.saturating_sub(first).min(PAGE_SECTORS);
            let end = (sectors.end - first).min(PAGE_SECTORS);
            let standing = page[from as usize..end as usize].iter_mut();
            standing
                .filter(|old| **old != 0)
                .for_each(|old| *old = stamp);
        }
    }

    /// An I/O is complete: a write has left its stamp, a read is held against the one that it asks
    /// for.
    fn complete(&mut self, finished: &mut Finished) {
        let io = self.in_flight[finished.tag.0 as usize].take();
        let Some(mut io) = io else {
            return;
        };
        match finished.outcome {
            Outcome::Complete => {}
            Outcome::Short(moved) => io.len = moved.min(io.len),
            Outcome::Failed(_) | Outcome::Broken(_) | Outcome::Differs(_) => return,
        }
        let span = Span::new(io.offset, io.len);
        match (io.op, io.generation()) {
            (Op::Write, generation) => {
                match generation {
                    Some(generation) => self.mark_labels(span, generation),
                    None => self.mark(span, kept(io.stamp)),
                }
                self.corrupt(span);
            }
            (Op::Trim, _) => self.replace(span, 0),
            (_, Some(generation)) => {
                if let Some(differs) = self.check_labels(span, generation) {
                    finished.outcome = Outcome::Differs(differs);
                }
            }
            (_, None) => {
                if self.differing(span, io.stamp).next().is_some() {
                    finished.outcome = Outcome::Failed(EILSEQ);
                }
            }
        }
    }
}

fn sectors_of(span: Span) -> std::ops::Range<u64> {
    span.start.get() / SECTOR..span.end().get().div_ceil(SECTOR)
}

/// A stamp as it is kept: the three that mean something else give way to their neighbours.
const fn kept(stamp: u64) -> u64 {
    match stamp {
        0 => 1,
        TORN | LOST => TORN - 1,
        stamp => stamp,
    }
}

/// The stamp of a labelled sector ([`base::label`]).
const fn label_of(number: u64, generation: u16) -> u64 {
    ((generation as u64) << ADDRESS_BITS) | (number % (1 << ADDRESS_BITS))
}

impl<M: Model> Model for Contents<M> {
    fn beneath(&self) -> Option<&dyn Model> {
        Some(&self.inner)
    }

    fn beneath_mut(&mut self) -> Option<&mut dyn Model> {
        Some(&mut self.inner)
    }

    fn info(&self) -> Info {
        self.inner.info()
    }

    #[inline]
    fn next(&self) -> Option<Instant> {
        self.inner.next()
    }

    fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
        let asks = io.op == Op::Read && (io.stamp != 0 || io.generation().is_some());
        if asks || matches!(io.op, Op::Write | Op::Trim) {
            self.in_flight[tag.0 as usize] = Some(*io);
        }
        if self.flaws.ignores_flush && (io.op == Op::Flush || io.durable) {
            let io = match io.op {
                // An answer takes the drive as long as a small read.
                Op::Flush => Io::read(Bytes::ZERO, self.inner.info().block),
                _ => Io {
                    durable: false,
                    ..*io
                },
            };
            return self.inner.start(now, tag, &io);
        }
        self.inner.start(now, tag, io);
    }

    fn step(&mut self, done: &mut Vec<Finished>) {
        let mut finished = std::mem::take(&mut self.finished);
        self.inner.step(&mut finished);
        for finished in &mut finished {
            self.complete(finished);
        }
        done.append(&mut finished);
        self.finished = finished;
    }

    fn honours_flushes(&self) -> bool {
        !self.flaws.ignores_flush && self.inner.honours_flushes()
    }

    fn power_cut(&mut self, at: Instant) {
        self.inner.power_cut(at);
        for span in self.inner.lost() {
            self.mark(span, LOST);
        }
        for tag in 0..self.in_flight.len() {
            let Some(io) = self.in_flight[tag].take() else {
                continue;
            };
            let span = Span::new(io.offset, io.len);
            match io.op {
                Op::Write => self.mark(span, TORN),
                Op::Trim => self.replace(span, TORN),
                Op::Read | Op::Flush => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::rapid::{Rapid, RapidParameters};
    use crate::layer::tests::even::{Even, drain};
    use base::time::Duration;

    fn drive() -> Even {
        Even::new(Bytes::gib(64), Duration::from_micros(100))
    }

    fn write(kib: u64, len: u64, stamp: u64) -> Io {
        Io::write(Bytes::kib(kib), Bytes::kib(len), stamp)
    }

    fn put<M: Model>(contents: &mut Contents<M>, io: Io) {
        contents.start(Instant::ZERO, Tag(0), &io);
        let mut done = Vec::new();
        while done.is_empty() {
            contents.step(&mut done);
        }
    }

    #[test]
    fn what_was_written_last_stands_there() {
        let mut contents = Contents::new(drive());
        assert_eq!(contents.sector(3), Sector::Blank);
        put(&mut contents, write(0, 8, 7));
        put(&mut contents, write(4, 8, 9));
        assert_eq!(
            (contents.sector(7), contents.sector(8)),
            (Sector::Written(7), Sector::Written(9))
        );
        let whole = Span::first(Bytes::kib(8));
        let wrong: Vec<u64> = contents.differing(whole, 7).map(|(n, _)| n).collect();
        assert_eq!(wrong, (8..16).collect::<Vec<u64>>());
        put(
            &mut contents,
            Io {
                op: Op::Trim,
                ..write(0, 2, 0)
            },
        );
        assert_eq!(
            (contents.sector(3), contents.sector(4)),
            (Sector::Blank, Sector::Written(7))
        );
    }

    /// In which way a labelled read of the first sector at a place differs.
    fn read_back(contents: &Contents<Even>, kib: u64) -> Option<Difference> {
        let sector = Span::new(Bytes::kib(kib), Bytes::new(SECTOR));
        contents.check_labels(sector, 1).map(|differs| differs.kind)
    }

    fn labelled(kib: u64) -> Io {
        Io {
            fill: base::io::Fill::labelled(1),
            ..write(kib, 4, 0)
        }
    }

    fn flawed(flaws: Flaws) -> Contents<Even> {
        Contents::with_flaws(drive(), flaws)
    }

    #[test]
    fn beyond_the_capacity_that_there_is_writes_land_lower_down() {
        let mut contents = flawed(Flaws {
            wraps: Some(Bytes::kib(64)),
            ..Flaws::default()
        });
        for kib in [0, 60, 64] {
            put(&mut contents, labelled(kib));
        }
        let found = [0, 60, 64].map(|kib| read_back(&contents, kib));
        assert_eq!(found, [Some(Difference::OtherAddress), None, None]);
    }

    #[test]
    fn a_flush_that_is_answered_and_not_done_never_reaches_the_drive() {
        for ignores_flush in [false, true] {
            let mut contents = flawed(Flaws {
                ignores_flush,
                ..Flaws::default()
            });
            put(&mut contents, Io::flush());
            put(&mut contents, labelled(0).durably());
            let asked: Vec<bool> = contents
                .drive()
                .started
                .iter()
                .map(|io| io.op == Op::Flush || io.durable)
                .collect();
            assert_eq!(asked, [!ignores_flush; 2]);
        }
    }

    #[test]
    fn corrupt_sectors_come_back_changed_and_their_neighbours_do_not() {
        let mut contents = flawed(Flaws {
            corrupt: vec![Span::new(Bytes::kib(4), Bytes::new(SECTOR))],
            ..Flaws::default()
        });
        for kib in [0, 4, 8] {
            put(&mut contents, labelled(kib));
        }
        let found = [0, 4, 8].map(|kib| read_back(&contents, kib));
        assert_eq!(found, [None, Some(Difference::Corrupt), None]);
    }

    #[test]
    fn a_write_counts_when_it_is_complete_and_a_failed_one_does_not() {
        let mut contents = Contents::new(drive());
        contents.start(Instant::ZERO, Tag(4), &write(0, 4, 7));
        assert_eq!(contents.sector(0), Sector::Blank);
        drain(&mut contents);
        assert_eq!(contents.sector(0), Sector::Written(7));
        contents.drive().outcome = Outcome::Failed(5);
        put(&mut contents, write(0, 4, 8));
        assert_eq!(contents.sector(0), Sector::Written(7));
        contents.drive().outcome = Outcome::Short(Bytes::new(512));
        put(&mut contents, write(0, 4, 8));
        assert_eq!(
            (contents.sector(0), contents.sector(1)),
            (Sector::Written(8), Sector::Written(7))
        );
    }

    #[test]
    fn a_power_cut_marks_what_was_lost_and_what_was_being_written() {
        let mut contents = Contents::new(drive());
        put(&mut contents, write(0, 64, 7));
        contents.drive().volatile = vec![Span::new(Bytes::kib(8), Bytes::kib(4))];
        contents.start(Instant::ZERO, Tag(1), &write(32, 4, 9));
        contents.power_cut(Instant::ZERO);
        let found: Vec<Sector> = [0, 16, 64].map(|n| contents.sector(n)).to_vec();
        assert_eq!(found, [Sector::Written(7), Sector::Lost, Sector::Torn]);
        // Written again, it is there again.
        put(&mut contents, write(8, 4, 11));
        assert_eq!(contents.sector(16), Sector::Written(11));
    }

    #[test]
    fn a_host_cache_loses_what_it_acknowledged_unless_it_was_flushed() {
        let usual = RapidParameters::usual();
        for (honours_flush, stands) in [(true, Sector::Written(7)), (false, Sector::Lost)] {
            let p = RapidParameters {
                honours_flush,
                ..usual
            };
            let mut contents = Contents::new(Rapid::new(drive(), p).unwrap());
            put(&mut contents, write(0, 4, 7));
            put(&mut contents, Io::flush());
            contents.power_cut(Instant::from_nanos(900_000));
            assert_eq!(contents.sector(0), stands);
        }
    }

    #[test]
    fn a_read_that_asks_for_a_stamp_fails_where_it_does_not_stand() {
        let mut contents = Contents::new(drive());
        put(&mut contents, write(0, 8, 7));
        put(&mut contents, write(4, 1, 9));
        let asking = |kib, stamp| Io {
            stamp,
            ..Io::read(Bytes::kib(kib), Bytes::kib(4))
        };
        for (io, outcome) in [
            (asking(0, 7), Outcome::Complete),
            (asking(4, 7), Outcome::Failed(EILSEQ)),
            (asking(4, 0), Outcome::Complete),
            (asking(64, 7), Outcome::Failed(EILSEQ)),
        ] {
            contents.start(Instant::ZERO, Tag(0), &io);
            assert_eq!(drain(&mut contents)[0].outcome, outcome, "{io:?}");
        }
    }

    #[test]
    fn a_labelled_read_is_told_in_which_way_its_sectors_differ() {
        let labelled = |io: Io, generation| Io {
            fill: base::io::Fill::labelled(generation),
            ..io
        };
        let mut contents = Contents::new(drive());
        put(&mut contents, labelled(write(0, 32, 0), 1));
        put(&mut contents, labelled(write(0, 24, 0), 2));
        // A misdirected write: data for 12 KiB are at 8 KiB, too.
        let astray = label_of(24, 2);
        contents.mark(Span::new(Bytes::kib(8), Bytes::kib(1)), astray);
        put(&mut contents, write(4, 4, 7));
        contents.mark(Span::new(Bytes::kib(20), Bytes::kib(4)), LOST);
        let mut read = |kib, generation| {
            let io = labelled(Io::read(Bytes::kib(kib), Bytes::kib(4)), generation);
            contents.start(Instant::ZERO, Tag(0), &io);
            match drain(&mut contents)[0].outcome {
                Outcome::Differs(differs) => Some((differs.kind, differs.first, differs.sectors)),
                other => {
                    assert_eq!(other, Outcome::Complete);
                    None
                }
            }
        };
        assert_eq!(read(0, 2), None);
        assert_eq!(read(0, 3), Some((Difference::OldGeneration, 0, 8)));
        assert_eq!(read(4, 2), Some((Difference::Corrupt, 0, 8)));
        assert_eq!(read(8, 2), Some((Difference::OtherAddress, 0, 2)));
        assert_eq!(read(20, 2), Some((Difference::Lost, 0, 8)));
        assert_eq!(read(28, 2), Some((Difference::OldGeneration, 0, 8)));
        assert_eq!(read(28, 1), None);
        assert_eq!(read(32, 1), Some((Difference::Unwritten, 0, 8)));
    }

    #[test]
    fn memory_is_for_what_was_written_alone() {
        let mut contents = Contents::new(drive());
        put(
            &mut contents,
            Io {
                op: Op::Trim,
                ..write(0, 1 << 20, 0)
            },
        );
        assert_eq!(contents.memory(), 0);
        put(&mut contents, write(0, 4 << 10, 7));
        put(&mut contents, write(32 << 20, 4, 7));
        assert_eq!(contents.memory(), 3 * (2 << 20) / 64);
    }

    #[test]
    fn the_stamps_that_mean_something_else_are_kept_as_others() {
        let mut contents = Contents::new(drive());
        for stamp in [0, LOST, TORN] {
            put(&mut contents, write(0, 4, stamp));
            assert!(matches!(contents.sector(0), Sector::Written(_)));
            let span = Span::first(Bytes::kib(4));
            assert_eq!(contents.differing(span, stamp).count(), 0);
        }
    }
}
