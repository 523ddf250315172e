//! A write-back cache in the host's memory, as Samsung's RAPID mode and the caches of RAID drivers.
//!
//! A filter driver serves cached data from memory, and takes writes into memory at once; so both
//! run at the speed of a copy until the memory has no room. What was read or written stays, the
//! page unused for longest makes room. Dirty data go to the drive in runs of neighbouring pages
//! once they are older than a delay, or earlier where more than half of the limit is dirty; at the
//! limit a write waits for room, which is when the drive's own speed shows. An access larger than
//! half of the limit goes past the memory. A flush sends all that is dirty before it, then flushes
//! the drive; where flushes are not honoured it is answered at once. When the power fails, what is
//! dirty is lost: nothing else holds it.
//!
//! Parameters: memory (bytes), limit of dirty bytes, delay (s), processor time an I/O (us), rate of
//! a copy in memory (MB/s), flushes honoured or not. See [`RapidParameters::usual`] for where the
//! usual values come from.

use std::collections::VecDeque;

use base::io::{Io, Op};
use base::size::{Bytes, PicosPerByte};
use base::target::{Info, Outcome, Tag};
use base::time::{Duration, Instant};
use base::workload::Span;

use crate::model::{Finished, Model};

mod pages;

use pages::{Pages, Run, count_of};

/// Writes to the drive that are under way at once, and the longest of them.
const BACK_DEPTH: usize = 32;
const LONGEST_RUN: Bytes = Bytes::mib(1);

/// What a host cache is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RapidParameters {
    /// Memory for data.
    pub memory: Bytes,
    /// Most that may be dirty; at most the memory.
    pub dirty_limit: Bytes,
    /// How long data may rest before they are sent to the drive.
    pub delay: Duration,
    /// Processor time of an I/O that is answered from memory.
    pub each: Duration,
    /// A copy in memory.
    pub copy: PicosPerByte,
    /// A flush waits until the drive has everything.
    pub honours_flush: bool,
}

impl RapidParameters {
    /// Samsung's RAPID on a desktop computer of 2012.
    ///
    /// - memory 1 GiB: published for the 840 EVO, which takes up to 1 GB of main memory;
    /// - dirty at most half of it: estimated, so that reads keep a share under any load;
    /// - delay 1 s: estimated, the interval of the operating system's own lazy writer;
    /// - 6 us an I/O: estimated. A lone access takes about 16 us on Windows 7: 6 us are
    ///   the AHCI command and 5 us the thread's wake-up; the rest is spent in either case, and the
    ///   filter looks its pages up;
    /// - copy 6 GB/s: estimated. Two channels of DDR3-1333 carry 21.3 GB/s, and each byte copied
    ///   crosses them three times (read, fetched before it is overwritten, written back): 7.1 GB/s
    ///   at best;
    /// - flushes honoured: construction, as the maker says of the mode.
    pub fn usual() -> RapidParameters {
        RapidParameters {
            memory: Bytes::gib(1),
            dirty_limit: Bytes::mib(512),
            delay: Duration::from_secs(1),
            each: Duration::from_micros(6),
            copy: PicosPerByte::from_mb_s(6_000.0),
            honours_flush: true,
        }
    }
}

/// A cache that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a host cache of {memory} with {dirty_limit} dirty at most cannot be: at least 64 KiB may be dirty, no more than the memory, and 64 GiB is the most"
)]
pub struct NoRapid {
    pub memory: Bytes,
    pub dirty_limit: Bytes,
}

/// What the drive has been asked for.
#[derive(Clone, Debug)]
enum Sent {
    Nothing,
    /// A read that the memory could not answer.
    Read {
        outer: u32,
        span: Span,
    },
    /// A trim, a flush, or a write past the memory.
    Through {
        outer: u32,
    },
    Back(Run),
}

/// A drive behind a cache in memory.
#[derive(Debug)]
pub struct Rapid<M> {
    inner: M,
    p: RapidParameters,
    pages: Pages,
    limit_pages: u64,
    cpu_free: Instant,
    /// Answers in order: the processor makes one at a time.
    ready: VecDeque<(Instant, Finished)>,
    /// Writes that wait for room.
    stalled: VecDeque<(u32, Io)>,
    /// Flushes, and the first turn that each need not wait for.
    flushes: VecDeque<(u32, u64)>,
    /// When data become old enough; `None` if a completion will look anyway.
    timer: Option<Instant>,
    backs: Vec<u64>,
    free: Vec<u32>,
    sent: Vec<Sent>,
    /// What the drive does not take yet.
    waiting: VecDeque<(Sent, Io)>,
    finished: Vec<Finished>,
    lost: Vec<Span>,
}

