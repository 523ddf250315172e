//! `drivelab import`: results of other tools, stored beside our own.

use std::path::Path;

use ::results::{RESULTS_SCHEMA, RunResult, RunResults};

use crate::arguments::ImportArguments;
use crate::commands::{Session, now_unix_ms};
use crate::output::{Failure, print_json, say};

/// Reads all files before anything is stored.
pub(crate) fn import(session: &Session, arguments: &ImportArguments) -> Result<(), Failure> {
    let read = arguments.files.iter().map(|path| result(session, path));
    let results: Vec<RunResult> = read.collect::<Result<_, _>>()?;
    if arguments.json {
        return print_json(&RunResults {
            plan: None,
            schema: RESULTS_SCHEMA,
            results: &results,
        });
    }
    let store = session.open_store()?;
    for result in results {
        let from = result.imported.clone().unwrap_or_default();
        let tool = match &from.version {
            Some(version) => format!("{} {version}", from.tool),
            None => from.tool,
        };
        let stored = match lab::importing::already_imported(&store, &from.sha256)? {
            Some(id) => format!("the same file is stored already, as {}", id.0),
            None => {
                let stored = lab::importing::store_imported(&store, result, now_unix_ms())?;
                format!("stored as {}", stored.id)
            }
        };
        say(&format!("{}: {tool}, {stored}", from.file));
    }
    lab::rest(&store)?;
    Ok(())
}

/// The result that a file holds.
fn result(session: &Session, path: &Path) -> Result<RunResult, Failure> {
    let version = env!("CARGO_PKG_VERSION");
    imports::result_of(path, version, &session.command).map_err(|why| Failure::Said {
        line: why.to_string(),
        exit: why.exit(),
    })
}
