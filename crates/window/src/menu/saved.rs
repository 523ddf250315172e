//! A report of each run that ends, wherever it was started: a page and a document, each flushed to the drive before the
//! menu says where it is, since the stick may be pulled out then.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use super::Menu;
use crate::asked::{self, Look, Start};
use crate::program::Rights;
use crate::runs::{Shown, State};

/// Stores reports until it is to end.
pub(super) fn keep(menu: &Menu, is_to_end: &impl Fn() -> bool) {
    let mut done = BTreeSet::new();
    let mut seen = 0;
    while !is_to_end() {
        for run in menu.runs.list() {
            if run.state == State::Ended && done.insert(run.id) {
                let said = store(menu, &run);
                menu.known().reports.extend(said.map(|said| (run.id, said)));
            }
        }
        seen = menu.runs.wait(seen, Duration::from_millis(500));
    }
}

/// What is to be said of a run's report; nothing if it has stored no result.
fn store(menu: &Menu, run: &Shown) -> Option<String> {
    let selectors: Vec<String> = match &run.plan {
        Some(plan) => vec![plan.clone()],
        None => run.results.iter().map(i64::to_string).collect(),
    };
    if selectors.is_empty() {
        return None;
    }
    let name = name(menu, run, &selectors);
    let folder = &menu.options.reports;
    let written = write(menu, &selectors, &folder.join(&name));
    let name = folder.join(format!("{name}.html")).display().to_string();
    Some(match written {
        Ok(()) => menu.texts().with("menu-report-is", &[("file", &name)]),
        Err(why) => menu.texts().with("menu-no-report", &[("why", &why)]),
    })
}

fn write(menu: &Menu, selectors: &[String], place: &Path) -> Result<(), String> {
    let document = menu.look(&Look::Results(selectors.to_vec()))?;
    let json = place.with_extension("json");
    let written = File::create(&json).and_then(|mut file| {
        file.write_all(document.to_string().as_bytes())?;
        file.sync_all()
    });
    written.map_err(|why| format!("{}: {why}", json.display()))?;
    let html = place.with_extension("html");
    let arguments = asked::report(selectors, &html).map_err(|why| why.to_string())?;
    let options = &menu.options;
    let answer = options
        .program
        .answer(&arguments, options.lang, Rights::Own);
    let answer = answer.map_err(|why| why.words)?;
    match File::open(&html) {
        Ok(file) => file.sync_all().map_err(|why| why.to_string()),
        Err(_) => Err(answer.words),
    }
}

/// What it is, on which drive, and the number in the database: a name for any file system.
fn name(menu: &Menu, run: &Shown, selectors: &[String]) -> String {
    let known = menu.known();
    let (what, targets) = measured(run);
    let targets = targets.into_iter().take(2);
    let targets = targets.map(|target| known.names.get(&target).cloned().unwrap_or(target));
    let words: Vec<String> = std::iter::once(what)
        .chain(targets)
        .chain(selectors.iter().take(1).cloned())
        .collect();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = words.join("-").chars().map(plain).collect();
    let parts: Vec<&str> = name.split('-').filter(|part| !part.is_empty()).collect();
    parts.join("-").chars().take(100).collect()
}

/// What was measured, and on what: one that was gone on with says it as it goes.
fn measured(run: &Shown) -> (String, Vec<String>) {
    let told = |field: &str| Some(run.progress.as_ref()?[field].as_str()?.to_owned());
    match (&run.asked, told("method"), told("target")) {
        (Start::Resume(_), Some(method), Some(target)) => (method, vec![target]),
        _ => (run.what.clone(), run.targets.clone()),
    }
}
