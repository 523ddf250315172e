//! Causes that a plan asks for: `plans` reads the questions and knows when they are asked, `accuracy` answers them.

use accuracy::cause::AskCause;
use plans::Plan;
use plans::causes::PlannedCause;
use results::cause::Cause;

use super::Session;
use super::sweep::counter;
use crate::output::Failure;

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
