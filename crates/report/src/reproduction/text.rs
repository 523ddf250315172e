//! The table for the terminal.

use std::fmt::Write as _;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{Reproduced, ReproducedRow, ReproducedScore, ScoredErrors, Worth, number, percent};
use crate::lang::{Lang, Texts};

/// Columns of the numbers at the right: published, simulated, guess, and the two errors.
const NUMBERS: [usize; 5] = [11, 12, 12, 10, 11];
/// The widest name of a drive.
const DRIVE: usize = 26;

/// All rows, grouped by document and by what they are worth, and the score, in so many columns of a
/// terminal as far as the numbers allow.
pub fn text(reproduced: &Reproduced, columns: usize, lang: Lang) -> String {
    let texts = Texts::new(lang);
    let page = Page {
        texts: &texts,
        what: columns
            .saturating_sub(8 + DRIVE + 2 + NUMBERS.iter().sum::<usize>())
            .max(24),
    };
    let mut out = String::new();
    for document in reproduced.documents() {
        let _ = writeln!(out, "{document}");
        for worth in Worth::ALL {
            let rows = reproduced.group(document, worth);
            if !rows.is_empty() {
                page.group(worth, &rows, &mut out);
            }
        }
        out.push('\n');
    }
    page.scores(&reproduced.scores, &mut out);
    out
}

struct Page<'a> {
    texts: &'a Texts,
    /// Columns for what was measured.
    what: usize,
}

impl Page<'_> {
    fn group(&self, worth: Worth, rows: &[&ReproducedRow], out: &mut String) {
        let heads = [
            "reproduce-published",
            "reproduce-simulated",
            "reproduce-null",
            "reproduce-error",
            "reproduce-null-error",
        ];
        let title = left(
            &format!("  {}", self.texts.say(worth.key())),
            8 + DRIVE + 2 + self.what,
        );
        let heads: String = match worth {
            Worth::Claim => String::new(),
            _ => {
                let head = |(key, width): (&str, usize)| right(&self.texts.say(key), width);
                heads.into_iter().zip(NUMBERS).map(head).collect()
            }
        };
        let _ = writeln!(out, "{}", format!("{title}{heads}").trim_end());
        for row in rows {
            self.row(row, out);
        }
    }

    fn row(&self, row: &ReproducedRow, out: &mut String) {
        let what = if row.unit.is_empty() {
            row.what.clone()
        } else {
            format!("{}, {}", row.what, row.unit)
        };
        let names = format!(
            "  {:4}  {}  {}",
            row.id,
            left(&cut(&row.drive, DRIVE), DRIVE),
            left(&cut(&what, self.what), self.what)
        );
        let line = match (&row.not_run, row.worth) {
            (Some(why), _) if row.simulated.is_none() => {
                format!(
                    "{names}{}  {why}",
                    right(&row.published_short(), NUMBERS[0])
                )
            }
            (_, Worth::Claim) => format!("{names}  {}", self.claim(row)),
            (_, Worth::Range) if row.holds.is_some() => format!("{names}  {}", self.claim(row)),
            _ => format!("{names}{}", numbers(row)),
        };
        let _ = writeln!(out, "{}", line.trim_end());
        if row.holds.is_some() {
            let _ = writeln!(out, "        {}", row.published);
        }
        if row.worth == Worth::Derived || row.holds.is_some() {
            let shows = shows(row);
            if !shows.is_empty() {
                let _ = writeln!(out, "        {shows}");
            }
        }
        if let Some(what) = &row.missing {
            let missing = self.texts.with("reproduce-missing", &[("what", what)]);
            let _ = writeln!(out, "        {missing}");
        }
    }

    fn claim(&self, row: &ReproducedRow) -> String {
        self.texts.say(match row.holds {
            Some(true) => "reproduce-holds",
            Some(false) => "reproduce-fails",
            None => "reproduce-not-run",
        })
    }

    fn scores(&self, scores: &[ReproducedScore], out: &mut String) {
        let columns = ["calibrated", "predicted", "null"];
        let heads: String = columns
            .map(|key| right(&self.texts.say(&format!("reproduce-score-{key}")), 30))
            .concat();
        let claims = right(&self.texts.say("reproduce-score-claims"), 20);
        let _ = writeln!(out, "{}{heads}{claims}", left("", 30));
        for score in scores {
            let name = match score.document.as_str() {
                "" => self.texts.say("reproduce-all"),
                name => name.to_owned(),
            };
            let errors: String = [score.calibrated, score.predicted, score.null]
                .map(|errors| right(&self.errors(&errors), 30))
                .concat();
            let [rows, _, held] = score.claims;
            let claims = right(&format!("{held} / {rows}"), 20);
            let _ = writeln!(out, "{}{errors}{claims}", left(&cut(&name, 28), 30));
        }
    }

    /// `2.1 %, 75 % in 25 %, 70/73`.
    fn errors(&self, errors: &ScoredErrors) -> String {
        let within = errors
            .within
            .map_or_else(|| "-".to_owned(), |w| format!("{:.0} %", 100.0 * w));
        let bound = format!("{:.0} %", 100.0 * errors.bound);
        let arguments = [
            ("median", percent(errors.median)),
            ("within", within),
            ("bound", bound),
            ("run", errors.run.to_string()),
            ("rows", errors.rows.to_string()),
        ];
        let arguments: Vec<(&str, &str)> = arguments
            .iter()
            .map(|(name, text)| (*name, text.as_str()))
            .collect();
        self.texts.with("reproduce-errors", &arguments)
    }
}

impl ReproducedRow {
    /// What was published, where it is a number; a claim's words have a line of their own.
    fn published_short(&self) -> String {
        if self.published.width() < NUMBERS[0] {
            self.published.clone()
        } else {
            String::new()
        }
    }
}

fn numbers(row: &ReproducedRow) -> String {
    let cells = [
        row.published_short(),
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
        .map(|(cell, width)| right(cell, width))
        .collect()
}

fn shows(row: &ReproducedRow) -> String {
    let show = |(name, value): &(String, Option<f64>)| format!("{name} {}", number(*value, ""));
    let all: Vec<String> = row.shows.iter().map(show).collect();
    all.join(", ")
}

/// The text in at least so many columns, at their left.
fn left(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}

/// The text in at least so many columns, at their right.
fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(text.width())))
}

/// The text in at most so many columns.
fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    for letter in text.chars() {
        if short.width() + letter.width().unwrap_or(0) > columns.saturating_sub(2) {
            break;
        }
        short.push(letter);
    }
    short + ".."
}
