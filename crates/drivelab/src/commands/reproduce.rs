//! `drivelab develop reproduce`: the modelled drives compared with published figures of the real ones.

use accuracy::compare::run::Reproduce;

use super::{Session, counted};
use crate::arguments::ReproduceArguments;
use crate::output::{Failure, columns, print_as};

/// Runs everything that the selected rows need, and prints every row and the score.
pub(crate) fn reproduce(session: &Session, arguments: &ReproduceArguments) -> Result<(), Failure> {
    crate::signals::watch(&session.interrupt)?;
    let jobs = arguments.jobs.threads();
    let asked = Reproduce {
        drive: arguments.drive.clone(),
        document: arguments.document.clone(),
        role: arguments.role.clone(),
        rows: arguments.figure.clone(),
        changes: arguments.change.clone(),
        claims_as_they_are: false,
        jobs,
        seed: arguments.seed,
    };
    let done = counted("experiments");
    let reproduction = accuracy::compare::run::reproduce(&asked, &session.interrupt, &done)?;
    print_as(&reproduction, arguments.json, |it| {
        report::reproduction::text(it, columns(), session.lang)
    })
}
