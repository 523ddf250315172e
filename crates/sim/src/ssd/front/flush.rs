//! Flushes: the data that each saves, the map that is saved behind them, and the next that waits.
//!
//! A flush waits for the programs that were sent before it. Data that do not fill a group yet are
//! saved by programs of one bit a cell in the drive's journal, as nothing else makes them safe
//! without wasting the rest of the group. The journal takes a superblock like any other stream; what
//! it holds is programmed in its own place later, so that one that is full is free as soon as it is
//! in the flash, and is erased when it is opened again.
//!
//! Data that no map leads to are lost. So once they are in the flash, pages of the map or of its journal
//! are programmed, one after the other, each prepared by the firmware ([`FlushRules`]): this is most of
//! a flush on a client drive, 1 ms in the median of 18 drives of which the time of a commit is
//! published, 0.67 to 2.6 ms for eight in ten, where a program of one bit a cell takes 0.2 ms. Drives
//! that save the map with every second flush alternate between two times.
//!
//! On a die what a flush waits for takes turns with what the drive moves on its own behalf: it waits for
//! the program that runs, and not for all that collection has in the buffer.
//!
//! One flush runs at a time. Those that come meanwhile wait, and share the next one. So two writers
//! that commit in turns are hardly faster than one, and sixteen share one flush among eight.
//!
//! A write that is to be durable when it is acknowledged (FUA) is a write with a save of its own behind
//! it: its data are laid out among all others, so that what lies before them is saved with them. Its data
//! are programmed at once, beside those of others; its map pages wait for their turn, and are shared
//! with nobody. So several writers are faster than one until the map is what they wait for. A flush
//! behind a durable write saves the map again. Two drives show it: for one writer they complete 384 and
//! 456 such pairs a second, for two writers twice as many, for five no more than for two. So a durable
//! write and the flush behind it take about as long as each other, and overlap with another writer's.
//!
//! Where the cache is switched off, each write is saved like that, with as many map pages as a flush has.
//!
//! Where capacitors keep the buffer (parameter `buffer.protected`), what was acknowledged is safe
//! already, and a flush is the firmware's own time.
//!
//! Sources: published commits of one to sixteen writers (github.com/d-uzlov/k8s-homelab, test-fsync;
//! the table of ceph-diskbench, of which a Samsung PM981 and a 970 PRO are the pairs above); durable
//! writes and flushes of one drive side by side (pg_test_fsync on a Samsung 990 PRO: 250 and 609 a
//! second).

use std::collections::VecDeque;

use base::time::{Duration, Instant};

use crate::sheet::quantity::{Count, Microseconds};
use crate::sheet::table::parameters;
use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::{Group, NONE, Ppn};
use crate::ssd::ftl::partial_write::PartialWrites;
use crate::ssd::ftl::stream::Stream;
use crate::ssd::operations::{IDLE, Op, Stage};

parameters! {
    /// What a flush takes beyond the programs of the data that it saves.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub FlushRules from FlushConfig + Default ["flush"] {
        /// Map pages that are programmed for a flush, one after the other, once its data are in the flash.
        map_programs "map_programs": Count("pages") in 0..=32, or 0;
        /// The map is saved with one of so many flushes.
        map_every "map_every": Count("flushes") in 1..=10_000, or 1;
        /// As `map_programs`, for a write that is durable by itself (FUA).
        durable_map_programs "durable_map_programs": Count("pages") in 0..=32, or 0;
        /// Firmware time before each map page; of the whole flush where capacitors keep the map.
        busy "busy_us": Microseconds in 0.0..=10_000.0, or Duration::ZERO;
    }
}

/// Flushes, and what each waits for.
#[derive(Debug, Default)]
pub(in crate::ssd) struct Flushes {
    epochs: VecDeque<Epoch>,
    /// Number of the first epoch that is kept.
    first: u32,
    /// Pages in groups that are not complete, not saved by an earlier flush.
    unsaved: u64,
    /// Something was written that no flush has covered yet.
    dirty: bool,
    /// Flushes that have not begun: others run, or what they wait for is being merged, or there is no room.
    held: VecDeque<Held>,
    /// The first of them could begin, but for what is being merged or for room.
    blocked: bool,
    /// Commands of the flushes that have begun, in order.
    begun: VecDeque<u32>,
    /// Flushes whose data are safe, in order; the map of the first is being saved.
    mapping: VecDeque<Flush>,
    /// How far it is with that.
    step: Step,
    /// Flushes since the map was saved.
    unmapped: u32,
}

/// Programs between two flushes.
#[derive(Clone, Copy, Debug, Default)]
struct Epoch {
    outstanding: u32,
    flush: Option<Flush>,
}

/// What the first flush whose data are safe is about.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Step {
    #[default]
    Nothing,
    /// The firmware prepares its next map page.
    Firmware,
    /// There is no room for the map page.
    NoRoom,
    /// The map page is being programmed.
    Program(Group),
}

