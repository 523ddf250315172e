//! Which drives and hosts there are.
//!
//! Drives stand in two lists. Those that are held against published or measured figures are yardsticks: neighbours of a
//! reviewed drive are chosen among them, and tests run over all of them. A drive known from little more than its data
//! sheet is opened by name like any other, but its model is a guess from its kind, so that nothing is compared with it
//! unasked.

use super::{CatalogueError, DRIVES, DriveCard, Entry, HOSTS, SHEET_DRIVES, describe};

/// The drives that there are.
///
/// # Errors
/// Where a file of the catalogue is wrong: a test keeps that from happening.
pub fn drives() -> Result<Vec<DriveCard>, CatalogueError> {
    cards(DRIVES)
}

/// The drives known from little more than their data sheets.
///
/// # Errors
/// As [`drives`].
pub fn sheet_drives() -> Result<Vec<DriveCard>, CatalogueError> {
    cards(SHEET_DRIVES)
}

/// Whether little more than the data sheet is known of the drive of a name.
pub fn is_known_by_data_sheet(slug: &str) -> bool {
    SHEET_DRIVES.iter().any(|entry| entry.slug == slug)
}

fn cards(entries: &[Entry]) -> Result<Vec<DriveCard>, CatalogueError> {
    let card = |entry: &Entry| Ok(describe(entry.slug)?.card);
    entries.iter().map(card).collect()
}

/// The names of the hosts that there are.
pub fn host_names() -> Vec<&'static str> {
    HOSTS.iter().map(|entry| entry.slug).collect()
}

/// The text of a host's file, by its name.
pub fn host_text(name: &str) -> Option<&'static str> {
    let entry = HOSTS.iter().find(|entry| entry.slug == name)?;
    Some(entry.text)
}
