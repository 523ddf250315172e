//! The map cache: which part of the page map is in memory, and the cost of a miss.
//!
//! A table of 4 bytes for each 4 KiB is a thousandth of the capacity. A drive with that much DRAM
//! holds all of it and has no such section. One with less DRAM, with memory lent by the host (HMB:
//! NVM Express 1.2, Host Memory Buffer) or with a little SRAM keeps *map pages*: pieces of the
//! table as they lie in the flash, 4 KiB of entries that cover 4 MiB of data, or coarser. A lookup
//! that finds its map page costs nothing in DRAM and a round trip over the link in HMB; one that
//! does not reads the map page first, on the die where it lies, behind whatever that die is doing
//! (DFTL: Gupta, Kim, Urgaonkar, ASPLOS 2009). So random reads are slower once they range over more
//! than what the cache covers, by the share of lookups that miss: the *knee*.
//!
//! Replacement is by the clock (Corbato, "A paging experiment with the Multics system", 1969),
//! close to the least recently used at the cost of a bit. A write makes its map page dirty; it
//! waits for nothing, but a missing map page is read in the background, and dirty ones
//! that are replaced are gathered until they fill a unit, which is programmed in one-bit mode to a
//! place of the drive's own. Not modelled: the map's changes by collection and by TRIM (taken as
//! logged beside the data), the bytes of HMB lookups on the link, and the map's own collection.

use base::rng::splitmix64;
use base::time::{Duration, Instant};

use crate::event_log::Event;
use crate::sheet::quantity::{Count, Kibibytes, Microseconds, Number};
use crate::sheet::table::parameters;
use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::{Divisor, Group, Lpn, NONE, PAGE};
use crate::ssd::ftl::stream::Stream;
use crate::ssd::operations::{IDLE, Op, Stage};

parameters! {
    /// The map as it lies in the flash, and the memory for a part of it.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub MapMemory from MapCacheConfig ["map_cache"] {
        /// The memory that map pages share with other things.
        memory "memory_mib": Number("MiB") in 0.0..=65_536.0;
        /// What of it is left for map pages.
        share "map_share": Number("of the memory") in 0.0..=1.0;
        /// A lookup that hits: 0 in DRAM, 0.6 to 1.2 us in HMB.
        hit "hit_us": Microseconds in 0.0..=100.0;
        /// A map page: the unit of caching, in bytes.
        page "page_kib": Kibibytes in 1..=1_024;
        /// Bytes of an entry.
        entry "entry_bytes": Count("B") in 1..=64;
        /// The data that an entry covers.
        entry_covers "entry_kib": Count("KiB of data") in 4..=4_096;
        /// A map page's cells to the register: tables lie in one-bit mode as a rule.
        read "read_us": Microseconds in 1.0..=1_000.0;
    }
}

impl MapMemory {
    /// How many map pages fit into it, and what each covers.
    pub fn caching(&self) -> MapCaching {
        let entries = self.page / u64::from(self.entry);
        let bytes = self.memory * 1_048_576.0 * self.share;
        MapCaching {
            slots: ((bytes / self.page as f64) as u32).max(1),
            data_pages: ((entries * u64::from(self.entry_covers) / 4).max(2)) as u32,
            pages: self.page.div_ceil(PAGE) as u32,
            hit: self.hit,
            read: self.read,
        }
    }
}

/// A map with a part in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapCaching {
    /// Map pages in the cache.
    pub slots: u32,
    /// Pages of data that a map page covers; 2 or more.
    pub data_pages: u32,
    /// Pages of 4 KiB that a map page takes in the flash and on the channel.
    pub pages: u32,
    /// A lookup that hits.
    pub hit: Duration,
    /// A map page's cells to the register.
    pub read: Duration,
}

/// What a lookup finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// The map page is at hand, or there is none yet.
    Hit,
    /// It is being read.
    Loading,
    /// It has to be read.
    Miss,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    page: u32,
    used: bool,
    dirty: bool,
    loading: bool,
}

/// A read that waits for a map page, and before when it could not resume anyway.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    page: u32,
    tag: u32,
    from: Instant,
}

/// The map pages at hand.
#[derive(Clone, Debug)]
pub(in crate::ssd) struct MapCache {
    caching: MapCaching,
    by_data: Divisor,
    slots: Vec<Slot>,
    /// By map page: its slot, or [`NONE`].
    slot_of: Vec<u32>,
    /// By map page: it was written to the flash.
    stored: Vec<bool>,
    hand: u32,
    waiting: Vec<Waiting>,
    /// By tag: the end of the data whose places are known.
    known: Vec<u64>,
    /// Dirty map pages that were replaced and fill no unit yet, in pages of 4 KiB.
    unsaved: u32,
    seed: u64,
    /// Map pages read and written, for tests and for people.
    pub(in crate::ssd) loads: u64,
    pub(in crate::ssd) saves: u64,
}

