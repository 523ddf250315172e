//! Data that a power cut loses: those that were acknowledged and are in DRAM alone.
//!
//! A write is acknowledged when its data are in the controller's memory. Until the group that they
//! belong to is programmed, or a flush has saved them ([`crate::ssd::front::write`]), nothing else
//! holds them: a power cut loses them, unless capacitors keep the controller alive for long enough
//! to program what it holds (*power-loss protection*, parameter `buffer.protected`). What the drive
//! moves on its own behalf is never lost, since the place that it came from is not erased before.
//!
//! A sector is lost, not the page or unit that it is in: the sectors of a merged unit that the
//! host did not write still have their old place. So the sectors of partly written units are remembered
//! until they are safe, each with the number of the flush that will make them so. Which data a read
//! gives after the cut is not said: the times are those of data in the flash.
//!
//! Source: the volatile write cache and the flush of the command sets (ACS-4, FLUSH CACHE EXT; NVM
//! Express base specification, Volatile Write Cache). Compressed data that wait for others to fill
//! a unit with them count as programmed, and a trim as noted at once.

use std::collections::BTreeMap;
use std::ops::Range;

use base::size::Bytes;
use base::workload::Span;

use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::{Lpn, NONE, PAGE, Ppn};
use crate::ssd::ftl::partial_write::PartialWrites;

/// Bytes of a sector.
const SECTOR: u64 = Bytes::SECTOR.get();
/// Sectors of a page.
const PAGE_SECTORS: u64 = PAGE / SECTOR;
/// Units that are remembered before those that are safe by now are forgotten.
const FEW: usize = 1_024;

/// A bit for each sector of a unit.
pub(in crate::ssd) type Sectors = Vec<u64>;

/// The bits of a range of sectors, in words for `all` of them.
pub(in crate::ssd) fn sectors_of(range: Range<u64>, all: u64) -> Sectors {
    let mut bits = vec![0; all.div_ceil(64) as usize];
    for sector in range {
        bits[(sector / 64) as usize] |= 1 << (sector % 64);
    }
    bits
}

fn join(into: &mut Sectors, more: &Sectors) {
    for (word, more) in into.iter_mut().zip(more) {
        *word |= more;
    }
}

/// What the host wrote of units that it did not write whole.
#[derive(Debug)]
pub(in crate::ssd) struct Volatile {
    /// By unit: sectors that came between two flushes, by the number of the later one.
    parts: BTreeMap<u32, Vec<(u64, Sectors)>>,
    /// Flushes that came.
    flushes: u64,
    forget_at: usize,
    lost: Vec<Span>,
}

impl Volatile {
    pub(in crate::ssd) fn new() -> Volatile {
        Volatile {
            parts: BTreeMap::new(),
            flushes: 0,
            forget_at: FEW,
            lost: Vec::new(),
        }
    }

    /// A flush came; gives its number.
    pub(in crate::ssd) fn flush_came(&mut self) -> u64 {
        self.flushes += 1;
        self.flushes
    }

    /// A flush has ended: what came before it is safe.
    pub(in crate::ssd) fn flush_ended(&mut self, number: u64) {
        self.parts.retain(|_, parts| {
            parts.retain(|(flush, _)| *flush > number);
            !parts.is_empty()
        });
    }

    /// Sectors of a unit that are not known to be safe; `None` if nothing is remembered of it.
    fn of(&self, unit: u32) -> Option<Sectors> {
        let parts = self.parts.get(&unit)?;
        let mut all = Sectors::new();
        for (_, sectors) in parts {
            all.resize(sectors.len(), 0);
            join(&mut all, sectors);
        }
        Some(all)
    }

    /// Sectors of a unit that the flush of a number will make safe.
    fn add(&mut self, unit: u32, number: u64, sectors: Sectors) {
        let parts = self.parts.entry(unit).or_default();
        match parts.iter_mut().find(|(flush, _)| *flush == number) {
            Some((_, known)) => join(known, &sectors),
            None => parts.push((number, sectors)),
        }
    }

    pub(in crate::ssd) fn lost(&self) -> &[Span] {
        &self.lost
    }
}

impl Volatile {
    /// Whether sectors of any unit are remembered.
    #[inline]
    pub(in crate::ssd) fn any_parts(&self) -> bool {
        !self.parts.is_empty()
    }
}

