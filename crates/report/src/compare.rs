//! Results side by side, against the first of them: what `drivelab compare` prints.
//!
//! A value stands beside the first result's only where both were made alike: same method and version,
//! same span, data, alignment, state of the drive, scale, statistic. Where something differs, no ratio
//! is given and what differs is named.

use base::result::{Better, RunResult};
use serde::Serialize;

use crate::conditions::Difference;
use crate::effect::{Behind, Effect, Verdict, effect};
use crate::group::{Groups, Section};
use crate::held::is_held;
use crate::lang::Texts;
use crate::number;
use crate::terminal::{Notes, TerminalOptions, terminal_unit, why};
use crate::text_table::{TextCell, TextTable, wrap};
use crate::verdict::{Cell, Rank, Reference, Row, Table};

mod refusal;

pub use refusal::refusal;

/// The schema of a comparison as JSON.
pub const COMPARISON_SCHEMA: &str = "drivelab.comparison/1";

/// Several results, compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// [`COMPARISON_SCHEMA`].
    pub schema: &'static str,
    /// A part for each method.
    pub methods: Vec<MethodComparison>,
    /// Values that could not be compared.
    pub refused: usize,
    /// Values that were compared.
    pub compared: usize,
}

/// The results of one method, compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MethodComparison {
    /// The method's name.
    pub method: String,
    /// The results, in the order of the values below; the first is what the others are compared with.
    pub results: Vec<Compared>,
    /// The figures.
    pub figures: Vec<FigureComparison>,
}

/// Which result a column stands for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// Its number in the store.
    pub id: i64,
    /// What was judged.
    pub title: String,
    /// `real` or `model`.
    pub kind: String,
}

/// One figure of all results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FigureComparison {
    /// The figure's name.
    pub key: String,
    /// Its unit.
    pub unit: String,
    /// Which is better.
    pub better: Better,
    /// One for each result.
    pub values: Vec<ValueComparison>,
}

/// One value beside the first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ValueComparison {
    /// The number, if there is one.
    pub value: Option<f64>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
    /// The value over the first one that there is; `None` where they may not be compared.
    pub ratio: Option<f64>,
    /// `best` or `worst` of those that may be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<&'static str>,
    /// True where the state of one of the drives is not known: the ratio holds with reserve.
    pub with_reserve: bool,
    /// True where the drive's link holds it: it is within 5 % of what the link carries.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub held_by_link: bool,
    /// How it differs from the first one, where enough stands behind both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// What differs from the first one's conditions, and forbids the comparison.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<Difference>,
}

/// Compares results, method by method.
pub fn compare(results: &[RunResult]) -> Comparison {
    let groups = Groups::new(results);
    let methods: Vec<MethodComparison> = groups
        .sections
        .iter()
        .map(|section| compare_section(section, &groups))
        .collect();
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
        kind: result.target.kind.clone(),
    });
    MethodComparison {
        method: section.method.to_owned(),
        results: results.collect(),
        figures: table
            .rows
            .iter()
            .map(|row| compare_row(row, section))
            .collect(),
    }
}

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
    for ((value, cell), (_, result)) in values.iter_mut().zip(&row.cells).zip(&section.results) {
        value.held_by_link = match cell {
            Cell::Value { figure, .. } | Cell::Apart(figure, _) => is_held(figure, &result.target),
            Cell::Absent | Cell::WhyNot(_) => false,
        };
    }
    add_effects(row, section, &mut values);
    FigureComparison {
        key: row.key.to_owned(),
        unit: row.unit.to_owned(),
        better: row.better,
        values,
    }
}

/// How each value differs from the first one, where that can be said.
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
    let others = values.iter_mut().zip(&behind).skip(at + 1);
    for (value, second) in others {
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

/// The comparison as JSON, indented, with a newline at its end.
///
/// # Errors
/// The serialiser's; none for what [`compare`] made.
pub fn json(comparison: &Comparison) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(comparison)? + "\n")
}

