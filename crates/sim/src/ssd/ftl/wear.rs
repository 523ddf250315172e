//! Wear: each erase wears a block, and after a number of erases it is taken out of service.
//!
//! A block of flash endures a number of program and erase *cycles* (multi-level cells a few
//! thousand, three bits a cell about a thousand, one bit a cell a hundred thousand); blocks differ,
//! so each one's limit is drawn around the stated number, within a *spread*. The drive counts the
//! erases of its superblocks and retires one that has reached its limit when it is next empty.
//! Spare flash shrinks so, collection finds fuller victims, and writes are amplified more. Before
//! the flash would no longer hold what the drive states as its capacity, the drive turns read-only:
//! nothing is lost, all data can still be read, and writes are refused (the behaviour that the
//! developers of the Toshiba HG2 describe). A fixed area of one bit a cell has its own limit; when
//! the first of its superblocks reaches it, the area is off for good, and the host writes straight
//! to all bits from then on (as described for the Samsung 840 EVO's buffer).
//!
//! Superblocks are opened in the order in which they were freed, which spreads erases evenly over
//! all that is overwritten; data that are never overwritten keep their blocks young (no static wear levelling).

use base::rng::Rng;

use crate::sheet::quantity::{Count, PerMille};
use crate::sheet::table::parameters;

/// "Read-only file system": the error of a write on a worn-out drive.
pub const EROFS: i32 = 30;

parameters! {
    /// How much the flash stands.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub WearLimits from WearConfig ["wear"] {
        /// Erases of a block that holds all bits a cell.
        cycles "cycles": Count("erases") in 1..=1_000_000;
        /// Erases of a block of the fixed area of one bit a cell.
        slc_cycles "slc_cycles": Count("erases") in 1..=10_000_000, or u32::MAX;
        /// Blocks differ by up to so many in a thousand from these, either way.
        spread_per_mille "spread": PerMille("of the cycles") in 0.0..=0.9;
    }
}

/// What becomes of a superblock that is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ssd) enum Fate {
    /// It is free.
    InService,
    /// It is worn out.
    Retired,
    /// It is worn out, and with it the fixed area of one bit a cell is off.
    AreaFailed,
    /// It is worn out, but without it the stated capacity would not be there: the drive turns
    /// read-only instead.
    LastOne,
}

/// The wear of all superblocks.
#[derive(Clone, Debug)]
pub struct Wear {
    erases: Vec<u32>,
    limits: Vec<u32>,
    /// Erases of everything until one more would leave too few superblocks for the stated capacity.
    life: u32,
    /// Superblocks of all bits in service, and how many the stated capacity needs.
    in_service: u32,
    needed: u32,
    area_failed: bool,
}

impl Wear {
    /// New flash: `superblocks` in all, the first `fixed` of them the fixed area of one bit a cell,
    /// `in_service` the others that are used; the stated capacity needs `needed` of them.
    pub fn new(
        limits: WearLimits,
        superblocks: u32,
        fixed: u32,
        in_service: u32,
        needed: u32,
        seed: u64,
    ) -> Wear {
        let mut rng = Rng::stream(seed, 0x3ea2);
        let spread = f64::from(limits.spread_per_mille) / 1_000.0;
        let limit = |superblock| {
            let cycles = if superblock < fixed {
                limits.slc_cycles
            } else {
                limits.cycles
            };
            let own = 1.0 + spread * (2.0 * rng.unit() - 1.0);
            (f64::from(cycles) * own + 0.5) as u32
        };
        let limits: Vec<u32> = (0..superblocks).map(limit).collect();
        let used = limits.iter().skip(fixed as usize).take(in_service as usize);
        let mut used: Vec<u32> = used.copied().collect();
        used.sort_unstable();
        let spare = in_service.saturating_sub(needed) as usize;
        Wear {
            erases: vec![0; superblocks as usize],
            life: used.get(spare).copied().unwrap_or(0),
            limits,
            in_service,
            needed,
            area_failed: false,
        }
    }

    /// A superblock is erased.
    pub(in crate::ssd) fn erased(&mut self, superblock: u32) {
        self.erases[superblock as usize] += 1;
    }

    /// What becomes of an empty superblock.
    pub(in crate::ssd) fn fate(&mut self, superblock: u32, fixed: bool) -> Fate {
        let worn = self.is_worn(superblock);
        match (fixed, worn) {
            (true, _) if self.area_failed => Fate::Retired,
            (true, true) => {
                self.area_failed = true;
                Fate::AreaFailed
            }
            (false, true) if self.in_service <= self.needed => Fate::LastOne,
            (false, true) => {
                self.in_service -= 1;
                Fate::Retired
            }
            (_, false) => Fate::InService,
        }
    }

    /// Whether a superblock has been erased as often as it endures.
    pub(in crate::ssd) fn is_worn(&self, superblock: u32) -> bool {
        self.erases[superblock as usize] >= self.limits[superblock as usize]
    }

    /// Erases of a superblock so far.
    pub fn erases(&self, superblock: u32) -> u32 {
        self.erases[superblock as usize]
    }

    /// The share of a superblock's life that is over, 0 to 1.
    pub fn share(&self, superblock: u32) -> f64 {
        let limit = self.limits[superblock as usize].max(1);
        f64::from(self.erases[superblock as usize]) / f64::from(limit)
    }

    /// Per cent of the flash's life that is over, as a drive that starts worn counts it; `fixed` superblocks are the area of
    /// one bit a cell.
    pub fn used_percent(&self, fixed: u32) -> f64 {
        let life = f64::from(self.life).max(1.0);
        let rest = &self.erases[fixed as usize..];
        let sum: u64 = rest.iter().map(|erases| u64::from(*erases)).sum();
        100.0 * sum as f64 / rest.len().max(1) as f64 / life
    }

    /// Superblocks of all bits in service, and how many the stated capacity needs.
    #[cfg(test)]
    pub fn in_service(&self) -> (u32, u32) {
        (self.in_service, self.needed)
    }

    /// Whether the fixed area of one bit a cell is off for good.
    #[cfg(test)]
    pub fn area_failed(&self) -> bool {
        self.area_failed
    }

    /// The drive has been worn evenly for so many ten-thousandths of its life: until one more erase
    /// of everything would leave too few superblocks for the stated capacity. A fixed area's life,
    /// `fixed` superblocks, is that of its weakest.
    pub(in crate::ssd) fn start_worn(&mut self, fixed: u32, per_ten_thousand: u32) {
        let life = self.life;
        let area = &self.limits[..fixed as usize];
        let area_life = area.iter().min().copied().unwrap_or(0);
        let worn = |life: u32| (u64::from(life) * u64::from(per_ten_thousand) / 10_000) as u32;
        self.erases[..fixed as usize].fill(worn(area_life));
        self.erases[fixed as usize..].fill(worn(life));
    }
}
