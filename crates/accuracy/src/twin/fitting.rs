//! Searches the values that the data can tell.
//!
//! The searches are those of every fit ([`crate::fit`]); what is searched by what is found by moving each value through its
//! range ([`super::told`]). After the first search, figures that are still off may follow from a value that had none of
//! its own: it is searched with the others in a second one. A value whose interval turns out to be as wide as its range
//! returns to where its kind has it, and the others are searched once more.

use sim::catalogue::free::{OpenValue, open_values};

use super::interval::intervals;
use super::kinds::Candidate;
use super::measured::{Measured, ToFit};
use super::replay::Bench;
use super::told::{Told, owned, told};
use crate::error::AccuracyError;
use crate::fit::{Axis, search};

/// A search ends where every figure is as near as this: cut workloads have no more digits.
const NEAR: f64 = 3e-3;
/// A figure that is off by more, as a weighted share, is worth another value.
const STILL_OFF: f64 = 0.03;
/// An interval that covers so much of a range says nothing.
const NOTHING: f64 = 0.9;

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
    let open = open_values(&candidate.path)?;
    let told = told(bench, &open, &figures, &[]);
    let owned = owned(&told, &figures);
    let mut searched: Vec<Searched> = told
        .into_iter()
        .zip(owned)
        .filter(|(_, figures)| !figures.is_empty())
        .map(|(told, figures)| Searched {
            value: told.open.value,
            told,
            figures,
        })
        .collect();
    run(bench, &figures, &mut searched)?;
    if add(bench, &figures, &open, &mut searched)? {
        run(bench, &figures, &mut searched)?;
    }
    let mut spans = spans(bench, &figures, &searched)?;
    let says_nothing = |searched: &Searched, span: &[f64; 2]| {
        let [low, high] = searched.told.within;
        span[1] - span[0] >= NOTHING * (high - low)
    };
    let before = searched.len();
    let mut wide: Vec<String> = Vec::new();
    for (one, span) in searched.iter().zip(&spans) {
        if says_nothing(one, span) {
            wide.push(one.told.open.key.clone());
        }
    }
    searched.retain(|one| !wide.contains(&one.told.open.key));
    if searched.len() < before && !searched.is_empty() {
        run(bench, &figures, &mut searched)?;
        spans = self::spans(bench, &figures, &searched)?;
    }
    Ok(found(open, searched, &spans, &wide))
}

/// Puts together what was found and what was not.
fn found(
    open: Vec<OpenValue>,
    searched: Vec<Searched>,
    spans: &[[f64; 2]],
    wide: &[String],
) -> Found {
    let is_searched = |value: &OpenValue| searched.iter().any(|s| s.told.open.key == value.key);
    let untold = open.iter().filter(|value| !is_searched(value));
    let untold = untold.map(|value| UntoldValue {
        why: match wide.contains(&value.key) {
            true => "its interval is as wide as its range",
            false => "no figure follows from it more than from others",
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
            interval: *span,
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
    let found = search(&axes, &ones, NEAR, &mut |values, places| {
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
        1.0 + figure.what.weight() * (simulated / figure.measured - 1.0)
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
    let is_searched = |value: &&OpenValue| searched.iter().any(|s| s.told.open.key == value.key);
    let rest: Vec<OpenValue> = open.iter().filter(|v| !is_searched(v)).cloned().collect();
    let told = told(bench, &rest, figures, &fixed);
    let owned = owned(&told, figures);
    let before = searched.len();
    for (told, own) in told.into_iter().zip(owned) {
        let off: Vec<usize> = (own.into_iter())
            .filter(|place| (now[*place] - 1.0).abs() > STILL_OFF)
            .collect();
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

fn values_of(searched: &[Searched]) -> Vec<(String, String)> {
    let value = |one: &Searched| (one.told.open.key.clone(), one.value.to_string());
    searched.iter().map(value).collect()
}

/// The intervals of all searched values.
fn spans(
    bench: &Bench<'_>,
    figures: &[ToFit],
    searched: &[Searched],
) -> Result<Vec<[f64; 2]>, AccuracyError> {
    let keys: Vec<&str> = searched
        .iter()
        .map(|one| one.told.open.key.as_str())
        .collect();
    let within: Vec<[f64; 2]> = searched.iter().map(|one| one.told.within).collect();
    let whole: Vec<bool> = searched.iter().map(|one| one.told.open.whole).collect();
    let values: Vec<f64> = searched.iter().map(|one| one.value).collect();
    let places: Vec<usize> = (0..figures.len()).collect();
    intervals(&values, &within, &whole, &mut |values| {
        weighted(bench, figures, &named(&keys, values), &places)
    })
    .map_err(AccuracyError::Calibrate)
}
