//! A straight line through points, by weighted least squares.

/// A line `y = at_zero + slope x`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) at_zero: f64,
    pub(crate) slope: f64,
    /// Weighted sum of squares of what it misses.
    pub(crate) squares: f64,
    /// Variances of both where the weights are one over the points' variances.
    pub(crate) at_zero_variance: f64,
    pub(crate) slope_variance: f64,
}

impl Line {
    /// The line of least weighted squares through points of x, y and weight; nothing where they do not span one.
    pub(crate) fn through(points: impl Iterator<Item = (f64, f64, f64)> + Clone) -> Option<Line> {
        let sum = |of: fn((f64, f64, f64)) -> f64| points.clone().map(of).sum::<f64>();
        let weight = sum(|(_, _, w)| w);
        let (x, y) = (
            sum(|(x, _, w)| w * x) / weight,
            sum(|(_, y, w)| w * y) / weight,
        );
        let (mut xx, mut xy) = (0.0, 0.0);
        for (px, py, w) in points.clone() {
            xx += w * (px - x) * (px - x);
            xy += w * (px - x) * (py - y);
        }
        if !(weight > 0.0 && xx > 0.0) {
            return None;
        }
        let slope = xy / xx;
        let at_zero = y - slope * x;
        let missed = |(px, py, w): (f64, f64, f64)| {
            let off = py - at_zero - slope * px;
            w * off * off
        };
        Some(Line {
            at_zero,
            slope,
            squares: points.map(missed).sum(),
            at_zero_variance: 1.0 / weight + x * x / xx,
            slope_variance: 1.0 / xx,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_and_points_at_one_place_are_none() {
        let points = (0..10).map(|x| (f64::from(x), 3.0 - 2.0 * f64::from(x), 1.0));
        let line = Line::through(points).unwrap();
        assert!((line.at_zero - 3.0).abs() < 1e-12 && (line.slope + 2.0).abs() < 1e-12);
        assert!(line.squares < 1e-20);
        assert!(Line::through([(1.0, 2.0, 1.0), (1.0, 3.0, 1.0)].into_iter()).is_none());
    }
}
