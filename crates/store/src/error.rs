//! What can go wrong with a store, in words: what happened, to which file, and what to do about it.
//!
//! SQLite's result codes are mapped to the cases that a user can act upon; the rest keeps SQLite's own text.

use std::io;
use std::path::{Path, PathBuf};

use base::exit::Exit;
use rusqlite::ErrorCode;

use crate::{PlanId, RunId};

/// `SQLITE_IOERR_SHMSIZE`: the file that all processes with the same store share cannot be made as
/// long as it must be, which on a disk that otherwise works means that it is full.
const NO_ROOM_FOR_INDEX: i32 = 4874;

/// Why the store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No folder for data is known.
    #[error(
        "no place for results: neither DRIVELAB_STORE, XDG_DATA_HOME nor HOME is set; name a file with --store"
    )]
    NoPlace,
    /// The folder above the store cannot be made.
    #[error("{}: cannot create the folder for results: {source}; choose another file with --store", .path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file, or one of SQLite's files next to it, cannot be opened.
    #[error(
        "{}: the store cannot be opened: {source}; it needs a writable file and folder: name another \
         with --store", .path.display()
    )]
    CannotOpen {
        /// The store.
        path: PathBuf,
        /// SQLite's error.
        source: rusqlite::Error,
    },
    /// The file or its folder may be read and not written.
    #[error("{}: cannot write to the store: {source}; choose another file with --store", .path.display())]
    ReadOnly {
        /// The store.
        path: PathBuf,
        /// SQLite's error.
        source: rusqlite::Error,
    },
    /// A store that must be there is not.
    #[error("{}: there is no such store", .path.display())]
    Missing {
        /// The store.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("{}: not a drivelab store: {what}; move it away, or choose another file with --store", .path.display())]
    NotAStore {
        path: PathBuf,
        /// What it is instead.
        what: &'static str,
    },
    /// The log of a store whose database is missing: SQLite would discard it.
    #[error(
        "{}: the log of a store whose database is missing or empty, which may contain results: put {} back next to it, or \
         move the log away", .log.display(), .path.display()
    )]
    LogAlone {
        /// The store.
        path: PathBuf,
        log: PathBuf,
    },
    /// The store's tables are newer than this program.
    #[error(
        "{}: the store was made by a newer drivelab (its version is {found}, this program knows {known}); update \
         drivelab, or name another file with --store", .path.display()
    )]
    Newer {
        /// The store.
        path: PathBuf,
        /// Version of its tables.
        found: i64,
        /// The newest version that this program reads.
        known: i64,
    },
    /// The database is damaged.
    #[error(
        "{}: the store is damaged ({source}, while {doing}); keep a copy, move it away, and save what can be read \
         with: sqlite3 FILE .recover", .path.display()
    )]
    Damaged {
        /// The store.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// SQLite's error.
        source: rusqlite::Error,
    },
    /// No room for the write.
    #[error(
        "{}: no room left for results ({source}, while {doing}); what was stored before is kept: free some space, \
         or name a file on another disk with --store", .path.display()
    )]
    Full {
        /// The store.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// SQLite's error.
        source: rusqlite::Error,
    },
    /// Another process has held the store for longer than we wait.
    #[error("{}: another process uses the store (while {doing}): try again later", .path.display())]
    Busy {
        /// The store.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
    },
    /// Anything else that SQLite reports, such as a failing disk.
    #[error("{}: {doing} failed: {source}", .path.display())]
    Sqlite {
        /// The store.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// SQLite's error.
        source: rusqlite::Error,
    },
    /// The writer thread could not be started.
    #[error("the thread that stores progress cannot be started: {source}")]
    Thread {
        /// The system's error.
        source: io::Error,
    },
    /// A run was named by something else than `last` or a number.
    #[error(
        "{text}: not a run: write its number (see: drivelab results), 9-12, last, last:3, all, plan-2, tag:WORD or its name"
    )]
    NotARunName {
        /// What was written.
        text: String,
    },
    /// No run has this name.
    #[error(
        "no run is called '{name}': write a number (see: drivelab results), 9-12, last, last:3, all, plan-2, tag:WORD or the name of a run"
    )]
    NoSuchName { name: String },
    /// A name is another run's.
    #[error(
        "'{name}' is already the name of run {by}: choose another one, or remove it there (--name '')"
    )]
    NameTaken {
        name: String,
        /// The run that has it.
        by: RunId,
    },
    /// A text that can be no name or tag.
    #[error(
        "'{text}' is not a valid name or tag: it must begin with a letter, contain no space or colon, and not be a selector (all, last, plan-2)"
    )]
    NotALabel { text: String },
    /// The store holds no run at all.
    #[error("{}: no result is stored yet", .path.display())]
    Empty {
        /// The store.
        path: PathBuf,
    },
    /// There is no run of this number.
    #[error("{}: there is no run {id} (see: drivelab results)", .path.display())]
    NoSuchRun {
        /// The store.
        path: PathBuf,
        /// The requested number.
        id: RunId,
    },
    /// The run has no result, since it is running, was interrupted or failed.
    #[error("run {id} has no result: it {state}")]
    NoResult {
        id: RunId,
        /// Its state, as the end of the sentence.
        state: String,
    },
    /// The run is active in a live process: it can be neither resumed nor deleted.
    #[error("run {id} is running in process {pid}")]
    UnderWay {
        id: RunId,
        /// The process.
        pid: u32,
    },
    /// There is no plan of this number.
    #[error("{}: there is no plan {id} (see: drivelab results)", .path.display())]
    NoSuchPlan {
        /// The store.
        path: PathBuf,
        /// The requested number.
        id: PlanId,
    },
    /// The plan is active in a live process.
    #[error("plan {id} is running in process {pid}")]
    PlanUnderWay {
        id: PlanId,
        /// The process.
        pid: u32,
    },
    /// All of the plan's steps have results.
    #[error(
        "plan {id} has ended: there is nothing to resume (`drivelab report plan-{id}` shows it)"
    )]
    PlanEnded { id: PlanId },
    /// The run has ended: there is nothing to resume.
    #[error("run {id} has ended: there is nothing to resume")]
    Ended { id: RunId },
}

