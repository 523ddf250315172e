//! What shows only at full length, after the fit.
//!
//! A search runs shortened workloads. Ways to collect that differ after gigabytes only are alike to it, so each is tried
//! once on all that was measured, as long as it was.

use base::io::Op;

use super::candidate::Candidate;
use super::fitting::{FittedValue, Found};
use super::kinds::{TURNED, edit, off_by};
use super::measured::{Measured, Statistic};
use super::replay::Bench;
use super::variants::{AT_LENGTH, AtLength};
use crate::error::AccuracyError;
use crate::fit::family::put_chosen;

/// A candidate that is off by less at full length, in the mean, is what was measured: no other way is tried.
const NEAR: f64 = 0.05;

/// All figures of a fitted candidate at full length. Where another way brings those that were fitted to nearer by
/// [`TURNED`], the candidate goes that way.
///
/// # Errors
/// Where the candidate cannot be run.
pub(super) fn at_length(
    candidate: &mut Candidate,
    measured: &Measured,
    bench: &Bench<'_>,
    found: &mut Found,
) -> Result<Vec<f64>, AccuracyError> {
    let whole = (bench.whole(&found.values())).map_err(AccuracyError::Calibrate)?;
    let as_fitted = off(measured, &whole);
    if as_fitted <= NEAR {
        return Ok(whole);
    }
    for way in AT_LENGTH {
        // A drive without such a value refuses it.
        let Ok(other) = bench.whole(&with(found, way)) else {
            continue;
        };
        if off(measured, &other) < TURNED * as_fitted {
            edit(candidate, |document| {
                put_chosen(document, way.key, way.value, way.why)
            })?;
            return Ok(set_anew(measured, bench, found, way, other));
        }
    }
    Ok(whole)
}

fn with(found: &Found, way: &AtLength) -> Vec<(String, String)> {
    let mut values = found.values();
    values.push((way.key.to_owned(), way.value.to_string()));
    values
}

/// How far the figures that were fitted to are off.
fn off(measured: &Measured, whole: &[f64]) -> f64 {
    let fitted = measured.to_fit();
    let simulated: Vec<f64> = fitted.iter().map(|figure| whole[figure.place]).collect();
    off_by(&simulated, &fitted)
}

/// The figures with the value that the rates of writes follow from set anew by what they are off, where that is nearer.
fn set_anew(
    measured: &Measured,
    bench: &Bench<'_>,
    found: &mut Found,
    way: &AtLength,
    whole: Vec<f64>,
) -> Vec<f64> {
    let Some(place) = (found.fitted.iter()).position(|it| it.open.key == way.rates_follow) else {
        return whole;
    };
    let rates = measured.to_fit().into_iter().filter(|figure| {
        figure.what == Statistic::Rate && measured.figures[figure.place].op == Op::Write
    });
    let logs: Vec<f64> = rates
        .map(|figure| libm::log(whole[figure.place] / figure.measured))
        .collect();
    let faster = libm::exp(logs.iter().sum::<f64>() / logs.len().max(1) as f64);
    let before = found.fitted[place].clone();
    let [low, high] = before.open.within;
    found.fitted[place].value = (before.value / faster).clamp(low, high);
    match bench.whole(&with(found, way)) {
        Ok(anew) if off(measured, &anew) < off(measured, &whole) => {
            let FittedValue {
                value, interval, ..
            } = &mut found.fitted[place];
            *interval = [interval[0].min(*value), interval[1].max(*value)];
            anew
        }
        _ => {
            found.fitted[place] = before;
            whole
        }
    }
}
