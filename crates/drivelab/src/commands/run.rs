//! `drivelab run` and `drivelab resume`: one method on one target, or a plan.

use ::results::RunResult;
use base::{Argument, Message, Scale};
use lab::LabError;
use lab::recording::RecordTo;
use lab::running::{Request, prepare, prepare_again};

use crate::arguments::{RecordArguments, ResumeArguments, RunArguments};
use crate::commands::{
    Session, are_sound, can_report, consent, dry_run, now_unix_ms, plan, print_inside, report_at,
    stored_as, write,
};
use crate::output::{Failure, failed, print, print_json_text, tell};

/// Runs one method on one target, and writes a trace of it.
pub(crate) fn record(session: &Session, arguments: RecordArguments) -> Result<(), Failure> {
    let known = traces::Format::named(&arguments.format);
    let format = known
        .ok_or_else(|| Failure::Usage(format!("'{}' is not a trace format", arguments.format)))?;
    let path = arguments.output;
    run(session, arguments.run, Some(RecordTo { path, format }))
}

/// Runs one method on one target, recorded or not, or a plan.
pub(crate) fn run(
    session: &Session,
    arguments: RunArguments,
    record_to: Option<RecordTo>,
) -> Result<(), Failure> {
    if let Some(found) = plans::ready::find(&arguments.what)? {
        if record_to.is_some() {
            return Err(Failure::Usage(format!(
                "{} is a plan: only a method on a target can be recorded",
                arguments.what
            )));
        }
        return plan::run(session, found, arguments);
    }
    plans::ready::method_or_plan(&arguments.what)?;
    if arguments.targets.len() > 1 {
        return match record_to {
            Some(_) => Err(Failure::Usage(
                "only a method on one target can be recorded".to_owned(),
            )),
            None => plan::run_on_several(session, arguments),
        };
    }
    if arguments.junit.is_some() {
        return Err(Failure::Usage(
            "--junit needs a plan that judges its drives (screen); `drivelab gate` writes it of requirements"
                .to_owned(),
        ));
    }
    run_one(session, arguments, record_to)
}

/// Runs one method on one target, recorded or not.
fn run_one(
    session: &Session,
    mut arguments: RunArguments,
    record_to: Option<RecordTo>,
) -> Result<(), Failure> {
    let request = request(session, &mut arguments)?;
    let mut prepared = prepare(request)?;
    let trace = record_to.as_ref().map(|to| to.path.clone());
    if let Some(to) = record_to {
        prepared = prepared.record_to(to);
    }
    if arguments.how.consent.dry_run {
        let forecast = plans::forecast::of_one(&prepared);
        let place = can_report(arguments.how.html.as_deref());
        let would_run = prepared.would_run().map_err(Failure::from).and(place);
        return dry_run::show(arguments.how.json, forecast, &prepared.dry_run(), would_run);
    }
    can_report(arguments.how.html.as_deref())?;
    let store = session.store_unless(arguments.how.no_store)?;
    let (result, stored) = result_of(session.ran(prepared, store.as_ref())?)?;
    // Written before anything is shown, since the reader of our output may go away; that it failed is
    // said after the figures.
    let written = write_files(session, &arguments, &result);
    let rested = store.as_ref().map_or(Ok(()), lab::rest);
    match arguments.how.json && arguments.explain {
        true => print_inside(std::slice::from_ref(&result))?,
        false => show(session, &result, arguments.how.json)?,
    }
    stored?;
    rested?;
    if let Some(path) = &trace {
        let path = Argument::text(path.display());
        tell(&Message::new("trace-at", [("path", path)]));
    }
    written?;
    if let Some(path) = &arguments.how.html {
        tell(&report_at(path));
    }
    are_sound(session, std::slice::from_ref(&result))
}

