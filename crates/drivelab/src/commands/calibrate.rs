//! `drivelab calibrate`: free parameters fitted to the figures that may be fitted to.

use lab::calibrate::Calibration;

use super::Session;
use crate::arguments::CalibrateArguments;
use crate::output::{Failure, print, print_json, say};

/// Fits a drive's family, and writes the values into its files.
pub(crate) fn calibrate(session: &Session, arguments: &CalibrateArguments) -> Result<(), Failure> {
    if !arguments.check {
        lab::calibrate::check_files(&arguments.drive)?;
    }
    crate::signals::watch(&session.interrupt)?;
    let jobs = arguments.jobs.threads();
    let found =
        lab::calibrate::calibrate(&arguments.drive, jobs, arguments.seed, &session.interrupt)?;
    if arguments.json {
        print_json(&found)?;
    } else {
        print(&found.to_string())?;
    }
    match (arguments.check, found.changes()) {
        (_, false) => Ok(()),
        (true, true) => Err(Failure::Failed(
            "the files have other values than the fit finds".to_owned(),
        )),
        (false, true) => write(&found),
    }
}

fn write(found: &Calibration) -> Result<(), Failure> {
    for path in found.write()? {
        say(&format!("written: {}", path.display()));
    }
    Ok(())
}
