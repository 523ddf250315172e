//! `drivelab health`: how the drives of a target are.

use crate::arguments::HealthArguments;
use crate::output::{Failure, print, print_json};

/// Asks the drives of a target. A failing drive is told by the exit code, too; one that cannot be read
/// is not known to be failing.
pub(crate) fn health(arguments: &HealthArguments) -> Result<(), Failure> {
    let report = lab::health::health(&arguments.target, arguments.device_type.as_deref())?;
    if arguments.json {
        print_json(&report)?;
    } else {
        print(&lab::health::text(&report))?;
    }
    if report.any_failing() {
        return Err(Failure::Failed(format!(
            "{}: a drive is failing: save what is on it",
            arguments.target
        )));
    }
    Ok(())
}
