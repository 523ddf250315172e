//! A store that cannot be written, to be read.
//!
//! With a write-ahead log even a reader writes: the log's index is a file next to the store, mapped by all processes.
//! If there is no room for it, a connection with exclusive access keeps the index in its own memory; it may use the
//! last free space, so that something can be deleted. If nothing may be written at all, a store without a log is read
//! as an immutable file (`immutable`), and one with a log, which contains its newest results, from a copy in the
//! directory for temporary files.
//!
//! Source: SQLite, "Write-Ahead Logging", sections 6 (use without shared memory) and 7 (read-only databases).

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use crate::{StoreError, owner_only, schema};

/// A connection to a store that could not be opened for this reason; none where it cannot be read either.
pub(crate) fn open(path: &Path, why: &StoreError) -> Option<(Connection, Option<TempDir>)> {
    if !path.is_file() {
        return None;
    }
    match why {
        StoreError::Full { .. } => alone(path)
            .map(|connection| (connection, None))
            .or_else(|| unwritten(path)),
        StoreError::ReadOnly { .. }
        | StoreError::CannotOpen { .. }
        | StoreError::Sqlite { .. }
        | StoreError::Folder { .. } => unwritten(path),
        _ => None,
    }
}

/// A connection that has the store for itself.
fn alone(path: &Path) -> Option<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).ok()?;
    // Before anything is read: then the index never is a file.
    let set = |name, value: &str| connection.pragma_update(None, name, value);
    set("locking_mode", "EXCLUSIVE").ok()?;
    set("synchronous", "NORMAL").ok()?;
    connection
        .pragma_update(None, "wal_autocheckpoint", 0)
        .ok()?;
    set("foreign_keys", "ON").ok()?;
    schema::is_current(&connection, path).then_some(connection)
}

/// A connection that writes nothing where the store is.
fn unwritten(path: &Path) -> Option<(Connection, Option<TempDir>)> {
    let log = owner_only::beside(path, "-wal");
    let has_log = std::fs::metadata(&log).is_ok_and(|found| found.len() > 0);
    if !has_log {
        let connection = immutable(path)?;
        return schema::is_current(&connection, path).then_some((connection, None));
    }
    let folder = tempfile::tempdir().ok()?;
    let copy: PathBuf = folder.path().join("results.sqlite3");
    std::fs::copy(path, &copy).ok()?;
    std::fs::copy(&log, owner_only::beside(&copy, "-wal")).ok()?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    for file in [copy.clone(), owner_only::beside(&copy, "-wal")] {
        owner_only::tighten(&file);
    }
    let connection = Connection::open_with_flags(&copy, flags).ok()?;
    // What is written into a copy is lost: nothing is.
    connection.pragma_update(None, "query_only", true).ok()?;
    schema::is_current(&connection, path).then_some((connection, Some(folder)))
}

/// The file as it is, without a lock and without its log.
fn immutable(path: &Path) -> Option<Connection> {
    let path = std::path::absolute(path).ok()?;
    let mut uri = "file:".to_owned();
    for byte in path.to_str()?.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(uri, flags).ok()
}
