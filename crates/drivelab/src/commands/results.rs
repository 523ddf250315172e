//! `drivelab results`, `report` and `compare`: what was stored.

use std::fmt::Write as _;
use std::path::Path;

use ::results::RunResult;
use report::HtmlOptions;

use crate::arguments::{CompareArguments, CsvTable, ReportArguments};
use crate::commands::{Session, plan};
use crate::output::{Failure, print, print_json, print_json_text, say};

/// Lists the stored runs, the latest first.
pub(crate) fn list(session: &Session, json: bool) -> Result<(), Failure> {
    let store = session.open_store()?;
    let listing = lab::listing::results(&store)?;
    if json {
        return print_json(&listing);
    }
    let mut text = String::new();
    for run in &listing.results {
        let _ = writeln!(
            text,
            "{:>5}  {}  {:11}  {:24}  {}{}",
            run.id,
            run.began,
            run.state,
            run.method,
            run.target,
            run.plan.as_ref().map_or_else(String::new, |plan| format!(
                "  (plan-{}, step {})",
                plan.id, plan.step
            ))
        );
    }
    if listing.results.is_empty() {
        say("no results yet: `drivelab review` makes some");
    }
    print(&text)
}

fn stored(session: &Session, names: &[String]) -> Result<Vec<RunResult>, Failure> {
    let store = session.open_store()?;
    let mut results = Vec::new();
    for name in names {
        if let Some(id) = plans::prepared::named(name)? {
            results.extend(plans::outcome::stored_outcome(&store, id)?.results);
            continue;
        }
        let which = name.parse().map_err(lab::LabError::from)?;
        results.push(lab::running::stored_result(&store, which)?);
    }
    Ok(results)
}

/// Makes a report of stored results.
pub(crate) fn report(session: &Session, arguments: &ReportArguments) -> Result<(), Failure> {
    if arguments.results.is_empty() {
        return super::browse::all(session, arguments);
    }
    if arguments.open && arguments.html.is_none() && arguments.folder.is_none() {
        return Err(Failure::Usage(
            "--open opens what is written: add --html FILE or --folder DIR".to_owned(),
        ));
    }
    if let ([name], false) = (&arguments.results[..], has_other_form(arguments))
        && let Some(id) = plans::prepared::named(name)?
    {
        let store = session.open_store()?;
        let outcome = plans::outcome::stored_outcome(&store, id)?;
        return plan::show(session, &outcome, arguments.html.as_deref(), arguments.json);
    }
    let results = stored(session, &arguments.results)?;
    write_pages(session, arguments, &results)?;
    let failed = |error: &dyn std::fmt::Display| Failure::Failed(error.to_string());
    if arguments.uses {
        if arguments.json {
            return print_json_text(&report::uses::json(&results).map_err(|e| failed(&e))?);
        }
        return print(&report::uses::text(&results, &session.terminal()));
    }
    if arguments.json {
        let text = report::json::results(&results).map_err(|e| failed(&e))?;
        return print_json_text(&text);
    }
    match arguments.csv {
        Some(CsvTable::Figures) => {
            return print(&report::csv::figures(&results).map_err(|e| failed(&e))?);
        }
        Some(CsvTable::Verdict) => {
            let table = report::csv::table(&results, session.lang);
            return print(&table.map_err(|e| failed(&e))?);
        }
        None => {}
    }
    if arguments.iometer_csv {
        let text = report::iometer_csv::results(&results);
        return print(&text.map_err(|e| failed(&e))?);
    }
    let written = [&arguments.html, &arguments.folder, &arguments.plots];
    if written.iter().all(|place| place.is_none()) {
        print(&report::terminal::summary(&results, &session.terminal()))?;
    }
    Ok(())
}

/// True where something else is asked for than the account of a plan, its page or its JSON.
fn has_other_form(arguments: &ReportArguments) -> bool {
    let files = arguments.folder.is_some() || arguments.plots.is_some();
    let tables = arguments.csv.is_some() || arguments.iometer_csv || arguments.uses;
    files || tables || arguments.open
}

/// What goes into files: a page, a folder, pictures.
fn write_pages(
    session: &Session,
    arguments: &ReportArguments,
    results: &[RunResult],
) -> Result<(), Failure> {
    let options = HtmlOptions {
        lang: session.lang,
        title: None,
    };
    if let Some(path) = &arguments.html {
        lab::check_report_place(path)?;
        session.write_html(path, results)?;
        say(&format!("report: {}", path.display()));
    }
    if let Some(folder) = &arguments.folder {
        let files = report::folder(results, &options);
        let files = files.map_err(|e| Failure::Failed(e.to_string()))?;
        write_files(folder, &files)?;
        say(&format!("report: {}", folder.join("index.html").display()));
    }
    if let Some(folder) = &arguments.plots {
        let files = report::pictures(results, &options);
        write_files(folder, &files)?;
        say(&format!("{} pictures in {}", files.len(), folder.display()));
    }
    if arguments.open {
        let folder = arguments.folder.as_ref().map(|f| f.join("index.html"));
        if let Some(page) = arguments.html.clone().or(folder) {
            super::browse::open(&page);
        }
    }
    Ok(())
}

fn write_files(folder: &Path, files: &[report::File]) -> Result<(), Failure> {
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|file| (file.path.as_str(), file.content.as_str()))
        .collect();
    Ok(lab::replace_folder(folder, &files)?)
}

/// Sets stored results side by side.
pub(crate) fn compare(session: &Session, arguments: &CompareArguments) -> Result<(), Failure> {
    let results = stored(session, &arguments.results)?;
    let comparison = analysis::compare::compare(&results);
    if results.len() < 2 {
        let alone = analysis::compare::refusal(&comparison).unwrap_or_default();
        return Err(Failure::Usage(alone));
    }
    if arguments.json {
        let text =
            report::compare::json(&comparison).map_err(|e| Failure::Failed(e.to_string()))?;
        print_json_text(&text)?;
    } else {
        print(&report::compare::text(&results, &session.terminal()))?;
    }
    match analysis::compare::refusal(&comparison) {
        None => Ok(()),
        Some(why) => Err(Failure::Failed(why)),
    }
}
