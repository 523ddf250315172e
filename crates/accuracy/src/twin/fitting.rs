//! Searches the values that the data can tell.
//!
//! The searches are those of every fit ([`crate::fit`]); what is searched by what is found by moving each value through its
//! range ([`super::told`]). After the first search, figures that are still off may follow from a value that had none of
//! its own: it is searched with the others in a second one. A value whose interval turns out to be as wide as its range
//! returns to where its kind has it, and the others are searched once more.

use sim::catalogue::free::{OpenValue, open_values};

use super::candidate::Candidate;
use super::interval::{Interval, intervals, moved};
use super::measured::{Measured, ToFit};
use super::replay::Bench;
use super::told::{Told, owned, told};
use crate::error::AccuracyError;
use crate::fit::{Axis, search};

/// A search ends where every figure is as near as this: cut workloads have no more digits.
const NEAR: f64 = 3e-3;
/// A search that only compares kinds ends where every figure is as near as this.
const COARSELY: f64 = 0.03;
/// A figure that is off by more, as a weighted share, is worth another value.
const STILL_OFF: f64 = 0.03;

/// Figures that move by less, as a weighted share, are as near as before.
const AS_NEAR: f64 = 3e-3;

/// A value that was searched.
#[derive(Clone, Debug)]
pub(super) struct FittedValue {
    pub(super) open: OpenValue,
    pub(super) value: f64,
    /// Its 95 % interval.
    pub(super) interval: [f64; 2],
}

/// A value that stays as its kind has it.
#[derive(Clone, Debug)]
pub(super) struct UntoldValue {
    pub(super) open: OpenValue,
    pub(super) why: &'static str,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub(super) fitted: Vec<FittedValue>,
    pub(super) untold: Vec<UntoldValue>,
}

impl Found {
    /// The values that were found, as they are put in the place of the kind's.
    pub(super) fn values(&self) -> Vec<(String, String)> {
        let value = |fitted: &FittedValue| (fitted.open.key.clone(), fitted.value.to_string());
        self.fitted.iter().map(value).collect()
    }
}

/// A value in a search, with the figures that are its own.
struct Searched {
    told: Told,
    figures: Vec<usize>,
    value: f64,
}

/// Fits what can be told.
///
/// # Errors
/// Where the candidate cannot be run.
pub(super) fn fitted(
    bench: &Bench<'_>,
    candidate: &Candidate,
    measured: &Measured,
) -> Result<Found, AccuracyError> {
    let figures = measured.to_fit();
    let open = open_numbers(candidate)?;
    let mut searched = to_search(bench, &open, &figures);
    run(bench, &figures, &mut searched, NEAR)?;
    if add(bench, &figures, &open, &mut searched)? {
        run(bench, &figures, &mut searched, NEAR)?;
    }
    let as_near = simplify(bench, &figures, &mut searched)?;
    let mut spans = spans(bench, &figures, &searched)?;
    let before = searched.len();
    let all = searched.iter().zip(&spans);
    let wide: Vec<String> = (all.filter(|(_, span)| !span.is_told))
        .map(|(one, _)| one.told.open.key.clone())
        .collect();
    searched.retain(|one| !wide.contains(&one.told.open.key));
    if searched.len() < before && !searched.is_empty() {
        run(bench, &figures, &mut searched, NEAR)?;
        spans = self::spans(bench, &figures, &searched)?;
    }
    Ok(found(open, searched, &spans, [&wide, &as_near]))
}

/// What is left of the weighted errors after a coarse search, in the root mean square.
///
/// # Errors
/// Where the candidate cannot be run.
pub(super) fn left_coarsely(
    bench: &Bench<'_>,
    candidate: &Candidate,
    measured: &Measured,
) -> Result<f64, AccuracyError> {
    let figures = measured.to_fit_soon();
    let mut searched = to_search(bench, &open_numbers(candidate)?, &figures);
    run(bench, &figures, &mut searched, COARSELY)?;
    let places: Vec<usize> = (0..figures.len()).collect();
    let left = weighted(bench, &figures, &values_of(&searched), &places);
    Ok(rms(&left.map_err(AccuracyError::Calibrate)?, &places))
}

