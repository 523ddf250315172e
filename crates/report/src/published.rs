//! A document's tables: what it published beside what the modelled drives give, in the document's own form.
//!
//! A document prints a table a test: its drives one way, quantities and conditions the other. The reproduced
//! figures ([`ReproducedFigure`]) have the same layout: the longer list runs down, so that it fits a page, and the two
//! ends of a range are together, `182-148`, as testers write them. Orders and behaviours, which are not numbers, follow
//! as a list, and then the known gaps of the model where it misses a figure.

use results::plan::PlanOutcome;
use results::reproduction::{Category, ReproducedFigure};

use crate::lang::Texts;
use crate::number;

mod page;
mod text;

pub use page::html;
pub use text::text;

/// Two ends of a range by the words that end their names, and the word for both, in each language.
const RANGES: [(&str, &str, &str); 4] = [
    (
        ", top of the band",
        ", bottom of the band",
        ", top-bottom of the band",
    ),
    (", maximum", ", minimum", ", maximum-minimum"),
    (" (最大)", " (最小)", " (最大-最小)"),
    (" (最長)", " (最短)", " (最長-最短)"),
];

/// A table of a document.
struct DocumentTable<'a> {
    /// The test.
    title: String,
    drives: Vec<String>,
    /// Conditions and what was measured, with the unit.
    measures: Vec<Measure>,
    /// A drive, a measure, and a figure.
    figures: Vec<(usize, usize, &'a ReproducedFigure)>,
}

/// What was measured under which condition.
#[derive(PartialEq)]
struct Measure {
    name: String,
    is_range: bool,
}

impl<'a> DocumentTable<'a> {
    /// The figures of one drive and one measure; a range's top first.
    fn cell(&self, drive: usize, measure: usize) -> Vec<&'a ReproducedFigure> {
        let here = self.figures.iter();
        let here = here.filter(|(d, m, _)| (*d, *m) == (drive, measure));
        let mut here: Vec<_> = here.map(|(_, _, figure)| *figure).collect();
        let is_top =
            |figure: &&ReproducedFigure| RANGES.iter().any(|r| figure.metric.ends_with(r.0));
        here.sort_by_key(|figure| !is_top(figure));
        here
    }

    fn add(&mut self, figure: &'a ReproducedFigure, texts: &Texts) {
        let drive = super::reproduction::drive(figure);
        let (drive, measure) = (
            place(&mut self.drives, drive),
            place(&mut self.measures, measure(figure, texts)),
        );
        self.figures.push((drive, measure, figure));
    }
}

/// Where something stands in a list that it is added to where it is new.
fn place<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    list.iter().position(|one| *one == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}

/// A condition's first words tell it apart; the rest is for the page of [`crate::reproduction`].
fn measure(figure: &ReproducedFigure, texts: &Texts) -> Measure {
    let metric = texts.title([&figure.metric, &figure.japanese.metric]);
    let range = RANGES.iter().find_map(|(top, bottom, both)| {
        let of = metric.strip_suffix(top);
        let of = of.or_else(|| metric.strip_suffix(bottom))?;
        Some(format!("{of}{both}"))
    });
    let is_range = range.is_some();
    let metric = range.unwrap_or_else(|| metric.to_owned());
    let condition = texts.title([&figure.condition, &figure.japanese.condition]);
    let condition = condition.split(';').next().unwrap_or_default().trim();
    let name = match condition {
        "" => metric,
        condition => format!("{condition}: {metric}"),
    };
    let name = match figure.unit.as_str() {
        "" => name,
        unit => texts.list(&[name.as_str(), unit]),
    };
    Measure { name, is_range }
}

