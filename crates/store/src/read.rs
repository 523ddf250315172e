//! Reading: the list of runs, one run with its result, its phases, and the runs that were interrupted.
//!
//! Whether a run is active or was interrupted is not stored (a killed process cannot store it) but derived: a run
//! without an end whose process lives is active, one whose process is gone was interrupted.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Row};

use crate::process::Owner;
use crate::{RunId, Store, StoreError, Which, progress, room};

/// The state of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunState {
    /// The process that writes it lives.
    Running,
    /// It has no end, and its process is gone: it can be resumed.
    Interrupted,
    /// Its drive disappeared: it has a result of what was measured until then, and can be resumed.
    WentAway {
        /// What is wrong with it, for people.
        reason: String,
    },
    /// It has a result.
    Finished,
    /// It ended without a result.
    Failed {
        /// What is wrong with it, for people.
        reason: String,
    },
}

impl std::fmt::Display for RunState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RunState::Running => write!(f, "goes on"),
            RunState::Interrupted => write!(f, "was interrupted"),
            RunState::WentAway { reason } => write!(f, "lost its drive: {reason}"),
            RunState::Finished => write!(f, "is finished"),
            RunState::Failed { reason } => write!(f, "failed: {reason}"),
        }
    }
}

/// A run as stored, without its phases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRun {
    /// Its number.
    pub id: RunId,
    /// The method's id.
    pub method: String,
    /// The target as it was named.
    pub target: String,
    /// The method's settings, JSON.
    pub settings: String,
    /// Host, kernel, versions, command line, JSON.
    pub environment: String,
    /// Start, in milliseconds since 1970-01-01 UTC.
    pub started_unix_ms: i64,
    /// Its state.
    pub state: RunState,
    /// Why a finished run's result holds only a part: jobs that were cut off, which no resume completes.
    pub early: Option<String>,
    /// How many phases are stored that a resume need not measure again; none of a finished run, whose
    /// result holds them.
    pub phases_done: u32,
    /// The figure that a list shows of it, a JSON document; none before it has a result.
    pub headline: Option<String>,
    /// The name that it was given.
    pub name: Option<String>,
    /// The tags that it was given, in order.
    pub tags: Vec<String>,
    /// The user's note.
    pub note: Option<String>,
}

/// A phase as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPhase {
    /// Its name, unique in its run.
    pub name: String,
    /// The workload, JSON.
    pub workload: String,
    /// What was measured, JSON.
    pub record: String,
    /// False if `record` contains only what was measured up to an interruption (or up to now).
    pub done: bool,
}

const RUNS: &str = "SELECT id, method, target, settings, environment, started_unix_ms, pid, pid_start, boot, ended,
    reason, (SELECT count(*) FROM phases WHERE run = runs.id AND done), away,
    headline, name, tags, note FROM runs";

impl Store {
    /// Every run, the newest first.
    ///
    /// # Errors
    /// The store is damaged or cannot be read.
    pub fn list(&self) -> Result<Vec<StoredRun>, StoreError> {
        let read = || {
            let mut statement = self
                .connection
                .prepare_cached(&format!("{RUNS} ORDER BY id DESC"))?;
            statement
                .query_map([], run_of)?
                .collect::<rusqlite::Result<_>>()
        };
        read().map_err(|error| self.cannot("reading the list of runs", error))
    }

    /// The runs that can be resumed, the newest first: those that were interrupted, or lost their drive.
    ///
    /// # Errors
    /// The store is damaged or cannot be read.
    pub fn interrupted(&self) -> Result<Vec<StoredRun>, StoreError> {
        let mut runs = self.list()?;
        runs.retain(|run| matches!(run.state, RunState::Interrupted | RunState::WentAway { .. }));
        Ok(runs)
    }

    /// One run.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`], or [`StoreError::Empty`] if `last` is requested and there is none.
    pub fn run(&self, which: Which) -> Result<StoredRun, StoreError> {
        let id = self.id_of(which)?;
        self.connection
            .query_row(&format!("{RUNS} WHERE id = ?1"), [id.0], run_of)
            .optional()
            .map_err(|error| self.cannot("reading a run", error))?
            .ok_or_else(|| no_such_run(self.path(), id))
    }

    /// The result of a run, a JSON document.
    ///
    /// # Errors
    /// As for [`Store::run`], and [`StoreError::NoResult`] when the run has none (yet).
    pub fn result(&self, which: Which) -> Result<String, StoreError> {
        let run = self.run(which)?;
        let result: Option<String> = self
            .connection
            .query_row("SELECT result FROM runs WHERE id = ?1", [run.id.0], |row| {
                row.get(0)
            })
            .map_err(|error| self.cannot("reading a result", error))?;
        result.ok_or_else(|| StoreError::NoResult {
            id: run.id,
            state: run.state.to_string(),
        })
    }

