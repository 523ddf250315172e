//! Reads: from the buffer, from the pass that is under way, or from the medium; and reading ahead.
//!
//! After a read the head simply stays and reads on into the same segment, up to a limit beyond what
//! the host has asked for. A host that reads sequentially is then served from the buffer, at the rate
//! of the medium. Reading ahead ends when something else needs the arm; the segment keeps what it
//! has. When it had reached its limit, it resumes as soon as the host has used up enough, at the
//! price of waiting for the sector to come round.
//!
//! With *zero latency*, an access whose first sector has just passed takes the later ones first and
//! the missed ones on the next revolution, so that a whole track never takes more than one
//! revolution. With *look behind*, the sectors that pass while the head waits for the wanted one
//! are kept, too.

use base::io::Op;
use base::target::Outcome;
use base::time::Duration;

use super::{Ahead, Hdd, Stage, Work};
use crate::event_log::Event;
use crate::hdd::queue::Waiting;
use crate::hdd::read_cache::Found;
use crate::hdd::track_pass::Landing;

impl Hdd {
    /// A read is decoded.
    pub(super) fn read(&mut self, tag: u32, now: u64) {
        let command = self.commands[tag as usize];
        let (start, end) = (command.start, command.end);
        if self.unwritten_covers(start, end) {
            return self.take_wire(tag, now);
        }
        if self.is_unmapped(start, end) {
            return self.take_wire(tag, now);
        }
        if self.unreadable.touches(start, end) {
            return self.wait_for_arm(tag, (start, end), None, now);
        }
        self.settle_ahead(now);
        if let Work::Ahead(ahead) = self.work
            && self.joins_stream(&ahead, tag, now)
        {
            return;
        }
        let (from, segment) = match self.reads.find(start, end) {
            Found::Whole(segment) => {
                self.note(now, Event::FromSegment);
                self.reads.touch(segment);
                self.take_wire(tag, now);
                self.read_on(segment, end, now);
                return;
            }
            Found::Front(segment) => (self.reads.segment(segment).end, Some(segment as u32)),
            Found::Nothing => (start, None),
        };
        self.wait_for_arm(tag, (from, end), segment, now);
    }

    /// Queues an access for the medium.
    pub(super) fn wait_for_arm(
        &mut self,
        tag: u32,
        (start, end): (u64, u64),
        segment: Option<u32>,
        now: u64,
    ) {
        let place = self.place_on_disc(start);
        self.queue.push(Waiting {
            tag,
            write: self.commands[tag as usize].op == Op::Write,
            start,
            end,
            segment,
            since: now,
            place,
        });
        self.pump(now);
    }

    /// Serves a read from the pass under way, where it lies in what that has read or is about to
    /// read and nobody else waits for the arm. False where it cannot.
    fn joins_stream(&mut self, ahead: &Ahead, tag: u32, now: u64) -> bool {
        let command = self.commands[tag as usize];
        let segment = self.reads.segment(ahead.segment);
        if command.start < segment.start {
            return false;
        }
        let inside = command.end <= segment.end;
        if !inside && (ahead.stopped || command.start > ahead.limit || self.awaited()) {
            return false;
        }
        if !inside && self.in_log(segment.end.min(command.start), command.end) {
            return false;
        }
        if !inside {
            let pba_end = self.pba_end(command.end);
            let at = self
                .pass
                .advance(&self.p.mechanics, &mut self.rare, pba_end);
            self.reads.grow(ahead.segment, command.end);
            self.busy = self.busy.max(at);
            self.last_host_work = self.busy;
        }
        self.reads.touch(ahead.segment);
        if self.pass.at > now && !ahead.stopped {
            let blocks = command.end - command.start;
            let ready = self.link.begin_before(self.pass.at, blocks);
            self.set(tag, Stage::Wire, ready.max(now));
        } else {
            self.take_wire(tag, now);
        }
        if ahead.stopped {
            self.read_on(ahead.segment, command.end, now);
        } else {
            let limit = self.ahead_limit(command.end);
            self.work = Work::Ahead(Ahead {
                limit: limit.max(ahead.limit),
                ..*ahead
            });
        }
        true
    }

