//! A test file on a file system: what a program does to the file, as the drive sees it.
//!
//! Offsets of the file become places on the volume, in pieces where the file is in pieces. Beside
//! them go the file system's own writes ([`Layout`]): the first write makes the file; a write
//! beyond its end makes it longer, and changes the entries of the clusters that it takes; a write
//! in place changes its times, at once or with the next flush. Changed places are gathered as pages
//! of 4 KiB in memory. A while after the first of them they are written: in place, or in one piece to
//! the log, and in place later. A flush of the program brings them out first (all of them, or the
//! log alone where there is one), and then the drive is told to flush. Nothing else waits for them:
//! they take their turn at driver and drive among the program's own.
//!
//! The file grows sequentially. What lies before its end is taken to be written: no zeros are written
//! into a gap, as file systems do. Nothing is read of the file system's own, since all of it is in
//! memory. A trim goes to the drive where the file lies, and changes no entry.
//!
//! Parameters and sources are those of the layouts, in [`crate::file_system`].

use std::collections::{BTreeSet, VecDeque};

use base::io::{Fill, Io, Op};
use base::size::Bytes;
use base::target::{Info, Outcome, Tag};
use base::time::Instant;
use base::workload::Span;

use crate::file_system::{Layout, PAGE, Times};
use crate::model::{Finished, Model};

/// Pages that follow each other are written together, up to this much.
const TOGETHER: Bytes = Bytes::kib(64);

/// On whose behalf a command is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// An I/O of the program.
    Program(Tag),
    /// The file system itself.
    Own,
}

/// Writes of the file system that may go side by side; the next step begins when all are complete.
#[derive(Clone, Debug, Default)]
struct Step {
    ios: Vec<Io>,
    /// The flush of the program that is complete with it.
    answers: Option<Tag>,
}

/// An I/O of the program under way.
#[derive(Clone, Copy, Debug)]
struct Way {
    pending: u32,
    outcome: Outcome,
}

/// A test file on a file system on a drive.
#[derive(Debug)]
pub struct FileSystem<M> {
    inner: M,
    layout: Layout,
    /// Where each part of the file begins in the file.
    from: Vec<Bytes>,
    capacity: Bytes,
    block: Bytes,
    /// The end of the file.
    end: Bytes,
    /// Changed pages, and since when there are any.
    changed: BTreeSet<Bytes>,
    changed_since: Option<Instant>,
    /// Pages that the log has, and when they are to be written in place.
    logged: BTreeSet<Bytes>,
    in_place_at: Option<Instant>,
    /// Whether the file was written in place since its times were noted.
    touched: bool,
    /// Bytes logged so far: where in the log the next commit goes.
    log_at: Bytes,
    steps: VecDeque<Step>,
    /// Commands of the first step that are not complete, if it has begun.
    step_pending: Option<u32>,
    waiting: VecDeque<(Owner, Io)>,
    free: Vec<u32>,
    owners: Vec<Owner>,
    ways: Vec<Way>,
    finished: Vec<Finished>,
    moved: Vec<Io>,
}

/// The drive's blocks are larger than what the file system is aligned to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} would begin its data at byte {start}, and the drive has blocks of {block}")]
pub struct Unaligned {
    pub name: &'static str,
    /// Where the data would begin.
    pub start: u64,
    /// The drive's block.
    pub block: Bytes,
}