/// The comparison for a terminal: every figure, and how many times the first result's it is.
pub fn text(results: &[RunResult], options: &TerminalOptions) -> String {
    let texts = Texts::new(options.lang);
    let groups = Groups::new(results);
    let mut out = String::new();
    for section in &groups.sections {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&texts.method(section.method, section.title));
        out.push_str("\n\n");
        section_text(section, &groups, options, &texts, &mut out);
    }
    out
}

fn section_text(
    section: &Section,
    groups: &Groups,
    options: &TerminalOptions,
    texts: &Texts,
    out: &mut String,
) {
    let table = Table::new(section, Reference::First);
    let mut notes = Notes::default();
    let names: Vec<&str> = table
        .columns
        .iter()
        .map(|subject| groups.subjects[*subject].title.as_str())
        .collect();
    let (mut effects, mut judged, mut beside) = (Vec::new(), 0, 0);
    let rows = table.rows.iter().map(|row| {
        let compared = compare_row(row, section);
        judged += compared
            .values
            .iter()
            .filter(|v| v.effect.is_some())
            .count();
        beside += compared.values.iter().filter(|v| v.ratio.is_some()).count();
        effects.extend(effect_lines(row, &compared, &names, texts));
        let cells = row.cells.iter().zip(&compared.values);
        let cells = cells.map(|(cell, value)| text_cell(cell, value, row.unit, texts, &mut notes));
        (
            texts.figure(row.key),
            terminal_unit(row.unit, texts),
            cells.collect(),
        )
    });
    let rendered = TextTable {
        rows: rows.collect(),
        heads: table
            .columns
            .iter()
            .map(|subject| groups.subjects[*subject].title.clone())
            .collect(),
    };
    out.push_str(&rendered.render(options.columns, options.colour));
    for (i, note) in notes.all().iter().enumerate() {
        let head = format!("[{}] ", i + 1);
        let lines = wrap(note, options.columns.saturating_sub(head.len()));
        for (line_number, line) in lines.iter().enumerate() {
            let start = if line_number == 0 {
                head.clone()
            } else {
                " ".repeat(head.len())
            };
            out.push_str(&format!("{start}{line}\n"));
        }
    }
    if judged > effects.len() {
        let (none, all) = ((judged - effects.len()).to_string(), judged.to_string());
        effects.push(texts.with("effect-none", &[("count", &none), ("all", &all)]));
    } else if effects.is_empty() && beside > 0 {
        effects.push(texts.say("effect-unknown"));
    }
    for line in effects {
        for part in wrap(&line, options.columns) {
            out.push_str(&format!("{part}\n"));
        }
    }
}

/// A row's differences, a line for each drive that differs.
fn effect_lines(
    row: &Row,
    compared: &FigureComparison,
    names: &[&str],
    texts: &Texts,
) -> Vec<String> {
    let known = compared.values.iter().zip(names);
    known
        .filter_map(|(value, name)| {
            let effect = value.effect.as_ref()?;
            Some((effect, verdict_word(effect.verdict, texts)?, name))
        })
        .map(|(effect, verdict, name)| {
            let decimals = |value: f64| if value.abs() < 1.0 { 2 } else { 1 };
            let signed = |value: f64| format!("{value:+.0$}", decimals(value));
            let (by, interval, unit) = match effect.percent.zip(effect.percent_interval) {
                Some((percent, interval)) => (percent, interval, "%".to_owned()),
                None => (
                    effect.difference,
                    effect.interval,
                    terminal_unit(row.unit, texts),
                ),
            };
            texts.with(
                "effect-line",
                &[
                    ("figure", &texts.figure(row.key)),
                    ("drive", name),
                    ("verdict", &verdict),
                    ("by", &signed(by)),
                    ("low", &signed(interval.low)),
                    ("high", &signed(interval.high)),
                    ("unit", &unit),
                ],
            )
        })
        .collect()
}

