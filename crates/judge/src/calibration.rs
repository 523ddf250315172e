//! Fitting free parameters to the figures that may be fitted to, and to nothing else.
//!
//! A fit is a program, so that anybody can run it again: it begins in the middle of each parameter's
//! physical bounds (not at its present value, or a second fit would end elsewhere), searches by
//! Nelder and Mead's method ("A simplex method for function minimization", The Computer Journal 7,
//! 1965) for the least sum of squared relative errors, and rounds every value before it is tried, so
//! that what is written is what was tried.
//!
//! Most parameters have a figure or two of their own. Parameters that share a figure are searched
//! together, others apart, which takes tens of simulations in place of thousands; then all are gone
//! through again, until nothing changes any more, since they may bear on each other's figures all the
//! same. A parameter whose bounds span more than a factor of four is searched by its logarithm.
//!
//! [`fit`] takes [`Calibrate`] figures alone: one that is to be predicted cannot be handed in.

pub mod bands;

use std::cell::RefCell;
use std::collections::BTreeMap;

use argmin::core::{CostFunction, Executor};
use argmin::solver::neldermead::NelderMead;

use crate::published::{Calibrate, FactId};

/// Significant digits of a fitted value.
const DIGITS: i32 = 4;
/// Times that all parameters are gone through, at most.
const ROUNDS: usize = 4;
/// Simplexes that are begun with, one after the other, as shares of the range: a search may end early
/// where two corners cost the same by chance, on either side of the best place.
const STEPS: [f64; 3] = [0.27, 0.08, 0.02];
/// Moves of a simplex, at most, for each parameter in it.
const MOVES: u64 = 40;
/// A search ends where the costs of all corners of the simplex differ by less: relative errors of
/// some 1e-5.
const SAME_COST: f64 = 1e-10;
/// What a value that cannot be simulated costs: more than any error.
const IMPOSSIBLE: f64 = 1e12;

/// A parameter that may be changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name, for messages.
    pub name: String,
    /// The least and the greatest that is physically possible.
    pub within: [f64; 2],
    /// It takes whole numbers alone.
    pub whole: bool,
    /// The figures that it is fitted to.
    pub facts: Vec<FactId>,
}

/// What a fit found.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// A value for each parameter.
    pub values: Vec<f64>,
    /// Simulated figures, in the order of the published ones.
    pub simulated: Vec<f64>,
    /// How often figures were simulated.
    pub trials: usize,
}

/// Why nothing can be fitted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotFit {
    /// A parameter names a figure that is not there to be fitted to.
    #[error("{parameter} is fitted to {fact}, which is no figure to calibrate this family to")]
    NotToCalibrate {
        /// The parameter.
        parameter: String,
        /// The figure.
        fact: FactId,
    },
    /// More parameters than figures.
    #[error("{parameters} free parameters for {figures} figures: fix some of them")]
    TooMany {
        /// Free parameters.
        parameters: usize,
        /// Figures.
        figures: usize,
    },
    /// The simulation fails wherever it was tried.
    #[error("nothing can be simulated: {0}")]
    NotSimulated(String),
}

/// Simulates the figures that are asked for, with a value for each parameter.
pub type Simulate<'a> = dyn FnMut(&[f64], &[&Calibrate]) -> Result<Vec<f64>, String> + 'a;

/// Fits the parameters to the figures.
///
/// # Errors
/// Where there are more parameters than figures, where one names a figure that is not among them, or
/// where the simulation fails.
pub fn fit(
    parameters: &[Parameter],
    figures: &[&Calibrate],
    simulate: &mut Simulate<'_>,
) -> Result<Fit, CannotFit> {
    check(parameters, figures)?;
    let mut search = Search {
        parameters,
        figures,
        simulate,
        values: parameters.iter().map(|p| p.value_at(0.5)).collect(),
        trials: 0,
        failure: None,
    };
    let blocks = blocks(parameters);
    for _ in 0..ROUNDS {
        let before = search.values.clone();
        for block in &blocks {
            search.block(block);
        }
        if search.values == before {
            break;
        }
    }
    let simulated = (search.simulate)(&search.values, figures);
    let simulated = simulated.map_err(CannotFit::NotSimulated)?;
    match search.failure {
        Some(why) if search.trials == 0 => Err(CannotFit::NotSimulated(why)),
        _ => Ok(Fit {
            values: search.values,
            simulated,
            trials: search.trials,
        }),
    }
}

fn check(parameters: &[Parameter], figures: &[&Calibrate]) -> Result<(), CannotFit> {
    for parameter in parameters {
        let known = |fact: &FactId| figures.iter().any(|figure| figure.fact().id == *fact);
        if let Some(fact) = parameter.facts.iter().find(|fact| !known(fact)) {
            return Err(CannotFit::NotToCalibrate {
                parameter: parameter.name.clone(),
                fact: *fact,
            });
        }
    }
    if parameters.len() > figures.len() {
        return Err(CannotFit::TooMany {
            parameters: parameters.len(),
            figures: figures.len(),
        });
    }
    Ok(())
}

/// Parameters that share a figure, directly or through others: their places.
fn blocks(parameters: &[Parameter]) -> Vec<Vec<usize>> {
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    for (at, parameter) in parameters.iter().enumerate() {
        let shares = |block: &Vec<usize>| {
            let facts = block.iter().flat_map(|other| &parameters[*other].facts);
            facts.into_iter().any(|fact| parameter.facts.contains(fact))
        };
        let (with, without): (Vec<_>, Vec<_>) = blocks.into_iter().partition(shares);
        blocks = without;
        let mut joined: Vec<usize> = with.concat();
        joined.push(at);
        blocks.push(joined);
    }
    blocks.sort();
    blocks
}

