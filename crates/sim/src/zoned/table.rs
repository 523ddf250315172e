//! Write pointers, conditions and limits: what a zoned drive takes, and what it refuses.
//!
//! Every command is held against the table when it arrives, and moves the pointer at once: so commands that wait in the
//! queue stand in line as they came. The checks of a write are in the order of Linux's own emulation
//! (`drivers/scsi/scsi_debug.c`): does it stay in the zone, is the zone full, does it begin at the pointer, is there a
//! place for one more open zone. Where the places for open zones are taken, the zone that a write opened longest ago
//! is closed for it; zones that commands have opened stay. A place for an active zone is never made: closed zones keep
//! theirs, and the host has to finish or reset one.

use std::collections::VecDeque;

use base::size::Bytes;
use base::zone::{Condition, Management, Zone, ZoneError, ZoneKind, ZoneLimits, Zoned, Zoning};

/// How a drive is cut into zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// From a zone's start to the next one's.
    pub length: Bytes,
    /// What can be written of it.
    pub capacity: Bytes,
    /// Zones, conventional ones included.
    pub zones: u32,
    /// Conventional zones at the start.
    pub conventional: u32,
    pub max_open: Option<u32>,
    pub max_active: Option<u32>,
    /// Largest append, where there is one.
    pub max_append: Option<Bytes>,
    /// What lies behind a pointer may be read.
    pub unrestricted_reads: bool,
}

/// What is kept of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kept {
    condition: Condition,
    /// Bytes from its start to its pointer.
    pointer: u64,
    /// Bytes that the host wrote: less than its pointer once it was finished.
    written: u64,
}

/// What a command found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    pub zone: u32,
    /// Its condition before.
    pub was: Condition,
    /// Bytes from its start to its pointer before.
    pub pointer: u64,
    /// Bytes of the host in it before.
    pub written: u64,
}

/// The zones of a drive.
#[derive(Clone, Debug)]
pub struct ZoneTable {
    rules: Rules,
    zones: Vec<Kept>,
    /// Zones that writes have opened, the first of them longest ago.
    implicit: VecDeque<u32>,
    open: u32,
    active: u32,
}

impl ZoneTable {
    /// All zones empty, or all sequential-write zones full.
    pub fn new(rules: Rules, full: bool) -> ZoneTable {
        let sequential = match full {
            false => Kept {
                condition: Condition::Empty,
                pointer: 0,
                written: 0,
            },
            true => Kept {
                condition: Condition::Full,
                pointer: rules.capacity.get(),
                written: rules.capacity.get(),
            },
        };
        let conventional = Kept {
            condition: Condition::NotWritePointer,
            pointer: 0,
            written: 0,
        };
        let zones = (0..rules.zones).map(|zone| match zone < rules.conventional {
            true => conventional,
            false => sequential,
        });
        ZoneTable {
            rules,
            zones: zones.collect(),
            implicit: VecDeque::new(),
            open: 0,
            active: 0,
        }
    }

    /// How the drive is cut into zones.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Zones that are open, and that are open or closed.
    pub fn in_use(&self) -> (u32, u32) {
        (self.open, self.active)
    }

    /// Where a place of the address space lies in the drive, which has no gaps between zones.
    pub fn within(&self, offset: Bytes) -> Bytes {
        let (zone, inside) = self.place(offset);
        Bytes::new(u64::from(zone) * self.rules.capacity.get() + inside)
    }

    fn place(&self, offset: Bytes) -> (u32, u64) {
        let length = self.rules.length.get();
        let zone = (offset.get() / length).min(u64::from(self.rules.zones.saturating_sub(1)));
        (zone as u32, offset.get() - zone * length)
    }

    /// A zone as it is now.
    fn zone(&self, number: u32) -> Option<Zone> {
        let kept = self.zones.get(number as usize)?;
        let start = self.rules.length * u64::from(number);
        let conventional = kept.condition == Condition::NotWritePointer;
        Some(Zone {
            start,
            length: self.rules.length,
            capacity: self.rules.capacity,
            write_pointer: start + Bytes::new(kept.pointer),
            kind: match conventional {
                true => ZoneKind::Conventional,
                false => ZoneKind::SequentialRequired,
            },
            condition: kept.condition,
        })
    }

