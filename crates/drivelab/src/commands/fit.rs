//! `drivelab develop fit`: free parameters of a family fitted to the published figures that may be fitted to.

use results::calibration::Calibration;

use super::Session;
use crate::arguments::FitArguments;
use crate::output::{Failure, print_as, say};

/// Fits the family of a drive, or every family, and writes the values into their files.
pub(crate) fn fit(session: &Session, arguments: &FitArguments) -> Result<(), Failure> {
    let drives = match &arguments.drive {
        Some(drive) => vec![drive.clone()],
        None => accuracy::fit::family::families_to_fit()?,
    };
    if !arguments.check {
        for drive in &drives {
            accuracy::fit::family::check_files(drive)?;
        }
    }
    crate::signals::watch(&session.interrupt)?;
    let mut differ = Vec::new();
    for drive in drives {
        if !family(session, arguments, &drive)? {
            differ.push(drive);
        }
    }
    match differ.is_empty() {
        true => Ok(()),
        false => Err(Failure::Failed(format!(
            "the fit gives other values than the catalogue, for the family of {}",
            differ.join(", of ")
        ))),
    }
}

/// Fits one family; false where its files have other values and nothing is to be written.
fn family(session: &Session, arguments: &FitArguments, drive: &str) -> Result<bool, Failure> {
    let jobs = arguments.jobs.threads();
    let found = accuracy::fit::family::calibrate(drive, jobs, arguments.seed, &session.interrupt)?;
    print_as(&found, arguments.json, ToString::to_string)?;
    match (arguments.check, accuracy::fit::family::changes(&found)) {
        (_, false) => say("the catalogue holds what the fit finds"),
        (true, true) => return Ok(false),
        (false, true) => write(&found)?,
    }
    Ok(true)
}

fn write(found: &Calibration) -> Result<(), Failure> {
    for path in accuracy::fit::family::write(found)? {
        say(&format!("written: {}", path.display()));
    }
    Ok(())
}