impl Parameter {
    fn by_logarithm(&self) -> bool {
        self.within[0] > 0.0 && self.within[1] > 4.0 * self.within[0]
    }

    /// The rounded value at a place from 0 to 1 between the bounds.
    fn value_at(&self, place: f64) -> f64 {
        let [low, high] = self.within;
        let place = place.clamp(0.0, 1.0);
        let value = if self.by_logarithm() {
            low * libm::pow(high / low, place)
        } else {
            low + place * (high - low)
        };
        let rounded = if self.whole {
            libm::round(value)
        } else {
            rounded(value)
        };
        rounded.clamp(low, high)
    }

    /// The place of a value.
    fn place_of(&self, value: f64) -> f64 {
        let [low, high] = self.within;
        if high <= low {
            return 0.5;
        }
        if self.by_logarithm() {
            libm::log(value / low) / libm::log(high / low)
        } else {
            (value - low) / (high - low)
        }
    }
}

/// A value with as many digits as are written.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let digits = DIGITS - 1 - libm::floor(libm::log10(value.abs())) as i32;
    // By text and back: the nearest number to what will be written.
    let places = usize::try_from(digits).unwrap_or(0);
    let unit = libm::pow(10.0, f64::from((-digits).max(0)));
    let text = format!("{:.places$}", libm::round(value / unit) * unit);
    if digits > 0 {
        format!("{value:.places$}").parse().unwrap_or(value)
    } else {
        text.parse().unwrap_or(value)
    }
}

struct Search<'a, 'b> {
    parameters: &'a [Parameter],
    figures: &'a [&'a Calibrate],
    simulate: &'a mut Simulate<'b>,
    values: Vec<f64>,
    trials: usize,
    failure: Option<String>,
}

impl Search<'_, '_> {
    /// Searches some parameters, the others left as they are.
    fn block(&mut self, block: &[usize]) {
        let figures: Vec<&Calibrate> = self
            .figures
            .iter()
            .copied()
            .filter(|figure| {
                let fits = |at: &usize| self.parameters[*at].facts.contains(&figure.fact().id);
                block.iter().any(fits)
            })
            .collect();
        if figures.is_empty() {
            return;
        }
        let cost = Cost {
            block,
            figures: &figures,
            known: RefCell::new(BTreeMap::new()),
            search: RefCell::new(self),
        };
        for step in STEPS {
            cost.search_by(step);
        }
    }
}

/// The corners of the first simplex: the start, and a step away along each axis.
fn simplex(start: &[f64], step: f64) -> Vec<Vec<f64>> {
    let mut corners = vec![start.to_vec()];
    for axis in 0..start.len() {
        let mut corner = start.to_vec();
        corner[axis] += if corner[axis] > 0.5 { -step } else { step };
        corners.push(corner);
    }
    corners
}

/// The sum of squared relative errors, by the places of a block's parameters.
struct Cost<'a, 'b, 'c, 'd> {
    block: &'a [usize],
    figures: &'a [&'a Calibrate],
    /// What was tried already, by the values' bits: rounding makes many places the same.
    known: RefCell<BTreeMap<Vec<u64>, f64>>,
    search: RefCell<&'b mut Search<'c, 'd>>,
}

impl Cost<'_, '_, '_, '_> {
    /// One search, from where the parameters are, with a first simplex so large.
    fn search_by(&self, step: f64) {
        let start: Vec<f64> = {
            let search = self.search.borrow();
            let place = |at: &usize| search.parameters[*at].place_of(search.values[*at]);
            self.block.iter().map(place).collect()
        };
        let solver = NelderMead::new(simplex(&start, step)).with_sd_tolerance(SAME_COST);
        let Ok(solver) = solver else {
            return; // only a tolerance below zero is refused
        };
        let moves = MOVES * self.block.len() as u64;
        let found = Executor::new(self, solver)
            .configure(|state| state.max_iters(moves))
            .run();
        let best = found.ok().and_then(|found| found.state.best_param);
        let mut search = self.search.borrow_mut();
        for (at, place) in self.block.iter().zip(best.into_iter().flatten()) {
            search.values[*at] = search.parameters[*at].value_at(place);
        }
    }
}

impl CostFunction for &Cost<'_, '_, '_, '_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, places: &Vec<f64>) -> Result<f64, argmin::core::Error> {
        let mut search = self.search.borrow_mut();
        let mut values = search.values.clone();
        // Outside the bounds nothing is tried: the cost at the bound grows with the distance.
        let mut outside = 0.0;
        for (at, place) in self.block.iter().zip(places) {
            outside += (place - place.clamp(0.0, 1.0)).abs();
            values[*at] = search.parameters[*at].value_at(*place);
        }
        let bits: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
        let known = self.known.borrow().get(&bits).copied();
        let cost = match known {
            Some(cost) => cost,
            None => search.errors(&values, self.figures),
        };
        self.known.borrow_mut().insert(bits, cost);
        Ok(cost + outside)
    }
}

impl Search<'_, '_> {
    fn errors(&mut self, values: &[f64], figures: &[&Calibrate]) -> f64 {
        match (self.simulate)(values, figures) {
            Ok(simulated) => {
                self.trials += 1;
                let pairs = simulated.iter().zip(figures);
                let errors = pairs.map(|(s, figure)| (s - figure.number()) / figure.number());
                let sum: f64 = errors.map(|error| error * error).sum();
                if sum.is_finite() { sum } else { IMPOSSIBLE }
            }
            Err(why) => {
                self.failure = Some(why);
                IMPOSSIBLE
            }
        }
    }
}

#[cfg(test)]
mod tests;
