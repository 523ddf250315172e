//! The row tables: how each published figure is compared with a simulated one.
//!
//! One TOML file per document (`data/published/rows-*.toml`). It names *experiments* (a target in a state on a host, a
//! method with its settings) and, for every published row that is not an input, which figure of which experiment is
//! compared with it, or why none can be. An [`Expression`] decides a claim in words. All of it is data, so that it can
//! be read, and be committed before any of it is run.

use std::collections::{BTreeMap, BTreeSet};

use crate::claim::Expression;
use crate::metric::Metric;
use crate::reference::{Facts, Value};
use base::method::Scale;
use results::reproduction::FactId;
use targets::grammar::Spec;

mod checks;
mod settings;
mod text;

pub use settings::FittedSetting;

use text::{DerivedText, ExperimentText, File, RowText};

/// Their location, from the root of the sources.
const FOLDER: &str = "crates/accuracy/data/published/";
/// The tables, compiled in: each file's name and text.
const FILES: [(&str, &str); 5] = [
    (
        "rows-000.toml",
        include_str!("../data/published/rows-000.toml"),
    ),
    (
        "rows-001.toml",
        include_str!("../data/published/rows-001.toml"),
    ),
    (
        "rows-002.toml",
        include_str!("../data/published/rows-002.toml"),
    ),
    (
        "rows-003.toml",
        include_str!("../data/published/rows-003.toml"),
    ),
    (
        "rows-004.toml",
        include_str!("../data/published/rows-004.toml"),
    ),
];

/// A method on a target, run once however many rows it serves.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Experiment {
    /// The target, by the grammar of names, state and host in it.
    pub target: String,
    /// The method's name.
    pub method: String,
    /// Its settings, each as `key=value`.
    pub settings: Vec<String>,
    /// How much of the original's counts and times.
    pub scale: Scale,
}

/// An experiment with its description.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// What is run.
    pub experiment: Experiment,
    /// The drive's state before.
    pub state: String,
    /// The host around it.
    pub host: String,
    /// What the documents leave open and was assumed, the state's reason first.
    pub assumed: Vec<String>,
    /// The settings as they are written, with the names of those that are fitted.
    pub written: Vec<String>,
}

/// A number of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The experiment's name.
    pub experiment: String,
    /// What of its result.
    pub metric: Metric,
}

/// How a row is decided.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Numbers, of which the one furthest off is shown.
    Number {
        /// Each of them as an expression over the terms.
        values: Vec<Expression>,
        /// What the document's means of measuring leave open, in the figure's unit.
        tolerance: Tolerance,
        /// The row whose figure is subtracted from this one's, published and simulated.
        excess_over: Option<FactId>,
    },
    Claim {
        holds: Expression,
        /// Numbers worth showing: name and expression.
        shows: Vec<(String, Expression)>,
    },
    /// Arithmetic over other published rows.
    Derived {
        /// The arithmetic.
        from: Expression,
        /// What the simulation gives for it, where that is looked up.
        values: Vec<Expression>,
        /// How far a rounded result may be off, in per cent.
        within_percent: f64,
    },
    /// Nothing that is run can decide it.
    Unrun {
        /// Why it is left out, for people.
        because: String,
    },
}

/// What a document's means of measuring leave open.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Tolerance {
    /// Half of the last printed digit.
    #[default]
    Printed,
    /// This much in either direction, in the figure's unit.
    Absolute(f64),
    /// Not even what printing leaves open.
    Nothing,
    /// From a part to a multiple: one step of a sweep in powers of two is a factor of 2.
    Factor(f64),
}

/// A row with everything that it needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The published figure.
    pub id: FactId,
    /// How it is decided.
    pub plan: Plan,
    /// Numbers by the names that its expressions use.
    pub terms: BTreeMap<String, Term>,
    /// Assumptions beyond those of its experiments.
    pub assumed: Vec<String>,
    /// The setting of its experiment that is fitted to it ([`Table::settings`]): agreement proves nothing.
    pub fitted: Option<String>,
    /// What the model lacks, as far as known; shown if the row is missed.
    pub missing: Option<String>,
    /// For a claim: changes of the model that together make it fail, as accepted by `reproduce --change`. A claim that
    /// nothing makes fail is empty.
    pub fails_with: Vec<String>,
    /// Why the figure does not depend on the drive.
    pub independent_of_drive: Option<String>,
}

impl Plan {
    /// The figure that a number is judged beyond.
    pub(crate) fn excess_over(&self) -> Option<FactId> {
        match self {
            Plan::Number { excess_over, .. } => *excess_over,
            _ => None,
        }
    }
}

impl Row {
    /// The slugs of the drives that it runs.
    pub fn drives(&self, table: &Table) -> BTreeSet<String> {
        let terms = self.terms.values();
        let planned = terms.filter_map(|term| table.experiments.get(&term.experiment));
        let specs = planned.filter_map(|planned| planned.experiment.target.parse::<Spec>().ok());
        specs
            .flat_map(|spec| {
                spec.models()
                    .into_iter()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            })
            .collect()
    }
}

