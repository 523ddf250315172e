//! Read-ahead: a reader that continues where it ended finds its data in DRAM.
//!
//! A lone reader has one command in flight, so only the dies of that command work for it, and each
//! command waits for cells, channel and link in turn. A controller that sees commands following
//! each other fetches what comes after them: the next command then waits for the link alone. It
//! follows a few streams, forgets the one that was idle for longest, and fetches a window beyond
//! each one's last command; when less than half of the window is left, it is filled again. Fetched data
//! are dropped when the stream has passed them or is forgotten, and when the host overwrites
//! them. Some controllers need their DRAM for writes and end every stream at a write: copying
//! within a drive, a read and a write in turns, then runs at the speed of lone reads.
//!
//! A random read is not part of a stream and pays nothing.
//!
//! The mechanism is that of every prefetching cache (A. J. Smith, "Sequentiality and prefetching in
//! database systems", 1978); that SSD controllers have it shows in lone sequential readers that are
//! faster than cells and channel in turn allow.

use std::collections::VecDeque;

use base::time::Instant;

use crate::sheet::quantity::{Count, Flag, Kibibytes};
use crate::sheet::table::parameters;
use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::NONE;
use crate::ssd::operations::{IDLE, Op, Stage};

parameters! {
    /// How a drive reads ahead.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub ReadingAhead from ReadAheadConfig ["read_ahead"] {
        /// Streams followed at once.
        streams "streams": Count in 1..=64;
        /// Commands that must follow each other before anything is fetched.
        after "after": Count("commands") in 1..=64;
        /// Bytes fetched beyond a stream's last command, at most.
        window "window_kib": Kibibytes in 16..=16_384;
        /// Every write ends every stream.
        write_ends "write_ends": Flag;
    }
}

/// Part of a stream that was fetched or is on its way: from one flash page.
#[derive(Clone, Copy, Debug)]
struct Part {
    from: u64,
    to: u64,
    chunk: u32,
}

#[derive(Clone, Debug, Default)]
struct Stream {
    /// Commands that followed each other.
    length: u32,
    /// Fetched or asked for below this.
    fetched: u64,
    parts: VecDeque<Part>,
}

/// Which stream was quiet for longest: a ring from it to the one that was touched last.
#[derive(Clone, Debug)]
struct ByRest {
    /// The stream that was touched next after each.
    next: Vec<u8>,
    first: u8,
    last: u8,
}

impl ByRest {
    /// So many streams, 256 at most, that were never touched.
    fn new(streams: usize) -> ByRest {
        ByRest {
            next: (1..=streams).map(|next| (next % streams) as u8).collect(),
            first: 0,
            last: (streams - 1) as u8,
        }
    }

    /// The one that was quiet for longest is touched; gives it.
    #[inline]
    fn touch_first(&mut self) -> usize {
        let stream = self.first;
        self.append(stream);
        self.first = self.next[usize::from(stream)];
        usize::from(stream)
    }

    /// A stream is touched.
    fn touch(&mut self, stream: usize) {
        let stream = stream as u8;
        if stream == self.last {
            return;
        }
        let after = self.next[usize::from(stream)];
        if stream == self.first {
            self.first = after;
        } else {
            let mut before = self.first;
            while self.next[usize::from(before)] != stream {
                before = self.next[usize::from(before)];
            }
            self.next[usize::from(before)] = after;
        }
        self.append(stream);
    }

    #[inline]
    fn append(&mut self, stream: u8) {
        self.next[usize::from(self.last)] = stream;
        self.last = stream;
    }
}

/// What holds a part's data.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    here: bool,
    /// A stream still has it.
    kept: bool,
}

/// Where a read's next bytes are.
enum Buffered {
    /// Up to this byte they are in DRAM.
    Here(u64),
    /// Up to this byte they are on their way, in this chunk.
    Coming(u64, u32),
}

/// The streams and what was fetched for them.
#[derive(Clone, Debug)]
pub(in crate::ssd) struct ReadAhead {
    rules: ReadingAhead,
    streams: Vec<Stream>,
    /// Where each stream's next command begins, if there is one: apart from the rest, since every
    /// read looks through them.
    nexts: Vec<u64>,
    by_rest: ByRest,
    chunks: Vec<Chunk>,
    free: Vec<u32>,
    /// Operations that wait for a chunk.
    waiting: Vec<(u32, u32)>,
    /// No stream has fetched anything from this byte on: writes behind it end nothing.
    fetched_below: u64,
    /// Pages fetched ahead so far.
    pub(in crate::ssd) pages: u64,
}

