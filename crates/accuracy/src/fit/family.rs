//! `drivelab develop fit`: the free parameters of a drive's family, fitted to the figures that they may
//! be fitted to, and written into their files.
//!
//! The judge searches; here each trial is simulated: the drives of the family are opened with other numbers than those
//! of their files (`model:DRIVE?ssd.link.read_mb_s=540`), and run by the same experiments as in `reproduce`. What a
//! trial does not affect is not run again.
//!
//! Fitted settings of experiments (the host's part in `reproduce`'s boots and copies) are parameters, too: those of a
//! row table are a family under the table's name, `drivelab develop fit rows-002`.
//!
//! A value whose file says `by = "likelihood"` is not searched: its figures are random, and a search would fit the seed
//! of a single run. Their likelihood has a closed form, with which the test `transfer_bands` checks the files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Mutex;

use crate::ablation::with_options;
use crate::compare::Plans;
use crate::experiments::{Experiment, Table};
use crate::fit::{CannotFit, Fit, Parameter, fit};
use crate::metric::Outcome;
use crate::reference::{Calibrate, Facts};
use results::calibration::{CALIBRATION_SCHEMA, Calibration, FittedFigure, FittedParameter};
use results::rated::RatedFit;
use results::reproduction::{FactId, Reproduction};
use sim::catalogue::free::{FittedBy, FreeParameter};

use crate::compare::run::simulate;
use crate::error::AccuracyError;
use crate::families::{Family, family_of};
use base::interrupt::Interrupt;
use lab::LabError;

mod file;

pub(crate) use file::{FittedTo, put, put_chosen, put_open};

/// Fits the family of a drive. Nothing is written.
///
/// # Errors
/// If there is no such drive, if it cannot be fitted, or a stop is requested.
pub fn calibrate(
    drive: &str,
    jobs: usize,
    seed: u64,
    interrupt: &Interrupt,
) -> Result<Calibration, AccuracyError> {
    let facts = Facts::published()?;
    let table = Table::published(&facts)?;
    let family = family_of(drive, &facts, &table)?;
    let figures: Vec<&Calibrate> = facts
        .calibrate()
        .filter(|figure| family.figures.contains(&figure.fact().id))
        .collect();
    let searched: Vec<&Served> = family.parameters.iter().filter(is_searched).collect();
    let parameters = parameters(&searched)?;
    let bench = TrialBench {
        facts: &facts,
        table: &table,
        searched: &searched,
        jobs,
        seed,
        interrupt,
        known: Mutex::new(BTreeMap::new()),
    };
    let found = fit(&parameters, &figures, &mut |values, figures| {
        bench.simulate(values, figures)
    });
    LabError::not_interrupted(interrupt)?;
    Ok(calibration(&family, &figures, found?))
}

/// One drive of each family that has anything to be searched, and the row tables with settings that are fitted.
///
/// # Errors
/// Where the data that are compiled in are wrong.
pub fn families_to_fit() -> Result<Vec<String>, AccuracyError> {
    let facts = Facts::published()?;
    let table = Table::published(&facts)?;
    let mut families = crate::families::families(&facts, &table)?;
    families.extend(crate::families::settings(&table));
    let with_free = families
        .into_iter()
        .filter(|family| family.parameters.iter().any(|served| is_searched(&served)));
    let first = with_free.filter_map(|family| family.drives.into_iter().next());
    Ok(first.collect())
}

/// Says, before anything is fitted, whether the files that a fit of the drive's family would change are
/// here: they are named from the root of drivelab's sources.
///
/// # Errors
/// Where there is no such drive, or one of the files is not here.
pub fn check_files(drive: &str) -> Result<(), AccuracyError> {
    let facts = Facts::published()?;
    let table = Table::published(&facts)?;
    let family = family_of(drive, &facts, &table)?;
    let searched = family.parameters.iter().filter(is_searched);
    let mut files = searched.map(|(free, _)| &free.file);
    match files.find(|file| !std::path::Path::new(file).is_file()) {
        None => Ok(()),
        Some(file) => Err(AccuracyError::Calibrate(format!(
            "there is no {file} here to write into: run it at the root of drivelab's sources, or with --check, which writes nothing"
        ))),
    }
}

/// A free parameter with the drives that it serves.
type Served = (FreeParameter, BTreeSet<String>);

/// False for what is kept unchanged.
fn is_searched((free, _): &&Served) -> bool {
    free.by.unwrap_or_default() == FittedBy::Calibrate
}

fn parameters(searched: &[&Served]) -> Result<Vec<Parameter>, AccuracyError> {
    let parameter = |(free, _): &&Served| {
        let facts: Result<Vec<FactId>, String> = free.facts.iter().map(|f| f.parse()).collect();
        let name = format!("{} in {}", free.key, free.file);
        Ok(Parameter {
            facts: facts.map_err(|why| AccuracyError::Calibrate(format!("{name}: {why}")))?,
            name,
            within: free.within,
            step: free.step,
        })
    };
    searched.iter().map(parameter).collect()
}

fn calibration(family: &Family, figures: &[&Calibrate], found: Fit) -> Calibration {
    let mut values = found.values.into_iter();
    let parameters = family.parameters.iter().map(|served| {
        let kept = served.0.value;
        let after = match is_searched(&served) {
            true => values.next().unwrap_or(kept),
            false => kept,
        };
        fitted(&served.0, after)
    });
    let parameters = parameters.collect();
    let figures = figures.iter().zip(&found.simulated);
    Calibration {
        schema: CALIBRATION_SCHEMA,
        family: family.drives.iter().cloned().collect(),
        parameters,
        figures: figures
            .map(|(figure, simulated)| FittedFigure {
                id: figure.fact().id,
                published: figure.number(),
                simulated: *simulated,
                error: simulated / figure.number() - 1.0,
            })
            .collect(),
        exactly_determined: family.is_exactly_determined(),
        trials: found.trials,
    }
}