/// All rows of all documents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Settings of experiments that are fitted, by name; a name is unique over all files.
    pub settings: BTreeMap<String, FittedSetting>,
    /// Experiments by name; a name is unique over all files.
    pub experiments: BTreeMap<String, Planned>,
    /// Rows by figure.
    pub rows: BTreeMap<FactId, Row>,
}

/// Why a table cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTable {
    /// Something in a file.
    #[error("{file}, line {line}: {what}")]
    File {
        file: String,
        /// Which line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// Something between files and figures.
    #[error("{0}")]
    Rows(String),
}

impl Table {
    /// The tables that are compiled in.
    ///
    /// # Errors
    /// If they are invalid; a test checks them.
    pub fn published(facts: &Facts) -> Result<Table, BadTable> {
        let mut table = Table::default();
        for (file, text) in FILES {
            table.add(file, text, facts)?;
        }
        Ok(table)
    }

    /// Adds a file's experiments and rows.
    ///
    /// # Errors
    /// Unknown fields, ids of other documents, names that nothing has, rows that nothing decides:
    /// with file and line.
    pub fn add(&mut self, file: &str, text: &str, facts: &Facts) -> Result<(), BadTable> {
        let parsed: File = toml::from_str(text).map_err(|error| BadTable::File {
            file: file.to_owned(),
            line: line_of(text, error.span().map_or(0, |span| span.start)),
            what: error.message().replace('\n', " "),
        })?;
        let at = |span: std::ops::Range<usize>| {
            move |what: String| BadTable::File {
                file: file.to_owned(),
                line: line_of(text, span.start),
                what,
            }
        };
        for (name, spanned) in &parsed.setting {
            let mut setting = spanned.get_ref().clone();
            setting.check(name, facts).map_err(at(spanned.span()))?;
            setting.file = format!("{FOLDER}{file}");
            if self.settings.insert(name.clone(), setting).is_some() {
                let what = format!("there are two settings '{name}'");
                return Err(at(spanned.span())(what));
            }
        }
        for (name, spanned) in &parsed.experiment {
            let mut planned = planned(spanned.get_ref(), &parsed);
            planned.experiment.settings =
                settings::filled(&planned.written, &self.settings, &BTreeMap::new())
                    .map_err(at(spanned.span()))?;
            if self.experiments.insert(name.clone(), planned).is_some() {
                let what = format!("there are two experiments '{name}'");
                return Err(at(spanned.span())(what));
            }
        }
        let document = parsed.document.as_str();
        for spanned in &parsed.row {
            let bad = at(spanned.span());
            for id in &spanned.get_ref().ids {
                let row = self.row(*id, spanned.get_ref(), facts).map_err(&bad)?;
                self.insert(row, document, facts).map_err(&bad)?;
            }
        }
        for spanned in &parsed.derived {
            let bad = at(spanned.span());
            for id in &spanned.get_ref().ids {
                let row = self.derived(*id, spanned.get_ref()).map_err(&bad)?;
                self.insert(row, document, facts).map_err(&bad)?;
            }
        }
        for spanned in &parsed.unrun {
            let bad = at(spanned.span());
            for id in &spanned.get_ref().ids {
                let plan = Plan::Unrun {
                    because: spanned.get_ref().because.clone(),
                };
                let row = plain(*id, plan);
                self.insert(row, document, facts).map_err(&bad)?;
            }
        }
        Ok(())
    }

    /// The tables with other values of settings that are fitted.
    #[must_use]
    pub fn with_settings(&self, values: &BTreeMap<String, f64>) -> Table {
        let mut table = self.clone();
        for planned in table.experiments.values_mut() {
            // Every name was found when the tables were read.
            if let Ok(filled) = settings::filled(&planned.written, &self.settings, values) {
                planned.experiment.settings = filled;
            }
        }
        table
    }

    fn insert(&mut self, row: Row, document: &str, facts: &Facts) -> Result<(), String> {
        checks::fits(&row, document, facts)?;
        checks::fitted_setting(&row, &self.settings, &self.experiments)?;
        checks::could_fail(&row, &self.experiments)?;
        let id = row.id;
        match self.rows.insert(id, row) {
            None => Ok(()),
            Some(_) => Err(format!("{id} is decided twice")),
        }
    }

    fn row(&self, id: FactId, text: &RowText, facts: &Facts) -> Result<Row, String> {
        let mut terms = BTreeMap::new();
        for (name, term) in &text.terms {
            terms.insert(name.clone(), self.term(term)?);
        }
        let (experiments, figures) = (&text.experiments, &text.figures);
        let values = self.values(experiments, figures, text.value.as_ref(), &mut terms)?;
        let tolerance = match (text.tolerance, text.tolerance_factor) {
            (None, None) => Tolerance::Printed,
            (Some(either_way), None) => Tolerance::Absolute(either_way),
            (None, Some(factor)) => Tolerance::Factor(factor),
            _ => return Err(format!("{id} has two tolerances")),
        };
        // A bound that is to be predicted is a claim; any other one is an interval to compare with.
        let predicted = facts.get(id).is_some_and(|row| row.role() == "predict");
        let bound = bound(id, facts).filter(|_| predicted);
        let plan = match (&text.holds, bound) {
            (Some(holds), _) => Plan::Claim {
                holds: holds.clone(),
                shows: text.shows.clone().into_iter().collect(),
            },
            // A bound of one number decides itself.
            (None, Some(claim)) if !values.is_empty() => Plan::Claim {
                holds: claims(&values, &claim)?,
                shows: shown(&values),
            },
            _ if values.is_empty() => {
                return Err(format!("{id}: neither a number nor what holds is given"));
            }
            _ => Plan::Number {
                values,
                tolerance,
                excess_over: text.excess_over,
            },
        };
        Ok(Row {
            id,
            plan,
            terms,
            assumed: text.assumed.clone(),
            fitted: text.fitted.clone(),
            missing: text.missing.clone(),
            fails_with: text.fails_with.clone(),
            independent_of_drive: text.independent_of_drive.clone(),
        })
    }

