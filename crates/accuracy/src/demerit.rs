//! The demerit figure: how far apart two distributions of response times lie.
//!
//! Ruemmler and Wilkes ("An introduction to disk drive modeling", IEEE Computer 27(3), 1994) draw both
//! cumulative distributions and take the root mean square of the horizontal distance between them.
//! With as many responses on either side that is exact without any bins: sort both lists, subtract
//! pair by pair, square, take the mean and its root. Pairs are by rank and not by request, since no
//! model knows where the discs stood when the trace began.

/// The mean of some response times; nothing where there are none.
pub fn mean(times: &[f64]) -> Option<f64> {
    if times.is_empty() {
        return None;
    }
    Some(times.iter().sum::<f64>() / times.len() as f64)
}

/// Root mean square of the distance between two distributions, in the unit of the times. Nothing where
/// the lists are empty or not equally long.
pub fn demerit(simulated: &[f64], measured: &[f64]) -> Option<f64> {
    if simulated.is_empty() || simulated.len() != measured.len() {
        return None;
    }
    let (simulated, measured) = (sorted(simulated), sorted(measured));
    let squares = simulated
        .iter()
        .zip(&measured)
        .map(|(a, b)| (a - b) * (a - b));
    Some(libm::sqrt(squares.sum::<f64>() / simulated.len() as f64))
}

/// The times in order.
pub fn sorted(times: &[f64]) -> Vec<f64> {
    let mut sorted = times.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pairs_are_by_rank_and_not_by_request() {
        assert_eq!(demerit(&[3.0, 1.0], &[1.0, 3.0]), Some(0.0));
        let figure = demerit(&[1.0, 2.0, 3.0], &[5.0, 2.0, 1.0]).unwrap();
        assert!((figure - libm::sqrt(4.0 / 3.0)).abs() < 1e-12);
    }

    #[test]
    fn lists_of_different_length_have_no_figure() {
        assert_eq!(demerit(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(demerit(&[], &[]), None);
        assert_eq!(mean(&[]), None);
    }

    proptest! {
        /// A constant shift is its own demerit, and no pairing is closer than the one by rank.
        #[test]
        fn a_shift_is_its_own_demerit(times in prop::collection::vec(0.0_f64..50.0, 1..200), shift in 0.0_f64..5.0) {
            let later: Vec<f64> = times.iter().map(|t| t + shift).collect();
            let figure = demerit(&later, &times).unwrap();
            prop_assert!((figure - shift).abs() < 1e-9);
            let mut turned = times.clone();
            turned.reverse();
            let by_request: f64 = times.iter().zip(&turned).map(|(a, b)| (a - b) * (a - b)).sum();
            let by_rank = demerit(&times, &turned).unwrap();
            prop_assert!(by_rank * by_rank * times.len() as f64 <= by_request + 1e-9);
        }
    }
}
