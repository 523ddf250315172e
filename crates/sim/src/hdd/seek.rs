//! The arm: how long it takes to move, and to settle.
//!
//! A seek accelerates, coasts, brakes and settles: its time grows with the square root of a short
//! distance and almost linearly over a long one. As a multiple of the mean seek, by distance as a
//! share of the stroke, the curve has the same shape in six drives whose curves were extracted from
//! outside (the DIXtrac measurements in the DiskSim 4.0 validation set), so that a data sheet's
//! mean fixes the whole of it ([`SHAPE`]). The mean meant is the makers': over all pairs of
//! cylinders, which weighs a distance of share x by 2 (1 - x). A curve is straight lines between
//! points, so that an extracted one can be used as it is, outliers included.
//!
//! A change of head without a move takes a time of its own, since the new head must find its track;
//! a move and a head change overlap. A write may begin only when the head is quieter than a read
//! needs, hence an extra after each move.

/// Where a curve has its corners: (share of the stroke, multiple of the mean seek). Middles of the
/// six measured drives; the first entry stands for one cylinder, where it is 0.11 to 0.22.
pub const SHAPE: [(f64, f64); 10] = [
    (0.0, 0.165),
    (0.001, 0.245),
    (0.01, 0.385),
    (0.03, 0.505),
    (0.1, 0.675),
    (0.2, 0.855),
    (1.0 / 3.0, 1.045),
    (0.5, 1.245),
    (2.0 / 3.0, 1.455),
    (1.0, 1.9),
];

/// A seek curve: straight lines through points, by distance in cylinders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeekCurve {
    /// Nanoseconds for each distance.
    times: Vec<u32>,
    /// The same as a piece of a line for each [`PIECE`] distances. The table is a megabyte on a
    /// modern drive, and the choice among waiting accesses asks it dozens of times an access: the
    /// pieces stay in the processor's nearest caches.
    pieces: Vec<Piece>,
    /// The least time from each piece's first distance on.
    least: Vec<u32>,
}

/// Distances of a piece: 2^7.
const PIECE_BITS: u32 = 7;
const PIECE: usize = 1 << PIECE_BITS;
/// Fractions of a nanosecond in a piece: 2^-28.
const FRACTION_BITS: u32 = 28;

/// Part of a line: what the table says of its distances, each to the nanosecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    /// Time at its first distance, in 2^-28 ns.
    at_first: u64,
    /// What each further one takes more, in 2^-28 ns; [`Piece::NONE`] where the table has a corner.
    more: u64,
}

impl Piece {
    const NONE: u64 = u64::MAX;
    const CORNER: Piece = Piece {
        at_first: 0,
        more: Piece::NONE,
    };

    /// The piece of a rising line from its first distance on, where it gives the table's times.
    fn of(line: Line, first: u32, times: &[u32]) -> Piece {
        let ((start, at_start), Some((end, at_end))) = line else {
            return Piece::CORNER;
        };
        let (Some(rise), Some(past)) = (at_end.checked_sub(at_start), first.checked_sub(start))
        else {
            return Piece::CORNER;
        };
        let run = u128::from(end - start);
        let fraction = |whole: u128| (whole << FRACTION_BITS) / run;
        // A little more than the exact value, so that what was cut off does not cost a nanosecond.
        let at_first = (u128::from(at_start) << FRACTION_BITS)
            + fraction(u128::from(past) * u128::from(rise))
            + 2 * PIECE as u128;
        let piece = Piece {
            at_first: u64::try_from(at_first).unwrap_or(u64::MAX >> 1),
            more: u64::try_from(fraction(u128::from(rise))).unwrap_or(0),
        };
        let exact = |(i, &time): (usize, &u32)| piece.time(i as u64) == u64::from(time);
        if times.iter().enumerate().all(exact) {
            piece
        } else {
            Piece::CORNER
        }
    }

