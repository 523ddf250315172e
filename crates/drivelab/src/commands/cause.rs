//! `drivelab cause`: which differences between two modelled drives make a difference in a figure.

use accuracy::cause::AskCause;
use accuracy::error::AccuracyError;

use super::Session;
use super::results::stored;
use super::sweep::counter;
use crate::arguments::CauseArguments;
use crate::output::{Failure, columns, print_as};

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
    let (a, measured_a) = side(session, &arguments.a, &arguments)?;
    let (b, measured_b) = side(session, &arguments.b, &arguments)?;
    let ask = AskCause {
        a,
        b,
        method: arguments.method,
        set: arguments.set,
        figure: arguments.figure,
        scale: arguments.scale.into(),
        seed: arguments.seed,
        jobs: arguments.jobs.threads(),
        measured: [
            arguments.measured_a.or(measured_a),
            arguments.measured_b.or(measured_b),
        ],
    };
    crate::signals::watch(&session.interrupt)?;
    let found = accuracy::cause::cause(&ask, &session.interrupt, &counter);
    let found = found.map_err(AccuracyError::from)?;
    print_as(&found, arguments.json, |found| {
        report::cause::text(found, columns(), session.lang)
    })
}

/// A target as it is; of a stored result its drive's model, and for a real drive what was measured.
fn side(
    session: &Session,
    word: &str,
    arguments: &CauseArguments,
) -> Result<(String, Option<f64>), Failure> {
    let is_a_target = word.contains([':', '(', '/']) && !word.starts_with("last:");
    if is_a_target {
        return Ok((word.to_owned(), None));
    }
    let results = stored(session, &[word.to_owned()])?;
    let [result] = results.as_slice() else {
        let why = format!("'{word}' means {} results, not one", results.len());
        return Err(Failure::Usage(why));
    };
    let found = accuracy::cause::stored(result, &arguments.method, &arguments.figure);
    Ok(found.map_err(AccuracyError::from)?)
}