impl<M: Model> Rapid<M> {
    /// `inner` behind a cache.
    ///
    /// # Errors
    /// Where more may be dirty than there is memory, or next to nothing.
    pub fn new(inner: M, p: RapidParameters) -> Result<Rapid<M>, NoRapid> {
        let fits = p.dirty_limit <= p.memory
            && p.dirty_limit >= Bytes::kib(64)
            && p.memory <= Bytes::gib(64);
        if !fits {
            return Err(NoRapid {
                memory: p.memory,
                dirty_limit: p.dirty_limit,
            });
        }
        let depth = inner.info().max_in_flight;
        Ok(Rapid {
            inner,
            p,
            pages: Pages::new(p.memory),
            limit_pages: p.dirty_limit.get() / 4_096,
            cpu_free: Instant::ZERO,
            ready: VecDeque::new(),
            stalled: VecDeque::new(),
            flushes: VecDeque::new(),
            timer: None,
            backs: Vec::new(),
            free: (0..depth).rev().collect(),
            sent: vec![Sent::Nothing; depth as usize],
            waiting: VecDeque::new(),
            finished: Vec::new(),
            lost: Vec::new(),
        })
    }

    /// The processor copies `len` bytes and answers.
    fn answer(&mut self, now: Instant, outer: u32, len: Bytes, outcome: Outcome) {
        let time = self.p.each + self.p.copy.time_for(len);
        self.cpu_free = now.max(self.cpu_free) + time;
        let answer = Finished {
            tag: Tag(outer),
            at: self.cpu_free,
            outcome,
        };
        self.ready.push_back((self.cpu_free, answer));
    }

    fn ask(&mut self, now: Instant, what: Sent, io: Io) {
        match self.free.pop() {
            Some(tag) => self.send(now, tag, what, &io),
            None => self.waiting.push_back((what, io)),
        }
    }

    fn send(&mut self, now: Instant, tag: u32, what: Sent, io: &Io) {
        self.sent[tag as usize] = what;
        self.inner.start(now, Tag(tag), io);
    }

    fn write(&mut self, now: Instant, outer: u32, io: Io) {
        // What must be durable is not kept back, unless nothing here ever is.
        let durable = io.durable && self.p.honours_flush;
        if durable || count_of(&io) > self.limit_pages / 2 {
            self.pages.forget(span_of(&io));
            self.ask(now, Sent::Through { outer }, io);
        } else {
            self.stalled.push_back((outer, io));
            self.admit(now);
        }
        self.pump(now);
    }

    /// Takes writes into memory while there is room for them.
    fn admit(&mut self, now: Instant) {
        while let Some((outer, io)) = self.stalled.front().copied() {
            if self.pages.held() + count_of(&io) > self.limit_pages {
                return;
            }
            self.stalled.pop_front();
            self.pages.write(now, span_of(&io));
            self.answer(now, outer, io.len, Outcome::Complete);
        }
    }

    /// Sends dirty data to the drive as far as it is time to.
    fn pump(&mut self, now: Instant) {
        self.timer = None;
        while let Some((_, since)) = self.pages.oldest_dirty() {
            let pressed = !self.stalled.is_empty()
                || !self.flushes.is_empty()
                || self.pages.held() > self.limit_pages / 2;
            if !pressed && since + self.p.delay > now {
                self.timer = Some(since + self.p.delay);
                return;
            }
            if self.backs.len() == BACK_DEPTH {
                return;
            }
            let Some(run) = self.pages.take_run(LONGEST_RUN) else {
                return;
            };
            self.backs.push(run.turn);
            let io = Io::write(run.span.start, run.span.len, run.turn);
            self.ask(now, Sent::Back(run), io);
        }
    }

    /// Passes flushes on before which nothing is dirty any more.
    fn end_flushes(&mut self, now: Instant) {
        while let Some(&(outer, turn)) = self.flushes.front() {
            let dirty = self.pages.oldest_dirty().map(|(oldest, _)| oldest);
            let first = dirty.into_iter().chain(self.backs.iter().copied()).min();
            if first.is_some_and(|first| first < turn) {
                return;
            }
            self.flushes.pop_front();
            self.ask(now, Sent::Through { outer }, Io::flush());
        }
    }

