//! A summary for the terminal: for each method one table, drives as columns.
//!
//! The best value of a row has a `+` behind it, the worst a `-`, and a colour each where the caller
//! wants colours: a mark survives a pipe, and does not depend on telling colours apart. Numbers in
//! brackets refer to the notes below a table, which say why a value is missing or not ranked.

use base::message::Message;
use std::fmt::Write as _;

use anstyle::{Ansi256Color, Style};
use results::{IMPORTED_FROM, RunEnd, RunResult, TailMark};

use crate::inside;
use crate::lang::{Lang, Texts};
use crate::number;
use crate::surface;
use crate::text_table::{TextCell, TextTable, hanging};
use analysis::group::{Section, Subject};
use analysis::held::Held;
use analysis::verdict::{Cell, Rank, Reference, Row, Table};

/// How the summary is written.
#[derive(Clone, Copy, Debug)]
pub struct TerminalOptions {
    /// Width of the terminal.
    pub columns: usize,
    /// True where colours may be used.
    pub colour: bool,
    pub lang: Lang,
}

impl Default for TerminalOptions {
    fn default() -> TerminalOptions {
        TerminalOptions {
            columns: 80,
            colour: false,
            lang: Lang::En,
        }
    }
}

/// Blue and orange, told apart by every kind of colour sight (xterm's 256 colours).
const BEST: Style = Style::new()
    .bold()
    .fg_color(Some(anstyle::Color::Ansi256(Ansi256Color(33))));
const WORST: Style = Style::new().fg_color(Some(anstyle::Color::Ansi256(Ansi256Color(208))));
const TITLE: Style = Style::new().bold();
const WARNING: Style = Style::new().fg_color(Some(anstyle::Color::Ansi256(Ansi256Color(208))));

/// A summary of all results; it ends with a newline, unless there are none.
pub fn summary(results: &[RunResult], options: &TerminalOptions) -> String {
    let texts = Texts::of(options.lang, results);
    let groups = texts.groups(results);
    let mut out = Paper {
        text: String::new(),
        options,
    };
    // A review begins with its own answer, and has said it there.
    let alone = groups.sections.len() == 1;
    if alone {
        out.reservations(&groups.subjects, &texts);
    }
    for section in &groups.sections {
        out.section(section, &groups.subjects, alone, &texts);
    }
    if let Some(line) = crate::tails::line(&groups.subjects, &texts) {
        out.text.push('\n');
        out.wrapped("", &line);
    }
    out.warnings(&groups.subjects, &texts);
    out.text
}

/// The text as it grows.
struct Paper<'a> {
    text: String,
    options: &'a TerminalOptions,
}

