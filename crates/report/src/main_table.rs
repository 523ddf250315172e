//! The verdict table to paste into a text: Markdown, or a fragment of HTML without styles.
//!
//! A site has its own look, and a text its own words around the table, so both forms have nothing but the main
//! figures with their units: a row for each, a column for each drive. The best value is bold, and the reason for a
//! missing or unranked value is below, by number, as in the page.

use std::fmt::Write as _;

use base::result::Figure;
use maud::{Markup, html};
use results::{RunResult, TailMark};

use crate::lang::{Lang, Texts};
use crate::number;
use crate::pairs::{self, paired};
use crate::terminal::{Notes, why};
use analysis::group::Section;
use analysis::tails::tail_mark;
use analysis::verdict::{Cell, Rank, Reference, Table};

/// The text of a cell.
#[derive(Default)]
struct Shown {
    value: String,
    is_best: bool,
    note: Option<usize>,
}

/// The figures of a method.
struct Part {
    title: String,
    rows: Vec<(String, String, Vec<Shown>)>,
}

/// All that is shown.
struct MainTable {
    drives: Vec<String>,
    parts: Vec<Part>,
    notes: Notes,
    marks: Vec<TailMark>,
}

/// The main figures as a Markdown table (GitHub's), with its notes below.
pub fn markdown(results: &[RunResult], lang: Lang) -> String {
    let texts = Texts::of(lang, results);
    let table = MainTable::of(results, &texts);
    let mut text = format!("| {} | {} |", texts.say("figure"), texts.say("unit"));
    for drive in &table.drives {
        let _ = write!(text, " {} |", plain(drive));
    }
    text.push_str("\n|:--|:--|");
    text.push_str(&"--:|".repeat(table.drives.len()));
    text.push('\n');
    for part in &table.parts {
        let _ = write!(text, "| **{}** | |", plain(&part.title));
        text.push_str(&" |".repeat(table.drives.len()));
        text.push('\n');
        for (figure, unit, cells) in &part.rows {
            let _ = write!(text, "| {} | {} |", plain(figure), plain(unit));
            for cell in cells {
                let value = plain(&cell.value);
                let value = if cell.is_best {
                    format!("**{value}**")
                } else {
                    value
                };
                let note = cell.note.map_or(String::new(), |n| format!(" ({n})"));
                let _ = write!(text, " {value}{note} |");
            }
            text.push('\n');
        }
    }
    for line in crate::tails::legend(table.marks.iter().copied(), &texts) {
        let _ = writeln!(text, "\n{}", plain(&line));
    }
    for (n, note) in (1..).zip(table.notes.all()) {
        let gap = if n == 1 { "\n" } else { "" };
        let _ = writeln!(text, "{gap}({n}) {}", plain(note));
    }
    text
}

/// A text whose characters mean nothing in Markdown.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars() {
        match c {
            '\\' | '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '~' => plain.extend(['\\', c]),
            c if c.is_control() => plain.push(' '),
            c => plain.push(c),
        }
    }
    plain
}

/// The main figures as a `<table>` without classes, with its notes below: for a page that has a look of its own.
pub fn fragment(results: &[RunResult], lang: Lang) -> String {
    let texts = Texts::of(lang, results);
    let table = MainTable::of(results, &texts);
    let wide = table.drives.len() + 2;
    let cell = |cell: &Shown| {
        html! {
            td align="right" {
                @if cell.is_best { b { (cell.value) } } @else { (cell.value) }
                @if let Some(n) = cell.note { sup { (n) } }
            }
        }
    };
    let markup: Markup = html! {
        table lang=(lang.tag()) {
            thead { tr {
                th scope="col" { (texts.say("figure")) }
                th scope="col" { (texts.say("unit")) }
                @for drive in &table.drives { th scope="col" { (drive) } }
            } }
            "\n"
            @for part in &table.parts {
                tbody {
                    tr { th scope="rowgroup" colspan=(wide) { (part.title) } }
                    "\n"
                    @for (figure, unit, cells) in &part.rows {
                        tr {
                            th scope="row" { (figure) }
                            td { (unit) }
                            @for shown in cells { (cell(shown)) }
                        }
                        "\n"
                    }
                }
            }
        }
        "\n"
        @for line in crate::tails::legend(table.marks.iter().copied(), &texts) { p { (line) } }
        @if !table.notes.all().is_empty() { ol { @for note in table.notes.all() { li { (note) } } } }
    };
    crate::xml::without_control_characters(markup.into_string()) + "\n"
}

