//! `drivelab run PLAN`, `drivelab resume` of a plan, and `drivelab plans`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use lab::opening::Consent;
use plans::consent::to_confirm;
use plans::context::Context;
use plans::prepared::{PreparedPlan, prepare, stored, unfinished};
use plans::{Changes, Plan, ready};
use report::HtmlOptions;
use results::plan::PlanOutcome;
use results::screening::Screening;

use crate::arguments::{ConsentArguments, PlansArguments, ResumeArguments, RunArguments};
use crate::commands::{Session, ask, have_measured, now_unix_ms};
use crate::output::{Failure, print, print_json, say};
use crate::progress_line::ProgressLine;
use crate::signals;

/// Where the report goes unless another place is named.
const REPORT: &str = "report.html";

/// Begins a plan.
pub(crate) fn run(session: &Session, plan: Plan, arguments: RunArguments) -> Result<(), Failure> {
    check(&plan, &arguments)?;
    let plan = plan.changed(Changes {
        targets: arguments.targets,
        scale: arguments.scale.map(Into::into),
        seed: arguments.seed,
        repeat: arguments.repeat,
    })?;
    let consents = consents(&plan, &arguments.consent)?;
    let context = Context {
        consents,
        command: session.command.clone(),
        now_unix_ms,
    };
    let html = arguments.html.unwrap_or_else(|| PathBuf::from(REPORT));
    let prepared = prepare(plan, context, Some(html.clone()))?;
    let forecast = plans::forecast::lines(&prepared.forecast);
    if arguments.consent.dry_run {
        print(&(forecast.join("\n") + "\n"))?;
        prepared.would_run()?;
    }
    lab::check_report_place(&html)?;
    if arguments.consent.dry_run {
        return Ok(());
    }
    let store = session.open_store()?;
    for earlier in unfinished(&store)? {
        if earlier.name == prepared.plan.name {
            say(&format!(
                "plan-{} ({}) was interrupted: `drivelab resume plan-{}` continues it; this is a new one",
                earlier.id, earlier.name, earlier.id
            ));
        }
    }
    forecast.iter().for_each(|line| say(line));
    signals::watch(&session.interrupt)?;
    let under_way = prepared.begin(&store)?;
    let mut progress = ProgressLine::new();
    let outcome = prepared.work(&store, under_way, &mut progress, &session.interrupt)?;
    progress.clear();
    end(session, &outcome, &html, arguments.json)
}

/// What belongs to a method and not to a plan.
fn check(plan: &Plan, arguments: &RunArguments) -> Result<(), Failure> {
    let refused = |what: &str| Err(Failure::Usage(format!("plan {}: {what}", plan.name)));
    if !arguments.set.is_empty() {
        return refused(
            "--set belongs to a method: write `set = { KEY = \"VALUE\" }` into a [[step]] of the plan's file",
        );
    }
    if arguments.no_store {
        return refused("--no-store does not work with plans: a plan must be stored to be resumed");
    }
    Ok(())
}

/// Goes on with a plan.
pub(crate) fn resume(
    session: &Session,
    store: &lab::Store,
    id: lab::PlanId,
    arguments: &ResumeArguments,
) -> Result<(), Failure> {
    let stored = stored(store, id)?.found_again()?;
    stored.moved.iter().for_each(|line| say(line));
    let consents = consents(&stored.plan, &arguments.consent)?;
    let prepared: PreparedPlan = stored.prepare(consents, now_unix_ms)?;
    if arguments.consent.dry_run {
        print(&(plans::forecast::lines(&prepared.forecast).join("\n") + "\n"))?;
        return Ok(prepared.would_run()?);
    }
    let html = prepared.html.clone();
    let html = html.unwrap_or_else(|| PathBuf::from(REPORT));
    signals::watch(&session.interrupt)?;
    let under_way = store.resume_plan(id).map_err(lab::LabError::from)?;
    let mut progress = ProgressLine::new();
    let outcome = prepared.work(store, under_way, &mut progress, &session.interrupt)?;
    progress.clear();
    end(session, &outcome, &html, arguments.json)
}

