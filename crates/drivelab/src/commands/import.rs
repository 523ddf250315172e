//! `drivelab import`: results of other tools, stored beside our own.

use std::path::Path;

use ::results::{RESULTS_SCHEMA, RunResult, RunResults};
use imports::Source;

use crate::arguments::ImportArguments;
use crate::commands::{Session, now_unix_ms};
use crate::output::{Failure, print_json, say};

/// Reads all files before anything is stored.
pub(crate) fn import(session: &Session, arguments: &ImportArguments) -> Result<(), Failure> {
    let read = arguments.files.iter().map(|path| result(session, path));
    let results: Vec<RunResult> = read.collect::<Result<_, _>>()?;
    if arguments.json {
        return print_json(&RunResults {
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
    let refused =
        |why: &dyn std::fmt::Display| Failure::Usage(format!("{}: {why}", path.display()));
    let bytes = base::whole_file::bytes(path, imports::LARGEST).map_err(|why| refused(&why))?;
    let imported = imports::read(&bytes).map_err(|why| Failure::Said {
        line: format!("{}: {why}", path.display()),
        exit: why.exit(),
    })?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    let source = Source {
        file: &name.to_string_lossy(),
        bytes: &bytes,
        drivelab: env!("CARGO_PKG_VERSION"),
        command: &session.command,
    };
    Ok(imports::into_result(imported, source))
}
