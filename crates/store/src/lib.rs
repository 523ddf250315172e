//! Results on disk: one SQLite file that several processes may write at once, and that `kill -9` at any moment
//! does not harm.
//!
//! # What is kept
//!
//! A *run* has a header (method, target, settings, environment), its *phases*, and finally a result or the reason why
//! there is none; or its drive disappeared, and it has a result of what was measured until then and can be resumed. The
//! result of a finished run contains its phases, so that they are stored once: their own rows are deleted when it is
//! stored. Settings, environment, workloads, records and results are JSON documents; the store keeps them as opaque
//! text.
//!
//! A *plan* is an ordered list of runs: its document is stored as it was begun, and each of its runs records its step
//! from the moment it is stored.
//!
//! # Why a kill loses at most a second
//!
//! SQLite's write-ahead log (WAL) appends each transaction to a second file. Once `write` has returned, the bytes are
//! in the page cache and outlive the process, so no flush is needed to survive a kill, only to survive a loss of power.
//! A finished phase is committed before [`Run::phase_done`] returns. Progress of a phase is passed to
//! [`Run::phase_progress`], which never blocks: a thread of the run writes the newest such document, at most one per
//! second, into two files next to the store that are overwritten alternately (`STORE-run-N.0` and `.1`, deleted when
//! the run has its result). However long a phase lasts, they take the space of two documents.
//!
//! # Why no phase is disturbed
//!
//! The store may be on the drive under test, and a flush (`fsync`) in a phase would be measured as the drive's own
//! delay. With `synchronous = NORMAL` SQLite flushes only when it copies the log back into the database (a
//! *checkpoint*) and when it starts a new log. So the automatic checkpoint is off; [`Store::begin_run`] starts the log,
//! before any phase; and [`Store::rest`] checkpoints between runs. The cost: until then the log grows with every
//! finished phase. After a loss of power the database is intact, but may lack what was written since the last
//! checkpoint.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! use store::{RunHeader, Store, Which};
//! let store = Store::open(&dir.path().join("results.sqlite3"))?;
//! let header = RunHeader {
//!     method: "full-scan",
//!     target: "./some.file",
//!     settings: "{}",
//!     environment: "{}",
//!     started_unix_ms: 1_700_000_000_000,
//! };
//! let run = store.begin_run(&header)?;
//! run.phase_progress("read", "{}", || r#"{"bytes": 4096}"#.to_string());
//! run.phase_done("read", "{}", r#"{"bytes": 8192}"#)?;
//! run.finish(r#"{"figures": []}"#)?;
//! store.rest()?;
//! assert_eq!(store.result(Which::Last)?, r#"{"figures": []}"#);
//! # Ok(()) }
//! ```

mod error;
mod labels;
mod merge;
mod owner_only;
mod place;
mod plan;
mod process;
mod progress;
mod read;
mod reading;
mod room;
mod run;
mod schema;
mod writer;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tempfile::TempDir;

pub use error::StoreError;
pub use labels::{Chosen, Labels};
pub use merge::Merged;
pub use place::{default_path, device_of};
pub use plan::{PlanHeader, PlanId, PlanStep, PlanUnderWay, StoredPlan, StoredStep};
pub use read::{RunState, StoredPhase, StoredRun};
pub use run::{Run, RunHeader};

/// The number of a run in its store, counted from 1 and never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub i64);

impl std::fmt::Display for RunId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A run as given on a command line: `last`, or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The run that was begun last.
    Last,
    /// The run of this number.
    Id(RunId),
}

impl std::str::FromStr for Which {
    type Err = StoreError;

    /// # Errors
    /// [`StoreError::NotARunName`] when the text is neither `last` nor a number.
    fn from_str(text: &str) -> Result<Which, StoreError> {
        if text == "last" {
            return Ok(Which::Last);
        }
        text.parse()
            .map(|id| Which::Id(RunId(id)))
            .map_err(|_| StoreError::NotARunName {
                text: text.to_string(),
            })
    }
}

