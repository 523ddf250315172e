//! A disk: one head that does one thing at a time, and what spares it movement.
//!
//! Reads that no cache answers wait for the head. With a write cache a write is complete when it is there; the head
//! writes it back, the extent that it reaches first before the others, when no command came for a while, when the cache
//! is half full, or when someone waits for it (a flush, a write that finds no room), then in turns with the reads.
//! Without one, and for a durable write, a write waits for the head like a read. The head is always where it last read
//! or wrote; rotation goes on whatever happens.

mod media_cache;
mod platter;
mod read_cache;

use std::collections::{BTreeMap, VecDeque};

use base::io::{Io, Op};
use base::size::Bytes;
use base::target::Tag;
use base::time::{Duration, Instant};

use crate::description::{DiskDescription, Order};
use crate::port::{Medium, Served};
use media_cache::{BLOCK, Band};
use platter::Platter;
use read_cache::Segments;

/// Bytes that are written back in one go: commands that come meanwhile wait for it.
const WRITE_BACK: u64 = 512 << 10;

#[derive(Debug)]
pub(crate) struct Disk {
    d: DiskDescription,
    platter: Platter,
    busy_until: Instant,
    last_command: Instant,
    /// Commands that need the head.
    waiting: Vec<(Tag, Io)>,
    /// Writes that find no room in the cache.
    blocked: VecDeque<(Tag, Io)>,
    flushing: Vec<Tag>,
    /// Extents of the write cache: beginning and end.
    dirty: BTreeMap<u64, u64>,
    dirty_bytes: u64,
    segments: Option<Segments>,
    band: Option<Band>,
    /// First byte of the host's on the platter: the band lies before it.
    home: u64,
    wrote_back: bool,
}

/// What the head does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Job {
    Command,
    WriteBack,
    Destage,
}

impl Disk {
    pub(crate) fn new(d: &DiskDescription) -> Disk {
        let home = d.media_cache.map_or(0, |band| band.size.get());
        Disk {
            platter: Platter::new(d, d.capacity + Bytes::new(home)),
            busy_until: Instant::ZERO,
            last_command: Instant::ZERO,
            waiting: Vec::new(),
            blocked: VecDeque::new(),
            flushing: Vec::new(),
            dirty: BTreeMap::new(),
            dirty_bytes: 0,
            segments: d.read_cache.map(Segments::new),
            band: d.media_cache.map(Band::new),
            home,
            wrote_back: false,
            d: d.clone(),
        }
    }

    /// The next thing to do, and when.
    fn job(&self) -> Option<(Instant, Job)> {
        let now = self.busy_until.max(self.last_command);
        let wanted = !self.blocked.is_empty() || !self.flushing.is_empty();
        let half = self.d.write_cache.is_some_and(|cache| {
            self.dirty_bytes * 2 > cache.size.get() || self.dirty.len() as u32 * 2 > cache.extents
        });
        let urgent = !self.dirty.is_empty() && (wanted || half);
        if urgent && (self.waiting.is_empty() || !self.wrote_back) {
            return Some((now, Job::WriteBack));
        }
        if !self.waiting.is_empty() {
            return Some((now, Job::Command));
        }
        if !self.dirty.is_empty() {
            let after = self.d.write_cache.map(|cache| cache.write_back_after);
            let at = self.last_command + after.unwrap_or(Duration::ZERO);
            return Some((at.max(now), Job::WriteBack));
        }
        let band = self.band.as_ref().filter(|band| !band.is_empty())?;
        Some(((self.last_command + band.d.rest).max(now), Job::Destage))
    }

    /// The head reads or writes a range of the platter from `at` on.
    fn pass(&mut self, at: Instant, from: u64, len: u64, write: bool) -> Served {
        let first = self.platter.access(at, from, write);
        let last = first + self.platter.passing(from, from + len);
        self.platter.move_to(from + len - 1);
        Served { first, last }
    }

    /// The position in `waiting` of the command to serve.
    fn choose(&self, at: Instant) -> usize {
        let reached = |io: &Io| {
            self.platter
                .access(at, self.home + io.offset.get(), io.op == Op::Write)
        };
        match self.d.order {
            Order::FirstCome => 0,
            Order::AccessTime => (0..self.waiting.len())
                .min_by_key(|i| reached(&self.waiting[*i].1))
                .unwrap_or(0),
        }
    }