    /// The phases of a run in the order in which they began; none of a finished one, whose result holds
    /// them.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`], or the store cannot be read.
    pub fn phases(&self, id: RunId) -> Result<Vec<StoredPhase>, StoreError> {
        owner(&self.connection, self.path(), id)?;
        phases(&self.connection, self.path(), id)
    }

    /// Removes a run with its phases.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`]; [`StoreError::UnderWay`] while the process that writes it lives.
    pub fn delete(&self, id: RunId) -> Result<(), StoreError> {
        let (owner, ended) = owner(&self.connection, self.path(), id)?;
        if ended.is_none() && owner.lives() {
            return Err(StoreError::UnderWay { id, pid: owner.pid });
        }
        room::for_deletion(self.path(), || {
            let deleted = self
                .connection
                .execute("DELETE FROM runs WHERE id = ?1", [id.0]);
            deleted.map_err(|error| self.cannot("deleting a run", error))
        })?;
        progress::remove(self.path(), id);
        Ok(())
    }

    fn id_of(&self, which: Which) -> Result<RunId, StoreError> {
        match which {
            Which::Id(id) => Ok(id),
            Which::Last => self
                .connection
                .query_row("SELECT max(id) FROM runs", [], |row| {
                    row.get::<_, Option<i64>>(0)
                })
                .map_err(|error| self.cannot("reading the list of runs", error))?
                .map(RunId)
                .ok_or_else(|| StoreError::Empty {
                    path: self.path().to_path_buf(),
                }),
        }
    }

    pub(crate) fn cannot(&self, doing: &'static str, error: rusqlite::Error) -> StoreError {
        StoreError::sqlite(self.path(), doing, error)
    }
}

/// Who writes a run, and how it ended, if it has.
pub(crate) fn owner(
    connection: &Connection,
    path: &Path,
    id: RunId,
) -> Result<(Owner, Option<String>), StoreError> {
    Owner::in_table(connection, "runs", id.0)
        .map_err(|error| StoreError::sqlite(path, "reading a run", error))?
        .ok_or_else(|| no_such_run(path, id))
}

pub(crate) fn phases(
    connection: &Connection,
    path: &Path,
    id: RunId,
) -> Result<Vec<StoredPhase>, StoreError> {
    let read = || {
        let mut statement = connection.prepare_cached(
            "SELECT name, workload, record, done FROM phases WHERE run = ?1 ORDER BY number",
        )?;
        let phase = |row: &Row| {
            Ok(StoredPhase {
                name: row.get(0)?,
                workload: row.get(1)?,
                record: row.get(2)?,
                done: row.get(3)?,
            })
        };
        statement
            .query_map([id.0], phase)?
            .collect::<rusqlite::Result<_>>()
    };
    let mut phases: Vec<StoredPhase> =
        read().map_err(|error| StoreError::sqlite(path, "reading the phases of a run", error))?;
    let is_done = |newest: &StoredPhase| phases.iter().any(|p| p.done && p.name == newest.name);
    let (_, ended) = owner(connection, path, id)?;
    let goes_on = ended.as_deref() != Some("finished");
    let progress = goes_on.then(|| progress::newest(path, id)).flatten();
    if let Some(progress) = progress.filter(|newest| !is_done(newest)) {
        // An older version kept it as a row.
        phases.retain(|phase| phase.name != progress.name);
        phases.push(progress);
    }
    Ok(phases)
}

fn run_of(row: &Row) -> rusqlite::Result<StoredRun> {
    let owner = Owner::of(row, 6)?;
    let state = match row.get::<_, Option<String>>(9)?.as_deref() {
        Some("finished") => RunState::Finished,
        Some(_) => RunState::Failed {
            reason: row.get::<_, Option<String>>(10)?.unwrap_or_default(),
        },
        None if owner.lives() => RunState::Running,
        None => match row.get::<_, Option<String>>(12)? {
            Some(reason) => RunState::WentAway { reason },
            None => RunState::Interrupted,
        },
    };
    let early = match state {
        RunState::Finished => row.get(10)?,
        _ => None,
    };
    Ok(StoredRun {
        id: RunId(row.get(0)?),
        method: row.get(1)?,
        target: row.get(2)?,
        settings: row.get(3)?,
        environment: row.get(4)?,
        started_unix_ms: row.get(5)?,
        state,
        early,
        phases_done: row.get(11)?,
        headline: row.get(13)?,
        name: row.get(14)?,
        tags: crate::labels::words(row.get::<_, Option<String>>(15)?.as_deref()),
        note: row.get(16)?,
    })
}

fn no_such_run(path: &Path, id: RunId) -> StoreError {
    StoreError::NoSuchRun {
        path: path.to_path_buf(),
        id,
    }
}