impl MainTable {
    fn of(results: &[RunResult], texts: &Texts) -> MainTable {
        let groups = texts.groups(results);
        let mut table = MainTable {
            drives: groups.subjects.iter().map(|s| s.title.clone()).collect(),
            parts: Vec::new(),
            notes: Notes::default(),
            marks: Vec::new(),
        };
        for section in &groups.sections {
            table.add(section, texts);
        }
        table
    }

    fn add(&mut self, section: &Section, texts: &Texts) {
        let compared = Table::new(section, Reference::Majority);
        let mut rows = Vec::new();
        for pair in paired(compared.main_rows()) {
            let row = pair.first;
            let cells = (0..self.drives.len()).map(|subject| {
                let place = compared.columns.iter().position(|c| *c == subject)?;
                Some(self.shown(&pair, place, section, texts))
            });
            let cells = cells.map(Option::unwrap_or_default).collect();
            let unit = texts.unit(row.unit).to_owned();
            rows.push((pair.name(texts), unit, cells));
        }
        self.parts.push(Part {
            title: texts.title(section.titles).to_owned(),
            rows,
        });
    }

    fn shown(
        &mut self,
        pair: &pairs::Shown,
        place: usize,
        section: &Section,
        texts: &Texts,
    ) -> Shown {
        let row = pair.first;
        let target = &section.results[place].1.target;
        let mut value = |figure: &Figure| {
            let end = pair.other_end(place).map(|end| format!("-{end}"));
            let value = number::value(figure.value.unwrap_or(f64::NAN), &figure.unit)
                + &end.unwrap_or_default();
            let mark = tail_mark(figure, target);
            self.marks.extend(mark);
            let sign = mark.map(|mark| crate::tails::sign(mark, texts));
            sign.map_or(value.clone(), |sign| format!("{value} {sign}"))
        };
        match &row.cells[place] {
            Cell::Absent => Shown::default(),
            cell @ Cell::WhyNot(_) => Shown {
                value: texts.say("no-value"),
                note: Some(self.notes.number(why(cell, texts))),
                ..Shown::default()
            },
            cell @ Cell::Apart(figure, _) => Shown {
                value: value(figure),
                note: Some(self.notes.number(why(cell, texts))),
                ..Shown::default()
            },
            Cell::Value { figure, .. } => Shown {
                value: value(figure),
                is_best: pair.rank(place) == Rank::Best,
                note: None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::message::Message;
    use fixtures::results as sample;

    fn few() -> Vec<RunResult> {
        let mut results = sample::review();
        results.truncate(3);
        results.iter_mut().for_each(|r| r.figures.truncate(1));
        results[1].target.title = Message::as_it_stands("A | <b>");
        results[1].figures[0].comparable_by.span =
            base::message::Message::as_it_stands("512 MiB from 0 B");
        results
    }

    #[test]
    fn markdown_has_a_row_a_figure_and_says_below_what_is_apart() {
        let text = markdown(&few(), Lang::En);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].contains(r"A \| \<b\>"), "{text}");
        assert_eq!(lines[1], "|:--|:--|--:|--:|--:|");
        assert!(
            lines[3].contains("**3,480**") && lines[3].contains("(1)"),
            "{text}"
        );
        let columns = |line: &str| line.replace(r"\|", "").matches('|').count();
        assert!(lines[..4].iter().all(|line| columns(line) == 6), "{text}");
        assert!(text.contains("(1) not comparable"), "{text}");
    }

    #[test]
    fn a_range_is_one_row_from_its_top_to_its_bottom() {
        let text = markdown(&sample::review(), Lang::En);
        let row = text
            .lines()
            .find(|l| l.contains("read outermost top-bottom"));
        let values: Vec<&str> = row.unwrap().split('|').skip(3).map(str::trim).collect();
        assert!(
            values[0].matches('-').count() == 1 && values[2].contains('-'),
            "{values:?}"
        );
        assert!(!text.contains("read outermost bottom"));
    }

    #[test]
    fn a_fragment_is_a_table_without_a_look_and_a_name_in_it_stays_text() {
        let text = fragment(&few(), Lang::Ja);
        assert!(text.starts_with("<table lang=\"ja\">") && text.contains("<b>3,480</b>"));
        assert!(text.contains("A | &lt;b&gt;") && !text.contains("class="));
    }
}
