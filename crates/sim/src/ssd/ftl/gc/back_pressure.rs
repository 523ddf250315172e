//! Back-pressure: the host's writes and collection keep each other's pace.
//!
//! In the steady state each superblock that the host fills has to be freed elsewhere. Where a victim
//! has a share v of valid pages, each page that is moved makes room for (1-v)/v of the host's (a
//! page of one bit a cell takes as much as several of all bits). The host's writes make a *debt* of
//! room, and moving pays it: below saturation collection runs evenly beside the host, and not in
//! bursts. At saturation the flash cannot pay as fast as the host writes, so the host is let in only
//! as far as it is not *ahead* of what is paid by more than a few pages a die, and by less and less
//! as free superblocks run out. What a page is charged follows them, too: less than it takes while
//! there is room to spare, more when there is not. So the rate falls smoothly, and a host never
//! waits for a whole victim.
//!
//! Some firmware collects in steps instead (*partial collection*, `collect_step_kib`): the host
//! writes so much at full speed, then waits until all the room that this took has been made.
//!
//! The rules are those of open firmware: the limit of user I/O that is linear in free blocks of the
//! Linux target pblk (drivers/lightnvm/pblk-rl.c), and the writes matched to the compaction's rate
//! of SPDK's FTL (lib/ftl/ftl_nv_cache.c), which lets in up to a half more or 0.8 less by how far
//! free chunks are from their target. Where folding is the host's only way to room, it is held to
//! folding's pace in the same way.

use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::PAGE;
use crate::ssd::ftl::Run;
use crate::ssd::ftl::block_pool::FOLD_BELOW;
use crate::ssd::ftl::gc::{Purpose, Victim};
use crate::ssd::ftl::stream::Stream;
use crate::ssd::parameters::Parameters;

/// Debt is counted in parts of a page of all bits a cell.
const PART: i64 = 1 << 16;

/// Pages that may be moved ahead of any debt: a unit is moved at once.
const MOST_AHEAD: i64 = 64;

/// Pages of a write that are asked for at once; it may cover a unit in part at either end.
const PIECE_PAGES: u64 = 32;

/// Spare room in parts of a whole: [`Drive::spare`].
const WHOLE: i64 = 256;

/// With this share of the spare room a page is charged what it takes; with less of it more, with
/// more of it less.
const KEPT: i64 = WHOLE / 4;

/// The host may be ahead by so many programs of every die at most.
const MOST_PROGRAMS: u64 = 2;

/// Pages by which the host may be ahead of what was moved: half of the buffer at most.
pub(super) fn most_host_ahead(p: &Parameters) -> i64 {
    let geometry = &p.geometry;
    let a_die = geometry.unit_pages() * geometry.bits;
    let programs = MOST_PROGRAMS * u64::from(a_die * geometry.data_dies());
    programs.min(p.buffer.get() / PAGE / 2) as i64
}

/// Room that the host took and that has still to be made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Debt {
    room: i64,
    /// The host waits until nothing is owed any more: collection is done in steps.
    step: bool,
}

impl Debt {
    /// Whether there is any.
    pub(super) fn is_owed(self) -> bool {
        self.room > 0
    }

    /// Pages are moved; each makes so much room.
    pub(super) fn pay(&mut self, pages: u32, worth: i64) {
        self.room = (self.room - i64::from(pages) * worth).max(-MOST_AHEAD * worth);
        self.step &= self.room > 0;
    }
}

impl Drive {
    /// Room that moving a page of this superblock makes for the host's direct writes, in parts of a
    /// page.
    pub(super) fn worth(&self, superblock: u32, purpose: Purpose) -> i64 {
        let pool = &self.ftl.pool;
        let pages = i64::from(pool.pages_of(false));
        let valid = i64::from(pool.block(superblock).valid).max(1);
        let made = if purpose == Purpose::Fold && pool.slc().is_fixed(superblock) {
            // It gives a superblock of one bit a cell.
            pages
        } else {
            (pages - valid).max(1)
        };
        made * PART / valid
    }

    /// What a page of the host's takes, in pages of all bits a cell.
    fn cost(&self, slc: bool) -> i64 {
        let pool = &self.ftl.pool;
        if slc {
            i64::from(pool.pages_of(false) / pool.pages_of(true))
        } else {
            1
        }
    }

