//! Serial merging: the firmware's one task reads what a write lacks, and takes no command
//! meanwhile.
//!
//! A small controller runs its flash translation in one task: it takes a command, looks the pages
//! up, asks the flash, and takes the next. The data of a write come over the link by themselves,
//! and the host is told at once. But where the write covers part of a page, the task needs the rest
//! of it before it can give the page its new place, and waits for the flash: a reading's time for
//! each edge, and that of the program which runs on that die. A host that sends one command at a
//! time feels it in the command after a write; one that keeps 32 waiting feels it in all of them.

use std::collections::VecDeque;
use std::ops::Range;

use base::io::{Io, Op as Operation};
use base::size::Bytes;
use base::time::Instant;

use super::{Drive, Lpn, Merge, PAGE, Part as UnitPart, PartialWrites, SECTOR};

/// What the task has to read.
#[derive(Clone, Copy, Debug)]
enum Rest {
    /// Of a unit, which is placed then.
    Unit {
        unit: u32,
        /// The write that is not acknowledged before.
        tag: Option<u32>,
    },
    /// Of a page whose unit is coalesced.
    Page(Lpn),
}

/// What the task is about.
#[derive(Debug, Default)]
pub(super) struct SerialMerge {
    /// A write in parts has the task, from its coming until its units are filled.
    held: Option<u32>,
    /// All data of that write have come.
    came: bool,
    /// The reading by which the flash is asked for the rest of the first part.
    reading: Option<u32>,
    parts: VecDeque<Rest>,
    /// Commands that came meanwhile.
    waiting: VecDeque<u32>,
}

impl SerialMerge {
    /// A part of a unit has come.
    pub(super) fn add_unit(&mut self, unit: u32, tag: Option<u32>) {
        self.parts.push_back(Rest::Unit { unit, tag });
    }

    /// The task is free, and nothing waits for it.
    #[inline]
    fn is_idle(&self) -> bool {
        self.held.is_none() && !self.came && self.parts.is_empty() && self.waiting.is_empty()
    }

    /// A write in parts has the task.
    pub(super) fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// The units whose rest is still to be read.
    pub(super) fn units(&self) -> impl Iterator<Item = u32> + '_ {
        self.parts.iter().filter_map(|rest| match rest {
            Rest::Unit { unit, .. } => Some(*unit),
            Rest::Page(_) => None,
        })
    }

    /// The flash has given what a reading asked it for.
    pub(super) fn read(&mut self, slot: u32) {
        self.reading = self.reading.filter(|reading| *reading != slot);
    }

    fn next(&mut self) -> Option<Rest> {
        if self.reading.is_some() {
            return None;
        }
        self.parts.pop_front()
    }
}

impl PartialWrites {
    /// A part of a unit is coalesced in whole pages: the task reads the rest of those that are not
    /// there. Gives the sectors of the unit, which begins at byte `base`.
    pub(super) fn fill_pages(&mut self, part: &UnitPart, base: u64) -> Range<u64> {
        let sectors = |bytes: u64| (bytes - base) / SECTOR;
        let (first, last) = (part.from / PAGE, (part.to - 1) / PAGE);
        let cut = [
            (first, !part.from.is_multiple_of(PAGE)),
            (last, !part.to.is_multiple_of(PAGE)),
        ];
        for (nth, (page, is_cut)) in cut.into_iter().enumerate() {
            let again = nth == 1 && first == last && cut[0].1;
            let here = sectors(page * PAGE)..sectors((page + 1) * PAGE);
            if is_cut && !again && !self.coalescing.holds(part.unit, here) {
                self.serial.parts.push_back(Rest::Page(page as Lpn));
            }
        }
        sectors(first * PAGE)..sectors((last + 1) * PAGE)
    }

    /// Where the task is taken, the command waits; a write in parts takes the task.
    #[inline]
    pub(in crate::ssd) fn must_wait(&mut self, tag: u32, io: &Io, capacity: u64) -> bool {
        if self.rules.merge == Merge::Parallel || self.is_log() {
            return false;
        }
        if self.serial.is_held() {
            self.serial.waiting.push_back(tag);
            return true;
        }
        // Reads are asked no more than that: what a division takes is a tenth of a read's time.
        if io.op == Operation::Write && !self.covers_whole_parts(io, capacity) {
            self.serial.held = Some(tag);
        }
        false
    }

    /// Whether a write leaves nothing of a unit (or of a page, where these are coalesced) to be
    /// read.
    fn covers_whole_parts(&self, io: &Io, capacity: u64) -> bool {
        let (from, to) = (io.offset.get(), io.end().get());
        if self.coalescing.most() > 0 {
            from.is_multiple_of(PAGE) && to.is_multiple_of(PAGE)
        } else {
            self.is_whole(from, to, capacity)
        }
    }
}

impl Drive {
    /// All data of a write have come, or it is refused: the task resumes when its parts are filled.
    #[inline]
    pub(in crate::ssd) fn all_came(&mut self, at: Instant, tag: u32) {
        let units = self.mechanisms.partial_writes.as_ref();
        if units.is_some_and(|units| !units.serial.is_idle()) {
            self.task_resumes(at, tag);
        }
    }

    fn task_resumes(&mut self, at: Instant, tag: u32) {
        if let Some(units) = &mut self.mechanisms.partial_writes {
            units.serial.came |= units.serial.held == Some(tag);
        }
        self.fill_next(at);
    }

    /// Reads what the next part lacks; after the last one the task takes commands again.
    pub(super) fn fill_next(&mut self, at: Instant) {
        while let Some(rest) = self
            .mechanisms
            .partial_writes
            .as_mut()
            .and_then(|units| units.serial.next())
        {
            let slot = self.free_slot();
            let (left, unit, tag) = match rest {
                Rest::Unit { unit, tag } => (self.read_unit(at, unit, slot), Some(unit), tag),
                Rest::Page(page) => (self.read_old(at, page, 1, slot), None, None),
            };
            if left > 0 {
                self.await_reading(slot, unit, left, tag);
                if let Some(units) = &mut self.mechanisms.partial_writes {
                    units.serial.reading = Some(slot);
                }
                return;
            }
            if let Some(unit) = unit {
                self.place_unit(at, unit);
                self.begin_flushes(at);
            }
            self.merged(at, tag);
        }
        self.take_commands(at);
    }

    fn take_commands(&mut self, at: Instant) {
        loop {
            let Some(units) = &mut self.mechanisms.partial_writes else {
                return;
            };
            let serial = &mut units.serial;
            if serial.reading.is_some() || (serial.is_held() && !serial.came) {
                return;
            }
            (serial.held, serial.came) = (None, false);
            let Some(tag) = serial.waiting.pop_front() else {
                return;
            };
            let io = self.waiting_io(tag);
            let capacity = self.p.capacity.get();
            let units = self.mechanisms.partial_writes.as_mut();
            let waits = units.is_some_and(|units| units.must_wait(tag, &io, capacity));
            debug_assert!(!waits, "the task is free");
            self.dispatch(at, tag, &io);
        }
    }

    /// A command that waited, as it came.
    fn waiting_io(&self, tag: u32) -> Io {
        let request = &self.front.requests[tag as usize];
        Io {
            op: request.op,
            offset: Bytes::new(request.at),
            len: Bytes::new(request.end - request.at),
            fill: request.fill,
            stamp: 0, // a drive sees no contents
            durable: request.durable,
            zone: None, // what is in front of the drive has placed it
        }
    }
}