    #[inline]
    const fn time(self, past: u64) -> u64 {
        self.at_first.wrapping_add(past.wrapping_mul(self.more)) >> FRACTION_BITS
    }
}

/// A point of (cylinders, nanoseconds) and the next one, where there is one.
type Line = ((u32, u64), Option<(u32, u64)>);

/// What a list of points is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotACurve {
    /// No point at all.
    #[error("a seek curve needs at least one point of (cylinders, time)")]
    Empty,
    /// Distances that do not grow, or begin at zero.
    #[error("a seek curve's distances must grow from 1 on, but {0} cylinders follow {1}")]
    Order(u32, u32),
}

impl SeekCurve {
    /// The curve through points of (cylinders, nanoseconds) for a drive of so many cylinders; past
    /// its ends the first and last lines continue, never below zero nor above 4 s.
    ///
    /// # Errors
    /// Where there is no point or the distances do not grow.
    pub fn through(cylinders: u32, points: &[(u32, u64)]) -> Result<SeekCurve, NotACurve> {
        let Some(&first) = points.first() else {
            return Err(NotACurve::Empty);
        };
        let mut before = 0;
        for &(distance, _) in points {
            if distance <= before {
                return Err(NotACurve::Order(distance, before));
            }
            before = distance;
        }
        let mut times = vec![0; cylinders.max(1) as usize];
        let mut lines = Vec::with_capacity(times.len() / PIECE + 1);
        let mut line = (first, points.get(1).copied());
        let mut next = 1;
        for distance in 1..cylinders {
            // The line to the last point continues behind it.
            if next + 1 < points.len() && points[next].0 <= distance {
                line = (points[next], Some(points[next + 1]));
                next += 1;
            }
            times[distance as usize] = on_line(line, distance);
            if (distance as usize).is_multiple_of(PIECE) {
                lines.push((line, distance));
            }
        }
        // No distance at all takes no time: the first piece has a corner.
        let mut pieces = vec![Piece::CORNER];
        let rest = times.chunks(PIECE).skip(1);
        pieces.extend(
            lines
                .into_iter()
                .zip(rest)
                .map(|((line, first), times)| Piece::of(line, first, times)),
        );
        let least = least_from_each(&times);
        Ok(SeekCurve {
            times,
            pieces,
            least,
        })
    }

    /// The curve of a drive with a known mean seek: [`SHAPE`] with its own multiple for
    /// one cylinder, scaled so that the mean over all pairs of cylinders is exactly `mean_ns`.
    ///
    /// # Errors
    /// Where the drive has too few cylinders for the corners to be apart.
    pub fn from_mean(
        cylinders: u32,
        mean_ns: u64,
        one_cylinder: f64,
    ) -> Result<SeekCurve, NotACurve> {
        let stroke = f64::from(cylinders.saturating_sub(1));
        let points: Vec<(u32, f64)> = SHAPE
            .iter()
            .enumerate()
            .map(|(i, &(share, multiple))| match i {
                0 => (1, one_cylinder),
                _ => ((share * stroke + 0.5) as u32, multiple),
            })
            .collect();
        let at = |scale: f64| {
            points
                .iter()
                .map(|&(d, multiple)| (d, (multiple * scale + 0.5) as u64))
                .collect::<Vec<_>>()
        };
        // Time is linear in the scale: one evaluation at a billion gives it.
        let unscaled = SeekCurve::through(cylinders, &at(1e9))?.mean();
        SeekCurve::through(cylinders, &at(mean_ns as f64 * 1e9 / unscaled))
    }

    /// Nanoseconds of a seek over a number of cylinders; 0 for 0 cylinders.
    ///
    /// # Panics
    /// Where the drive has no two cylinders so far apart.
    #[inline]
    pub fn time(&self, distance: u32) -> u64 {
        let piece = self.pieces[(distance >> PIECE_BITS) as usize];
        if piece.more == Piece::NONE {
            return u64::from(self.times[distance as usize]);
        }
        piece.time(u64::from(distance) % PIECE as u64)
    }

