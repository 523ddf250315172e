//! `drivelab sweep`: a modelled drive, varied.

use std::io::{IsTerminal, Write};

use plans::sweep::SweepRequest;

use crate::arguments::SweepArguments;
use crate::commands::{Session, can_report};
use crate::output::{Failure, columns, failed, print, print_json, say};
use crate::signals;

mod by_dask;

/// Runs a method on each point of a grid.
pub(crate) fn sweep(session: &Session, arguments: SweepArguments) -> Result<(), Failure> {
    can_report(arguments.html.as_deref())?;
    let request = SweepRequest {
        method: arguments.method.method,
        target: arguments.method.target,
        vary: arguments.vary,
        figures: arguments.figure,
        set: arguments.method.set,
        scale: arguments.method.scale.into(),
        seed: arguments.method.seed,
        jobs: arguments.jobs.threads(),
    };
    signals::watch(&session.interrupt)?;
    let swept = match &arguments.scheduler {
        Some(address) => plans::sweep::sweep_by(&request, |points| {
            by_dask::make(address, points, &session.interrupt, &counter)
        })?,
        None => plans::sweep::sweep(&request, &session.interrupt, &counter)?,
    };
    if let Some(path) = &arguments.html {
        let options = session.html_options(None);
        lab::replace_report(path, &report::sweep::html(&swept, &options))?;
    }
    if arguments.json {
        print_json(&swept)?;
    } else if arguments.csv {
        print(&report::sweep::csv(&swept).map_err(failed)?)?;
    } else {
        print(&report::sweep::table(&swept, columns(), session.lang))?;
    }
    if let Some(path) = &arguments.html {
        say(&format!("page: {}", path.display()));
    }
    Ok(())
}

/// Counts the points on a terminal, on one line.
pub(super) fn counter(done: usize, of: usize) {
    let mut out = std::io::stderr();
    if !out.is_terminal() {
        return;
    }
    let line = if done == of {
        "\r\x1b[K".to_owned()
    } else {
        format!("\r\x1b[K{done} of {of} points")
    };
    let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
}