    /// Whether a read is answered.
    ///
    /// # Errors
    /// Beyond what its zone holds, or behind the pointer where the drive forbids that.
    pub fn read(&self, offset: Bytes, len: Bytes) -> Result<(), ZoneError> {
        let (zone, inside) = self.place(offset);
        let end = inside.saturating_add(len.get());
        let kept = self.zones[zone as usize];
        let conventional = kept.condition == Condition::NotWritePointer;
        // From conventional zones on into their neighbours: there is no pointer between them.
        let next = self.zones.get(zone as usize + 1);
        let on = next.is_some_and(|next| next.condition == Condition::NotWritePointer);
        if end > self.rules.capacity.get()
            && !(conventional && on)
            && !self.rules.unrestricted_reads
        {
            return Err(ZoneError::Boundary);
        }
        if self.rules.unrestricted_reads || conventional {
            return Ok(());
        }
        match end > kept.pointer {
            true => Err(ZoneError::ReadInvalidData),
            false => Ok(()),
        }
    }

    /// A write arrives: what it found; its zone's pointer is behind it now.
    ///
    /// # Errors
    /// Why the drive refuses it; nothing has changed then.
    pub fn write(&mut self, offset: Bytes, len: Bytes) -> Result<Found, ZoneError> {
        let (zone, inside) = self.place(offset);
        let kept = self.zones[zone as usize];
        let end = inside.saturating_add(len.get());
        let next = self.zones.get(zone as usize + 1);
        let on = next.is_some_and(|next| next.condition == Condition::NotWritePointer);
        if kept.condition == Condition::NotWritePointer {
            return match end > self.rules.capacity.get() && !on {
                true => Err(ZoneError::Boundary),
                false => Ok(self.found(zone)),
            };
        }
        if end > self.rules.capacity.get() {
            return Err(ZoneError::Boundary);
        }
        self.is_writable(&kept)?;
        if inside != kept.pointer {
            return Err(ZoneError::UnalignedWrite);
        }
        self.advance(zone, len.get())
    }

    /// An append to the zone that begins at `start` arrives: what it found, with the place that it gets.
    ///
    /// # Errors
    /// As [`ZoneTable::write`], and where `start` is none.
    pub fn append(&mut self, start: Bytes, len: Bytes) -> Result<(Found, Bytes), ZoneError> {
        let (zone, inside) = self.place(start);
        let kept = self.zones[zone as usize];
        let most = self.rules.max_append.unwrap_or(Bytes::ZERO);
        if inside != 0 || len > most || kept.condition == Condition::NotWritePointer {
            return Err(ZoneError::InvalidTransition);
        }
        self.is_writable(&kept)?;
        if kept.pointer.saturating_add(len.get()) > self.rules.capacity.get() {
            return Err(ZoneError::Boundary);
        }
        let at = start + Bytes::new(kept.pointer);
        Ok((self.advance(zone, len.get())?, at))
    }

    fn is_writable(&self, kept: &Kept) -> Result<(), ZoneError> {
        match kept.condition {
            Condition::Full => Err(ZoneError::Full),
            Condition::ReadOnly => Err(ZoneError::ReadOnly),
            Condition::Offline => Err(ZoneError::Offline),
            _ => Ok(()),
        }
    }

    fn found(&self, zone: u32) -> Found {
        let kept = self.zones[zone as usize];
        Found {
            zone,
            was: kept.condition,
            pointer: kept.pointer,
            written: kept.written,
        }
    }

    fn advance(&mut self, zone: u32, len: u64) -> Result<Found, ZoneError> {
        let found = self.found(zone);
        if !found.was.is_open() {
            self.make_room(found.was)?;
            self.set(zone, Condition::ImplicitOpen);
        }
        let kept = &mut self.zones[zone as usize];
        kept.pointer += len;
        kept.written = kept.pointer;
        if kept.pointer == self.rules.capacity.get() {
            self.set(zone, Condition::Full);
        }
        Ok(found)
    }

    /// Makes a place for one more open zone, which is now in a condition.
    fn make_room(&mut self, now: Condition) -> Result<(), ZoneError> {
        let full = |most: Option<u32>, used: u32| most.is_some_and(|most| used >= most);
        if !now.is_active() && full(self.rules.max_active, self.active) {
            return Err(ZoneError::TooManyActive);
        }
        if full(self.rules.max_open, self.open) {
            let longest = self.implicit.front().copied();
            let longest = longest.ok_or(ZoneError::TooManyOpen)?;
            self.set(longest, Condition::Closed);
        }
        Ok(())
    }

