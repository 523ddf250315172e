//! One method on one target: a name is resolved and opened, the method runs, its result is kept.
//!
//! Real drives and modelled ones meet here, and nowhere below. What makes many runs of one (plans, sweeps,
//! reviews) lies above; the command line parses arguments, shows progress and prints what comes back.

use std::path::{Path, PathBuf};

pub mod carry;
pub mod environment;
pub mod error;
mod execute;
pub mod grammar;
pub mod health;
mod health_watch;
pub mod how_long;
mod inputs;
mod lab_bench;
pub mod listing;
mod made_again;
pub mod opening;
pub mod progress;
pub mod recording;
mod repeating;
mod report_file;
pub mod running;
mod test_files;
pub mod whole_file;

pub use error::LabError;
pub use report_file::{check_report_place, replace_folder, replace_report};
pub use store::{PlanId, Store};

/// Where results are kept unless another place is named.
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

/// Brings the store to rest: to be called when no phase runs.
///
/// # Errors
/// Where the disk is full or fails.
pub fn rest(store: &Store) -> Result<(), LabError> {
    store.rest()?;
    Ok(())
}
