//! Simulated figures compared with published ones: the necessary experiments, the outcome of each row, and the score.
//!
//! Simulation is passed as a closure: an experiment goes in, figures and charts (or the reason why there are none) come
//! out. An experiment runs once, however many rows use it, and the order of the rows does not depend on thread timing.

use std::collections::{BTreeMap, BTreeSet};

use base::side_by_side::side_by_side;
use results::reproduction::{
    DocumentScore, FactId, REPRODUCTION_SCHEMA, ReproducedFigure, Reproduction,
};

use crate::error::NothingSelected;
use crate::experiments::{Experiment, Planned, Row, Table};
use crate::metric::Outcome;
use crate::reference::{Facts, Published};
use score::score;

mod claims;
mod first;
pub mod run;
pub mod score;
pub mod stored;
mod verdict;

/// The selected rows.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// These figures alone; all where none is named.
    pub ids: BTreeSet<FactId>,
    /// Rows for which this drive is run, by its slug.
    pub drive: Option<String>,
    /// Rows of the document whose name begins so.
    pub document: Option<String>,
    /// Rows in this role: `calibrate`, `predict` or `range`.
    pub role: Option<String>,
}

/// What came of each experiment.
pub(crate) type Outcomes = BTreeMap<Experiment, Result<Outcome, String>>;

/// What is to be done: rows and the experiments that they need.
pub struct Plans<'a> {
    facts: &'a Facts,
    table: &'a Table,
    rows: Vec<&'a Row>,
    /// Families whose calibrate rows are not scored: the slugs of their drives.
    exactly_determined: BTreeSet<String>,
    /// Whether claims that hold are run again with the change that should make them fail.
    tries_claims: bool,
}

impl<'a> Plans<'a> {
    /// The rows of a selection.
    ///
    /// # Errors
    /// Where no row is selected.
    pub fn new(
        facts: &'a Facts,
        table: &'a Table,
        selection: &Selection,
        exactly_determined: BTreeSet<String>,
    ) -> Result<Plans<'a>, NothingSelected> {
        let of_document = |row: &&Row| {
            let document = facts.get(row.id).map_or("", |f| &f.fact().document);
            selection
                .document
                .as_ref()
                .is_none_or(|d| document.starts_with(d.as_str()))
        };
        let about = |row: &&Row| {
            let asked = selection.drive.as_ref();
            asked.is_none_or(|drive| row.drives(table).contains(drive))
        };
        let in_role = |row: &&Row| {
            let role = facts.get(row.id).map_or("", Published::role);
            selection.role.as_ref().is_none_or(|asked| role == asked)
        };
        let named = |row: &&Row| selection.ids.is_empty() || selection.ids.contains(&row.id);
        let rows: Vec<&Row> = table
            .rows
            .values()
            .filter(named)
            .filter(of_document)
            .filter(about)
            .filter(in_role)
            .collect();
        if rows.is_empty() {
            return Err(nothing(facts, table, selection));
        }
        Ok(Plans {
            facts,
            table,
            rows,
            exactly_determined,
            tries_claims: false,
        })
    }

    /// The same, with every claim that holds run once more with the change that should make it fail.
    pub fn with_claims_tried(self) -> Plans<'a> {
        Plans {
            tries_claims: true,
            ..self
        }
    }

    /// The rows of some figures.
    pub fn of(facts: &'a Facts, table: &'a Table, ids: &BTreeSet<FactId>) -> Plans<'a> {
        Plans {
            facts,
            table,
            rows: ids.iter().filter_map(|id| table.rows.get(id)).collect(),
            exactly_determined: BTreeSet::new(),
            tries_claims: false,
        }
    }

    /// The experiments that these rows need, each once.
    pub fn experiments(&self) -> Vec<Experiment> {
        let needed = |row: &&Row| {
            let own = row.terms.values();
            let over = row
                .plan
                .excess_over()
                .and_then(|id| self.table.rows.get(&id));
            let all = own.chain(over.into_iter().flat_map(|row| row.terms.values()));
            let planned = all.filter_map(|term| self.table.experiments.get(&term.experiment));
            planned
                .map(|planned| planned.experiment.clone())
                .collect::<Vec<_>>()
        };
        let needed: BTreeSet<Experiment> = self.rows.iter().flat_map(needed).collect();
        needed.into_iter().collect()
    }

    /// Runs the experiments on this many threads and judges the rows. `done` is called with the number finished and the
    /// total.
    pub fn reproduce(
        &self,
        jobs: usize,
        simulate: &(dyn Fn(&Experiment) -> Result<Outcome, String> + Sync),
        done: &(dyn Fn(usize, usize) + Sync),
    ) -> Reproduction {
        let run = |experiments: Vec<Experiment>| -> Outcomes {
            let outcomes = side_by_side(&experiments, jobs, simulate, done);
            experiments.into_iter().zip(outcomes).collect()
        };
        let outcomes = run(self.experiments());
        let judged = self.rows.iter().map(|row| self.judge(row, &outcomes));
        let mut rows: Vec<ReproducedFigure> = judged.collect();
        if self.tries_claims {
            self.try_claims(&mut rows, &outcomes, &run);
        }
        self.scored(rows)
    }

    /// The rows from the results of experiments that were run elsewhere; a row that needs another one says so.
    pub(crate) fn beside(&self, outcomes: &Outcomes) -> Vec<ReproducedFigure> {
        let judged = self.rows.iter().map(|row| self.judge(row, outcomes));
        judged.collect()
    }

    /// Rows with their scores.
    fn scored(&self, rows: Vec<ReproducedFigure>) -> Reproduction {
        let first = first::rows(self.facts, self.table, &rows);
        let names: BTreeSet<&String> = rows.iter().map(|row| &row.document).collect();
        let documents = names.into_iter().map(|name| {
            let of =
                |rows: &[ReproducedFigure]| score(rows.iter().filter(|row| row.document == *name));
            DocumentScore {
                document: name.clone(),
                score: of(&rows),
                first: of(&first),
            }
        });
        Reproduction {
            schema: REPRODUCTION_SCHEMA,
            documents: documents.collect(),
            score: score(rows.iter()),
            first: score(first.iter()),
            rows,
        }
    }

    /// The experiments of a row.
    fn planned(&self, row: &Row) -> Vec<&'a Planned> {
        let names: BTreeSet<&String> = row.terms.values().map(|term| &term.experiment).collect();
        let planned = names
            .into_iter()
            .filter_map(|name| self.table.experiments.get(name));
        planned.collect()
    }
}

fn nothing(facts: &Facts, table: &Table, selection: &Selection) -> NothingSelected {
    let documents: BTreeSet<&String> = facts.all().map(|row| &row.fact().document).collect();
    if let Some(asked) = &selection.document
        && !documents
            .iter()
            .any(|document| document.starts_with(asked.as_str()))
    {
        return NothingSelected::Document {
            asked: asked.clone(),
            all: documents.into_iter().cloned().collect(),
        };
    }
    if let Some(id) = selection.ids.iter().find(|id| !table.rows.contains_key(id)) {
        return NothingSelected::Figure(*id);
    }
    let drives: BTreeSet<String> = table
        .rows
        .values()
        .flat_map(|row| row.drives(table))
        .collect();
    match &selection.drive {
        Some(asked) if !drives.contains(asked) => {
            let drives: Vec<&str> = drives.iter().map(String::as_str).collect();
            NothingSelected::Drive {
                asked: asked.clone(),
                nearest: base::nearest::nearest(asked, &drives),
            }
        }
        _ => NothingSelected::Both,
    }
}

#[cfg(test)]
mod tests;