    fn serve(&mut self, at: Instant, io: &Io) -> Served {
        let (from, to) = (io.offset.get(), io.end().get());
        if io.op == Op::Write {
            let end = self.write_out(at, &[(from, to)]);
            return Served::at(end);
        }
        let mut first = None;
        let mut end = at;
        for (place, len) in self.runs(from, to) {
            let part = self.pass(end, place, len, false);
            first = first.or(Some(part.first));
            end = part.last;
        }
        let at_home = self.band.as_ref().is_none_or(Band::is_empty);
        if let Some(segments) = &mut self.segments
            && at_home
        {
            segments.begin(end, from, to, self.d.capacity);
        }
        Served {
            first: first.unwrap_or(end),
            last: end,
        }
    }

    /// Where a range is on the platter, in runs.
    fn runs(&self, from: u64, to: u64) -> Vec<(u64, u64)> {
        let Some(band) = self.band.as_ref().filter(|band| !band.is_empty()) else {
            return vec![(self.home + from, to - from)];
        };
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for block in from / BLOCK..to.div_ceil(BLOCK) {
            let start = (block * BLOCK).max(from);
            let len = ((block + 1) * BLOCK).min(to) - start;
            let place = match band.place(block) {
                Some(place) => place + (start - block * BLOCK),
                None => self.home + start,
            };
            match runs.last_mut() {
                Some((run, long)) if *run + *long == place => *long += len,
                _ => runs.push((place, len)),
            }
        }
        runs
    }

    /// Writes ranges, to the band in one go if all of them belong there, else home; gives the end.
    fn write_out(&mut self, at: Instant, ranges: &[(u64, u64)]) -> Instant {
        let mut end = at;
        let mut begun = false;
        for &(from, to) in ranges {
            if let Some(segments) = &mut self.segments {
                segments.forget(from, to);
            }
            if let Some(band) = &mut self.band {
                let (begins, skip) = if begun {
                    (end, 0)
                } else {
                    self.platter.anywhere(end, band.next())
                };
                if band.takes(from, to, skip) {
                    band.skip(skip);
                    let place = band.next();
                    band.put(from, to);
                    end = begins + self.platter.passing(place, place + (to - from));
                    self.platter.move_to(place);
                    begun = true;
                    continue;
                }
                band.forget(from, to);
            }
            end = self.pass(end, self.home + from, to - from, true).last;
            begun = false;
        }
        end
    }

    /// Writes back what is reached first, or much at a time where it goes to the band.
    fn write_back(&mut self, at: Instant) -> Instant {
        let reached = |from: &u64| self.platter.access(at, self.home + from, true);
        let Some(first) = self.dirty.keys().copied().min_by_key(reached) else {
            return at;
        };
        let small = self.band.as_ref().map_or(0, |band| band.d.small.get());
        let mut ranges = Vec::new();
        if self.dirty[&first] - first <= small {
            let of_band = self
                .dirty
                .iter()
                .filter(|(from, to)| **to - **from <= small);
            let mut room = WRITE_BACK;
            ranges.extend(of_band.map(|(from, to)| (*from, *to)).take_while(|range| {
                let fits = range.1 - range.0 <= room;
                room = room.saturating_sub(range.1 - range.0);
                fits
            }));
            let all: u64 = ranges.iter().map(|(from, to)| to - from).sum();
            let full = self.band.as_ref().is_none_or(|band| !band.takes(0, 0, all));
            if full {
                ranges.clear();
            }
        }
        if ranges.is_empty() {
            ranges.push((first, self.dirty[&first].min(first + WRITE_BACK)));
        }
        for &(from, to) in &ranges {
            self.clean(from, to);
        }
        self.write_out(at, &ranges)
    }

    /// The beginning of an extent is no longer dirty.
    fn clean(&mut self, from: u64, to: u64) {
        if let Some(end) = self.dirty.remove(&from) {
            self.dirty_bytes -= to - from;
            if to < end {
                self.dirty.insert(to, end);
            }
        }
    }

