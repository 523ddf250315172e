//! Whether a claim could fail.
//!
//! An order or a behaviour that any model would show says nothing about the model, however true it is. So a row names a
//! change of the model that should make its claim fail (a removed mechanism, another number), and a claim that holds is
//! run once more with that change. If it still holds, or if no change is named, it *cannot fail*, and does not count as
//! held.

use std::collections::BTreeSet;

use results::reproduction::{Category, ReproducedFigure};

use super::{Outcomes, Plans};
use crate::ablation::changed;
use crate::experiments::{Experiment, Plan, Row};

impl Plans<'_> {
    /// Runs the holding claims with their changes. Experiments that a change does not affect are not run again.
    pub(super) fn try_claims(
        &self,
        rows: &mut [ReproducedFigure],
        outcomes: &Outcomes,
        run: &dyn Fn(Vec<Experiment>) -> Outcomes,
    ) {
        let holding = || {
            let rows = self.rows.iter().zip(rows.iter());
            rows.filter(|(_, result)| is_held_so_far(result))
        };
        let needed: BTreeSet<Experiment> = holding()
            .filter(|(row, _)| !row.fails_with.is_empty())
            .flat_map(|(row, _)| self.changed_experiments(row).map(|(_, changed)| changed))
            .filter(|experiment| !outcomes.contains_key(experiment))
            .collect();
        let with_changes = run(needed.into_iter().collect());
        for (row, result) in self.rows.iter().zip(rows) {
            if is_held_so_far(result) {
                self.try_claim(row, result, outcomes, &with_changes);
            }
        }
    }

    /// The experiments of a row, each with its changed version.
    fn changed_experiments(&self, row: &Row) -> impl Iterator<Item = (Experiment, Experiment)> {
        let planned = self.planned(row).into_iter();
        planned.map(|planned| {
            let experiment = planned.experiment.clone();
            let target = changed(&experiment.target, &row.fails_with);
            let with = Experiment {
                target,
                ..experiment.clone()
            };
            (experiment, with)
        })
    }

    fn try_claim(
        &self,
        row: &Row,
        result: &mut ReproducedFigure,
        outcomes: &Outcomes,
        with_changes: &Outcomes,
    ) {
        let (Plan::Claim { holds, .. }, Some(change)) = (&row.plan, &mut result.failing_change)
        else {
            result.can_fail = Some(false);
            return;
        };
        // The row is judged as ever, by what its experiments gave with the change.
        let in_place: Outcomes = self
            .changed_experiments(row)
            .filter_map(|(as_it_is, with)| {
                let outcome = with_changes.get(&with).or_else(|| outcomes.get(&with))?;
                Some((as_it_is, outcome.clone()))
            })
            .collect();
        match self.holds(row, holds, &in_place) {
            Ok(holds) => change.holds = Some(holds),
            Err(why) => change.not_run = Some(why),
        }
        result.can_fail = Some(change.holds == Some(false));
    }
}

/// Whether a row is a claim that counts and holds.
fn is_held_so_far(row: &ReproducedFigure) -> bool {
    row.category == Category::Claim && row.holds == Some(true)
}
