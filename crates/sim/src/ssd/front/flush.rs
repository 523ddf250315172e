//! Flushes: the programs that each waits for, and the data that it saves.
//!
//! A flush waits for the programs that were sent before it. Data that do not fill a group yet are
//! saved by programs of one bit a cell in the drive's journal, as nothing else makes them safe
//! without wasting the rest of the group. The journal takes a superblock like any other stream; what
//! it holds is programmed in its own place later, so that one that is full is free as soon as it is
//! in the flash, and is erased when it is opened again.
//!
//! A write that is to be durable when it is acknowledged (FUA) is a write with a flush behind it: its
//! data are laid out among all others, so that what lies before them is saved with them. Many drives
//! do the same.
//!
//! Where capacitors keep the buffer (parameter `buffer.protected`), what was acknowledged is safe
//! already, and a flush is no more than a command.

use std::collections::VecDeque;

use base::time::Instant;

use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::{NONE, Ppn};
use crate::ssd::ftl::partial_write::PartialWrites;
use crate::ssd::ftl::stream::Stream;

/// Flushes, and what each waits for.
#[derive(Debug, Default)]
pub(in crate::ssd) struct Flushes {
    epochs: VecDeque<Epoch>,
    /// Number of the first epoch that is kept.
    first: u32,
    /// Pages in groups that are not complete, not saved by an earlier flush.
    unsaved: u64,
    /// Flushes that wait for units that are being merged, or that found no room yet.
    held: VecDeque<Held>,
}

/// Programs between two flushes.
#[derive(Clone, Copy, Debug, Default)]
struct Epoch {
    outstanding: u32,
    flush: Option<Flush>,
}

/// A flush that has not begun: its number, and the merges that it waits for.
#[derive(Clone, Copy, Debug)]
struct Held {
    tag: u32,
    number: u64,
    merges: u64,
}

/// A flush, and what it saves of the superblocks that the host has open: number and place of each.
#[derive(Clone, Copy, Debug)]
struct Flush {
    tag: u32,
    number: u64,
    saves: [Option<(u32, u32)>; 2],
    /// Superblocks opened when it began.
    opened: u32,
}

impl Flush {
    /// Whether it waits for a page of a superblock that was opened at a turn.
    fn covers(&self, superblock: u32, turn: u32, place: u32) -> bool {
        let open = self
            .saves
            .iter()
            .flatten()
            .find(|(open, _)| *open == superblock);
        turn <= self.opened && open.is_none_or(|(_, before)| place < *before)
    }
}

impl Flushes {
    /// Pages of the host have places in groups that may not be complete yet.
    pub(in crate::ssd) fn placed(&mut self, pages: u32) {
        self.unsaved += u64::from(pages);
    }

    /// A group of pages is complete.
    pub(in crate::ssd) fn completed(&mut self, pages: u32) {
        self.unsaved = self.unsaved.saturating_sub(u64::from(pages));
    }

    /// A program is sent; gives the epoch that it belongs to.
    pub(in crate::ssd) fn sent(&mut self) -> u32 {
        if self.epochs.is_empty() {
            self.epochs.push_back(Epoch::default());
        }
        let last = self.epochs.len() - 1;
        self.epochs[last].outstanding += 1;
        self.first.wrapping_add(last as u32)
    }

    /// A program of an epoch has ended.
    pub(in crate::ssd) fn ended(&mut self, epoch: u32) {
        self.epochs[epoch.wrapping_sub(self.first) as usize].outstanding -= 1;
    }

    /// A flush that waits for all that was sent so far.
    fn wait(&mut self, flush: Flush) {
        if self.epochs.is_empty() {
            self.epochs.push_back(Epoch::default());
        }
        let last = self.epochs.len() - 1;
        self.epochs[last].flush = Some(flush);
        self.epochs.push_back(Epoch::default());
    }

    /// The next flush that has nothing more to wait for.
    fn satisfied(&mut self) -> Option<Flush> {
        let front = self.epochs.front()?;
        let flush = front.flush?;
        if front.outstanding > 0 {
            return None;
        }
        self.epochs.pop_front();
        self.first = self.first.wrapping_add(1);
        Some(flush)
    }
}

