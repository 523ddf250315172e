//! `drivelab review`: the main job.

use plans::review::{BESIDE, Review};

use crate::arguments::ReviewArguments;
use crate::commands::{Session, consent, have_measured, now_unix_ms};
use crate::output::{Failure, print, print_json, say};
use crate::progress_line::ProgressLine;
use crate::signals;

/// Reviews a target: summary on the terminal, a report, stored results.
pub(crate) fn review(session: &Session, arguments: ReviewArguments) -> Result<(), Failure> {
    let review = Review {
        consent: consent(&arguments.consent, &arguments.target)?,
        beside: if arguments.beside.is_empty() {
            BESIDE.iter().map(|&name| name.to_owned()).collect()
        } else {
            arguments.beside.clone()
        },
        target: arguments.target.clone(),
        scale: arguments.scale.into(),
        seed: arguments.seed,
        command: session.command.clone(),
        now_unix_ms,
    };
    if arguments.consent.dry_run {
        print(&(review.dry_run()?.join("\n") + "\n"))?;
        review.would_run()?;
    }
    lab::check_report_place(&arguments.html)?;
    if arguments.consent.dry_run {
        return Ok(());
    }
    let store = session.open_store()?;
    signals::watch(&session.interrupt)?;
    let mut progress = ProgressLine::new();
    let results = review.run(Some(&store), &mut progress, &session.interrupt)?;
    progress.clear();
    // As in `run`: written first, and that it failed is said last.
    let report = session.write_html(&arguments.html, &results);
    lab::rest(&store)?;
    if arguments.json {
        let document: serde_json::Value = serde_json::from_str(
            &report::json::results(&results).map_err(|e| Failure::Failed(e.to_string()))?,
        )
        .map_err(|e| Failure::Failed(e.to_string()))?;
        print_json(&document)?;
    } else {
        print(&report::terminal::summary(&results, &session.terminal()))?;
    }
    report?;
    let ids: Vec<String> = results.iter().map(|r| r.id.to_string()).collect();
    say(&format!(
        "report: {}; stored as {}",
        arguments.html.display(),
        ids.join(", ")
    ));
    have_measured(&results)
}
