//! What the data can tell: which figures follow from which value.
//!
//! Each value that the kind leaves open is moved to both ends of its range, the others as they are. A figure belongs to
//! the value that moves it most, as the logarithm of the factor between the ends, if that is more than the noise of the
//! figure; so each search has figures of its own.

use sim::catalogue::free::OpenValue;

use super::measured::{Statistic, ToFit};
use super::replay::Bench;

/// The least factor, as a logarithm, by which a value moves a figure that is said to follow from it.
fn least(figure: &ToFit) -> f64 {
    let of_kind = match figure.what {
        Statistic::Rate | Statistic::Median => 0.02,
        Statistic::P99 => 0.1,
    };
    of_kind + 2.0 * figure.noise
}

/// Where a value's range is cut if no drive can be built at its end.
const STEPS: usize = 5;

/// An open value with what follows from it.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) open: OpenValue,
    /// The part of its range for which there is a drive.
    pub(super) within: [f64; 2],
    /// By how much it moves each figure that may be fitted to, as a logarithm.
    pub(super) moves: Vec<f64>,
}

/// What follows from each value, with others set to `fixed`.
pub(super) fn told(
    bench: &Bench<'_>,
    open: &[OpenValue],
    figures: &[ToFit],
    fixed: &[(String, String)],
) -> Vec<Told> {
    let places: Vec<usize> = figures.iter().map(|figure| figure.place).collect();
    let with = |value: &OpenValue, x: f64| {
        let mut values = fixed.to_vec();
        values.push((value.key.clone(), x.to_string()));
        values
    };
    let ends = |value: &OpenValue| value.within.map(|x| with(value, x));
    let ahead: Vec<_> = open.iter().flat_map(ends).collect();
    bench.run_ahead(&ahead, &places);
    let at = |value: &OpenValue, x: f64| bench.figures(&with(value, x), &places).ok();
    let end = |value: &OpenValue, end: f64| {
        let mut x = end;
        for _ in 0..STEPS {
            if let Some(found) = at(value, x) {
                return Some((x, found));
            }
            x = f64::midpoint(x, value.value);
            if value.whole {
                x = x.round();
            }
        }
        None
    };
    let of = |value: &OpenValue| {
        let (low, high) = (end(value, value.within[0])?, end(value, value.within[1])?);
        let pairs = low.1.iter().zip(&high.1);
        Some(Told {
            open: value.clone(),
            within: [low.0, high.0],
            moves: pairs
                .map(|(low, high)| libm::log(high / low).abs())
                .collect(),
        })
    };
    open.iter().filter_map(of).collect()
}

/// For each value, the places (among the figures) that are its own.
pub(super) fn owned(told: &[Told], figures: &[ToFit]) -> Vec<Vec<usize>> {
    let mut owned = vec![Vec::new(); told.len()];
    for (place, figure) in figures.iter().enumerate() {
        let moved = told.iter().map(|value| value.moves[place]).enumerate();
        let most = moved.max_by(|(_, a), (_, b)| a.total_cmp(b));
        if let Some((owner, _)) = most.filter(|(_, moved)| *moved >= least(figure)) {
            owned[owner].push(place);
        }
    }
    owned
}