    /// Where reading ahead ends behind a block: what a segment does not hold would push out what nobody has read yet.
    pub(super) fn ahead_limit(&self, end: u64) -> u64 {
        let cache = &self.p.read_cache;
        (end + cache.ahead_blocks.min(cache.segment_blocks))
            .min(self.p.blocks)
            .min(self.log_from(end))
    }

    /// Notices that reading ahead has come to its limit by now.
    pub(super) fn settle_ahead(&mut self, now: u64) {
        let Work::Ahead(ahead) = self.work else {
            return;
        };
        if ahead.stopped {
            return;
        }
        let limit = self.pba_end(ahead.limit);
        let least = self
            .p
            .mechanics
            .least_time(limit.saturating_sub(self.pass.pba));
        if self.pass.at + least > now {
            return;
        }
        let (mut pass, mut rare) = (self.pass, self.rare.clone());
        if pass.advance(&self.p.mechanics, &mut rare, limit) <= now {
            self.pass = pass;
            self.rare = rare;
            self.reads.grow(ahead.segment, ahead.limit);
            self.work = Work::Ahead(Ahead {
                stopped: true,
                ..ahead
            });
        }
    }

    /// The block that comes under the head next, where it is in the middle of reading on.
    pub(super) fn streaming(&mut self, now: u64) -> Option<u64> {
        let Work::Ahead(ahead) = self.work else {
            return None;
        };
        if ahead.stopped {
            return None;
        }
        let limit = self.pba_end(ahead.limit);
        self.pass
            .reach(&self.p.mechanics, &mut self.rare, now, limit);
        let block = self.block_reached();
        self.reads.grow(ahead.segment, block);
        // At its limit the head has stopped some time ago.
        (self.pass.pba < limit).then_some(block)
    }

    /// Ends reading ahead; the segment keeps what it has.
    pub(super) fn leave_ahead(&mut self, ahead: &Ahead, now: u64) -> u64 {
        if ahead.stopped {
            return now;
        }
        let limit = self.pba_end(ahead.limit);
        let free = self
            .pass
            .reach(&self.p.mechanics, &mut self.rare, now, limit);
        let block = self.block_reached();
        self.reads.grow(ahead.segment, block);
        free
    }

    /// Resumes reading ahead in a segment that the host has used up to `used`, if too little is left
    /// in it and the arm is idle.
    fn read_on(&mut self, segment: usize, used: u64, now: u64) {
        let resting = match self.work {
            Work::Rest => true,
            Work::Ahead(ahead) => ahead.stopped,
            Work::Destage(_) | Work::Record | Work::Clean => false,
        };
        let from = self.reads.segment(segment).end;
        let left = from.saturating_sub(used);
        if !resting
            || self.awaited()
            || self.busy > now
            || left >= self.p.read_cache.read_on_below_blocks
            || from >= self.p.blocks
            || self.in_log(from, from + 1)
        {
            return;
        }
        let geometry = &self.p.mechanics.geometry;
        let pba = geometry.pba_of(from);
        let place = geometry.place(pba);
        let (pass, _) = self.pass.go(&self.p.mechanics, now, pba, &place, false);
        self.pass = pass;
        self.work = Work::Ahead(Ahead {
            segment,
            limit: self.ahead_limit(used.max(from)),
            stopped: false,
        });
    }

