//! Patrol: the drive reads its own flash, a unit now and then, and moves what has become hard to read.
//!
//! Data that nobody reads fade unseen. Firmware therefore reads all of its flash once in some days or
//! weeks, beside the host's work: at 1 TB in two weeks 0.8 MB/s, some fifty reads a second over all dies.
//! A read of the host's that meets one waits for the rest of it; with `u` patrol reads a second that take
//! `t` each on `d` dies that is a share of `u t / d` of the reads at depth 1, which is too little for any mean
//! and makes the tail of a drive that nobody else disturbs. Where a unit needs as many retries as a stated
//! number ([`retention`](crate::ssd::flash::retention)), its superblock is programmed anew, unit by unit,
//! each in place of a patrol read, so that this takes no more of the drive than patrol does; at rest it goes
//! on at once ([`cold_data`](crate::ssd::ftl)). No maker publishes its period: one to four weeks are usual
//! estimates.
//!
//! Reads that nobody could have met are not simulated: what is due is found out when a command comes, the
//! last one due is read on its die from when it was due, and of the others only their retries count.

use base::time::{Duration, Instant};

use crate::sheet::quantity::{Count, Days};
use crate::sheet::table::parameters;
use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::Ppn;
use crate::ssd::parameters::Parameters;

parameters! {
    /// How the drive patrols.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub Patrolling from PatrolConfig ["scatter.patrol"] {
        /// All of the flash is read once in this time.
        pass "pass_days": Days in 0.001..=3_650.0;
        /// A superblock is programmed anew where a unit of it needs so many retries; never if zero.
        retries "move_at_retries": Count in 0..=1_000, or 0;
    }
}

/// The next read, and where it is.
#[derive(Clone, Debug)]
pub(in crate::ssd) struct Patrol {
    rules: Patrolling,
    /// Units in all, and the next one.
    units: u32,
    cursor: u32,
    /// Between two reads, and when the next one is due.
    every: Duration,
    next: Instant,
}

/// What patrol had to do by a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Due {
    /// The first unit, and how many there are; all of the flash at most.
    first: u32,
    units: u32,
    /// When the last of them was due.
    last: Instant,
}

impl Patrol {
    pub(in crate::ssd) fn new(rules: Patrolling, p: &Parameters) -> Patrol {
        let units = (p.geometry.pages() / u64::from(p.geometry.unit_pages())) as u32;
        let every = Duration::from_nanos((rules.pass.as_nanos() / u64::from(units)).max(1));
        Patrol {
            rules,
            units,
            cursor: 0,
            every,
            next: Instant::ZERO + every,
        }
    }

    #[inline]
    fn is_due(&self, now: Instant) -> bool {
        now >= self.next
    }

    /// Takes what is due by now.
    fn take(&mut self, now: Instant) -> Due {
        let behind = now.since(self.next).as_nanos() / self.every.as_nanos();
        let last = self.next + self.every * behind;
        let due = Due {
            first: self.cursor,
            units: (behind + 1).min(u64::from(self.units)) as u32,
            last,
        };
        let moved = (u64::from(self.cursor) + behind + 1) % u64::from(self.units);
        self.cursor = moved as u32;
        self.next = last + self.every;
        due
    }
}

impl Drive {
    /// A command comes to the controller: it may meet a patrol read.
    #[inline]
    pub(in crate::ssd) fn patrol(&mut self, now: Instant) {
        if (self.mechanisms.patrol.as_ref()).is_some_and(|patrol| patrol.is_due(now)) {
            self.patrol_until(now);
        }
    }

    #[cold]
    fn patrol_until(&mut self, now: Instant) {
        let Some(patrol) = &mut self.mechanisms.patrol else {
            return;
        };
        let due = patrol.take(now);
        let (units, most) = (patrol.units, patrol.rules.retries);
        if self.has_cold_data_to_move() {
            // A unit is moved in place of each read.
            self.ftl.relocator.cold_data.give_turns(due.units);
            self.pump(now);
        }
        if most > 0 {
            self.name_faded(now, due, units, most);
        }
        let last = (due.first + (due.units - 1) % units) % units;
        let ppn = last * self.ftl.layout.geometry().unit_pages();
        if self.ftl.valid_in_unit(ppn) != 0 && self.ftl.is_programmed(ppn) {
            let die = self.ftl.layout.die_of_unit(last) as usize;
            let begins = if self.flash.dies[die].is_programming() {
                now
            } else {
                due.last
            };
            let pages = self.ftl.layout.geometry().unit_pages();
            self.flash
                .read(begins, (ppn, pages), &self.ftl, &mut self.ops);
            self.counters.patrol_reads += 1;
        }
    }

    /// Names the superblocks whose units that were read need too many retries.
    fn name_faded(&mut self, now: Instant, due: Due, units: u32, most: u32) {
        let geometry = self.ftl.layout.geometry();
        let (unit_pages, a_superblock) = (geometry.unit_pages(), geometry.superblock_pages());
        let Some(retention) = &self.flash.retention else {
            return;
        };
        let mut left = due.units;
        let mut unit = due.first;
        while left > 0 {
            let ppn: Ppn = unit * unit_pages;
            let (superblock, place) = self.ftl.layout.place(ppn);
            // To the end of the superblock: its units are as old as each other.
            let here = ((a_superblock - place) / unit_pages).min(left);
            let looked_at = (unit..unit + here).map(|unit| unit * unit_pages);
            let faded = self.ftl.pool.block(superblock).valid > 0
                && retention.may_have_faded(now)
                && looked_at
                    .take(64)
                    .any(|ppn| retention.tries(now, ppn, &self.ftl) >= u64::from(most));
            if faded {
                self.ftl.relocator.cold_data.name(superblock);
                self.front.idle_work = true;
            }
            unit = (unit + here) % units;
            left -= here;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_units_are_read_once_in_a_pass_and_a_long_rest_counts_for_one() {
        let mut patrol = Patrol {
            rules: Patrolling {
                pass: Duration::from_secs(1_000),
                retries: 0,
            },
            units: 100,
            cursor: 0,
            every: Duration::from_secs(10),
            next: Instant::ZERO + Duration::from_secs(10),
        };
        let at = |seconds: u64| Instant::ZERO + Duration::from_secs(seconds);
        assert!(!patrol.is_due(at(9)) && patrol.is_due(at(10)));
        let due = |first, units, last| Due {
            first,
            units,
            last: at(last),
        };
        assert_eq!(patrol.take(at(10)), due(0, 1, 10));
        assert_eq!(patrol.take(at(45)), due(1, 3, 40));
        assert!(!patrol.is_due(at(49)));
        assert_eq!(patrol.take(at(10_045)), due(4, 100, 10_040));
        assert_eq!(patrol.take(at(10_050)), due(4, 1, 10_050));
    }
}
