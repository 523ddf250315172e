//! Where a series of rates falls for good: the edge of a fast cache in a long write.
//!
//! The rule looks at medians on both sides of a place, so that single stalls and single fast
//! moments decide nothing; it is local, so that the slow decline of a disk's zones is no fall; and it
//! wants the rest as a whole to stay below, so that one long stall is none either.

use base::stats::median;

/// Values on either side that are compared.
const WINDOW: usize = 16;
/// A fall is at least down to this share of what was before.
const FALLEN: f64 = 0.8;
/// The rest as a whole stays below this share.
const STAYS: f64 = 0.9;

/// The rule in words, for a figure's statistic.
pub(crate) const RULE: &str = "first place where the median of 16 values is below 80 % of the 16 before, and the rest stays below 90 %";

/// The index of the first value after the fall.
pub(crate) fn fall(rates: &[f64]) -> Option<usize> {
    let places = 1..rates.len().saturating_sub(WINDOW - 1);
    places
        .into_iter()
        .filter(|&at| drops(rates, at))
        .map(|at| edge(rates, at))
        .next()
}

fn drops(rates: &[f64], at: usize) -> bool {
    let before = median(&rates[at.saturating_sub(WINDOW)..at]);
    let after = median(&rates[at..at + WINDOW]);
    let so_far = median(&rates[..at]);
    let rest = median(&rates[at..]);
    match (before, after, so_far, rest) {
        (Some(before), Some(after), Some(so_far), Some(rest)) => {
            after < FALLEN * before && rest < STAYS * so_far
        }
        _ => false,
    }
}

/// The windows' medians change up to half a window before or after the values do.
fn edge(rates: &[f64], at: usize) -> usize {
    let before = median(&rates[at.saturating_sub(WINDOW)..at]).unwrap_or(0.0);
    (at..at + WINDOW)
        .find(|&i| rates[i] < FALLEN * before)
        .unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cliff_is_found_where_it_is_in_spite_of_noise_and_stalls() {
        let mut rates: Vec<f64> = (0..1_000)
            .map(|i| if i < 300 { 500.0 } else { 200.0 } + f64::from(i * 7 % 13))
            .collect();
        rates[100] = 10.0;
        rates[101] = 12.0;
        rates[500] = 600.0;
        assert_eq!(fall(&rates), Some(300));
    }

    #[test]
    fn a_slow_decline_a_long_stall_and_an_even_rate_are_no_falls() {
        let zones: Vec<f64> = (0..1_000).map(|i| 200.0 - 0.1 * f64::from(i)).collect();
        assert_eq!(fall(&zones), None);
        let stall: Vec<f64> = (0..1_000)
            .map(|i| if (400..440).contains(&i) { 5.0 } else { 100.0 })
            .collect();
        assert_eq!(fall(&stall), None);
        assert_eq!(fall(&[100.0; 64]), None);
        assert_eq!(fall(&[]), None);
    }
}
