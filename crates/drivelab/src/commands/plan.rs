//! `drivelab run PLAN`, `drivelab resume` of a plan, and `drivelab plans`.

use std::fmt::Write as _;
use std::path::Path;

use base::message::{Argument, Message};
use plans::causes::{PlannedCause, answered};
use plans::consent::to_confirm;
use plans::error::PlanError;
use plans::prepared::{PreparedPlan, prepare, stored, told_of_unfinished};
use plans::{Changes, Plan, PlannedStep, ready};
use results::plan::PlanOutcome;
use results::screening::Acceptance;
use targets::Consent;

use crate::arguments::{ConsentArguments, PlansArguments, ResumeArguments, RunArguments};
use crate::commands::{
    Session, accepted, are_sound, ask_to_confirm, asked_causes, can_report, dry_run, lost_on,
    now_unix_ms, report_at, stored_as, write,
};
use crate::output::{
    Failure, announce, failed, print, print_json, print_json_text, tell, text_columns,
};
use crate::paragraph::paragraph;
use crate::signals;

/// Begins a plan.
pub(crate) fn run(session: &Session, plan: Plan, arguments: RunArguments) -> Result<(), Failure> {
    check(&plan, &arguments)?;
    let plan = plan.changed(Changes {
        targets: arguments.targets,
        scale: arguments.how.scale.map(Into::into),
        seed: arguments.how.seed,
        repeat: arguments.repeat,
    })?;
    let consents = consents(&plan, &arguments.how.consent, None)?;
    let context = session.context(consents);
    let html = (!arguments.how.no_html).then(|| session.report_place(arguments.how.html));
    let prepared = prepare(plan, context, html.clone())?;
    asked_causes::can_be_asked(session, &prepared.plan)?;
    let forecast = plans::forecast::lines(&prepared.forecast);
    if arguments.how.consent.dry_run {
        let place = can_report(html.as_deref());
        let would_run = prepared.would_run().map_err(Failure::from).and(place);
        return dry_run::show(arguments.how.json, prepared.forecast, &forecast, would_run);
    }
    can_report(html.as_deref())?;
    let store = session.open_store()?;
    let name = &prepared.plan.name;
    let earlier = told_of_unfinished(&store, name, name)?;
    earlier.iter().for_each(tell);
    announce(&forecast);
    let outcome = begin(session, &store, prepared)?;
    if let Some(path) = &arguments.how.metrics {
        write(path, &report::metrics::of_results(&outcome.results))?;
    }
    if let (Some(path), Some(batch)) = (&arguments.junit, &outcome.screening) {
        write(path, &report::junit::of_screening(batch, session.lang))?;
    }
    end(session, &outcome, html.as_deref(), arguments.how.json)
}

/// Begins a prepared plan and works through it.
pub(crate) fn begin(
    session: &Session,
    store: &lab::Store,
    prepared: PreparedPlan,
) -> Result<PlanOutcome, Failure> {
    signals::watch(&session.interrupt)?;
    let under_way = prepared.begin(store)?;
    work(session, store, prepared, under_way)
}

/// Executes a plan. An interrupted one leaves a report of what was done, if it was to have one.
fn work(
    session: &Session,
    store: &lab::Store,
    prepared: PreparedPlan,
    under_way: plans::prepared::UnderWay,
) -> Result<PlanOutcome, Failure> {
    let (id, html) = (under_way.id(), prepared.html.clone());
    let mut progress = session.progress();
    let answering = |asked: &PlannedCause, seed| asked_causes::of_plan(session, asked, seed);
    let worked = prepared.work(
        store,
        under_way,
        &answering,
        &mut progress,
        &session.interrupt,
    );
    progress.clear();
    if let (Err(PlanError::Interrupted { .. }), Some(path)) = (&worked, html) {
        let so_far = beside_published(plans::outcome::stored_outcome(store, id)?)?;
        if !so_far.results.is_empty() {
            write_html(session, &so_far, &path)?;
            let path = Argument::text(path.display());
            tell(&Message::new("report-so-far", [("path", path)]));
        }
    }
    beside_published(worked?)
}

