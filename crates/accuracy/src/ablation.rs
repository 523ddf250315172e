//! Experiments on other drives than the catalogue's: one mechanism off, one number another.
//!
//! A figure that is the same with and without a mechanism says nothing about it. So each mechanism can be removed from
//! all modelled drives that have it, and the figures compared. The changes are in the targets' names, so that every row
//! documents how it was made.

use std::collections::BTreeSet;

use crate::experiments::Table;
use base::nearest::nearest;
use sim::catalogue::{CatalogueError, describe, drives};
use targets::error::did_you_mean;

/// Why a change cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum BadChange {
    /// No drive has the changed key.
    #[error(
        "'{asked}' changes no drive: remove a mechanism with `ssd.map_cache=off`, set a number with `ssd.nand.dies=8`{}",
        did_you_mean(.nearest)
    )]
    NoDrive {
        /// As it was written.
        asked: String,
        /// What may have been meant.
        nearest: Vec<String>,
    },
    /// A drive of the catalogue that cannot be read.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
}

/// A change, as `reproduce --change` and the row tables write it: `ssd.map_cache=off` of every drive that has the part,
/// `wd-black-sn770-1tb: ssd.map_cache=off` of one drive, `rapid.dirty=64KiB` of a layer over drives.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change<'a> {
    /// The one drive that is changed.
    drive: Option<&'a str>,
    /// What is put into its name.
    option: &'a str,
}