/// Numbers by test, in the order of the document. What follows by arithmetic and was not run is left out.
fn tables<'a>(rows: &'a [ReproducedFigure], texts: &Texts) -> Vec<DocumentTable<'a>> {
    let mut tables: Vec<DocumentTable<'_>> = Vec::new();
    for row in rows.iter().filter(|row| is_number(row)) {
        let title = texts.title([&row.test, &row.japanese.test]).to_owned();
        let at = tables.iter().position(|table| table.title == title);
        let at = at.unwrap_or_else(|| {
            tables.push(DocumentTable {
                title,
                drives: Vec::new(),
                measures: Vec::new(),
                figures: Vec::new(),
            });
            tables.len() - 1
        });
        tables[at].add(row, texts);
    }
    tables
}

fn is_number(row: &ReproducedFigure) -> bool {
    let is_judged = row.simulated.is_some() || row.not_run.is_some();
    let starts = row
        .published
        .starts_with(|c: char| c.is_ascii_digit() || "-<>".contains(c));
    is_judged && row.holds.is_none() && row.category != Category::Claim && starts
}

/// Orders and behaviours, bounds that were predicted, and what is told in words and was not run.
fn claims(rows: &[ReproducedFigure]) -> impl Iterator<Item = &ReproducedFigure> {
    let is_claim =
        |row: &&ReproducedFigure| !is_number(row) && (row.holds.is_some() || row.not_run.is_some());
    rows.iter().filter(is_claim)
}

/// What the model gives: numbers side by side, of a range from top to bottom.
fn ours(cell: &[&ReproducedFigure], measure: &Measure) -> String {
    let value = |row: &&ReproducedFigure| match row.simulated {
        Some(value) => number::value(value, &row.unit),
        None => "–".to_owned(),
    };
    joined(cell.iter().map(value), measure)
}

/// What was published, in the same way.
fn theirs(cell: &[&ReproducedFigure], measure: &Measure) -> String {
    joined(cell.iter().map(|row| row.published.clone()), measure)
}

fn joined(parts: impl Iterator<Item = String>, measure: &Measure) -> String {
    let parts: Vec<String> = parts.collect();
    parts.join(if measure.is_range { "-" } else { " / " })
}

/// How far the figure that is furthest off is from what was printed.
fn off(cell: &[&ReproducedFigure], texts: &Texts) -> Option<String> {
    let errors = cell.iter().filter_map(|row| row.error);
    let worst = errors.reduce(f64::max)?;
    let percent = format!("{:.0}", 100.0 * worst);
    (percent != "0").then(|| texts.with("published-off", &[("percent", &percent)]))
}

/// Names of the figures, and what they may be used for; `shortened` where the runs were.
fn names(cell: &[&ReproducedFigure], shortened: bool, texts: &Texts) -> String {
    let ids: Vec<String> = cell.iter().map(|row| row.id.to_string()).collect();
    let role = cell
        .first()
        .map_or_else(String::new, |row| role(row, shortened, texts));
    texts.list(&[ids.join(" "), role])
}

/// What a figure may be used for: to fit to (in runs of the document's length), to be predicted, to compare alone.
fn role(row: &ReproducedFigure, shortened: bool, texts: &Texts) -> String {
    texts.say(match row.role {
        "calibrate" if shortened => "published-calibrate-at-full",
        "calibrate" => "published-calibrate",
        "predict" => "published-predict",
        _ => "published-range",
    })
}

/// Whether a run was shorter than the document's.
fn is_shortened(outcome: &PlanOutcome) -> bool {
    let full = base::method::Scale::Full;
    outcome.results.iter().any(|result| result.scale != full)
}

/// Rows that are missed although a reason is known, each reason once.
fn lacking(rows: &[ReproducedFigure]) -> Vec<(String, &str)> {
    let mut reasons: Vec<(String, &str)> = Vec::new();
    for row in rows {
        let Some(missing) = row.missing.as_deref() else {
            continue;
        };
        match reasons.iter_mut().find(|(_, reason)| *reason == missing) {
            Some((ids, _)) => *ids = format!("{ids} {}", row.id),
            None => reasons.push((row.id.to_string(), missing)),
        }
    }
    reasons
}

#[cfg(test)]
mod tests;
