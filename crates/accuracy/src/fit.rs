//! Fitting free parameters to the figures that may be fitted to, and to nothing else.
//!
//! A fit is a program, so that anyone can repeat it: it begins with the physical bounds of each parameter (not with its
//! present value, or a second fit would end elsewhere), minimises the sum of squared relative errors, and rounds every
//! value before it is tried, so that what is written is what was tried.
//!
//! Parameters that share a figure are fitted together, others separately, which takes tens of simulations instead of
//! thousands. Most have their own figure: there the search is for the value that reproduces the figure, along one axis
//! (`along`), in about eight simulations. Several at once are fitted by a simplex (`simplex`). A parameter whose bounds
//! span more than a factor of four is fitted by its logarithm.
//!
//! Then all are revisited, since they may affect each other's figures nevertheless: those whose figures moved are
//! fitted once more, until none moves.
//!
//! A search ends when every figure is met within [`NEAR`], one part in ten thousand. Published figures are not more
//! precise: they are printed with two to four digits, and half a unit of the last of four is 0.5 to 5 parts in ten
//! thousand. A parameter has four digits for the same reason, or is an integer multiple of its unit (physical sectors
//! of a track). If the middle of the bounds is as good as the best within that precision, it is chosen: figures that do
//! not depend on a parameter leave it there.
//!
//! [`fit`] accepts only [`Calibrate`] figures: one that is to be predicted cannot be passed.

use crate::reference::Calibrate;
use results::reproduction::FactId;

mod brent;
pub mod datasheet;
pub mod family;
mod nelder_mead;
mod objective;
mod unit_interval;

use objective::Trials;

/// Maximum number of passes over all parameters.
const ROUNDS: usize = 4;
/// Relative error that a search does not go below: better than any published figure is known.
pub const NEAR: f64 = 1e-4;

/// A parameter that may be changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name, for messages.
    pub name: String,
    /// The least and the greatest that is physically possible.
    pub within: [f64; 2],
    /// It takes whole multiples of this alone, at least 1; nothing where it takes any number.
    pub step: Option<u32>,
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
    #[error("{parameter} is fitted to {fact}, which is not a calibration figure of this family")]
    NotToCalibrate {
        parameter: String,
        /// The figure.
        fact: FactId,
    },
    /// More parameters than figures.
    #[error("{parameters} free parameters for {figures} figures: fix some of them")]
    TooMany {
        /// Free parameters.
        parameters: usize,
        figures: usize,
    },
    /// The simulation fails wherever it was tried.
    #[error("nothing can be simulated: {0}")]
    NotSimulated(String),
}

/// Simulates the requested figures, with a value for each parameter.
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
    let place = |fact: &FactId| (figures.iter()).position(|figure| figure.fact().id == *fact);
    let axis = |parameter: &Parameter| Axis {
        within: parameter.within,
        step: parameter.step,
        figures: parameter.facts.iter().filter_map(place).collect(),
    };
    let axes: Vec<Axis> = parameters.iter().map(axis).collect();
    let numbers: Vec<f64> = figures.iter().map(|figure| figure.number()).collect();
    search(&axes, &numbers, NEAR, &mut |values, places| {
        let asked: Vec<&Calibrate> = places.iter().map(|place| figures[*place]).collect();
        simulate(values, &asked)
    })
}

/// A parameter as the search sees it: bounds, and the figures that it is fitted to by their places.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    /// The least and the greatest that is physically possible.
    pub(crate) within: [f64; 2],
    /// It takes whole multiples of this alone; nothing where it takes any number.
    pub(crate) step: Option<u32>,
    /// Places of the figures that it is fitted to.
    pub(crate) figures: Vec<usize>,
}

/// Simulates the figures at these places, with a value for each axis.
pub(crate) type SimulateAt<'a> = dyn FnMut(&[f64], &[usize]) -> Result<Vec<f64>, String> + 'a;

