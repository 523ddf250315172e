//! Experiments on other drives than the catalogue's: one mechanism off, one number another.
//!
//! A figure that comes out with a mechanism and without it says nothing of the mechanism. So each can
//! be taken from all modelled drives that have it, and the figures be looked at again. The changes
//! stand in the targets' names, so that every row says what it was made with.

use std::collections::BTreeSet;

use crate::table::Table;
use base::nearest::nearest;
use sim::catalogue::{describe, drives};

use crate::error::AccuracyError;

/// Puts the changes into the targets of all experiments, where the drives have what is changed.
///
/// # Errors
/// Where a change is none, or no drive of the experiments has what it changes.
pub(super) fn change(table: &mut Table, changes: &[String]) -> Result<(), AccuracyError> {
    for change in changes {
        let mut made = false;
        for planned in table.experiments.values_mut() {
            let target = &mut planned.experiment.target;
            let changed = with_options(target, |slug| {
                let own = has(slug, change).then(|| change.clone());
                own.into_iter().collect()
            });
            made |= changed != *target;
            *target = changed;
        }
        if !made || !change.contains('=') {
            return Err(AccuracyError::NoChange {
                asked: change.clone(),
                nearest: nearest(part_of(change), &parts()?),
            });
        }
    }
    Ok(())
}

/// A target with more options in the names of its modelled drives, by their slugs.
pub(crate) fn with_options(target: &str, options_of: impl Fn(&str) -> Vec<String>) -> String {
    let mut parts = target.split("model:");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(['?', ',', ')']).unwrap_or(part.len());
        let (slug, rest) = part.split_at(end);
        let options = options_of(slug).join("&");
        let rest = match (rest.strip_prefix('?'), options.is_empty()) {
            (_, true) => rest.to_owned(),
            (Some(more), false) => format!("?{options}&{more}"),
            (None, false) => format!("?{options}{rest}"),
        };
        whole.push_str(&format!("model:{slug}{rest}"));
    }
    whole
}

/// What is changed, without the value and what stands behind the section: `ssd.slc` of
/// `ssd.slc.size_gb=3`.
fn part_of(change: &str) -> &str {
    let key = change.split('=').next().unwrap_or_default();
    match key.match_indices('.').nth(1) {
        Some((at, _)) => &key[..at],
        None => key,
    }
}

/// True where a drive has the part that a change changes.
fn has(slug: &str, change: &str) -> bool {
    let part = part_of(change);
    let sections = describe(slug).map(|sheet| sheet.sections);
    let named = |section: &str| part.split('.').any(|name| name == section);
    sections.is_ok_and(|sections| sections.iter().any(|section| named(section.name)))
}

/// The parts that drives have, for who mistyped one.
fn parts() -> Result<BTreeSet<String>, AccuracyError> {
    let mut parts = BTreeSet::new();
    for card in drives()? {
        let kind = format!("{:?}", card.kind).to_lowercase();
        let sections = describe(&card.slug)?.sections;
        parts.extend(sections.iter().map(|s| format!("{kind}.{}", s.name)));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::Facts;

    fn changed(change: &str) -> Result<Table, AccuracyError> {
        let mut table = Table::published(&Facts::published().unwrap()).unwrap();
        super::change(&mut table, &[change.to_owned()]).map(|()| table)
    }

    #[test]
    fn a_change_goes_to_the_drives_that_have_what_it_changes_and_is_told_in_their_names() {
        let table = changed("ssd.map_cache=off").unwrap();
        let target = |name: &str| table.experiments[name].experiment.target.clone();
        assert!(
            target("sweep-sn770-1tb").starts_with("model:wd-black-sn770-1tb?ssd.map_cache=off&")
        );
        assert!(!target("iometer-840-250gb").contains("map_cache"));
    }

    #[test]
    fn options_come_before_those_of_a_drive_in_brackets() {
        let name = "raid0(model:a?seed=2,model:b)?stripe=64KiB";
        let with = with_options(name, |slug| vec![format!("x={slug}")]);
        assert_eq!(with, "raid0(model:a?x=a&seed=2,model:b?x=b)?stripe=64KiB");
        assert_eq!(with_options(name, |_| Vec::new()), name);
    }

    #[test]
    fn a_change_that_changes_nothing_is_refused_with_the_name_that_was_meant() {
        let refused = changed("ssd.map_cach=off").unwrap_err().to_string();
        assert!(refused.contains("ssd.map_cache"), "{refused}");
        assert!(changed("ssd.map_cache").is_err());
    }
}
