//! `drivelab validate`: the disk model beside real disks.

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
        let options = session.html_options(None);
        lab::replace_report(path, &report::validation::html(&validation, &options))?;
        say(&format!("page: {}", path.display()));
    }
    if arguments.json {
        print_json(&validation)?;
    } else {
        print(&report::validation::text(&validation))?;
    }
    let all = validation.disks.len() + validation.unusable.len();
    match validation.unusable.as_slice() {
        [] => Ok(()),
        [why] => Err(Failure::Usage(format!("not validated: {why}"))),
        whys => Err(Failure::Usage(format!(
            "{} of {all} disks were not validated; the first: {}",
            whys.len(),
            whys[0]
        ))),
    }
}
