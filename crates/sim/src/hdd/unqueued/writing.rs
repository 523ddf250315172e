//! Writes of a disk without a queue: arm and bus start together, and the medium takes what is
//! there.
//!
//! A sector can be written only if its block is in the buffer when the sector comes; where the bus
//! is slower than the medium, or the arm was there before the data, a revolution is lost. A *fast
//! write* ends when its data are in the buffer, and the medium follows; a write that continues at
//! its end while it does is simply more to write. Otherwise the command ends when medium and bus
//! have done.

use super::super::drive::{Hdd, Work};
use super::super::overheads::ExtraDisconnect;
use super::super::track_pass::TrackPass;
use super::Unqueued;

impl Hdd {
    /// A write comes; gives its end.
    pub(super) fn write_unqueued(
        &mut self,
        rules: &Unqueued,
        now: u64,
        (start, end): (u64, u64),
    ) -> u64 {
        let under_way = rules.fast_write && self.memory.written_at > now;
        let joins = under_way && rules.combine_writes && self.memory.written.1 == start;
        let now = if joins {
            now
        } else {
            now.max(self.memory.written_at)
        };
        self.stream(now);
        let free = self.stop_stream(rules, now);
        self.work = Work::Rest;
        self.claim_segment(rules, (start, end), joins);
        let adjoins = self.memory.written.1 == start;
        let extra = rules
            .extra_disconnect
            .filter(|_| self.memory.after_write && !adjoins);
        let overhead = rules.overheads.write.of(self.memory.after_write);
        let from = free + extra.map_or(overhead, |extra| extra.arm_ns);
        let bus_from =
            free + extra.map_or(overhead, |extra| extra.bus_ns) + rules.bus.preparation_ns;
        let buffered = extra.map_or(1, |_| ExtraDisconnect::buffered(end - start));
        let missed = if joins {
            0
        } else {
            self.go_writing(rules, start, from)
        };
        let began = self.pass;
        let mut on_medium =
            self.put_down((start, end), bus_from, buffered, rules.bus.write_block_ns);
        if rules.zero_latency_write {
            on_medium -= self.passed_early(&began, (start, end), missed, bus_from, rules);
        }
        let first = if joins { self.memory.written.0 } else { start };
        self.memory.written = (first, end);
        self.memory.written_at = on_medium;
        let in_buffer = bus_from + (end - start) * rules.bus.write_block_ns;
        let done = if rules.fast_write {
            in_buffer
        } else {
            let leaving = extra.map_or(rules.overheads.write_disconnect_ns, |extra| {
                extra.second_disconnect_ns
            });
            let left = in_buffer + leaving;
            left.max(on_medium) + rules.bus.reselect_ns
        };
        done + rules.overheads.write_completion_ns
    }

    fn claim_segment(&mut self, rules: &Unqueued, (start, end): (u64, u64), joins: bool) {
        if rules.write_segment {
            self.reads.empty_overlapping(start, end);
        } else {
            let first = if joins { self.memory.written.0 } else { start };
            self.reads
                .take_for_write(first, end, rules.hits_on_written && rules.caching);
        }
    }

    /// What is gained where the sectors behind the missed ones were written before them: the time
    /// of those sectors. Nothing unless all are on one track and their data were there in time.
    fn passed_early(
        &self,
        began: &TrackPass,
        (start, end): (u64, u64),
        missed: u64,
        bus_from: u64,
        rules: &Unqueued,
    ) -> u64 {
        let m = &self.p.mechanics;
        let sectors = self.pba_end(end) - began.pba;
        let one_track = self.pba_end(end) <= began.end_of_run();
        if missed == 0 || missed >= sectors || !one_track {
            return 0;
        }
        let sector = m.geometry.tracks()[began.track.zone as usize].sector;
        let early = m.spindle.time_for_sectors(sectors - missed, sector);
        let landed = (began.at + m.spindle.time_for_sectors(missed, sector))
            .saturating_sub(m.spindle.revolutions(1));
        let all_there = bus_from + (end - start) * rules.bus.write_block_ns <= landed;
        if all_there { early } else { 0 }
    }

    /// Moves to a block; gives how many sectors from it on had passed before the head was there.
    fn go_writing(&mut self, rules: &Unqueued, block: u64, from: u64) -> u64 {
        let (pba, place) = self.place_of(block);
        let m = &self.p.mechanics;
        let moving = m.move_time(from, &self.pass.track, &place.track, true);
        let rest = rules.least_write_move_ns.saturating_sub(moving);
        let (pass, landing) = self.pass.go(m, from + rest, pba, &place, true);
        self.pass = pass;
        u64::from(landing.sector.saturating_sub(landing.wanted))
    }

    /// Writes the blocks, of which one arrives every `block_ns` from `bus_from` on, when `buffered` are
    /// there; gives the end.
    fn put_down(
        &mut self,
        (start, end): (u64, u64),
        bus_from: u64,
        buffered: u64,
        block_ns: u64,
    ) -> u64 {
        let m = &self.p.mechanics;
        for block in start..end {
            let there = bus_from + (block - start + 1).max(buffered) * block_ns;
            let pba = m.geometry.pba_of(block);
            let mut begins = self.pass.begin_of(m, &mut self.rare, pba);
            while begins < there {
                self.pass.hold(m, 1);
                begins = self.pass.at;
            }
            self.pass.advance(m, &mut self.rare, pba + 1);
        }
        self.pass.at
    }
}