impl ReadAhead {
    /// No stream yet.
    pub(in crate::ssd) fn new(rules: ReadingAhead) -> ReadAhead {
        let streams = rules.streams.clamp(1, 256) as usize;
        ReadAhead {
            rules,
            streams: vec![Stream::default(); streams],
            // No command begins at this byte.
            nexts: vec![u64::MAX; streams],
            by_rest: ByRest::new(streams),
            chunks: Vec::new(),
            free: Vec::new(),
            waiting: Vec::new(),
            fetched_below: 0,
            pages: 0,
        }
    }

    /// A read came; true where it belongs to a stream that is read ahead.
    #[inline]
    pub(in crate::ssd) fn read(&mut self, from: u64, to: u64) -> bool {
        let after = self.rules.after;
        if let Some(number) = self.nexts.iter().position(|next| *next == from) {
            self.nexts[number] = to;
            self.by_rest.touch(number);
            let stream = &mut self.streams[number];
            stream.length += 1;
            return stream.length >= after;
        }
        let number = self.by_rest.touch_first();
        self.nexts[number] = to;
        let stream = &mut self.streams[number];
        (stream.length, stream.fetched) = (1, to);
        self.fetched_below = self.fetched_below.max(to);
        // A reader that never came back has nothing fetched: random reads end here.
        if !stream.parts.is_empty() {
            let parts = std::mem::take(&mut stream.parts);
            self.give_up(parts);
        }
        after <= 1
    }

    /// A write came.
    #[inline]
    pub(in crate::ssd) fn written(&mut self, from: u64, to: u64) {
        if from < self.fetched_below || self.rules.write_ends {
            self.ends_streams(from, to);
        }
    }

    fn ends_streams(&mut self, from: u64, to: u64) {
        for number in 0..self.streams.len() {
            let stream = &mut self.streams[number];
            let begin = stream
                .parts
                .front()
                .map_or(stream.fetched, |part| part.from);
            if self.rules.write_ends || (from < stream.fetched && to > begin) {
                let parts = std::mem::take(&mut stream.parts);
                stream.fetched = 0;
                if self.rules.write_ends {
                    self.nexts[number] = u64::MAX;
                    stream.length = 0;
                }
                self.give_up(parts);
            }
        }
    }

    /// All is forgotten: the power has failed.
    pub(in crate::ssd) fn power_cut(&mut self) {
        *self = ReadAhead {
            pages: self.pages,
            ..ReadAhead::new(self.rules)
        };
    }

    fn give_up(&mut self, parts: VecDeque<Part>) {
        for part in parts {
            self.drop_chunk(part.chunk);
        }
    }

    fn drop_chunk(&mut self, chunk: u32) {
        self.chunks[chunk as usize].kept = false;
        if self.chunks[chunk as usize].here {
            self.free.push(chunk);
        }
    }

    fn find(&self, at: u64) -> Option<Buffered> {
        self.streams.iter().find_map(|stream| {
            // Most streams have nothing near: that is seen without a search.
            let (first, last) = (stream.parts.front()?, stream.parts.back()?);
            if at < first.from || at >= last.to {
                return None;
            }
            let after = stream.parts.partition_point(|part| part.from <= at);
            let part = stream.parts.get(after.checked_sub(1)?)?;
            let found = if self.chunks[part.chunk as usize].here {
                Buffered::Here(part.to)
            } else {
                Buffered::Coming(part.to, part.chunk)
            };
            (at < part.to).then_some(found)
        })
    }

    fn keep(&mut self, stream: usize, from: u64, to: u64, here: bool) -> u32 {
        let chunk = Chunk { here, kept: true };
        let number = match self.free.pop() {
            Some(number) => {
                self.chunks[number as usize] = chunk;
                number
            }
            None => {
                self.chunks.push(chunk);
                self.chunks.len() as u32 - 1
            }
        };
        self.streams[stream].parts.push_back(Part {
            from,
            to,
            chunk: number,
        });
        self.streams[stream].fetched = to;
        self.fetched_below = self.fetched_below.max(to);
        number
    }

