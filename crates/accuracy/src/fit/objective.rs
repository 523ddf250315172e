//! The trials of a search: nothing is simulated twice, and the best is kept.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::Search;

/// The middle of a parameter's bounds.
pub(super) const MIDDLE: [f64; 1] = [0.5];
/// What a value that cannot be simulated costs: more than any error.
const IMPOSSIBLE: f64 = 1e12;

/// Values that were tried, and how far off the figures were.
#[derive(Clone, Debug)]
pub(super) struct Tried {
    /// The values of the parameters that are searched.
    pub(super) values: Vec<f64>,
    /// The relative error of each figure.
    pub(super) errors: Vec<f64>,
    /// They start in the middle of the bounds.
    in_the_middle: bool,
}

/// The trials of a search. Searches share it: the optimisers take the objective by reference.
pub(super) struct Trials<'a, 'b, 'c> {
    block: &'a [usize],
    figures: &'a [usize],
    near: f64,
    /// By the values' bits: rounding makes many positions the same.
    tried: RefCell<BTreeMap<Vec<u64>, Option<Tried>>>,
    search: RefCell<&'a mut Search<'b, 'c>>,
}

impl<'a, 'b, 'c> Trials<'a, 'b, 'c> {
    /// None yet.
    pub(super) fn new(
        search: &'a mut Search<'b, 'c>,
        block: &'a [usize],
        figures: &'a [usize],
    ) -> Trials<'a, 'b, 'c> {
        Trials {
            block,
            figures,
            near: search.near,
            tried: RefCell::new(BTreeMap::new()),
            search: RefCell::new(search),
        }
    }

    /// Parameters that are searched.
    pub(super) fn parameters(&self) -> usize {
        self.block.len()
    }

    /// Figures that they are fitted to.
    pub(super) fn figures(&self) -> usize {
        self.figures.len()
    }

    /// The relative error of each figure with the parameters at these positions from 0 to 1; `None` if it cannot be
    /// simulated.
    pub(super) fn errors(&self, places: &[f64]) -> Option<Vec<f64>> {
        let mut search = self.search.borrow_mut();
        let mut values = search.values.clone();
        for (at, place) in self.block.iter().zip(places) {
            values[*at] = search.axes[*at].value_at(*place);
        }
        let own: Vec<f64> = self.block.iter().map(|at| values[*at]).collect();
        let bits = own.iter().map(|value| value.to_bits()).collect();
        let mut tried = self.tried.borrow_mut();
        let trial = tried.entry(bits).or_insert_with(|| {
            let errors = search.errors(&values, self.figures)?;
            Some(Tried {
                values: own,
                errors,
                in_the_middle: *places == *MIDDLE.repeat(places.len()),
            })
        });
        trial.as_ref().map(|trial| trial.errors.clone())
    }

    /// The sum of squared relative errors there.
    pub(super) fn cost(&self, places: &[f64]) -> f64 {
        let errors = self.errors(places);
        errors.map_or(IMPOSSIBLE, |errors| cost_of(&errors))
    }

    /// True where every figure was met somewhere.
    pub(super) fn has_met(&self) -> bool {
        let tried = self.tried.borrow();
        let met = |trial: &Tried| cost_of(&trial.errors) <= self.near_cost();
        tried.values().flatten().any(met)
    }

    /// The relative error below which nothing is searched any more.
    pub(super) const fn near(&self) -> f64 {
        self.near
    }

    /// The cost below which nothing is searched any more.
    pub(super) fn near_cost(&self) -> f64 {
        self.figures.len() as f64 * self.near * self.near
    }

    /// The best trial. If the middle of the bounds is as good, within the precision that is searched for, it is the
    /// middle: nothing goes to an extreme without a reason.
    pub(super) fn into_best(self) -> Option<Tried> {
        let near = self.near;
        let tried: Vec<Tried> = self.tried.into_inner().into_values().flatten().collect();
        let by_errors = |a: &&Tried, b: &&Tried| rms(&a.errors).total_cmp(&rms(&b.errors));
        let best = tried.iter().min_by(by_errors)?;
        let as_good = |tried: &&Tried| rms(&tried.errors) <= rms(&best.errors) + near;
        let middle = tried.iter().find(|tried| tried.in_the_middle);
        Some(middle.filter(as_good).unwrap_or(best).clone())
    }
}

/// The root mean square of errors.
fn rms(errors: &[f64]) -> f64 {
    (cost_of(errors) / errors.len().max(1) as f64).sqrt()
}

fn cost_of(errors: &[f64]) -> f64 {
    errors.iter().map(|error| error * error).sum()
}
