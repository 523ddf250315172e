//! The figure of many drives: each is run once, several at a time.

use std::collections::{BTreeMap, BTreeSet};

use base::bench::Stopped;
use base::interrupt::Interrupt;
use base::nearest::nearest;
use base::result::Better;
use base::side_by_side::side_by_side;
use lab::LabError;
use lab::point::Point;
use lab::progress::Silent;
use results::RunResult;
use results::cause::CausedFigure;
use targets::error::did_you_mean;

use super::{AskCause, CauseError};
use crate::metric::{Metric, Outcome};

/// What is said of a drive that was not run yet.
pub(super) const NOT_RUN: &str = "not run";

/// A drive and a seed.
pub(super) type Run = (String, u64);

/// The figures that are known so far.
pub(super) struct Figures<'a> {
    ask: &'a AskCause,
    metric: Metric,
    interrupt: &'a Interrupt,
    told: &'a (dyn Fn(usize, usize) + Sync),
    /// A number, or why there is none.
    known: BTreeMap<Run, Result<f64, String>>,
}

impl<'a> Figures<'a> {
    pub(super) fn new(
        ask: &'a AskCause,
        interrupt: &'a Interrupt,
        told: &'a (dyn Fn(usize, usize) + Sync),
    ) -> Result<Figures<'a>, CauseError> {
        let metric = ask.figure.parse().map_err(CauseError::BadFigure)?;
        Ok(Figures {
            ask,
            metric,
            interrupt,
            told,
            known: BTreeMap::new(),
        })
    }

    /// Runs A and B themselves: what is wrong with the request shows here.
    pub(super) fn both(
        &mut self,
        sides: [&str; 2],
    ) -> Result<(CausedFigure, [f64; 2]), CauseError> {
        let wanted = sides.map(|target| (target.to_owned(), self.ask.seed));
        for (target, _) in &wanted {
            self.point(target, self.ask.seed).check()?;
        }
        let mut results = self.run_all(&wanted)?.into_iter();
        let mut figure = None;
        let mut values = [0.0; 2];
        for (at, run) in wanted.into_iter().enumerate() {
            let Some(result) = results.next() else {
                continue;
            };
            let result = result?;
            let found = self
                .value(&result)
                .map_err(|why| self.no_figure(&result, why));
            let value = found?;
            figure = figure.or_else(|| Some(self.caused(&result)));
            values[at] = value;
            self.known.insert(run, Ok(value));
        }
        let figure = figure.ok_or_else(|| CauseError::BadFigure(self.ask.figure.clone()))?;
        Ok((figure, values))
    }

    /// Runs those that are not known yet.
    pub(super) fn find(&mut self, wanted: impl IntoIterator<Item = Run>) -> Result<(), CauseError> {
        let wanted: BTreeSet<Run> = wanted.into_iter().collect();
        let new = wanted
            .into_iter()
            .filter(|run| !self.known.contains_key(run));
        let new: Vec<Run> = new.collect();
        let results = self.run_all(&new)?;
        for (run, result) in new.into_iter().zip(results) {
            let value = match result {
                Ok(result) => self.value(&result),
                Err(error) => Err(error.to_string()),
            };
            self.known.insert(run, value);
        }
        Ok(())
    }

    /// The figure of a drive that was run, with the seed of the request.
    pub(super) fn of(&self, target: &str) -> Result<f64, String> {
        self.with_seed(target, self.ask.seed)
    }

    pub(super) fn with_seed(&self, target: &str, seed: u64) -> Result<f64, String> {
        let found = self.known.get(&(target.to_owned(), seed));
        found.cloned().unwrap_or_else(|| Err(NOT_RUN.to_owned()))
    }

    /// The seed of the request.
    pub(super) fn seed(&self) -> u64 {
        self.ask.seed
    }

    /// How many there were.
    pub(super) fn runs(&self) -> usize {
        self.known.len()
    }

    fn run_all(&self, runs: &[Run]) -> Result<Vec<Result<RunResult, LabError>>, CauseError> {
        let stopped = || LabError::Stopped(Stopped::Interrupted);
        let run = |(target, seed): &Run| match self.interrupt.wanted() {
            true => Err(stopped()),
            false => self.point(target, *seed).run(&mut Silent, self.interrupt),
        };
        let results = side_by_side(runs, self.ask.jobs, run, self.told);
        match self.interrupt.wanted() {
            true => Err(stopped().into()),
            false => Ok(results),
        }
    }

    fn point(&self, target: &str, seed: u64) -> Point {
        let AskCause { method, scale, .. } = self.ask;
        Point::new(method, target, *scale, seed, self.ask.set.clone())
    }

    fn value(&self, result: &RunResult) -> Result<f64, String> {
        let found = self.metric.find(&Outcome::of(result))?;
        let why_not = || {
            let figure = result.figures.iter().find(|f| f.key == self.ask.figure);
            let why = figure.and_then(|figure| figure.why_not.as_ref());
            why.map_or_else(|| "no value".to_owned(), ToString::to_string)
        };
        found
            .value
            .filter(|value| value.is_finite())
            .ok_or_else(why_not)
    }

    /// Unit and direction.
    fn caused(&self, result: &RunResult) -> CausedFigure {
        let figure = result.figures.iter().find(|f| f.key == self.ask.figure);
        CausedFigure {
            key: self.ask.figure.clone(),
            unit: figure.map_or_else(String::new, |figure| figure.unit.clone()),
            better: figure.map_or(Better::None, |figure| figure.better),
        }
    }

    fn no_figure(&self, result: &RunResult, why: String) -> CauseError {
        let keys: Vec<&str> = result.figures.iter().map(|f| f.key.as_str()).collect();
        let key = self.ask.figure.clone();
        if keys.contains(&key.as_str()) || !matches!(self.metric, Metric::Figure(_)) {
            let target = result.target.name.clone();
            return CauseError::NoValue { key, target, why };
        }
        CauseError::NoFigure {
            meant: did_you_mean(&nearest(&key, &keys)),
            key,
            method: self.ask.method.clone(),
            there: keys.join(", "),
        }
    }
}