impl MapCache {
    /// An empty cache, for a drive of this many pages and commands.
    pub(in crate::ssd) fn new(caching: MapCaching, pages: u32, queue: u32, seed: u64) -> MapCache {
        let map_pages = pages.div_ceil(caching.data_pages);
        let empty = Slot {
            page: NONE,
            used: false,
            dirty: false,
            loading: false,
        };
        MapCache {
            by_data: Divisor::new(caching.data_pages),
            slots: vec![empty; caching.slots.min(map_pages.max(1)) as usize],
            slot_of: vec![NONE; map_pages as usize],
            stored: vec![false; map_pages as usize],
            hand: 0,
            waiting: Vec::new(),
            known: vec![0; queue as usize],
            unsaved: 0,
            seed,
            loads: 0,
            saves: 0,
            caching,
        }
    }

    /// This many pages of data, the first ones, were written long ago.
    pub(in crate::ssd) fn constructed(&mut self, pages: u32) {
        let written = pages.div_ceil(self.caching.data_pages) as usize;
        self.stored[..written].fill(true);
    }

    /// The power has failed: nothing is at hand.
    pub(in crate::ssd) fn power_cut(&mut self) {
        for slot in &mut self.slots {
            if slot.page != NONE {
                self.stored[slot.page as usize] |= slot.dirty;
                self.slot_of[slot.page as usize] = NONE;
            }
            *slot = Slot {
                page: NONE,
                used: false,
                dirty: false,
                loading: false,
            };
        }
        self.waiting.clear();
    }

    fn page_of(&self, lpn: Lpn) -> u32 {
        self.by_data.divide(lpn).0
    }

    fn find(&mut self, page: u32) -> Found {
        match self.slots.get_mut(self.slot_of[page as usize] as usize) {
            Some(slot) => {
                slot.used = true;
                if slot.loading {
                    Found::Loading
                } else {
                    Found::Hit
                }
            }
            None if self.waiting.iter().any(|waiting| waiting.page == page) => Found::Loading,
            None if self.stored[page as usize] => Found::Miss,
            None => Found::Hit,
        }
    }

    /// Makes room for a map page, `loading` or made up in memory; gives the pages of 4 KiB that
    /// have to be saved for it. Where every slot is being loaded, the map page is not kept.
    fn bring(&mut self, page: u32, loading: bool) -> u32 {
        for _ in 0..2 * self.slots.len() {
            let number = self.hand;
            self.hand = (self.hand + 1) % self.slots.len() as u32;
            let slot = &mut self.slots[number as usize];
            if slot.loading || std::mem::take(&mut slot.used) {
                continue;
            }
            let old = *slot;
            *slot = Slot {
                page,
                used: true,
                dirty: false,
                loading,
            };
            self.slot_of[page as usize] = number;
            if old.page == NONE {
                return 0;
            }
            self.slot_of[old.page as usize] = NONE;
            if !old.dirty {
                return 0;
            }
            self.stored[old.page as usize] = true;
            self.saves += 1;
            return self.caching.pages;
        }
        0
    }

    fn loaded(&mut self, page: u32) {
        if let Some(slot) = self.slots.get_mut(self.slot_of[page as usize] as usize) {
            slot.loading = false;
        }
    }

    /// The next read that waits for a map page.
    fn next_waiting(&mut self, page: u32) -> Option<Waiting> {
        let index = self.waiting.iter().position(|w| w.page == page)?;
        Some(self.waiting.remove(index))
    }

    fn die(&self, page: u32, dies: u32) -> u32 {
        let drawn = splitmix64(self.seed ^ u64::from(page)) >> 32;
        ((drawn * u64::from(dies)) >> 32) as u32
    }
}

/// Units of map pages are numbered apart from those of data.
const MAP_UNIT: u32 = 1 << 31;

impl Drive {
    /// Looks up where a read's data lie, from `offset` on, at `asked`. Gives when they can be asked
    /// for; `None` if a map page has to come first, which then resumes with the read.
    #[inline(never)]
    pub(in crate::ssd) fn look_up(
        &mut self,
        asked: Instant,
        tag: u32,
        offset: u64,
    ) -> Option<Instant> {
        let cache = self.mechanisms.map_cache.as_mut()?;
        let page = cache.page_of((offset / PAGE) as Lpn);
        let end = (u64::from(page) + 1) * u64::from(cache.caching.data_pages) * PAGE;
        cache.known[tag as usize] = end;
        let found = cache.find(page);
        if found == Found::Hit {
            return Some(asked + cache.caching.hit);
        }
        cache.waiting.push(Waiting {
            page,
            tag,
            from: asked,
        });
        self.ops.overtakers += 1;
        if found == Found::Miss {
            self.log.note(asked, Event::MapMiss);
            self.load(asked, page);
        }
        None
    }

    /// Whether a read's map is known at its present position, or was looked up and found now.
    #[inline]
    pub(in crate::ssd) fn is_mapped(&mut self, now: Instant, tag: u32, at: u64) -> bool {
        match &self.mechanisms.map_cache {
            Some(cache) if at >= cache.known[tag as usize] => self.look_up(now, tag, at).is_some(),
            _ => true,
        }
    }

