//! Parity across dies: a page that cannot be read is worked out from its neighbours on other dies.
//!
//! Where no voltage reads a page any more, a drive with parity still has its data: the exclusive or of a
//! *stripe*, the units of as many dies in one row, lies on a die of its own, and what is missing is the
//! exclusive or of all others. Makers call it RAIN (Micron), RAISE (SandForce) or XOR, with stripes of 8 to
//! 128 dies. It costs flash and programs: of `n` dies `n - 1` hold data, so that the drive programs at least
//! `n / (n - 1)` of what the host writes, and in collection that share of what it moves, too. The die that
//! holds a row's parity changes from group to group of rows, as in a RAID 5.
//!
//! Parity is gathered in a buffer of the controller while a stripe's data pass, and is programmed behind the
//! last of them, by whoever wrote that. Reading is as without it until a page fails
//! ([`read_retry`](crate::ssd::scatter::read_retry)): then the units of the other dies are read, each when its
//! die can, and the data follow when the last of them has come. Two pages that fail in one stripe are lost.
//! What is still in DRAM needs no reading. Where parity lies, what is in it, and what becomes of a bad page
//! afterwards (firmware writes it elsewhere) are not modelled further; the last stripe before a power cut
//! counts as complete. Data that have faded altogether take their whole stripe with them, as it is as old. The
//! transfers of a rebuilding take their time, but keep no other from a channel.
//!
//! A controller that compresses counts its parity by bytes ([`crate::ssd::ftl::compression`]).

use base::time::Instant;

use crate::sheet::quantity::Count;
use crate::sheet::table::parameters;
use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::{Geometry, Group, Layout, NONE, Ppn};
use crate::ssd::flash::retention::EIO;
use crate::ssd::ftl::stream::Stream;
use crate::ssd::operations::{IDLE, Op, Stage};

parameters! {
    /// How parity lies.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub Striping from ParityConfig ["parity"] {
        /// Dies of a stripe, one of which holds parity.
        dies "dies_a_stripe": Count in 2..=1_024;
    }
}

/// The units that one parity is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stripe {
    /// The first unit of data, and how many there are.
    first: u32,
    units: u32,
    /// The die that holds their parity.
    die: u32,
}

impl Geometry {
    /// Dies of a row that hold parity.
    pub const fn parity_dies(&self) -> u32 {
        match self.dies.checked_div(self.stripe) {
            Some(stripes) => stripes,
            None => 0,
        }
    }

    /// Dies of a row that hold data.
    pub const fn data_dies(&self) -> u32 {
        self.dies - self.parity_dies()
    }

    /// What is wrong with its stripes, in words.
    pub(in crate::ssd) fn stripe_fault(&self) -> Option<String> {
        let whole = self.stripe == 0 || self.dies.is_multiple_of(self.stripe);
        (!whole || self.stripe == 1).then(|| {
            format!(
                "parity on one of {} dies of {}; whole stripes of 2 dies at least",
                self.stripe, self.dies
            )
        })
    }
}

impl Layout {
    /// The group of parity that a group of data completes, where it is the last of its stripe.
    fn parity_behind(&self, group: &Group, slc: bool) -> Option<Group> {
        let g = self.geometry();
        let data = g.stripe.checked_sub(1)?;
        let of_rows = if slc {
            group.index / g.bits
        } else {
            group.index
        };
        let first = self.first_die(group.superblock * g.groups_a_die() + of_rows);
        let column = (group.die + g.dies - first) % g.dies;
        let last = column < g.data_dies() && column % data == data - 1;
        last.then(|| Group {
            die: self.turn(g.data_dies() + column / data + first),
            ..*group
        })
    }

    /// The stripe of a unit.
    fn stripe(&self, unit: u32) -> Option<Stripe> {
        let g = self.geometry();
        let data = g.stripe.checked_sub(1)?;
        let (row, column) = (unit / g.data_dies(), unit % g.data_dies());
        let stripe = column / data;
        Some(Stripe {
            first: row * g.data_dies() + stripe * data,
            units: data,
            die: self.turn(g.data_dies() + stripe + self.first_die(row / g.bits)),
        })
    }
}

impl Drive {
    /// A group of data is on its way: where it completes its stripe, the parity follows. Tables that lie in no
    /// superblock have none.
    pub(in crate::ssd) fn send_parity_behind(&mut self, group: &Group, stream: Stream, slc: bool) {
        if group.superblock == NONE {
            return;
        }
        if let Some(parity) = self.ftl.layout.parity_behind(group, slc) {
            self.send_parity(parity, stream, slc);
        }
    }

    fn send_parity(&mut self, group: Group, stream: Stream, slc: bool) {
        let op = self.program_of(group, stream, slc);
        self.flash.path.join(Op { parity: true, ..op });
    }

    /// A superblock is closed inside a row: the parity of what its last stripe holds follows.
    pub(in crate::ssd) fn send_parity_of_rest(&mut self, at: Instant, superblock: u32) {
        let g = *self.ftl.layout.geometry();
        let block = *self.ftl.pool.block(superblock);
        let Some(last) = (block.written / g.unit_pages()).checked_sub(1) else {
            return;
        };
        let units = g.superblock_pages() / g.unit_pages();
        let Some(stripe) = self.ftl.layout.stripe(superblock * units + last) else {
            return;
        };
        if superblock * units + last + 1 < stripe.first + stripe.units {
            let index = last / g.data_dies();
            let group = Group {
                superblock,
                index,
                die: stripe.die,
            };
            self.send_parity(group, Stream::Slc, block.slc);
            self.path_on(at);
        }
    }