    /// No seek over so many cylinders or more takes less than this.
    ///
    /// # Panics
    /// As [`SeekCurve::time`].
    #[inline]
    pub fn least_from(&self, distance: u32) -> u64 {
        u64::from(self.least[(distance >> PIECE_BITS) as usize])
    }

    /// Mean over all pairs of cylinders with a seek between them, as makers define it: the sum of
    /// (C - n) t(n) over n, divided by that of the weights.
    pub fn mean(&self) -> f64 {
        let cylinders = self.times.len() as f64;
        let pairs = cylinders * (cylinders - 1.0) / 2.0;
        let weighted = |(n, &ns): (usize, &u32)| (cylinders - n as f64) * f64::from(ns);
        let sum: f64 = self.times.iter().enumerate().map(weighted).sum();
        if pairs > 0.0 { sum / pairs } else { 0.0 }
    }
}

/// The least time from the first distance of each piece on: a curve may fall, too.
fn least_from_each(times: &[u32]) -> Vec<u32> {
    let mut least = u32::MAX;
    let mut from_each: Vec<u32> = (times.chunks(PIECE).rev())
        .map(|times| {
            least = times.iter().fold(least, |least, time| least.min(*time));
            least
        })
        .collect();
    from_each.reverse();
    from_each
}

/// A point and perhaps a second one: the line through them, rounded towards the first.
fn on_line((from, to): Line, distance: u32) -> u32 {
    let rise = to.map_or(0, |to| {
        let past = i128::from(distance) - i128::from(from.0);
        past * (i128::from(to.1) - i128::from(from.1)) / i128::from(to.0 - from.0)
    });
    (i128::from(from.1) + rise).clamp(0, i128::from(u32::MAX)) as u32
}

/// Everything that brings a head over a track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actuator {
    /// Time to cross cylinders, settled for reading.
    pub curve: SeekCurve,
    /// Nanoseconds to change the head without a move.
    pub head_switch_ns: u64,
    /// Nanoseconds more before a write after any move or head change; may be negative, as
    /// extraction from outside sometimes finds.
    pub write_settle_ns: i64,
    /// What a write's move takes beyond a read's, in 2^-16 of it. Makers' specifications give the mean seek
    /// of a write 7 to 12 % more than that of a read, and the full stroke and one track about as much.
    pub write_more_q16: u64,
}

impl Actuator {
    /// What a write's move takes beyond a read's of so many nanoseconds; below 4 s.
    #[inline]
    pub fn write_beyond(&self, move_ns: u64) -> i64 {
        self.write_settle_ns + ((move_ns * self.write_more_q16) >> 16) as i64
    }

