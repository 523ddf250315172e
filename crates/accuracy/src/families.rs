//! Families of drives: those that share free parameters, with these and the figures that they may be
//! fitted to.
//!
//! Drives are of one family if a file that they share contains a value that may be fitted; a base file without one
//! gives them nothing in common for a fit. A parameter of a shared file counts once however many drives use it. A
//! family with as many free parameters as figures is exactly determined: agreement with its figures proves nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::experiments::{Plan, Table};
use crate::reference::Facts;
use results::reproduction::FactId;
use sim::catalogue::free::{FreeParameter, files, free_parameters};
use sim::catalogue::{ModelOptions, drives};

use crate::error::AccuracyError;

/// Drives that share free parameters.
#[derive(Clone, Debug, Default)]
pub struct Family {
    /// Their slugs.
    pub drives: BTreeSet<String>,
    /// The free parameters, each with the drives that it serves.
    pub parameters: Vec<(FreeParameter, BTreeSet<String>)>,
    /// The figures that they may be fitted to.
    pub figures: Vec<FactId>,
}

impl Family {
    /// As many free parameters as figures, and at least one of them.
    pub fn is_exactly_determined(&self) -> bool {
        !self.parameters.is_empty() && self.parameters.len() == self.figures.len()
    }
}

/// All families of the catalogue.
///
/// # Errors
/// Where a drive's file is wrong.
pub fn families(facts: &Facts, table: &Table) -> Result<Vec<Family>, AccuracyError> {
    let mut families: Vec<(BTreeSet<String>, Family)> = Vec::new();
    for card in drives()? {
        let free = free_parameters(&card.slug, &ModelOptions::default())?;
        let mut own: BTreeSet<String> = free.into_iter().map(|free| free.file).collect();
        own.extend(files(&card.slug)?.into_iter().take(1));
        let (with, without): (Vec<_>, Vec<_>) = families
            .into_iter()
            .partition(|(files, _)| !files.is_disjoint(&own));
        let mut joined = (own, Family::default());
        for (files, family) in with {
            joined.0.extend(files);
            joined.1.drives.extend(family.drives);
        }
        joined.1.drives.insert(card.slug);
        families = without;
        families.push(joined);
    }
    let whole = families
        .into_iter()
        .map(|(_, family)| complete(family, facts, table));
    whole.collect()
}

/// The drives of families that have a free value for each figure.
///
/// # Errors
/// As [`families`].
pub(crate) fn exactly_determined(
    facts: &Facts,
    table: &Table,
) -> Result<BTreeSet<String>, AccuracyError> {
    let exact = families(facts, table)?.into_iter();
    let exact = exact.filter(Family::is_exactly_determined);
    Ok(exact.flat_map(|family| family.drives).collect())
}

/// The settings of experiments that are fitted, as families: those of one row table, under its name (`rows-002`).
pub fn settings(table: &Table) -> Vec<Family> {
    let mut families: BTreeMap<&str, Family> = BTreeMap::new();
    for (name, setting) in &table.settings {
        let family = families.entry(setting.table()).or_default();
        family.drives.insert(setting.table().to_owned());
        let new = setting.facts.iter();
        let new = new.filter(|id| !family.figures.contains(id)).copied();
        let new: Vec<FactId> = new.collect();
        family.figures.extend(new);
        let parameter = (setting.parameter(name), BTreeSet::new());
        family.parameters.push(parameter);
    }
    families.into_values().collect()
}

/// The family that a drive of the catalogue belongs to, or the settings of the row table of this name.
///
/// # Errors
/// Where there is no such drive, where a file is wrong, or where the drive is not one of the catalogue: no
/// published figure is of a drive of one's own.
pub fn family_of(drive: &str, facts: &Facts, table: &Table) -> Result<Family, AccuracyError> {
    let of_a_table = settings(table).into_iter();
    if let Some(family) = of_a_table.into_iter().find(|f| f.drives.contains(drive)) {
        return Ok(family);
    }
    files(drive)?; // an unknown drive is told with the names nearest to it
    let all = families(facts, table)?;
    let family = all.into_iter().find(|family| family.drives.contains(drive));
    family.ok_or_else(|| {
        AccuracyError::Calibrate(format!(
            "{drive} is not a drive of the catalogue: a fit needs published figures, and those are of the catalogue's drives (`drivelab drives` lists them)"
        ))
    })
}