impl<M: Model> FileSystem<M> {
    /// A file on a volume that is all of `inner`.
    ///
    /// # Errors
    /// Where the layout does not fit the drive's blocks.
    pub fn new(inner: M, layout: Layout) -> Result<FileSystem<M>, Unaligned> {
        let info = inner.info();
        let odd = layout
            .data
            .iter()
            .find(|s| !s.start.is_multiple_of(info.block));
        if let Some(span) = odd {
            return Err(Unaligned {
                name: layout.name,
                start: span.start.get(),
                block: info.block,
            });
        }
        let mut from = Vec::with_capacity(layout.data.len());
        let mut all = Bytes::ZERO;
        for span in &layout.data {
            from.push(all);
            all += span.len;
        }
        let tags = info.max_in_flight;
        Ok(FileSystem {
            capacity: all.min(layout.largest_file).round_down(info.block),
            block: info.block,
            inner,
            layout,
            from,
            end: Bytes::ZERO,
            changed: BTreeSet::new(),
            changed_since: None,
            logged: BTreeSet::new(),
            in_place_at: None,
            touched: false,
            log_at: Bytes::ZERO,
            steps: VecDeque::new(),
            step_pending: None,
            waiting: VecDeque::new(),
            free: (0..tags).rev().collect(),
            owners: vec![Owner::Own; tags as usize],
            ways: vec![IDLE; tags as usize],
            finished: Vec::new(),
            moved: Vec::new(),
        })
    }

    /// The part of the file that holds a place, by its number.
    fn part_at(&self, at: Bytes) -> usize {
        self.from
            .partition_point(|from| *from <= at)
            .saturating_sub(1)
    }

    /// Where the first piece of a part of the file lies, and how long it is.
    fn piece(&self, at: Bytes, len: Bytes) -> Span {
        let part = self.part_at(at);
        let inside = at - self.from[part];
        let span = self.layout.data[part];
        Span::new(span.start + inside, len.min(span.len - inside))
    }

    /// The program's reads, writes and trims go where the file lies.
    fn send_where_it_lies(&mut self, tag: Tag, io: &Io) {
        let mut rest = *io;
        while !rest.len.is_zero() {
            let piece = self.piece(rest.offset, rest.len);
            let part = Io {
                offset: piece.start,
                len: piece.len,
                ..rest
            };
            self.ways[tag.0 as usize].pending += 1;
            self.waiting.push_back((Owner::Program(tag), part));
            rest.offset += piece.len;
            rest.len -= piece.len;
        }
    }

    /// Notes what a write changes of the file system.
    fn note(&mut self, now: Instant, io: &Io) {
        if self.end.is_zero() {
            self.changed.extend(&self.layout.create);
        }
        if io.end() > self.end {
            self.grow(now, io.end());
        } else if self.layout.times == Times::AtOnce {
            self.change_file(now);
        } else {
            self.touched = true;
        }
    }

    /// The file grows: it takes clusters, and its metadata are written.
    fn grow(&mut self, now: Instant, end: Bytes) {
        let mut at = self.end.round_up(self.layout.cluster);
        self.end = end;
        let mut pages = BTreeSet::new();
        while at < end {
            let piece = self.piece(at, end - at);
            for table in self.layout.tables_of(piece) {
                pages_of(table, piece, self.layout.cluster, &mut pages);
            }
            at += piece.len;
        }
        self.changed.extend(pages);
        self.change_file(now);
    }

    /// Size or times have changed: the metadata of the file are written.
    fn change_file(&mut self, now: Instant) {
        self.touched = false;
        self.changed.extend(&self.layout.file);
        self.changed_since.get_or_insert(now);
    }

    /// When the file system writes something on its own.
    fn due(&self) -> Option<Instant> {
        let lazy = self.layout.lazy;
        let log = self.changed_since.map(|since| since.saturating_add(lazy));
        match (log, self.in_place_at) {
            (Some(log), Some(in_place)) => Some(log.min(in_place)),
            (log, in_place) => log.or(in_place),
        }
    }

    /// What is due is written.
    fn write_back(&mut self, now: Instant) {
        if self.in_place_at.is_some_and(|at| at <= now) {
            self.in_place_at = None;
            let pages = std::mem::take(&mut self.logged);
            self.put_in_place(pages);
        }
        let lazy = self.layout.lazy;
        if self
            .changed_since
            .is_some_and(|since| since.saturating_add(lazy) <= now)
        {
            self.bring_out(now);
        }
    }