    /// The victim whose emptying sets the host's pace.
    fn pacemaker(&self) -> Option<&Victim> {
        let relocator = &self.ftl.relocator;
        let fold = relocator.fold.as_ref();
        let fold = fold.filter(|_| self.ftl.pool.folds_beside_the_host());
        relocator.collect.as_ref().or(fold)
    }

    /// Room that is left before the host would have to wait for whole victims, of what there is at
    /// the level at which making room begins: 0 to [`WHOLE`].
    #[inline(always)]
    fn spare(&self, victim: &Victim) -> i64 {
        let pool = &self.ftl.pool;
        if self.ftl.relocator.collect.is_none() && pool.block(victim.superblock).slc {
            return self.spare_of_folding();
        }
        let pages = i64::from(pool.pages_of(false));
        let reserves = pool.reserves();
        let open = i64::from(pool.left(Stream::Host) + pool.left(Stream::Move));
        // What is left of the victim takes room, and so does what the host may write meanwhile.
        let left = u64::from(pool.block(victim.superblock).valid);
        let taken = (left * pages as u64 / u64::from(victim.valid.max(1))) as i64;
        let room = open + i64::from(pool.free()) * pages - taken;
        let least = i64::from(reserves.for_moves) * pages;
        let level = i64::from(reserves.collect_below - reserves.for_moves) * pages;
        // Neither is negative: nothing has to be divided with a sign.
        let beyond = (room - least).max(0) as u64;
        (beyond * WHOLE as u64 / level as u64).min(WHOLE as u64) as i64
    }

    fn spare_of_folding(&self) -> i64 {
        let pool = &self.ftl.pool;
        let slc_pages = i64::from(pool.pages_of(true));
        let room = i64::from(pool.left(Stream::Slc)) + i64::from(pool.slc_openable()) * slc_pages;
        (room * WHOLE / (i64::from(FOLD_BELOW) * slc_pages)).min(WHOLE)
    }

    /// Whether collection must run as fast as it can: nothing is to spare, or the host's next data
    /// may find no room.
    pub(super) fn is_short(&self) -> bool {
        let room = self.ftl.pool.host_room();
        let next = PIECE_PAGES + 2 * u64::from(self.unit_range(0).1);
        match &self.ftl.relocator.collect {
            Some(victim) => {
                self.spare(victim) == 0
                    || room < self.promised() + next
                    || self.blocked_flush().is_some()
            }
            None => self.ftl.pool.free() <= self.p.reserves.for_moves,
        }
    }

    /// The host wrote pages: the room that they took is owed while a victim is being emptied.
    #[inline]
    pub(in crate::ssd) fn owe(&mut self, run: &Run) {
        let Some(victim) = self.pacemaker() else {
            return;
        };
        let fixed = run.slc && self.ftl.pool.slc().is_fixed(run.superblock);
        if fixed && self.ftl.relocator.collect.is_some() {
            return;
        }
        let charge = self.cost(run.slc) * PART * (WHOLE + KEPT - self.spare(victim)) / WHOLE;
        self.ftl.relocator.debt.room += i64::from(run.count) * charge;
    }

    /// Whether the host has written so much beyond what was moved that its next data have to wait.
    #[inline]
    pub(in crate::ssd) fn host_is_ahead(&mut self) -> bool {
        let Some(victim) = self.pacemaker() else {
            return false;
        };
        let Debt { room: debt, step } = self.ftl.relocator.debt;
        if debt <= 0 {
            return false;
        }
        let slc = self.ftl.pool.host_stream() == Stream::Slc;
        let in_step = self.p.reserves.collect_step as i64;
        if in_step > 0 {
            let waits = step || debt > in_step * self.cost(slc) * PART;
            self.ftl.relocator.debt.step = waits;
            return waits;
        }
        let most = self.ftl.relocator.most_host_ahead;
        let unit = i64::from(self.ftl.layout.unit_pages());
        let a_page = self.cost(slc) * PART;
        if debt <= unit * a_page {
            return false;
        }
        let pages = (most * self.spare(victim) / WHOLE).max(unit);
        debt > pages * a_page
    }
}