/// The numbers that the kind leaves open; a switch is turned where the kind is chosen.
fn open_numbers(candidate: &Candidate) -> Result<Vec<OpenValue>, AccuracyError> {
    let mut open = open_values(&candidate.path)?;
    open.retain(|value| !value.flag);
    Ok(open)
}

/// The values that figures follow from, each with its own.
fn to_search(bench: &Bench<'_>, open: &[OpenValue], figures: &[ToFit]) -> Vec<Searched> {
    let told = told(bench, open, figures, &[]);
    let owned = owned(&told, figures);
    (told.into_iter().zip(owned))
        .filter(|(_, figures)| !figures.is_empty())
        .map(|(told, figures)| Searched {
            value: told.open.value,
            told,
            figures,
        })
        .collect()
}

/// Puts together what was found and what was not.
fn found(
    open: Vec<OpenValue>,
    searched: Vec<Searched>,
    spans: &[Interval],
    [wide, as_near]: [&[String]; 2],
) -> Found {
    let is_searched = |value: &OpenValue| searched.iter().any(|s| s.told.open.key == value.key);
    let untold = open.iter().filter(|value| !is_searched(value));
    let untold = untold.map(|value| UntoldValue {
        why: match (wide.contains(&value.key), as_near.contains(&value.key)) {
            (true, _) => "other values act on its figures in the same way",
            (_, true) => "the figures are as near with what the kind has",
            _ => "no figure follows from it more than from others",
        },
        open: value.clone(),
    });
    let untold = untold.collect();
    let fitted = searched
        .into_iter()
        .zip(spans)
        .map(|(one, span)| FittedValue {
            value: one.value,
            open: one.told.open,
            interval: span.span,
        });
    Found {
        fitted: fitted.collect(),
        untold,
    }
}

/// Searches all of them, each by its own figures.
fn run(
    bench: &Bench<'_>,
    figures: &[ToFit],
    searched: &mut [Searched],
    near: f64,
) -> Result<(), AccuracyError> {
    let axes: Vec<Axis> = (searched.iter())
        .map(|one| Axis {
            within: one.told.within,
            step: one.told.open.whole.then_some(1),
            figures: one.figures.clone(),
        })
        .collect();
    let keys: Vec<&str> = searched
        .iter()
        .map(|one| one.told.open.key.as_str())
        .collect();
    let ones = vec![1.0; figures.len()];
    let found = search(&axes, &ones, near, &mut |values, places| {
        weighted(bench, figures, &named(&keys, values), places)
    })?;
    for (one, value) in searched.iter_mut().zip(found.values) {
        one.value = value;
    }
    Ok(())
}

fn named(keys: &[&str], values: &[f64]) -> Vec<(String, String)> {
    let pairs = keys.iter().zip(values);
    pairs
        .map(|(key, value)| ((*key).to_owned(), value.to_string()))
        .collect()
}

/// The figures at some places, as 1 plus their weighted errors.
fn weighted(
    bench: &Bench<'_>,
    figures: &[ToFit],
    values: &[(String, String)],
    places: &[usize],
) -> Result<Vec<f64>, String> {
    let asked: Vec<usize> = places.iter().map(|place| figures[*place].place).collect();
    let simulated = bench.figures(values, &asked)?;
    let error = |(place, simulated): (&usize, f64)| {
        let figure = &figures[*place];
        1.0 + figure.weight() * (simulated / figure.measured - 1.0)
    };
    Ok(places.iter().zip(simulated).map(error).collect())
}

