//! How sure a number is: means that stand the odd long response, their errors, and what one model explains better than
//! another.

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

/// By how much a model with `more` parameters beats one whose weighted squares are `flat`, in the Bayesian information
/// criterion of `n` points: 10 is strong evidence (Kass and Raftery, Bayes factors, 1995).
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
    fn more_parameters_must_explain_more() {
        assert!(better_by(10.0, 10.0, 20, 2) < 0.0);
        assert!(better_by(100.0, 1.0, 20, 2) > 10.0);
    }
}
