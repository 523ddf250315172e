//! The search of several parameters at once: Nelder and Mead's method ("A simplex method for function
//! minimization", The Computer Journal 7, 1965), which needs neither a smooth curve nor slopes.
//!
//! Three simplexes follow one another, each from the best position of the previous one and smaller: a search may end
//! early if two corners have the same cost by chance, on either side of the best position.

use argmin::core::{CostFunction, Error, Executor};
use argmin::solver::neldermead::NelderMead;

use super::objective::{MIDDLE, Trials};

/// First steps of the simplexes, as shares of the range.
const STEPS: [f64; 3] = [0.27, 0.08, 0.02];
/// Moves of a simplex, at most, for each parameter in it.
const MOVES: u64 = 20;
/// A search ends where the costs of all corners differ by less: relative errors of some 1e-5.
const SAME_COST: f64 = 1e-10;

/// Searches, from the middle of the bounds.
pub(super) fn search(trials: &Trials<'_, '_, '_>) {
    let mut start = MIDDLE.repeat(trials.parameters());
    for step in STEPS {
        start = search_by(trials, start, step);
    }
}

/// One search with a first simplex of this size: the best position.
fn search_by(trials: &Trials<'_, '_, '_>, start: Vec<f64>, step: f64) -> Vec<f64> {
    let solver = NelderMead::new(corners(&start, step)).with_sd_tolerance(SAME_COST);
    let Ok(solver) = solver else {
        return start; // only a tolerance below zero is refused
    };
    let moves = MOVES * start.len() as u64;
    let found = Executor::new(Squares(trials), solver)
        .configure(|state| state.max_iters(moves).target_cost(trials.near_cost()))
        .run();
    let best = found.ok().and_then(|found| found.state.best_param);
    best.unwrap_or(start)
}

/// The corners of a simplex: the start, and a step away along each axis.
fn corners(start: &[f64], step: f64) -> Vec<Vec<f64>> {
    let mut corners = vec![start.to_vec()];
    for axis in 0..start.len() {
        let mut corner = start.to_vec();
        corner[axis] += if corner[axis] > 0.5 { -step } else { step };
        corners.push(corner);
    }
    corners
}

/// The sum of squared relative errors. Outside the bounds nothing is tried: the cost at the bound grows
/// with the distance.
struct Squares<'a, 'b, 'c, 'd>(&'a Trials<'b, 'c, 'd>);

impl CostFunction for Squares<'_, '_, '_, '_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, places: &Vec<f64>) -> Result<f64, Error> {
        let outside = places
            .iter()
            .map(|place| (place - place.clamp(0.0, 1.0)).abs());
        let outside: f64 = outside.sum();
        Ok(self.0.cost(places) + outside)
    }
}