/// The word for a difference; nothing where none is shown.
fn verdict_word(verdict: Verdict, texts: &Texts) -> Option<String> {
    Some(match verdict {
        Verdict::Faster => texts.say("effect-faster"),
        Verdict::Slower => texts.say("effect-slower"),
        Verdict::Better => texts.say("effect-better"),
        Verdict::Worse => texts.say("effect-worse"),
        Verdict::Higher => texts.say("effect-higher"),
        Verdict::Lower => texts.say("effect-lower"),
        Verdict::NoDifference => return None,
    })
}

fn text_cell(
    cell: &Cell,
    value: &ValueComparison,
    unit: &str,
    texts: &Texts,
    notes: &mut Notes,
) -> TextCell {
    let reason = why(cell, texts);
    let mark = if !reason.is_empty() {
        format!(" [{}]", notes.number(reason))
    } else if let Some(ratio) = value.ratio {
        format!(" x{}", number::value(ratio, ""))
    } else {
        String::new()
    };
    let held = if value.held_by_link {
        format!("{mark} [{}]", notes.number(texts.say("held-by-link")))
    } else {
        mark
    };
    let text = match (cell, value.value) {
        (Cell::Absent, _) => String::new(),
        (_, Some(number)) if number.is_finite() => number::value(number, unit),
        _ => texts.say("no-value"),
    };
    TextCell {
        text,
        mark: held,
        ..TextCell::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn two() -> Vec<RunResult> {
        let mut results = sample::review();
        results.retain(|r| r.method == "latency-watch");
        results.remove(0);
        results[1].figures[1].comparable_by.data = "zeros".to_owned();
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
    fn the_text_says_what_differs() {
        let options = TerminalOptions::default();
        insta::assert_snapshot!(text(&two(), &options), @r#"
        Latency watch

                                                  Samsung 840 EVO     HGST Deskstar NAS
                                                            750GB                   3TB
        alone median                   ms                  0.0960          12.70 x132.3
        alone p99                      ms                   0.173          22.86 [1]
        alone p99.9                    ms                   0.250          33.02 x132.3
        alone worst                    ms                    4.10          412.0 x100.5
        alone stutters                 per min               0.00          18.00
        beside a load median           ms                   0.355          46.99 x132.3
        beside a load p99              ms                   0.639          84.58 x132.3
        beside a load p99.9            ms                   0.924          122.2 x132.3
        beside a load worst            ms                   15.17          1,524 x100.5
        beside a load stutters         per min               0.00          18.00
        beside a load background rate  IOPS                10,900            n/a [2]
        [1] not comparable, not ranked: data zeros, elsewhere fresh, 0 % compressible
        [2] no value: nothing was completed
        Whether these differences are more than chance cannot be said from one value
        each: measure with --repeat auto.
        "#);
    }

    #[test]
    fn repeated_results_are_faster_or_slower_with_effect_and_interval() {
        let mut results = two();
        for (result, factor) in results.iter_mut().zip([1.0, 1.1]) {
            result.figures.truncate(1);
            let key = result.figures[0].key.clone();
            let values = [99.0, 101.0, 100.0, 98.0, 102.0, 100.5].map(|v| v * factor);
            result.figures[0].value = Some(100.0 * factor);
            result.repeats = Some(base::result::Repeats {
                values: [(key, values.to_vec())].into(),
                ..base::result::Repeats::default()
            });
        }
        let value = &compare(&results).methods[0].figures[0].values[1];
        assert_eq!(value.effect.as_ref().unwrap().verdict, Verdict::Slower);
        let text = super::text(&results, &TerminalOptions::default());
        assert!(text.contains("NAS 3TB: slower (+10.0 %"), "{text}");
        assert!(!text.contains("--repeat"), "{text}");
        // The same beside itself: nothing differs, which is said once.
        let twice = [results[0].clone(), results[0].clone()];
        let text = super::text(&twice, &TerminalOptions::default());
        assert!(text.contains("No difference is shown in 1 of 1"), "{text}");
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
    fn the_json_names_its_schema() {
        let text = json(&compare(&two())).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["schema"], COMPARISON_SCHEMA);
        assert_eq!(
            value["methods"][0]["figures"][1]["values"][1]["differs"][0]["what"],
            "data"
        );
    }
}
