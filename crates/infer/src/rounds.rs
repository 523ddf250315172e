//! Rounds of writing in order until the rate falls: how much of a one-bit cache there is to use up.
//!
//! Where the fall was seen once, its two rates are known. A round then writes until a part of it went at the lower one, and
//! the fall is placed between the two.

use base::{Bytes, Duration, Stopped};
use stats::falls::place_between;

use crate::in_order::{Curve, Place};
use crate::probe::Probe;
use crate::question::Fall;

/// Bins that the cache is, of so much at least.
const BINS: f64 = 1_600.0;
const LEAST_BIN: f64 = (8 << 20) as f64;
/// A round is over when so much of it was slow; it begins with so much of the cache, and writes so much of it at most.
const SLOW: f64 = 0.4;
const BEGINS_WITH: f64 = 1.0 / 64.0;
const MOST: f64 = 1.3;
/// More than so much that went fast after a fall.
const UNEVEN: f64 = 0.15;

/// Bytes of a bin, for a cache of so many.
pub(crate) fn bin(all: f64) -> f64 {
    (all / BINS).max(LEAST_BIN)
}

/// Rounds of writing until the rate falls.
pub(crate) struct Rounds {
    place: Place,
    fall: Fall,
    /// Seconds that are left.
    left: f64,
    /// Whether it went fast now and then after a fall, too: then a fall has no one place.
    pub(crate) is_uneven: bool,
}

impl Rounds {
    /// Rounds of a drive whose rate falls like this, from a place on, all together no longer than `budget`.
    pub(crate) fn from(fall: Fall, place: Place, budget: Duration) -> Rounds {
        Rounds {
            place,
            fall,
            left: budget.as_secs_f64(),
            is_uneven: false,
        }
    }

    /// The next rounds begin at this place.
    pub(crate) fn begin_at(&mut self, place: Place) {
        self.place = place;
    }

    /// Writes until the rate has fallen, and gives the bytes that went before; nothing where the time is over.
    pub(crate) fn one(
        &mut self,
        probe: &mut Probe<'_>,
        name: &str,
    ) -> Result<Option<f64>, Stopped> {
        let Fall {
            after_bytes: all,
            before,
            after,
            ..
        } = self.fall;
        let width = bin(all);
        let mut curve = Curve::default();
        for number in 1.. {
            self.place = self.place.round_again();
            // Twice as much each time: what is found is a part of it.
            let more = (BEGINS_WITH * all).max(16.0 * width).max(curve.bytes());
            let phase = format!("{name} part {number}");
            self.place
                .write(probe, &phase, Bytes::new(more as u64), &mut curve)?;
            if curve.seconds() > self.left {
                return Ok(None);
            }
            let rates = curve.rates(width);
            let fast = place_between(&rates, before, after);
            if fast < (1.0 - SLOW) * rates.len() as f64 || curve.bytes() > MOST * all {
                self.left -= curve.seconds();
                let after_it = &rates[(fast as usize).min(rates.len())..];
                let halfway = |rate: &&f64| **rate > (before + after) / 2.0;
                let quick = after_it.iter().filter(halfway).count() as f64;
                self.is_uneven |= quick > UNEVEN * after_it.len() as f64;
                return Ok(Some(fast * width));
            }
        }
        Ok(None)
    }
}
