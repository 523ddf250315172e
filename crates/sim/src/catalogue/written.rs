//! A drive's file as it is written, to tell whether it is still the same.

use super::{CatalogueError, HOSTS, ModelOptions, drive_texts, find};

/// All that is written of a drive: its file, its families' and its kind's.
///
/// # Errors
/// Where there is no such drive, or its files cannot be read.
pub fn written(name: &str) -> Result<String, CatalogueError> {
    let (_, texts) = drive_texts(name, &ModelOptions::default())?;
    Ok(texts.as_written())
}

/// The same of a host.
///
/// # Errors
/// Where there is no such host, or its file cannot be read.
pub fn written_of_host(name: &str) -> Result<String, CatalogueError> {
    find(name, "host", &[HOSTS]).map(|(_, _, text)| text)
}