impl Paper<'_> {
    fn section(&mut self, section: &Section, subjects: &[Subject], alone: bool, texts: &Texts) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.styled(TITLE, texts.title(section.titles));
        let is_inside = self.inside(section, subjects, texts);
        if !is_inside {
            self.answers(section, subjects, texts);
        }
        if alone {
            self.findings(subjects, texts);
        }
        for line in standing(section, subjects, texts) {
            self.wrapped("", &line);
        }
        // What is inside has been told with its numbers.
        if is_inside {
            return;
        }
        self.text.push('\n');
        let table = Table::new(section, Reference::Majority);
        let mut notes = Notes::default();
        let text = text_table(&table, subjects, texts, &mut notes);
        self.text
            .push_str(&text.render(self.options.columns, self.options.colour));
        let ranked = table.main_rows().any(|row| row.cells.iter().any(is_ranked));
        if ranked {
            self.wrapped("", &texts.say("terminal-marks"));
        }
        let marks = table.main_rows().flat_map(|row| &row.tails).flatten();
        for line in crate::tails::legend(marks.copied(), texts) {
            self.wrapped("", &line);
        }
        for (i, note) in notes.all.iter().enumerate() {
            self.wrapped(&format!("[{}] ", i + 1), note);
        }
        self.maps(section, subjects, texts);
    }

    /// What stood between drives and their figures.
    fn reservations(&mut self, subjects: &[Subject], texts: &Texts) {
        for subject in subjects {
            let reserved = crate::reserved::reserved(&subject.results, texts);
            match (reserved.is_empty(), subjects.len()) {
                (true, _) => {}
                (false, 1) => self.wrapped("", &reserved),
                (false, _) => self.wrapped("", &format!("{}: {reserved}", subject.title)),
            }
        }
    }

    /// What is inside each drive, where that was found.
    fn inside(&mut self, section: &Section, subjects: &[Subject], texts: &Texts) -> bool {
        let mut any = false;
        for (subject, result) in section.results.iter().filter(|(_, it)| inside::has(it)) {
            if subjects.len() > 1 {
                self.wrapped("", &subjects[*subject].title);
            }
            for said in analysis::answers::reserved(result) {
                self.wrapped("! ", &texts.state(&said));
            }
            let text = inside::text(result, self.options.columns, texts);
            self.text.push_str(&text);
            self.text.push('\n');
            any = true;
        }
        any
    }

    /// The answer to the method's question, before all numbers and reservations.
    fn answers(&mut self, section: &Section, subjects: &[Subject], texts: &Texts) {
        let answers = crate::answers::of_section(section, subjects, texts);
        for (subject, answer) in &answers {
            if subjects.len() == 1 {
                self.wrapped("", answer);
            } else {
                self.wrapped("", &format!("{}: {answer}", subject.title));
            }
        }
        if !answers.is_empty() {
            self.text.push('\n');
        }
    }

    /// What is wrong with the drives, unless a review has said it before; failures come last, from the caller that
    /// determines the exit code.
    fn findings(&mut self, subjects: &[Subject], texts: &Texts) {
        let mut any = false;
        for subject in subjects {
            let found = analysis::findings::findings(&subject.results);
            let said = crate::findings::of(&found, texts).into_iter();
            for finding in said.filter(|finding| !finding.failing) {
                let sentence = finding.sentence(texts);
                match subjects.len() {
                    1 => self.wrapped("* ", &sentence),
                    _ => self.wrapped("* ", &format!("{}: {sentence}", subject.title)),
                }
                any = true;
            }
        }
        if any {
            self.text.push('\n');
        }
    }

    /// The drive's surface, for a scan of a single drive.
    fn maps(&mut self, section: &Section, subjects: &[Subject], texts: &Texts) {
        let [_] = subjects else { return };
        let columns = self.options.columns;
        let maps = section.results.iter();
        for map in maps.map(|(_, result)| surface::text_of(result, columns, texts)) {
            if !map.is_empty() {
                self.text.push('\n');
                self.text.push_str(&map);
            }
        }
    }

    fn warnings(&mut self, subjects: &[Subject], texts: &Texts) {
        let seen: Vec<String> = subjects
            .iter()
            .flat_map(|subject| subject_warnings(subject, texts))
            .collect();
        if seen.is_empty() {
            return;
        }
        self.text.push('\n');
        self.styled(WARNING, &texts.say("warnings"));
        for line in seen {
            self.wrapped("! ", &line);
        }
    }

    fn styled(&mut self, style: Style, text: &str) {
        if self.options.colour {
            let _ = writeln!(
                self.text,
                "{}{text}{}",
                style.render(),
                style.render_reset()
            );
        } else {
            let _ = writeln!(self.text, "{text}");
        }
    }

    /// A paragraph, with `head` before its first line and as much space before the others.
    fn wrapped(&mut self, head: &str, text: &str) {
        // As units of the tables: a terminal may be plain ASCII.
        let text = text.replace("µs", "us");
        self.text
            .push_str(&hanging(head, &text, self.options.columns));
    }
}

