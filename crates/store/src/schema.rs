//! The tables, their version, and how a connection is set up.
//!
//! SQLite's header has two numbers for applications: `application_id` identifies the file type, and `user_version` the
//! version of its tables. A foreign file is refused before anything in it is changed; a store of a newer version is
//! refused as well, since its meaning is not known here.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::{StoreError, owner_only, room};

/// "drvl" in ASCII.
const APPLICATION: i64 = 0x6472_766c;

/// The tables, version by version: entry `n` leads from version `n` to `n + 1`. Only ever append.
const STEPS: &[&str] = &["
    CREATE TABLE runs (
        id              INTEGER PRIMARY KEY AUTOINCREMENT,
        method          TEXT NOT NULL,
        target          TEXT NOT NULL,
        settings        TEXT NOT NULL,            -- JSON
        environment     TEXT NOT NULL,            -- JSON
        started_unix_ms INTEGER NOT NULL,
        pid             INTEGER NOT NULL,         -- the process that writes it, 0 for none: see process.rs
        pid_start       INTEGER NOT NULL,         -- clock ticks since boot
        boot            TEXT NOT NULL,
        ended           TEXT CHECK (ended IN ('finished', 'failed')),  -- NULL: goes on, or was interrupted
        result          TEXT,                     -- JSON, of a finished run
        reason          TEXT                      -- of a failed run
    );
    CREATE TABLE phases (
        number   INTEGER PRIMARY KEY,             -- in the order in which they began
        run      INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        name     TEXT NOT NULL,
        done     INTEGER NOT NULL,                -- 0, in older rows: what was measured so far
        workload TEXT NOT NULL,                   -- JSON
        record   TEXT NOT NULL,                   -- JSON
        UNIQUE (run, name)
    );
", "
    CREATE TABLE plans (
        id              INTEGER PRIMARY KEY AUTOINCREMENT,
        name            TEXT NOT NULL,
        document        TEXT NOT NULL,            -- JSON: the whole plan as it was begun
        started_unix_ms INTEGER NOT NULL,
        pid             INTEGER NOT NULL,         -- as in runs
        pid_start       INTEGER NOT NULL,
        boot            TEXT NOT NULL,
        ended           TEXT CHECK (ended IN ('finished', 'failed'))  -- failed: a step has no result
    );
    ALTER TABLE runs ADD COLUMN plan INTEGER REFERENCES plans (id) ON DELETE SET NULL;
    ALTER TABLE runs ADD COLUMN step INTEGER;     -- of the plan, counted from 1
    CREATE UNIQUE INDEX runs_of_plans ON runs (plan, step) WHERE plan IS NOT NULL;
", "
    -- A result holds its run's phases: until now they were kept twice.
    DELETE FROM phases WHERE run IN (SELECT id FROM runs WHERE ended = 'finished' AND result IS NOT NULL);
", "
    ALTER TABLE runs ADD COLUMN away TEXT;        -- how the drive went away, of a run that has no end and can go on
", "
    ALTER TABLE runs ADD COLUMN headline TEXT;    -- JSON: the figure that a list shows of it
    ALTER TABLE runs ADD COLUMN name TEXT;        -- that somebody gave it, unique
    ALTER TABLE runs ADD COLUMN tags TEXT;        -- that somebody gave it, a blank between two
    ALTER TABLE runs ADD COLUMN note TEXT;
    CREATE UNIQUE INDEX runs_by_name ON runs (name) WHERE name IS NOT NULL;
    UPDATE runs SET headline = (
        SELECT json_object('key', json_extract(value, '$.key'), 'value', json_extract(value, '$.value'),
                           'unit', json_extract(value, '$.unit'))
        FROM json_each(runs.result, '$.figures')
        WHERE json_extract(value, '$.value') IS NOT NULL LIMIT 1)
    WHERE result IS NOT NULL AND json_valid(result);
"];

/// A database has one page at least, and that 512 bytes (SQLite's file format).
const LEAST_BYTES: u64 = 512;

/// How long to wait for another process that writes; one transaction takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// Between two attempts of what SQLite does not wait for by itself.
const PAUSE: Duration = Duration::from_millis(5);

/// Opens the database, makes the tables or brings them up to date, and sets the connection up.
pub(crate) fn open(path: &Path) -> Result<Connection, StoreError> {
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        owner_only::make_folder(folder).map_err(|source| StoreError::Folder {
            path: folder.to_path_buf(),
            source,
        })?;
    }
    check_place(path)?;
    room::check_opening(path)?;
    owner_only::make_file(path);
    let fail = |error| StoreError::sqlite(path, "opening the store", error);
    // No SQLITE_OPEN_URI: a file may be called "file:x".
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(fail)?;
    connection.busy_timeout(PATIENCE).map_err(fail)?;
    owner_only::tighten(path);
    let version = version(&connection, path)?;
    set_up(&connection).map_err(fail)?;
    if version < STEPS.len() {
        bring_up_to_date(&mut connection, path)?;
    }
    Ok(connection)
}

/// What SQLite would take for an empty database, and write over: a device whose first blocks are empty, a file
/// of less than a block, and one whose log is all that is left.
fn check_place(path: &Path) -> Result<(), StoreError> {
    let found = std::fs::metadata(path).ok();
    let kind = found.as_ref().map(std::fs::Metadata::file_type);
    let what = match kind {
        Some(kind) if kind.is_dir() => "a folder",
        Some(kind) if !kind.is_file() => "a device or pipe",
        Some(_)
            if found
                .as_ref()
                .is_some_and(|f| (1..LEAST_BYTES).contains(&f.len())) =>
        {
            "not an SQLite database"
        }
        _ => {
            let log = owner_only::beside(path, "-wal");
            let bytes = |found: std::fs::Metadata| found.len();
            let is_left = std::fs::metadata(&log).map_or(0, bytes) > 0;
            return if is_left && found.map_or(0, bytes) == 0 {
                let path = path.to_path_buf();
                Err(StoreError::LogAlone { path, log })
            } else {
                Ok(())
            };
        }
    };
    Err(StoreError::NotAStore {
        path: path.to_path_buf(),
        what,
    })
}