/// Bytes of free pages below which a file is not truncated: the next runs reuse them.
const FREE_WORTH_GIVING_BACK: i64 = 16 << 20;

/// Bytes that are written anew at most to make a file shorter: about a second on a slow disk.
const MOST_WRITTEN_ANEW: i64 = 128 << 20;

/// An open store. Each [`Run`] has its own connection, so the store can be read while a run is written.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Connection,
    /// If it cannot be read in place: the directory of its copy.
    _copy: Option<TempDir>,
}

impl Store {
    /// Opens the store at `path`, and makes it, with the folders above it, where there is none.
    ///
    /// # Errors
    /// The directory or file cannot be created or written, the file is not a store, is damaged, or was made by a newer
    /// drivelab; the message says which.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        Ok(Store {
            path: path.to_path_buf(),
            connection: schema::open(path)?,
            _copy: None,
        })
    }

    /// Opens the store at `path` for reading, and for deleting as far as possible: on a disk without room for results,
    /// or where nothing may be written. If there is none it is created, as by [`Store::open`].
    ///
    /// # Errors
    /// As [`Store::open`], of a store that cannot be read either.
    pub fn open_to_read(path: &Path) -> Result<Store, StoreError> {
        let why = match Store::open(path) {
            Ok(store) => return Ok(store),
            Err(why) => why,
        };
        match reading::open(path, &why) {
            Some((connection, copy)) => Ok(Store {
                path: path.to_path_buf(),
                connection,
                _copy: copy,
            }),
            None => Err(why),
        }
    }

    /// Opens a store that must be there, to be read.
    ///
    /// # Errors
    /// [`StoreError::Missing`]; else as [`Store::open_to_read`].
    pub fn open_existing(path: &Path) -> Result<Store, StoreError> {
        match path.try_exists() {
            Ok(true) => Store::open_to_read(path),
            _ => Err(StoreError::Missing {
                path: path.to_path_buf(),
            }),
        }
    }

    /// The database file (accompanied by `-wal` and `-shm` while it is open).
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Copies the log back into the database and flushes it, so that a loss of power loses nothing. To be called
    /// between runs. Returns false, having done nothing, while a run of any process is active: the flush would disturb
    /// it. If most of a large file is free (its runs were deleted, or an older version stored their phases twice) the
    /// file is truncated.
    ///
    /// # Errors
    /// The disk is full or fails.
    pub fn rest(&self) -> Result<bool, StoreError> {
        let runs = self.list()?;
        if runs.iter().any(|run| run.state == RunState::Running) {
            return Ok(false);
        }
        // What a kill left between a result and the end of its run's files.
        let unfinished = runs.iter().filter(|run| run.state != RunState::Finished);
        let unfinished: HashSet<RunId> = unfinished.map(|run| run.id).collect();
        progress::sweep(&self.path, |run| unfinished.contains(&run));
        if self.is_mostly_free().unwrap_or(false) {
            // It needs room, and the store for itself: where it has not, later runs use the free pages.
            let _ = self.connection.execute_batch("VACUUM");
        }
        // The answer is a row: (busy, frames in the log, frames copied). Busy means that a reader is at it.
        let busy: i64 = self
            .connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
            .map_err(|error| {
                StoreError::sqlite(&self.path, "copying the log into the database", error)
            })?;
        Ok(busy == 0)
    }

    /// Whether the file is worth being written anew: more than half of it free, and little enough left that
    /// another process waits a second for it at most.
    fn is_mostly_free(&self) -> rusqlite::Result<bool> {
        let number = |sql| {
            self.connection
                .query_row(sql, [], |row| row.get::<_, i64>(0))
        };
        let page = number("PRAGMA page_size")?;
        let free = number("PRAGMA freelist_count")? * page;
        let used = number("PRAGMA page_count")? * page - free;
        Ok(free > used && free >= FREE_WORTH_GIVING_BACK && used <= MOST_WRITTEN_ANEW)
    }
}