    /// Blocks of the band go home: read where they are, in order, then written.
    fn destage(&mut self, at: Instant) -> Instant {
        let leaving = self.band.as_mut().map_or_else(Vec::new, Band::leaving);
        let mut places: Vec<u64> = leaving.iter().map(|(_, place)| *place).collect();
        places.sort_unstable();
        let mut end = at;
        for place in places {
            end = self.pass(end, place, BLOCK, false).last;
        }
        for (block, _) in leaving {
            end = self.pass(end, self.home + block * BLOCK, BLOCK, true).last;
        }
        end
    }

    /// Takes a write into the cache, joined with what it touches there; false where there is no room.
    fn cache_write(&mut self, io: &Io) -> bool {
        let Some(cache) = self.d.write_cache else {
            return false;
        };
        let full = self.dirty_bytes + io.len.get() > cache.size.get()
            || self.dirty.len() as u32 >= cache.extents;
        // What is larger than the cache passes through it when it is empty.
        if full && !self.dirty.is_empty() {
            return false;
        }
        let (mut from, mut to) = (io.offset.get(), io.end().get());
        if let Some(segments) = &mut self.segments {
            segments.forget(from, to);
        }
        while let Some((&start, &end)) = self.dirty.range(..=to).next_back()
            && end >= from
        {
            self.dirty.remove(&start);
            self.dirty_bytes -= end - start;
            from = from.min(start);
            to = to.max(end);
        }
        self.dirty.insert(from, to);
        self.dirty_bytes += to - from;
        true
    }

    fn take_read(&mut self, now: Instant, tag: Tag, io: &Io) -> Option<Served> {
        let (from, to) = (io.offset.get(), io.end().get());
        let before = self.dirty.range(..=from).next_back();
        if before.is_some_and(|(_, end)| *end >= to) {
            return Some(Served::at(now));
        }
        if let Some(segments) = &mut self.segments
            && let Some(at) = segments.hit(now, from, to, self.home, &self.platter)
        {
            return Some(Served::at(at));
        }
        self.waiting.push((tag, *io));
        None
    }

    /// After a write-back: who waited for it is answered.
    fn admit(&mut self, at: Instant, answers: &mut Vec<(Tag, Served)>) {
        if self.dirty.is_empty() {
            answers.extend(self.flushing.drain(..).map(|tag| (tag, Served::at(at))));
        }
        while let Some((tag, io)) = self.blocked.front().copied()
            && self.cache_write(&io)
        {
            self.blocked.pop_front();
            answers.push((tag, Served::at(at)));
        }
    }
}

impl Medium for Disk {
    fn take(&mut self, now: Instant, tag: Tag, io: &Io) -> Option<Served> {
        self.last_command = now;
        match io.op {
            Op::Read => self.take_read(now, tag, io),
            Op::Write if io.durable || self.d.write_cache.is_none() => {
                self.waiting.push((tag, *io));
                None
            }
            Op::Write if self.blocked.is_empty() && self.cache_write(io) => Some(Served::at(now)),
            Op::Write => {
                self.blocked.push_back((tag, *io));
                None
            }
            Op::Flush if !self.dirty.is_empty() => {
                self.flushing.push(tag);
                None
            }
            Op::Flush => Some(Served::at(now.max(self.busy_until))),
            Op::Trim => Some(Served::at(now)),
        }
    }

    fn next(&self) -> Option<Instant> {
        self.job().map(|(at, _)| at)
    }

    fn step(&mut self, answers: &mut Vec<(Tag, Served)>) {
        let Some((at, job)) = self.job() else { return };
        if let Some(segments) = &mut self.segments {
            segments.stop(at, self.home, &self.platter);
        }
        self.wrote_back = job == Job::WriteBack;
        self.busy_until = match job {
            Job::Command => {
                let (tag, io) = self.waiting.remove(self.choose(at));
                let served = self.serve(at, &io);
                answers.push((tag, served));
                served.last
            }
            Job::WriteBack => {
                let end = self.write_back(at);
                self.admit(end, answers);
                end
            }
            Job::Destage => self.destage(at),
        };
    }
}
