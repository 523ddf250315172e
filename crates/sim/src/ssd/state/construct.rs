//! A drive that has been through something, made at once.
//!
//! Written sequentially, the drive's data lie in superblocks one behind the other. Overwritten at
//! random until nothing changes, greedy collection leaves superblocks of all ages, and since each
//! page is as likely to be overwritten next, a superblock that was written the share `s` of a whole
//! round ago has kept `v^s` of its pages, where `v` is the share in the next victim. Their mean is
//! the share of valid pages in all that is written, `(v - 1) / ln v` (Desnoyers, "Analytic modeling
//! of SSD write performance", 2012), which gives `v`. Pages are dealt out to superblocks at random
//! (`dealing`).
//!
//! A state that does not say how long the drive rested is that of a drive that has rested until its
//! own work was done: the SLC cache is folded down to its level, and collection has filled the pool
//! of free superblocks up to its own. With `idle=T` the drive is made as the last write left it,
//! with data in the SLC cache (`cached` says which), and then its rest is simulated, which
//! costs no more than the work that is done in it.

use base::time::{Duration, Instant};

use crate::halt::{Halt, Halted, PAGES, Pace};
use crate::model::Model;
use crate::ssd::drive::Drive;
use crate::ssd::parameters::{DriveError, Parameters};
use crate::ssd::state::steady_fill::SteadyFill;
use base::state::{State, Written};

/// An event of a rest takes as long as so many pages that are dealt out.
const PAGES_AN_EVENT: u32 = 16;

impl Drive {
    /// A drive in a declared state.
    ///
    /// # Errors
    /// As [`Drive::new`], and where the state asks for what this drive has no mechanism for.
    pub fn in_state(p: Parameters, seed: u64, state: &State) -> Result<Drive, DriveError> {
        Drive::in_state_unless(&Halt::default(), p, seed, state)
    }

    /// The same, unless it is to stop.
    ///
    /// # Errors
    /// As [`Drive::in_state`], and [`DriveError::Halted`].
    pub fn in_state_unless(
        halt: &Halt,
        p: Parameters,
        seed: u64,
        state: &State,
    ) -> Result<Drive, DriveError> {
        halt.ask()?;
        let pace = &mut Pace::new(halt);
        p.check_state(state)?;
        let mut drive = Drive::new(p, seed)?;
        if let Some(share) = state.wear {
            drive.ftl.pool.start_worn(share);
        }
        let rested = state.idle.is_none();
        match state.written {
            Written::Fresh => {}
            Written::InOrder(percent) => drive.fill_in_order(percent, rested, pace)?,
            Written::SteadyRandom(percent) => {
                drive.fill_at_random(percent, seed, rested, pace)?;
            }
        }
        let written = match state.written {
            Written::Fresh => 0,
            Written::InOrder(percent) | Written::SteadyRandom(percent) => percent,
        };
        let pages = drive.pages_of_percent(written);
        if let Some(cache) = &mut drive.mechanisms.map_cache {
            cache.constructed(pages);
        }
        if state.trimmed && drive.p.trim {
            drive.trim_all(pace)?;
        }
        if let Some(time) = state.idle {
            drive.rested_for(time, pace)?;
        }
        if let (Some(celsius), Some(thermal)) = (state.temperature, &mut drive.mechanisms.thermal) {
            thermal.switched_on_at(celsius);
        }
        drive.errors_of_its_age(state.age.unwrap_or(Duration::ZERO), seed);
        if let Some(retention) = &mut drive.flash.retention {
            retention.aged(state.age.unwrap_or(Duration::ZERO));
        }
        if drive.front.idle_work {
            drive.front.arm(Instant::ZERO);
        }
        Ok(drive)
    }

    fn pages_of_percent(&self, percent: u8) -> u32 {
        (u64::from(self.ftl.l2p.pages()) * u64::from(percent) / 100) as u32
    }

    fn trim_all(&mut self, pace: &mut Pace<'_>) -> Result<(), Halted> {
        let pages = self.ftl.l2p.pages();
        for first in (0..pages).step_by(PAGES as usize) {
            let count = PAGES.min(pages - first);
            self.ftl.trim(first, count);
            pace.pages(count)?;
        }
        Ok(())
    }

    /// Lets the drive's own work continue for a while, then sets its clock back to the beginning.
    fn rested_for(&mut self, time: Duration, pace: &mut Pace<'_>) -> Result<(), Halted> {
        let until = Instant::ZERO + time;
        let mut done = Vec::new();
        self.front.last_active = Instant::ZERO;
        self.front.arm(Instant::ZERO);
        while self.next().is_some_and(|at| at <= until) {
            self.step(&mut done);
            pace.pages(PAGES_AN_EVENT)?;
        }
        self.power_cut(Instant::ZERO);
        self.front.idle_work = true;
        Ok(())
    }

    /// Superblocks one behind the other, the last one as full as it happens to be, and beside them
    /// what lies one bit a cell.
    fn fill_in_order(
        &mut self,
        percent: u8,
        rested: bool,
        pace: &mut Pace<'_>,
    ) -> Result<(), Halted> {
        let pages = self.pages_of_percent(percent);
        let cached = self.cached_in_order(pages, rested);
        self.construct_run(std::slice::from_ref(&cached), true, pace)?;
        self.construct_run(&[0..cached.start, cached.end..pages], false, pace)
    }

