//! Writes that do not fill a mapping unit.
//!
//! A map entry stands for a *unit*: 4 KiB on most drives, a page of all planes and chips of a bank
//! (16 or 32 KiB) where DRAM was dear, a track of many pages on drives that coalesce for a long
//! time, or a single sector where the firmware keeps a log of what came. A write that covers part
//! of a unit needs the rest of it: the old data are read, the two are merged, and the whole unit is
//! rewritten. So a small write costs a read and the unit's size in programs, and a partition
//! that begins at sector 63 makes every access of the file system touch one unit more. Three things
//! decide what the host notices: the unit; whether the write is acknowledged before the old
//! data have been read (it cannot be where there is no DRAM for user data: the part has nowhere to
//! wait); and how much of partly written units waits in DRAM for the rest to come, which makes
//! sequential writing free of merges, and lets several small writes share one merge. A fourth is who
//! reads: a queue of flash operations, which the fills join like any read (`side-by-side`), or the
//! firmware's one task, which fetches one old page after the other and takes no other command until
//! it has them (`in-turn`). Even then the write is acknowledged early, since its own data are there;
//! but the next command waits, so that reads and writes are equally slow in a deep mixed queue.
//!
//! Without the section a drive maps pages of 4 KiB, acknowledges at once and reads in the
//! background. Sources: the partial writes that "fill the holes by reading the old page" of the
//! OpenSSD firmware for the Barefoot (`ftl_greedy`, virtual pages of two chips and two planes);
//! Toshiba's patent on a memory system with a write cache kept by tracks (US 8,868,842, of 2008);
//! for logs of sectors, each drive's file.
//!
//! A log of sectors has no parts to merge, wherever an access begins: it is modelled by letting all
//! accesses begin at a page. What such a log would gain on writes below 4 KiB is left out, and so
//! is that a read of data that wait in DRAM needs no flash.

use base::size::Bytes;
use base::time::Instant;

use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::{Lpn, NONE, PAGE};
use crate::ssd::front::commands::Request;
use crate::ssd::front::volatile::{Sectors, sectors_of};
use crate::ssd::operations::{IDLE, Op, Stage};
use serial_merge::SerialMerge;
use write_coalescing::WriteCoalescing;

mod config;
mod serial_merge;
mod write_coalescing;

pub use config::{Acknowledged, Merge, PartialWriteConfig, PartialWriteRules};

/// Bytes of a sector.
const SECTOR: u64 = 512;

/// Units that are being merged or coalesced.
#[derive(Debug)]
pub(in crate::ssd) struct PartialWrites {
    rules: PartialWriteRules,
    /// Pages of a unit.
    pages: u32,
    /// Of a unit's bytes: one less, where they are a power of two, as they nearly always are.
    mask: Option<u64>,
    coalescing: WriteCoalescing,
    serial: SerialMerge,
    readings: Vec<Reading>,
    /// Units merged so far with a reading.
    merges: u64,
    /// Pages that have the host's promise of room and are not placed yet.
    promised: u64,
}

/// Old data that are being read.
#[derive(Clone, Copy, Debug)]
struct Reading {
    /// The unit that is placed then; `None` if the rest of a page comes to a unit that is
    /// coalesced.
    unit: Option<u32>,
    /// Flash operations that are not back; 0 if the slot is free.
    left: u32,
    /// The write that waits for it.
    tag: Option<u32>,
    /// Merges that began before it.
    before: u64,
}

/// Where the next part of a range lies.
struct Part {
    unit: u32,
    from: u64,
    to: u64,
    whole: bool,
}

impl Part {
    /// Its sectors; `size` is that of a unit, in bytes.
    fn sectors(&self, size: u64) -> Sectors {
        let base = u64::from(self.unit) * size;
        let end = (self.to - base).div_ceil(SECTOR);
        sectors_of((self.from - base) / SECTOR..end, size / SECTOR)
    }
}

