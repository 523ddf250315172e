//! What one row comes to.

use std::collections::{BTreeMap, BTreeSet};

use crate::claim::{Expression, Worth};
use crate::experiments::{Plan, Row, Tolerance};
use crate::metric::Found;
use crate::reference::{Fact, Published, Value};
use results::reproduction::{
    Category, Excess, FactId, FailingChange, Independence, ReproducedFigure, Shown,
};

use super::score::{CALIBRATED_WITHIN, PREDICTED_WITHIN};
use super::{Outcomes, Planned, Plans};

/// How far a number is from the printed one, over it; both beyond `over`, a published and a simulated number.
pub(super) fn plain_error(
    published: &Fact,
    simulated: f64,
    over: Option<(f64, f64)>,
) -> Option<f64> {
    let (of_published, of_simulated) = over.unwrap_or((0.0, 0.0));
    Interval::of(published, Tolerance::Nothing, of_published)?.error(simulated - of_simulated)
}

/// The numbers of a row's terms, and the unit of each figure.
struct Numbers {
    values: BTreeMap<String, f64>,
    units: BTreeMap<String, String>,
}

impl Plans<'_> {
    /// Judges a row.
    pub(super) fn judge(&self, row: &Row, outcomes: &Outcomes) -> ReproducedFigure {
        let mut result = self.blank(row);
        let judged = match &row.plan {
            Plan::Unrun { because } => Err(because.clone()),
            Plan::Claim { holds, shows } => self.claim(row, holds, shows, outcomes, &mut result),
            Plan::Number { .. } => self.number(row, outcomes, &mut result),
            Plan::Derived { from, values, .. } => {
                self.derived(row, from, values, outcomes, &mut result)
            }
        };
        result.not_run = judged.err();
        result.missing = row.missing.clone().filter(|_| is_missed(&result));
        result
    }

    /// The row without a result.
    fn blank(&self, row: &Row) -> ReproducedFigure {
        let published = self.published(row.id);
        let fact = published.fact();
        let planned = self.planned(row);
        let each = |of: fn(&Planned) -> &String| {
            let all: BTreeSet<&String> = planned.iter().map(|planned| of(planned)).collect();
            all.into_iter().cloned().collect::<Vec<String>>()
        };
        let drives = row.drives(self.table);
        let exactly_determined = published.role() == "calibrate"
            && (row.fitted.is_some()
                || drives
                    .iter()
                    .any(|drive| self.exactly_determined.contains(drive)));
        let category = category(published, exactly_determined);
        ReproducedFigure {
            id: row.id,
            document: fact.document.clone(),
            drive: fact.drive.clone(),
            capacity: fact.capacity.clone(),
            test: fact.test.clone(),
            condition: fact.condition.clone(),
            metric: fact.metric.clone(),
            japanese: fact.japanese.clone(),
            published: fact.value.to_string(),
            unit: fact.unit.clone(),
            simulated: None,
            null: guess(published),
            error: None,
            null_error: None,
            plain_error: None,
            null_plain_error: None,
            holds: None,
            failing_change: failing_change(row),
            can_fail: None,
            shows: Vec::new(),
            excess: None,
            role: published.role(),
            independence: published.independence(),
            category,
            counts: matches!(
                category,
                Category::Predicted | Category::Claim | Category::Calibrated
            ),
            independent_of_drive: row.independent_of_drive.clone(),
            exactly_determined,
            targets: each(|planned| &planned.experiment.target),
            methods: each(|planned| &planned.experiment.method),
            state: each(|planned| &planned.state).join("; "),
            host: each(|planned| &planned.host).join("; "),
            assumed: assumed(row, &planned),
            not_run: None,
            missing: None,
        }
    }

    fn published(&self, id: FactId) -> &Published {
        let published = self.facts.get(id);
        published.expect("a row is taken into a table only for a published figure")
    }

    /// The numbers of a row's terms. A figure without a number is left out.
    fn numbers(&self, row: &Row, outcomes: &Outcomes) -> Result<Numbers, String> {
        let mut numbers = Numbers {
            values: BTreeMap::new(),
            units: BTreeMap::new(),
        };
        for (name, term) in &row.terms {
            let planned = self.table.experiments.get(&term.experiment);
            let outcome = planned.and_then(|planned| outcomes.get(&planned.experiment));
            let outcome = outcome.ok_or("its experiment was not run")?;
            let outcome = outcome.as_ref().map_err(Clone::clone)?;
            let Found { value, unit } = term.metric.find(outcome)?;
            if let Some(value) = value.filter(|value| value.is_finite()) {
                numbers.values.insert(name.clone(), value);
            }
            numbers.units.extend(unit.map(|unit| (name.clone(), unit)));
        }
        Ok(numbers)
    }

    fn claim(
        &self,
        row: &Row,
        holds: &Expression,
        shows: &[(String, Expression)],
        outcomes: &Outcomes,
        result: &mut ReproducedFigure,
    ) -> Result<(), String> {
        let numbers = self.numbers(row, outcomes)?;
        result.holds = Some(holds.worth(&numbers.values) == Worth::Truth(true));
        let shown = |(name, expression): &(String, Expression)| Shown {
            name: name.clone(),
            value: Some(expression.number(&numbers.values)).filter(|value| value.is_finite()),
        };
        result.shows = shows.iter().map(shown).collect();
        Ok(())
    }

    /// Whether a claim holds by these outcomes, all of whose figures must be there: a change that only takes a figure
    /// away does not show that the claim could fail.
    pub(super) fn holds(
        &self,
        row: &Row,
        holds: &Expression,
        outcomes: &Outcomes,
    ) -> Result<bool, String> {
        let numbers = self.numbers(row, outcomes)?;
        if let Some(name) = row
            .terms
            .keys()
            .find(|name| !numbers.values.contains_key(*name))
        {
            return Err(format!("with it, there is no figure '{name}'"));
        }
        Ok(holds.worth(&numbers.values) == Worth::Truth(true))
    }

    fn derived(
        &self,
        row: &Row,
        from: &Expression,
        values: &[Expression],
        outcomes: &Outcomes,
        result: &mut ReproducedFigure,
    ) -> Result<(), String> {
        let published = self.facts.all().filter_map(|row| {
            let fact = row.fact();
            Some((fact.id.to_string(), fact.value.number()?))
        });
        let worked_out = from.number(&published.collect());
        result.shows.push(Shown {
            name: from.text().to_owned(),
            value: Some(worked_out).filter(|value| value.is_finite()),
        });
        if values.is_empty() {
            return Ok(());
        }
        let numbers = self.numbers(row, outcomes)?;
        let interval = Interval::of(self.published(row.id).fact(), Tolerance::Printed, 0.0);
        let (simulated, error) = furthest(values, &numbers, 0.0, interval)?;
        result.simulated = Some(simulated);
        result.error = error;
        Ok(())
    }

    fn number(
        &self,
        row: &Row,
        outcomes: &Outcomes,
        result: &mut ReproducedFigure,
    ) -> Result<(), String> {
        let Plan::Number {
            values,
            tolerance,
            excess_over,
        } = &row.plan
        else {
            return Err("no number is asked for".to_owned());
        };
        let published = self.published(row.id);
        let numbers = self.numbers(row, outcomes)?;
        check_units(values, &numbers, published.fact())?;
        let base = match excess_over {
            None => None,
            Some(over) => Some(self.base_of(*over, outcomes)?),
        };
        let (of_published, of_simulated) = base.unwrap_or((0.0, 0.0));
        let interval = Interval::of(published.fact(), *tolerance, of_published);
        let (simulated, error) = furthest(values, &numbers, of_simulated, interval)?;
        let guess = guess(published);
        result.simulated = Some(simulated);
        result.error = error;
        result.null_error = guess.and_then(|guess| interval?.error(guess - of_published));
        let fact = published.fact();
        result.plain_error = plain_error(fact, simulated, base);
        // The guess of what is judged beyond another figure is made beyond the published one.
        let over = (of_published, of_published);
        result.null_plain_error = guess.and_then(|guess| plain_error(fact, guess, Some(over)));
        if let (Some(over), Some(number)) = (excess_over, published.fact().value.number()) {
            result.excess = Some(Excess {
                over: *over,
                published: number - of_published,
                simulated: simulated - of_simulated,
                null: guess.map(|guess| guess - of_published),
            });
        }
        Ok(())
    }

    /// The published and the simulated number that others are judged beyond.
    fn base_of(&self, over: FactId, outcomes: &Outcomes) -> Result<(f64, f64), String> {
        let published = self.published(over).fact().value.number();
        let row = self.table.rows.get(&over);
        let planned = row.and_then(|row| match &row.plan {
            Plan::Number { values, .. } => Some((row, values)),
            _ => None,
        });
        let (Some(published), Some((row, values))) = (published, planned) else {
            return Err(format!("{over} is not a number to be judged beyond"));
        };
        let numbers = self
            .numbers(row, outcomes)
            .map_err(|why| format!("{over}: {why}"))?;
        let (simulated, _) = furthest(values, &numbers, 0.0, None)?;
        Ok((published, simulated))
    }
}