fn fitted(free: &FreeParameter, after: f64) -> FittedParameter {
    // The last multiple of a step before a bound is as near as it can be.
    let near = |bound: f64| f64::max(1e-9 * bound.abs(), free.step.map_or(0.0, f64::from) - 1e-9);
    let at = |bound: f64| (after - bound).abs() <= near(bound);
    FittedParameter {
        file: free.file.clone(),
        key: free.key.clone(),
        before: free.value,
        after,
        within: free.within,
        at_bound: free.within.into_iter().any(at),
        by: free.by.unwrap_or_default().name(),
        facts: free.facts.clone(),
        says_by: free.by.is_some(),
        step: free.step,
    }
}

/// Whether the files have other values than the fit, or do not say how they were found.
pub fn changes(found: &Calibration) -> bool {
    found.parameters.iter().any(is_news)
}

/// Writes the values into their files, and gives the files. Comments stay.
///
/// # Errors
/// Where a file is not there, cannot be written, or has no such value.
pub fn write(found: &Calibration) -> Result<Vec<PathBuf>, AccuracyError> {
    let mut files: BTreeMap<&str, Vec<&FittedParameter>> = BTreeMap::new();
    for parameter in found.parameters.iter().filter(|p| is_news(p)) {
        files.entry(&parameter.file).or_default().push(parameter);
    }
    files
        .into_iter()
        .map(|(path, parameters)| file::write(path, &parameters))
        .collect()
}

/// Writes the values of a fit to a data sheet into the drive's own file, and returns the file. Comments are preserved.
///
/// # Errors
/// Where the file cannot be read or written.
pub fn write_rated(found: &RatedFit) -> Result<PathBuf, AccuracyError> {
    let files = sim::catalogue::free::files(&found.drive)?;
    let own = files.first().cloned().unwrap_or_default();
    file::write_rated(&own, &found.parameters)
}

/// Whether a parameter's file has another value, or does not say how it was found.
fn is_news(parameter: &FittedParameter) -> bool {
    let (before, after) = (parameter.before, parameter.after);
    (before - after).abs() > 1e-9 * after.abs() || !parameter.says_by
}

/// Simulates trials.
struct TrialBench<'a> {
    facts: &'a Facts,
    table: &'a Table,
    /// The parameters that values are tried of.
    searched: &'a [&'a Served],
    jobs: usize,
    seed: u64,
    interrupt: &'a Interrupt,
    /// What was run already.
    known: Mutex<BTreeMap<Experiment, Result<Outcome, String>>>,
}

impl TrialBench<'_> {
    /// The figures with these values of the parameters. A figure that is judged by its excess over another is returned
    /// with the same relative error.
    fn simulate(&self, values: &[f64], figures: &[&Calibrate]) -> Result<Vec<f64>, String> {
        if self.interrupt.wanted() {
            return Err("interrupted".to_owned());
        }
        let ids: BTreeSet<FactId> = figures.iter().map(|figure| figure.fact().id).collect();
        let table = self.table.with_settings(&self.settings(values));
        let plans = Plans::of(self.facts, &table, &ids);
        let run = |experiment: &Experiment| self.run(experiment, values);
        let made = plans.reproduce(self.jobs, &run, &|_, _| {});
        figures
            .iter()
            .map(|figure| simulated(&made, figure))
            .collect()
    }

    fn run(&self, experiment: &Experiment, values: &[f64]) -> Result<Outcome, String> {
        let tried = Experiment {
            target: self.with_values(&experiment.target, values),
            ..experiment.clone()
        };
        let lock = || {
            self.known
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner())
        };
        if let Some(outcome) = lock().get(&tried) {
            return outcome.clone();
        }
        let outcome = simulate(&tried, self.seed, self.interrupt);
        lock().insert(tried, outcome.clone());
        outcome
    }

    /// The values of those that are settings of the row tables, by name.
    fn settings(&self, values: &[f64]) -> BTreeMap<String, f64> {
        let tried = self.searched.iter().zip(values);
        let named = tried.filter_map(|((free, _), value)| {
            let name = free.key.strip_prefix("setting.")?;
            Some((name.to_owned(), *value))
        });
        named.collect()
    }

    /// A target with the values in the names of the drives that they serve.
    fn with_values(&self, target: &str, values: &[f64]) -> String {
        with_options(target, |slug| {
            let own = self.searched.iter().zip(values);
            own.filter(|(served, _)| served.1.contains(slug))
                .map(|((free, _), value)| format!("{}={value}", free.key))
                .collect()
        })
    }
}

fn simulated(made: &Reproduction, figure: &Calibrate) -> Result<f64, String> {
    let id = figure.fact().id;
    let row = made.rows.iter().find(|row| row.id == id);
    let row = row.ok_or_else(|| format!("{id} is in no row"))?;
    if let Some(excess) = row.excess {
        return Ok(figure.number() * excess.simulated / excess.published);
    }
    let why = || {
        row.not_run
            .clone()
            .unwrap_or_else(|| "it has no number".to_owned())
    };
    row.simulated.ok_or_else(|| format!("{id}: {}", why()))
}

impl From<CannotFit> for AccuracyError {
    fn from(why: CannotFit) -> AccuracyError {
        AccuracyError::Calibrate(why.to_string())
    }
}

#[cfg(test)]
mod tests;
