//! What shows only at full length, after the fit.
//!
//! A search runs shortened workloads. Ways to collect that differ after gigabytes only are alike to it, so each is tried
//! once on all that was measured, as long as it was.

use base::io::Op;
use sim::catalogue::free::OpenValue;

use super::fitting::{FittedValue, Found};
use super::kinds::{TURNED, off_by};
use super::measured::{Measured, Statistic};
use super::replay::Bench;
use super::variants::{AT_LENGTH, AtLength};
use crate::error::AccuracyError;

/// A candidate that is off by less at full length, in the mean, is what was measured: no other way is tried.
const NEAR: f64 = 0.05;

/// All figures of a fitted candidate at full length. Where another way brings those that were fitted to nearer by
/// [`TURNED`], that is among what was found.
///
/// # Errors
/// Where the candidate cannot be run.
pub(super) fn at_length(
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
        found.fitted.push(gone(way));
        // A drive without such a value refuses it.
        match bench.whole(&found.values()) {
            Ok(other) if off(measured, &other) < TURNED * as_fitted => {
                return Ok(set_anew(measured, bench, found, way, other));
            }
            _ => found.fitted.truncate(found.fitted.len() - 1),
        }
    }
    Ok(whole)
}

/// The value that makes a way.
fn gone(way: &AtLength) -> FittedValue {
    FittedValue {
        open: OpenValue {
            key: way.key.to_owned(),
            value: way.usual,
            within: [way.value.min(way.usual), way.value.max(way.usual)],
            whole: true,
            flag: false,
        },
        value: way.value,
        interval: [way.value; 2],
    }
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
    match bench.whole(&found.values()) {
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

#[cfg(test)]
mod tests;