    /// A reading of a page will end at a time, for an operation that goes on with the page's channel. Where
    /// the page cannot be read, its data come later, or not at all.
    #[inline(always)]
    pub(in crate::ssd) fn fetch(&mut self, end: Instant, number: u32, ppn: Ppn) {
        if self.flash.fails(ppn, &self.ftl) {
            return self.rebuild_at(end, number, ppn);
        }
        let op = self.ops.get(number);
        let (die, pages) = (u32::from(op.die), u32::from(op.pages));
        self.flash.ask_channel(end, number, die, pages);
    }

    #[cold]
    fn rebuild_at(&mut self, end: Instant, number: u32, ppn: Ppn) {
        let unit = self.ftl.layout.unit(ppn);
        let op = self.ops.get_mut(number);
        op.then = op.stage;
        op.stage = Stage::Rebuild;
        op.epoch = unit;
        self.ops.set(number, end);
        self.ops.overtakers += 1;
    }

    /// All tries to read a unit have failed: the others of its stripe are read.
    pub(in crate::ssd) fn rebuild(&mut self, at: Instant, number: u32, op: &Op) {
        self.ops.park(number);
        self.ops.overtakers -= 1;
        let end = match self.ftl.layout.stripe(op.epoch) {
            Some(stripe) => self.read_others(at, op, &stripe),
            None => None,
        };
        if end.is_some() {
            self.counters.rebuilt_units += 1;
        } else if op.then == Stage::ReadBus {
            self.front.requests[usize::from(op.tag)].error = EIO;
        }
        let goes_on = self.ops.get_mut(number);
        goes_on.stage = op.then;
        goes_on.epoch = IDLE.epoch;
        let (die, pages) = (u32::from(op.die), u32::from(op.pages));
        self.flash
            .ask_channel(end.unwrap_or(at), number, die, pages);
    }

    /// Reads what a unit is worked out from; gives when all of it but one transfer has come, and nothing
    /// where another one fails, too.
    fn read_others(&mut self, at: Instant, op: &Op, stripe: &Stripe) -> Option<Instant> {
        let geometry = *self.ftl.layout.geometry();
        let (mut last, mut reads) = (at, 1);
        for unit in stripe.first..stripe.first + stripe.units {
            let ppn = unit * geometry.unit_pages();
            let (superblock, place) = self.ftl.layout.place(ppn);
            let there = place < self.ftl.pool.block(superblock).written;
            if unit == op.epoch || !there || !self.ftl.is_programmed(ppn) {
                continue;
            }
            if self.flash.fails(ppn, &self.ftl) {
                return None;
            }
            let whole = (ppn, geometry.unit_pages());
            let (_, end) = self.flash.read(at, whole, &self.ftl, &mut self.ops);
            last = last.max(end);
            reads += 1;
        }
        // No unit of data has the number of a parity.
        let key = u32::MAX - stripe.first;
        let takes = self.flash.timings.read;
        let end = self
            .flash
            .read_apart(at, stripe.die, key, takes, &mut self.ops);
        let transfers = u64::from(u32::div_ceil(reads, geometry.channels));
        let each = self.flash.bus_time(u32::from(op.pages));
        Some(last.max(end) + each * (transfers - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRIPED: Geometry = Geometry {
        channels: 2,
        dies: 8,
        planes: 2,
        page_bytes: 16_384,
        rows: 6,
        superblocks: 4,
        bits: 3,
        stripe: 4,
    };

    #[test]
    fn each_stripe_is_completed_once_by_its_last_group_and_its_parity_lies_on_a_die_of_its_own() {
        let layout = Layout::new(STRIPED, 5);
        assert_eq!((STRIPED.data_dies(), STRIPED.parity_dies()), (6, 2));
        for slc in [false, true] {
            let units = STRIPED.superblock_pages() / STRIPED.unit_pages();
            let units = if slc { units / STRIPED.bits } else { units };
            let mut parities = Vec::new();
            for unit in 0..units {
                let place = unit * STRIPED.unit_pages();
                let Some(group) = layout.group_completed_by(2, place, slc) else {
                    continue;
                };
                let unit = 2 * STRIPED.rows * STRIPED.data_dies() + unit;
                let stripe = layout.stripe(unit).expect("it has parity");
                let parity = layout.parity_behind(&group, slc);
                let last = stripe.first + stripe.units - 1 == unit;
                assert_eq!(parity.is_some(), last, "unit {unit}");
                let Some(parity) = parity else { continue };
                assert_eq!((parity.die, parity.index), (stripe.die, group.index));
                let data = (stripe.first..stripe.first + 3).map(|unit| layout.die_of_unit(unit));
                assert!(data.into_iter().all(|die| die != stripe.die));
                parities.push(layout.number(&parity));
            }
            parities.sort_unstable();
            parities.dedup();
            // Two groups of rows, or two rows of one bit a cell, of two stripes each.
            assert_eq!(parities.len(), 4);
        }
    }

    #[test]
    fn without_parity_no_group_has_any_behind_it() {
        let none = Geometry {
            stripe: 0,
            ..STRIPED
        };
        let layout = Layout::new(none, 5);
        assert_eq!((none.data_dies(), none.row_pages()), (8, 64));
        assert_eq!(layout.stripe(17), None);
        let group = Group {
            superblock: NONE - 1,
            index: 0,
            die: 7,
        };
        assert_eq!(layout.parity_behind(&group, false), None);
    }

    #[test]
    fn stripes_that_leave_dies_over_are_refused() {
        for (stripe, good) in [(0, true), (1, false), (2, true), (3, false), (8, true)] {
            let fault = Geometry { stripe, ..STRIPED }.stripe_fault();
            assert_eq!(fault.is_none(), good, "{stripe}: {fault:?}");
        }
    }
}
