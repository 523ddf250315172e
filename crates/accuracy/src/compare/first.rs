//! The first score: the modelled drives' results when every row was run for the first time.
//!
//! Afterwards people who had seen the predicted figures changed the structure of drives, states and comparisons; later
//! scores show what the models can be made to give, and only the first one what they predicted. So it is shown next to
//! the present one, on the same rows.

use std::collections::BTreeMap;

use results::reproduction::{Category, FactId, ReproducedFigure};
use serde::Deserialize;

use super::verdict::plain_error;
use crate::experiments::Table;
use crate::reference::Facts;

/// The first run of all rows, compiled in.
const FIRST: &str = include_str!("../../../../catalog/first-figures/reproduce-2026-11-21.csv");

/// What a row gave.
#[derive(Debug, Deserialize)]
struct FirstFigure {
    id: FactId,
    exactly_determined: bool,
    simulated: Option<f64>,
    error: Option<f64>,
    null_error: Option<f64>,
    holds: Option<bool>,
}

/// The rows as the first run had them.
pub(super) fn rows(
    facts: &Facts,
    table: &Table,
    rows: &[ReproducedFigure],
) -> Vec<ReproducedFigure> {
    let figures = figures();
    let simulated = |id: FactId| figures.get(&id)?.simulated;
    let first = |row: &ReproducedFigure| {
        let figure = figures.get(&row.id)?;
        let fact = facts.get(row.id)?.fact();
        let over = table.rows.get(&row.id)?.plan.excess_over();
        let over =
            over.and_then(|id| Some((facts.get(id)?.fact().value.number()?, simulated(id)?)));
        let plain = figure.simulated.and_then(|s| plain_error(fact, s, over));
        Some(ReproducedFigure {
            category: category(row, figure),
            simulated: figure.simulated,
            error: figure.error,
            null_error: figure.null_error,
            plain_error: plain,
            holds: figure.holds,
            can_fail: None,
            ..row.clone()
        })
    };
    rows.iter().filter_map(first).collect()
}

/// Which families were exactly determined was not the same then.
fn category(row: &ReproducedFigure, first: &FirstFigure) -> Category {
    match row.category {
        Category::Calibrated | Category::ExactlyDetermined => match first.exactly_determined {
            true => Category::ExactlyDetermined,
            false => Category::Calibrated,
        },
        other => other,
    }
}

fn figures() -> BTreeMap<FactId, FirstFigure> {
    let mut reader = csv::Reader::from_reader(FIRST.as_bytes());
    let figures = reader.deserialize().filter_map(Result::ok);
    figures
        .map(|figure: FirstFigure| (figure.id, figure))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Plans, Selection};
    use std::collections::BTreeSet;

    #[test]
    fn every_line_of_the_first_run_is_read() {
        assert_eq!(figures().len(), FIRST.lines().count() - 1);
    }

    #[test]
    fn the_first_score_is_the_one_that_was_written_down_then() {
        let facts = Facts::published().unwrap();
        let table = Table::published(&facts).unwrap();
        let plans = Plans::new(&facts, &table, &Selection::default(), BTreeSet::new()).unwrap();
        let not_run = |_: &_| Err("not run here".to_owned());
        let first = plans.reproduce(1, &not_run, &|_, _| {}).first;
        let per_mille = |median: Option<f64>| (1000.0 * median.unwrap()).round();
        let predicted = &first.predicted;
        assert_eq!((predicted.run, predicted.count_within), (73, 42));
        assert!((per_mille(predicted.median) - 197.0).abs() < 1e-9);
        assert_eq!(
            (first.null.count_within, per_mille(first.null.median)),
            (25, 448.0)
        );
        assert_eq!((first.claims.rows, first.claims.held), (48, 19));
        assert_eq!(
            (first.calibrated.run, first.calibrated.count_within),
            (68, 50)
        );
        // Without tolerances.
        let plain = &first.stricter[0].predicted;
        assert_eq!((plain.run, plain.count_within), (73, 37));
    }
}
