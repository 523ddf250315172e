//! The flash: dies on channels, and the operations that they carry out.
//!
//! A reading takes a die ([`die`]) for as long as its cells need, by their kind ([`layout`], one bit
//! a cell or all; [`page_types`]) and age ([`retention`]), then the channel (`channel`) for as long
//! as its bytes need. Where planes read independently, `planes` has a queue for each. A `program`
//! passes the controller's path and the channel first, then the die. How bit errors grow as blocks
//! wear is in [`bit_errors`], what a page that cannot be read is worked out from in [`parity`].

use base::size::Bytes;
use base::time::{Duration, Instant};

use super::ftl::Ftl;
use super::operations::Operations;
use super::parameters::Parameters;
use super::scatter::cells::Cells;
use super::scatter::read_retry::ReadRetry;
use crate::agenda::Agenda;
use channel::Channel;
use die::{Arbitration, Die};
use layout::{Layout, PAGE, Ppn};
use page_types::PageTypes;
use planes::Planes;
use program::ProgramPath;
use retention::Retention;
use timings::Timings;

pub mod bit_errors;
pub(super) mod channel;
pub mod die;
pub mod layout;
pub mod page_types;
pub mod parity;
pub(super) mod planes;
pub(super) mod program;
pub mod retention;
pub mod timings;

/// Dies, channels and what they take.
#[derive(Debug)]
pub(super) struct Flash {
    layout: Layout,
    pub(super) timings: Timings,
    pub(super) arbitration: Arbitration,
    pub(super) dies: Vec<Die>,
    /// Where planes read independently.
    planes: Option<Box<Planes>>,
    channels: Vec<Channel>,
    /// When the transfer under way on each channel ends.
    transfers: Agenda,
    /// The channel's time for each number of pages.
    bus_times: Vec<Duration>,
    pub(super) path: ProgramPath,
    page_types: Option<PageTypes>,
    pub(super) cells: Option<Box<Cells>>,
    pub(super) read_retry: Option<Box<ReadRetry>>,
    pub(super) retention: Option<Retention>,
}

impl Flash {
    /// Idle flash, laid out as the translation layer has it.
    pub(super) fn new(p: &Parameters, layout: Layout, seed: u64) -> Flash {
        // What one operation moves: a unit, or a map page.
        let map_page = p.map_cache.map_or(0, |caching| caching.pages);
        let most_pages = u64::from(p.geometry.unit_pages().max(map_page));
        Flash {
            layout,
            timings: p.timings,
            arbitration: p.arbitration,
            dies: vec![Die::default(); p.geometry.dies as usize],
            planes: p
                .independent_planes
                .then(|| Box::new(Planes::new(&p.geometry))),
            channels: vec![Channel::default(); p.geometry.channels as usize],
            transfers: Agenda::new(p.geometry.channels as usize),
            bus_times: (0..=most_pages)
                .map(|pages| p.timings.bus.time_for(Bytes::new(pages * PAGE)))
                .collect(),
            path: ProgramPath::new(p.controller.program_path),
            page_types: p
                .page_types
                .map(|spread| PageTypes::new(p.timings.read, spread)),
            cells: p
                .scatter
                .cells
                .map(|spread| Box::new(Cells::new(spread, seed))),
            // Of new cells, until the drive's state says more.
            read_retry: (p.scatter.read_retry)
                .map(|rules| Box::new(ReadRetry::new(rules, 1.0, seed))),
            retention: p
                .retention
                .map(|fading| Retention::new(fading, p.geometry.superblocks)),
        }
    }