impl PartialWrites {
    pub(in crate::ssd) fn new(rules: PartialWriteRules) -> PartialWrites {
        let pages = (rules.unit.get() / PAGE).max(1) as u32;
        let coalesce = if rules.unit == Bytes::SECTOR {
            Bytes::ZERO
        } else {
            rules.coalesce
        };
        PartialWrites {
            rules,
            pages,
            mask: (pages.is_power_of_two()).then(|| u64::from(pages) * PAGE - 1),
            coalescing: WriteCoalescing::new(coalesce.get() / SECTOR, rules.unit.get() / SECTOR),
            serial: SerialMerge::default(),
            readings: Vec::new(),
            merges: 0,
            promised: 0,
        }
    }

    /// The power has failed: all that waited is lost.
    pub(in crate::ssd) fn power_cut(&mut self) {
        *self = PartialWrites::new(self.rules);
    }

    /// Whether the firmware keeps a log of sectors: nothing is ever merged.
    pub(in crate::ssd) fn is_log(&self) -> bool {
        self.rules.unit == Bytes::SECTOR
    }

    /// Pages of a unit.
    pub(in crate::ssd) fn pages(&self) -> u32 {
        self.pages
    }

    /// Units merged so far with a reading.
    pub(in crate::ssd) fn merges(&self) -> u64 {
        self.merges
    }

    /// Units whose old data are being read, or will be.
    pub(in crate::ssd) fn being_merged(&self) -> impl Iterator<Item = u32> + '_ {
        let active = self.readings.iter().filter(|reading| reading.left > 0);
        let reading = active.filter_map(|reading| reading.unit);
        reading.chain(self.serial.units())
    }

    /// Units with parts that wait in DRAM, and their sectors.
    pub(in crate::ssd) fn coalesced(&self) -> impl Iterator<Item = (u32, Sectors)> + '_ {
        self.coalescing.held()
    }

    /// Whether a range is of whole units, on a drive of `capacity` bytes.
    #[inline]
    fn is_whole(&self, from: u64, to: u64, capacity: u64) -> bool {
        self.begins_unit(from) && (self.begins_unit(to) || to == capacity)
    }

    /// Whether a unit begins at a byte.
    #[inline]
    fn begins_unit(&self, at: u64) -> bool {
        match self.mask {
            Some(mask) => at & mask == 0,
            None => at.is_multiple_of(u64::from(self.pages) * PAGE),
        }
    }

    /// A part of a unit waits in DRAM for the rest; in-turn merging has read the old data of its first and last page.
    #[inline]
    fn coalesce(&mut self, part: &Part, capacity: u64) {
        let size = u64::from(self.pages) * PAGE;
        let base = u64::from(part.unit) * size;
        let all = size.min(capacity - base) / SECTOR;
        let written = (part.from - base) / SECTOR..(part.to - base) / SECTOR;
        let sectors = if self.rules.merge == Merge::Serial {
            self.fill_pages(part, base)
        } else {
            written.clone()
        };
        let sectors = sectors.start..sectors.end.min(all);
        self.coalescing.add(part.unit, sectors, written, all);
    }

    /// The first part of a range that one unit holds, on a drive of `capacity` bytes.
    fn part(&self, at: u64, end: u64, capacity: u64) -> Part {
        let size = u64::from(self.pages) * PAGE;
        let unit = at / size;
        let last = ((unit + 1) * size).min(capacity);
        let to = end.min(last);
        Part {
            unit: unit as u32,
            from: at,
            to,
            whole: at == unit * size && to == last,
        }
    }
}

impl Drive {
    /// Pages of buffer and of room that a piece of a write takes when it comes.
    #[inline]
    pub(in crate::ssd) fn pages_taken(&self, at: u64, to: u64) -> u64 {
        match &self.mechanisms.partial_writes {
            None => to.div_ceil(PAGE) - at / PAGE,
            Some(units) => self.pages_of_units(units, at, to),
        }
    }

    fn pages_of_units(&self, units: &PartialWrites, at: u64, to: u64) -> u64 {
        let capacity = self.p.capacity.get();
        if units.is_whole(at, to, capacity) {
            return (to - at).div_ceil(PAGE);
        }
        let mut pages = 0;
        let mut from = at;
        while from < to {
            let part = units.part(from, to, capacity);
            if part.whole || units.coalescing.most() == 0 {
                pages += u64::from(self.unit_range(part.unit).1);
            }
            from = part.to;
        }
        pages
    }

