//! `drivelab validate`: the disk model beside real disks.

use accuracy::validate::{DiskRow, ValidationReport};
use report::HtmlOptions;
use report::validation::{ValidatedDrive, ValidationRow};

use super::Session;
use crate::arguments::ValidateArguments;
use crate::output::{Failure, print, print_json, say};

/// Replays the traces of a directory, and prints how near the model comes.
pub(crate) fn validate(session: &Session, arguments: &ValidateArguments) -> Result<(), Failure> {
    if let Some(path) = &arguments.html {
        lab::check_report_place(path)?;
    }
    let validation = accuracy::validate::validate(&arguments.directory)?;
    if let Some(path) = &arguments.html {
        let options = HtmlOptions {
            lang: session.lang,
            title: None,
        };
        lab::replace_report(
            path,
            &report::validation::html(&drives(&validation), &options),
        )?;
        say(&format!("page: {}", path.display()));
    }
    if arguments.json {
        print_json(&validation)
    } else {
        print(&validation.to_string())
    }
}

fn drives(validation: &ValidationReport) -> Vec<ValidatedDrive> {
    validation.disks.iter().map(drive).collect()
}

fn drive(disk: &DiskRow) -> ValidatedDrive {
    let all = ValidationRow {
        class: String::new(),
        requests: disk.requests,
        mean_ms: disk.mean_ms,
        measured_mean_ms: disk.measured_mean_ms,
        demerit_ms: disk.demerit_ms,
        disksim_demerit_ms: disk.disksim_demerit_ms,
    };
    let classes = disk.classes.iter().map(|class| ValidationRow {
        class: class.class.to_owned(),
        requests: class.requests,
        mean_ms: class.mean_ms,
        measured_mean_ms: class.measured_mean_ms,
        demerit_ms: class.demerit_ms,
        disksim_demerit_ms: None,
    });
    ValidatedDrive {
        name: disk.name.clone(),
        rows: std::iter::once(all).chain(classes).collect(),
        simulated_ms: disk.simulated_ms.clone(),
        measured_ms: disk.measured_ms.clone(),
    }
}
