//! An SSD: writes gather in a buffer, fill pages, and the pages go to dies; reads go where the data are.
//!
//! A write is complete when its data are in the buffer, for which older data have to be programmed first if it is full.
//! The buffer keeps data until their page is full and programmed (a flush programs what is there), and answers reads of
//! them; it does not merge rewrites. A read looks up the map, which may need a read of its own, then reads each flash page
//! that has some of its data; what is nowhere is answered without flash.

mod credits;
mod flash;
mod map_cache;
mod placing;
mod slc;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use base::io::{Io, Op};
use base::rng::Rng;
use base::size::Bytes;
use base::target::Tag;
use base::time::Instant;

use crate::description::SsdDescription;
use crate::port::{Medium, Served};
use credits::Bucket;
use flash::{Flash, Place, UNIT};
use map_cache::Map;
use placing::{Placer, Stripe};
use slc::Log;

/// Random choices of a drive, each with a stream of its own.
const OF_PLACES: u64 = 1;
const OF_LINES: u64 = 2;

#[derive(Debug)]
pub(crate) struct Ssd {
    d: SsdDescription,
    flash: Flash,
    map: Option<Map>,
    placer: Placer,
    stripe: Option<Stripe>,
    slc: Option<Log>,
    credits: Option<Bucket>,
    buffer: Buffer,
    /// Pages that are being filled; the last one is for single-bit cells.
    open: Vec<Vec<u32>>,
    /// It is being filled, long ago: nothing of that is in memory.
    filling: bool,
}

impl Ssd {
    pub(crate) fn new(d: &SsdDescription, seed: u64) -> Ssd {
        assert!((1..=63).contains(&d.dies), "{} dies", d.dies);
        let hashes = matches!(d.placement, crate::Placement::Hash { .. });
        assert!(!hashes || d.dies.is_power_of_two(), "{} dies", d.dies);
        let rng = |of| Rng::stream(seed, of);
        let units = d.capacity.get() / UNIT;
        let placer = Placer::new(d.placement, d.dies, d.pages_a_block, rng(OF_PLACES));
        let mut ssd = Ssd {
            flash: Flash::new(d),
            map: d.map_cache.map(|map| Map::new(&map, units, rng(OF_LINES))),
            stripe: d.parity.map(Stripe::new),
            slc: d.slc.map(|slc| Log::new(&slc, d.capacity)),
            credits: d.credits.as_ref().map(Bucket::new),
            buffer: Buffer::default(),
            open: vec![Vec::new(); placer.open_pages() + 1],
            placer,
            filling: d.filled,
            d: d.clone(),
        };
        if d.filled {
            ssd.fill(units as u32);
        }
        ssd
    }

    /// Everything was written once in order, long ago.
    fn fill(&mut self, units: u32) {
        for unit in 0..units {
            self.place(Instant::ZERO, unit, (unit, unit), false);
        }
        self.program_all(Instant::ZERO);
        self.flash.rest();
        self.filling = false;
    }

    fn read(&mut self, now: Instant, io: &Io) -> Served {
        let (from, to) = units_of(io);
        let mut served: Option<Served> = None;
        let mut line = None;
        let mut pages: Vec<Place> = Vec::new();
        let mut mapped = now;
        for unit in from..=to {
            if self.buffer.has(unit, now) {
                continue;
            }
            let place = self.flash.place(unit);
            if place == Place::Nowhere {
                continue;
            }
            let needed = self.map.as_ref().map(|map| map.line(unit));
            if needed != line {
                line = needed;
                mapped = self.look_up(now, needed);
            }
            // A page is read once for all of the request that it has; those far back were others.
            if pages.iter().rev().take(256).any(|page| *page == place) {
                continue;
            }
            if !matches!(place, Place::Slc { .. }) {
                pages.push(place);
            }
            let end = self.read_cells(mapped, place);
            let so_far = served.unwrap_or(Served::at(end));
            served = Some(Served {
                first: so_far.first.min(end),
                last: so_far.last.max(end),
            });
        }
        served.unwrap_or(Served::at(now))
    }