    /// Pages that are promised and not placed.
    pub(in crate::ssd) fn promised(&self) -> u64 {
        self.mechanisms
            .partial_writes
            .as_ref()
            .map_or(0, |units| units.promised)
    }

    /// Room for a piece of a write is promised.
    pub(in crate::ssd) fn promise(&mut self, pages: u64) {
        if let Some(units) = &mut self.mechanisms.partial_writes {
            units.promised += pages;
        }
    }

    fn redeem(&mut self, pages: u32) {
        if let Some(units) = &mut self.mechanisms.partial_writes {
            units.promised -= u64::from(pages);
        }
    }

    /// First page of a unit, and its pages: fewer at the drive's end.
    pub(in crate::ssd) fn unit_range(&self, unit: u32) -> (Lpn, u32) {
        let pages = self
            .mechanisms
            .partial_writes
            .as_ref()
            .map_or(1, |units| units.pages);
        let first = unit * pages;
        (first, pages.min(self.ftl.l2p.pages() - first))
    }

    /// A piece of a write has come: whole units get their places, parts are merged or coalesced.
    pub(in crate::ssd) fn place_units(
        &mut self,
        at: Instant,
        tag: u32,
        request: &Request,
        to: u64,
    ) {
        let capacity = self.p.capacity.get();
        let mut from = request.at;
        if let Some(units) = &self.mechanisms.partial_writes
            && units.coalescing.most() == 0
            && !units.is_log()
            && units.is_whole(request.at, to, capacity)
        {
            let size = u64::from(units.pages) * PAGE;
            let pages = (to - request.at).div_ceil(PAGE) as u32;
            if self.write_cache.volatile.any_parts() {
                self.note_whole((request.at / size) as u32, to.div_ceil(size) as u32);
            }
            self.redeem(pages);
            self.place_host(at, (request.at / PAGE) as Lpn, pages);
            from = to;
        }
        while from < to {
            let Some(units) = &mut self.mechanisms.partial_writes else {
                return;
            };
            let part = units.part(from, to, capacity);
            from = part.to;
            if part.whole || units.is_log() {
                units.coalescing.forget(part.unit);
                self.note_logged(&part, request.shift);
                self.place_unit(at, part.unit);
            } else if units.coalescing.most() > 0 {
                units.coalesce(&part, capacity);
            } else {
                // What is to be durable needs its place first.
                let waits = request.durable || units.rules.acknowledged == Acknowledged::AfterRead;
                self.merge_part(at, &part, waits.then_some(tag));
            }
        }
        if to == request.end {
            self.all_came(at, tag);
        } else {
            self.fill_next(at);
        }
        self.settle(at);
    }

    /// A part of a unit has come, which is merged with the old rest: by the firmware's one task, or at once.
    #[inline]
    fn merge_part(&mut self, at: Instant, part: &Part, tag: Option<u32>) {
        let Some(units) = &mut self.mechanisms.partial_writes else {
            return;
        };
        let size = u64::from(units.pages) * PAGE;
        let serial = units.rules.merge == Merge::Serial;
        if serial {
            units.serial.add_unit(part.unit, tag);
        }
        self.note_part(part.unit, part.sectors(size));
        if serial {
            self.waits_for_merge(tag);
        } else {
            self.merge_unit(at, part.unit, tag);
        }
    }

    /// A write is not acknowledged before one unit more is merged.
    fn waits_for_merge(&mut self, tag: Option<u32>) {
        if let Some(tag) = tag {
            self.front.requests[tag as usize].merges += 1;
        }
    }

    fn place_unit(&mut self, at: Instant, unit: u32) {
        let (first, pages) = self.unit_range(unit);
        self.redeem(pages);
        self.place_host(at, first, pages);
    }

    /// Reads the rest of a unit, then (or at once, if no write waits for it) rewrites it.
    fn merge_unit(&mut self, at: Instant, unit: u32, tag: Option<u32>) {
        let slot = self.free_slot();
        let waits = tag.is_some() || self.gathers();
        let left = self.read_unit(at, unit, if waits { slot } else { NONE });
        if left == 0 || !waits {
            self.place_unit(at, unit);
            return;
        }
        self.waits_for_merge(tag);
        let unit = Some(unit);
        self.await_reading(slot, unit, left, tag);
    }