/// What came of a stored plan, as far as it has come. Causes are not stored: they are found again.
pub(crate) fn stored_outcome(
    session: &Session,
    store: &lab::Store,
    id: lab::PlanId,
) -> Result<PlanOutcome, Failure> {
    let mut outcome = beside_published(plans::outcome::stored_outcome(store, id)?)?;
    let plan = stored(store, id)?.plan;
    if !plan.causes.is_empty() {
        signals::watch(&session.interrupt)?;
        let answering = |asked: &PlannedCause, seed| asked_causes::of_plan(session, asked, seed);
        let mut progress = session.progress();
        outcome.causes = answered(&plan, &answering, &mut progress, &session.interrupt);
        progress.clear();
    }
    Ok(outcome)
}

/// The outcome with the published figures of the document whose tables the plan runs, where it runs any.
fn beside_published(mut outcome: PlanOutcome) -> Result<PlanOutcome, Failure> {
    if let Some(document) = &outcome.document {
        outcome.published = accuracy::compare::stored::published(document, &outcome.results)?;
    }
    Ok(outcome)
}

/// Runs one method on several targets: a plan of one step, which can be resumed like any plan.
pub(crate) fn run_on_several(session: &Session, arguments: RunArguments) -> Result<(), Failure> {
    let how = arguments.how;
    if arguments.junit.is_some() {
        return Err(Failure::Usage(
            "--junit needs a plan that judges its drives: `drivelab run screen`".to_owned(),
        ));
    }
    if how.no_store {
        return Err(Failure::Usage(
            "--no-store does not work with several targets: their results must be stored for resuming"
                .to_owned(),
        ));
    }
    let step = PlannedStep {
        method: arguments.what,
        scale: how.scale.map_or_else(Default::default, Into::into),
        set: how.set,
        repeat: arguments.repeat.unwrap_or_default(),
        rest: base::time::Duration::ZERO,
        targets: Vec::new(),
    };
    let plan = Plan::of_one_method(step, arguments.targets, how.seed.unwrap_or(1))?;
    let context = session.context(consents(&plan, &how.consent, None)?);
    let prepared = prepare(plan, context, how.html.clone())?;
    if how.consent.dry_run {
        let lines = forecast_with_ranges(&prepared)?;
        let place = can_report(how.html.as_deref());
        let would_run = prepared.would_run().map_err(Failure::from).and(place);
        return dry_run::show(how.json, prepared.forecast, &lines, would_run);
    }
    can_report(how.html.as_deref())?;
    let store = session.open_store()?;
    let outcome = begin(session, &store, prepared)?;
    if let Some(path) = &how.metrics {
        write(path, &report::metrics::of_results(&outcome.results))?;
    }
    if how.json && arguments.explain {
        let html = how.html.as_deref();
        let written = html.map_or(Ok(()), |html| write_html(session, &outcome, html));
        super::print_inside(&outcome.results)?;
        written?;
        return is_whole(session, &outcome, html);
    }
    end(session, &outcome, how.html.as_deref(), how.json)
}

/// Shows what a plan would do, with the ranges that it would write.
pub(crate) fn show_forecast(prepared: PreparedPlan, json: bool) -> Result<(), Failure> {
    let lines = forecast_with_ranges(&prepared)?;
    let would_run = prepared.would_run().map_err(Failure::from);
    dry_run::show(json, prepared.forecast, &lines, would_run)
}

/// What a plan takes, and every range that it would write on a real target.
fn forecast_with_ranges(prepared: &PreparedPlan) -> Result<Vec<Message>, Failure> {
    let forecast = plans::forecast::lines(&prepared.forecast);
    Ok([forecast, prepared.ranges()?].concat())
}