    fn read_cells(&mut self, at: Instant, place: Place) -> Instant {
        match place {
            Place::Nowhere => at,
            Place::Page { die, .. } => self.flash.read(die, at, self.d.read),
            Place::Slc { die } => {
                let time = self.d.slc.map_or(self.d.read, |slc| slc.read);
                self.flash.read(die, at, time)
            }
        }
    }

    /// When the entries of a line of the map are known.
    fn look_up(&mut self, now: Instant, line: Option<u64>) -> Instant {
        let (Some(map), Some(line), Some(cache)) = (&mut self.map, line, &self.d.map_cache) else {
            return now;
        };
        if map.touch(line) {
            return now;
        }
        let die = base::rng::splitmix64(line) % u64::from(self.d.dies);
        self.flash.read(die as usize, now, cache.miss)
    }

    fn write(&mut self, now: Instant, io: &Io) -> Instant {
        let hot = match &mut self.slc {
            Some(log) => log.is_hot(io.offset, io.len),
            None => false,
        };
        let (from, to) = units_of(io);
        let mut at = now;
        for unit in from..=to {
            at = self.fill_in(at, unit, io);
            at = self.room(at);
            self.place(at, unit, (from, to), hot);
        }
        if self.d.buffer.is_zero() || io.durable {
            at = at.max(self.program_all(at));
        }
        at
    }

    /// A unit that is written in part is read before.
    fn fill_in(&mut self, at: Instant, unit: u32, io: &Io) -> Instant {
        let start = u64::from(unit) * UNIT;
        let whole = io.offset.get() <= start && start + UNIT <= io.end().get();
        if whole || self.buffer.has(unit, at) {
            return at;
        }
        let place = self.flash.place(unit);
        self.read_cells(at, place)
    }

    /// When the buffer has room for a unit.
    fn room(&mut self, at: Instant) -> Instant {
        let most = (self.d.buffer.get() / UNIT).max(1);
        self.buffer.release(at);
        let mut at = at;
        while self.buffer.held >= most && !self.d.buffer.is_zero() {
            match self.buffer.next_release() {
                Some(next) => at = at.max(next),
                // All of it is in pages that are not full.
                None => {
                    self.program_all(at);
                }
            }
            self.buffer.release(at);
        }
        at
    }

    /// A unit, of a write with these first and last units, goes to the page that is being filled for it.
    fn place(&mut self, now: Instant, unit: u32, of: (u32, u32), hot: bool) {
        if let Some(map) = &mut self.map {
            map.written(unit);
            if !self.filling {
                map.touch(map.line(unit));
            }
        }
        let page = if hot {
            self.open.len() - 1
        } else {
            self.placer.page_for(unit, of.0, of.1)
        };
        if !self.filling {
            self.buffer.hold(unit);
        }
        self.open[page].push(unit);
        if self.open[page].len() as u64 * UNIT >= self.d.page.get() {
            self.program_open(page, now);
        }
    }

    fn program_open(&mut self, page: usize, now: Instant) {
        let units = std::mem::take(&mut self.open[page]);
        if units.is_empty() {
            return;
        }
        let die = self.placer.die_for(page, now, &self.flash);
        let to_slc = page + 1 == self.open.len();
        let time = match self.d.slc {
            Some(slc) if to_slc => slc.program,
            _ => self.d.program,
        };
        if !to_slc {
            self.flash.append(die, &units);
        }
        let safe = self.flash.program(die, now, time);
        if !self.filling {
            self.buffer.promise(&units, safe);
        }
        if to_slc {
            self.log_hot(now, &units, die);
        } else {
            units.iter().for_each(|unit| self.leave_slc(*unit));
            self.parity(now, die);
        }
    }

    /// Hot units are in the log; what has to leave it for them is written again.
    fn log_hot(&mut self, now: Instant, units: &[u32], die: usize) {
        let leaving = match &mut self.slc {
            Some(log) => log.put(units),
            None => Vec::new(),
        };
        units
            .iter()
            .for_each(|unit| self.flash.put_in_slc(*unit, die));
        for unit in leaving {
            self.place(now, unit, (unit, unit), false);
        }
    }

