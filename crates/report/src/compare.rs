//! Results side by side: what `drivelab compare` prints.

use analysis::compare::compare_row;
use analysis::group::{Groups, Section};
use analysis::verdict::{Cell, Reference, Row, Table};
use results::RunResult;
use results::comparison::EffectVerdict;
use results::comparison::{Comparison, FigureComparison, ValueComparison};

use crate::lang::Texts;
use crate::number;
use crate::terminal::{Notes, TerminalOptions, terminal_unit, why};
use crate::text_table::{TextCell, TextTable, wrap};

/// The comparison as JSON, indented, with a newline at its end.
///
/// # Errors
/// The serialiser's; none for what `analysis::compare::compare` made.
pub fn json(comparison: &Comparison) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(comparison)? + "\n")
}

/// The comparison for a terminal: every figure, and how many times the first result's it is.
pub fn text(results: &[RunResult], options: &TerminalOptions) -> String {
    let texts = Texts::of(options.lang, results);
    let groups = Groups::new(results);
    let mut out = String::new();
    for section in &groups.sections {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(texts.title(section.titles));
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
    let (mut effects, mut judged, mut open, mut beside) = (Vec::new(), 0, 0, 0);
    let rows = table.rows.iter().map(|row| {
        let compared = compare_row(row, section);
        for effect in compared.values.iter().filter_map(|v| v.effect.as_ref()) {
            match effect.verdict {
                EffectVerdict::CannotTell => open += 1,
                _ => judged += 1,
            }
        }
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
    if table
        .rows
        .iter()
        .flat_map(|row| &row.tails)
        .flatten()
        .next()
        .is_some()
    {
        for line in wrap(&texts.say("terminal-tails"), options.columns) {
            out.push_str(&format!("{line}\n"));
        }
    }
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
    }
    if open > 0 {
        effects.push(texts.with("effect-cannot-tell", &[("count", &open.to_string())]));
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
                    (
                        "percent",
                        &number::value(interval.confidence_percent, "count"),
                    ),
                ],
            )
        })
        .collect()
}

/// The word for a difference; nothing where none is shown.
fn verdict_word(verdict: EffectVerdict, texts: &Texts) -> Option<String> {
    Some(match verdict {
        EffectVerdict::Faster => texts.say("effect-faster"),
        EffectVerdict::Slower => texts.say("effect-slower"),
        EffectVerdict::Better => texts.say("effect-better"),
        EffectVerdict::Worse => texts.say("effect-worse"),
        EffectVerdict::Higher => texts.say("effect-higher"),
        EffectVerdict::Lower => texts.say("effect-lower"),
        EffectVerdict::NoDifference | EffectVerdict::CannotTell => return None,
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
    let worth = value
        .tail
        .map(|tail| format!(" {}", crate::tails::sign(tail)));
    let mark = worth.unwrap_or_default() + &mark;
    let held = match (value.held_by_link, value.held_by_host) {
        (true, _) => format!("{mark} [{}]", notes.number(texts.say("held-by-link"))),
        (_, true) => format!("{mark} [{}]", notes.number(texts.say("held-by-host"))),
        _ => mark,
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
    use analysis::compare::compare;
    use fixtures::results as sample;
    use results::comparison::COMPARISON_SCHEMA;

    fn two() -> Vec<RunResult> {
        let mut results = sample::review();
        results.retain(|r| r.method == "latency-watch");
        results.remove(0);
        results[1].figures[1].comparable_by.data = "zeros".to_owned();
        results
    }

    #[test]
    fn the_text_says_what_differs() {
        let options = TerminalOptions::default();
        insta::assert_snapshot!(text(&two(), &options), @r#"
        Latency watch

                                              Samsung 840 EVO
                                                        750GB  HGST Deskstar NAS 3TB
        alone median                ms               0.0960           12.70 x132.3
        alone p99                   ms                0.173 ~         22.86 ~ [1]
        alone p99.9                 ms                0.250 ~         33.02 ~ x132.3
        alone worst                 ms                 4.10 ~         412.0 ~ x100.5
        alone stutters              /min               0.00 ~         18.00 ~
        under load median           ms                0.355           46.99 x132.3
        under load p99              ms                0.639 ~         84.58 ~ x132.3
        under load p99.9            ms                0.924 ~         122.2 ~ x132.3
        under load worst            ms                15.17 ~         1,524 ~ x100.5
        under load stutters         /min               0.00 ~         18.00 ~
        under load background rate  IOPS             10,900             n/a [2]
        ~ modelled, not compared with any real drive; ~13% or ~x1.5 compared, and off by
        that much
        [1] not comparable, not ranked: data zeros, elsewhere fresh, 0 % compressible
        [2] no value: nothing was completed
        Significance cannot be tested with one value per drive: measure with --repeat
        auto.
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
            result.repeats = Some(results::Repeats {
                values: [(key, values.to_vec())].into(),
                ..results::Repeats::default()
            });
        }
        let text = super::text(&results, &TerminalOptions::default());
        assert!(text.contains("NAS 3TB: slower (+10.0 %"), "{text}");
        assert!(!text.contains("--repeat"), "{text}");
        // The same beside itself: nothing differs, which is said once.
        let twice = [results[0].clone(), results[0].clone()];
        let text = super::text(&twice, &TerminalOptions::default());
        assert!(text.contains("No difference shown in 1 of 1"), "{text}");
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
