//! Cross temperature: data that are read at another temperature than they were programmed at err more.
//!
//! A cell's threshold voltage moves with temperature, and so do the circuits that compare it: reference voltages
//! that were right when a page was programmed are off when the drive has become warmer or cooler since. Pages
//! fail that are neither worn nor old, and the next reading with other voltages finds them
//! ([`read_retry`](super::read_retry)): a drive that was written in a warm case and is read on a cold morning, or
//! the other way round, is slow, and, where the steps do not suffice, errs.
//!
//! Here the rate of errors doubles for so many kelvins between programming and reading. What was programmed
//! since the drive was made is as warm as the drive was when its superblock was opened, all else as warm as at
//! rest. How hot the drive is comes from its thermal model ([`thermal`](crate::ssd::front::thermal)), as of the
//! last command.
//!
//! Source: Zambelli, Micheloni, Olivo, "Cross-Temperature Effects of Program and Read Operations in 2D and 3D NAND
//! Flash Memories" (IMW 2018): the effect, in planar and stacked cells alike; there it is worse where programming
//! was the warmer one, here it is the same both ways. No maker gives its size; 20 to 40 K for a doubling is one
//! to two steps of voltages over the range of an office.

use crate::sheet::quantity::Number;
use crate::sheet::table::parameters;

parameters! {
    /// What a difference of temperature does.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub Crossing from CrossTemperatureConfig ["scatter.cross_temperature"] {
        /// Kelvins between programming and reading for which the rate of errors doubles.
        doubling "kelvins_a_doubling": Number("K") in 2.0..=1_000.0;
    }
}

/// Kelvins of a class of differences.
const CLASS: f64 = 4.0;

/// Classes of differences: up to 100 K.
const CLASSES: usize = 26;

/// What a superblock was programmed at.
#[derive(Clone, Copy, Debug)]
struct Programmed {
    turn: u32,
    celsius: f32,
}

/// How warm the drive is, and was.
#[derive(Clone, Debug)]
pub(in crate::ssd) struct CrossTemperature {
    now: f64,
    superblocks: Vec<Programmed>,
}

impl CrossTemperature {
    /// Nothing programmed yet, or all of it at this temperature.
    pub(in crate::ssd) fn new(celsius: f64, superblocks: u32) -> CrossTemperature {
        let at_rest = Programmed {
            turn: 0,
            celsius: celsius as f32,
        };
        CrossTemperature {
            now: celsius,
            superblocks: vec![at_rest; superblocks as usize],
        }
    }

    /// What each class of differences multiplies the rate of errors by, the first one by nothing.
    pub(in crate::ssd) fn factors(rules: &Crossing) -> Vec<f64> {
        let kelvins = (0..CLASSES).map(|class| class as f64 * CLASS);
        kelvins
            .map(|kelvins| libm::exp2(kelvins / rules.doubling))
            .collect()
    }

    /// The drive is so warm now.
    #[inline]
    pub(in crate::ssd) fn is_now(&mut self, celsius: f64) {
        self.now = celsius;
    }

    /// A part of a superblock that was opened in a turn is programmed.
    #[inline]
    pub(in crate::ssd) fn program(&mut self, superblock: u32, turn: u32) {
        if let Some(programmed) = self.superblocks.get_mut(superblock as usize)
            && programmed.turn != turn
        {
            *programmed = Programmed {
                turn,
                celsius: self.now as f32,
            };
        }
    }

    /// All that is held was programmed as warm as the drive is now, in turns up to this one.
    pub(in crate::ssd) fn held_until(&mut self, turns: impl Iterator<Item = u32>) {
        for (programmed, turn) in self.superblocks.iter_mut().zip(turns) {
            *programmed = Programmed {
                turn,
                celsius: self.now as f32,
            };
        }
    }

    /// The class of the difference between a superblock's programming and now.
    #[inline]
    pub(in crate::ssd) fn class(&self, superblock: u32) -> usize {
        let programmed = self.superblocks.get(superblock as usize);
        let kelvins = programmed.map_or(0.0, |at| (self.now - f64::from(at.celsius)).abs());
        ((kelvins / CLASS).round() as usize).min(CLASSES - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_doubles_for_so_many_kelvins() {
        let factors = CrossTemperature::factors(&Crossing { doubling: 20.0 });
        let by_kelvins = [(0, 1.0), (20, 2.0), (40, 4.0), (100, 32.0)];
        for (kelvins, factor) in by_kelvins {
            let class = (f64::from(kelvins) / CLASS) as usize;
            assert!((factors[class] - factor).abs() < 1e-9, "{kelvins}");
        }
    }

    #[test]
    fn a_superblock_is_as_warm_as_the_drive_was_when_it_was_opened() {
        let mut cross = CrossTemperature::new(35.0, 2);
        cross.program(1, 1);
        cross.is_now(75.0);
        // The same turn goes on; it was opened at 35.
        cross.program(1, 1);
        assert_eq!((cross.class(0), cross.class(1)), (10, 10));
        cross.program(1, 2);
        assert_eq!((cross.class(0), cross.class(1)), (10, 0));
        cross.is_now(-60.0);
        assert_eq!(
            cross.class(1),
            CLASSES - 1,
            "beyond 100 K it is as at 100 K"
        );
    }
}
