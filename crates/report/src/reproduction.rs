//! Simulated figures beside published ones: a table for the terminal, CSV, and a page.
//!
//! Each row is one published figure with what the modelled drive gives and what a guess without any
//! drive would say. Rows are grouped by document and by what they are worth: predicted ones first,
//! since they are what a model is judged by. The page draws the numbers as dots on a plane with
//! published and simulated values on logarithmic axes: on the diagonal they agree, and two bands show
//! 10 and 25 % either way.

mod page;
mod table;
mod text;

pub use page::html;
pub use table::csv;
pub use text::text;

/// What a row is worth, in the order in which groups are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Worth {
    /// A number that was predicted, and counts.
    #[default]
    Predicted,
    /// An order or a behaviour that was predicted, and counts.
    Claim,
    /// A number that parameters were fitted to, and counts.
    Calibrated,
    /// The same in a family that has as many free parameters as rows: does not count.
    Exact,
    /// A number next to one that was fitted to: does not count.
    Trivial,
    /// A number that follows from others.
    Derived,
    /// A bound, a maximum, a single run: compared alone.
    Range,
}

impl Worth {
    /// All, in the order in which they are shown.
    pub const ALL: [Worth; 7] = [
        Worth::Predicted,
        Worth::Claim,
        Worth::Calibrated,
        Worth::Exact,
        Worth::Trivial,
        Worth::Derived,
        Worth::Range,
    ];

    /// The key of its name in the texts.
    const fn key(self) -> &'static str {
        match self {
            Worth::Predicted => "reproduce-predicted",
            Worth::Claim => "reproduce-claims",
            Worth::Calibrated => "reproduce-calibrated",
            Worth::Exact => "reproduce-exact",
            Worth::Trivial => "reproduce-trivial",
            Worth::Derived => "reproduce-derived",
            Worth::Range => "reproduce-range",
        }
    }
}

/// One published figure.
#[derive(Clone, Debug, Default)]
pub struct ReproducedRow {
    /// Its id.
    pub id: String,
    /// The document that it stands in.
    pub document: String,
    /// Drive and capacity.
    pub drive: String,
    /// What was done and measured.
    pub what: String,
    /// The unit.
    pub unit: String,
    /// As it was printed.
    pub published: String,
    /// The published number, where it is one.
    pub published_number: Option<f64>,
    /// The simulated number.
    pub simulated: Option<f64>,
    /// The guess.
    pub null: Option<f64>,
    /// Error of the simulated number, as a share.
    pub error: Option<f64>,
    /// Error of the guess.
    pub null_error: Option<f64>,
    /// Whether a claim holds.
    pub holds: Option<bool>,
    /// Numbers behind it, by name.
    pub shows: Vec<(String, Option<f64>)>,
    /// What the row is worth.
    pub worth: Worth,
    /// The drive's state before.
    pub state: String,
    /// The host.
    pub host: String,
    /// What was assumed.
    pub assumed: Vec<String>,
    /// Why there is no result.
    pub not_run: Option<String>,
    /// Of a row that is missed: what the model lacks.
    pub missing: Option<String>,
}

/// The score of a document, or of all (without a name).
#[derive(Clone, Debug, Default)]
pub struct ReproducedScore {
    /// The document.
    pub document: String,
    /// Rows that were fitted to.
    pub calibrated: ScoredErrors,
    /// Rows that were predicted.
    pub predicted: ScoredErrors,
    /// The guess on the same rows.
    pub null: ScoredErrors,
    /// Claims: how many there are, how many were run, how many hold.
    pub claims: [usize; 3],
}

/// Errors of some rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScoredErrors {
    /// How many there are.
    pub rows: usize,
    /// How many were run.
    pub run: usize,
    /// The bound, as a share.
    pub bound: f64,
    /// Median error.
    pub median: Option<f64>,
    /// Share within the bound.
    pub within: Option<f64>,
}

/// Everything that is shown.
#[derive(Clone, Debug, Default)]
pub struct Reproduced {
    /// The rows.
    pub rows: Vec<ReproducedRow>,
    /// The score of all rows, then of each document.
    pub scores: Vec<ReproducedScore>,
}

impl Reproduced {
    /// The documents, in order.
    fn documents(&self) -> Vec<&str> {
        let mut documents: Vec<&str> = self.rows.iter().map(|r| r.document.as_str()).collect();
        documents.sort_unstable();
        documents.dedup();
        documents
    }

    /// The rows of a document that are worth the same.
    fn group(&self, document: &str, worth: Worth) -> Vec<&ReproducedRow> {
        let belongs = |row: &&ReproducedRow| row.document == document && row.worth == worth;
        self.rows.iter().filter(belongs).collect()
    }
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
