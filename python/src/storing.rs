//! Stored results: listed, chosen by the words of the command line, read; and files of other tools, imported.
//!
//! A store is opened for each call, and not held: another process may use it meanwhile.

use std::path::PathBuf;

use lab::Which;
use pyo3::prelude::*;

use crate::documents::json;
use crate::errors::{Failure, raise};
use crate::run_result::RunResult;
use crate::running::now_unix_ms;

/// Where the command line keeps the user's results.
#[pyfunction]
pub(crate) fn default_store(py: Python<'_>) -> PyResult<PathBuf> {
    raise(py, lab::default_store_path())
}

/// The stored runs, the latest first, on `drivelab.runs/1`.
#[pyfunction]
pub(crate) fn results_of(py: Python<'_>, store: PathBuf) -> PyResult<String> {
    let listed = || -> Result<String, Failure> {
        let store = lab::open_store_to_read(&store)?;
        json(&lab::listing::results(&store)?)
    };
    raise(py, listed())
}

/// The results that words mean: `9-12`, `last:3`, `plan-2`, `tag:desk`, a name.
#[pyfunction]
pub(crate) fn read_stored(
    py: Python<'_>,
    store: PathBuf,
    words: Vec<String>,
) -> PyResult<Vec<RunResult>> {
    let read = || -> Result<Vec<RunResult>, Failure> {
        let store = lab::open_store_to_read(&store)?;
        let runs = lab::choose(&store, &words)?;
        let each = runs.into_iter().map(|run| {
            let result = lab::running::stored_result(&store, Which::Id(run))?;
            Ok(RunResult::new(result))
        });
        each.collect()
    };
    raise(py, read())
}

/// A result from its document, as `--json` prints it.
#[pyfunction]
pub(crate) fn read_text(py: Python<'_>, text: &str) -> PyResult<RunResult> {
    let read = serde_json::from_str::<results::RunResult>(text);
    let mut result = raise(
        py,
        read.map_err(|why| Failure::invalid(format!("no result: {why}"))),
    )?;
    result.restore_messages();
    Ok(RunResult::new(result))
}

/// The result that another tool's file holds.
#[pyfunction]
pub(crate) fn import_file(
    py: Python<'_>,
    path: PathBuf,
    command: Vec<String>,
) -> PyResult<RunResult> {
    let read = imports::result_of(&path, env!("CARGO_PKG_VERSION"), &command);
    let read = read.map_err(|why| Failure::new(why.exit(), why));
    raise(py, read.map(RunResult::new))
}

/// Stores an imported result, once; returns its number, and whether it was stored already.
#[pyfunction]
pub(crate) fn store_imported(
    py: Python<'_>,
    result: PyRef<'_, RunResult>,
    store: PathBuf,
) -> PyResult<(i64, bool)> {
    let stored = || -> Result<(i64, bool), Failure> {
        let store = lab::open_store(&store)?;
        let result = (*result.result).clone();
        let from = result.imported.clone().unwrap_or_default();
        if let Some(id) = lab::importing::already_imported(&store, &from.sha256)? {
            return Ok((id.0, true));
        }
        let stored = lab::importing::store_imported(&store, result, now_unix_ms())?;
        lab::rest(&store)?;
        Ok((stored.id, false))
    };
    raise(py, stored())
}
