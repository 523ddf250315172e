//! The hub: opens targets by their names, runs methods on them, keeps the results.
//!
//! The only room that sees all others. What a command does is a function here; the command line
//! parses arguments, shows progress and prints what comes back.

use std::path::{Path, PathBuf};

pub mod bench_endurance;
pub mod bench_engine;
pub mod bench_mechanisms;
pub mod bench_model;
pub mod calibrate;
mod carry;
mod change_points;
pub mod environment;
pub mod error;
pub mod families;
pub mod grammar;
pub mod health;
mod health_watch;
mod how_long;
mod inputs;
mod issuing;
mod lab_bench;
pub mod listing;
mod made_again;
pub mod opening;
pub mod plan;
pub mod progress;
pub mod recording;
mod repeating;
mod report_file;
pub mod reproduce;
pub mod rescue;
pub mod review;
mod rings;
pub mod running;
pub mod screening;
pub mod sweep;
mod test_files;
pub mod validate;
mod whole_file;

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