/// Adds values to what is searched for figures that are still off; false where there are none.
fn add(
    bench: &Bench<'_>,
    figures: &[ToFit],
    open: &[OpenValue],
    searched: &mut Vec<Searched>,
) -> Result<bool, AccuracyError> {
    let fixed = values_of(searched);
    let places: Vec<usize> = (0..figures.len()).collect();
    let now = weighted(bench, figures, &fixed, &places).map_err(AccuracyError::Calibrate)?;
    let off: Vec<usize> = places
        .into_iter()
        .filter(|place| (now[*place] - 1.0).abs() > STILL_OFF)
        .collect();
    let figures_off: Vec<ToFit> = off.iter().map(|place| figures[*place]).collect();
    if off.is_empty() {
        return Ok(false);
    }
    let is_searched = |value: &&OpenValue| searched.iter().any(|s| s.told.open.key == value.key);
    let rest: Vec<OpenValue> = open.iter().filter(|v| !is_searched(v)).cloned().collect();
    let told = told(bench, &rest, &figures_off, &fixed);
    let owned = owned(&told, &figures_off);
    let before = searched.len();
    for (told, own) in told.into_iter().zip(owned) {
        let off: Vec<usize> = own.into_iter().map(|nth| off[nth]).collect();
        if off.is_empty() {
            continue;
        }
        // What it is given is taken from the others: a figure is one value's own.
        for other in searched.iter_mut() {
            if other.figures.iter().any(|place| !off.contains(place)) {
                other.figures.retain(|place| !off.contains(place));
            }
        }
        searched.push(Searched {
            value: told.open.value,
            told,
            figures: off,
        });
    }
    Ok(searched.len() > before)
}

/// Returns values to where their kind has them, one after the other, where the figures are as near with that: a search
/// goes to the last digit of what may be noise. Returns their keys.
fn simplify(
    bench: &Bench<'_>,
    figures: &[ToFit],
    searched: &mut Vec<Searched>,
) -> Result<Vec<String>, AccuracyError> {
    let places: Vec<usize> = (0..figures.len()).collect();
    let errors = |searched: &[Searched]| weighted(bench, figures, &values_of(searched), &places);
    let mut now = errors(searched).map_err(AccuracyError::Calibrate)?;
    let mut dropped = Vec::new();
    let mut at = 0;
    while at < searched.len() {
        let without = searched.remove(at);
        let own = &without.figures;
        let all: Vec<usize> = places.clone();
        let is_as_near = errors(searched).ok().filter(|then| {
            let rises = |of: &[usize]| rms(then, of) - rms(&now, of);
            rises(own) <= AS_NEAR && rises(&all) <= 0.3 * AS_NEAR
        });
        match is_as_near {
            Some(then) => {
                now = then;
                dropped.push(without.told.open.key);
            }
            None => {
                searched.insert(at, without);
                at += 1;
            }
        }
    }
    Ok(dropped)
}

/// The root mean square of the weighted errors at some places.
fn rms(errors: &[f64], places: &[usize]) -> f64 {
    let squares = places
        .iter()
        .map(|place| (errors[*place] - 1.0) * (errors[*place] - 1.0));
    (squares.sum::<f64>() / places.len().max(1) as f64).sqrt()
}

fn values_of(searched: &[Searched]) -> Vec<(String, String)> {
    let value = |one: &Searched| (one.told.open.key.clone(), one.value.to_string());
    searched.iter().map(value).collect()
}

/// The intervals of all searched values.
fn spans(
    bench: &Bench<'_>,
    figures: &[ToFit],
    searched: &[Searched],
) -> Result<Vec<Interval>, AccuracyError> {
    let keys: Vec<&str> = searched
        .iter()
        .map(|one| one.told.open.key.as_str())
        .collect();
    let within: Vec<[f64; 2]> = searched.iter().map(|one| one.told.within).collect();
    let whole: Vec<bool> = searched.iter().map(|one| one.told.open.whole).collect();
    let values: Vec<f64> = searched.iter().map(|one| one.value).collect();
    let places: Vec<usize> = (0..figures.len()).collect();
    let moved = moved(&values, &within, &whole);
    let ahead: Vec<_> = moved.iter().map(|values| named(&keys, values)).collect();
    let asked: Vec<usize> = figures.iter().map(|figure| figure.place).collect();
    bench.run_ahead(&ahead, &asked);
    intervals(&values, &within, &whole, &mut |values| {
        weighted(bench, figures, &named(&keys, values), &places)
    })
    .map_err(AccuracyError::Calibrate)
}