impl<'a> Change<'a> {
    /// `None` if it gives no value.
    fn read(text: &'a str) -> Option<Change<'a>> {
        let (drive, option) = match text.split_once(": ") {
            Some((drive, option)) => (Some(drive.trim()), option.trim()),
            None => (None, text.trim()),
        };
        option.contains('=').then_some(Change { drive, option })
    }

    /// The target with the change.
    fn of_target(&self, target: &str) -> String {
        if let Some(changed) = self.of_layer(target) {
            return changed;
        }
        with_options(target, |slug| {
            let meant = match self.drive {
                Some(drive) => drive == slug,
                None => has(slug, self.option),
            };
            meant.then(|| self.option.to_owned()).into_iter().collect()
        })
    }

    /// The target with an option of a layer: `rapid(model:A)?dirty=64KiB`. `None` if it has no such layer.
    fn of_layer(&self, target: &str) -> Option<String> {
        let (layer, option) = self.option.split_once('.')?;
        let start = target.find(&format!("{layer}("))?;
        let mut depth = 0_usize;
        let end = target[start..].char_indices().find_map(|(at, letter)| {
            match letter {
                '(' => depth += 1,
                ')' => depth = depth.checked_sub(1)?,
                _ => return None,
            }
            (depth == 0).then_some(start + at + 1)
        })?;
        let (before, rest) = target.split_at(end);
        Some(match rest.strip_prefix('?') {
            Some(more) => format!("{before}?{option}&{more}"),
            None => format!("{before}?{option}{rest}"),
        })
    }
}

/// A target with all of the changes that concern it.
pub(crate) fn changed(target: &str, changes: &[String]) -> String {
    let changes = changes.iter().filter_map(|text| Change::read(text));
    changes.fold(target.to_owned(), |target, change| {
        change.of_target(&target)
    })
}

/// Applies the changes to the targets of all experiments whose drives have the changed key.
///
/// # Errors
/// If a change has no effect, or no drive of the experiments has the changed key.
pub(crate) fn change(table: &mut Table, changes: &[String]) -> Result<(), BadChange> {
    for text in changes {
        let mut made = false;
        if let Some(change) = Change::read(text) {
            for planned in table.experiments.values_mut() {
                let target = &mut planned.experiment.target;
                let changed = change.of_target(target);
                made |= changed != *target;
                *target = changed;
            }
        }
        if !made {
            return Err(BadChange::NoDrive {
                asked: text.clone(),
                nearest: nearest(part_of(text), &parts()?),
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

/// The changed key, without the value and the key within the section: `ssd.slc` for `ssd.slc.size_gb=3`.
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
fn parts() -> Result<BTreeSet<String>, BadChange> {
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
    use crate::reference::Facts;
    use std::collections::BTreeMap;
    use targets::{Consent, resolve};

    #[test]
    fn the_change_of_each_claim_changes_an_experiment_of_it_to_one_that_can_be_run() {
        let table = Table::published(&Facts::published().unwrap()).unwrap();
        let mut claims = 0;
        for row in table.rows.values().filter(|row| !row.fails_with.is_empty()) {
            for one in &row.fails_with {
                let one = std::slice::from_ref(one);
                let targets = row.terms.values().map(|term| {
                    let experiment = &table.experiments[&term.experiment].experiment;
                    (&experiment.target, super::changed(&experiment.target, one))
                });
                let differs = |(as_it_is, changed): &(&String, String)| *as_it_is != changed;
                assert!(
                    targets.clone().any(|both| differs(&both)),
                    "{}: {one:?}",
                    row.id
                );
            }
            for term in row.terms.values() {
                let experiment = &table.experiments[&term.experiment].experiment;
                let target = super::changed(&experiment.target, &row.fails_with);
                let resolved = resolve(&target, &Consent::default(), 1);
                assert!(
                    resolved.is_ok(),
                    "{}: {target}: {:?}",
                    row.id,
                    resolved.err()
                );
            }
            claims += 1;
        }
        assert!(claims >= 19, "{claims}");
    }

    /// Every number that a drive of the catalogue has or may have for a key, `ssd.nand.program_us`.
    fn spans() -> BTreeMap<String, [f64; 2]> {
        let mut spans = BTreeMap::new();
        for card in drives().unwrap() {
            for (key, row) in numbers_of(&card.slug) {
                let value: f64 = row.value.parse().unwrap();
                let [low, high] = row.within.unwrap_or([value, value]);
                let span = spans.entry(key).or_insert([value, value]);
                *span = [span[0].min(low).min(value), span[1].max(high).max(value)];
            }
        }
        spans
    }

    /// The numbers in a drive's sheet, by key.
    fn numbers_of(slug: &str) -> BTreeMap<String, sim::sheet::Row> {
        let sheet = describe(slug).unwrap();
        let kind = format!("{:?}", sheet.card.kind).to_lowercase();
        let rows = sheet.sections.into_iter().flat_map(|section| {
            let key = format!("{kind}.{}", section.name);
            section
                .rows
                .into_iter()
                .map(move |row| (format!("{key}.{}", row.key), row))
        });
        rows.filter(|(_, row)| row.value.parse::<f64>().is_ok())
            .collect()
    }

    /// A program of 50 ms makes any claim about responses fail, and says nothing. So a claim's change stays where the
    /// drive's own file puts its parameter (`within`), else among the values of the catalogue's drives.
    #[test]
    fn the_number_that_makes_a_claim_fail_is_one_that_a_drive_may_have() {
        let table = Table::published(&Facts::published().unwrap()).unwrap();
        let spans = spans();
        let mut wrong = Vec::new();
        for row in table.rows.values() {
            for text in &row.fails_with {
                let change = Change::read(text).unwrap();
                let (key, value) = change.option.split_once('=').unwrap();
                let Ok(value) = value.parse::<f64>() else {
                    continue;
                };
                let targets = row
                    .terms
                    .values()
                    .map(|term| &table.experiments[&term.experiment].experiment.target);
                let slugs = targets.flat_map(|target| {
                    target
                        .split("model:")
                        .skip(1)
                        .map(|part| part.split(['?', ',', ')']).next().unwrap())
                });
                let slugs: BTreeSet<&str> = slugs
                    .filter(|slug| change.drive.is_none_or(|drive| drive == *slug))
                    .collect();
                for slug in slugs {
                    let Some(row_of) = numbers_of(slug).remove(key) else {
                        continue;
                    };
                    let [low, high] = row_of.within.unwrap_or(spans[key]);
                    if !(low..=high).contains(&value) {
                        wrong.push(format!(
                            "{}: {text}: {slug} may have {low} to {high}",
                            row.id
                        ));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn a_change_goes_to_one_drive_or_to_a_layer_where_it_says_so() {
        let to = |change: &str, target: &str| super::changed(target, &[change.to_owned()]);
        let two = "raid0(model:a,model:b?x=1)";
        assert_eq!(to("b: ssd.y=2", two), "raid0(model:a,model:b?ssd.y=2&x=1)");
        let cached = "fault(rapid(model:a?x=1))?seed=2";
        let expected = "fault(rapid(model:a?x=1)?dirty=1MiB)?seed=2";
        assert_eq!(to("rapid.dirty=1MiB", cached), expected);
        let more = to("rapid.dirty=1MiB", "rapid(model:a)?delay=1s");
        assert_eq!(more, "rapid(model:a)?dirty=1MiB&delay=1s");
    }

    fn changed(change: &str) -> Result<Table, BadChange> {
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
