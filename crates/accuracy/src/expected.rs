//! Findings compared with an expert's expectations: `catalog/expected-findings.toml`.
//!
//! A model's figure can be compared with a published one; a conclusion cannot. So an expert writes down what he would
//! conclude about each drive, before anything is run, with his reasons; then every drive is reviewed in the usual way,
//! and the conclusions are compared. A row is right if everything expected is found, and nothing else. Cases in which
//! the expert would accept both are not counted ("either").
//!
//! [`run`] has the reviews, [`score`] the arithmetic.

use std::collections::BTreeMap;

use serde::Deserialize;
use targets::grammar::Spec;

use crate::error::AccuracyError;

pub mod run;
pub mod score;

/// The compiled-in table.
const FILE: &str = include_str!("../../../catalog/expected-findings.toml");

/// Whether a finding is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expected {
    /// An expert would name it.
    Yes,
    /// It would be wrong; so is every finding that is not named.
    No,
    /// He would sign neither: not counted.
    Either,
}

/// An expectation with its reason.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    expected: Expected,
    why: String,
    /// Why it was changed after the first run.
    #[serde(default)]
    changed: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    drive: Vec<DriveEntry>,
    target: Vec<TargetEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DriveEntry {
    name: String,
    about: String,
    #[serde(default)]
    findings: BTreeMap<String, Expectation>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TargetEntry {
    name: String,
    healthy: bool,
    about: String,
    methods: Vec<String>,
    findings: BTreeMap<String, Expectation>,
}

/// A target and its expected findings.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name, in the one grammar of targets.
    pub target: String,
    /// Nothing is wrong with it: a grave finding is a false alarm.
    pub is_healthy: bool,
    /// Runs in addition to the review and the probes.
    pub methods: Vec<String>,
    /// The findings with an expectation, by id.
    pub expected: BTreeMap<String, Expected>,
}

impl Row {
    /// Whether a finding is expected.
    pub fn expects(&self, finding: &str) -> Expected {
        self.expected.get(finding).copied().unwrap_or(Expected::No)
    }
}

/// All rows: the drives of the catalogue, and the targets with a defect or peculiarity. A target inherits the
/// expectations of the drives in its name, in addition to its own.
///
/// # Errors
/// Where the table that is compiled in is wrong.
pub fn rows() -> Result<Vec<Row>, AccuracyError> {
    let file: File =
        toml::from_str(FILE).map_err(|error| AccuracyError::Expected(error.to_string()))?;
    let said = |findings: &BTreeMap<String, Expectation>| -> BTreeMap<String, Expected> {
        let each = findings.iter();
        each.map(|(id, of)| (id.clone(), of.expected)).collect()
    };
    let drives: BTreeMap<&str, BTreeMap<String, Expected>> = file
        .drive
        .iter()
        .map(|drive| (drive.name.as_str(), said(&drive.findings)))
        .collect();
    let mut rows: Vec<Row> = drives
        .iter()
        .map(|(name, expected)| Row {
            target: format!("model:{name}"),
            is_healthy: true,
            methods: Vec::new(),
            expected: expected.clone(),
        })
        .collect();
    for target in &file.target {
        let spec: Spec = target
            .name
            .parse()
            .map_err(|error| AccuracyError::Expected(format!("{}: {error}", target.name)))?;
        let mut expected = BTreeMap::new();
        for drive in spec.models() {
            let own = drives.get(drive);
            expected.extend(own.cloned().unwrap_or_default());
        }
        expected.extend(said(&target.findings));
        rows.push(Row {
            target: target.name.clone(),
            is_healthy: target.healthy,
            methods: target.methods.clone(),
            expected,
        });
    }
    check(&file)?;
    Ok(rows)
}

/// Nothing is expected without a reason.
fn check(file: &File) -> Result<(), AccuracyError> {
    let drives = file.drive.iter().map(|d| (&d.name, &d.about, &d.findings));
    let targets = file.target.iter().map(|t| (&t.name, &t.about, &t.findings));
    for (name, about, findings) in drives.chain(targets) {
        let reasons = findings
            .values()
            .flat_map(|of| [Some(&of.why), of.changed.as_ref()])
            .flatten();
        if [about].into_iter().chain(reasons).any(String::is_empty) {
            let why = format!("{name}: an expectation has no reason");
            return Err(AccuracyError::Expected(why));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_drive_of_the_catalogue_is_in_the_table_once_and_nothing_else() {
        let file: File = toml::from_str(FILE).unwrap();
        let named: Vec<&str> = file.drive.iter().map(|drive| drive.name.as_str()).collect();
        let all = [sim::catalogue::DRIVES, sim::catalogue::SHEET_DRIVES].concat();
        let catalogue: BTreeSet<&str> = all.iter().map(|entry| entry.slug).collect();
        assert_eq!(named.iter().copied().collect::<BTreeSet<_>>(), catalogue);
        assert_eq!(named.len(), catalogue.len());
    }

    #[test]
    fn every_target_can_be_opened_and_every_method_of_it_is_one() {
        for row in rows().unwrap() {
            let resolved = targets::resolve(&row.target, &targets::Consent::default(), 1);
            assert!(resolved.is_ok(), "{}: {:?}", row.target, resolved.err());
            for method in &row.methods {
                assert!(methods::find(method).is_ok(), "{}: {method}", row.target);
            }
        }
    }

    #[test]
    fn a_target_has_what_the_drives_in_its_name_have_and_what_is_said_of_it() {
        let rows = rows().unwrap();
        let of = |target: &str| rows.iter().find(|row| row.target == target).unwrap();
        let bad = of("fault(model:samsung-840-evo-120gb)?bad=0MiB+4KiB");
        assert_eq!(bad.expects("slow-old-data"), Expected::Yes);
        assert_eq!(bad.expects("failing"), Expected::Yes);
        assert_eq!(bad.expects("shingled"), Expected::No);
        let slow = of("model:samsung-840-evo-500gb?link=usb-2");
        assert_eq!(slow.expects("slow-old-data"), Expected::Either);
    }
}