    fn set(&mut self, zone: u32, condition: Condition) {
        let was = std::mem::replace(&mut self.zones[zone as usize].condition, condition);
        self.open = self.open + u32::from(condition.is_open()) - u32::from(was.is_open());
        self.active = self.active + u32::from(condition.is_active()) - u32::from(was.is_active());
        if was == Condition::ImplicitOpen {
            self.implicit.retain(|open| *open != zone);
        }
        if condition == Condition::ImplicitOpen {
            self.implicit.push_back(zone);
        }
    }

    /// A command to the zone that begins at `start` arrives: what it found.
    ///
    /// # Errors
    /// Where no such zone begins there, or it cannot go there from its condition.
    pub fn command(&mut self, what: Zoning, start: Bytes) -> Result<Found, ZoneError> {
        let (zone, inside) = self.place(start);
        let found = self.found(zone);
        if inside != 0 || found.was == Condition::NotWritePointer {
            return Err(ZoneError::InvalidTransition);
        }
        match found.was {
            Condition::ReadOnly => return Err(ZoneError::ReadOnly),
            Condition::Offline => return Err(ZoneError::Offline),
            _ => {}
        }
        match what {
            Zoning::Append => return Err(ZoneError::InvalidTransition),
            Zoning::Open => self.open(zone, found.was)?,
            Zoning::Close => self.close(zone, &found)?,
            Zoning::Finish => self.finish(zone, found.was)?,
            Zoning::Reset => {
                self.set(zone, Condition::Empty);
                self.zones[zone as usize].pointer = 0;
                self.zones[zone as usize].written = 0;
            }
        }
        Ok(found)
    }

    fn open(&mut self, zone: u32, was: Condition) -> Result<(), ZoneError> {
        match was {
            Condition::ExplicitOpen => return Ok(()),
            Condition::ImplicitOpen => {}
            Condition::Full => return Err(ZoneError::InvalidTransition),
            _ => self.make_room(was)?,
        }
        self.set(zone, Condition::ExplicitOpen);
        Ok(())
    }

    fn close(&mut self, zone: u32, found: &Found) -> Result<(), ZoneError> {
        match found.was {
            Condition::Closed => Ok(()),
            // Nothing is in it that would have to be remembered.
            open if open.is_open() && found.pointer == 0 => {
                self.set(zone, Condition::Empty);
                Ok(())
            }
            open if open.is_open() => {
                self.set(zone, Condition::Closed);
                Ok(())
            }
            _ => Err(ZoneError::InvalidTransition),
        }
    }

    /// An empty or closed zone passes through being open, so it needs a place.
    fn finish(&mut self, zone: u32, was: Condition) -> Result<(), ZoneError> {
        if !was.is_open() && was != Condition::Full {
            self.make_room(was)?;
        }
        self.set(zone, Condition::Full);
        self.zones[zone as usize].pointer = self.rules.capacity.get();
        Ok(())
    }

    /// The power fails: nothing is open afterwards, and of what was lost the pointers know nothing.
    pub fn power_cut(&mut self, lost: impl Iterator<Item = Bytes>) {
        for zone in 0..self.rules.zones {
            let kept = self.zones[zone as usize];
            if kept.condition.is_open() {
                let empty = kept.pointer == 0;
                self.set(
                    zone,
                    if empty {
                        Condition::Empty
                    } else {
                        Condition::Closed
                    },
                );
            }
        }
        for at in lost {
            let capacity = self.rules.capacity.get();
            let (zone, inside) = ((at.get() / capacity) as usize, at.get() % capacity);
            if let Some(kept) = self.zones.get_mut(zone)
                && kept.condition == Condition::Closed
            {
                kept.pointer = kept.pointer.min(inside);
                kept.written = kept.pointer;
            }
        }
    }
}

impl Zoned for ZoneTable {
    fn limits(&self) -> ZoneLimits {
        ZoneLimits {
            management: Management::HostManaged,
            zones: u64::from(self.rules.zones),
            zone_length: self.rules.length,
            max_open: self.rules.max_open,
            max_active: self.rules.max_active,
            max_append: self.rules.max_append,
        }
    }

    fn report(&mut self, from: Bytes, most: usize) -> Result<Vec<Zone>, i32> {
        let first = from.get() / self.rules.length.get();
        let first = u32::try_from(first).unwrap_or(u32::MAX);
        Ok((first..self.rules.zones)
            .take(most)
            .filter_map(|zone| self.zone(zone))
            .collect())
    }
}