    /// Everything that has changed goes to the log, or in place where there is none.
    fn bring_out(&mut self, now: Instant) {
        self.changed_since = None;
        let pages = std::mem::take(&mut self.changed);
        if pages.is_empty() {
            return;
        }
        let Some(log) = self.layout.log else {
            self.put_in_place(pages);
            return;
        };
        let len = log.commit_of(pages.len() as u64).round_up(self.block);
        if self.log_at + len > log.span.len {
            self.log_at = Bytes::ZERO;
        }
        let commit = own_write(log.span.start + self.log_at, len);
        self.log_at += len;
        self.queue_step(vec![commit]);
        if log.barrier {
            self.queue_step(vec![Io::flush()]);
        }
        self.logged.extend(pages);
        if self.in_place_at.is_none() {
            self.in_place_at = Some(now.saturating_add(log.in_place));
        }
    }

    fn put_in_place(&mut self, pages: BTreeSet<Bytes>) {
        let mut runs: Vec<Io> = Vec::new();
        for page in pages {
            match runs.last_mut() {
                Some(run) if run.end() == page && run.len < TOGETHER => run.len += PAGE,
                _ => runs.push(own_write(page, PAGE)),
            }
        }
        self.queue_step(runs);
    }

    fn queue_step(&mut self, ios: Vec<Io>) {
        let answers = None;
        self.steps.push_back(Step { ios, answers });
    }

    /// The program flushes: what has changed, then the drive.
    fn flush(&mut self, now: Instant, tag: Tag) {
        if std::mem::take(&mut self.touched) {
            self.change_file(now);
        }
        self.bring_out(now);
        self.steps.push_back(Step {
            ios: vec![Io::flush()],
            answers: Some(tag),
        });
    }

    /// Begins the next step where none is under way.
    fn next_step(&mut self) {
        if self.step_pending.is_some() {
            return;
        }
        if let Some(step) = self.steps.front() {
            self.step_pending = Some(step.ios.len() as u32);
            let own = step.ios.iter().map(|io| (Owner::Own, *io));
            self.waiting.extend(own);
        }
    }

    /// Sends what waits, as far as the drive takes it.
    fn send(&mut self, now: Instant) {
        self.next_step();
        while let Some(&(owner, io)) = self.waiting.front() {
            let Some(inner) = self.free.pop() else {
                return;
            };
            self.waiting.pop_front();
            self.owners[inner as usize] = owner;
            self.inner.start(now, Tag(inner), &io);
        }
    }

    fn completed(&mut self, finished: Finished, done: &mut Vec<Finished>) {
        let inner = finished.tag.0;
        self.free.push(inner);
        match self.owners[inner as usize] {
            Owner::Program(tag) => {
                let way = &mut self.ways[tag.0 as usize];
                way.pending -= 1;
                if way.outcome == Outcome::Complete {
                    way.outcome = finished.outcome;
                }
                if way.pending == 0 {
                    let outcome = way.outcome;
                    done.push(Finished {
                        tag,
                        outcome,
                        ..finished
                    });
                }
            }
            Owner::Own => self.own_completed(finished, done),
        }
    }

    fn own_completed(&mut self, finished: Finished, done: &mut Vec<Finished>) {
        let left = self.step_pending.map_or(0, |pending| pending - 1);
        if left > 0 {
            self.step_pending = Some(left);
            return;
        }
        self.step_pending = None;
        let answers = self.steps.pop_front().and_then(|step| step.answers);
        if let Some(tag) = answers {
            done.push(Finished { tag, ..finished });
        }
    }

    /// A part of the volume, as parts of the file.
    fn in_file(&self, lost: Span) -> Vec<Span> {
        let parts = self.layout.data.iter().zip(&self.from);
        let inside = |(span, from): (&Span, &Bytes)| {
            let start = lost.start.max(span.start);
            let end = lost.end().min(span.end());
            (start < end).then(|| Span::new(*from + (start - span.start), end - start))
        };
        parts.filter_map(inside).collect()
    }
}

const IDLE: Way = Way {
    pending: 0,
    outcome: Outcome::Complete,
};