    /// Whether the map of what lies at `offset` is at hand; begins to read it where it is not.
    pub(in crate::ssd) fn map_is_at_hand(&mut self, at: Instant, offset: u64) -> bool {
        let Some(cache) = &mut self.mechanisms.map_cache else {
            return true;
        };
        let page = cache.page_of((offset / PAGE) as Lpn);
        let found = cache.find(page);
        if found == Found::Miss {
            self.load(at, page);
        }
        found == Found::Hit
    }

    /// Begins to read a map page at `asked`.
    fn load(&mut self, asked: Instant, page: u32) {
        let Some(cache) = self.mechanisms.map_cache.as_mut() else {
            return;
        };
        cache.loads += 1;
        cache.stored[page as usize] = true;
        let replaced = cache.bring(page, true);
        let op = Op {
            stage: Stage::MapAsk,
            bytes: page,
            pages: cache.caching.pages as u16,
            ..IDLE
        };
        self.ops.overtakers += 1;
        self.begin_at(op, asked);
        self.save_map(asked, replaced);
    }

    pub(in crate::ssd) fn map_event(&mut self, at: Instant, number: u32, op: &Op) {
        match op.stage {
            Stage::MapAsk => {
                let Some(cache) = &self.mechanisms.map_cache else {
                    return;
                };
                let die = cache.die(op.bytes, self.ftl.layout.geometry().dies);
                let takes = cache.caching.read;
                let unit = MAP_UNIT | op.bytes;
                let end = self.flash.read_apart(at, die, unit, takes, &mut self.ops);
                self.ops.park(number);
                let pages = u32::from(op.pages);
                let op = self.ops.get_mut(number);
                op.die = die as u16;
                op.stage = Stage::MapBus;
                self.flash.ask_channel(end, number, die, pages);
            }
            _ => {
                self.ops.release(number);
                self.ops.overtakers -= 1;
                self.map_came(at, op.bytes);
            }
        }
    }

    /// A map page is at hand: the reads that waited for it resume.
    fn map_came(&mut self, at: Instant, page: u32) {
        let next = |drive: &mut Drive| drive.mechanisms.map_cache.as_mut()?.next_waiting(page);
        if let Some(cache) = &mut self.mechanisms.map_cache {
            cache.loaded(page);
        }
        while let Some(waiting) = next(self) {
            if waiting.from > at {
                self.carry(Stage::ReadAsk, waiting.tag, waiting.from);
            } else {
                self.ops.overtakers -= 1;
                self.ask_all(at, waiting.tag);
            }
        }
    }

    /// The host wrote pages: their map pages are dirty now.
    #[inline(never)]
    pub(in crate::ssd) fn map_written(&mut self, at: Instant, lpn: Lpn, count: u32) {
        let Some(cache) = &self.mechanisms.map_cache else {
            return;
        };
        let (first, last) = (cache.page_of(lpn), cache.page_of(lpn + count - 1));
        for page in first..=last {
            self.map_page_written(at, page);
        }
    }

    fn map_page_written(&mut self, at: Instant, page: u32) {
        let may_load = self.ops.may_take();
        let Some(cache) = &mut self.mechanisms.map_cache else {
            return;
        };
        let found = cache.find(page);
        if found == Found::Miss && may_load {
            self.load(at, page);
        } else if cache.slot_of[page as usize] == NONE {
            // Never written before: it begins in memory. (Or the drive is too busy for one more
            // operation, and this one comes for nothing.)
            let replaced = cache.bring(page, false);
            self.save_map(at, replaced);
        }
        let Some(cache) = &mut self.mechanisms.map_cache else {
            return;
        };
        match cache.slots.get_mut(cache.slot_of[page as usize] as usize) {
            Some(slot) => slot.dirty = true,
            None => cache.stored[page as usize] = true,
        }
    }

    /// Replaced map pages are gathered until they fill a unit, which one die programs.
    fn save_map(&mut self, at: Instant, pages: u32) {
        let unit = self.ftl.layout.unit_pages();
        let dies = self.ftl.layout.geometry().dies;
        let Some(cache) = &mut self.mechanisms.map_cache else {
            return;
        };
        cache.unsaved += pages;
        while let Some(cache) = &mut self.mechanisms.map_cache
            && cache.unsaved >= unit
        {
            cache.unsaved -= unit;
            let group = Group {
                superblock: NONE,
                index: 0,
                die: cache.die(!cache.saves as u32, dies),
            };
            self.send(at, group, Stream::Move, true);
        }
    }

    /// Map pages read and written so far; 0 if the whole map is in DRAM.
    pub fn map_traffic(&self) -> (u64, u64) {
        let cache = self.mechanisms.map_cache.as_ref();
        cache.map_or((0, 0), |cache| (cache.loads, cache.saves))
    }
}
