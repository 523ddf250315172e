//! A document's tables for the terminal: a line a figure, by drive.

use std::fmt::Write as _;

use results::plan::PlanOutcome;
use unicode_width::UnicodeWidthStr;

use super::{DocumentTable, claims, is_shortened, lacking, names, off, ours, role, tables, theirs};
use crate::lang::{Lang, Texts};
use crate::reproduction;
use crate::text_table::{at_left, at_right, indented, wrap};

/// Columns of ours, theirs, and how far they are apart.
const NUMBERS: [usize; 3] = [10, 12, 11];
/// Columns before a measure's name.
const INDENT: usize = 4;
/// A measure's name has no less, and no more.
const NAME: [usize; 2] = [24, 60];

/// The tables of the plan's document in so many columns.
pub fn text(outcome: &PlanOutcome, columns: usize, lang: Lang) -> String {
    let texts = Texts::new(lang);
    let rows = &outcome.published;
    let mut out = String::new();
    let mut say = |text: &str, indent: usize| out.push_str(&indented(indent, text, columns));
    say(&texts.say("published-lede"), 0);
    let shortened = is_shortened(outcome);
    if shortened {
        say(&texts.say("published-shortened"), 0);
    }
    for table in &tables(rows, &texts) {
        out.push('\n');
        out.push_str(&table_of(table, columns, shortened, &texts));
    }
    let mut say = |text: &str, indent: usize| out.push_str(&indented(indent, text, columns));
    for (at, row) in claims(rows).enumerate() {
        if at == 0 {
            say("", 0);
            say(&texts.say("published-claims"), 0);
        }
        let what = [reproduction::drive(row), reproduction::what(row, &texts)].join(": ");
        say(
            &format!(
                "{}  {what}",
                texts.list(&[row.id.to_string(), role(row, shortened, &texts)])
            ),
            2,
        );
        let why = row.not_run.as_ref().map(|why| format!(": {why}"));
        let found = reproduction::claim(row, &texts) + &why.unwrap_or_default();
        let published = texts.title([&row.published, &row.japanese.published]);
        let published = format!("{published} {}", texts.unit(&row.unit));
        say(&format!("{}: {found}", published.trim_end()), INDENT);
    }
    for (at, (ids, reason)) in lacking(rows).iter().enumerate() {
        if at == 0 {
            say("", 0);
            say(&texts.say("published-lacking"), 0);
        }
        say(&format!("{ids}: {reason}"), 2);
    }
    out
}

fn table_of(table: &DocumentTable<'_>, columns: usize, shortened: bool, texts: &Texts) -> String {
    let numbers = NUMBERS.iter().sum::<usize>();
    let [least, most] = NAME;
    let name = columns.saturating_sub(INDENT + numbers).clamp(least, most);
    let heads = ["reproduce-simulated", "reproduce-published"].map(|key| texts.say(key));
    let mut out = line(&table.title, INDENT + name, [&heads[0], &heads[1], ""]);
    for (at, drive) in table.drives.iter().enumerate() {
        let _ = writeln!(out, "  {drive}");
        for (which, measure) in table.measures.iter().enumerate() {
            let cell = table.cell(at, which);
            if cell.is_empty() {
                continue;
            }
            let off = off(&cell, texts).unwrap_or_default();
            let values = [ours(&cell, measure), theirs(&cell, measure), off];
            let label = format!("{} ({})", measure.name, names(&cell, shortened, texts));
            let lines = wrap(&label, name);
            for (n, part) in lines.iter().enumerate() {
                let part = format!("{:INDENT$}{part}", "");
                let shown = if n == 0 {
                    [&*values[0], &*values[1], &*values[2]]
                } else {
                    ["", "", ""]
                };
                out.push_str(&line(&part, INDENT + name, shown));
            }
        }
    }
    out
}

/// A name, and numbers at the right.
fn line(name: &str, width: usize, numbers: [&str; 3]) -> String {
    let mut line = at_left(name, width);
    for (number, width) in numbers.into_iter().zip(NUMBERS) {
        line.push_str(&at_right(number, width.max(number.width() + 1)));
    }
    format!("{}\n", line.trim_end())
}
