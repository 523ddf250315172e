//! Results side by side: what `drivelab compare` prints.

use analysis::compare::compare_groups;
use analysis::group::Section;
use analysis::verdict::{Cell, Reference, Table};
use results::comparison::{
    Comparison, Effect, EffectVerdict, FigureComparison, MethodComparison, ValueComparison,
};
use results::{RunResult, TargetKind};

use crate::lang::Texts;
use crate::number;
use crate::terminal::{Notes, TerminalOptions, terminal_unit, why};
use crate::text_table::{TextCell, TextTable, hanging};

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
    let groups = texts.groups(results);
    let comparison = compare_groups(&groups);
    let mut out = String::new();
    for (section, compared) in groups.sections.iter().zip(&comparison.methods) {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(texts.title(section.titles));
        out.push_str("\n\n");
        section_text(section, compared, options, &texts, &mut out);
    }
    out
}

fn section_text(
    section: &Section,
    compared: &MethodComparison,
    options: &TerminalOptions,
    texts: &Texts,
    out: &mut String,
) {
    let table = Table::new(section, Reference::First);
    let mut notes = Notes::default();
    let names: Vec<&str> = compared.results.iter().map(|r| r.title.as_str()).collect();
    let rows = table
        .rows
        .iter()
        .zip(&compared.figures)
        .map(|(row, figure)| {
            let cells = row.cells.iter().zip(&figure.values);
            let cells =
                cells.map(|(cell, value)| text_cell(cell, value, row.unit, texts, &mut notes));
            (
                texts.figure(row.key),
                terminal_unit(row.unit, texts),
                cells.collect(),
            )
        });
    let rendered = TextTable {
        rows: rows.collect(),
        heads: names.iter().map(|name| (*name).to_owned()).collect(),
    };
    out.push_str(&rendered.render(options.columns, options.colour));
    let mut add = |head: &str, text: &str| out.push_str(&hanging(head, text, options.columns));
    let marks = table.rows.iter().flat_map(|row| &row.tails).flatten();
    for line in crate::tails::legend(marks.copied(), texts) {
        add("", &line);
    }
    for (i, note) in notes.all().iter().enumerate() {
        add(&format!("[{}] ", i + 1), note);
    }
    let effects = compared
        .figures
        .iter()
        .flat_map(|figure| effect_lines(figure, &names, texts));
    for line in effects.chain(conclusions(compared, texts)) {
        add("", &line);
    }
}

/// What is said of all figures of a method together: how many facts differ, and why of some nothing can be told.
fn conclusions(compared: &MethodComparison, texts: &Texts) -> Vec<String> {
    let facts = compared.facts;
    let count = |n: usize| n.to_string();
    let mut said = Vec::new();
    if facts.differ > 0 {
        let counts = [
            ("count", &*count(facts.differ)),
            ("all", &count(facts.judged)),
        ];
        said.push(texts.with("effect-facts", &counts));
    } else if facts.judged > 0 {
        said.push(texts.with("effect-none", &[("all", &count(facts.judged))]));
    }
    if facts.of_one_run > 0 {
        said.push(texts.with("effect-cannot-tell", &[("count", &count(facts.of_one_run))]));
    }
    if facts.of_too_few_values > 0 {
        let counts = [("count", &*count(facts.of_too_few_values))];
        said.push(texts.with("effect-too-few", &counts));
    }
    let values = || compared.figures.iter().flat_map(|figure| &figure.values);
    if said.is_empty() && values().any(|value| value.ratio.is_some()) {
        let modelled = compared.results.iter().all(|r| r.kind == TargetKind::Model);
        said.push(texts.say(if modelled {
            "effect-models"
        } else {
            "effect-unknown"
        }));
    }
    said
}

/// A row's differences, a line for each drive that differs.
fn effect_lines(compared: &FigureComparison, names: &[&str], texts: &Texts) -> Vec<String> {
    let known = compared.values.iter().zip(names);
    known
        .filter_map(|(value, name)| {
            let said = effect_said(value.effect.as_ref()?, &compared.unit, texts)?;
            let figure = texts.figure(&compared.key);
            Some(texts.with(
                "effect-line",
                &[("figure", &figure), ("drive", name), ("said", &said)],
            ))
        })
        .collect()
}

