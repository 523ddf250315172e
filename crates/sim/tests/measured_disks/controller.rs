//! A SCSI controller that takes one command at a time, as disks did before command queuing.
//!
//! All of a command's way follows from the time at which it comes. A read whose first block is in the buffer
//! is sent at once; one that is not lets go of the bus until the medium delivers, and each block then goes as
//! soon as it is there. The disk reads ahead after a read; a command that this does not serve stops it, and
//! pays for what has to be finished. A *fast write* ends when its data are in the buffer; while it goes to the
//! medium everything else waits, except a write that continues where it ends. With *look behind*, a head that
//! lands behind the wanted sector keeps the track up to it; with *zero latency*, sectors are taken as they pass.

use sim::hdd::geometry::{Geometry, PhysicalAddress};
use sim::hdd::rare::Rare;
use sim::hdd::track_pass::{Mechanics, TrackPass};

use super::buffer::{Buffer, Found};

/// Nanoseconds of the controller's own work, after a read and after a write.
#[derive(Clone, Copy)]
pub(crate) struct After {
    pub(crate) read_ns: u64,
    pub(crate) write_ns: u64,
}

/// What such a controller does.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) read_block_ns: u64,
    pub(crate) write_block_ns: u64,
    /// The bus is kept when the buffer has run dry in a read.
    pub(crate) hold_bus: bool,
    /// The bus is taken for a read when all of it (or a segment) is in the buffer, not when a block is.
    pub(crate) wait_for_all: bool,
    pub(crate) read_hit: After,
    pub(crate) read_miss: After,
    pub(crate) write: After,
    pub(crate) read_completion_ns: u64,
    pub(crate) write_completion_ns: u64,
    /// Blocks that are read ahead, or to the end of a track: of the block after the request, one later where
    /// the host reads in order.
    pub(crate) ahead_blocks: Option<u64>,
    pub(crate) ahead_on_idle_hit: bool,
    pub(crate) stop_in_sector: bool,
    pub(crate) look_behind: bool,
    pub(crate) zero_latency: bool,
    pub(crate) zero_latency_write: bool,
    pub(crate) fast_write: bool,
    /// Writes have a segment of their own, in which no read looks.
    pub(crate) write_segment: bool,
    pub(crate) hits_on_written: bool,
}

/// Reading on into a segment, up to a block.
#[derive(Clone, Copy)]
pub(crate) struct Ahead {
    segment: usize,
    limit: u64,
}

pub(crate) struct Controller {
    pub(crate) mechanics: Mechanics,
    pub(crate) rules: Rules,
    pub(crate) rare: Rare,
    pub(crate) pass: TrackPass,
    pub(crate) buffer: Buffer,
    pub(crate) ahead: Option<Ahead>,
    /// The last command was a write.
    pub(crate) after_write: bool,
    /// The last write: its blocks, and when they are all on the medium.
    pub(crate) written: (u64, u64),
    pub(crate) written_at: u64,
    /// Until then the arm moves to where it reads ahead.
    pub(crate) moving_until: u64,
}

impl Controller {
    fn overhead(&self, of: After) -> u64 {
        if self.after_write {
            of.write_ns
        } else {
            of.read_ns
        }
    }

    fn geometry(&self) -> &Geometry {
        &self.mechanics.geometry
    }

    fn pba_end(&self, end: u64) -> u64 {
        self.geometry().pba_of(end - 1) + 1
    }

    fn place_of(&self, block: u64) -> (u64, PhysicalAddress) {
        let pba = self.geometry().pba_of(block);
        (pba, self.geometry().place(pba))
    }

    /// A read comes; gives its end.
    pub(crate) fn read(&mut self, now: u64, (start, end): (u64, u64)) -> u64 {
        let now = now.max(self.written_at);
        let stream = self.stream(now);
        let sent = match self.buffer.find(start, end) {
            Found::Whole(segment) => self.send_hit(now, (start, end), segment, stream),
            Found::Front(segment) => self.send_front(now, (start, end), segment, stream),
            Found::Nothing => self.send_miss(now, (start, end), stream),
        };
        self.after_write = false;
        sent + self.rules.read_completion_ns
    }

    fn send_hit(
        &mut self,
        now: u64,
        (start, end): (u64, u64),
        segment: usize,
        stream: Option<usize>,
    ) -> u64 {
        self.buffer.touch(segment);
        let follows = stream == Some(segment);
        let free = if follows { now } else { self.stop_stream(now) };
        let from = free + self.overhead(self.rules.read_hit);
        if follows {
            self.read_on_from(segment, end);
        } else if stream.is_none() && self.rules.ahead_on_idle_hit {
            self.resume(segment, end, from);
        }
        self.send(&vec![now; (end - start) as usize], from, true)
    }

