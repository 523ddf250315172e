//! `drivelab results`, `report` and `compare`: what was stored.

use std::fmt::Write as _;

use base::result::RunResult;

use crate::arguments::{CompareArguments, ReportArguments};
use crate::commands::Session;
use crate::output::{Failure, print, print_json, say};

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
            "{:>5}  {}  {:11}  {:24}  {}",
            run.id, run.began, run.state, run.method, run.target
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
        let which = name.parse().map_err(lab::LabError::from)?;
        results.push(lab::running::stored_result(&store, which)?);
    }
    Ok(results)
}

/// Makes a report of stored results.
pub(crate) fn report(session: &Session, arguments: &ReportArguments) -> Result<(), Failure> {
    let results = stored(session, &arguments.results)?;
    if let Some(path) = &arguments.html {
        lab::check_report_place(path)?;
        session.write_html(path, &results)?;
        say(&format!("report: {}", path.display()));
    }
    if arguments.json {
        let text = report::json::results(&results).map_err(|e| Failure::Failed(e.to_string()))?;
        return print(&format!("{}\n", text.trim_end()));
    }
    if arguments.csv {
        return print(&report::csv::figures(&results).map_err(|e| Failure::Failed(e.to_string()))?);
    }
    if arguments.iometer_csv {
        let text = report::iometer_csv::results(&results);
        return print(&text.map_err(|e| Failure::Failed(e.to_string()))?);
    }
    if arguments.html.is_none() {
        print(&report::terminal::summary(&results, &session.terminal()))?;
    }
    Ok(())
}

/// Sets stored results side by side.
pub(crate) fn compare(session: &Session, arguments: &CompareArguments) -> Result<(), Failure> {
    let results = stored(session, &arguments.results)?;
    if arguments.json {
        let comparison = report::compare::compare(&results);
        let text =
            report::compare::json(&comparison).map_err(|e| Failure::Failed(e.to_string()))?;
        return print(&format!("{}\n", text.trim_end()));
    }
    print(&report::compare::text(&results, &session.terminal()))
}
