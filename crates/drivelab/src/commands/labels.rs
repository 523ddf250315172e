//! `drivelab label` and `delete`: user labels of stored results, and deletion.

use base::message::Message;
use std::io::IsTerminal;

use lab::{Labels, RunId, Store};

use crate::arguments::{DeleteArguments, LabelArguments};
use crate::commands::{Session, typed};
use crate::output::{Failure, say, tell};

/// Names, tags or annotates stored results.
pub(crate) fn label(session: &Session, arguments: &LabelArguments) -> Result<(), Failure> {
    let labels = Labels {
        name: arguments.name.clone(),
        note: arguments.note.clone(),
        tag: arguments.tag.clone(),
        untag: arguments.untag.clone(),
    };
    if labels == Labels::default() {
        return Err(Failure::Usage(
            "nothing to change: add --name, --tag, --untag or --note".to_owned(),
        ));
    }
    let store = session.open_store()?;
    let runs = lab::choose(&store, &arguments.results)?;
    if labels.name.is_some() && runs.len() != 1 {
        return Err(Failure::Usage(format!(
            "a name belongs to one result, but {} were selected: give them a tag (--tag)",
            runs.len()
        )));
    }
    for run in &runs {
        lab::label(&store, *run, &labels)?;
    }
    say(&format!("labelled {}", numbers(&runs)));
    Ok(())
}

/// Deletes stored results; of a plan that is named, the plan as well.
pub(crate) fn delete(session: &Session, arguments: &DeleteArguments) -> Result<(), Failure> {
    let store = session.open_store_to_read()?;
    let runs = lab::choose(&store, &arguments.results)?;
    let mut plans = Vec::new();
    for name in &arguments.results {
        plans.extend(plans::prepared::named(name)?);
    }
    if runs.is_empty() && plans.is_empty() {
        say("no matching results: nothing deleted");
        return Ok(());
    }
    if !arguments.yes && !is_wanted(&runs)? {
        say("nothing is deleted");
        return Ok(());
    }
    delete_all(&store, &runs, &plans)?;
    lab::rest(&store)?;
    say(&format!("deleted {}", numbers(&runs)));
    Ok(())
}

fn delete_all(store: &Store, runs: &[RunId], plans: &[lab::PlanId]) -> Result<(), Failure> {
    for run in runs {
        lab::delete(store, *run)?;
    }
    for plan in plans {
        lab::delete_plan(store, *plan)?;
    }
    Ok(())
}

/// Asks at the terminal.
fn is_wanted(runs: &[RunId]) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::Usage(format!(
            "{} would be deleted: add --yes",
            numbers(runs)
        )));
    }
    tell(&Message::new(
        "delete-these",
        [("what", numbers(runs).into())],
    ));
    Ok(matches!(&*typed()?, "y" | "yes"))
}

/// `result 3`, `results 1, 2, 3`, `12 results from 1 to 40`.
fn numbers(runs: &[RunId]) -> String {
    match runs {
        [] => "no result".to_owned(),
        [one] => format!("result {one}"),
        few if few.len() <= 8 => {
            let few: Vec<String> = few.iter().map(ToString::to_string).collect();
            format!("results {}", few.join(", "))
        }
        many => {
            let (first, last) = (many.iter().min(), many.iter().max());
            let of = |run: Option<&RunId>| run.map_or(0, |run| run.0);
            format!("{} results from {} to {}", many.len(), of(first), of(last))
        }
    }
}
