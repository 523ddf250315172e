//! `drivelab cause`: which differences between two modelled drives make a difference in a figure.

use accuracy::cause::AskCause;
use accuracy::error::AccuracyError;

use super::Session;
use super::sweep::counter;
use crate::arguments::CauseArguments;
use crate::output::{Failure, columns, print, print_json};

/// Changes A into B, group by group.
pub(crate) fn cause(session: &Session, arguments: CauseArguments) -> Result<(), Failure> {
    for measured in [arguments.measured_a, arguments.measured_b]
        .into_iter()
        .flatten()
    {
        if !measured.is_normal() {
            let why = format!("a measured figure is a number other than 0, not {measured}");
            return Err(Failure::Usage(why));
        }
    }
    let ask = AskCause {
        a: arguments.a,
        b: arguments.b,
        method: arguments.method,
        set: arguments.set,
        figure: arguments.figure,
        scale: arguments.scale.into(),
        seed: arguments.seed,
        jobs: arguments.jobs.threads(),
        measured: [arguments.measured_a, arguments.measured_b],
    };
    crate::signals::watch(&session.interrupt)?;
    let found = accuracy::cause::cause(&ask, &session.interrupt, &counter);
    let found = found.map_err(AccuracyError::from)?;
    match arguments.json {
        true => print_json(&found),
        false => print(&report::cause::text(&found, columns(), session.lang)),
    }
}
