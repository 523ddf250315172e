//! The mode at low temperature: for some minutes after it was switched on cold, a disk is careful.
//!
//! On a cold medium the field that turns a bit round is higher, the lubricant is stiffer and the
//! heads have not yet the height that they are set to, so what is written may be too weak to be read
//! when the drive is warm, and what is read needs a second try more often. Some makers' drives
//! therefore start in a mode of their own where the drive is at or below a threshold when it is
//! switched on, and leave it when it has warmed up by its own work, after minutes.
//!
//! One maker has explained such a mode ("Temperature Controlled Low Power Mode"; a test report of
//! 2016 prints the answer for the Seagate Enterprise NAS HDD): below the threshold the drive saves
//! power during seeks, which take longer. Sequential I/O suffers even more: a skew is designed for the
//! usual time of a change of track, and an arm that arrives later misses the first sector and waits
//! for a whole revolution. Modelled are
//!
//! - *slow moves*: each move of the arm and each change of head takes longer by a factor. Whatever the
//!   factor, a sequential stream loses a revolution a track once a move no longer fits into the skew;
//! - *verify after write*: written sectors are read back in the next revolution. A sector counts as
//!   written, and its room in the cache is given back, one revolution after it passed; so each track or
//!   part of a track that is written takes one revolution more.
//! - *retries*: sectors are read or written at the second try, a revolution later, more often
//!   ([`super::rare`], with a gap of its own).
//!
//! A state says how long ago the drive was switched on (`power-on=`) and how cold it was then
//! (`temperature=`); without either it is warm.

use super::quantity::{BlocksOfMb, Celsius, NanosOfMinutes};
use crate::sheet::quantity::{Flag, Number};
use crate::sheet::table::parameters;

parameters! {
    /// A cold start, as the drive's parameters describe it.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub ColdStart from ColdConfig ["cold_start"] {
        /// At or below so many degrees Celsius at power-on, the mode is on.
        threshold_celsius "threshold_c": Celsius in -60..=60;
        /// Nanoseconds that it lasts.
        lasts_ns "lasts_min": NanosOfMinutes in 0.0..=10_000.0;
        /// Times as long as usual that moves of the actuator take; 1: as usual.
        seek_factor "seek_factor": Number in 1.0..=100.0;
        /// Writes are read again.
        verify_writes "verify_writes": Flag;
        /// Mean blocks between retries meanwhile; 0: there are none.
        retry_gap_blocks "retry_gap_mb": BlocksOfMb in 0.0..=1e9;
    }
}

impl ColdStart {
    /// How long the mode still lasts on a drive that was switched on so long ago at a temperature.
    pub fn left_ns(&self, celsius: i32, since_power_on_ns: u64) -> u64 {
        if celsius <= self.threshold_celsius {
            self.lasts_ns.saturating_sub(since_power_on_ns)
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_is_on_at_the_threshold_and_below_for_its_time() {
        let start = ColdStart {
            threshold_celsius: 10,
            lasts_ns: 600,
            seek_factor: 1.0,
            verify_writes: true,
            retry_gap_blocks: 0.0,
        };
        assert_eq!(start.left_ns(10, 0), 600);
        assert_eq!(start.left_ns(-5, 250), 350);
        assert_eq!(start.left_ns(5, 700), 0);
        assert_eq!(start.left_ns(11, 0), 0);
    }
}