    /// Nanoseconds to get from one cylinder and head to another, ready to read or to write.
    #[inline]
    pub fn time(&self, from: (u32, u16), to: (u32, u16), write: bool) -> u64 {
        let mut ns = self.curve.time(from.0.abs_diff(to.0));
        if from.1 != to.1 {
            ns = ns.max(self.head_switch_ns);
        }
        if write && ns != 0 {
            ns = ns.saturating_add_signed(self.write_beyond(ns));
        }
        ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::Rng;
    use proptest::prelude::*;

    #[test]
    fn a_curve_goes_through_its_points_outliers_included() {
        let points = [
            (1, 1_245),
            (2, 1_157),
            (3, 1_163),
            (50, 1_863),
            (60, 2_313),
            (70, 1_927),
        ];
        let curve = SeekCurve::through(1_000_001, &points).unwrap();
        for (distance, ns) in points {
            assert_eq!(curve.time(distance), ns);
        }
        assert_eq!(curve.time(0), 0);
        assert_eq!(curve.time(55), 2_088);
        // The last line continues, here downwards, and stops at zero.
        assert_eq!(curve.time(80), 1_541);
        assert_eq!(curve.time(1_000_000), 0);
    }

    #[test]
    fn nearly_every_distance_of_a_modern_drive_is_answered_by_a_piece_to_the_nanosecond() {
        for (cylinders, mean) in [
            (284_000, 8_200_000),
            (149_001, 8_800_000),
            (339_999, 13_000_000),
        ] {
            let curve = SeekCurve::from_mean(cylinders, mean, 0.11).unwrap();
            for distance in 0..cylinders {
                assert_eq!(
                    curve.time(distance),
                    u64::from(curve.times[distance as usize])
                );
            }
            let corners = curve.pieces.iter().filter(|p| p.more == Piece::NONE);
            assert!(corners.count() < 20);
        }
    }

    #[test]
    fn points_that_do_not_grow_are_refused() {
        assert_eq!(SeekCurve::through(9, &[]), Err(NotACurve::Empty));
        assert_eq!(
            SeekCurve::through(9, &[(1, 5), (1, 6)]),
            Err(NotACurve::Order(1, 1))
        );
        assert_eq!(
            SeekCurve::through(9, &[(0, 5)]),
            Err(NotACurve::Order(0, 0))
        );
        // Three cylinders cannot hold the ten corners of the shape.
        assert!(SeekCurve::from_mean(3, 8_000_000, 0.2).is_err());
    }

    #[test]
    fn the_mean_of_random_seeks_is_the_mean_that_was_asked_for() {
        let cylinders = 50_000;
        let curve = SeekCurve::from_mean(cylinders, 8_200_000, 0.11).unwrap();
        let integral = curve.mean();
        assert!((integral - 8_200_000.0).abs() < 10.0, "{integral}");
        let mut rng = Rng::new(11);
        let n = 200_000_u32;
        let sum: u64 = (0..n)
            .map(|_| {
                let [a, b] = [0, 1].map(|_| rng.below(u64::from(cylinders)) as u32);
                curve.time(a.abs_diff(b))
            })
            .sum();
        let drawn = sum as f64 / f64::from(n);
        assert!((drawn / integral - 1.0).abs() < 0.005, "{drawn}");
    }

    #[test]
    fn a_head_change_hides_behind_a_long_seek_and_a_write_settles_longer() {
        let curve = SeekCurve::through(200, &[(1, 500_000), (100, 2_000_000)]).unwrap();
        let actuator = Actuator {
            curve,
            head_switch_ns: 900_000,
            write_settle_ns: 100_000,
            write_more_q16: 0,
        };
        assert_eq!(actuator.time((5, 0), (5, 0), true), 0);
        assert_eq!(actuator.time((5, 0), (5, 1), false), 900_000);
        assert_eq!(actuator.time((5, 0), (6, 1), true), 1_000_000);
        assert_eq!(actuator.time((0, 0), (100, 1), false), 2_000_000);
        let longer = Actuator {
            write_more_q16: 1 << 13,
            ..actuator
        };
        assert_eq!(longer.time((0, 0), (100, 1), false), 2_000_000);
        assert_eq!(longer.time((0, 0), (100, 1), true), 2_350_000);
        assert_eq!(longer.time((5, 0), (5, 0), true), 0);
    }

    proptest! {
        /// Between two points the time is between theirs, and on a point it is the point's.
        #[test]
        fn the_curve_keeps_between_its_points(
            steps in prop::collection::vec((1_u32..500, 1_u64..30_000_000), 1..40),
        ) {
            let mut points = Vec::new();
            let mut at = 0;
            for (step, ns) in steps {
                at += step;
                points.push((at, ns));
            }
            let curve = SeekCurve::through(at + 1, &points).unwrap();
            for w in points.windows(2) {
                prop_assert_eq!(curve.time(w[0].0), w[0].1);
                prop_assert_eq!(curve.time(w[1].0), w[1].1);
                let (low, high) = (w[0].1.min(w[1].1), w[0].1.max(w[1].1));
                for distance in w[0].0..w[1].0 {
                    let ns = curve.time(distance);
                    prop_assert!((low..=high).contains(&ns));
                }
            }
        }
    }
}
