//! Jobs in another program's language: run as any method is, and printed as that program prints them.

use base::message::{Argument, Message};
use base::method::{Method, Settings};
use lab::LabError;
use lab::opening::Consent;
use lab::running::{Request, prepare_work};
use stats::repeat::Repeat;

use crate::arguments::ConsentArguments;
use crate::commands::{Session, now_unix_ms};
use crate::output::{Failure, print_lines, tell};
use crate::signals;

/// What is asked for besides the jobs.
pub(crate) struct Asked<'a> {
    pub(crate) target: String,
    pub(crate) allowed: Consent,
    pub(crate) consent: &'a ConsentArguments,
    pub(crate) no_store: bool,
}

/// Runs jobs, and has them shown, also where they ended early: what was measured is there then, too.
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
    let store = match asked.no_store {
        true => None,
        false => Some(session.open_store()?),
    };
    signals::watch(&session.interrupt)?;
    let mut progress = session.progress();
    let ran = prepared.run(store.as_ref(), &mut progress, &session.interrupt);
    progress.clear();
    let was_measured = match &ran {
        Ok(_) | Err(LabError::NotStored { .. }) => true,
        Err(LabError::Early { result, .. }) => !result.phases.is_empty(),
        Err(_) => false,
    };
    if was_measured {
        show()?;
    }
    let rested = store.as_ref().map_or(Ok(()), lab::rest);
    let result = ran?;
    if result.id > 0 {
        tell(&Message::new(
            "stored-as",
            [("id", Argument::text(result.id))],
        ));
    }
    Ok(rested?)
}