    /// The arm goes to an access that waited.
    pub(super) fn begin_access(&mut self, waiting: &Waiting, now: u64) {
        if waiting.write {
            return self.begin_write_through(waiting, now);
        }
        if self.begin_recovery(waiting, now) || self.begin_scattered(waiting, now) {
            return;
        }
        let goes_on = self.streaming(now) == Some(waiting.start);
        let stream = match self.work {
            Work::Ahead(ahead) if goes_on => Some(ahead.segment),
            _ => None,
        };
        let pba_end = self.pba_end(waiting.end);
        let (segment, done) = match stream {
            Some(segment) => {
                let done = self
                    .pass
                    .advance(&self.p.mechanics, &mut self.rare, pba_end);
                (segment, done)
            }
            None => self.fetch(waiting, pba_end, now),
        };
        self.reads.grow(segment, waiting.end);
        self.reads.touch(segment);
        self.busy = done;
        self.last_host_work = done;
        self.work = Work::Ahead(Ahead {
            segment,
            limit: self.ahead_limit(waiting.end),
            stopped: false,
        });
        let command = self.commands[waiting.tag as usize];
        let ready = self.link.begin_before(done, command.end - command.start);
        self.set(waiting.tag, Stage::Wire, ready.max(now));
    }

    /// Moves to the first block, takes a segment, and gives it with the time at which all blocks
    /// are in it.
    fn fetch(&mut self, waiting: &Waiting, pba_end: u64, now: u64) -> (usize, u64) {
        let free = self.leave(now);
        let pba = self.p.mechanics.geometry.pba_of(waiting.start);
        let m = &self.p.mechanics;
        let (pass, landing) = self.pass.go(m, free, pba, &waiting.place, false);
        self.pass = pass;
        let took = Duration::from_nanos(landing.ready - free);
        self.note(now, Event::Seek { took });
        let m = &self.p.mechanics;
        let continued = waiting
            .segment
            .map(|index| index as usize)
            .filter(|&index| self.reads.segment(index).end == waiting.start);
        let segment = continued.unwrap_or_else(|| {
            let kept = if self.p.read_cache.look_behind {
                kept_behind(&landing)
            } else {
                0
            };
            self.reads
                .take(waiting.start - u64::from(kept).min(waiting.start))
        });
        let lost = self.shaken.lost();
        self.pass.hold(m, lost);
        let first_track_end = pass.end_of_run();
        let natural = self.pass.advance(m, &mut self.rare, pba_end);
        let sectors = pba_end - pba;
        let missed = u64::from(landing.sector.saturating_sub(landing.wanted));
        let zero_latency = self.p.read_cache.zero_latency
            && pba_end <= first_track_end
            && landing.sector > landing.wanted
            && missed < sectors;
        if !zero_latency {
            return (segment, natural);
        }
        // Everything has passed one revolution after the landing: the sectors from there to the end
        // came first, so their time need not be waited for at the end.
        let sector = m.geometry.tracks()[pass.track.zone as usize].sector;
        let gained = m.spindle.time_for_sectors(sectors - missed, sector);
        (segment, natural - gained)
    }

    /// A write that is acknowledged only when it is on the medium.
    fn begin_write_through(&mut self, waiting: &Waiting, now: u64) {
        let free = self.leave(now) + self.shaken.still();
        let pba = self.p.mechanics.geometry.pba_of(waiting.start);
        let (pass, _) = self
            .pass
            .go(&self.p.mechanics, free, pba, &waiting.place, true);
        self.pass = pass;
        self.hold_for_parts(waiting.start, waiting.end);
        let pba_end = self.pba_end(waiting.end);
        let done = self
            .pass
            .advance(&self.p.mechanics, &mut self.rare, pba_end);
        self.busy = done;
        self.last_host_work = done;
        self.set(waiting.tag, Stage::End(Outcome::Complete), done);
    }
}

/// Sectors before the wanted one that passed while the head waited for it: from where it landed,
/// or, where it landed behind, from the track's beginning.
fn kept_behind(landing: &Landing) -> u32 {
    if landing.sector <= landing.wanted {
        landing.wanted - landing.sector
    } else {
        landing.wanted
    }
}