/// A drive's warnings, each once; the methods are named where it does not hold for all of them.
fn subject_warnings(subject: &Subject, texts: &Texts) -> Vec<String> {
    let mut found: Vec<(&Message, Vec<String>)> = Vec::new();
    for result in &subject.results {
        let method = texts.method(result);
        for warning in &result.warnings {
            match found.iter_mut().find(|(known, _)| *known == warning) {
                Some((_, methods)) => methods.push(method.to_owned()),
                None => found.push((warning, vec![method.to_owned()])),
            }
        }
    }
    found
        .into_iter()
        .map(|(warning, methods)| {
            let warning = texts.message(warning);
            let is_of_all = methods.len() == subject.results.len() && methods.len() > 1;
            let methods = if is_of_all { Vec::new() } else { methods };
            let of = [vec![subject.title.clone()], methods].concat();
            format!("{}: {warning}", texts.list(&of))
        })
        .collect()
}

/// What must be known before a section's numbers are read: that it was shortened, or ended early, or
/// that a drive's state is not known.
pub(crate) fn standing(section: &Section, subjects: &[Subject], texts: &Texts) -> Vec<String> {
    let mut lines = Vec::new();
    let title = |subject: &usize| subjects[*subject].title.as_str();
    let (imported, own): (Vec<_>, Vec<_>) =
        (section.results.iter()).partition(|(subject, _)| subjects[*subject].target.is_imported());
    for (subject, _) in &imported {
        let from = subjects[*subject].target.identity.get(IMPORTED_FROM);
        let tool = from.map_or("", String::as_str);
        lines.push(texts.with("imported", &[("drive", title(subject)), ("tool", tool)]));
    }
    let shortened = own.iter().filter(|(_, r)| !r.stands_beside_published);
    let shortened: Vec<&str> = shortened.map(|(subject, _)| title(subject)).collect();
    let scale = own
        .first()
        .map_or_else(String::new, |(_, r)| texts.scale(r.scale));
    if own.is_empty() {
        // A file of another tool may not say that it was shortened.
    } else if shortened.len() == own.len() {
        lines.push(texts.with("shortened-all", &[("scale", &scale)]));
    } else if shortened.is_empty() {
        lines.push(texts.say("original"));
    } else {
        lines.push(texts.with("shortened-some", &[("drives", &texts.list(&shortened))]));
    }
    for (subject, result) in &section.results {
        if let RunEnd::Early(why) = &result.ended {
            let why = texts.message(why);
            lines.push(texts.with("ended-early", &[("drive", title(subject)), ("why", &why)]));
        }
        if let Some(repeats) = result.repeats.as_ref().filter(|repeats| repeats.runs > 1) {
            let runs = repeats.runs.to_string();
            lines.push(texts.with("repeated", &[("drive", title(subject)), ("runs", &runs)]));
        }
    }
    let reserved: Vec<&str> = reserved_columns(section)
        .into_iter()
        .map(|subject| subjects[subject].title.as_str())
        .collect();
    if !reserved.is_empty() {
        lines.push(texts.with("state-reserve", &[("drives", &texts.list(&reserved))]));
    }
    lines
}

/// The subjects that are compared with reserve, since their history is unknown.
fn reserved_columns(section: &Section) -> Vec<usize> {
    let table = Table::new(section, Reference::Majority);
    let is_reserved =
        |row: &Row, at: usize| matches!(row.cells[at], Cell::Value { reserved: true, .. });
    table
        .columns
        .iter()
        .enumerate()
        .filter(|(at, _)| table.rows.iter().any(|row| is_reserved(row, *at)))
        .map(|(_, subject)| *subject)
        .collect()
}

fn is_ranked(cell: &Cell) -> bool {
    matches!(
        cell,
        Cell::Value {
            rank: Rank::Best | Rank::Worst,
            ..
        }
    )
}

/// Notes below a table, each once.
#[derive(Default)]
pub(crate) struct Notes {
    all: Vec<String>,
}

impl Notes {
    /// The note's number, counted from 1.
    pub(crate) fn number(&mut self, note: String) -> usize {
        if let Some(found) = self.all.iter().position(|known| *known == note) {
            return found + 1;
        }
        self.all.push(note);
        self.all.len()
    }

    /// All notes in order.
    pub(crate) fn all(&self) -> &[String] {
        &self.all
    }
}

