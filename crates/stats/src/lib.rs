//! Small statistics that every figure needs: median, and how sure it is.
//!
//! The interval of a median comes from order statistics: the number of samples below the true median
//! is binomial with p = 1/2, whatever the samples' distribution is, so that the k-th least and k-th
//! greatest sample enclose it with a known probability (Conover, "Practical Nonparametric
//! Statistics", section 3.2). With few samples no interval reaches 95 %: the widest is given, with
//! the confidence that it has.

use std::f64::consts::LN_2;

use base::result::Interval;

pub mod bootstrap;
pub mod change_points;
pub mod falls;
pub mod joint;
pub mod repeat;
pub mod robust;
pub mod shapley;
pub mod weak_places;

/// The middle sample, or the mean of the middle two; `None` for no samples.
pub fn median(samples: &[f64]) -> Option<f64> {
    let sorted = sorted(samples);
    let n = sorted.len();
    match n {
        0 => None,
        n if n % 2 == 1 => Some(sorted[n / 2]),
        _ => Some((sorted[n / 2 - 1] + sorted[n / 2]) / 2.0),
    }
}

fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The narrowest order-statistic interval of the median with at least 95 % confidence, else the
/// widest there is; `None` for fewer than two samples.
pub fn median_interval(samples: &[f64]) -> Option<Interval> {
    let sorted = sorted(samples);
    let n = sorted.len();
    if n < 2 {
        return None;
    }
    let tails = |k: usize| 2.0 * binomial_half_below(n, k);
    let k = (1..=n / 2).rev().find(|&k| tails(k) <= 0.05).unwrap_or(1);
    Some(Interval {
        low: sorted[k - 1],
        high: sorted[n - k],
        confidence_percent: ((1.0 - tails(k)) * 1e4).round() / 100.0,
    })
}

/// P(B < k) for B binomial with n trials of probability 1/2.
fn binomial_half_below(n: usize, k: usize) -> f64 {
    // As logarithms: of a thousand trials the first term is no number any more.
    let mut term = -(n as f64) * LN_2;
    let mut sum = 0.0;
    for i in 0..k {
        sum += libm::exp(term);
        term += libm::log((n - i) as f64 / (i + 1) as f64);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_has_the_textbook_confidence() {
        let five = median_interval(&[5.0, 1.0, 4.0, 2.0, 3.0]).unwrap();
        assert_eq!(
            (five.low, five.high, five.confidence_percent),
            (1.0, 5.0, 93.75)
        );
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        let ten = median_interval(&ten).unwrap();
        assert_eq!(
            (ten.low, ten.high, ten.confidence_percent),
            (2.0, 9.0, 97.85)
        );
        assert!(median_interval(&[1.0]).is_none());
        let many: Vec<f64> = (1..=3000).map(f64::from).collect();
        let many = median_interval(&many).unwrap();
        assert_eq!((many.low, many.high), (1446.0, 1555.0));
        assert!((94.9..=96.0).contains(&many.confidence_percent));
    }

    #[test]
    fn the_median_of_an_even_number_is_between_the_middle_two() {
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }
}