    /// Its first blocks are in the buffer, and reading continues behind them.
    fn send_front(
        &mut self,
        now: u64,
        (start, end): (u64, u64),
        segment: usize,
        stream: Option<usize>,
    ) -> u64 {
        let in_buffer = self.buffer.segment(segment).end;
        if stream == Some(segment) {
            self.buffer.touch(segment);
        } else {
            let arm_from = self.stop_stream(now) + self.overhead(self.rules.read_miss);
            self.buffer.touch(segment);
            self.go_reading(in_buffer, arm_from);
        }
        let mut arrivals = vec![now; (in_buffer - start) as usize];
        self.gather((in_buffer, end), &mut arrivals);
        self.read_on_from(segment, end);
        let from = now + self.overhead(self.rules.read_hit);
        self.send(&arrivals, from, true)
    }

    fn send_miss(&mut self, now: u64, (start, end): (u64, u64), streamed: Option<usize>) -> u64 {
        let arm_from = self.stop_stream(now) + self.overhead(self.rules.read_miss);
        let (first, missed) = self.go_reading(start, arm_from);
        let segment = self.buffer.take(first, streamed);
        let mut arrivals = Vec::new();
        let track_end = self.pass.end_of_run();
        self.gather((start, end), &mut arrivals);
        let on_one_track = self.pba_end(end) <= track_end;
        if self.rules.zero_latency && on_one_track && missed > 0 && missed < arrivals.len() {
            // The sectors behind the missed ones passed before them, and wait for them.
            let last_missed = arrivals[missed - 1];
            arrivals[missed..].fill(last_missed);
        }
        self.buffer.grow(segment, start);
        self.read_on_from(segment, end);
        self.send(&arrivals, arm_from, false)
    }

    /// Sends the blocks that arrive in the buffer at these times, in order; gives the end. `held`: the bus is
    /// there from `from` on, else it is taken from then on at the earliest.
    fn send(&self, arrivals: &[u64], from: u64, held: bool) -> u64 {
        let mark = if self.rules.wait_for_all {
            arrivals.len().min(self.buffer.size as usize)
        } else {
            1
        };
        let (mut now, mut connected, mut sent) = (from, held, 0);
        while sent < arrivals.len() {
            if !connected {
                let wanted = mark.min(arrivals.len() - sent);
                now = now.max(arrivals[sent + wanted - 1]);
                connected = true;
            }
            if arrivals[sent] > now && !self.rules.hold_bus {
                connected = false;
                continue;
            }
            now = now.max(arrivals[sent]) + self.rules.read_block_ns;
            sent += 1;
        }
        now
    }

    /// Moves to a block; gives the first block that is kept, and how many sectors from the wanted one on had
    /// passed before the head was there.
    fn go_reading(&mut self, block: u64, from: u64) -> (u64, usize) {
        let (pba, place) = self.place_of(block);
        let (pass, landing) = self.pass.go(&self.mechanics, from, pba, &place, false);
        self.pass = pass;
        let missed = landing.sector.saturating_sub(landing.wanted);
        let first = if self.rules.look_behind && missed > 0 {
            let first = self.geometry().pbas_of(&place.track).0;
            self.geometry().block_at(first).min(block)
        } else {
            block
        };
        (first, missed as usize)
    }

    /// When each of the blocks has passed under the head, after those that are there already.
    fn gather(&mut self, (start, end): (u64, u64), arrivals: &mut Vec<u64>) {
        let m = &self.mechanics;
        for block in start..end {
            let pba = m.geometry.pba_of(block);
            arrivals.push(self.pass.advance(m, &mut self.rare, pba + 1));
        }
    }

    /// Where reading ahead ends after a request that ends at `end`, into a segment that begins at `first`.
    fn limit(&self, first: u64, end: u64) -> u64 {
        let geometry = self.geometry();
        let track_of = |block: u64| geometry.home(geometry.pba_of(block)).track;
        let limit = match self.rules.ahead_blocks {
            Some(blocks) => end + blocks,
            None if end >= geometry.blocks() => end,
            None => {
                let track = track_of(end);
                let in_order = first < end && track_of(first).number != track.number;
                let next = geometry.next_track(&track).filter(|_| in_order);
                geometry.block_at(geometry.pbas_of(&next.unwrap_or(track)).1)
            }
        };
        limit.clamp(end, geometry.blocks().max(end))
    }

    /// The segment holds all up to the request's end, and reading continues in it.
    fn read_on_from(&mut self, segment: usize, end: u64) {
        self.buffer.grow(segment, end);
        let held = self.buffer.segment(segment);
        let limit = self.limit(held.start, end);
        self.ahead = (limit > held.end).then_some(Ahead { segment, limit });
    }

    /// Reading ahead continues in a segment after a rest.
    fn resume(&mut self, segment: usize, end: u64, from: u64) {
        let held = self.buffer.segment(segment);
        let limit = self.limit(held.start, end);
        if limit <= held.end {
            return;
        }
        let (pba, place) = self.place_of(held.end);
        let (pass, landing) = self.pass.go(&self.mechanics, from, pba, &place, false);
        self.pass = pass;
        self.moving_until = landing.ready;
        self.ahead = Some(Ahead { segment, limit });
    }