    /// A slot for a unit's reading: a free one, or the next.
    fn free_slot(&self) -> u32 {
        let readings = self
            .mechanisms
            .partial_writes
            .as_ref()
            .map_or(&[][..], |u| &u.readings);
        let free = readings.iter().position(|reading| reading.left == 0);
        free.unwrap_or(readings.len()) as u32
    }

    fn await_reading(&mut self, slot: u32, unit: Option<u32>, left: u32, tag: Option<u32>) {
        if let Some(units) = &mut self.mechanisms.partial_writes {
            let reading = Reading {
                unit,
                left,
                tag,
                before: units.merges,
            };
            units.merges += 1;
            match units.readings.get_mut(slot as usize) {
                Some(free) => *free = reading,
                None => units.readings.push(reading),
            }
        }
    }

    fn gathers(&self) -> bool {
        let units = self.mechanisms.partial_writes.as_ref();
        units.is_some_and(|units| units.coalescing.most() > 0)
    }

    /// Reads the old data of a unit from flash; returns the number of operations.
    fn read_unit(&mut self, at: Instant, unit: u32, slot: u32) -> u32 {
        let (first, pages) = self.unit_range(unit);
        self.read_old(at, first, pages, slot)
    }

    /// The same of a number of pages. The task that fills in turn takes any operation for all that is
    /// merged while it is at it, and commands wait ([`crate::ssd::front::operation_shortage`]);
    /// other merges take what commands leave. Where no operation is left, old data cost no time.
    fn read_old(&mut self, at: Instant, first: Lpn, pages: u32, slot: u32) -> u32 {
        let serial = self
            .mechanisms
            .partial_writes
            .as_ref()
            .is_some_and(|units| units.serial.is_held());
        let flash_unit = self.ftl.layout.unit_pages();
        let (mut lpn, mut left) = (first, pages);
        let mut asked = 0;
        while left > 0 {
            let (ppn, run) = self.ftl.l2p.run(lpn, left);
            let run = if ppn == NONE {
                run
            } else {
                run.min(flash_unit - ppn % flash_unit)
            };
            lpn += run;
            left -= run;
            if ppn == NONE || !self.ftl.is_programmed(ppn) || !(serial || self.ops.may_take()) {
                continue;
            }
            let (die, end) = self.flash.read(at, (ppn, run), &self.ftl, &mut self.ops);
            let op = Op {
                stage: Stage::MergeBus,
                die: die as u16,
                pages: run as u16,
                bytes: slot,
                ..IDLE
            };
            if let Some(number) = self.ops.take(op) {
                self.ops.overtakers += 1;
                self.fetch(end, number, ppn);
                asked += 1;
            }
        }
        asked
    }

    /// All data of a write have come: it is complete, unless it waits for the rest of a unit.
    pub(in crate::ssd) fn write_ends(&mut self, at: Instant, tag: u32) {
        let request = &mut self.front.requests[tag as usize];
        if request.merges > 0 {
            request.arrived = true;
        } else {
            self.acknowledge(at, tag);
        }
    }

    /// A part of a unit's old data is in the controller.
    pub(in crate::ssd) fn merge_read(&mut self, at: Instant, slot: u32) {
        let Some(units) = &mut self.mechanisms.partial_writes else {
            return;
        };
        let Some(reading) = units.readings.get_mut(slot as usize) else {
            return;
        };
        reading.left -= 1;
        if reading.left > 0 {
            return;
        }
        let Reading { unit, tag, .. } = *reading;
        units.serial.read(slot);
        if let Some(unit) = unit {
            self.place_unit(at, unit);
            self.begin_flushes(at);
        }
        self.merged(at, tag);
        self.fill_next(at);
        self.ask_for_data(at);
        self.pump(at);
    }

    /// A unit has its new place: a write that waited for the last one is acknowledged.
    fn merged(&mut self, at: Instant, tag: Option<u32>) {
        let Some(tag) = tag else {
            return;
        };
        let request = &mut self.front.requests[tag as usize];
        request.merges -= 1;
        if request.merges == 0 && request.arrived {
            self.acknowledge(at, tag);
        }
    }