/// What the user allows, for each target: asked once, before anything runs.
fn consents(plan: &Plan, arguments: &ConsentArguments) -> Result<Vec<Consent>, Failure> {
    let mut consents = vec![Consent::default(); plan.targets.len()];
    if !arguments.destroy_data {
        return Ok(consents);
    }
    for one in to_confirm(plan, &arguments.confirm)? {
        let consent = &mut consents[one.target];
        consent.destroy_data = true;
        if arguments.dry_run {
            consent.confirm = one.given;
            continue;
        }
        for lost in &one.lost {
            say(&format!("on {}: {lost}", one.name));
        }
        consent.confirm = Some(match one.given {
            Some(given) => given,
            None => ask(&one.name, &one.token)?,
        });
    }
    Ok(consents)
}

/// Writes the report, shows the outcome, and says what has no result.
fn end(session: &Session, outcome: &PlanOutcome, html: &Path, json: bool) -> Result<(), Failure> {
    // As in `run`: written first, and that it failed is said last.
    let report = write_html(session, outcome, html);
    show(session, outcome, None, json)?;
    report?;
    say(&format!(
        "report: {}; stored as plan-{}",
        html.display(),
        outcome.id
    ));
    let refused = outcome.screening.as_ref().map_or(0, Screening::refused);
    match outcome.without_result() {
        0 if refused > 0 => Err(Failure::Failed(format!(
            "{refused} of {} drives are refused",
            outcome.screening.as_ref().map_or(0, |s| s.drives.len())
        ))),
        0 => have_measured(&outcome.results),
        without => Err(Failure::Failed(format!(
            "{without} of {} steps have no result; `drivelab resume plan-{}` tries them again",
            outcome.steps.len(),
            outcome.id
        ))),
    }
}

fn write_html(session: &Session, outcome: &PlanOutcome, path: &Path) -> Result<(), Failure> {
    let options = HtmlOptions {
        lang: session.lang,
        title: Some(outcome.title.clone()),
    };
    let screening = outcome.screening.as_ref();
    let front = screening.map(|screening| report::screening::html(screening, &options));
    let page = report::html_with_front(&outcome.results, &options, front);
    lab::replace_report(path, &page)?;
    Ok(())
}

/// Shows what came of a plan, and writes its report where that is asked.
pub(crate) fn show(
    session: &Session,
    outcome: &PlanOutcome,
    html: Option<&Path>,
    json: bool,
) -> Result<(), Failure> {
    if let Some(path) = html {
        lab::check_report_place(path)?;
        write_html(session, outcome, path)?;
        say(&format!("report: {}", path.display()));
    }
    if json {
        return print_json(outcome);
    }
    if html.is_some() {
        return Ok(());
    }
    let terminal = session.terminal();
    if let Some(screening) = &outcome.screening {
        let text = report::screening::text(screening, terminal.columns, session.lang);
        print(&text)?;
    }
    print(&report::terminal::summary(&outcome.results, &terminal))?;
    for step in &outcome.steps {
        if let Some(why) = &step.why {
            say(&format!(
                "step {}, {} on {}: {}: {why}",
                step.step, step.method, step.target, step.state
            ));
        }
    }
    Ok(())
}

/// Lists the ready plans, or prints one.
pub(crate) fn plans(arguments: &PlansArguments) -> Result<(), Failure> {
    if let Some(name) = &arguments.name {
        return print(ready::text(name)?);
    }
    let plans = ready::plans()?;
    if arguments.json {
        return print_json(&plans);
    }
    let mut text = String::new();
    for plan in &plans.plans {
        let _ = writeln!(text, "{}  {}", plan.name, plan.title);
        let _ = writeln!(text, "    {}", plan.methods.join(", "));
    }
    print(&text)
}
