//! Whether a row of a table fits the published figure that it is for, and could fail.

use std::collections::BTreeMap;

use crate::claim::Expression;
use crate::reference::{Facts, Published, Value};
use results::reproduction::{FactId, Independence};

use super::{Experiment, FittedSetting, Plan, Planned, Row};

/// Checks one row: its document, its role, the names in its expressions.
pub(super) fn fits(row: &Row, document: &str, facts: &Facts) -> Result<(), String> {
    let id = row.id;
    let published = facts
        .get(id)
        .ok_or_else(|| format!("there is no published figure {id}"))?;
    if published.fact().document != document {
        return Err(format!("{id} is in another document"));
    }
    if matches!(published, Published::Input(_)) {
        return Err(format!(
            "{id} is a fact of construction: nothing is run for it"
        ));
    }
    if row.fitted.is_some() && !matches!(published, Published::Calibrate(_)) {
        return Err(format!(
            "{id} is not a figure that anything may be fitted to"
        ));
    }
    if !row.fails_with.is_empty() && !matches!(row.plan, Plan::Claim { .. }) {
        return Err(format!(
            "{id} is a number: only a claim fails with a change"
        ));
    }
    let is_derived = published.independence() == Some(Independence::Derived);
    match &row.plan {
        Plan::Derived { from, values, .. } if is_derived => {
            known_ids(from, id, facts)?;
            known_terms(values, row)
        }
        Plan::Derived { .. } => Err(format!("{id} is not derived from other rows")),
        _ if is_derived => Err(format!("{id} is derived: say from what")),
        Plan::Unrun { because } if because.is_empty() => Err(format!("{id}: say why")),
        Plan::Unrun { .. } => Ok(()),
        Plan::Claim { holds, shows } => {
            known_terms([holds], row)?;
            known_terms(shows.iter().map(|(_, shown)| shown), row)
        }
        Plan::Number { values, .. } => {
            known_terms(values, row)?;
            match published.fact().value {
                Value::Words(_) => Err(format!("{id} says something in words: give what holds")),
                _ => Ok(()),
            }
        }
    }
}

/// A row that names a setting is one of its figures, and one of its experiments takes it over.
pub(super) fn fitted_setting(
    row: &Row,
    settings: &BTreeMap<String, FittedSetting>,
    experiments: &BTreeMap<String, Planned>,
) -> Result<(), String> {
    let Some(name) = &row.fitted else {
        return Ok(());
    };
    let planned = row.terms.values();
    let mut planned = planned.filter_map(|term| experiments.get(&term.experiment));
    match settings.get(name) {
        None => Err(format!("{}: there is no setting '{name}'", row.id)),
        Some(setting) if !setting.facts.contains(&row.id) => Err(format!(
            "{}: the setting '{name}' is not fitted to it",
            row.id
        )),
        Some(_) if !planned.any(|planned| super::settings::takes(planned, name)) => Err(format!(
            "{}: none of its experiments takes the setting '{name}' over",
            row.id
        )),
        Some(_) => Ok(()),
    }
}

fn known_terms<'a>(
    expressions: impl IntoIterator<Item = &'a Expression>,
    row: &Row,
) -> Result<(), String> {
    let mut names = expressions.into_iter().flat_map(Expression::names);
    match names.find(|name| !row.terms.contains_key(*name)) {
        None => Ok(()),
        Some(name) => Err(format!("{}: '{name}' stands for no number", row.id)),
    }
}

fn known_ids(from: &Expression, id: FactId, facts: &Facts) -> Result<(), String> {
    let is_number = |name: &String| {
        let other: Result<FactId, String> = name.parse();
        let row = other.ok().and_then(|other| facts.get(other));
        row.is_some_and(|row| row.fact().value.number().is_some())
    };
    match from.names().iter().find(|name| !is_number(name)) {
        None => Ok(()),
        Some(name) => Err(format!("{id}: '{name}' is not a published number")),
    }
}

/// Refuses a claim in which two names denote the same number: it would compare a drive with itself, and so hold (or
/// fail) whatever the drive does. Two experiments are the same if method, settings and target are, regardless of the
/// order of the target's options.
pub(super) fn could_fail(row: &Row, experiments: &BTreeMap<String, Planned>) -> Result<(), String> {
    let Plan::Claim { holds, .. } = &row.plan else {
        return Ok(());
    };
    if let Some(same) = holds.compared_with_itself() {
        return Err(format!("{}: '{same}' is compared with itself", row.id));
    }
    let mut seen = Vec::new();
    for (name, term) in &row.terms {
        let Some(planned) = experiments.get(&term.experiment) else {
            continue;
        };
        let run = (in_one_order(&planned.experiment), &term.metric);
        let earlier = seen.iter().find(|(_, other)| *other == run);
        if let Some((other, _)) = earlier {
            return Err(format!(
                "{}: '{other}' and '{name}' are the same number of the same experiment: the claim compares it with itself",
                row.id
            ));
        }
        seen.push((name, run));
    }
    Ok(())
}

/// An experiment with its target's options in order, without those that have no effect.
fn in_one_order(experiment: &Experiment) -> Experiment {
    let mut one = experiment.clone();
    one.settings.sort_unstable();
    // Inside brackets an option belongs to one drive among others: such a target stays as it is.
    if let (false, Some((drive, options))) = (one.target.contains('('), one.target.split_once('?'))
    {
        let mut options: Vec<&str> = options.split('&').collect();
        options.retain(|option| *option != "file_system=none");
        options.sort_unstable();
        one.target = format!("{drive}?{}", options.join("&"));
    }
    one
}