/// What a row and its experiments assume, each once, and the setting that is fitted to its figure.
fn assumed(row: &Row, planned: &[&Planned]) -> Vec<String> {
    let mut assumed: Vec<String> = Vec::new();
    for text in planned.iter().flat_map(|p| &p.assumed).chain(&row.assumed) {
        if !assumed.contains(text) {
            assumed.push(text.clone());
        }
    }
    let of_setting = |setting: &String| format!("{setting} is fitted to this figure");
    assumed.extend(row.fitted.iter().map(of_setting));
    assumed
}

fn failing_change(row: &Row) -> Option<FailingChange> {
    (!row.fails_with.is_empty()).then(|| FailingChange {
        changes: row.fails_with.clone(),
        ..FailingChange::default()
    })
}

/// The value of a row: by the role of its figure, and by what a good prediction of it would show.
fn category(published: &Published, exactly_determined: bool) -> Category {
    match published {
        Published::Calibrate(_) if exactly_determined => Category::ExactlyDetermined,
        Published::Calibrate(_) => Category::Calibrated,
        Published::Predict(predict) => match predict.independence {
            Independence::Own if predict.guess.is_some() => Category::Predicted,
            Independence::Own => Category::Claim,
            Independence::Trivial => Category::Trivial,
            Independence::Derived => Category::Derived,
        },
        Published::Input(_) | Published::Range(_) => Category::Range,
    }
}