/// What belongs to a method and not to a plan.
fn check(plan: &Plan, arguments: &RunArguments) -> Result<(), Failure> {
    let refused = |what: &str| Err(Failure::Usage(format!("plan {}: {what}", plan.name)));
    if !arguments.how.set.is_empty() {
        return refused(
            "--set belongs to a method: write `set = { KEY = \"VALUE\" }` into a [[step]] of the plan's file",
        );
    }
    if arguments.how.no_store {
        return refused("--no-store does not work with plans: a plan must be stored to be resumed");
    }
    if arguments.junit.is_some() && plan.screen.is_none() {
        return refused(
            "--junit needs a plan that judges its drives: a [screen] table, as in `drivelab plans screen`",
        );
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
    stored.moved.iter().for_each(tell);
    let allowed = stored.writes().to_vec();
    let consents = consents(&stored.plan, &arguments.consent, Some(&allowed))?;
    let prepared: PreparedPlan = stored.prepare(consents, now_unix_ms)?;
    if arguments.consent.dry_run {
        let lines = plans::forecast::lines(&prepared.forecast);
        let would_run = prepared.would_run().map_err(Failure::from);
        return dry_run::show(arguments.json, prepared.forecast, &lines, would_run);
    }
    let html = prepared.html.clone();
    signals::watch(&session.interrupt)?;
    let under_way = store.resume_plan(id).map_err(lab::LabError::from)?;
    let outcome = work(session, store, prepared, under_way)?;
    end(session, &outcome, html.as_deref(), arguments.json)
}

/// The user's permissions for each target: asked once, before anything runs. For a resumed plan, only targets that were
/// `allowed` to be overwritten when it was begun.
pub(crate) fn consents(
    plan: &Plan,
    arguments: &ConsentArguments,
    allowed: Option<&[bool]>,
) -> Result<Vec<Consent>, Failure> {
    let mut consents = vec![Consent::default(); plan.targets.len()];
    if !arguments.destroy_data {
        return Ok(consents);
    }
    for one in to_confirm(plan, &arguments.confirm)? {
        if allowed.is_some_and(|allowed| allowed.get(one.target) != Some(&true)) {
            continue;
        }
        let consent = &mut consents[one.target];
        consent.destroy_data = true;
        if arguments.dry_run {
            consent.confirm = one.given;
            continue;
        }
        for lost in &one.lost {
            tell(&lost_on(&one.name, lost));
        }
        consent.confirm = Some(match one.given {
            Some(given) => given,
            None => ask_to_confirm(&one.name, &one.token)?,
        });
    }
    Ok(consents)
}

/// The same of a review, whose JSON is that of its results.
pub(crate) fn end_review(
    session: &Session,
    outcome: &PlanOutcome,
    html: Option<&Path>,
    json: bool,
) -> Result<(), Failure> {
    if !json {
        return end(session, outcome, html, json);
    }
    let report = html.map_or(Ok(()), |html| write_html(session, outcome, html));
    let text = report::json::results(&outcome.results, Some(outcome.id));
    print_json_text(&text.map_err(failed)?)?;
    report?;
    is_whole(session, outcome, html)
}

/// Writes the report, prints the outcome, and names steps without results.
pub(crate) fn end(
    session: &Session,
    outcome: &PlanOutcome,
    html: Option<&Path>,
    json: bool,
) -> Result<(), Failure> {
    // As in `run`: written first, and that it failed is said last.
    let report = html.map_or(Ok(()), |html| write_html(session, outcome, html));
    show(session, outcome, None, json)?;
    report?;
    is_whole(session, outcome, html)
}

/// Prints where it is stored, and which steps have no results.
fn is_whole(session: &Session, outcome: &PlanOutcome, html: Option<&Path>) -> Result<(), Failure> {
    let id = format!("plan-{}", outcome.id);
    tell(&match html {
        Some(html) => {
            let path = ("path", Argument::text(html.display()));
            Message::new("report-at-and-stored", [path, ("id", id.into())])
        }
        None => stored_as(id),
    });
    has_all_results(outcome)?;
    if let without @ 1.. = outcome.without_answer() {
        let of = outcome.causes.len();
        let why = format!("{without} of {of} causes have no answer");
        return Err(Failure::Failed(why));
    }
    match &outcome.screening {
        Some(screening) => {
            let count = |verdict| screening.count(verdict);
            let counts = [Acceptance::Look, Acceptance::Reject].map(count);
            accepted(counts, screening.drives.len())
        }
        None => are_sound(session, &outcome.results),
    }
}

/// Fails where a step has no result.
pub(crate) fn has_all_results(outcome: &PlanOutcome) -> Result<(), Failure> {
    match outcome.without_result() {
        0 => Ok(()),
        without => Err(Failure::Failed(format!(
            "{without} of {} steps have no result; `drivelab resume plan-{}` retries them",
            outcome.steps.len(),
            outcome.id
        ))),
    }
}

fn write_html(session: &Session, outcome: &PlanOutcome, path: &Path) -> Result<(), Failure> {
    // A review's heading is the drive's name in the page's language; other plans have titles of their own.
    let review = (outcome.name == plans::review::NAME)
        .then(|| report::review_title(&plans::review::apart(outcome).0, session.lang))
        .flatten();
    // One method on several targets has no title but the method's name, and a page names that better.
    let is_of_one_method = (outcome.steps.iter()).all(|step| step.method == outcome.title);
    let own = (!is_of_one_method)
        .then(|| report::plan_title(&outcome.name, &outcome.title, session.lang));
    let options = session.html_options(review.or(own));
    let screening = outcome.screening.as_ref();
    let front = match screening {
        Some(screening) => Some(report::screening::html(screening, &options)),
        None if outcome.published.is_empty() => None,
        None => Some(report::published::html(outcome, &options)),
    };
    let front = report::cause::plan::behind(front, outcome, &options);
    let page = if outcome.name == plans::review::NAME {
        let (shown, class) = plans::review::apart(outcome);
        report::html_of_review(&shown, &class, &options)
    } else {
        report::html_with_front(&outcome.results, &options, front)
    };
    lab::replace_report(path, &page)?;
    Ok(())
}

/// Prints the outcome of a plan, and writes its report if requested.
pub(crate) fn show(
    session: &Session,
    outcome: &PlanOutcome,
    html: Option<&Path>,
    json: bool,
) -> Result<(), Failure> {
    if let Some(path) = html {
        lab::check_report_place(path)?;
        write_html(session, outcome, path)?;
        tell(&report_at(path));
    }
    if json {
        return print_json(outcome);
    }
    if html.is_some() {
        return Ok(());
    }
    show_text(session, outcome)
}

fn show_text(session: &Session, outcome: &PlanOutcome) -> Result<(), Failure> {
    show_results(session, outcome)?;
    let columns = session.terminal().columns;
    print(&report::cause::plan::answers(
        outcome,
        columns,
        session.lang,
    ))
}

fn show_results(session: &Session, outcome: &PlanOutcome) -> Result<(), Failure> {
    let terminal = session.terminal();
    if let Some(screening) = &outcome.screening {
        let text = report::screening::text(screening, terminal.columns, session.lang);
        print(&text)?;
    }
    if !outcome.published.is_empty() {
        // A document's drives are more than a terminal is wide: all other figures stand in the page.
        print(&report::published::text(
            outcome,
            terminal.columns,
            session.lang,
        ))?;
        say_without_result(outcome);
        return Ok(());
    }
    if outcome.name == plans::review::NAME {
        let (shown, class) = plans::review::apart(outcome);
        let answer = report::answer::text(&shown, &terminal);
        let standing = report::standing::text(&shown, &class, &terminal);
        let parts = [answer, standing].into_iter();
        let said: String = parts
            .filter(|part| !part.is_empty())
            .map(|part| part + "\n")
            .collect();
        print(&said)?;
        print(&report::terminal::summary(&shown, &terminal))?;
        say_without_result(outcome);
        return Ok(());
    }
    print(&report::terminal::summary(&outcome.results, &terminal))?;
    // One method on several targets is run to be compared.
    let first = outcome.results.first().map(|result| &result.method);
    let same = |result: &results::RunResult| Some(&result.method) == first;
    if outcome.results.len() > 1 && outcome.screening.is_none() && outcome.results.iter().all(same)
    {
        print("\n")?;
        print(&report::compare::text(&outcome.results, &terminal))?;
    }
    say_without_result(outcome);
    Ok(())
}

fn say_without_result(outcome: &PlanOutcome) {
    for step in &outcome.steps {
        if let Some(why) = &step.why {
            tell(&Message::new(
                "step-without-result",
                [
                    ("number", step.step.into()),
                    ("method", (&step.method).into()),
                    ("target", (&step.target).into()),
                    ("state", step.state.into()),
                    ("why", why.into()),
                ],
            ));
        }
    }
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
        text.push_str(&paragraph(&plan.methods.join(", "), 4, text_columns()));
    }
    print(&text)
}
