//! The search of one parameter, along one axis.
//!
//! With one figure it is the search for the root of (simulated - published): a faster link gives a higher figure, a
//! longer command a lower one, and nearly always the published one is between those of the two bounds. Brent's method
//! finds it in about six simulations besides the bounds (R. P. Brent, "Algorithms for Minimization without
//! Derivatives", 1973, chapter 4): it interpolates, and bisects if that does not converge, so it needs no smooth curve.
//! A parameter is rounded, so the curve has steps; if one step crosses the published figure, its nearer side is chosen.
//!
//! With several figures (those of two capacities that are alike) the root of the mean error is searched; if that does
//! not meet each of them, if both bounds are on the same side, or if something in between cannot be simulated, the sum
//! of squared errors is minimised (the same book, chapter 5). A figure that cannot be met ends at a bound in this way.

use argmin::core::{CostFunction, Error, Executor};
use argmin::solver::brent::{BrentOpt, BrentRoot};

use super::objective::{MIDDLE, Trials};

/// Moves of a search, at most: halving a range comes to the last of four digits in half as many.
const MOVES: u64 = 40;
/// A position on the axis, which is 1 long, is not resolved more finely than this. Four digits of a value are about
/// 1e-4; rounding to a value that was already tried costs nothing.
const ROOT_PLACE: f64 = 1e-6;
/// The same, of a least sum of squares: its bottom is flat.
const LEAST_PLACE: f64 = 2e-4;

/// Searches.
pub(super) fn search(trials: &Trials<'_, '_, '_>) {
    if root(trials) {
        return;
    }
    trials.cost(&MIDDLE); // where it stays if the figures say nothing
    let solver = BrentOpt::new(0.0, 1.0).set_tolerance(f64::EPSILON, LEAST_PLACE);
    // An error is impossible: a place that cannot be simulated has a cost, too.
    let _ = Executor::new(Least(trials), solver)
        .configure(|state| state.max_iters(MOVES).target_cost(trials.near_cost()))
        .run();
}

/// Searches the position at which the figures are met on average; false if the best position may be another: there is
/// none between the bounds, or several figures are not met at the same position.
fn root(trials: &Trials<'_, '_, '_>) -> bool {
    let error = |place| Root(trials).cost(&place).unwrap_or(f64::NAN);
    let ends = error(0.0) * error(1.0);
    if ends.is_nan() || ends > 0.0 {
        return false;
    }
    let solver = BrentRoot::new(0.0, 1.0, ROOT_PLACE);
    let found = Executor::new(Root(trials), solver)
        .configure(|state| state.max_iters(MOVES))
        .run();
    found.is_ok() && (trials.figures() == 1 || trials.has_met())
}

/// The mean relative error of the figures; none where it is near enough, which ends the search.
struct Root<'a, 'b, 'c, 'd>(&'a Trials<'b, 'c, 'd>);

impl CostFunction for Root<'_, '_, '_, '_> {
    type Param = f64;
    type Output = f64;

    fn cost(&self, place: &f64) -> Result<f64, Error> {
        let errors = self.0.errors(&[*place]);
        let errors = errors.ok_or_else(|| Error::msg("cannot be simulated"))?;
        let error = errors.iter().sum::<f64>() / errors.len() as f64;
        Ok(if error.abs() <= self.0.near() {
            0.0
        } else {
            error
        })
    }
}

/// The sum of squared relative errors.
struct Least<'a, 'b, 'c, 'd>(&'a Trials<'b, 'c, 'd>);

impl CostFunction for Least<'_, '_, '_, '_> {
    type Param = f64;
    type Output = f64;

    fn cost(&self, place: &f64) -> Result<f64, Error> {
        Ok(self.0.cost(&[*place]))
    }
}