/// The pages of a table that hold the entries of a piece of the volume.
fn pages_of(
    table: &crate::file_system::Table,
    piece: Span,
    cluster: Bytes,
    pages: &mut BTreeSet<Bytes>,
) {
    let start = piece.start.max(table.covers.start);
    let end = piece.end().min(table.covers.end());
    let mut at = start;
    while at < end {
        let Some(page) = table.page_of(at) else {
            return;
        };
        pages.insert(page);
        // On to the first cluster whose entry is in another page.
        let entries = (PAGE.get() * 8 / table.entry_bits).max(1);
        let step = table.for_each * entries;
        let next = table.covers.start + (at - table.covers.start).round_down(step) + step;
        at = next.max(at + cluster);
    }
    if start < end {
        pages.extend(table.page_of(end.saturating_sub(Bytes::new(1))));
    }
}

/// Metadata are numbers that hardly repeat.
fn own_write(at: Bytes, len: Bytes) -> Io {
    Io {
        fill: Fill::FRESH,
        ..Io::write(at, len, at.get() | 1)
    }
}

impl<M: Model> Model for FileSystem<M> {
    fn beneath(&self) -> Option<&dyn Model> {
        Some(&self.inner)
    }

    fn beneath_mut(&mut self) -> Option<&mut dyn Model> {
        Some(&mut self.inner)
    }

    fn info(&self) -> Info {
        Info {
            capacity: self.capacity,
            ..self.inner.info()
        }
    }

    fn hint(&mut self, upcoming: &[Io]) {
        let mut moved = std::mem::take(&mut self.moved);
        moved.clear();
        moved.extend(upcoming.iter().map(|io| {
            let mut io = *io;
            if io.op != Op::Flush {
                let piece = self.piece(io.offset, io.len);
                (io.offset, io.len) = (piece.start, piece.len);
            }
            io
        }));
        self.inner.hint(&moved);
        self.moved = moved;
    }

    fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
        self.ways[tag.0 as usize] = IDLE;
        if io.op == Op::Flush {
            self.flush(now, tag);
        } else {
            if io.op == Op::Write {
                self.note(now, io);
            }
            self.send_where_it_lies(tag, io);
        }
        self.send(now);
    }

    #[inline]
    fn next(&self) -> Option<Instant> {
        match (self.due(), self.inner.next()) {
            (Some(own), Some(inner)) => Some(own.min(inner)),
            (own, inner) => own.or(inner),
        }
    }

    fn step(&mut self, done: &mut Vec<Finished>) {
        let inner_next = self.inner.next();
        // At equal times the drive goes first: its completions are older than what the host does.
        let own = self
            .due()
            .filter(|at| inner_next.is_none_or(|inner| *at < inner));
        if let Some(at) = own {
            self.write_back(at);
            self.send(at);
            return;
        }
        let mut finished = std::mem::take(&mut self.finished);
        self.inner.step(&mut finished);
        let now = finished.last().map(|f| f.at);
        for one in finished.drain(..) {
            self.completed(one, done);
        }
        self.finished = finished;
        if let Some(now) = now {
            self.send(now);
        }
    }

    fn power_cut(&mut self, at: Instant) {
        self.waiting.clear();
        self.steps.clear();
        self.step_pending = None;
        self.changed.clear();
        self.changed_since = None;
        self.logged.clear();
        self.in_place_at = None;
        self.touched = false;
        self.free = (0..self.owners.len() as u32).rev().collect();
        self.inner.power_cut(at);
    }

    /// Where a file's pieces lie is looked up the other way only: nothing of it is said to be safe.
    fn at_risk(&mut self, _: Instant, span: Span) -> Vec<Span> {
        vec![span]
    }

    fn lost(&self) -> Vec<Span> {
        let lost = self.inner.lost();
        let mut lost: Vec<Span> = lost.into_iter().flat_map(|s| self.in_file(s)).collect();
        lost.sort_by_key(|span| span.start);
        lost
    }
}

#[cfg(test)]
mod tests;
