//! What another tool measured, as a finished run of the store.
//!
//! Such a run has no phases and is never resumed. The SHA-256 of its file stands in the run's settings, so that the same file
//! is found again without reading every result.

use results::RunResult;
use serde::{Deserialize, Serialize};
use store::{RunHeader, RunId, Store};

use crate::error::LabError;
use crate::running::headline;

/// What stands in a run's settings besides what every run has.
#[derive(Deserialize)]
struct ImportedSettings {
    /// SHA-256 of the file.
    imported_sha256: String,
}

/// The run that holds the file with this SHA-256, where it is stored already.
///
/// # Errors
/// Where the store cannot be read.
pub fn already_imported(store: &Store, sha256: &str) -> Result<Option<RunId>, LabError> {
    let is_it = |settings: &str| {
        let settings = serde_json::from_str::<ImportedSettings>(settings);
        settings.is_ok_and(|settings| settings.imported_sha256 == sha256)
    };
    let runs = store.list()?;
    Ok(runs
        .iter()
        .find(|run| is_it(&run.settings))
        .map(|run| run.id))
}

/// Stores an imported result as a finished run. `now_unix_ms` is its place in the list where its file has no date.
///
/// # Errors
/// Where the store cannot be written.
pub fn store_imported(
    store: &Store,
    result: RunResult,
    now_unix_ms: u64,
) -> Result<RunResult, LabError> {
    let began = match result.began_unix_ms {
        0 => now_unix_ms,
        began => began,
    };
    let imported = result.imported.clone().unwrap_or_default();
    // As every run's, so that whoever wants to resume it is told why not.
    let settings = serde_json::json!({
        "scale": result.scale,
        "seed": 0,
        "set": [],
        "destroy_data": false,
        "begins_anew": true,
        "imported_sha256": imported.sha256,
    });
    store_finished(store, result, &settings, began)
}

/// Stores a result that was not made here, as a finished run with these settings.
pub(crate) fn store_finished(
    store: &Store,
    mut result: RunResult,
    settings: &serde_json::Value,
    began_unix_ms: u64,
) -> Result<RunResult, LabError> {
    let run = store.begin_run(&RunHeader {
        method: &result.method,
        target: &result.target.name,
        settings: &document(settings, 0)?,
        environment: &document(&result.environment, 0)?,
        started_unix_ms: i64::try_from(began_unix_ms).unwrap_or(i64::MAX),
    })?;
    result.id = run.id().0;
    result.gather_messages();
    if let Some(figure) = headline(&result) {
        // A list without it is no reason to lose the result.
        let _ = run.headline(&figure);
    }
    run.finish(&document(&result, result.id)?)?;
    Ok(result)
}

fn document(of: &impl Serialize, id: i64) -> Result<String, LabError> {
    serde_json::to_string(of).map_err(|error| LabError::Document {
        id,
        what: "result",
        why: error.to_string(),
    })
}