/// What is asked of the laboratory.
fn request(session: &Session, arguments: &mut RunArguments) -> Result<Request, Failure> {
    let target = one_target(arguments)?;
    Ok(Request {
        consent: consent(&arguments.how.consent, &target)?,
        method: arguments.what.clone(),
        target,
        scale: arguments.how.scale.map_or(Scale::Default, Into::into),
        seed: arguments.how.seed.unwrap_or(1),
        repeat: arguments.repeat.unwrap_or_default(),
        set: std::mem::take(&mut arguments.how.set),
        command: session.command.clone(),
        now_unix_ms,
    })
}

/// The report and the metrics of a result.
fn write_files(
    session: &Session,
    arguments: &RunArguments,
    result: &RunResult,
) -> Result<(), Failure> {
    let result = std::slice::from_ref(result);
    let report = match &arguments.how.html {
        Some(path) => session.write_html(path, result),
        None => Ok(()),
    };
    let metrics = match &arguments.how.metrics {
        Some(path) => write(path, &report::metrics::of_results(result)),
        None => Ok(()),
    };
    report.and(metrics)
}

/// The target of a method.
fn one_target(arguments: &RunArguments) -> Result<String, Failure> {
    let what = &arguments.what;
    arguments.targets.first().cloned().ok_or_else(|| {
        Failure::Usage(format!(
            "{what} needs a target: `drivelab run {what} ./some/dir`, or a modelled drive, as `drivelab drives` lists them"
        ))
    })
}

/// Goes on with an interrupted run or plan.
pub(crate) fn resume(session: &Session, arguments: ResumeArguments) -> Result<(), Failure> {
    let store = session.open_store()?;
    let run = one_run(&store, &arguments.run)?;
    if let Some(id) = plans::prepared::find(&store, &run)? {
        return plan::resume(session, &store, id, &arguments);
    }
    let which = run.parse().map_err(lab::LabError::from)?;
    let target = lab::running::target_of(&store, which)?;
    let consent = consent(&arguments.consent, &target)?;
    let prepared = prepare_again(&store, which, consent, session.command.clone(), now_unix_ms)?;
    if arguments.consent.dry_run {
        let forecast = plans::forecast::of_one(&prepared);
        let would_run = prepared.would_run().map_err(Failure::from);
        return dry_run::show(arguments.json, forecast, &prepared.dry_run(), would_run);
    }
    let (result, stored) = result_of(session.ran(prepared, Some(&store))?)?;
    let rested = lab::rest(&store);
    show(session, &result, arguments.json)?;
    stored?;
    rested?;
    are_sound(session, std::slice::from_ref(&result))
}

/// A run by its number, where a name is given.
fn one_run(store: &lab::Store, word: &str) -> Result<String, Failure> {
    let is_plain = word == "last" || word.starts_with("plan-") || word.parse::<i64>().is_ok();
    if is_plain {
        return Ok(word.to_owned());
    }
    match &lab::choose(store, &[word.to_owned()])?[..] {
        [one] => Ok(one.to_string()),
        several => Err(Failure::Usage(format!(
            "{word} means {} runs: resume one",
            several.len()
        ))),
    }
}

/// The result of a run, which is shown whether or not the store took it; and so is what is known of one that ended early.
fn result_of(
    run: Result<RunResult, LabError>,
) -> Result<(RunResult, Result<(), Failure>), Failure> {
    let shown = match &run {
        Err(LabError::NotStored { result, .. } | LabError::Early { result, .. }) => Some(result),
        Err(LabError::Ended { result, .. } | LabError::Unkept { result, .. }) => {
            Some(result).filter(|result| !result.figures.is_empty())
        }
        _ => None,
    };
    match shown.map(|result| (**result).clone()) {
        Some(result) => Ok((result, run.map(drop).map_err(Failure::from))),
        None => Ok((run?, Ok(()))),
    }
}

fn show(session: &Session, result: &RunResult, json: bool) -> Result<(), Failure> {
    if json {
        return print_json_text(&report::json::result(result).map_err(failed)?);
    }
    print(&report::terminal::summary(
        std::slice::from_ref(result),
        &session.terminal(),
    ))?;
    if result.id > 0 {
        tell(&stored_as(result.id));
    }
    Ok(())
}