/// Whether a claim does not hold, or a number is further off than the bound of its role:
/// [`CALIBRATED_WITHIN`] or [`PREDICTED_WITHIN`].
pub(super) fn is_missed(row: &ReproducedFigure) -> bool {
    let bound = match row.role {
        "calibrate" => CALIBRATED_WITHIN,
        _ => PREDICTED_WITHIN,
    };
    row.holds == Some(false) || row.error.is_some_and(|error| error > bound)
}

fn guess(published: &Published) -> Option<f64> {
    match published {
        Published::Predict(predict) => predict.guess.as_ref().map(|guess| guess.value),
        _ => None,
    }
}

/// A figure that is compared directly must have the published unit.
fn check_units(values: &[Expression], numbers: &Numbers, fact: &Fact) -> Result<(), String> {
    let plain = values
        .iter()
        .filter(|value| value.names() == [value.text().to_owned()]);
    for value in plain {
        let unit = numbers.units.get(value.text());
        if let Some(unit) = unit.filter(|unit| **unit != fact.unit) {
            return Err(format!(
                "the method gives {unit}, published are {}",
                fact.unit
            ));
        }
    }
    Ok(())
}

/// The values that would have been printed as the published one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    low: f64,
    high: f64,
    /// What a distance is divided by.
    of: f64,
}

impl Interval {
    /// Of a published figure less `base`; nothing where it is no number.
    fn of(fact: &Fact, tolerance: Tolerance, base: f64) -> Option<Interval> {
        let (low, high, of) = match fact.value {
            Value::Number {
                value,
                half_digit: free,
                ..
            } => {
                let value = value - base;
                let (low, high) = match tolerance {
                    Tolerance::Nothing => (value, value),
                    Tolerance::Printed => (value - free, value + free),
                    Tolerance::Absolute(more) => (value - more.max(free), value + more.max(free)),
                    Tolerance::Factor(factor) => (value / factor, value * factor),
                };
                (low, high, value.abs())
            }
            Value::Above(least) => (least, f64::INFINITY, least),
            Value::Below(most) => (f64::NEG_INFINITY, most, most),
            Value::Between(low, high) => (low, high, (low + high) / 2.0),
            Value::Words(_) => return None,
        };
        Some(Interval { low, high, of })
    }

    /// Distance to the interval, over the published value.
    fn error(&self, value: f64) -> Option<f64> {
        let distance = (self.low - value).max(value - self.high).max(0.0);
        Some(distance / self.of).filter(|error| error.is_finite())
    }
}

/// The value that is furthest off, and how far. A value without a number is no result.
fn furthest(
    values: &[Expression],
    numbers: &Numbers,
    base: f64,
    interval: Option<Interval>,
) -> Result<(f64, Option<f64>), String> {
    let mut worst: Option<(f64, Option<f64>, f64)> = None;
    for value in values {
        let simulated = value.number(&numbers.values);
        if !simulated.is_finite() {
            return Err(format!(
                "the simulation has no such number: {}",
                value.text()
            ));
        }
        let error = interval.and_then(|interval| interval.error(simulated - base));
        // Where two are as far off (both inside what was printed), the plain distance decides.
        let middle = interval.map_or(0.0, |i| {
            if i.high.is_finite() {
                (i.low + i.high) / 2.0
            } else {
                i.low
            }
        });
        let distance = (simulated - base - middle).abs();
        let is_worse = worst.is_none_or(|(_, e, d)| (error, distance) > (e, d));
        if is_worse {
            worst = Some((simulated, error, distance));
        }
    }
    let (simulated, error, _) = worst.ok_or("no number is asked for")?;
    Ok((simulated, error))
}