    /// Writes out what was coalesced whole, and the oldest parts beyond what may be coalesced;
    /// false where there is no room for that now.
    #[inline]
    pub(in crate::ssd) fn settle(&mut self, now: Instant) -> bool {
        let units = self.mechanisms.partial_writes.as_ref();
        let is_settled = units.is_none_or(|units| !units.coalescing.any_due());
        (is_settled && !self.any_blocked_flush()) || self.settle_what_is_due(now)
    }

    fn settle_what_is_due(&mut self, now: Instant) -> bool {
        if let Some(number) = self.blocked_flush() {
            return self.settle_all(now, number);
        }
        loop {
            let Some(units) = &mut self.mechanisms.partial_writes else {
                return true;
            };
            let Some((unit, whole)) = units.coalescing.due() else {
                return true;
            };
            let promised = units.promised;
            let (_, pages) = self.unit_range(unit);
            if self.ftl.pool.host_room() < promised + u64::from(pages)
                || !self.write_cache.buffer.take(u64::from(pages))
            {
                return false;
            }
            self.write_out(now, unit, whole);
        }
    }

    fn write_out(&mut self, now: Instant, unit: u32, whole: bool) {
        let (_, pages) = self.unit_range(unit);
        self.take_coalesced(unit, pages, None);
        if whole {
            self.place_unit(now, unit);
        } else {
            self.merge_unit(now, unit, None);
        }
    }

    /// A unit that was coalesced is going to be written: room for its pages is promised.
    fn take_coalesced(&mut self, unit: u32, pages: u32, flush: Option<u64>) {
        let Some(units) = &mut self.mechanisms.partial_writes else {
            return;
        };
        units.promised += u64::from(pages);
        match units.coalescing.take(unit) {
            Some(sectors) => match flush {
                Some(number) => self.note_part_of(unit, sectors, number),
                None => self.note_part(unit, sectors),
            },
            None => self.note_whole(unit, unit + 1),
        }
    }

    /// A flush of this number: all that was coalesced is written out; false where there is no room
    /// for that now.
    pub(in crate::ssd) fn settle_all(&mut self, now: Instant, flush: u64) -> bool {
        while let Some(units) = &self.mechanisms.partial_writes {
            let Some((unit, _)) = units.coalescing.oldest() else {
                return true;
            };
            let (_, pages) = self.unit_range(unit);
            if self.ftl.pool.host_room() < self.promised() + u64::from(pages) {
                self.pump(now);
                return false;
            }
            self.write_cache.buffer.take_anyway(u64::from(pages));
            self.take_coalesced(unit, pages, Some(flush));
            self.read_unit(now, unit, NONE);
            self.place_unit(now, unit);
        }
        true
    }

    /// Whether one of the first `count` merged units is still being read.
    pub(in crate::ssd) fn merges_before(&self, count: u64) -> bool {
        let units = self.mechanisms.partial_writes.as_ref();
        let mut readings = units.into_iter().flat_map(|units| &units.readings);
        readings.any(|reading| reading.left > 0 && reading.before < count)
    }

    /// A page of a log of sectors was written, from `shift` sectors behind its beginning on.
    fn note_logged(&mut self, part: &Part, shift: u64) {
        let sectors = (part.to - part.from).div_ceil(SECTOR);
        let log = self
            .mechanisms
            .partial_writes
            .as_ref()
            .is_some_and(PartialWrites::is_log);
        if !log || (shift == 0 && sectors == PAGE / SECTOR) {
            self.note_whole(part.unit, part.unit + 1);
        } else {
            self.note_part(
                part.unit,
                sectors_of(shift..shift + sectors, 2 * PAGE / SECTOR),
            );
        }
    }

    /// The host needs these pages no longer: nor those of them that wait for the rest of their
    /// unit.
    pub(in crate::ssd) fn forget_coalesced(&mut self, first: u64, end: u64) {
        if let Some(units) = &mut self.mechanisms.partial_writes {
            let pages = u64::from(units.pages);
            units
                .coalescing
                .forget_between(first.div_ceil(pages) as u32, (end / pages) as u32);
        }
    }
}