impl StoreError {
    /// What a command ends with that needed the store.
    pub fn exit(&self) -> Exit {
        match self {
            StoreError::Missing { .. }
            | StoreError::NotARunName { .. }
            | StoreError::NoSuchName { .. }
            | StoreError::NameTaken { .. }
            | StoreError::NotALabel { .. } => Exit::Invalid,
            StoreError::NoPlace
            | StoreError::Folder { .. }
            | StoreError::CannotOpen { .. }
            | StoreError::ReadOnly { .. }
            | StoreError::NotAStore { .. }
            | StoreError::LogAlone { .. }
            | StoreError::Newer { .. }
            | StoreError::Damaged { .. }
            | StoreError::Full { .. }
            | StoreError::Busy { .. }
            | StoreError::Sqlite { .. }
            | StoreError::Thread { .. }
            | StoreError::Empty { .. }
            | StoreError::NoSuchRun { .. }
            | StoreError::NoResult { .. }
            | StoreError::UnderWay { .. }
            | StoreError::NoSuchPlan { .. }
            | StoreError::PlanUnderWay { .. }
            | StoreError::PlanEnded { .. }
            | StoreError::Ended { .. } => Exit::Failed,
        }
    }
}

impl StoreError {
    /// Classifies SQLite's error; `doing` is what was attempted, as in "writing a phase".
    pub(crate) fn sqlite(path: &Path, doing: &'static str, source: rusqlite::Error) -> StoreError {
        let path = path.to_path_buf();
        let nonsense = is_nonsense(&source);
        let source = printable(source);
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => StoreError::NotAStore {
                path,
                what: "not an SQLite database",
            },
            _ if nonsense => StoreError::Damaged {
                path,
                doing,
                source,
            },
            Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged {
                path,
                doing,
                source,
            },
            // Beside a full disk's own code: the index of the write-ahead log could not grow.
            _ if source
                .sqlite_error()
                .is_some_and(|e| e.extended_code == NO_ROOM_FOR_INDEX) =>
            {
                StoreError::Full {
                    path,
                    doing,
                    source,
                }
            }
            Some(ErrorCode::DiskFull) => StoreError::Full {
                path,
                doing,
                source,
            },
            Some(ErrorCode::ReadOnly) => StoreError::ReadOnly { path, source },
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                StoreError::CannotOpen { path, source }
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                StoreError::Busy { path, doing }
            }
            _ => StoreError::Sqlite {
                path,
                doing,
                source,
            },
        }
    }
}

/// SQLite quotes what it cannot parse: from a damaged file that may be anything.
fn printable(error: rusqlite::Error) -> rusqlite::Error {
    match error {
        rusqlite::Error::SqliteFailure(code, Some(message)) => {
            let message = message.replace(char::is_control, "?");
            rusqlite::Error::SqliteFailure(code, Some(message))
        }
        rusqlite::Error::SqlInputError { error, msg, .. } => {
            printable(rusqlite::Error::SqliteFailure(error, Some(msg)))
        }
        other => other,
    }
}

/// What no version wrote: a value of another type, out of range or no text, and tables that our statements
/// do not fit.
fn is_nonsense(error: &rusqlite::Error) -> bool {
    matches!(
        error,
        rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::SqlInputError { .. }
            | rusqlite::Error::Utf8Error(..)
    )
}