impl Drive {
    /// The host wrote a whole unit or several: nothing more is to be said of them than their pages
    /// do.
    #[inline]
    pub(in crate::ssd) fn note_whole(&mut self, first: u32, end: u32) {
        if first < end && !self.write_cache.volatile.parts.is_empty() {
            let noted = self.write_cache.volatile.parts.range(first..end);
            for unit in noted.map(|(unit, _)| *unit).collect::<Vec<_>>() {
                self.write_cache.volatile.parts.remove(&unit);
            }
        }
    }

    /// The host wrote these sectors of a unit, which will get a new place; the next flush makes
    /// them safe.
    pub(in crate::ssd) fn note_part(&mut self, unit: u32, sectors: Sectors) {
        self.note_part_of(unit, sectors, self.write_cache.volatile.flushes + 1);
    }

    /// As [`Drive::note_part`], of sectors that the flush of a number makes safe.
    pub(in crate::ssd) fn note_part_of(&mut self, unit: u32, sectors: Sectors, number: u64) {
        if self.is_safe(unit) {
            self.write_cache.volatile.parts.remove(&unit);
        } else if !self.write_cache.volatile.parts.contains_key(&unit) {
            self.note_what_was_whole(unit, sectors.len());
        }
        self.write_cache.volatile.add(unit, number, sectors);
        if self.write_cache.volatile.parts.len() > self.write_cache.volatile.forget_at {
            let units: Vec<u32> = self.write_cache.volatile.parts.keys().copied().collect();
            for other in units {
                if other != unit && self.is_safe(other) {
                    self.write_cache.volatile.parts.remove(&other);
                }
            }
            self.write_cache.volatile.forget_at =
                (2 * self.write_cache.volatile.parts.len()).max(FEW);
        }
    }

    /// A unit that was written whole and is not in the flash yet is going to be written in part:
    /// its sectors are remembered from now on.
    fn note_what_was_whole(&mut self, unit: u32, words: usize) {
        let (first, pages) = self.unit_range(unit);
        for page in 0..pages {
            let ppn = self.ftl.l2p.get(first + page);
            if ppn == NONE || self.ftl.is_safe(ppn) {
                continue;
            }
            let from = u64::from(page) * PAGE_SECTORS;
            let sectors = sectors_of(from..from + PAGE_SECTORS, 64 * words as u64);
            let number = self
                .flush_of(ppn)
                .unwrap_or(self.write_cache.volatile.flushes + 1);
            self.write_cache.volatile.add(unit, number, sectors);
        }
    }

    /// A piece of a write to a drive that maps pages: its first and its last page may be parts.
    #[inline]
    pub(in crate::ssd) fn note_pages(&mut self, from: u64, to: u64) {
        let (first, end) = (from.div_ceil(PAGE), to / PAGE);
        self.note_whole(first as u32, end as u32);
        if !from.is_multiple_of(PAGE) || !to.is_multiple_of(PAGE) {
            self.note_edges(from, to);
        }
    }

    #[cold]
    fn note_edges(&mut self, from: u64, to: u64) {
        let (first, last) = (from / PAGE, (to - 1) / PAGE);
        for page in [first, last] {
            let base = page * PAGE;
            let (begin, end) = (from.max(base) - base, to.min(base + PAGE) - base);
            if end - begin < PAGE && (page == first || last != first) {
                let sectors = sectors_of(begin / SECTOR..end.div_ceil(SECTOR), PAGE_SECTORS);
                self.note_part(page as u32, sectors);
            }
        }
    }

    /// Whether all that a unit holds is in the flash or was saved.
    fn is_safe(&self, unit: u32) -> bool {
        let (mut lpn, mut left) = self.unit_range(unit);
        while left > 0 {
            let (ppn, run) = self.ftl.l2p.run(lpn, left);
            if ppn != NONE && !(ppn..ppn + run).all(|ppn: Ppn| self.ftl.is_safe(ppn)) {
                return false;
            }
            lpn += run;
            left -= run;
        }
        let units = self.mechanisms.partial_writes.as_ref();
        units.is_none_or(|units| units.being_merged().all(|merged| merged != unit))
    }