impl Drive {
    /// A flush has passed the controller.
    pub(in crate::ssd) fn flush(&mut self, at: Instant, tag: u32) {
        let partial_writes = self.mechanisms.partial_writes.as_ref();
        let merges = partial_writes.map_or(0, PartialWrites::merges);
        let number = self.write_cache.volatile.flush_came();
        if self.p.protected {
            self.write_cache.volatile.flush_ended(number);
            return self.status(at, tag);
        }
        self.write_cache.flushes.held.push_back(Held {
            tag,
            number,
            merges,
        });
        self.begin_flushes(at);
    }

    /// Begins the flushes that were held back, once all that came before them has its place.
    pub(in crate::ssd) fn begin_flushes(&mut self, at: Instant) {
        while let Some(&held) = self.write_cache.flushes.held.front() {
            if !self.settle_all(at, held.number) || self.merges_before(held.merges) {
                return;
            }
            if !self.may_save() {
                return self.pump(at);
            }
            self.write_cache.flushes.held.pop_front();
            self.save_tail(at);
            let saves = [Stream::Host, Stream::Slc].map(|stream| {
                let open = self.ftl.pool.open(stream)?;
                Some((open, self.ftl.pool.block(open).written))
            });
            let opened = self.ftl.pool.opened();
            self.write_cache.flushes.wait(Flush {
                tag: held.tag,
                number: held.number,
                saves,
                opened,
            });
            self.end_flushes(at);
        }
    }

    /// The number of the flush that waits for a page, if one does.
    pub(in crate::ssd) fn flush_of(&self, ppn: Ppn) -> Option<u64> {
        let (superblock, place) = self.ftl.layout.place(ppn);
        let turn = self.ftl.pool.block(superblock).turn;
        let mut flushes = self
            .write_cache
            .flushes
            .epochs
            .iter()
            .filter_map(|epoch| epoch.flush);
        let found = flushes.find(|flush| flush.covers(superblock, turn, place));
        let held = self.first_held();
        found.map(|flush| flush.number).or(held)
    }

    /// The number of the first flush that has not begun.
    pub(in crate::ssd) fn first_held(&self) -> Option<u64> {
        self.write_cache
            .flushes
            .held
            .front()
            .map(|held| held.number)
    }

    /// Units of what fills no group yet.
    fn unsaved_units(&self) -> u32 {
        let unit = u64::from(self.ftl.layout.geometry().unit_pages());
        self.write_cache.flushes.unsaved.div_ceil(unit) as u32
    }

    /// Whether the journal has room for what a flush would save now.
    fn may_save(&self) -> bool {
        let pages = self.unsaved_units() * self.ftl.layout.geometry().unit_pages();
        pages == 0 || self.ftl.pool.may_journal(pages)
    }

    /// Saves what fills no group yet.
    fn save_tail(&mut self, at: Instant) {
        let units = self.unsaved_units();
        self.write_cache.flushes.unsaved = 0;
        for _ in 0..units {
            self.journal(at);
        }
    }

    /// Programs a unit of the journal.
    pub(in crate::ssd) fn journal(&mut self, at: Instant) {
        let unit = self.ftl.layout.geometry().unit_pages();
        let Some(placed) = self.ftl.place(Stream::Journal, NONE, unit) else {
            return;
        };
        self.account.padding += u64::from(placed.count);
        if let Some(group) = placed.completed {
            self.send(at, group, Stream::Journal, true);
        }
    }

    /// Completes the flushes that have nothing more to wait for.
    pub(in crate::ssd) fn end_flushes(&mut self, at: Instant) {
        while let Some(flush) = self.write_cache.flushes.satisfied() {
            for (superblock, place) in flush.saves.into_iter().flatten() {
                self.ftl.save(superblock, place);
            }
            self.write_cache.volatile.flush_ended(flush.number);
            self.status(at, flush.tag);
        }
    }
}
