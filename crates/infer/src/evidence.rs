//! How sure a number is: means that stand the odd long response, their errors, and what one model explains better than
//! another.

use base::message::Message;

use crate::question::Estimate;

/// Responses beyond so many medians count as so many: one in a thousand may take a hundred times as long as the others,
/// and would be all that a mean tells.
const LONGEST_MEDIANS: f64 = 3.0;

/// A mean with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mean {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

/// The mean of responses, the longest of which count as three medians; nothing of fewer than two.
pub(crate) fn mean(responses: &[f64]) -> Option<Mean> {
    let median = stats::median(responses).filter(|_| responses.len() > 1)?;
    let most = LONGEST_MEDIANS * median;
    let n = responses.len() as f64;
    let value = responses.iter().map(|it| it.min(most)).sum::<f64>() / n;
    let squares: f64 = responses
        .iter()
        .map(|it| (it.min(most) - value) * (it.min(most) - value))
        .sum();
    Some(Mean {
        value,
        error: libm::sqrt(squares / (n - 1.0) / n),
    })
}

/// The mean of some responses over that of others, which it is held against, with an interval of 95 %: the error of a ratio
/// to the first order.
pub(crate) fn ratio(responses: &[f64], against: &[f64]) -> Estimate {
    let none = || Message::of("why-nothing-completed");
    let own = mean(responses).ok_or_else(none)?;
    let against = mean(against).filter(|it| it.value > 0.0).ok_or_else(none)?;
    let value = own.value / against.value;
    let relative = libm::hypot(
        own.error / own.value.max(1e-9),
        against.error / against.value,
    );
    let off = 1.96 * value * relative;
    Ok((value, Some([(value - off).max(0.0), value + off])))
}

/// The middle of ratios that each stand for a pair or a round, with an interval of 95 %.
pub(crate) fn middle(ratios: &[f64]) -> Estimate {
    let middle = stats::median(ratios).ok_or_else(|| Message::of("why-nothing-completed"))?;
    let interval = stats::median_interval(ratios).map(|it| [it.low, it.high]);
    Ok((middle, interval))
}

/// By how much a model with `more` parameters beats one whose weighted squares are `flat`, in the Bayesian information
/// criterion of `n` points: 6 is strong evidence, 10 very strong (Kass and Raftery, Bayes factors, 1995).
pub(crate) fn better_by(flat: f64, fitted: f64, n: usize, more: usize) -> f64 {
    let n = n as f64;
    n * libm::log(flat.max(f64::MIN_POSITIVE) / fitted.max(f64::MIN_POSITIVE))
        - more as f64 * libm::log(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_long_response_does_not_move_a_mean() {
        let mut responses = vec![100.0; 999];
        responses.push(1e6);
        let mean = mean(&responses).unwrap();
        assert!((mean.value - 100.2).abs() < 1e-9, "{mean:?}");
        assert!(super::mean(&[1.0]).is_none());
    }

    #[test]
    fn a_ratio_has_the_errors_of_both() {
        let even = |at: f64| (0..100).map(|i| at + f64::from(i % 2)).collect::<Vec<_>>();
        let (value, interval) = ratio(&even(10.0), &even(100.0)).unwrap();
        let [low, high] = interval.unwrap();
        assert!(low < value && value < high && (value - 10.5 / 100.5).abs() < 1e-9);
        assert!(ratio(&[], &even(1.0)).is_err());
    }

    #[test]
    fn more_parameters_must_explain_more() {
        assert!(better_by(10.0, 10.0, 20, 2) < 0.0);
        assert!(better_by(100.0, 1.0, 20, 2) > 10.0);
    }
}
