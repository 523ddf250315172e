//! A method on a modelled drive, run as the command line runs it, and its figures.
#![allow(dead_code, reason = "each test program uses a part of it")]
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use base::interrupt::Interrupt;
use base::method::Scale;
use lab::progress::Silent;
use lab::running::{Request, prepare};
use results::RunResult;

/// One run, with nothing allowed to be overwritten, and nothing stored.
pub(crate) fn run(method: &str, target: &str, scale: Scale, set: &[&str]) -> RunResult {
    let prepared = prepare(request(method, target, scale, set));
    let prepared = prepared.unwrap_or_else(|e| panic!("{method} {target}: {e}"));
    let run = prepared.run(None, &mut Silent, &Interrupt::new());
    run.unwrap_or_else(|e| panic!("{method} {target}: {e}"))
}

/// The request of [`run`].
pub(crate) fn request(method: &str, target: &str, scale: Scale, set: &[&str]) -> Request {
    Request {
        set: set.iter().map(|&s| s.to_owned()).collect(),
        ..Request::new(method, target, scale, 1)
    }
}

/// A figure that is there; its value may be missing.
pub(crate) fn figure(result: &RunResult, key: &str) -> Option<f64> {
    let figure = result.figures.iter().find(|figure| figure.key == key);
    figure.unwrap_or_else(|| panic!("no figure {key}")).value
}

/// A figure with its value.
pub(crate) fn value(result: &RunResult, key: &str) -> f64 {
    figure(result, key).unwrap_or_else(|| panic!("{key} has no value: {:?}", result.figures))
}

/// The interval of a figure that has one.
pub(crate) fn between(result: &RunResult, key: &str) -> [f64; 2] {
    let figure = result.figures.iter().find(|figure| figure.key == key);
    let interval = figure.unwrap().interval.unwrap();
    [interval.low, interval.high]
}
