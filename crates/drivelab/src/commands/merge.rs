//! `drivelab merge`: the stores of several machines in one.

use std::path::Path;

use lab::{Merged, RunId};

use crate::arguments::MergeArguments;
use crate::output::{Failure, say};

/// Copies what is not there yet.
pub(crate) fn merge(arguments: &MergeArguments) -> Result<(), Failure> {
    let is_into = |path: &Path| is_same(path, &arguments.into);
    if let Some(path) = arguments.stores.iter().find(|path| is_into(path)) {
        return Err(Failure::Usage(format!(
            "{} would be merged into itself: name it with --into only",
            path.display()
        )));
    }
    // All of them are opened before anything is written.
    let sources = arguments
        .stores
        .iter()
        .map(|path| lab::open_existing_store(path));
    let sources: Vec<lab::Store> = sources.collect::<Result<_, _>>()?;
    let into = lab::open_store(&arguments.into)?;
    for source in &sources {
        let merged = lab::merge(&into, source)?;
        for line in lines(&merged) {
            say(&format!("{}: {line}", source.path().display()));
        }
    }
    lab::rest(&into)?;
    Ok(())
}

/// Whether two names lead to the same file.
fn is_same(one: &Path, other: &Path) -> bool {
    let whole = |path: &Path| path.canonicalize().ok();
    whole(one).is_some() && whole(one) == whole(other)
}

/// What a merge did, and what it left.
fn lines(merged: &Merged) -> Vec<String> {
    let mut lines = vec![format!(
        "{} copied, {} already there{}",
        runs(merged.added),
        merged.known,
        match merged.completed {
            0 => String::new(),
            completed => format!(", {completed} completed"),
        }
    )];
    if !merged.under_way.is_empty() {
        let numbers: Vec<String> = merged.under_way.iter().map(RunId::to_string).collect();
        lines.push(format!(
            "left out, still running: {}; merge again when done",
            numbers.join(", ")
        ));
    }
    if !merged.phase_lost.is_empty() {
        let numbers: Vec<String> = merged.phase_lost.iter().map(RunId::to_string).collect();
        lines.push(format!(
            "not copied: the unfinished phase of {} (no room?); it is measured again on resume",
            numbers.join(", ")
        ));
    }
    for (was, is) in &merged.renamed {
        lines.push(format!(
            "'{was}' is the name of another run there: now '{is}'"
        ));
    }
    lines
}

fn runs(count: usize) -> String {
    match count {
        1 => "1 run".to_owned(),
        count => format!("{count} runs"),
    }
}
