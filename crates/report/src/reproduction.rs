//! Simulated figures beside published ones: a table for the terminal, CSV, and a page.
//!
//! Each row is one published figure with what the modelled drive gives and what a guess without any
//! drive would say. Rows are grouped by document and by what they are worth: predicted ones first,
//! since they are what a model is judged by. The page draws the numbers as dots on a plane with
//! published and simulated values on logarithmic axes: on the diagonal they agree, and two bands show
//! 10 and 25 % either way.

use results::reproduction::{Category, ErrorScore, ReproducedFigure, Reproduction, Score, Shown};

use crate::lang::Texts;

mod page;
mod table;
mod text;

pub use page::html;
pub use table::csv;
pub use text::text;

/// The key of a category's name in the texts.
const fn key(category: Category) -> &'static str {
    match category {
        Category::Predicted => "reproduce-predicted",
        Category::Claim => "reproduce-claims",
        Category::Calibrated => "reproduce-calibrated",
        Category::ExactlyDetermined => "reproduce-exact",
        Category::Trivial => "reproduce-trivial",
        Category::Derived => "reproduce-derived",
        Category::Range => "reproduce-range",
    }
}

/// The documents, in order.
fn documents(reproduction: &Reproduction) -> Vec<&str> {
    let mut documents: Vec<&str> = (reproduction.rows.iter())
        .map(|row| row.document.as_str())
        .collect();
    documents.sort_unstable();
    documents.dedup();
    documents
}

/// The rows of a document that are worth the same.
fn group<'a>(
    reproduction: &'a Reproduction,
    document: &str,
    category: Category,
) -> Vec<&'a ReproducedFigure> {
    let belongs = |row: &&ReproducedFigure| row.document == document && row.category == category;
    reproduction.rows.iter().filter(belongs).collect()
}

/// The score of all rows, then of each document, with their names.
fn scores<'a>(
    reproduction: &'a Reproduction,
    texts: &Texts,
) -> impl Iterator<Item = (String, &'a Score)> {
    let all = std::iter::once((texts.say("reproduce-all"), &reproduction.score));
    let documents = reproduction.documents.iter();
    all.chain(documents.map(|one| (one.document.clone(), &one.score)))
}

/// Drive and capacity.
fn drive(row: &ReproducedFigure) -> String {
    joined([&row.drive, &row.capacity], " ")
}

/// What was done, and what was measured.
fn what(row: &ReproducedFigure) -> String {
    let test = joined([&row.test, &row.condition], ", ");
    joined([&test, &row.metric], ": ")
}

fn joined(parts: [&String; 2], between: &str) -> String {
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.map(String::as_str).collect::<Vec<_>>().join(between)
}

/// The numbers behind a row, in one line.
fn shows(row: &ReproducedFigure) -> String {
    let show = |shown: &Shown| format!("{} {}", shown.name, number(shown.value, ""));
    row.shows.iter().map(show).collect::<Vec<_>>().join(", ")
}

/// `2.1 %, 75 % in 25 %, 70/73`.
fn errors(errors: &ErrorScore, texts: &Texts) -> String {
    let within = errors
        .within
        .map_or_else(|| "-".to_owned(), |w| format!("{:.0} %", 100.0 * w));
    let (median, bound) = (
        percent(errors.median),
        format!("{:.0} %", 100.0 * errors.bound),
    );
    let (run, rows) = (errors.run.to_string(), errors.rows.to_string());
    let arguments = [
        ("median", median.as_str()),
        ("within", within.as_str()),
        ("bound", bound.as_str()),
        ("run", run.as_str()),
        ("rows", rows.as_str()),
    ];
    texts.with("reproduce-errors", &arguments)
}

/// An error in per cent.
fn percent(error: Option<f64>) -> String {
    error.map_or_else(|| "-".to_owned(), |error| format!("{:.1} %", 100.0 * error))
}

/// A number in its unit, or a dash.
fn number(value: Option<f64>, unit: &str) -> String {
    value.map_or_else(|| "-".to_owned(), |value| crate::number::value(value, unit))
}

#[cfg(test)]
mod tests;
