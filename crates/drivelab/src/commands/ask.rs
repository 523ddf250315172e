//! `drivelab ask`: common questions about a drive, answered in a dozen lines.

use analysis::questions::{QUESTIONS, Question};
use base::nearest::nearest;
use lab::PlanId;
use plans::asking;
use plans::prepared::prepare;
use results::plan::PlanOutcome;

use crate::arguments::AskArguments;
use crate::commands::{Session, are_sound, consent, plan, stored_as};
use crate::output::{Failure, announce, print, print_json, tell};

/// Answers a question, or lists them.
pub(crate) fn ask(session: &Session, arguments: AskArguments) -> Result<(), Failure> {
    let Some(asked) = &arguments.question else {
        return match arguments.json {
            true => print_json(&report::questions::listing(session.lang)),
            false => print(&report::questions::list(session.lang)),
        };
    };
    if arguments.json && !arguments.consent.dry_run {
        return Err(Failure::Usage(
            "the answer is words: --json prints the list of questions, or with --dry-run the forecast"
                .to_owned(),
        ));
    }
    let question = find(asked)?;
    check(question, arguments.targets.len())?;
    let several = arguments.targets.len() > 1;
    if several && arguments.consent.destroy_data {
        return Err(Failure::Usage(
            "--destroy-data does not work with several drives: ask about each separately"
                .to_owned(),
        ));
    }
    let mut targets = Vec::new();
    for target in plans::specimens(arguments.targets.clone()) {
        let allowed = consent(&arguments.consent, &target)?;
        targets.push((target, allowed));
    }
    let planned = asking::plan(question, &targets, arguments.scale.into(), arguments.seed)?;
    let context = session.context(targets.into_iter().map(|(_, consent)| consent).collect());
    let prepared = prepare(planned, context, None)?;
    if arguments.consent.dry_run {
        return plan::show_forecast(prepared, arguments.json);
    }
    let store = session.open_store()?;
    announce(&plans::forecast::before_it_starts(&prepared.forecast));
    let before = match question.beside_earlier && !several {
        true => earlier(&store, question, &arguments.targets[0])?,
        false => None,
    };
    let outcome = plan::begin(session, &store, prepared)?;
    let reply = asking::reply(question, before.as_ref(), &outcome);
    print(&report::questions::text(
        question,
        &reply,
        &session.terminal(),
    ))?;
    tell(&stored_as(format_args!("plan-{}", outcome.id)));
    plan::has_all_results(&outcome)?;
    are_sound(session, &outcome.results)
}

fn find(asked: &str) -> Result<&'static Question, Failure> {
    let all = || QUESTIONS.iter().copied();
    all().find(|question| question.id == asked).ok_or_else(|| {
        let ids: Vec<&str> = all().map(|question| question.id).collect();
        let near = nearest(asked, &ids);
        let meant = match near.is_empty() {
            true => String::new(),
            false => format!("did you mean {}?; ", near.join(" or ")),
        };
        Failure::Usage(format!(
            "there is no question '{asked}'; {meant}`drivelab ask` lists them"
        ))
    })
}

fn check(question: &Question, drives: usize) -> Result<(), Failure> {
    let (least, most) = question.drives;
    if (least..=most).contains(&drives) {
        return Ok(());
    }
    let wanted = match (least, most) {
        (1, 1) => "one drive".to_owned(),
        (2, 2) => "two drives".to_owned(),
        _ => format!("{least} to {most} drives"),
    };
    Err(Failure::Usage(format!(
        "'{}' takes {wanted}; given: {drives}",
        question.id
    )))
}

/// What the same question measured of a drive last.
fn earlier(
    store: &lab::Store,
    question: &Question,
    target: &str,
) -> Result<Option<PlanOutcome>, Failure> {
    let name = asking::name(question);
    let plans = store.plans().map_err(lab::LabError::from)?;
    let mut ids: Vec<PlanId> = plans
        .iter()
        .filter(|p| p.name == name)
        .map(|p| p.id)
        .collect();
    ids.sort_unstable();
    for id in ids.into_iter().rev() {
        let outcome = plans::outcome::stored_outcome(store, id)?;
        let of_it = outcome
            .results
            .first()
            .is_some_and(|r| r.target.name == target);
        if of_it && outcome.without_result() == 0 {
            return Ok(Some(outcome));
        }
    }
    Ok(None)
}
