//! When a drive is steady: the two conditions of the Performance Test Specification.
//!
//! A value (IOPS, MB/s, mean latency) is tracked over rounds of the same work. Over a window of five rounds two
//! conditions must hold: the **excursion** (maximum less minimum) is at most 20 % of the window's mean, and the
//! **slope** (the change of a straight line, fitted to the window by least squares, from its first round to its last)
//! is at most 10 % of that mean. The first condition alone accepts a slow decline as steady, the second alone a value
//! that jumps up and down.
//!
//! With rounds x = 0 to 4 and their mean 2, the line's gradient is `sum((x - 2) y) / 10`, and it rises
//! by four times that over the window. Source: SNIA, Solid State Storage Performance Test Specification,
//! the definition of *steady state*.

/// Rounds in a window.
pub(crate) const WINDOW: usize = 5;
/// The greatest excursion, in per cent of the mean.
pub(crate) const MOST_EXCURSION: f64 = 20.0;
/// The greatest rise or fall of the fitted line over the window, in per cent of the mean.
pub(crate) const MOST_SLOPE: f64 = 10.0;
/// Tolerance for rounding of a value at its bound.
const ROUNDING: f64 = 1e-9;

/// What five rounds look like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Window {
    /// Their mean, in the unit of the values.
    pub(crate) mean: f64,
    /// Greatest less least value, in per cent of the mean.
    pub(crate) excursion: f64,
    /// Rise of the fitted line from the first to the last round, in per cent of the mean; negative
    /// where it falls.
    pub(crate) slope: f64,
}

impl Window {
    /// The last five of some values; `None` if there are fewer, or if their mean is not above zero.
    pub(crate) fn last_of(values: &[f64]) -> Option<Window> {
        let last = &values[values.len().checked_sub(WINDOW)?..];
        let mean = last.iter().sum::<f64>() / WINDOW as f64;
        if !mean.is_finite() || mean <= 0.0 {
            return None;
        }
        let greatest = last.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = last.iter().copied().fold(f64::INFINITY, f64::min);
        Some(Window {
            mean,
            excursion: 100.0 * (greatest - least) / mean,
            slope: 100.0 * rise(last) / mean,
        })
    }

    /// Both conditions hold.
    pub(crate) fn is_steady(&self) -> bool {
        self.excursion <= MOST_EXCURSION + ROUNDING && self.slope.abs() <= MOST_SLOPE + ROUNDING
    }
}

/// How much the line of least squares rises from the first of some values to the last.
fn rise(values: &[f64]) -> f64 {
    let middle = (values.len() - 1) as f64 / 2.0;
    let place = |i: usize| i as f64 - middle;
    let spread: f64 = (0..values.len()).map(|i| place(i) * place(i)).sum();
    let tilt: f64 = values.iter().enumerate().map(|(i, y)| place(i) * y).sum();
    tilt / spread * (values.len() - 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(values: [f64; WINDOW]) -> Window {
        Window::last_of(&values).unwrap()
    }

    /// The first round, counted from 1, at whose end a series is steady.
    fn declared(values: &[f64]) -> Option<usize> {
        (1..=values.len()).find(|n| Window::last_of(&values[..*n]).is_some_and(|w| w.is_steady()))
    }

    #[test]
    fn a_straight_line_rises_by_its_own_gradient() {
        // From 100 by 5 a round: mean 110, 20 from end to end.
        let line = window([100.0, 105.0, 110.0, 115.0, 120.0]);
        assert!((line.mean - 110.0).abs() < 1e-9);
        assert!((line.excursion - 2_000.0 / 110.0).abs() < 1e-9);
        assert!((line.slope - 2_000.0 / 110.0).abs() < 1e-9);
        assert!(!line.is_steady());
        let falling = window([120.0, 115.0, 110.0, 105.0, 100.0]);
        assert!((falling.slope + 2_000.0 / 110.0).abs() < 1e-9);
    }

    #[test]
    fn a_line_that_moves_by_a_tenth_of_its_mean_is_steady_and_a_little_more_is_not() {
        let line = |rise: f64| {
            let at = |i: i32| 100.0 + rise * (f64::from(i) - 2.0) / 4.0;
            window([at(0), at(1), at(2), at(3), at(4)])
        };
        for sign in [1.0, -1.0] {
            assert!(line(sign * 10.0).is_steady());
            assert!(!line(sign * 10.01).is_steady());
        }
    }

    #[test]
    fn an_excursion_of_a_fifth_is_steady_where_the_line_is_flat_and_a_little_more_is_not() {
        // Symmetrical about the middle round: the line is flat.
        let hump = |by: f64| window([100.0 - by / 2.0, 100.0, 100.0 + by, 100.0, 100.0 - by / 2.0]);
        // Mean 100, excursion 1.5 times `by`.
        assert!(hump(20.0 / 1.5).slope.abs() < 1e-9);
        assert!(hump(20.0 / 1.5).is_steady());
        assert!(!hump(20.01 / 1.5).is_steady());
    }

    #[test]
    fn each_condition_alone_keeps_a_window_from_being_steady() {
        let wild = window([75.0, 125.0, 100.0, 125.0, 75.0]);
        assert!(wild.slope.abs() < 1e-9 && wild.excursion > MOST_EXCURSION && !wild.is_steady());
        let drifting = window([108.0, 104.0, 100.0, 96.0, 92.0]);
        assert!(drifting.excursion < MOST_EXCURSION && !drifting.is_steady());
    }

    #[test]
    fn after_a_step_no_window_is_steady_that_has_both_levels() {
        let mut values = vec![100.0, 60.0, 100.0, 60.0];
        values.extend([50.0; 10]);
        // The first window without any of them ends with the ninth round.
        assert_eq!(declared(&values), Some(9));
    }

    #[test]
    fn a_value_that_approaches_its_level_geometrically_is_steady_where_the_closed_form_says() {
        // y(n) = 1 + r^n. Over a window from n on the line moves by c r^n and the mean is
        // 1 + m r^n, with c = 0.4 sum((x - 2) r^x) and m the mean of r^x; so its slope is within a
        // tenth from r^n = 0.1 / (|c| - 0.1 m) on. The slope is the stricter one here.
        for r in [0.5_f64, 0.7, 0.9] {
            let powers: Vec<f64> = (0..5).map(|x| libm::pow(r, f64::from(x))).collect();
            let c: f64 = (0..5).map(|x| 0.4 * (x as f64 - 2.0) * powers[x]).sum();
            let m = powers.iter().sum::<f64>() / 5.0;
            let from = (libm::log(0.1 / (c.abs() - 0.1 * m)) / libm::log(r)).max(0.0);
            let first = from.ceil() as usize;
            let values: Vec<f64> = (0..60).map(|n| 1.0 + libm::pow(r, f64::from(n))).collect();
            assert_eq!(declared(&values), Some(first + WINDOW), "{r}");
        }
    }

    #[test]
    fn fewer_than_five_rounds_and_rounds_without_work_are_never_steady() {
        assert_eq!(declared(&[7.0; 4]), None);
        assert_eq!(declared(&[0.0; 20]), None);
        assert_eq!(declared(&[7.0; 5]), Some(5));
    }
}
