//! Jobs in another program's language: run as any method is, and printed as that program prints them.

use base::{Method, Settings};
use lab::LabError;
use lab::running::{Request, prepare_work};
use results::RunResult;
use stats::repeat::Repeat;
use targets::Consent;

use crate::arguments::ConsentArguments;
use crate::commands::{Session, are_sound, now_unix_ms, stored_as};
use crate::output::{Failure, print_lines, say, tell};

/// Options besides the jobs.
pub(crate) struct Asked<'a> {
    pub(crate) target: String,
    pub(crate) allowed: Consent,
    pub(crate) consent: &'a ConsentArguments,
    pub(crate) no_store: bool,
}

/// Runs jobs and shows the result, even if they ended early: what was measured is still valid.
pub(crate) fn run(
    session: &Session,
    work: &dyn Method,
    settings: Settings,
    asked: Asked<'_>,
    show: impl FnOnce() -> Result<(), Failure>,
) -> Result<(), Failure> {
    let request = Request {
        method: work.card().id.to_owned(),
        target: asked.target,
        scale: settings.scale,
        seed: settings.seed,
        repeat: Repeat::default(),
        set: Vec::new(),
        consent: asked.allowed,
        command: session.command.clone(),
        now_unix_ms,
    };
    let prepared = prepare_work(work, settings, request)?;
    if asked.consent.dry_run {
        print_lines(&prepared.dry_run())?;
        return Ok(prepared.would_run()?);
    }
    let store = session.store_unless(asked.no_store)?;
    let ran = session.ran(prepared, store.as_ref())?;
    let measured = match &ran {
        Ok(result) => Some(result),
        Err(LabError::NotStored { result, .. } | LabError::Early { result, .. }) => Some(&**result),
        Err(_) => None,
    };
    let measured = measured.filter(|result| !result.phases.is_empty());
    if let Some(result) = measured {
        show()?;
        tell_beside(session, result);
    }
    let sound = measured.map_or(Ok(()), |result| {
        are_sound(session, std::slice::from_ref(result))
    });
    let rested = store.as_ref().map_or(Ok(()), lab::rest);
    let result = ran?;
    if result.id > 0 {
        tell(&stored_as(result.id));
    }
    rested?;
    sound
}

/// What the other program's output has no field for: reservations, and limits of the figures.
fn tell_beside(session: &Session, result: &RunResult) {
    let reserved = report::reserved::of_result(result, session.lang);
    let reserved = (!reserved.is_empty()).then_some(reserved);
    reserved.iter().for_each(|line| say(line));
    result.warnings.iter().for_each(tell);
}
