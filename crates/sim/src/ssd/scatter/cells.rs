//! Cells: reads, programs and erases take their mean time only in the mean.
//!
//! A page is programmed by pulses until every cell has reached its level, and a block is erased by
//! pulses until no cell is above one: how many that takes differs from word line to word line, from
//! layer to layer of a stack, and from time to time. So each operation's time is drawn about its
//! mean (Gaussian, cut off beyond 3.5 deviations); a program also has a part that belongs to its
//! place, a smooth curve over the block's word lines, as etched holes are narrower at the bottom of
//! a stack. Wear changes both: worn cells are programmed faster, as charge is trapped in them
//! already, and erased more slowly.
//!
//! Sources: erases that need one pulse or several, block by block ("AERO", Cho et al., ASPLOS 2024,
//! arXiv 2404.10355); layers that differ in errors and program speed (Luo et al., "Improving 3D NAND
//! flash memory lifetime", SIGMETRICS 2018, arXiv 1807.05140). Sizes are a drive file's: some per
//! cent for reads, 5 to 15 % for programs.

use base::time::Duration;

use super::normal_thousandths;
use crate::sheet::quantity::PerMille;
use crate::sheet::table::parameters;

parameters! {
    /// How far operations are from their mean.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub CellSpread from CellsConfig ["scatter.cells"] {
        /// Standard deviation of a reading.
        read "read_spread": PerMille("of its time") in 0.0..=0.28, or 0;
        /// Standard deviation of a program.
        program "program_spread": PerMille("of its time") in 0.0..=0.28, or 0;
        /// From the mean to the slowest word line of a block, and to the fastest.
        layers "layer_spread": PerMille("of a program's time") in 0.0..=0.5, or 0;
        /// Standard deviation of an erase.
        erase "erase_spread": PerMille("of its time") in 0.0..=0.28, or 0;
        /// How much faster cells at the end of their life are programmed.
        worn_program "worn_program": PerMille("of its time") in 0.0..=0.5, or 0;
        /// How much more slowly they are erased.
        worn_erase "worn_erase": PerMille("of its time") in 0.0..=4.0, or 0;
    }
}

/// Draws the times of one drive's operations.
#[derive(Clone, Debug)]
pub(in crate::ssd) struct Cells {
    spread: CellSpread,
    seed: u64,
    drawn: u64,
}

/// Where a program is on its block and in the block's life.
#[derive(Clone, Copy, Debug)]
pub(in crate::ssd) struct Place {
    /// The group's number, and how many there are on a die of a superblock.
    pub(in crate::ssd) group: u32,
    pub(in crate::ssd) groups: u32,
    /// Thousandths of its life that are over.
    pub(in crate::ssd) worn: u32,
}

impl Cells {
    pub(in crate::ssd) fn new(spread: CellSpread, seed: u64) -> Cells {
        Cells {
            spread,
            seed: base::rng::splitmix64(seed ^ 0xce11),
            drawn: 0,
        }
    }

    /// A time about its mean.
    #[inline]
    fn about(&mut self, mean: Duration, spread: u32) -> Duration {
        if spread == 0 {
            return mean;
        }
        self.drawn += 1;
        let z = normal_thousandths(base::rng::splitmix64(self.seed.wrapping_add(self.drawn)));
        let mean = mean.as_nanos() as i64;
        Duration::from_nanos((mean + mean * i64::from(spread) * z / 1_000_000).max(0) as u64)
    }

    /// A reading.
    #[inline]
    pub(in crate::ssd) fn read(&mut self, mean: Duration) -> Duration {
        self.about(mean, self.spread.read)
    }

    /// A program.
    pub(in crate::ssd) fn program(&mut self, mean: Duration, place: Place) -> Duration {
        let mean = mean.as_nanos() as i64;
        // From the one end of the stack to the other, in thousandths of the way either side.
        let groups = i64::from(place.groups.max(2)) - 1;
        let along = (2 * i64::from(place.group).min(groups) - groups) * 1_000 / groups;
        let layer = mean * i64::from(self.spread.layers) * along / 1_000_000;
        let worn = match place.worn {
            0 => 0,
            worn => mean * i64::from(self.spread.worn_program) * i64::from(worn) / 1_000_000,
        };
        let mean = Duration::from_nanos((mean + layer - worn).max(0) as u64);
        self.about(mean, self.spread.program)
    }

    /// No erase, where one might have been: the draws behind it stay those that they were.
    pub(in crate::ssd) fn no_erase(&mut self) {
        self.drawn += u64::from(self.spread.erase != 0);
    }

    /// An erase.
    pub(in crate::ssd) fn erase(&mut self, mean: Duration, worn: u32) -> Duration {
        let more =
            mean.as_nanos() * u64::from(self.spread.worn_erase) * u64::from(worn) / 1_000_000;
        self.about(mean + Duration::from_nanos(more), self.spread.erase)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: CellSpread = CellSpread {
        read: 0,
        program: 0,
        layers: 0,
        erase: 0,
        worn_program: 0,
        worn_erase: 0,
    };
    const MEAN: Duration = Duration::from_micros(1_000);

    fn place(group: u32, worn: u32) -> Place {
        Place {
            group,
            groups: 64,
            worn,
        }
    }

    #[test]
    fn without_spread_every_time_is_the_mean() {
        let mut cells = Cells::new(NONE, 3);
        for group in 0..64 {
            assert_eq!(cells.read(MEAN), MEAN);
            assert_eq!(cells.program(MEAN, place(group, 1_000)), MEAN);
            assert_eq!(cells.erase(MEAN, 1_000), MEAN);
        }
    }

    #[test]
    fn layers_and_wear_move_the_mean_of_programs_and_erases() {
        let spread = CellSpread {
            layers: 100,
            worn_program: 200,
            worn_erase: 2_000,
            ..NONE
        };
        let mut cells = Cells::new(spread, 3);
        assert_eq!(cells.program(MEAN, place(0, 0)), Duration::from_micros(900));
        assert_eq!(
            cells.program(MEAN, place(63, 0)),
            Duration::from_micros(1_100)
        );
        assert_eq!(
            cells.program(MEAN, place(63, 500)),
            Duration::from_micros(1_000)
        );
        assert_eq!(cells.erase(MEAN, 500), Duration::from_micros(2_000));
    }

    #[test]
    fn readings_scatter_about_their_mean() {
        let mut cells = Cells::new(CellSpread { read: 30, ..NONE }, 7);
        let mut times: Vec<u64> = (0..10_000).map(|_| cells.read(MEAN).as_nanos()).collect();
        times.sort_unstable();
        assert!((995_000..1_005_000).contains(&times[5_000]));
        // One deviation above the mean is the 84th percentile.
        assert!(
            (1_028_000..1_032_000).contains(&times[8_413]),
            "{}",
            times[8_413]
        );
    }
}