    /// A die reads pages of one unit; returns the die and the time at which they are read.
    // Called for each read: as a call of its own it costs a tenth of what a read costs in all.
    #[inline(always)]
    pub(super) fn read(
        &mut self,
        now: Instant,
        (ppn, pages): (Ppn, u32),
        ftl: &Ftl,
        ops: &mut Operations,
    ) -> (u32, Instant) {
        let unit = ftl.layout.unit(ppn);
        let (die, row) = ftl.layout.die_and_row(unit);
        let slc = ftl.pool.slc_in_use() && ftl.pool.block(ftl.layout.place(ppn).0).slc;
        let takes = if slc {
            self.timings.read_slc
        } else {
            self.page_types
                .as_ref()
                .map_or(self.timings.read, |types| types.read(row))
        };
        let takes = match &self.retention {
            Some(retention) if !slc && retention.may_have_faded(now) => {
                takes + retention.retries(now, ppn, ftl)
            }
            _ => takes,
        };
        let takes = match &mut self.cells {
            None => takes,
            Some(cells) => cells.read(takes),
        };
        let takes = match &self.read_retry {
            Some(retry) if !slc => retry.read(unit, takes, || turn(ppn, ftl)),
            _ => takes,
        };
        let end = match &self.planes {
            None => self.read_die(now, die, unit, takes, ops),
            Some(_) => self.read_planes(now, (die, unit), (ppn, pages), takes, ops),
        };
        (die, end)
    }

    /// Whether a page of all bits a cell is read more than once, for its age or its errors.
    pub(super) fn is_read_again(&self, now: Instant, ppn: Ppn, ftl: &Ftl) -> bool {
        if ftl.pool.slc_in_use() && ftl.pool.block(ftl.layout.place(ppn).0).slc {
            return false;
        }
        let faded = (self.retention.as_ref())
            .filter(|retention| retention.may_have_faded(now))
            .is_some_and(|retention| retention.tries(now, ppn, ftl) > 0);
        let unit = ftl.layout.unit(ppn);
        faded
            || (self.read_retry.as_ref())
                .is_some_and(|retry| retry.is_retried(unit, || turn(ppn, ftl)))
    }

    /// A die, or one of its planes where they read for themselves, reads what is no data (a map page, a
    /// parity) in a given time; gives when it has.
    pub(super) fn read_apart(
        &mut self,
        now: Instant,
        die: u32,
        unit: u32,
        takes: Duration,
        ops: &mut Operations,
    ) -> Instant {
        match &self.planes {
            None => self.read_die(now, die, unit, takes, ops),
            Some(_) => self.read_plane(now, (die, unit), unit, takes, ops),
        }
    }

    /// A die reads a unit in a given time; gives when it has. A program that the reading pushes back
    /// ends later.
    #[inline(always)]
    fn read_die(
        &mut self,
        now: Instant,
        die: u32,
        unit: u32,
        takes: Duration,
        ops: &mut Operations,
    ) -> Instant {
        let reading = self.dies[die as usize].read(now, unit, takes, &self.arbitration);
        if let Some((program, end)) = reading.pushed {
            ops.set(program, end);
        }
        reading.end
    }

    /// Whether a page is one that no voltage reads.
    #[inline(always)]
    pub(super) fn fails(&self, ppn: Ppn, ftl: &Ftl) -> bool {
        match &self.read_retry {
            Some(retry) if retry.may_fail() => Self::fails_by(retry, ppn, ftl),
            _ => false,
        }
    }

    /// The same of a drive some of whose pages are such ones.
    #[cold]
    fn fails_by(retry: &ReadRetry, ppn: Ppn, ftl: &Ftl) -> bool {
        retry.fails(ftl.layout.unit(ppn), || turn(ppn, ftl))
            && !ftl.pool.block(ftl.layout.place(ppn).0).slc
    }

    /// The channel's time for a number of pages.
    fn bus_time(&self, pages: u32) -> Duration {
        self.bus_times[pages as usize]
    }

    /// Whether the data of a page have faded beyond what can be corrected.
    #[inline(always)]
    pub(super) fn is_lost(&self, now: Instant, ppn: Ppn, ftl: &Ftl) -> bool {
        match &self.retention {
            Some(retention) if retention.may_lose() => retention.is_lost(now, ppn, ftl),
            _ => false,
        }
    }

    /// The power has failed: dies and channels are idle. What lies in the cells stays.
    pub(super) fn power_cut(&mut self, at: Instant) {
        self.transfers.clear_all();
        for die in &mut self.dies {
            die.stop(at);
        }
        if let Some(planes) = &mut self.planes {
            planes.stop(at);
        }
        self.channels.fill(Channel::idle(at));
        self.path.clear();
    }
}

/// The turn in which a page's superblock was opened.
#[inline]
fn turn(ppn: Ppn, ftl: &Ftl) -> u32 {
    ftl.pool.block(ftl.layout.place(ppn).0).turn
}