    /// Puts these logical pages into superblocks one behind the other.
    fn construct_run(
        &mut self,
        ranges: &[std::ops::Range<u32>],
        slc: bool,
        pace: &mut Pace<'_>,
    ) -> Result<(), Halted> {
        let all_bits = self.ftl.layout.superblock_pages();
        let most = self.ftl.pool.pages_of(slc);
        let mut left: u32 = ranges.iter().map(|range| range.end - range.start).sum();
        let mut ranges = ranges.iter().cloned();
        let mut range = ranges.next().unwrap_or(0..0);
        while left > 0 {
            let count = most.min(left);
            let Some(superblock) = self.ftl.pool.construct(slc, count, count) else {
                return Ok(());
            };
            let mut place = 0;
            while place < count {
                if range.is_empty() {
                    range = ranges.next().unwrap_or(0..0);
                    continue;
                }
                let run = (count - place).min(range.end - range.start);
                self.ftl.p2l.append(superblock, place, run, range.start);
                let ppn = superblock * all_bits + place;
                self.ftl.l2p.set(range.start, run, ppn);
                range.start += run;
                place += run;
            }
            left -= count;
            pace.pages(count)?;
        }
        Ok(())
    }

    fn fill_at_random(
        &mut self,
        percent: u8,
        seed: u64,
        rested: bool,
        pace: &mut Pace<'_>,
    ) -> Result<(), Halted> {
        let pages = self.pages_of_percent(percent);
        let a_superblock = self.ftl.layout.superblock_pages();
        let level = self.p.reserves.collect_below.max(1);
        // The room that sequential writing left to collection: all but the free level.
        let closed = self.ftl.pool.free().saturating_sub(level);
        let one_bit = if rested {
            Vec::new()
        } else {
            self.cached_at_random(seed)
        };
        let elsewhere: u32 = one_bit.iter().sum();
        let all_bits = u64::from(pages.saturating_sub(elsewhere));
        let mut valid = valid_counts(all_bits, closed, a_superblock);
        if rested {
            let more = self.p.reserves.collect_idle_below.saturating_sub(level);
            collect_at_rest(&mut valid, more, a_superblock);
        }
        let mut dealer = SteadyFill::new(self, &valid, &one_bit, seed);
        dealer.deal(self, pages, pace)?;
        self.ftl.pool.all_dirty();
        Ok(())
    }
}

/// Collection at rest: the emptiest superblocks' pages are put together, until so `many` more
/// superblocks are free or the next victim would give too little (as in [`crate::ssd::ftl::gc`]).
fn collect_at_rest(valid: &mut Vec<u32>, many: u32, a_superblock: u32) {
    let worth = a_superblock - a_superblock / 16;
    let (mut victims, mut moved) = (0, 0_u64);
    let filled = |moved: u64| moved.div_ceil(u64::from(a_superblock)) as usize;
    while victims < valid.len()
        && victims - filled(moved).min(victims) < many as usize
        && valid[victims] <= worth
    {
        moved += u64::from(valid[victims]);
        victims += 1;
    }
    valid.drain(..victims);
    while moved > 0 {
        let count = moved.min(u64::from(a_superblock));
        valid.push(count as u32);
        moved -= count;
    }
}

/// The share of valid pages in the next victim, from that in all that is written: solves
/// `rho = (v - 1) / ln v` by halving.
pub fn victim_share(rho: f64) -> f64 {
    if rho >= 1.0 {
        return 1.0;
    }
    let (mut low, mut high) = (1e-12, 1.0 - 1e-12);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if (middle - 1.0) / libm::log(middle) < rho {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// Valid pages of each of `closed` superblocks, oldest first, summing to `pages`.
fn valid_counts(pages: u64, closed: u32, a_superblock: u32) -> Vec<u32> {
    let written = u64::from(closed) * u64::from(a_superblock);
    let v = victim_share(pages as f64 / written as f64);
    let n = f64::from(closed);
    let mut counts: Vec<u32> = (0..closed)
        .map(|i| {
            let age = (n - f64::from(i) - 0.5) / n;
            let share = libm::pow(v, age);
            ((share * f64::from(a_superblock) + 0.5) as u32).min(a_superblock)
        })
        .collect();
    balance(&mut counts, pages, a_superblock);
    counts
}

/// Takes away what rounding added, or adds what it took, a page each in turns.
fn balance(counts: &mut [u32], pages: u64, most: u32) {
    let mut sum: u64 = counts.iter().map(|count| u64::from(*count)).sum();
    while sum != pages && !counts.is_empty() {
        let before = sum;
        for count in counts.iter_mut() {
            if sum < pages && *count < most {
                *count += 1;
                sum += 1;
            } else if sum > pages && *count > 0 {
                *count -= 1;
                sum -= 1;
            }
        }
        if sum == before {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_victims_share_solves_the_greedy_equation() {
        for v in [0.05, 0.3, 0.8, 0.95] {
            let rho = (v - 1.0) / libm::log(v);
            assert!((victim_share(rho) - v).abs() < 1e-9);
        }
    }

    #[test]
    fn collection_at_rest_frees_as_many_as_it_is_to_and_keeps_every_page() {
        let mut valid = vec![200, 300, 400, 900, 980, 990];
        collect_at_rest(&mut valid, 2, 1_000);
        assert_eq!(valid, [900, 980, 990, 900]);
        // What is nearly full is left alone.
        let mut valid = vec![980, 990];
        collect_at_rest(&mut valid, 2, 1_000);
        assert_eq!(valid, [980, 990]);
    }

    #[test]
    fn valid_counts_fall_with_age_and_sum_to_the_pages() {
        let counts = valid_counts(80_000, 100, 1_000);
        assert_eq!(counts.iter().map(|c| u64::from(*c)).sum::<u64>(), 80_000);
        assert!(counts.is_sorted());
        assert!(
            counts[0] < 700 && counts[99] > 990,
            "{} {}",
            counts[0],
            counts[99]
        );
    }
}