    fn leave_slc(&mut self, unit: u32) {
        if let Some(log) = &mut self.slc {
            log.forget(unit);
        }
    }

    fn parity(&mut self, now: Instant, die: usize) {
        let dies = self.d.dies as usize;
        let stripe = self.stripe.as_mut();
        if let Some(parity) = stripe.and_then(|stripe| stripe.page(die, dies, &self.flash)) {
            if parity < dies {
                self.flash.append(parity, &[]);
            }
            self.flash.program(parity, now, self.d.program);
        }
    }

    /// Programs all pages as full as they are; gives when everything is safe.
    fn program_all(&mut self, now: Instant) -> Instant {
        // The hot ones first: what leaves their log for them goes to the others.
        for page in (0..self.open.len()).rev() {
            self.program_open(page, now);
        }
        self.buffer.safe_at.max(now)
    }

    fn trim(&mut self, io: &Io) {
        // Only what it covers completely.
        let from = io.offset.get().div_ceil(UNIT);
        let to = io.end().get() / UNIT;
        for page in &mut self.open {
            let had = page.len();
            page.retain(|unit| !(from..to).contains(&u64::from(*unit)));
            self.buffer.held -= (had - page.len()) as u64;
        }
        for unit in (from..to).map(|unit| unit as u32) {
            self.buffer.until.remove(&unit);
            self.flash.forget(unit);
            self.leave_slc(unit);
        }
    }
}

impl Medium for Ssd {
    fn take(&mut self, now: Instant, _: Tag, io: &Io) -> Option<Served> {
        let units = io.len.get().div_ceil(UNIT);
        let mut spend = |uj: fn(&crate::Credits) -> u64| match (&mut self.credits, &self.d.credits)
        {
            (Some(bucket), Some(credits)) => bucket.spend(now, uj(credits) * units),
            _ => now,
        };
        Some(match io.op {
            Op::Read => {
                let at = spend(|credits| credits.read_uj);
                self.read(at, io)
            }
            Op::Write => {
                let at = spend(|credits| credits.write_uj);
                Served::at(self.write(at, io))
            }
            Op::Trim => {
                if self.d.honours_trim {
                    self.trim(io);
                }
                Served::at(now)
            }
            Op::Flush => Served::at(self.program_all(now)),
        })
    }

    fn die_of(&self, offset: Bytes) -> Option<u32> {
        match self.flash.place((offset.get() / UNIT) as u32) {
            Place::Nowhere => None,
            Place::Page { die, .. } | Place::Slc { die } => Some(die as u32),
        }
    }
}

/// The first and the last unit of an I/O.
fn units_of(io: &Io) -> (u32, u32) {
    let last = (io.end().get() - 1) / UNIT;
    ((io.offset.get() / UNIT) as u32, last as u32)
}

/// Written data that are not known to be in flash.
#[derive(Debug, Default)]
struct Buffer {
    held: u64,
    /// Until when each unit is here; [`Instant::MAX`] in a page that is not full.
    until: HashMap<u32, Instant>,
    promised: BinaryHeap<Reverse<(Instant, u32)>>,
    safe_at: Instant,
}

impl Buffer {
    fn has(&self, unit: u32, at: Instant) -> bool {
        self.until.get(&unit).is_some_and(|until| *until > at)
    }

    fn hold(&mut self, unit: u32) {
        self.held += 1;
        self.until.insert(unit, Instant::MAX);
    }

    fn promise(&mut self, units: &[u32], safe: Instant) {
        self.safe_at = self.safe_at.max(safe);
        for &unit in units {
            self.until.insert(unit, safe);
            self.promised.push(Reverse((safe, unit)));
        }
    }

    fn next_release(&self) -> Option<Instant> {
        self.promised.peek().map(|Reverse((at, _))| *at)
    }

    fn release(&mut self, now: Instant) {
        while let Some(&Reverse((at, unit))) = self.promised.peek()
            && at <= now
        {
            self.promised.pop();
            self.held = self.held.saturating_sub(1);
            if self.until.get(&unit) == Some(&at) {
                self.until.remove(&unit);
            }
        }
    }
}
