//! The spindle: the angle of the discs at a given time, in whole numbers.
//!
//! Discs turn at constant speed and are never re-synchronised, so the angle under the heads follows
//! from the time alone. An angle is a `u64`: 2^64 is a whole revolution, so that adding and
//! multiplying wrap round as the disc does. The speed is held as revolution fractions a nanosecond,
//! rounded once: it is off by less than 10^-12, and the same everywhere, since no float takes part.
//! A wait that comes out within a 65,536th of a revolution below a whole revolution is none: it is
//! the rounding of a time to whole nanoseconds, and a stream of sectors must not lose a revolution
//! by it.

use base::time::Duration;

/// An angle or a share of a revolution: 2^64 is a whole revolution, arithmetic wraps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Angle(pub u64);

/// Below a whole revolution by less than this is nothing at all: 127 ns at 7,200 rpm.
const ROUNDING: u64 = 1 << 48;

impl Angle {
    /// `part / whole` of a revolution, rounded down; the whole is not zero.
    pub const fn share(part: u64, whole: u64) -> Angle {
        Angle((((part as u128) << 64) / whole as u128) as u64)
    }
    /// `millionths` of a revolution.
    pub const fn from_millionths(millionths: u64) -> Angle {
        Angle::share(millionths, 1_000_000)
    }
    /// This plus another, round the revolution.
    pub const fn plus(self, other: Angle) -> Angle {
        Angle(self.0.wrapping_add(other.0))
    }
    /// The way on from `other` to this.
    pub const fn from(self, other: Angle) -> Angle {
        Angle(self.0.wrapping_sub(other.0))
    }
    /// This `n` times, round the revolution.
    pub const fn times(self, n: u64) -> Angle {
        Angle(self.0.wrapping_mul(n))
    }
}

/// A turning stack of discs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spindle {
    /// Fraction of a revolution, in 2^-64, a nanosecond.
    revolution_per_ns: u64,
    /// Nanoseconds a revolution, in 2^-32.
    ns_per_revolution_q32: u64,
}

impl Spindle {
    /// A spindle by its revolutions a minute.
    ///
    /// # Panics
    /// Where `rpm` is zero.
    pub const fn new(rpm: u32) -> Spindle {
        Spindle::of_milli_rpm(rpm as u64 * 1_000)
    }

    /// A spindle by its thousandths of a revolution a minute.
    ///
    /// # Panics
    /// Where `milli_rpm` is zero.
    pub const fn of_milli_rpm(milli_rpm: u64) -> Spindle {
        assert!(milli_rpm > 0, "a disc that stands still is never read");
        let minute = 60_000_000_000_000_u128;
        let rpm = milli_rpm as u128;
        Spindle {
            revolution_per_ns: (((rpm << 64) + minute / 2) / minute) as u64,
            ns_per_revolution_q32: ((minute << 32) / rpm) as u64,
        }
    }

    /// One revolution, rounded up to whole nanoseconds.
    pub const fn revolution(self) -> Duration {
        Duration::from_nanos((self.ns_per_revolution_q32 >> 32) + 1)
    }

    /// `n` whole revolutions.
    pub const fn revolutions(self, n: u64) -> u64 {
        ((self.ns_per_revolution_q32 as u128 * n as u128) >> 32) as u64
    }

    /// The angle under the heads at a given time in nanoseconds.
    #[inline]
    pub const fn angle_at(self, ns: u64) -> Angle {
        Angle(ns.wrapping_mul(self.revolution_per_ns))
    }

    /// Nanoseconds after which the discs have turned by this share of a revolution: the next whole
    /// one.
    #[inline]
    pub const fn time_for(self, share: Angle) -> u64 {
        let product = share.0 as u128 * self.ns_per_revolution_q32 as u128;
        (product >> 96) as u64 + (share.0 != 0) as u64
    }

    /// Nanoseconds for `n` sectors of a track to pass, rounded up; `n` is at most a whole track.
    #[inline]
    pub const fn time_for_sectors(self, n: u64, sector: Angle) -> u64 {
        let product = (n as u128 * sector.0 as u128) * self.ns_per_revolution_q32 as u128;
        (product >> 96) as u64 + 1
    }

    /// Nanoseconds for `n` sectors to pass with `changes` skews between them, rounded up; at most 150
    /// revolutions.
    #[inline]
    pub const fn time_for_tracks(
        self,
        (n, sector): (u64, Angle),
        (changes, skew): (u64, Angle),
    ) -> u64 {
        let way = n as u128 * sector.0 as u128 + changes as u128 * skew.0 as u128;
        ((way * self.ns_per_revolution_q32 as u128) >> 96) as u64 + 1
    }

    /// Nanoseconds from a time until an angle is under the heads.
    #[inline]
    pub const fn wait(self, from_ns: u64, target: Angle) -> u64 {
        let way = target.from(self.angle_at(from_ns));
        if way.0 > u64::MAX - ROUNDING {
            0
        } else {
            self.time_for(way)
        }
    }

    /// How far the discs turn in a time of less than one revolution, in nanoseconds, rounded down.
    #[inline]
    pub const fn share_of(self, ns: u64) -> Angle {
        Angle(ns.saturating_mul(self.revolution_per_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_revolution_at_7200_rpm_is_eight_and_a_third_milliseconds() {
        let spindle = Spindle::new(7_200);
        assert_eq!(spindle.revolution(), Duration::from_nanos(8_333_334));
        assert_eq!(spindle.revolutions(3), 25_000_000 - 1);
        assert_eq!(spindle.time_for(Angle::share(1, 2)), 4_166_667);
        assert_eq!(spindle.time_for(Angle(0)), 0);
    }

    #[test]
    fn an_angle_just_passed_by_rounding_is_not_waited_for_a_whole_revolution() {
        let spindle = Spindle::new(10_025);
        let target = spindle.angle_at(1_000_000);
        assert_eq!(spindle.wait(1_000_090, target), 0);
        assert!(spindle.wait(1_000_200, target) > 5_900_000);
    }

    #[test]
    fn after_ten_years_the_discs_have_made_the_revolutions_that_ten_years_hold() {
        let spindle = Spindle::new(7_200);
        let ten_years: u64 = 10 * 365 * 86_400 * 1_000_000_000;
        // A whole number of revolutions at exactly 7,200 rpm; what is left is the rounding of the
        // speed.
        let left = spindle.angle_at(ten_years).0;
        let off = left.min(left.wrapping_neg()) as f64 / 2_f64.powi(64);
        assert!(off < 0.01, "{off}");
    }

    proptest! {
        /// Waiting for an angle ends with that angle under the heads, within a nanosecond's
        /// revolution.
        #[test]
        fn a_wait_ends_at_its_angle(now in 0_u64..1 << 50, target: u64, rpm in 3_600_u32..15_001) {
            let spindle = Spindle::new(rpm);
            let wait = spindle.wait(now, Angle(target));
            prop_assert!(wait <= spindle.revolution().as_nanos());
            let reached = spindle.angle_at(now + wait).from(Angle(target)).0;
            let late = reached.min(reached.wrapping_neg());
            prop_assert!(late <= ROUNDING.max(2 * spindle.revolution_per_ns), "{}", late);
        }
    }
}
