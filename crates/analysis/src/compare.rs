//! Results side by side, against the first of them.
//!
//! A value is compared with the first result's only if both were measured in the same way: same method and version,
//! span, data, alignment, state of the drive, scale, statistic. If something differs, no ratio is given and the
//! difference is named.

use results::comparison::{
    COMPARISON_SCHEMA, Compared, Comparison, FactsCompared, FigureComparison, MethodComparison,
    ValueComparison,
};
use results::{RunResult, TailMark};

use crate::effect::{Behind, effect};
use crate::group::{Groups, Section};
use crate::held::Held;
use crate::verdict::{Cell, Rank, Reference, Row, Table};

mod chance;
mod refusal;

pub use refusal::refusal;

/// Compares results, method by method.
pub fn compare(results: &[RunResult]) -> Comparison {
    compare_groups(&Groups::new(results))
}

/// Compares results that are sorted: a method a section, a figure a row of its table.
pub fn compare_groups(groups: &Groups) -> Comparison {
    let sections = groups.sections.iter();
    let mut methods: Vec<MethodComparison> = sections
        .map(|section| compare_section(section, groups))
        .collect();
    chance::correct(&mut methods, groups);
    let count = |wanted: fn(&ValueComparison) -> bool| {
        methods
            .iter()
            .flat_map(|method| &method.figures)
            .flat_map(|figure| figure.values.iter().filter(|value| wanted(value)))
            .count()
    };
    Comparison {
        schema: COMPARISON_SCHEMA,
        refused: count(|value| !value.differs.is_empty()),
        compared: count(|value| value.ratio.is_some()),
        methods,
    }
}

fn compare_section(section: &Section, groups: &Groups) -> MethodComparison {
    let table = Table::new(section, Reference::First);
    let results = section.results.iter().map(|(subject, result)| Compared {
        id: result.id,
        title: groups.subjects[*subject].title.clone(),
        kind: result.target.kind,
    });
    MethodComparison {
        method: section.method.to_owned(),
        results: results.collect(),
        figures: table
            .rows
            .iter()
            .map(|row| compare_row(row, section))
            .collect(),
        facts: FactsCompared::default(),
    }
}

/// One row of a table, each value compared with the first one.
fn compare_row(row: &Row, section: &Section) -> FigureComparison {
    let first = row.cells.iter().find_map(|cell| match cell {
        Cell::Value { figure, .. } => figure.value,
        _ => None,
    });
    let mut values: Vec<ValueComparison> = row
        .cells
        .iter()
        .map(|cell| compare_cell(cell, first))
        .collect();
    // The first value is what the others are compared with, not itself compared.
    if let Some(value) = values.iter_mut().find(|value| value.ratio.is_some()) {
        value.ratio = None;
    }
    for (value, mark) in values.iter_mut().zip(&row.tails) {
        value.tail = *mark;
    }
    for (value, held) in values.iter_mut().zip(&row.held) {
        value.held_by_link = *held == Some(Held::ByLink);
        value.held_by_host = *held == Some(Held::ByHost);
        value.held_by_write_cache = *held == Some(Held::ByWriteCache);
    }
    add_effects(row, section, &mut values);
    FigureComparison {
        key: row.key.to_owned(),
        unit: row.unit.to_owned(),
        better: row.better,
        values,
    }
}

/// The effect of each value relative to the first one, if it can be determined. The distance of a tail that was never
/// compared with a real drive says nothing about drives, nor does a figure that is known to be missed: it has no
/// interval.
fn add_effects(row: &Row, section: &Section, values: &mut [ValueComparison]) {
    let behind = row.cells.iter().zip(&section.results);
    let behind: Vec<Option<Behind<'_>>> = behind
        .map(|(cell, (_, result))| match cell {
            Cell::Value { figure, .. } => Some(Behind { figure, result }),
            _ => None,
        })
        .collect();
    let Some(at) = behind.iter().position(Option::is_some) else {
        return;
    };
    let is_told = |mark: Option<TailMark>| mark.is_none_or(TailMark::is_told);
    if !is_told(values[at].tail) {
        return;
    }
    let others = values.iter_mut().zip(&behind).skip(at + 1);
    for (value, second) in others.filter(|(value, _)| is_told(value.tail)) {
        let pair = behind[at].zip(*second);
        value.effect = pair.and_then(|(first, second)| effect(first, second));
    }
}

fn compare_cell(cell: &Cell, first: Option<f64>) -> ValueComparison {
    match cell {
        Cell::Absent => ValueComparison::default(),
        Cell::WhyNot(figure) => ValueComparison {
            why_not: figure.why_not.clone(),
            ..ValueComparison::default()
        },
        Cell::Apart(figure, differs) => ValueComparison {
            value: figure.value,
            differs: differs.clone(),
            ..ValueComparison::default()
        },
        Cell::Value {
            figure,
            rank,
            reserved,
        } => ValueComparison {
            value: figure.value,
            // Zero errors beside zero errors are the same; beside anything else there is no ratio.
            ratio: figure.value.zip(first).and_then(|(value, first)| {
                let ratio = if value.total_cmp(&first).is_eq() {
                    1.0
                } else {
                    value / first
                };
                ratio.is_finite().then_some(ratio)
            }),
            rank: match rank {
                Rank::Best => Some("best"),
                Rank::Worst => Some("worst"),
                Rank::Plain => None,
            },
            with_reserve: *reserved,
            ..ValueComparison::default()
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fixtures::results as sample;

    fn two() -> Vec<RunResult> {
        let mut results = sample::review();
        results.retain(|r| r.method == "latency-watch");
        results.remove(0);
        results[1].figures[1].comparable_by.data = base::message::Message::as_it_stands("zeros");
        results
    }
    #[test]
    fn a_value_is_a_multiple_of_the_first_and_one_made_otherwise_is_refused() {
        let comparison = compare(&two());
        assert_eq!(comparison.refused, 1);
        let figures = &comparison.methods[0].figures;
        assert_eq!(figures[0].values[0].ratio, None);
        let ratio = figures[0].values[1].ratio.unwrap();
        assert!((ratio - 12_700.0 / 96.0).abs() < 1e-9, "{ratio}");
        assert_eq!(figures[0].values[0].rank, Some("best"));
        assert_eq!(figures[1].values[1].ratio, None);
        assert_eq!(figures[1].values[1].differs[0].what, "data");
    }
    #[test]
    fn results_of_different_methods_are_not_compared() {
        let mut results = sample::review();
        results.retain(|r| r.id == 1 || r.id == 5);
        let comparison = compare(&results);
        assert_eq!(comparison.methods.len(), 2);
        assert_eq!(comparison.compared, 0);
    }

    #[test]
    fn repeated_results_have_an_effect_with_an_interval() {
        let mut results = two();
        for (result, factor) in results.iter_mut().zip([1.0, 1.1]) {
            result.figures.truncate(1);
            let key = result.figures[0].key.clone();
            let values = [99.0, 101.0, 100.0, 98.0, 102.0, 100.5].map(|v| v * factor);
            result.figures[0].value = Some(100.0 * factor);
            result.repeats = Some(results::Repeats {
                values: [(key, values.to_vec())].into(),
                ..results::Repeats::default()
            });
        }
        let value = &compare(&results).methods[0].figures[0].values[1];
        let verdict = value.effect.as_ref().unwrap().verdict;
        assert_eq!(verdict, results::comparison::EffectVerdict::Slower);
    }
}