    /// The segment that is being read into, looked at now.
    fn stream(&mut self, now: u64) -> Option<usize> {
        let ahead = self.ahead?;
        let limit = self.pba_end(ahead.limit);
        self.pass.pass(&self.mechanics, &mut self.rare, now, limit);
        let reached = self.geometry().block_at(self.pass.pba);
        self.buffer.grow(ahead.segment, reached);
        if self.pass.pba >= limit {
            self.ahead = None;
        }
        self.ahead.map(|ahead| ahead.segment)
    }

    /// Stops reading ahead; gives the time from which the arm is free.
    fn stop_stream(&mut self, now: u64) -> u64 {
        let Some(ahead) = self.ahead.take() else {
            return now;
        };
        if now < self.moving_until {
            return self.moving_until;
        }
        let free = self.halt(now, self.pba_end(ahead.limit));
        let reached = self.geometry().block_at(self.pass.pba);
        self.buffer.grow(ahead.segment, reached);
        free
    }

    /// The arm leaves off at `now`; gives the time from which it is free. A change of track is always finished,
    /// the sector under way, or the wait for it, where the disk does not stop inside a sector.
    fn halt(&mut self, now: u64, limit: u64) -> u64 {
        let m = &self.mechanics;
        self.pass.pass(m, &mut self.rare, now, limit);
        if self.pass.pba >= limit {
            return now;
        }
        if self.pass.pba == self.pass.end_of_run() {
            return match self.pass.change_track(m) {
                None => now,
                Some(ready) if now < ready || self.rules.stop_in_sector => ready.max(now),
                Some(_) => self.pass.at.max(now),
            };
        }
        if self.rules.stop_in_sector {
            now
        } else if self.pass.at > now {
            self.pass.at
        } else {
            let next = self.pass.pba + 1;
            self.pass.advance(m, &mut self.rare, next)
        }
    }

    /// A write comes; gives its end.
    pub(crate) fn write(&mut self, now: u64, (start, end): (u64, u64)) -> u64 {
        let rules = self.rules;
        let joins = rules.fast_write && self.written_at > now && self.written.1 == start;
        let now = if joins { now } else { now.max(self.written_at) };
        self.stream(now);
        let free = self.stop_stream(now);
        let first = if joins { self.written.0 } else { start };
        if rules.write_segment {
            self.buffer.empty_overlapping(start, end);
        } else {
            self.buffer
                .take_for_write(first, end, rules.hits_on_written);
        }
        let from = free + self.overhead(rules.write);
        let missed = if joins {
            0
        } else {
            let (pba, place) = self.place_of(start);
            let (pass, landing) = self.pass.go(&self.mechanics, from, pba, &place, true);
            self.pass = pass;
            u64::from(landing.sector.saturating_sub(landing.wanted))
        };
        let began = self.pass;
        let mut on_medium = self.put_down((start, end), from);
        if rules.zero_latency_write {
            on_medium -= self.passed_early(&began, (start, end), missed, from);
        }
        self.written = (first, end);
        self.written_at = on_medium;
        self.after_write = true;
        let in_buffer = from + (end - start) * rules.write_block_ns;
        let done = if rules.fast_write {
            in_buffer
        } else {
            in_buffer.max(on_medium)
        };
        done + rules.write_completion_ns
    }

    /// Writes the blocks, which arrive one after the other from `bus_from` on; gives the end. Where a block is
    /// not there when its sector comes, a revolution is lost.
    fn put_down(&mut self, (start, end): (u64, u64), bus_from: u64) -> u64 {
        let m = &self.mechanics;
        for block in start..end {
            let there = bus_from + (block - start + 1) * self.rules.write_block_ns;
            let pba = m.geometry.pba_of(block);
            self.pass.advance(m, &mut self.rare, pba);
            if self.pass.pba == self.pass.end_of_run() {
                self.pass.change_track(m);
            }
            while self.pass.at < there {
                self.pass.hold(m, 1);
            }
            self.pass.advance(m, &mut self.rare, pba + 1);
        }
        self.pass.at
    }

    /// What is gained where the sectors behind the missed ones were written before them: the time of those
    /// sectors. Nothing unless all are on one track and their data were there in time.
    fn passed_early(
        &self,
        began: &TrackPass,
        (start, end): (u64, u64),
        missed: u64,
        bus_from: u64,
    ) -> u64 {
        let m = &self.mechanics;
        let sectors = self.pba_end(end) - began.pba;
        let one_track = self.pba_end(end) <= began.end_of_run();
        if missed == 0 || missed >= sectors || !one_track {
            return 0;
        }
        let sector = m.geometry.tracks()[began.track.zone as usize].sector;
        let early = m.spindle.time_for_sectors(sectors - missed, sector);
        let landed = (began.at + m.spindle.time_for_sectors(missed, sector))
            .saturating_sub(m.spindle.revolutions(1));
        let all_there = bus_from + (end - start) * self.rules.write_block_ns <= landed;
        if all_there { early } else { 0 }
    }
}
