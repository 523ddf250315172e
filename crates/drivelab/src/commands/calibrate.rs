//! `drivelab calibrate`: free parameters fitted to the figures that may be fitted to.

use results::calibration::Calibration;

use super::Session;
use crate::arguments::CalibrateArguments;
use crate::output::{Failure, print, print_json, say};

/// Fits the family of a drive, or every family, and writes the values into their files.
pub(crate) fn calibrate(session: &Session, arguments: &CalibrateArguments) -> Result<(), Failure> {
    if let Some(drive) = &arguments.drive
        && accuracy::calibrate::rated::is_rated(drive)?
    {
        return to_ratings(session, arguments, drive);
    }
    let drives = match &arguments.drive {
        Some(drive) => vec![drive.clone()],
        None => accuracy::calibrate::families_to_fit()?,
    };
    if !arguments.check {
        for drive in &drives {
            accuracy::calibrate::check_files(drive)?;
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
            "the catalogue has other values than the fit finds, in the family of {}",
            differ.join(", of ")
        ))),
    }
}

/// Fits one family; false where its files have other values and nothing is to be written.
fn family(session: &Session, arguments: &CalibrateArguments, drive: &str) -> Result<bool, Failure> {
    let jobs = arguments.jobs.threads();
    let found = accuracy::calibrate::calibrate(drive, jobs, arguments.seed, &session.interrupt)?;
    if arguments.json {
        print_json(&found)?;
    } else {
        print(&found.to_string())?;
    }
    match (arguments.check, accuracy::calibrate::changes(&found)) {
        (_, false) => say("the catalogue holds what the fit finds"),
        (true, true) => return Ok(false),
        (false, true) => write(&found)?,
    }
    Ok(true)
}

fn write(found: &Calibration) -> Result<(), Failure> {
    for path in accuracy::calibrate::write(found)? {
        say(&format!("written: {}", path.display()));
    }
    Ok(())
}

/// Fits one drive's file to what its own data sheet rates.
fn to_ratings(
    session: &Session,
    arguments: &CalibrateArguments,
    drive: &str,
) -> Result<(), Failure> {
    for warning in lab::listing::sheet(drive)?.warnings {
        say(&format!("look at again: {warning}"));
    }
    crate::signals::watch(&session.interrupt)?;
    let found =
        accuracy::calibrate::rated::fit_to_ratings(drive, arguments.seed, &session.interrupt)?;
    if arguments.json {
        print_json(&found)?;
    } else {
        print(&found.to_string())?;
    }
    match (found.parameters.is_empty(), arguments.check) {
        (true, _) => say("the file holds what the fit finds"),
        (false, true) => {
            return Err(Failure::Failed(
                "the file has other values than the fit finds".to_owned(),
            ));
        }
        (false, false) => {
            let path = accuracy::calibrate::write_rated(&found)?;
            say(&format!("written: {}", path.display()));
        }
    }
    Ok(())
}
