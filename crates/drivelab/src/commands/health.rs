//! `drivelab health`: how the drives of a target are.

use base::exit::Exit;
use base::health::{Condition, told};
use report::Lang;
use results::health::{DriveHealth, HealthReport};

use crate::arguments::HealthArguments;
use crate::commands::write;
use crate::output::{Failure, language, print, print_json};
use crate::paragraph::{length, padded};

/// Queries the drives of a target. The exit code reports failing and suspect drives, as for a batch; a drive that
/// cannot be read counts as neither.
pub(crate) fn health(arguments: &HealthArguments) -> Result<(), Failure> {
    let mut report = lab::health::health(&arguments.target, arguments.device_type.as_deref())?;
    if let Some(path) = &arguments.metrics {
        write(path, &report::metrics::of_health(&report))?;
    }
    if arguments.json {
        for drive in &mut report.drives {
            drive.reasons_ja = report::health_text(&told(&drive.reading), &[], Lang::Ja).reasons;
        }
        print_json(&report)?;
    } else {
        print(&text(&report, language()))?;
    }
    is_well(&report)
}

/// The exit code.
fn is_well(report: &HealthReport) -> Result<(), Failure> {
    let target = &report.target;
    match report.worst() {
        Some(Condition::Failing) => Err(Failure::of_the_drive(
            Exit::Rejected,
            format!("{target}: a drive is failing: save your data"),
        )),
        Some(Condition::Suspect) => Err(Failure::of_the_drive(
            Exit::Suspect,
            format!("{target}: a drive must be checked; keep a backup"),
        )),
        _ => Ok(()),
    }
}

/// The report for people.
fn text(report: &HealthReport, lang: Lang) -> String {
    let drives: Vec<String> = report.drives.iter().map(|drive| of(drive, lang)).collect();
    drives.join("\n")
}

/// The word with its reasons, then each thing that is known of the drive.
fn of(drive: &DriveHealth, lang: Lang) -> String {
    let beside = lab::health::beside_its_answer(drive);
    let said = report::health_text(&told(&drive.reading), &beside, lang);
    let mut text = format!("{}\n{}\n", drive.device, said.condition);
    for line in said.reasons {
        text.push_str(&format!("  {line}\n"));
    }
    let names = said.rows.iter().map(|(name, _)| length(name));
    let width = names.max().unwrap_or(0);
    for (name, value) in said.rows {
        text.push_str(&format!("{}  {value}\n", padded(&name, width)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::health::{Health, HealthReading, Overall, SelfTest};
    use results::health::HEALTH_SCHEMA;

    fn exit_code(healths: &[Health]) -> u8 {
        let drive = |health: &Health| {
            let reading = HealthReading::Read {
                health: Box::new(health.clone()),
            };
            let assessed = reading.assess();
            DriveHealth {
                device: "/dev/sda".to_owned(),
                condition: assessed.condition,
                reasons: assessed.reasons,
                reasons_ja: Vec::new(),
                identity: Default::default(),
                reading,
            }
        };
        let report = HealthReport {
            schema: HEALTH_SCHEMA,
            target: "/srv".to_owned(),
            drives: healths.iter().map(drive).collect(),
        };
        match is_well(&report) {
            Ok(()) => 0,
            Err(Failure::Said { exit, .. }) => exit.code(),
            Err(_) => 1,
        }
    }

    #[test]
    fn a_suspect_drive_is_told_by_the_exit_code_as_in_a_batch_and_a_failing_one_by_another() {
        let good = Health {
            overall: Overall::Passed,
            ..Health::default()
        };
        let pending = Health {
            pending: Some(8),
            ..good.clone()
        };
        let tested = Health {
            self_test: Some(SelfTest {
                kind: "Extended offline".to_owned(),
                status: "Completed: read failure".to_owned(),
                passed: Some(false),
                at_hours: None,
            }),
            ..good.clone()
        };
        let failing = Health {
            overall: Overall::Failed,
            ..good.clone()
        };
        assert_eq!(exit_code(&[good.clone(), Health::default()]), 0);
        assert_eq!(exit_code(&[good, pending.clone()]), 4);
        assert_eq!(exit_code(&[tested]), 4);
        assert_eq!(exit_code(&[pending, failing]), 3);
    }
}