    /// The drive has finished something.
    fn came(&mut self, finished: Finished) {
        let Finished { tag, at, outcome } = finished;
        let what = std::mem::replace(&mut self.sent[tag.0 as usize], Sent::Nothing);
        match self.waiting.pop_front() {
            Some((next, io)) => self.send(at, tag.0, next, &io),
            None => self.free.push(tag.0),
        }
        match what {
            Sent::Nothing => {}
            Sent::Read { outer, span } => {
                if outcome == Outcome::Complete {
                    self.pages.keep(span);
                }
                self.answer(at, outer, span.len, outcome);
            }
            Sent::Through { outer } => self.answer(at, outer, Bytes::ZERO, outcome),
            Sent::Back(run) => {
                self.pages.reached(&run);
                if let Some(place) = self.backs.iter().position(|turn| *turn == run.turn) {
                    self.backs.swap_remove(place);
                }
                self.admit(at);
                self.pump(at);
                self.end_flushes(at);
            }
        }
    }
}

fn span_of(io: &Io) -> Span {
    Span::new(io.offset, io.len)
}

impl<M: Model> Model for Rapid<M> {
    fn beneath(&self) -> Option<&dyn Model> {
        Some(&self.inner)
    }

    fn beneath_mut(&mut self) -> Option<&mut dyn Model> {
        Some(&mut self.inner)
    }

    fn info(&self) -> Info {
        self.inner.info()
    }

    fn start(&mut self, now: Instant, tag: Tag, io: &Io) {
        let outer = tag.0;
        match io.op {
            Op::Read if self.pages.has(span_of(io)) => {
                self.answer(now, outer, io.len, Outcome::Complete);
            }
            Op::Read => {
                let span = span_of(io);
                self.ask(now, Sent::Read { outer, span }, *io);
            }
            Op::Write => self.write(now, outer, *io),
            Op::Trim => {
                self.pages.forget(span_of(io));
                self.ask(now, Sent::Through { outer }, *io);
            }
            Op::Flush if !self.p.honours_flush => {
                self.answer(now, outer, Bytes::ZERO, Outcome::Complete);
            }
            Op::Flush => {
                self.flushes.push_back((outer, self.pages.next_turn()));
                self.pump(now);
                self.end_flushes(now);
            }
        }
    }

    fn next(&self) -> Option<Instant> {
        let own = self.ready.front().map(|(at, _)| *at);
        [self.inner.next(), own, self.timer]
            .into_iter()
            .flatten()
            .min()
    }

    fn step(&mut self, done: &mut Vec<Finished>) {
        let Some(at) = Model::next(self) else {
            return;
        };
        if self.inner.next() == Some(at) {
            let mut finished = std::mem::take(&mut self.finished);
            self.inner.step(&mut finished);
            for finished in finished.drain(..) {
                self.came(finished);
            }
            self.finished = finished;
        } else if self.ready.front().is_some_and(|(first, _)| *first == at) {
            done.extend(self.ready.pop_front().map(|(_, answer)| answer));
        } else {
            self.pump(at);
        }
    }

    fn power_cut(&mut self, at: Instant) {
        self.lost = self.pages.not_on_the_drive();
        self.inner.power_cut(at);
        self.pages = Pages::new(self.p.memory);
        self.cpu_free = at;
        self.timer = None;
        self.ready.clear();
        self.stalled.clear();
        self.flushes.clear();
        self.backs.clear();
        self.waiting.clear();
        self.free = (0..self.sent.len() as u32).rev().collect();
        self.sent.fill(Sent::Nothing);
    }

    fn at_risk(&mut self, at: Instant, span: Span) -> Vec<Span> {
        let mut found = self.pages.not_on_the_drive_of(span);
        found.extend(self.inner.at_risk(at, span));
        found.sort_unstable_by_key(|span| span.start);
        found
    }

    fn honours_flushes(&self) -> bool {
        self.p.honours_flush && self.inner.honours_flushes()
    }

    fn lost(&self) -> Vec<Span> {
        let mut lost = self.lost.clone();
        lost.extend(self.inner.lost());
        lost.sort_unstable_by_key(|span| span.start);
        lost
    }
}

#[cfg(test)]
mod tests;