/// Searches along the axes until the figures have these numbers, each within `near` as a share of it.
///
/// # Errors
/// Where the simulation fails.
pub(crate) fn search(
    axes: &[Axis],
    numbers: &[f64],
    near: f64,
    simulate: &mut SimulateAt<'_>,
) -> Result<Fit, CannotFit> {
    let mut search = Search {
        axes,
        numbers,
        near,
        simulate,
        values: axes.iter().map(|axis| axis.value_at(0.5)).collect(),
        trials: 0,
        failure: None,
    };
    let mut blocks: Vec<Block> = blocks(axes).into_iter().map(Block::new).collect();
    for _ in 0..ROUNDS {
        let mut searched = false;
        for block in &mut blocks {
            searched |= search.block(block);
        }
        if !searched {
            break;
        }
    }
    let all: Vec<usize> = (0..numbers.len()).collect();
    let simulated = (search.simulate)(&search.values, &all);
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

/// Parameters that share a figure, directly or through others: their indices.
fn blocks(axes: &[Axis]) -> Vec<Vec<usize>> {
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    for (at, axis) in axes.iter().enumerate() {
        let shares = |block: &Vec<usize>| {
            let mut figures = block.iter().flat_map(|other| &axes[*other].figures);
            figures.any(|figure| axis.figures.contains(figure))
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

/// Parameters that are searched together.
struct Block {
    /// Their indices.
    at: Vec<usize>,
    /// How far off their figures were when they were searched last; nothing before the first time, or
    /// where nothing could be simulated.
    errors: Option<Vec<f64>>,
}

impl Block {
    fn new(at: Vec<usize>) -> Block {
        Block { at, errors: None }
    }
}

struct Search<'a, 'b> {
    axes: &'a [Axis],
    /// What the figures should come to.
    numbers: &'a [f64],
    /// A search does not go below this relative error.
    near: f64,
    simulate: &'a mut SimulateAt<'b>,
    values: Vec<f64>,
    trials: usize,
    failure: Option<String>,
}

impl Search<'_, '_> {
    /// Searches some parameters, the others left as they are; false where their figures are as the
    /// last search left them, so that there is nothing to be found.
    fn block(&mut self, block: &mut Block) -> bool {
        let figures = self.figures_of(&block.at);
        if figures.is_empty() {
            return false;
        }
        if let Some(before) = &block.errors {
            let now = self.errors(&self.values.clone(), &figures);
            if now.is_some_and(|now| as_before(before, &now, self.near)) {
                return false;
            }
        }
        let trials = Trials::new(self, &block.at, &figures);
        match block.at.len() {
            1 => brent::search(&trials),
            _ => nelder_mead::search(&trials),
        }
        let best = trials.into_best();
        if let Some(best) = &best {
            for (at, value) in block.at.iter().zip(&best.values) {
                self.values[*at] = *value;
            }
        }
        block.errors = best.map(|best| best.errors);
        true
    }

    /// The figures that some parameters are fitted to.
    fn figures_of(&self, block: &[usize]) -> Vec<usize> {
        let fits =
            |figure: &usize| (block.iter()).any(|at| self.axes[*at].figures.contains(figure));
        (0..self.numbers.len()).filter(fits).collect()
    }

    /// The relative error of each figure; nothing where they cannot be simulated so.
    fn errors(&mut self, values: &[f64], figures: &[usize]) -> Option<Vec<f64>> {
        match (self.simulate)(values, figures) {
            Ok(simulated) => {
                self.trials += 1;
                let pairs = simulated.iter().zip(figures);
                let errors = pairs.map(|(s, figure)| s / self.numbers[*figure] - 1.0);
                let errors: Vec<f64> = errors.collect();
                errors
                    .iter()
                    .all(|error| error.is_finite())
                    .then_some(errors)
            }
            Err(why) => {
                self.failure = Some(why);
                None
            }
        }
    }
}

/// True where no figure has moved by more than a search cares for.
fn as_before(before: &[f64], now: &[f64], near: f64) -> bool {
    let mut pairs = before.iter().zip(now);
    pairs.all(|(before, now)| (before - now).abs() <= near)
}

#[cfg(test)]
mod tests;