    /// The stream that a command ending at `end` belongs to, and from where to where something is
    /// to be fetched for it now. What it has passed is given up.
    fn fetchable(&mut self, end: u64) -> Option<(usize, u64, u64)> {
        let ReadingAhead { window, after, .. } = self.rules;
        // Later commands of the stream may have come already.
        let found = self
            .streams
            .iter()
            .zip(&self.nexts)
            .position(|(s, next)| s.length >= after && end <= *next && next - end <= window)?;
        while let Some(&part) = self.streams[found].parts.front()
            && part.to <= end
        {
            self.streams[found].parts.pop_front();
            self.drop_chunk(part.chunk);
        }
        let from = self.streams[found].fetched.max(end);
        (from - end <= window / 2).then_some((found, from, end + window))
    }
}

impl Drive {
    /// A part of a read that was fetched ahead: its last byte is given, and an operation made that
    /// takes it over the link. `None` if it was not.
    #[inline]
    pub(in crate::ssd) fn ask_buffer(
        &mut self,
        now: Instant,
        tag: u32,
        at: u64,
        end: u64,
    ) -> Option<u64> {
        let (to, coming) = match self.mechanisms.read_ahead.as_ref()?.find(at)? {
            Buffered::Here(to) => (to, None),
            Buffered::Coming(to, chunk) => (to, Some(chunk)),
        };
        let to = to.min(end);
        let op = Op {
            stage: Stage::ReadBus,
            tag: tag as u16,
            bytes: (to - at) as u32,
            ..IDLE
        };
        let number = self.ops.take(op).expect("the caller looked");
        match (coming, &mut self.mechanisms.read_ahead) {
            (Some(chunk), Some(ahead)) => ahead.waiting.push((chunk, number)),
            _ => self.ops.set(number, now),
        }
        Some(to)
    }

    /// A command's data are asked for up to its end: what comes after them is fetched, where it
    /// belongs to a stream.
    #[inline(never)]
    pub(in crate::ssd) fn fetch_ahead(&mut self, now: Instant, end: u64) {
        let capacity = self.p.capacity.get();
        let Some(ahead) = &mut self.mechanisms.read_ahead else {
            return;
        };
        let Some((stream, mut at, to)) = ahead.fetchable(end) else {
            return;
        };
        let flash_page = u64::from(self.ftl.layout.geometry().page_bytes);
        while at < to.min(capacity) && self.ops.may_take() && self.map_is_at_hand(now, at) {
            let piece = self.piece(at, (at + flash_page).min(capacity));
            let reads = piece.ppn != NONE && self.ftl.is_programmed(piece.ppn);
            if reads
                && (self.flash.is_lost(now, piece.ppn, &self.ftl)
                    || self.flash.fails(piece.ppn, &self.ftl))
            {
                // Left for the host to ask for, and to be told.
                return;
            }
            let from = at;
            at += u64::from(piece.bytes);
            let Some(ahead) = &mut self.mechanisms.read_ahead else {
                return;
            };
            let chunk = ahead.keep(stream, from, at, !reads);
            if !reads {
                continue;
            }
            ahead.pages += u64::from(piece.pages);
            let (die, cells) =
                self.flash
                    .read(now, (piece.ppn, piece.pages), &self.ftl, &mut self.ops);
            let op = Op {
                stage: Stage::AheadBus,
                die: die as u16,
                pages: piece.pages as u16,
                bytes: chunk,
                ..IDLE
            };
            if let Some(number) = self.ops.take(op) {
                self.flash.ask_channel(cells, number, die, piece.pages);
            }
        }
    }

    /// Something that is fetched ahead is in DRAM.
    pub(in crate::ssd) fn ahead_event(&mut self, at: Instant, number: u32, op: &Op) {
        self.ops.release(number);
        let Some(ahead) = &mut self.mechanisms.read_ahead else {
            return;
        };
        let chunk = &mut ahead.chunks[op.bytes as usize];
        chunk.here = true;
        if !chunk.kept {
            ahead.free.push(op.bytes);
        }
        while let Some(index) = self.mechanisms.read_ahead.as_ref().and_then(|ahead| {
            let mut waiting = ahead.waiting.iter();
            waiting.position(|(chunk, _)| *chunk == op.bytes)
        }) {
            if let Some(ahead) = &mut self.mechanisms.read_ahead {
                let (_, reader) = ahead.waiting.remove(index);
                self.ops.set(reader, at);
            }
        }
        self.resume_where_stalled(at);
    }

    /// Pages of 4 KiB fetched ahead so far.
    pub fn pages_ahead(&self) -> u64 {
        self.mechanisms
            .read_ahead
            .as_ref()
            .map_or(0, |ahead| ahead.pages)
    }
}
