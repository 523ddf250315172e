//! `drivelab run` and `drivelab resume`: one method on one target.

use base::result::RunResult;
use lab::recording::RecordTo;
use lab::running::{Request, prepare, prepare_again};

use crate::arguments::{RecordArguments, ResumeArguments, RunArguments};
use crate::commands::{Session, consent, now_unix_ms};
use crate::output::{Failure, print, say};
use crate::progress_line::ProgressLine;
use crate::signals;

/// Runs one method on one target, and writes a trace of it.
pub(crate) fn record(session: &Session, arguments: RecordArguments) -> Result<(), Failure> {
    let known = base::trace::Format::named(&arguments.format);
    let format = known
        .ok_or_else(|| Failure::Usage(format!("'{}' is no format of traces", arguments.format)))?;
    let path = arguments.output;
    run(session, arguments.run, Some(RecordTo { path, format }))
}

/// Runs one method on one target, recorded or not.
pub(crate) fn run(
    session: &Session,
    arguments: RunArguments,
    record_to: Option<RecordTo>,
) -> Result<(), Failure> {
    let request = Request {
        consent: consent(&arguments.consent, &arguments.method.target)?,
        method: arguments.method.method,
        target: arguments.method.target,
        scale: arguments.method.scale.into(),
        seed: arguments.method.seed,
        repeat: arguments.repeat,
        set: arguments.method.set,
        command: session.command.clone(),
        now_unix_ms,
    };
    let mut prepared = prepare(request)?;
    if arguments.consent.dry_run {
        return print(&(prepared.dry_run().join("\n") + "\n"));
    }
    let trace = record_to.as_ref().map(|to| to.path.clone());
    if let Some(to) = record_to {
        prepared = prepared.record_to(to);
    }
    if let Some(path) = &arguments.html {
        lab::check_report_place(path)?;
    }
    let store = if arguments.no_store {
        None
    } else {
        Some(session.open_store()?)
    };
    signals::watch(&session.interrupt)?;
    let mut progress = ProgressLine::new();
    let result = prepared.run(store.as_ref(), &mut progress, &session.interrupt)?;
    progress.clear();
    // Written before anything is shown, since the reader of our output may go away; that it failed is
    // said after the figures.
    let report = match &arguments.html {
        Some(path) => session.write_html(path, std::slice::from_ref(&result)),
        None => Ok(()),
    };
    if let Some(store) = &store {
        lab::rest(store)?;
    }
    show(session, &result, arguments.json)?;
    if let Some(path) = &trace {
        say(&format!("trace: {}", path.display()));
    }
    report?;
    if let Some(path) = &arguments.html {
        say(&format!("report: {}", path.display()));
    }
    Ok(())
}

/// Goes on with an interrupted run.
pub(crate) fn resume(session: &Session, arguments: ResumeArguments) -> Result<(), Failure> {
    let store = session.open_store()?;
    let which = arguments.run.parse().map_err(lab::LabError::from)?;
    let target = lab::running::target_of(&store, which)?;
    let consent = consent(&arguments.consent, &target)?;
    let prepared = prepare_again(&store, which, consent, session.command.clone(), now_unix_ms)?;
    if arguments.consent.dry_run {
        return print(&(prepared.dry_run().join("\n") + "\n"));
    }
    signals::watch(&session.interrupt)?;
    let mut progress = ProgressLine::new();
    let result = prepared.run(Some(&store), &mut progress, &session.interrupt)?;
    progress.clear();
    lab::rest(&store)?;
    show(session, &result, arguments.json)
}

fn show(session: &Session, result: &RunResult, json: bool) -> Result<(), Failure> {
    if json {
        let text = report::json::result(result).map_err(|e| Failure::Failed(e.to_string()))?;
        return print(&format!("{}\n", text.trim_end()));
    }
    print(&report::terminal::summary(
        std::slice::from_ref(result),
        &session.terminal(),
    ))?;
    if result.id > 0 {
        say(&format!("stored as {}", result.id));
    }
    Ok(())
}
