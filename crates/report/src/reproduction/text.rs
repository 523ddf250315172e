//! The table for the terminal.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use results::reproduction::{Category, ReproducedFigure, Reproduction};

use super::{
    SCORE_HEADS, STRICTER_HEADS, claim, documents, drive, group, key, number, percent, remarks,
    score_cells, scores, shows, stricter, what,
};
use crate::lang::{Lang, Texts};
use crate::text_table::{at_left, at_right, cut};

/// Columns of the numbers at the right: published, simulated, guess, and the two errors.
const NUMBERS: [usize; 5] = [11, 12, 12, 10, 11];
/// Columns of a score.
const SCORE: usize = 25;
/// Columns of the name of the rows that it is the score of.
const NAME: usize = 40;
/// The widest name of a drive.
const DRIVE: usize = 26;

/// All rows, grouped by document and by what they are worth, and the score, in so many columns of a
/// terminal as far as the numbers allow.
pub fn text(reproduction: &Reproduction, columns: usize, lang: Lang) -> String {
    let texts = Texts::new(lang);
    let page = Page {
        texts: &texts,
        what: columns
            .saturating_sub(8 + DRIVE + 2 + NUMBERS.iter().sum::<usize>())
            .max(24),
    };
    let mut out = String::new();
    for document in documents(reproduction) {
        let _ = writeln!(out, "{document}");
        for category in Category::ALL {
            let rows = group(reproduction, document, category);
            if !rows.is_empty() {
                page.group(category, &rows, &mut out);
            }
        }
        out.push('\n');
    }
    page.scores(reproduction, &mut out);
    out
}

struct Page<'a> {
    texts: &'a Texts,
    /// Columns for what was measured.
    what: usize,
}

impl Page<'_> {
    fn group(&self, category: Category, rows: &[&ReproducedFigure], out: &mut String) {
        let heads = [
            "reproduce-published",
            "reproduce-simulated",
            "reproduce-null",
            "reproduce-error",
            "reproduce-null-error",
        ];
        let title = at_left(
            &format!("  {}", self.texts.say(key(category))),
            8 + DRIVE + 2 + self.what,
        );
        let heads: String = match category {
            Category::Claim => String::new(),
            _ => {
                let head = |(key, width): (&str, usize)| at_right(&self.texts.say(key), width);
                heads.into_iter().zip(NUMBERS).map(head).collect()
            }
        };
        let _ = writeln!(out, "{}", format!("{title}{heads}").trim_end());
        for row in rows {
            self.row(row, out);
        }
    }

    fn row(&self, row: &ReproducedFigure, out: &mut String) {
        let mut what = what(row, self.texts);
        if !row.unit.is_empty() {
            what = format!("{what}, {}", row.unit);
        }
        let names = format!(
            "  {:4}  {}  {}",
            row.id,
            at_left(&cut(&drive(row), DRIVE, ".."), DRIVE),
            at_left(&cut(&what, self.what, ".."), self.what)
        );
        let line = match (&row.not_run, row.category) {
            (Some(why), _) if row.simulated.is_none() => {
                format!(
                    "{names}{}  {why}",
                    at_right(published_short(row), NUMBERS[0])
                )
            }
            (_, Category::Claim) => format!("{names}  {}", claim(row, self.texts)),
            (_, Category::Range) if row.holds.is_some() => {
                format!("{names}  {}", claim(row, self.texts))
            }
            _ => format!("{names}{}", numbers(row)),
        };
        let _ = writeln!(out, "{}", line.trim_end());
        if row.holds.is_some() {
            let _ = writeln!(out, "        {}", row.published);
        }
        if row.category == Category::Derived || row.holds.is_some() {
            let shows = shows(row);
            if !shows.is_empty() {
                let _ = writeln!(out, "        {shows}");
            }
        }
        for remark in remarks(row, self.texts) {
            let _ = writeln!(out, "        {remark}");
        }
    }

    fn scores(&self, reproduction: &Reproduction, out: &mut String) {
        self.line("", &SCORE_HEADS.map(|key| self.texts.say(key)), out);
        for line in scores(reproduction, self.texts) {
            self.line(&line.name, &score_cells(line.score, self.texts), out);
        }
        let heads = STRICTER_HEADS.map(|key| self.texts.say(key));
        out.push('\n');
        self.line(&self.texts.say("reproduce-stricter"), &heads, out);
        for (name, cells) in stricter(reproduction, self.texts) {
            self.line(&name, &cells, out);
        }
    }

    /// A line of a table of scores.
    fn line(&self, name: &str, cells: &[String], out: &mut String) {
        let cells: String = cells.iter().map(|cell| at_right(cell, SCORE)).collect();
        let _ = writeln!(out, "{}{cells}", at_left(&cut(name, NAME - 1, ".."), NAME));
    }
}

/// What was published, where it is a number; a claim's words have a line of their own.
fn published_short(row: &ReproducedFigure) -> &str {
    if row.published.width() < NUMBERS[0] {
        &row.published
    } else {
        ""
    }
}

fn numbers(row: &ReproducedFigure) -> String {
    let cells = [
        published_short(row).to_owned(),
        number(row.simulated, &row.unit),
        row.null
            .map_or_else(String::new, |null| number(Some(null), &row.unit)),
        percent(row.error),
        row.null_error
            .map_or_else(String::new, |error| percent(Some(error))),
    ];
    cells
        .iter()
        .zip(NUMBERS)
        .map(|(cell, width)| at_right(cell, width))
        .collect()
}
