//! Simulated figures beside published ones: a table for the terminal.
//!
//! Each row is one published figure with that of the modelled drive and a guess without any drive.
//! Rows are grouped by document and by value as evidence: predicted ones first, since a model is
//! judged by them.

use results::reproduction::{
    Category, ErrorScore, FailingChange, ReproducedFigure, Reproduction, Score, Shown,
    StricterScore,
};

use crate::lang::Texts;

mod plane;
mod text;

pub(crate) use plane::plane;
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

/// A line of the table of scores.
struct ScoreLine<'a> {
    name: String,
    score: &'a Score,
}

/// The first and the present score of all rows, then of each document.
fn scores<'a>(reproduction: &'a Reproduction, texts: &Texts) -> Vec<ScoreLine<'a>> {
    let all = (
        texts.say("reproduce-all"),
        &reproduction.first,
        &reproduction.score,
    );
    let documents = reproduction.documents.iter();
    let documents = documents.map(|one| (one.document.clone(), &one.first, &one.score));
    let lines = std::iter::once(all).chain(documents);
    let both = lines.flat_map(|(name, first, now)| {
        let line = |key, score| ScoreLine {
            name: texts.with(key, &[("name", &name)]),
            score,
        };
        [line("reproduce-first", first), line("reproduce-now", now)]
    });
    both.collect()
}

/// The columns of the table of scores.
const SCORE_HEADS: [&str; 4] = [
    "reproduce-score-calibrated",
    "reproduce-score-predicted",
    "reproduce-score-null",
    "reproduce-score-claims",
];

/// Its cells.
fn score_cells(score: &Score, texts: &Texts) -> [String; 4] {
    let [calibrated, predicted, null] =
        [&score.calibrated, &score.predicted, &score.null].map(|of| errors(of, texts));
    let claims = &score.claims;
    let [held, rows, idle] =
        [claims.held, claims.rows, claims.cannot_fail].map(|count| count.to_string());
    let claims = [
        ("held", held.as_str()),
        ("rows", rows.as_str()),
        ("idle", idle.as_str()),
    ];
    let claims = texts.with("reproduce-claim-score", &claims);
    [calibrated, predicted, null, claims]
}

/// The columns of the table of stricter readings.
const STRICTER_HEADS: [&str; 3] = [
    "reproduce-score-first",
    "reproduce-score-now",
    "reproduce-score-null",
];

/// The predicted numbers of all rows, read more strictly: the reading, then first score, present score and guess.
fn stricter(reproduction: &Reproduction, texts: &Texts) -> Vec<(String, [String; 3])> {
    let both = (reproduction.first.stricter.iter()).zip(&reproduction.score.stricter);
    let line = |(first, now): (&StricterScore, &StricterScore)| {
        let key = match (now.tolerances, now.dependent_on_drive) {
            (false, false) => "reproduce-no-tolerances",
            (true, _) => "reproduce-drives-alone",
            (false, true) => "reproduce-neither",
        };
        let cells = [&first.predicted, &now.predicted, &now.null].map(|of| errors(of, texts));
        (texts.say(key), cells)
    };
    both.map(line).collect()
}

/// What was found of a claim: whether it holds, and whether a change of the model makes it fail.
pub(crate) fn claim(row: &ReproducedFigure, texts: &Texts) -> String {
    texts.say(match (row.holds, row.can_fail) {
        (Some(true), Some(false)) => "reproduce-cannot-fail",
        (Some(true), _) => "reproduce-holds",
        (Some(false), _) => "reproduce-fails",
        (None, _) => "reproduce-not-run",
    })
}

/// Remarks on a row: the change that makes its claim fail, why it does not depend on the drive, what the model lacks.
fn remarks(row: &ReproducedFigure, texts: &Texts) -> Vec<String> {
    let changes = |of: &FailingChange| of.changes.join(" ");
    let tried = match (row.can_fail, &row.failing_change) {
        (Some(true), Some(change)) => Some(("reproduce-fails-with", changes(change))),
        (Some(false), Some(change)) => Some(("reproduce-holds-with", changes(change))),
        (Some(false), None) => Some(("reproduce-no-change", String::new())),
        _ => None,
    };
    let tried = tried.map(|(key, changes)| texts.with(key, &[("changes", &changes)]));
    let nothing = row.independent_of_drive.as_ref();
    let nothing = nothing.map(|why| texts.with("reproduce-says-nothing", &[("why", why)]));
    let missing = row.missing.as_ref();
    let missing = missing.map(|what| texts.with("reproduce-missing", &[("what", what)]));
    tried.into_iter().chain(nothing).chain(missing).collect()
}

/// Drive and capacity.
pub(crate) fn drive(row: &ReproducedFigure) -> String {
    joined([&row.drive, &row.capacity], " ")
}

/// What was done, and what was measured.
pub(crate) fn what(row: &ReproducedFigure, texts: &Texts) -> String {
    // A condition is several things with semicolons between.
    let condition = texts.title([&row.condition, &row.japanese.condition]);
    let condition = texts.clauses(&condition.split("; ").collect::<Vec<_>>());
    let between = texts.say("list-separator");
    let [test, metric] = [
        texts.title([&row.test, &row.japanese.test]),
        texts.title([&row.metric, &row.japanese.metric]),
    ];
    let test = joined([test, &condition], &between);
    joined([&test, metric], ": ")
}

fn joined(parts: [&str; 2], between: &str) -> String {
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(between)
}

/// The numbers behind a row, in one line.
pub(crate) fn shows(row: &ReproducedFigure) -> String {
    let show = |shown: &Shown| format!("{} {}", shown.name, number(shown.value, ""));
    row.shows.iter().map(show).collect::<Vec<_>>().join(", ")
}

/// `2.1 %, 55/73 in 25 %`.
fn errors(errors: &ErrorScore, texts: &Texts) -> String {
    let (median, bound) = (
        percent(errors.median),
        format!("{:.0} %", 100.0 * errors.bound),
    );
    let (run, count) = (errors.run.to_string(), errors.count_within.to_string());
    let arguments = [
        ("median", median.as_str()),
        ("count", count.as_str()),
        ("bound", bound.as_str()),
        ("run", run.as_str()),
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