    fn derived(&self, id: FactId, text: &DerivedText) -> Result<Row, String> {
        let mut terms = BTreeMap::new();
        let (experiments, figures) = (&text.experiments, &text.figures);
        let values = self.values(experiments, figures, text.value.as_ref(), &mut terms)?;
        let plan = Plan::Derived {
            from: text.from.clone(),
            values,
            within_percent: text.within_percent,
        };
        Ok(Row {
            terms,
            ..plain(id, plan)
        })
    }

    fn term(&self, text: &str) -> Result<Term, String> {
        let (experiment, metric) = text
            .split_once(':')
            .ok_or_else(|| format!("'{text}': write experiment: figure"))?;
        self.term_of(experiment.trim(), metric.trim())
    }

    fn term_of(&self, experiment: &str, metric: &str) -> Result<Term, String> {
        if !self.experiments.contains_key(experiment) {
            return Err(format!("there is no experiment '{experiment}'"));
        }
        Ok(Term {
            experiment: experiment.to_owned(),
            metric: metric.parse()?,
        })
    }

    /// The numbers of a row: its `value`, or each figure of each experiment, in which `value` may
    /// speak of `x`.
    fn values(
        &self,
        experiments: &[String],
        figures: &[String],
        value: Option<&Expression>,
        terms: &mut BTreeMap<String, Term>,
    ) -> Result<Vec<Expression>, String> {
        let each = experiments.iter().flat_map(|experiment| {
            let figures = figures.iter();
            figures.map(move |figure| (experiment, figure))
        });
        let mut values = Vec::new();
        for (at, (experiment, figure)) in each.enumerate() {
            let name = match at {
                0 => "x".to_owned(),
                _ => format!("x{at}"),
            };
            terms.insert(name.clone(), self.term_of(experiment, figure)?);
            values.push(match value {
                None => Expression::read(&name).map_err(|e| e.to_string())?,
                Some(value) => value.renamed("x", &name),
            });
        }
        if values.is_empty() {
            values.extend(value.cloned());
        }
        Ok(values)
    }
}

fn planned(text: &ExperimentText, file: &File) -> Planned {
    let state = text.state.clone().unwrap_or_else(|| file.state.clone());
    let host = text.host.clone().unwrap_or_else(|| file.host.clone());
    // Inside brackets a comma would begin another drive.
    let options = format!(
        "state={}&host={host}",
        state.replace('%', "%25").replace(',', "%2C")
    );
    let because = text.state_because.as_ref().unwrap_or(&file.state_because);
    let reason = format!("state {state}: {because}");
    Planned {
        experiment: Experiment {
            target: text.target.replace('@', &options),
            method: text.method.clone(),
            settings: text.settings.clone(),
            scale: text.scale.unwrap_or(Scale::Full),
        },
        state,
        host,
        assumed: std::iter::once(reason)
            .chain(text.assumed.iter().cloned())
            .collect(),
        written: text.settings.clone(),
    }
}

fn plain(id: FactId, plan: Plan) -> Row {
    Row {
        id,
        plan,
        terms: BTreeMap::new(),
        assumed: Vec::new(),
        fitted: None,
        missing: None,
        fails_with: Vec::new(),
        independent_of_drive: None,
    }
}

/// The published bound applied to `x`.
fn bound(id: FactId, facts: &Facts) -> Option<String> {
    match facts.get(id)?.fact().value {
        Value::Above(least) => Some(format!("> {least}")),
        Value::Below(most) => Some(format!("< {most}")),
        _ => None,
    }
}

/// Every value satisfies the bound.
fn claims(values: &[Expression], bound: &str) -> Result<Expression, String> {
    let claim = |value: &Expression| value.compared(bound);
    let claims: Result<Vec<Expression>, _> = values.iter().map(claim).collect();
    Ok(Expression::all(claims.map_err(|e| e.to_string())?))
}

fn shown(values: &[Expression]) -> Vec<(String, Expression)> {
    values
        .iter()
        .map(|value| (value.text().to_owned(), value.clone()))
        .collect()
}

fn line_of(text: &str, at: usize) -> usize {
    let before = &text.as_bytes()[..at.min(text.len())];
    1 + before.iter().filter(|b| **b == b'\n').count()
}

#[cfg(test)]
mod tests;
