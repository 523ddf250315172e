//! `drivelab report --open`: a page over all stored results, and the user's browser.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use report::browser::Entry;

use crate::arguments::ReportArguments;
use crate::commands::Session;
use crate::output::{Failure, say};

/// Writes the page of all stored results, next to the store unless `--html` gives a path, and opens it.
pub(crate) fn all(session: &Session, arguments: &ReportArguments) -> Result<(), Failure> {
    let unanswered = [&arguments.folder, &arguments.plots];
    if unanswered.iter().any(|place| place.is_some()) {
        return Err(Failure::Usage(
            "--folder and --plots need results: give their numbers".to_owned(),
        ));
    }
    let store = session.open_store_to_read()?;
    let path = match &arguments.html {
        Some(path) => path.clone(),
        None => beside(store.path()),
    };
    lab::check_report_place(&path)?;
    let mut entries = Vec::new();
    let mut details = Vec::new();
    for run in lab::listing::results(&store)?.results {
        if !run.has_result() {
            let (began, state) = (&run.began, &run.state);
            let entry = Entry::without_result(run.id, began, state, &run.method, &run.target);
            entries.push(entry);
            continue;
        }
        let which = run.id.to_string().parse().map_err(lab::LabError::from)?;
        let result = lab::running::stored_result(&store, which)?;
        entries.push(Entry::of(&result, &run.began, &run.state));
        if details.len() < arguments.newest {
            details.push(result);
        }
    }
    let options = session.html_options(None);
    let page = report::browser::page(&entries, &details, &options);
    lab::replace_report(&path, &page)?;
    open(&path);
    Ok(())
}

fn beside(store: &Path) -> PathBuf {
    store.with_file_name("drivelab-results.html")
}

/// Opens a page in the user's browser: the first of `$BROWSER` that starts, else `xdg-open` if there is a desktop.
/// Without one, only the page's path is printed.
pub(crate) fn open(page: &Path) {
    let page = std::path::absolute(page).unwrap_or_else(|_| page.to_owned());
    match start_browser(&page) {
        true => say(&format!("opened {}", page.display())),
        false => say(&format!(
            "no browser was found (BROWSER names one): open {}",
            page.display()
        )),
    }
}

/// The same for a page whose address has been printed already.
pub(crate) fn open_quietly(page: &Path) {
    start_browser(page);
}

/// Whether a browser was started with this page.
fn start_browser(page: &Path) -> bool {
    let named = std::env::var("BROWSER").unwrap_or_default();
    let has_desktop = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    let mut browsers: Vec<&str> = named.split(':').filter(|b| !b.trim().is_empty()).collect();
    if has_desktop {
        browsers.push("xdg-open");
    }
    browsers.iter().any(|browser| start(browser, page))
}

/// Starts `browser PAGE`, or, if the words of `$BROWSER` contain `%s`, with the page instead of it.
fn start(browser: &str, page: &Path) -> bool {
    let mut words = browser.split_whitespace();
    let Some(program) = words.next() else {
        return false;
    };
    let mut command = Command::new(program);
    let mut is_named = false;
    for word in words {
        if word == "%s" {
            command.arg(page);
            is_named = true;
        } else {
            command.arg(word);
        }
    }
    if !is_named {
        command.arg(page);
    }
    let silent = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    silent.spawn().is_ok()
}
