//! Whether a row of a table fits the published figure that it is for.

use crate::expression::Expression;
use crate::published::{FactId, Facts, Independence, Published, Value};

use super::{Plan, Row};

/// Checks one row: its document, its role, the names in its expressions.
pub(super) fn fits(row: &Row, document: &str, facts: &Facts) -> Result<(), String> {
    let id = row.id;
    let published = facts
        .get(id)
        .ok_or_else(|| format!("there is no published figure {id}"))?;
    if published.fact().document != document {
        return Err(format!("{id} stands in another document"));
    }
    if matches!(published, Published::Input(_)) {
        return Err(format!(
            "{id} is a fact of construction: nothing is run for it"
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
        Some(name) => Err(format!("{id}: '{name}' is no published number")),
    }
}