fn text_table(table: &Table, subjects: &[Subject], texts: &Texts, notes: &mut Notes) -> TextTable {
    let heads = table.columns.iter().map(|i| head(&subjects[*i], texts));
    let rows = table.main_rows().map(|row| {
        let cells = row.cells.iter().zip(&row.tails).zip(&row.held);
        let cells = cells.map(|((cell, tail), held)| text_cell(cell, *tail, *held, texts, notes));
        (
            texts.figure(row.key),
            terminal_unit(row.unit, texts),
            cells.collect(),
        )
    });
    TextTable {
        heads: heads.collect(),
        rows: rows.collect(),
    }
}

/// A unit in the report's language; microseconds stay `us`, since a terminal may be plain ASCII.
pub(crate) fn terminal_unit(unit: &str, texts: &Texts) -> String {
    if unit == "us" {
        unit.to_owned()
    } else {
        texts.unit(unit)
    }
}

/// A drive's name, and whether it is real.
fn head(subject: &Subject, texts: &Texts) -> String {
    let kind = texts.say(match (subject.target.is_imported(), subject.is_real()) {
        (true, _) => "kind-imported",
        (false, true) => "kind-real",
        (false, false) => "kind-model",
    });
    if subject.target.is_known_by_data_sheet() {
        let sheet = texts.say("known-by-sheet-short");
        return format!("{} [{kind}, {sheet}]", subject.title);
    }
    format!("{} [{kind}]", subject.title)
}

/// What holds a value that is not the drive's.
pub(crate) fn held_by(held: Held, texts: &Texts) -> String {
    texts.say(match held {
        Held::ByLink => "held-by-link",
        Held::ByHost => "held-by-host",
        Held::ByWriteCache => "held-by-write-cache",
    })
}

fn text_cell(
    cell: &Cell,
    tail: Option<TailMark>,
    held: Option<Held>,
    texts: &Texts,
    notes: &mut Notes,
) -> TextCell {
    let worth = tail.map_or(String::new(), |mark| {
        format!(" {}", crate::tails::sign(mark, texts))
    });
    match cell {
        Cell::Absent => TextCell::default(),
        Cell::WhyNot(_) | Cell::Apart(..) => {
            let number = notes.number(why(cell, texts));
            let text = match cell {
                Cell::Apart(figure, _) => number::value(figure.value.unwrap_or(0.0), &figure.unit),
                _ => texts.say("no-value"),
            };
            TextCell {
                text,
                mark: format!("{worth} [{number}]"),
                style: Style::new(),
            }
        }
        Cell::Value { figure, rank, .. } => {
            let (mark, style) = match rank {
                Rank::Best => (" +", BEST),
                Rank::Worst => (" -", WORST),
                Rank::Plain => ("", Style::new()),
            };
            let held = held.map_or(String::new(), |held| {
                format!(" [{}]", notes.number(held_by(held, texts)))
            });
            TextCell {
                text: number::value(figure.value.unwrap_or(0.0), &figure.unit),
                mark: format!("{worth}{mark}{held}"),
                style,
            }
        }
    }
}

/// Why a cell has no number, or is not ranked; nothing for the others.
pub(crate) fn why(cell: &Cell, texts: &Texts) -> String {
    match cell {
        Cell::WhyNot(figure) => match &figure.why_not {
            Some(why) => texts.with("no-value-why", &[("why", &texts.message(why))]),
            None => texts.say("no-value-unsaid"),
        },
        Cell::Apart(_, differing) => {
            let each: Vec<String> = differing
                .iter()
                .map(|d| {
                    let what = texts.say(&format!("condition-{}", d.what.replace(' ', "-")));
                    let (here, there) = (said(&d.here, texts), said(&d.there, texts));
                    texts.with(
                        "differs",
                        &[("what", &what), ("here", &here), ("there", &there)],
                    )
                })
                .collect();
            texts.with("not-comparable", &[("what", &texts.clauses(&each))])
        }
        Cell::Absent | Cell::Value { .. } => String::new(),
    }
}

fn said(condition: &Message, texts: &Texts) -> String {
    match condition.is_empty() {
        true => texts.say("not-stated"),
        false => texts.message(condition),
    }
}

#[cfg(test)]
mod tests;