/// A flush that has not begun: its command, its number, and the merges that it waits for.
#[derive(Clone, Copy, Debug)]
struct Held {
    tag: u32,
    number: u64,
    merges: u64,
    /// It belongs to a durable write, and is shared with nobody.
    alone: bool,
}

/// A flush, and what it saves of the superblocks that the host has open: number and place of each.
#[derive(Clone, Copy, Debug)]
struct Flush {
    /// Commands that it answers.
    commands: u32,
    /// The number of the last of them.
    number: u64,
    saves: [Option<(u32, u32)>; 2],
    /// Superblocks opened when it began.
    opened: u32,
    /// Steps that are left of it once its data are safe: map pages, or the firmware's own time alone.
    steps: u32,
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
        self.dirty = true;
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

    /// Whether a flush waits for this program of the drive's own.
    pub(in crate::ssd) fn awaits(&self, op: &Op) -> bool {
        op.stream == Stream::Journal && (self.any_waits() || self.step == Step::Program(op.group()))
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

    /// The first flush that has not begun, where it may: one of a durable write begins beside others.
    fn next_held(&mut self) -> Option<Held> {
        self.blocked = false;
        let first = *self.held.front()?;
        if first.alone {
            return Some(first);
        }
        if !self.begun.is_empty() {
            return None;
        }
        // It is as good as the last one that shares it.
        let shared = self.held.iter().take_while(|held| !held.alone);
        shared.last().copied()
    }

    /// The flush that was found by [`Flushes::next_held`] begins; gives how many commands it answers.
    fn take_held(&mut self, alone: bool) -> u32 {
        let mut commands = 0;
        while let Some(held) = self.held.front()
            && held.alone == alone
            && !(alone && commands > 0)
        {
            self.begun.push_back(held.tag);
            self.held.pop_front();
            commands += 1;
        }
        commands
    }

    /// Whether one has begun that waits for programs: another epoch follows it.
    #[inline]
    fn any_waits(&self) -> bool {
        self.epochs.len() > 1
    }

    /// Whether one waits that has not begun, or whose map page finds no room.
    #[inline]
    fn any_held(&self) -> bool {
        !self.held.is_empty() || self.step == Step::NoRoom
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
    /// A flush has passed the controller, or the data of a durable write have their places.
    pub(in crate::ssd) fn flush(&mut self, at: Instant, tag: u32) {
        let partial_writes = self.mechanisms.partial_writes.as_ref();
        let merges = partial_writes.map_or(0, PartialWrites::merges);
        let number = self.write_cache.volatile.flush_came();
        let alone = self.front.requests[tag as usize].durable;
        if self.p.protected && (alone || self.p.flush.busy.is_zero()) {
            self.write_cache.volatile.flush_ended(number);
            return self.status(at, tag);
        }
        self.write_cache.flushes.held.push_back(Held {
            tag,
            number,
            merges,
            alone,
        });
        self.begin_flushes(at);
    }

    /// Begins the flushes that were held back, once all that came before them has its place: one at a time, and with
    /// it all that came in a row.
    #[inline]
    pub(in crate::ssd) fn begin_flushes(&mut self, at: Instant) {
        if self.write_cache.flushes.any_held() {
            self.begin_held(at);
        }
    }

    fn begin_held(&mut self, at: Instant) {
        if self.write_cache.flushes.step == Step::NoRoom {
            self.flush_step(at);
        }
        while let Some(held) = self.write_cache.flushes.next_held() {
            let ready = self.settle_all(at, held.number) && !self.merges_before(held.merges);
            self.write_cache.flushes.blocked = !ready || !self.may_save();
            if self.write_cache.flushes.blocked {
                if ready {
                    self.pump(at);
                }
                return;
            }
            self.begin_flush(at, &held);
            self.end_flushes(at);
        }
    }

    /// Saves what fills no group yet, and waits for that and for all that was sent before.
    fn begin_flush(&mut self, at: Instant, held: &Held) {
        let steps = self.steps_of(held);
        if !self.p.protected {
            self.save_tail(at);
        }
        let saves = [Stream::Host, Stream::Slc].map(|stream| {
            let open = self.ftl.pool.open(stream)?;
            Some((open, self.ftl.pool.block(open).written))
        });
        let opened = self.ftl.pool.opened();
        let waits = !self.p.protected;
        let flushes = &mut self.write_cache.flushes;
        let commands = flushes.take_held(held.alone);
        let flush = Flush {
            commands,
            number: held.number,
            saves,
            opened,
            steps,
        };
        match waits {
            true => flushes.wait(flush),
            false => flushes.mapping.push_back(flush),
        }
        self.next_flush_step(at);
    }

    /// What a flush takes once its data are safe: nothing where nothing was written since the last flush.
    /// What a durable write saves does not count as one.
    fn steps_of(&mut self, held: &Held) -> u32 {
        let rules = self.p.flush;
        let flushes = &mut self.write_cache.flushes;
        if self.p.protected {
            return 1;
        }
        if held.alone && !self.p.writes_through() {
            return rules.durable_map_programs;
        }
        if !std::mem::replace(&mut flushes.dirty, false) {
            return 0;
        }
        flushes.unmapped += 1;
        if flushes.unmapped < rules.map_every {
            return 0;
        }
        flushes.unmapped = 0;
        rules.map_programs
    }

    /// The first flush whose data are safe goes on: with the firmware's time before its next map page, or to its end.
    fn next_flush_step(&mut self, at: Instant) {
        while self.write_cache.flushes.step == Step::Nothing
            && let Some(flush) = self.write_cache.flushes.mapping.front()
        {
            if flush.steps == 0 {
                self.end_flush(at);
                continue;
            }
            self.write_cache.flushes.step = Step::Firmware;
            let firmware = Op {
                stage: Stage::FlushStep,
                ..IDLE
            };
            self.begin_at(firmware, at + self.p.flush.busy);
        }
    }

    /// The firmware's time for a flush, or for one of its map pages, is over.
    pub(in crate::ssd) fn flush_step(&mut self, at: Instant) {
        let unit = self.ftl.layout.unit_pages();
        let program = match self.p.protected {
            true => None,
            false if !self.ftl.pool.may_journal(unit) => {
                self.write_cache.flushes.step = Step::NoRoom;
                return self.pump(at);
            }
            false => self.journal(at),
        };
        let flushes = &mut self.write_cache.flushes;
        flushes.step = program.map_or(Step::Nothing, Step::Program);
        if let Some(flush) = flushes.mapping.front_mut() {
            flush.steps -= 1;
        }
        self.next_flush_step(at);
    }

    /// A program of the journal has ended: it may be the map page that a flush waits for.
    pub(in crate::ssd) fn map_page_ended(&mut self, at: Instant, group: &Group) {
        if self.write_cache.flushes.step == Step::Program(*group) {
            self.write_cache.flushes.step = Step::Nothing;
            self.next_flush_step(at);
        }
    }

    /// The first flush whose data are safe has nothing more to do: its commands are answered.
    fn end_flush(&mut self, at: Instant) {
        let Some(flush) = self.write_cache.flushes.mapping.pop_front() else {
            return;
        };
        self.write_cache.volatile.flush_ended(flush.number);
        for _ in 0..flush.commands {
            if let Some(tag) = self.write_cache.flushes.begun.pop_front() {
                self.status(at, tag);
            }
        }
        self.begin_flushes(at);
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

    /// The number of the flush that could begin but for what is being merged or for room.
    #[inline]
    pub(in crate::ssd) fn blocked_flush(&self) -> Option<u64> {
        (self.any_blocked_flush()).then(|| self.first_held().unwrap_or_default())
    }

    /// Whether a flush could begin but for that.
    #[inline]
    pub(in crate::ssd) fn any_blocked_flush(&self) -> bool {
        let flushes = &self.write_cache.flushes;
        flushes.blocked || flushes.step == Step::NoRoom
    }

    /// The number of the first flush that has not begun.
    fn first_held(&self) -> Option<u64> {
        self.write_cache
            .flushes
            .held
            .front()
            .map(|held| held.number)
    }

    /// Units of what fills no group yet.
    fn unsaved_units(&self) -> u32 {
        let unit = u64::from(self.ftl.layout.unit_pages());
        self.write_cache.flushes.unsaved.div_ceil(unit) as u32
    }

    /// Whether the journal has room for what a flush would save now.
    fn may_save(&self) -> bool {
        let pages = self.unsaved_units() * self.ftl.layout.unit_pages();
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

    /// Programs a unit of the journal; gives the group that it is.
    pub(in crate::ssd) fn journal(&mut self, at: Instant) -> Option<Group> {
        let unit = self.ftl.layout.unit_pages();
        let placed = self.ftl.place(Stream::Journal, NONE, unit)?;
        self.account.padding += u64::from(placed.count);
        let group = placed.completed?;
        self.send(at, group, Stream::Journal, true);
        Some(group)
    }

    /// The data of the flushes that have nothing more to wait for are safe.
    #[inline]
    pub(in crate::ssd) fn end_flushes(&mut self, at: Instant) {
        if self.write_cache.flushes.any_waits() {
            self.end_satisfied(at);
        }
    }

    fn end_satisfied(&mut self, at: Instant) {
        while let Some(flush) = self.write_cache.flushes.satisfied() {
            for (superblock, place) in flush.saves.into_iter().flatten() {
                self.ftl.save(superblock, place);
            }
            self.write_cache.flushes.mapping.push_back(flush);
            self.next_flush_step(at);
        }
    }
}
