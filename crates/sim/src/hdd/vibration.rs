//! What vibration costs: a head that is off its track when its sector comes.
//!
//! Fans and other disks shake a drive in its case. A head that is further from the middle of its track
//! than some tenth of its width must not write, since it would spoil the neighbour: a write waits until
//! the head is still, a time that cannot be predicted (exponential here), and then for its sector.
//! Reads tolerate more: now and then the sector cannot be read and comes again a revolution later. In racks
//! that shake, random writes came to between a half and three quarters of their rate on damped ones,
//! random reads to two thirds at best, and streams hardly changed (J. Turner, "Effects of data center
//! vibration on compute system performance", 2010).

use base::rng::Rng;

use super::quantity::NanosOfMillis;
use crate::sheet::quantity::Number;
use crate::sheet::table::parameters;

parameters! {
    /// What accesses lose.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub Vibration from VibrationConfig ["vibration"] {
        /// Chance that a read loses a revolution, each time that its sector comes.
        read_miss "read_miss": Number("of revolutions") in 0.0..=0.9;
        /// Mean nanoseconds until the head is still enough to write after a move.
        still_ns "write_still_ms": NanosOfMillis in 0.0..=100.0;
    }
}

/// The seeded process.
#[derive(Clone, Debug)]
pub(super) struct Shaken {
    rng: Rng,
    vibration: Vibration,
}

impl Shaken {
    pub(super) fn new(vibration: Vibration, seed: u64) -> Shaken {
        Shaken {
            rng: Rng::stream(seed, 0x7669_6272),
            vibration,
        }
    }

    /// Revolutions that a read loses.
    #[inline]
    pub(super) fn lost(&mut self) -> u64 {
        let mut lost = 0;
        while self.vibration.read_miss > 0.0 && self.rng.unit() < self.vibration.read_miss {
            lost += 1;
        }
        lost
    }

    /// Nanoseconds that a controller allows for, when it chooses what to write next: twice the mean, so that one write
    /// in seven misses its sector.
    #[inline]
    pub(super) fn margin_ns(&self) -> u64 {
        2 * self.vibration.still_ns
    }

    /// Nanoseconds until the head is still enough for a write.
    #[inline]
    pub(super) fn still(&mut self) -> u64 {
        match self.vibration.still_ns {
            0 => 0,
            mean => (self.rng.exponential() * mean as f64) as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lose_whole_revolutions_and_writes_a_time_of_the_mean_asked_for() {
        let vibration = Vibration {
            read_miss: 0.25,
            still_ns: 5_000_000,
        };
        let mut shaken = Shaken::new(vibration, 3);
        let n = 100_000_u32;
        let lost: u64 = (0..n).map(|_| shaken.lost()).sum();
        assert!(
            (lost as f64 / f64::from(n) - 1.0 / 3.0).abs() < 0.01,
            "{lost}"
        );
        let still: u64 = (0..n).map(|_| shaken.still()).sum();
        assert!(
            (still as f64 / f64::from(n) / 5e6 - 1.0).abs() < 0.02,
            "{still}"
        );
    }

    #[test]
    fn a_disk_that_nothing_shakes_loses_nothing() {
        let mut still = Shaken::new(Vibration::default(), 3);
        assert_eq!((still.lost(), still.still()), (0, 0));
    }
}
