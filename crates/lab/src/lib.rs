//! One method on one target: resolve, admit, open, measure and store.
//!
//! Multiple runs (plans, sweeps, reviews) are handled by crates above; the command line parses arguments, shows
//! progress and prints the results.

use std::path::{Path, PathBuf};

pub mod carry;
pub mod environment;
pub mod error;
mod execute;
pub mod health;
mod health_watch;
pub mod how_long;
pub mod importing;
mod inputs;
pub mod io_list;
mod lab_bench;
pub mod listing;
mod made_again;
pub mod new_drive;
pub mod point;
pub mod progress;
pub mod recording;
mod repeating;
mod report_file;
pub mod running;
mod test_files;
pub mod whole_file;

pub use error::LabError;
pub use report_file::{check_report_place, free_report_name, replace_folder, replace_report};
pub use store::{Labels, Merged, PlanId, RunId, Store, Which};

/// The default location of results.
///
/// # Errors
/// Where the user has no home.
pub fn default_store_path() -> Result<PathBuf, LabError> {
    Ok(store::default_path()?)
}

/// Opens the result store, and makes it where there is none.
///
/// # Errors
/// Where it cannot be made or read.
pub fn open_store(path: &Path) -> Result<Store, LabError> {
    Ok(Store::open(path)?)
}

/// Opens the result store for reading and deleting, even if there is no room for results or nothing may be written.
///
/// # Errors
/// Where it cannot be made or read.
pub fn open_store_to_read(path: &Path) -> Result<Store, LabError> {
    Ok(Store::open_to_read(path)?)
}

/// Opens a result store that must be there, to be read.
///
/// # Errors
/// Where it is not, or cannot be read.
pub fn open_existing_store(path: &Path) -> Result<Store, LabError> {
    Ok(Store::open_existing(path)?)
}

/// Copies the runs and plans of another store that are not in this one yet.
///
/// # Errors
/// Where one of the two cannot be read or written.
pub fn merge(into: &Store, from: &Store) -> Result<Merged, LabError> {
    Ok(into.merge(from)?)
}

/// The stored runs that words of a command line mean: `9-12`, `last:3`, `all`, `plan-2`, `tag:desk`, a name.
///
/// # Errors
/// An invalid word, or something that does not exist.
pub fn choose(store: &Store, words: &[String]) -> Result<Vec<RunId>, LabError> {
    Ok(store.choose(words)?)
}

/// Changes name, tags and note of a stored run.
///
/// # Errors
/// No such run, a name that another one has, a word that can be no name or tag.
pub fn label(store: &Store, run: RunId, labels: &Labels) -> Result<(), LabError> {
    Ok(store.label(run, labels)?)
}

/// Deletes a stored run.
///
/// # Errors
/// No such run, or one that is running.
pub fn delete(store: &Store, run: RunId) -> Result<(), LabError> {
    Ok(store.delete(run)?)
}

/// Deletes a stored plan; its runs are left.
///
/// # Errors
/// No such plan, or one that is running.
pub fn delete_plan(store: &Store, plan: PlanId) -> Result<(), LabError> {
    Ok(store.delete_plan(plan)?)
}

/// Checkpoints the store: to be called when no phase runs.
///
/// # Errors
/// Where the disk is full or fails.
pub fn rest(store: &Store) -> Result<(), LabError> {
    store.rest()?;
    Ok(())
}
