//! `drivelab cause`: which differences between two modelled drives make a difference in a figure.

use accuracy::cause::AskCause;
use accuracy::error::AccuracyError;
use plans::Plan;
use plans::causes::PlannedCause;
use results::cause::Cause;

use super::Session;
use super::results::stored;
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
    match arguments.json {
        true => print_json(&found),
        false => print(&report::cause::text(&found, columns(), session.lang)),
    }
}

/// What makes a difference that a plan asks about; or why nobody knows.
pub(crate) fn of_plan(session: &Session, asked: &PlannedCause, seed: u64) -> Result<Cause, String> {
    let found = accuracy::cause::cause(&ask_of(asked, seed), &session.interrupt, &counter);
    found.map_err(|why| format!("{}: {why}", asked.place))
}

/// Whether a plan's questions can be asked. Which figures a method gives is known where it has run: both drives are run once.
///
/// # Errors
/// The first question that cannot be, with its place.
pub(crate) fn can_be_asked(session: &Session, plan: &Plan) -> Result<(), Failure> {
    for asked in &plan.causes {
        let checked = accuracy::cause::check(&ask_of(asked, plan.seed), &session.interrupt);
        checked.map_err(|why| Failure::Usage(format!("{}: {why}", asked.place)))?;
    }
    Ok(())
}

fn ask_of(asked: &PlannedCause, seed: u64) -> AskCause {
    AskCause {
        a: asked.a.clone(),
        b: asked.b.clone(),
        method: asked.method.clone(),
        set: asked.set.clone(),
        figure: asked.figure.clone(),
        scale: asked.scale,
        seed,
        jobs: crate::arguments::JobsArguments::default().threads(),
        measured: [None, None],
    }
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
