//! What a shell offers for a word that is being typed: methods, plans, modelled drives, stored results.
//!
//! The completion script calls the program itself, so it offers what currently exists: drives of the catalogue, recent
//! results. Nothing here may fail or print: if a list is not available, nothing is offered.

use std::ffi::OsStr;

use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use clap_complete::env::Shells;

use crate::output::Failure;

/// The environment variable that requests completions.
pub(crate) const VARIABLE: &str = "DRIVELAB_COMPLETE";

/// Number of results offered: more would be unreadable.
const NEWEST: usize = 30;

fn candidate(value: &str, help: &str) -> CompletionCandidate {
    CompletionCandidate::new(value).help(Some(help.to_owned().into()))
}

fn all_methods() -> Vec<CompletionCandidate> {
    let cards = lab::listing::methods().methods;
    cards.iter().map(|m| candidate(m.id, m.short)).collect()
}

fn all_plans() -> Vec<CompletionCandidate> {
    let plans = plans::ready::plans().map_or_else(|_| Vec::new(), |all| all.plans);
    plans.iter().map(|p| candidate(p.name, &p.title)).collect()
}

fn all_drives(prefix: &str) -> Vec<CompletionCandidate> {
    let drives = lab::listing::drives().map_or_else(|_| Vec::new(), |all| all.drives);
    let offered = drives.iter().map(|drive| {
        let name = format!("{prefix}{}", drive.slug);
        candidate(&name, &format!("{}, {}", drive.kind, drive.year))
    });
    offered.collect()
}

fn all_results() -> Vec<CompletionCandidate> {
    let mut offered: Vec<CompletionCandidate> = [
        ("last", "the newest result"),
        ("last:3", "the newest three"),
        ("all", "all results"),
    ]
    .map(|(word, help)| candidate(word, help))
    .into();
    let stored = lab::default_store_path()
        .ok()
        .filter(|path| path.is_file())
        .and_then(|path| lab::open_store_to_read(&path).ok())
        .and_then(|store| lab::listing::results(&store).ok());
    for run in stored.into_iter().flat_map(|all| all.results).take(NEWEST) {
        let what = format!("{} on {}", run.method, run.target);
        offered.push(candidate(&run.id.to_string(), &what));
        offered.extend(run.name.map(|name| candidate(&name, &what)));
        offered.extend(
            run.tags
                .iter()
                .map(|tag| candidate(&format!("tag:{tag}"), "a tag")),
        );
        offered.extend(
            run.plan
                .map(|plan| candidate(&format!("plan-{}", plan.id), "a plan")),
        );
    }
    offered.sort_by_key(|one| one.get_value().to_owned());
    offered.dedup_by_key(|one| one.get_value().to_owned());
    offered
}

/// Modelled drives if the word may become one; else files.
fn target(word: &OsStr) -> Vec<CompletionCandidate> {
    let text = word.to_string_lossy();
    let mut offered = Vec::new();
    if "model:".starts_with(&*text) || text.starts_with("model:") {
        offered.extend(all_drives("model:"));
        offered.push(candidate("null:", "every I/O takes 1 us"));
        offered.retain(|one| one.get_value().to_string_lossy().starts_with(&*text));
    }
    if !text.starts_with("model:") {
        offered.extend(PathCompleter::any().complete(word));
    }
    offered
}

/// For a method.
pub(crate) fn methods() -> ArgValueCandidates {
    ArgValueCandidates::new(all_methods)
}

/// For a method or a plan.
pub(crate) fn methods_and_plans() -> ArgValueCandidates {
    ArgValueCandidates::new(|| all_methods().into_iter().chain(all_plans()).collect())
}

/// For a plan.
pub(crate) fn plans() -> ArgValueCandidates {
    ArgValueCandidates::new(all_plans)
}

/// For a drive of the catalogue.
pub(crate) fn drives() -> ArgValueCandidates {
    ArgValueCandidates::new(|| all_drives(""))
}

/// For a target.
pub(crate) fn targets() -> ArgValueCompleter {
    ArgValueCompleter::new(target)
}

/// For stored results.
pub(crate) fn results() -> ArgValueCandidates {
    ArgValueCandidates::new(all_results)
}

/// The shell's completion script.
pub(crate) fn script(shell: clap_complete::Shell) -> Result<String, Failure> {
    let name = shell.to_string();
    let shells = Shells::builtins();
    let known = shells
        .completer(&name)
        .ok_or_else(|| Failure::Usage(format!("no completions for {name}")))?;
    let mut script = Vec::new();
    known
        .write_registration(VARIABLE, "drivelab", "drivelab", "drivelab", &mut script)
        .map_err(|e| Failure::Failed(format!("the completion script: {e}")))?;
    Ok(String::from_utf8_lossy(&script).into_owned())
}
