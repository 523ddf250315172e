//! `drivelab calibrate`: a drive's own file fitted to what its data sheet rates.

use super::Session;
use crate::arguments::CalibrateArguments;
use crate::output::{Failure, print_as, say};

/// Fits one drive's file to its data sheet.
pub(crate) fn calibrate(session: &Session, arguments: &CalibrateArguments) -> Result<(), Failure> {
    let drive = &arguments.file;
    if !accuracy::fit::datasheet::is_rated(drive)? {
        return Err(Failure::Usage(format!(
            "{drive} has no ratings: add those of its data sheet under [rated]"
        )));
    }
    for warning in lab::listing::sheet(drive)?.warnings {
        say(&format!("check: {warning}"));
    }
    crate::signals::watch(&session.interrupt)?;
    let found =
        accuracy::fit::datasheet::fit_to_ratings(drive, arguments.seed, &session.interrupt)?;
    print_as(&found, arguments.json, ToString::to_string)?;
    match (found.parameters.is_empty(), arguments.check) {
        (true, _) => say("the file holds what the fit finds"),
        (false, true) => {
            return Err(Failure::Failed(
                "the fit gives other values than the file".to_owned(),
            ));
        }
        (false, false) => {
            let path = accuracy::fit::family::write_rated(&found)?;
            say(&format!("written: {}", path.display()));
        }
    }
    Ok(())
}
