//! Odds of chance, in closed form.

use libm::{exp, log, log1p};

/// The probability that of `trials`, each of which succeeds with `share`, `successes` or more do.
pub(super) fn at_least(successes: usize, trials: usize, share: f64) -> f64 {
    if successes == 0 || share >= 1.0 {
        return 1.0;
    }
    if share <= 0.0 || successes > trials {
        return 0.0;
    }
    // The first term in logarithms, since it may be too small for a number; each other one is a multiple of the one before.
    let choose: f64 = (1..=successes)
        .map(|i| log((trials - successes + i) as f64 / i as f64))
        .sum();
    let first =
        choose + successes as f64 * log(share) + (trials - successes) as f64 * log1p(-share);
    let odds = share / (1.0 - share);
    let mut term = 1.0;
    let mut sum = 1.0;
    for k in successes..trials {
        term *= odds * (trials - k) as f64 / (k + 1) as f64;
        sum += term;
        if term < f64::EPSILON * sum {
            break;
        }
    }
    exp(first + log(sum)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_of_coins_and_dice_are_exact() {
        for (successes, trials, share, exact) in [
            (10, 10, 0.5, 1.0 / 1_024.0),
            (9, 10, 0.5, 11.0 / 1_024.0),
            (1, 4, 1.0 / 6.0, 1.0 - (5.0_f64 / 6.0).powi(4)),
            (0, 4, 0.1, 1.0),
            (3, 2, 0.9, 0.0),
        ] {
            let found = at_least(successes, trials, share);
            assert!((found - exact).abs() < 1e-12, "{found} for {exact}");
        }
        // Where 10 of 100,000 are usual: the terms from 100 on, summed by way of the logarithms of factorials.
        let many = at_least(100, 100_000, 1e-4);
        assert!((many / 5.186_3e-63 - 1.0).abs() < 1e-4, "{many}");
    }
}