/// The version of the tables, 0 in a new file.
fn version(connection: &Connection, path: &Path) -> Result<usize, StoreError> {
    let fail = |error| StoreError::sqlite(path, "reading the store's version", error);
    let number = |sql| {
        connection
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .map_err(fail)
    };
    let found = number("PRAGMA user_version")?;
    // Asked in any case, since it reads behind the header: damage shows here and not in mid-run.
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    if number("PRAGMA application_id")? != APPLICATION {
        if tables == 0 && found == 0 {
            return Ok(0);
        }
        return Err(StoreError::NotAStore {
            path: path.to_path_buf(),
            what: "an SQLite database of something else",
        });
    }
    match usize::try_from(found) {
        Ok(version) if version <= STEPS.len() => Ok(version),
        _ => Err(StoreError::Newer {
            path: path.to_path_buf(),
            found,
            known: STEPS.len() as i64,
        }),
    }
}

/// Whether the tables are those of this program.
pub(crate) fn is_current(connection: &Connection, path: &Path) -> bool {
    version(connection, path).is_ok_and(|version| version == STEPS.len())
}

fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    switch_to_wal(connection)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // A checkpoint flushes; `Store::rest` makes it, when no phase runs.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "foreign_keys", true)
}

/// SQLite does not wait by itself if two processes switch a new store at the same moment: one of them immediately gets
/// a busy error.
fn switch_to_wal(connection: &Connection) -> rusqlite::Result<()> {
    let switch = || connection.pragma_update(None, "journal_mode", "WAL");
    for _ in 0..PATIENCE.as_millis() / PAUSE.as_millis() {
        match switch() {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                std::thread::sleep(PAUSE);
            }
            ended => return ended,
        }
    }
    switch()
}

/// In one transaction, and looking at the version again inside it: another process may have been quicker.
fn bring_up_to_date(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let doing = "bringing the store up to date";
    let fail = |error| StoreError::sqlite(path, doing, error);
    room::check(path, 0, doing)?;
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(fail)?;
    for step in &STEPS[version(&transaction, path)?..] {
        transaction.execute_batch(step).map_err(fail)?;
    }
    transaction
        .pragma_update(None, "application_id", APPLICATION)
        .map_err(fail)?;
    transaction
        .pragma_update(None, "user_version", STEPS.len() as i64)
        .map_err(fail)?;
    transaction.commit().map_err(fail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, SeekFrom, Write};

    fn place() -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("results.sqlite3");
        (dir, path)
    }

    fn refusal(path: &Path) -> String {
        open(path).unwrap_err().to_string()
    }

    #[test]
    fn a_connection_never_makes_a_checkpoint_by_itself() {
        let (_dir, path) = place();
        let connection = open(&path).unwrap();
        let number = |sql| {
            connection
                .query_row(sql, [], |row| row.get::<_, i64>(0))
                .unwrap()
        };
        assert_eq!(number("PRAGMA wal_autocheckpoint"), 0);
        assert_eq!(number("PRAGMA synchronous"), 1, "1 is NORMAL");
        let mode: String = connection
            .query_row("PRAGMA journal_mode", [], |row| row.get(0))
            .unwrap();
        assert_eq!(mode, "wal");
    }

    #[test]
    fn the_folders_above_are_made() {
        let dir = tempfile::tempdir().unwrap();
        open(&dir.path().join("a/b/results.sqlite3")).unwrap();
        assert!(dir.path().join("a/b/results.sqlite3").is_file());
    }

    #[test]
    fn a_store_of_a_newer_version_is_refused() {
        let (_dir, path) = place();
        open(&path)
            .unwrap()
            .pragma_update(None, "user_version", 99)
            .unwrap();
        let said = refusal(&path);
        assert!(said.contains("newer drivelab (its version is 99"), "{said}");
        assert!(!said.contains('\n'));
    }

    #[test]
    fn the_database_of_something_else_is_refused_and_left_as_it_was() {
        let (_dir, path) = place();
        Connection::open(&path)
            .unwrap()
            .execute_batch("CREATE TABLE bookmarks (url TEXT)")
            .unwrap();
        let before = std::fs::read(&path).unwrap();
        assert!(refusal(&path).contains("an SQLite database of something else"));
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_file_that_is_no_database_is_refused_and_left_as_it_was() {
        let (_dir, path) = place();
        let text =
            "not a database, though long enough to have a header of a hundred bytes. ".repeat(9);
        std::fs::write(&path, &text).unwrap();
        assert!(refusal(&path).contains("not an SQLite database"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }

    #[test]
    fn damage_is_called_damage() {
        let (_dir, path) = place();
        drop(open(&path).unwrap());
        let length = std::fs::metadata(&path).unwrap().len();
        let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.seek(SeekFrom::Start(100)).unwrap(); // behind the header, which stays good
        file.write_all(&vec![0xA5; length as usize - 100]).unwrap();
        let said = match open(&path) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("a damaged store was opened"),
        };
        assert!(said.contains("the store is damaged"), "{said}");
    }

    #[test]
    fn many_may_make_the_same_store_at_once() {
        let (_dir, path) = place();
        std::thread::scope(|scope| {
            let openers: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| open(&path).map(drop)))
                .collect();
            for opener in openers {
                opener.join().unwrap().unwrap();
            }
        });
    }
}
