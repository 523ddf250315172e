//! Retention: old data are read slowly, and in the end not at all.
//!
//! Charge leaks out of cells, so that after some weeks or months the usual read voltages no longer
//! tell a page's values apart. The controller then reads again with other voltages (*retries*); each
//! takes a read time and a little more. Pages differ: the mean number of retries grows linearly with
//! the age beyond a threshold, and each page needs the whole number below or above it. Worn cells
//! leak faster, so that age counts for more. Beyond a limit no voltage helps, and the read ends with
//! an error. Rewriting the data resets their age to zero.
//!
//! Cells of one bit keep so much distance between their values that they fade in years: what lies there is
//! read at once. Ages are kept for each superblock, from its last program on. Data that the drive moves are young
//! again. The slow reads of old data and their repair by rewriting became widely known with 19 nm
//! cells of three bits; the mechanism and its dependence on wear are those of Cai et al., "Data
//! retention in MLC NAND flash memory" (HPCA 2015).

use base::time::{Duration, Instant};

use crate::sheet::quantity::{Count, Days, Microseconds, PerMille};
use crate::sheet::table::parameters;
use crate::ssd::flash::layout::Ppn;
use crate::ssd::ftl::Ftl;
use crate::ssd::ftl::block_pool::BlockPool;

/// "Input/output error": the error of a read whose data are lost.
pub const EIO: i32 = 5;

parameters! {
    /// How data fade.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub Fading from RetentionConfig ["retention"] {
        /// Up to this age new flash is read at once.
        reads_well "reads_well_days": Days in 0.0..=10_000.0;
        /// Each further such time adds one retry in the mean.
        retry_each "retry_each_days": Days in 0.001..=10_000.0;
        /// The controller's list of voltages: retries at most.
        most_retries "most_retries": Count in 0..=1_000;
        /// One retry.
        retry "retry_us": Microseconds in 0.0..=10_000.0;
        /// Beyond this age the data are lost; never if zero.
        lost_after "lost_after_days": Days in 0.0..=100_000.0, or Duration::ZERO;
        /// At the end of a block's life, age counts so many thousandths as on new flash.
        worn_per_mille "worn_factor": PerMille in 1.0..=1_000.0, or 1_000;
    }
}

/// When each superblock was programmed.
#[derive(Clone, Debug)]
pub struct Retention {
    fading: Fading,
    /// In nanoseconds; before zero where the state says so.
    programmed: Vec<i64>,
    /// Nothing was programmed earlier than this.
    earliest: i64,
    /// No data younger than this are read again, on blocks as worn as they get.
    well: u64,
}

impl Retention {
    /// All of so many superblocks programmed at time zero.
    pub fn new(fading: Fading, superblocks: u32) -> Retention {
        let reads_well = u128::from(fading.reads_well.as_nanos());
        let worn = u128::from(fading.worn_per_mille.max(1_000));
        Retention {
            fading,
            programmed: vec![0; superblocks as usize],
            earliest: 0,
            well: (reads_well * 1_000 / worn) as u64,
        }
    }

    /// All data have lain for so long.
    pub(in crate::ssd) fn aged(&mut self, age: Duration) {
        self.earliest = -(age.as_nanos() as i64);
        self.programmed.fill(self.earliest);
    }

    /// Whether any data are so old that they may have to be read again: young drives ask no more than this.
    #[inline]
    pub(in crate::ssd) fn may_have_faded(&self, now: Instant) -> bool {
        (now.as_nanos() as i64).saturating_sub(self.earliest).max(0) as u64 > self.well
    }

    /// A part of a superblock was programmed.
    pub(in crate::ssd) fn written(&mut self, now: Instant, superblock: u32) {
        self.programmed[superblock as usize] = now.as_nanos() as i64;
    }

    /// The age of a superblock's data in nanoseconds.
    fn age(&self, now: Instant, superblock: u32) -> u64 {
        let programmed = self.programmed[superblock as usize];
        (now.as_nanos() as i64).saturating_sub(programmed).max(0) as u64
    }

    /// As new flash would have to age for the same effect.
    fn effective_age(&self, now: Instant, superblock: u32, space: &BlockPool) -> u64 {
        let age = self.age(now, superblock);
        let Some(wear) = space.wear() else {
            return age;
        };
        let more = f64::from(self.fading.worn_per_mille) / 1_000.0 - 1.0;
        (age as f64 * (1.0 + more * wear.share(superblock).min(1.0))) as u64
    }

    /// What the retries of a page take.
    pub(in crate::ssd) fn retries(&self, now: Instant, ppn: Ppn, t: &Ftl) -> Duration {
        self.fading.retry * self.tries(now, ppn, t)
    }

    /// How often a page is read again.
    pub(in crate::ssd) fn tries(&self, now: Instant, ppn: Ppn, t: &Ftl) -> u64 {
        let (superblock, _) = t.layout.place(ppn);
        let age = self.effective_age(now, superblock, &t.pool);
        let beyond = age.saturating_sub(self.fading.reads_well.as_nanos());
        if beyond == 0 {
            return 0;
        }
        let each = self.fading.retry_each.as_nanos().max(1);
        // One more for the share of the pages that the rest of the division says.
        let draw = base::rng::splitmix64(u64::from(t.layout.unit(ppn))) % each;
        let retries = beyond / each + u64::from(draw < beyond % each);
        retries.min(u64::from(self.fading.most_retries))
    }

    /// Whether data are lost at any age.
    #[inline]
    pub(in crate::ssd) fn may_lose(&self) -> bool {
        !self.fading.lost_after.is_zero()
    }

    /// Whether a page's data are lost.
    pub(in crate::ssd) fn is_lost(&self, now: Instant, ppn: Ppn, t: &Ftl) -> bool {
        let limit = self.fading.lost_after.as_nanos();
        if limit == 0 {
            return false;
        }
        let (superblock, _) = t.layout.place(ppn);
        self.effective_age(now, superblock, &t.pool) > limit
    }
}
