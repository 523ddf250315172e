//! Reads of a disk without a queue: from the buffer, from the stream under way, or from the medium.
//!
//! What is in the buffer goes over the bus while the rest still comes from the medium. With *look
//! behind*, a head that lands behind the wanted sector keeps the track up to that sector, since it
//! passes on the way round. With *zero latency*, sectors of the request that pass first are taken
//! first, though they wait in the buffer for their turn on the bus.

use super::super::drive::{Ahead, Hdd, Work};
use super::super::read_cache::Found;
use super::Unqueued;

impl Hdd {
    /// A read comes; gives its end.
    pub(super) fn read_unqueued(
        &mut self,
        rules: &Unqueued,
        now: u64,
        (start, end): (u64, u64),
    ) -> u64 {
        let now = now.max(self.memory.written_at);
        let stream = self.stream(now);
        let found = if rules.caching {
            self.reads.find(start, end)
        } else {
            Found::Nothing
        };
        let sent = match found {
            Found::Whole(segment) => self.send_hit(rules, now, (start, end), segment, stream),
            Found::Front(segment) => {
                let in_buffer = self.reads.segment(segment).end;
                let follows = stream.is_some_and(|ahead| ahead.segment == segment);
                let arm_from = self.stop_for(rules, now, follows);
                self.reads.touch(segment);
                if !follows {
                    self.go_reading(in_buffer, arm_from);
                }
                let mut arrivals = vec![now; (in_buffer - start) as usize];
                self.gather((in_buffer, end), &mut arrivals);
                self.read_on_from(rules, segment, end);
                let from = now + rules.overheads.read_hit.of(self.memory.after_write);
                let mark = rules.bus.mark(end - start, self.reads.size());
                rules.bus.send(&arrivals, from, true, mark)
            }
            Found::Nothing => self.send_miss(rules, now, (start, end), stream.map(|a| a.segment)),
        };
        sent + rules.overheads.read_completion_ns
    }

    /// The time at which the arm may start for a read: after the overhead, to which what remains of
    /// a stopped stream is added. A stream that the read follows is not stopped.
    fn stop_for(&mut self, rules: &Unqueued, now: u64, follows: bool) -> u64 {
        let free = if follows {
            now
        } else {
            self.stop_stream(rules, now)
        };
        free + rules.overheads.read_miss.of(self.memory.after_write)
    }

    /// All of it is in the buffer.
    fn send_hit(
        &mut self,
        rules: &Unqueued,
        now: u64,
        (start, end): (u64, u64),
        segment: usize,
        stream: Option<Ahead>,
    ) -> u64 {
        self.reads.touch(segment);
        let follows = stream.is_some_and(|ahead| ahead.segment == segment);
        let free = if follows {
            now
        } else {
            self.stop_stream(rules, now)
        };
        let from = free + rules.overheads.read_hit.of(self.memory.after_write);
        if follows {
            self.read_on_from(rules, segment, end);
        } else if stream.is_none() && rules.ahead_on_idle_hit {
            self.resume(rules, segment, end, from);
        }
        let blocks = (end - start) as usize;
        rules.bus.send(&vec![now; blocks], from, true, 1)
    }

    /// Nothing of it is in the buffer.
    fn send_miss(
        &mut self,
        rules: &Unqueued,
        now: u64,
        (start, end): (u64, u64),
        streamed: Option<usize>,
    ) -> u64 {
        let arm_from = self.stop_for(rules, now, false);
        let (first, missed) = self.go_reading(start, arm_from);
        let segment = self.reads.take_empty_or_oldest(first, streamed);
        let mut arrivals = Vec::with_capacity((end - start) as usize);
        let track_end = self.pass.end_of_run();
        self.gather((start, end), &mut arrivals);
        if self.p.zero_latency && self.pba_end(end) <= track_end {
            self.take_as_they_pass(&mut arrivals, missed);
        }
        self.reads.grow(segment, start);
        self.read_on_from(rules, segment, end);
        let leave = rules.overheads.read_disconnect.of(self.memory.after_write);
        let mark = rules.bus.mark(end - start, self.reads.size());
        let held = rules.bus.never_disconnect;
        let from = if held { arm_from } else { arm_from + leave };
        rules.bus.send(&arrivals, from, held, mark)
    }

    /// Sectors behind the missed ones passed before them, a revolution earlier; none goes over the
    /// bus before those in front of it.
    fn take_as_they_pass(&self, arrivals: &mut [u64], missed: usize) {
        if missed == 0 || missed >= arrivals.len() {
            return;
        }
        let last_missed = arrivals[missed - 1];
        for arrival in &mut arrivals[missed..] {
            *arrival = last_missed;
        }
    }

    /// Moves to a block; gives the first block that is kept, and how many sectors from the wanted
    /// one on had passed before the head was there.
    fn go_reading(&mut self, block: u64, from: u64) -> (u64, usize) {
        let (pba, place) = self.place_of(block);
        let m = &self.p.mechanics;
        let (pass, landing) = self.pass.go(m, from, pba, &place, false);
        self.pass = pass;
        let missed = landing.sector.saturating_sub(landing.wanted);
        let first = if self.p.look_behind && missed > 0 {
            let first = m.geometry.pbas_of(&place.track).0;
            m.geometry.block_at(first).min(block)
        } else {
            block
        };
        (first, missed as usize)
    }

    /// When each of the blocks has passed under the head, after those that are there already.
    fn gather(&mut self, (start, end): (u64, u64), arrivals: &mut Vec<u64>) {
        let m = &self.p.mechanics;
        for block in start..end {
            let pba = m.geometry.pba_of(block);
            arrivals.push(self.pass.advance(m, &mut self.rare, pba + 1));
        }
    }

    /// The segment holds all up to the request's end, and reading continues in it.
    fn read_on_from(&mut self, rules: &Unqueued, segment: usize, end: u64) {
        self.reads.grow(segment, end);
        if !rules.caching {
            self.work = Work::Rest;
            return;
        }
        let held = self.reads.segment(segment);
        let limit = rules
            .ahead
            .limit(&self.p.mechanics.geometry, held.start, end);
        let stopped = limit <= held.end;
        self.work = Work::Ahead(Ahead {
            segment,
            limit: limit.max(held.end),
            stopped,
        });
    }

    /// Reading ahead continues in a segment after a rest.
    fn resume(&mut self, rules: &Unqueued, segment: usize, end: u64, from: u64) {
        let held = self.reads.segment(segment);
        let geometry = &self.p.mechanics.geometry;
        let limit = rules.ahead.limit(geometry, held.start, end);
        if limit <= held.end {
            return;
        }
        let (pba, place) = self.place_of(held.end);
        let m = &self.p.mechanics;
        let (pass, landing) = self.pass.go(m, from, pba, &place, false);
        self.pass = pass;
        self.memory.moving_until = landing.ready;
        self.work = Work::Ahead(Ahead {
            segment,
            limit,
            stopped: false,
        });
    }
}