fn complete(mut family: Family, facts: &Facts, table: &Table) -> Result<Family, AccuracyError> {
    let mut parameters: BTreeMap<(String, String), (FreeParameter, BTreeSet<String>)> =
        BTreeMap::new();
    for drive in &family.drives {
        for free in free_parameters(drive, &ModelOptions::default())? {
            let place = (free.file.clone(), free.key.clone());
            let entry = parameters
                .entry(place)
                .or_insert_with(|| (free, BTreeSet::new()));
            entry.1.insert(drive.clone());
        }
    }
    family.parameters = parameters.into_values().collect();
    let of_family = |id: &FactId| {
        let row = table
            .rows
            .get(id)
            .filter(|row| matches!(row.plan, Plan::Number { .. }));
        let drives = row.map(|row| row.drives(table)).unwrap_or_default();
        !drives.is_empty() && drives.is_subset(&family.drives)
    };
    let ids = facts.calibrate().map(|figure| figure.fact().id);
    family.figures = ids.filter(of_family).collect();
    Ok(family)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_drive_is_of_one_family_and_no_family_has_more_parameters_than_figures() {
        let facts = Facts::published().unwrap();
        let table = Table::published(&facts).unwrap();
        let families = families(&facts, &table).unwrap();
        let count: usize = families.iter().map(|family| family.drives.len()).sum();
        assert_eq!(count, drives().unwrap().len());
        for family in &families {
            let (free, figures) = (family.parameters.len(), family.figures.len());
            assert!(free <= figures, "{:?}: {free} for {figures}", family.drives);
        }
        for family in settings(&table) {
            let (free, figures) = (family.parameters.len(), family.figures.len());
            assert!(free > 0 && free <= figures, "{:?}", family.drives);
        }
    }

    #[test]
    fn a_parameter_is_fitted_to_figures_of_its_own_family_alone() {
        let facts = Facts::published().unwrap();
        let table = Table::published(&facts).unwrap();
        for family in families(&facts, &table).unwrap() {
            for (free, _) in &family.parameters {
                for fact in &free.facts {
                    let fact: FactId = fact.parse().unwrap();
                    let known = family.figures.contains(&fact);
                    assert!(known, "{}, {}: {fact}", free.file, free.key);
                }
            }
        }
    }

    /// The ids of figures in a text.
    fn ids_in(text: &str) -> Vec<FactId> {
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
        words.filter_map(|word| word.parse().ok()).collect()
    }

    /// The values of a file that have a source: the path of each, and the figures that it cites.
    fn cited(value: &toml::Value, path: &str, found: &mut Vec<(String, Vec<FactId>)>) {
        let toml::Value::Table(table) = value else {
            return;
        };
        if table.contains_key("source") {
            found.push((path.to_owned(), ids_in(&value.to_string())));
        }
        for (key, inner) in table {
            cited(inner, &format!("{path}.{key}"), found);
        }
    }

    #[test]
    fn no_value_of_the_catalogue_cites_a_figure_that_models_are_judged_by() {
        let facts = Facts::published().unwrap();
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog");
        let mut citing = 0;
        for folder in ["drives", "families", "hosts"] {
            for entry in std::fs::read_dir(root.join(folder)).unwrap() {
                let path = entry.unwrap().path();
                let file = std::fs::read_to_string(&path).unwrap();
                let mut values = Vec::new();
                cited(&toml::from_str(&file).unwrap(), "", &mut values);
                for (key, ids) in values {
                    for id in ids {
                        let published = facts.get(id);
                        // The names of some controllers look like ids.
                        let role = published.map_or("none", |published| published.role());
                        let is_judged_by = matches!(role, "predict" | "range");
                        assert!(!is_judged_by, "{}, {key}: {id} is {role}", path.display());
                        citing += usize::from(role != "none");
                    }
                }
            }
        }
        assert!(citing > 100, "{citing}");
    }
}
