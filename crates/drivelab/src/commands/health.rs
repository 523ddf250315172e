//! `drivelab health`: how the drives of a target are.

use base::health::told;
use results::health::{DriveHealth, HealthReport};

use crate::arguments::HealthArguments;
use crate::output::{Failure, Say, print, print_json, speech};
use crate::paragraph::{length, padded};

/// Asks the drives of a target. A failing drive is told by the exit code, too; one that cannot be read
/// is not known to be failing.
pub(crate) fn health(arguments: &HealthArguments) -> Result<(), Failure> {
    let report = lab::health::health(&arguments.target, arguments.device_type.as_deref())?;
    if arguments.json {
        print_json(&report)?;
    } else {
        print(&text(&report, speech()))?;
    }
    if report.any_failing() {
        return Err(Failure::Failed(format!(
            "{}: a drive is failing: save what is on it",
            arguments.target
        )));
    }
    Ok(())
}

/// The report for people.
fn text(report: &HealthReport, say: Say) -> String {
    let drives: Vec<String> = report.drives.iter().map(|drive| of(drive, say)).collect();
    drives.join("\n")
}

/// The word with its reasons, then each thing that is known of the drive.
fn of(drive: &DriveHealth, say: Say) -> String {
    let told = told(&drive.reading);
    let mut text = format!(
        "{}\n{}: {}\n",
        drive.device,
        say("health"),
        say(told.condition)
    );
    for line in told.reasons.iter().chain(&told.remedy) {
        text.push_str(&format!("  {}\n", say(line)));
    }
    let rows = told.rows.into_iter();
    let rows = rows.chain(lab::health::beside_its_answer(drive));
    let rows: Vec<(String, String)> = rows.map(|(name, value)| (say(name), say(&value))).collect();
    let width = rows.iter().map(|(name, _)| length(name)).max().unwrap_or(0);
    for (name, value) in rows {
        text.push_str(&format!("{}  {value}\n", padded(&name, width)));
    }
    text
}