/// A difference in words: `faster (+10.0 %, 95 % interval +8.1 to +12.0 %)`; nothing where none is shown.
fn effect_said(effect: &Effect, unit: &str, texts: &Texts) -> Option<String> {
    let verdict = verdict_word(effect.verdict, texts)?;
    let decimals = |value: f64| if value.abs() < 1.0 { 2 } else { 1 };
    let signed = |value: f64| format!("{value:+.0$}", decimals(value));
    let (by, interval, unit) = match effect.percent.zip(effect.percent_interval) {
        Some((percent, interval)) => (percent, interval, "%".to_owned()),
        None => (
            effect.difference,
            effect.interval,
            terminal_unit(unit, texts),
        ),
    };
    let confidence = number::value(interval.confidence_percent, "count");
    Some(texts.with(
        "effect-said",
        &[
            ("verdict", &verdict),
            ("by", &signed(by)),
            ("low", &signed(interval.low)),
            ("high", &signed(interval.high)),
            ("unit", &unit),
            ("percent", &confidence),
        ],
    ))
}

/// What the page of all results shows of two of them.
#[derive(Debug)]
pub(crate) struct Pair {
    /// The figures with a statement: key, words, and which of the two is better by a difference that is shown.
    pub(crate) rows: Vec<(String, String, Option<usize>)>,
    /// What is said of all together.
    pub(crate) conclusions: Vec<String>,
}

/// Two results of one method, as `drivelab compare` has them: no difference is said that it does not say.
pub(crate) fn pair(first: &RunResult, second: &RunResult, texts: &Texts) -> Pair {
    let results = [first.clone(), second.clone()];
    let groups = texts.groups(&results);
    let comparison = compare_groups(&groups);
    let mut said = Pair {
        rows: Vec::new(),
        conclusions: Vec::new(),
    };
    for (section, compared) in groups.sections.iter().zip(&comparison.methods) {
        let table = Table::new(section, Reference::First);
        for (row, figure) in table.rows.iter().zip(&compared.figures) {
            let words = row.cells.iter().zip(&figure.values).map(|(cell, value)| {
                let effect = value.effect.as_ref();
                let told = effect.and_then(|effect| effect_said(effect, &figure.unit, texts));
                told.unwrap_or_else(|| match effect.map(|effect| effect.verdict) {
                    Some(EffectVerdict::NoDifference) => texts.say("effect-no-difference"),
                    _ => why(cell, texts),
                })
            });
            let words: Vec<String> = words.filter(|words| !words.is_empty()).collect();
            if !words.is_empty() {
                let better = figure.values.iter().find_map(better_one);
                said.rows
                    .push((figure.key.clone(), texts.clauses(&words), better));
            }
        }
        said.conclusions.extend(conclusions(compared, texts));
    }
    said
}

/// Which of two is better: the second (1), the first (0), or neither.
fn better_one(value: &ValueComparison) -> Option<usize> {
    match value.effect.as_ref()?.verdict {
        EffectVerdict::Faster | EffectVerdict::Better => Some(1),
        EffectVerdict::Slower | EffectVerdict::Worse => Some(0),
        _ => None,
    }
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
        EffectVerdict::NoDifference | EffectVerdict::CannotTell | EffectVerdict::TooFewValues => {
            return None;
        }
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
        .map(|tail| format!(" {}", crate::tails::sign(tail, texts)));
    let mark = worth.unwrap_or_default() + &mark;
    let holds = [
        (value.held_by_link, "held-by-link"),
        (value.held_by_host, "held-by-host"),
        (value.held_by_write_cache, "held-by-write-cache"),
    ];
    let held = match holds.iter().find(|(is, _)| *is) {
        Some((_, key)) => format!("{mark} [{}]", notes.number(texts.say(key))),
        None => mark,
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
        results[1].figures[1].comparable_by.data = base::message::Message::as_it_stands("zeros");
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
        All of these are models: with the same seed they give the same values again.
        They do not show how real drives vary from run to run.
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
        assert!(
            text.contains("No difference is shown in any of 1 fact"),
            "{text}"
        );
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
