//! The arm: how long it takes to move, and to settle.
//!
//! A seek accelerates, coasts, brakes and settles: its time grows with the square root of a short
//! distance and almost linearly over a long one. As a multiple of the mean seek, by distance as a
//! share of the stroke, the curve has the same shape in six drives whose curves were extracted from
//! outside (the DIXtrac measurements in the DiskSim 4.0 validation set), so that a data sheet's mean
//! fixes the whole of it ([`SHAPE`]). The mean meant is the makers': over all pairs of cylinders,
//! which weighs a distance of share x by 2 (1 - x). A curve is straight lines between points, so
//! that an extracted one can be used as it is, outliers included.
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
    lines: Vec<Line>,
    /// First line that may hold a distance, by [`bucket`].
    first: Vec<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    from: u32,
    ns: u64,
    /// Nanoseconds a cylinder, in 2^-20.
    slope_q20: i64,
}

const BUCKETS: usize = 256;

/// Eight buckets a power of two: the exponent and the next three bits.
const fn bucket(distance: u32) -> usize {
    if distance < 8 {
        return distance as usize;
    }
    let exponent = 31 - distance.leading_zeros();
    ((exponent << 3) | ((distance >> (exponent - 3)) & 7)) as usize
}

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
    /// The curve through points of (cylinders, nanoseconds); past its ends the first and last lines
    /// go on, never below zero.
    ///
    /// # Errors
    /// Where there is no point or the distances do not grow.
    pub fn through(points: &[(u32, u64)]) -> Result<SeekCurve, NotACurve> {
        if points.is_empty() {
            return Err(NotACurve::Empty);
        }
        let mut before = 0;
        for &(distance, _) in points {
            if distance <= before {
                return Err(NotACurve::Order(distance, before));
            }
            before = distance;
        }
        let slope = |a: (u32, u64), b: (u32, u64)| {
            let rise = i128::from(b.1) - i128::from(a.1);
            ((rise << 20) / i128::from(b.0 - a.0)) as i64
        };
        let mut lines: Vec<Line> = points
            .windows(2)
            .map(|w| Line {
                from: w[0].0,
                ns: w[0].1,
                slope_q20: slope(w[0], w[1]),
            })
            .collect();
        let last = points[points.len() - 1];
        lines.push(Line {
            from: last.0,
            ns: last.1,
            slope_q20: lines.last().map_or(0, |line| line.slope_q20),
        });
        let first = (0..BUCKETS)
            .map(|b| {
                let after = lines.partition_point(|line| bucket(line.from) < b);
                after.saturating_sub(1) as u16
            })
            .collect();
        Ok(SeekCurve { lines, first })
    }

    /// The curve of a drive of which the mean seek is known: [`SHAPE`] with its own multiple for one
    /// cylinder, scaled so that the mean over all pairs of cylinders is exactly `mean_ns`.
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
        let unscaled = SeekCurve::through(&at(1e9))?.mean(cylinders);
        SeekCurve::through(&at(mean_ns as f64 * 1e9 / unscaled))
    }

    /// Nanoseconds for a seek over so many cylinders; none over none.
    #[inline]
    pub fn time(&self, distance: u32) -> u64 {
        if distance == 0 {
            return 0;
        }
        let mut i = usize::from(self.first[bucket(distance)]);
        while i + 1 < self.lines.len() && self.lines[i + 1].from <= distance {
            i += 1;
        }
        let line = self.lines[i];
        let past = i64::from(distance) - i64::from(line.from);
        let ns = line.ns as i64 + ((past * line.slope_q20) >> 20);
        ns.max(0) as u64
    }

    /// Mean over all pairs of cylinders with a seek between them, as makers define it: the sum of
    /// (C - n) t(n) over n, divided by that of the weights.
    pub fn mean(&self, cylinders: u32) -> f64 {
        let pairs = f64::from(cylinders) * f64::from(cylinders.saturating_sub(1)) / 2.0;
        let sum: f64 = (1..cylinders)
            .map(|n| f64::from(cylinders - n) * self.time(n) as f64)
            .sum();
        if pairs > 0.0 { sum / pairs } else { 0.0 }
    }
}

/// Everything that brings a head over a track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// Time to cross cylinders, settled for reading.
    pub curve: SeekCurve,
    /// Nanoseconds to change the head without a move.
    pub head_switch_ns: u64,
    /// Nanoseconds more before a write after any move or head change; may be negative, as
    /// extraction from outside sometimes finds.
    pub write_settle_ns: i64,
}

impl Arm {
    /// Nanoseconds to get from one cylinder and head to another, ready to read or to write.
    #[inline]
    pub fn time(&self, from: (u32, u16), to: (u32, u16), write: bool) -> u64 {
        let mut ns = self.curve.time(from.0.abs_diff(to.0));
        if from.1 != to.1 {
            ns = ns.max(self.head_switch_ns);
        }
        if write && ns != 0 {
            ns = ns.saturating_add_signed(self.write_settle_ns);
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
        let curve = SeekCurve::through(&points).unwrap();
        for (distance, ns) in points {
            assert_eq!(curve.time(distance), ns);
        }
        assert_eq!(curve.time(0), 0);
        assert_eq!(curve.time(55), 2_088);
        // The last line goes on, here downwards, and stops at zero.
        assert_eq!(curve.time(80), 1_541);
        assert_eq!(curve.time(1_000_000), 0);
    }

    #[test]
    fn points_that_do_not_grow_are_refused() {
        assert_eq!(SeekCurve::through(&[]), Err(NotACurve::Empty));
        assert_eq!(
            SeekCurve::through(&[(1, 5), (1, 6)]),
            Err(NotACurve::Order(1, 1))
        );
        assert_eq!(SeekCurve::through(&[(0, 5)]), Err(NotACurve::Order(0, 0)));
        // Three cylinders cannot hold the ten corners of the shape.
        assert!(SeekCurve::from_mean(3, 8_000_000, 0.2).is_err());
    }

    #[test]
    fn the_mean_of_random_seeks_is_the_mean_that_was_asked_for() {
        let cylinders = 50_000;
        let curve = SeekCurve::from_mean(cylinders, 8_200_000, 0.11).unwrap();
        let integral = curve.mean(cylinders);
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
        let curve = SeekCurve::through(&[(1, 500_000), (100, 2_000_000)]).unwrap();
        let arm = Arm {
            curve,
            head_switch_ns: 900_000,
            write_settle_ns: 100_000,
        };
        assert_eq!(arm.time((5, 0), (5, 0), true), 0);
        assert_eq!(arm.time((5, 0), (5, 1), false), 900_000);
        assert_eq!(arm.time((5, 0), (6, 1), true), 1_000_000);
        assert_eq!(arm.time((0, 0), (100, 1), false), 2_000_000);
    }

    proptest! {
        /// The bucketed look-up finds the line that a plain search finds.
        #[test]
        fn the_look_up_agrees_with_a_plain_search(
            steps in prop::collection::vec((1_u32..5_000, 1_u64..30_000_000), 1..40),
            distance in 1_u32..300_000,
        ) {
            let mut points = Vec::new();
            let mut at = 0;
            for (step, ns) in steps {
                at += step;
                points.push((at, ns));
            }
            let curve = SeekCurve::through(&points).unwrap();
            let line = curve.lines.iter().rev().find(|l| l.from <= distance).unwrap_or(&curve.lines[0]);
            let past = i64::from(distance) - i64::from(line.from);
            let plain = (line.ns as i64 + ((past * line.slope_q20) >> 20)).max(0) as u64;
            prop_assert_eq!(curve.time(distance), plain);
        }
    }
}