    /// The power fails: finds out what is lost by it, before anything is forgotten.
    pub(in crate::ssd) fn lose_volatile(&mut self) {
        let mut sectors: Vec<(u64, u64)> = Vec::new();
        if !self.p.protected {
            let pages = self
                .mechanisms
                .partial_writes
                .as_ref()
                .map_or(1, PartialWrites::pages);
            for lpn in self.ftl.unprogrammed() {
                self.lost_of_page(lpn, pages, &mut sectors);
            }
            for (unit, bits) in self.waiting_parts() {
                add_lost(u64::from(unit * pages) * PAGE_SECTORS, &bits, &mut sectors);
            }
        }
        self.write_cache.volatile = Volatile {
            lost: joined(sectors, self.p.capacity),
            flushes: self.write_cache.volatile.flushes,
            ..Volatile::new()
        };
    }

    /// What of a range the power would take now, as [`Drive::lose_volatile`] finds it of the whole drive.
    pub(in crate::ssd) fn volatile_of(&self, span: Span) -> Vec<Span> {
        let mut sectors: Vec<(u64, u64)> = Vec::new();
        if self.p.protected || span.len.is_zero() {
            return Vec::new();
        }
        let units = self.mechanisms.partial_writes.as_ref();
        let pages = units.map_or(1, PartialWrites::pages);
        let mut lpn = (span.start.get() / PAGE) as Lpn;
        let mut left = ((span.end().get() - 1) / PAGE) as Lpn + 1 - lpn;
        while left > 0 {
            let (ppn, run) = self.ftl.l2p.run(lpn, left);
            for page in (0..run).filter(|_| ppn != NONE) {
                if !self.ftl.is_safe(ppn + page) {
                    self.lost_of_page(lpn + page, pages, &mut sectors);
                }
            }
            lpn += run;
            left -= run;
        }
        for (unit, bits) in self.waiting_parts() {
            add_lost(u64::from(unit * pages) * PAGE_SECTORS, &bits, &mut sectors);
        }
        let found = joined(sectors, self.p.capacity).into_iter();
        found.filter_map(|part| part.within(span)).collect()
    }

    /// Sectors of a page that is not in the flash: what the host wrote of it, or all of them.
    fn lost_of_page(&self, lpn: Lpn, pages: u32, lost: &mut Vec<(u64, u64)>) {
        let unit = lpn / pages;
        let first = u64::from(lpn) * PAGE_SECTORS;
        let Some(bits) = self.write_cache.volatile.of(unit) else {
            lost.push((first, first + PAGE_SECTORS));
            return;
        };
        let within = u64::from(lpn % pages) * PAGE_SECTORS;
        let last_page = lpn % pages + 1 == pages;
        // A log's page continues behind its last sector.
        let end = if last_page {
            bits.len() as u64 * 64
        } else {
            within + PAGE_SECTORS
        };
        for sector in within..end {
            if bits[(sector / 64) as usize] >> (sector % 64) & 1 == 1 {
                let at = first - within + sector;
                lost.push((at, at + 1));
            }
        }
    }

    /// Parts that wait in DRAM without a place: gathered, or merged just now.
    fn waiting_parts(&self) -> Vec<(u32, Sectors)> {
        let Some(units) = &self.mechanisms.partial_writes else {
            return Vec::new();
        };
        let merged = units.being_merged();
        let merged = merged.filter_map(|unit| Some((unit, self.write_cache.volatile.of(unit)?)));
        merged.chain(units.coalesced()).collect()
    }
}

fn add_lost(first: u64, bits: &Sectors, lost: &mut Vec<(u64, u64)>) {
    for (word, number) in bits.iter().zip(0..) {
        for bit in (0..64).filter(|bit| word >> bit & 1 == 1) {
            let at = first + number * 64 + bit;
            lost.push((at, at + 1));
        }
    }
}

/// Ranges of sectors as spans of bytes, in order, joined where they touch.
fn joined(mut sectors: Vec<(u64, u64)>, capacity: Bytes) -> Vec<Span> {
    sectors.sort_unstable();
    let mut spans: Vec<Span> = Vec::new();
    for (first, end) in sectors {
        let start = Bytes::new(first * SECTOR);
        let end = Bytes::new(end * SECTOR).min(capacity);
        match spans.last_mut() {
            _ if start >= end => {}
            Some(last) if last.end() >= start => last.len = last.end().max(end) - last.start,
            _ => spans.push(Span::new(start, end - start)),
        }
    }
    spans
}
