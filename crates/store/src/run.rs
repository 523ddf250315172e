//! Writing a run: its beginning, its phases one by one, and its end; or resuming it after an interruption.
//!
//! A run that is dropped without an end (Ctrl-C, an error) releases itself: it counts as interrupted from then on and
//! can be resumed, with everything handed over so far. So can a run whose drive disappeared, which keeps its reason and
//! a result of what was measured until then.

use std::path::Path;
use std::time::Duration;

use base::message::Message;
use rusqlite::{Connection, TransactionBehavior, params};

use crate::plan::PlanStep;
use crate::process::Owner;
use crate::read::{self, StoredPhase};
use crate::writer::{PACE, Progress, Shared, Writer};
use crate::{RunId, Store, StoreError, progress, room, schema};

/// What is known of a run before its first phase. The two documents are JSON.
#[derive(Clone, Copy, Debug)]
pub struct RunHeader<'a> {
    /// The method's id.
    pub method: &'a str,
    /// The target as it was named.
    pub target: &'a str,
    /// The method's settings.
    pub settings: &'a str,
    /// Host, kernel, versions, command line.
    pub environment: &'a str,
    /// Start, in milliseconds since 1970-01-01 UTC. Passed in: the store reads no clock.
    pub started_unix_ms: i64,
}

/// An active run. It has its own connection and thread.
pub struct Run {
    writer: Writer,
    ended: bool,
}

impl Store {
    /// Begins a run: its row is stored when this returns.
    ///
    /// # Errors
    /// The disk is full, fails, or another process holds the store.
    pub fn begin_run(&self, header: &RunHeader) -> Result<Run, StoreError> {
        self.begin_run_at_pace(header, None, PACE)
    }

    /// Begins a run that is a step of a plan. A step has one run: it is resumed, not begun again.
    ///
    /// # Errors
    /// As [`Store::begin_run`]; also where the step has a run already.
    pub fn begin_step(&self, header: &RunHeader, step: PlanStep) -> Result<Run, StoreError> {
        self.begin_run_at_pace(header, Some(step), PACE)
    }

    fn begin_run_at_pace(
        &self,
        header: &RunHeader,
        step: Option<PlanStep>,
        pace: Duration,
    ) -> Result<Run, StoreError> {
        let connection = schema::open(self.path())?;
        room::check(self.path(), header.settings.len(), "beginning a run")?;
        room::hold_ready(self.path());
        let id = insert_run(&connection, header, step)
            .map_err(|error| StoreError::sqlite(self.path(), "beginning a run", error))?;
        // Those of a store that lay here before, and is gone.
        progress::remove(self.path(), id);
        Run::start(id, self.path(), connection, pace)
    }

    /// Resumes a run that was interrupted or whose drive is back (or that failed, once the cause is fixed), and returns
    /// its stored phases: finished ones need not be measured again, and an unfinished one says how far it got.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`]; [`StoreError::UnderWay`] while the process that writes it lives;
    /// [`StoreError::Ended`] when it is finished; or the store cannot be written.
    pub fn resume(&self, id: RunId) -> Result<(Run, Vec<StoredPhase>), StoreError> {
        let mut connection = schema::open(self.path())?;
        take_over(&mut connection, self.path(), id)?;
        let phases = read::phases(&connection, self.path(), id)?;
        Ok((Run::start(id, self.path(), connection, PACE)?, phases))
    }
}

fn insert_run(
    connection: &Connection,
    header: &RunHeader,
    step: Option<PlanStep>,
) -> rusqlite::Result<RunId> {
    let me = Owner::this_process();
    connection.execute(
        "INSERT INTO runs (method, target, settings, environment, started_unix_ms, pid, pid_start, boot,
                           plan, step)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            header.method,
            header.target,
            header.settings,
            header.environment,
            header.started_unix_ms,
            me.pid,
            me.start_ticks,
            me.boot,
            step.map(|step| step.plan.0),
            step.map(|step| step.number)
        ],
    )?;
    Ok(RunId(connection.last_insert_rowid()))
}

/// In one transaction, so that of two who resume the same run one is refused.
fn take_over(connection: &mut Connection, path: &Path, id: RunId) -> Result<(), StoreError> {
    let fail = |error| StoreError::sqlite(path, "taking up a run", error);
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(fail)?;
    let (owner, ended) = read::owner(&transaction, path, id)?;
    if ended.as_deref() == Some("finished") {
        return Err(StoreError::Ended { id });
    }
    if ended.is_none() && owner.lives() {
        return Err(StoreError::UnderWay { id, pid: owner.pid });
    }
    let me = Owner::this_process();
    transaction
        .execute(
            "UPDATE runs SET pid = ?2, pid_start = ?3, boot = ?4, ended = NULL, reason = NULL, away = NULL,
                result = NULL WHERE id = ?1",
            params![id.0, me.pid, me.start_ticks, me.boot],
        )
        .map_err(fail)?;
    transaction.commit().map_err(fail)
}

impl Run {
    fn start(
        id: RunId,
        path: &Path,
        connection: Connection,
        pace: Duration,
    ) -> Result<Run, StoreError> {
        Ok(Run {
            writer: Writer::start(id, path.to_path_buf(), connection, pace)?,
            ended: false,
        })
    }

    /// The run's number.
    pub fn id(&self) -> RunId {
        self.shared().run
    }

    /// Passes the progress of a phase, as a closure that makes the JSON text: it runs on the store's own thread, so
    /// this returns at once, whatever the disk does. May be called at any rate: the newest is stored, at most one per
    /// second, in place of the one before the last. A finished phase is left unchanged.
    pub fn phase_progress(
        &self,
        name: &str,
        workload: &str,
        record: impl FnOnce() -> String + Send + 'static,
    ) {
        let (phase, workload) = (name.to_string(), workload.to_string());
        self.shared().hand_over(Progress {
            phase,
            workload,
            record: Box::new(record),
        });
    }

    /// True where progress that is handed over now is stored at once; else the next one will do.
    pub fn wants_progress(&self) -> bool {
        self.shared().has_rested()
    }

    /// Stores a phase that has ended. When this returns the phase outlives the process. To be called with no
    /// I/O in flight: it may wait for the disk.
    ///
    /// # Errors
    /// The disk is full or fails; the phases before this one are kept.
    pub fn phase_done(&self, name: &str, workload: &str, record: &str) -> Result<(), StoreError> {
        self.shared().write_phase(name, workload, record)
    }

    /// Why the last progress could not be stored, in words, or none: a warning for the result.
    pub fn progress_trouble(&self) -> Option<Message> {
        self.shared().trouble()
    }

    /// Keeps the figure that a list shows of the run, a JSON document.
    ///
    /// # Errors
    /// The disk is full or fails.
    pub fn headline(&self, figure: &str) -> Result<(), StoreError> {
        let kept = self.shared().connection().execute(
            "UPDATE runs SET headline = ?2 WHERE id = ?1",
            params![self.id().0, figure],
        );
        kept.map(drop).map_err(|error| {
            StoreError::sqlite(&self.shared().path, "keeping a run's headline", error)
        })
    }

    /// Ends the run with its result, a JSON document, which holds the phases: their own rows are no longer
    /// needed, and go in the same transaction.
    ///
    /// # Errors
    /// The disk is full or fails; the run then counts as interrupted, with its phases.
    pub fn finish(mut self, result: &str) -> Result<(), StoreError> {
        self.end("finished", Some(result), None)
    }

    /// Ends the run with the result of what was measured before it was cut off, for `reason`: it cannot be resumed.
    ///
    /// # Errors
    /// As for [`Run::finish`].
    pub fn finish_early(mut self, result: &str, reason: &str) -> Result<(), StoreError> {
        self.end("finished", Some(result), Some(reason))
    }

    /// Ends the run without a result; `reason` is reported when the result is requested.
    ///
    /// # Errors
    /// As for [`Run::finish`].
    pub fn fail(mut self, reason: &str) -> Result<(), StoreError> {
        self.end("failed", None, Some(reason))
    }

    /// Leaves the run open, since its drive disappeared: it can be resumed when the drive is back. `reason` describes
    /// it; `result`, a JSON document, is what was measured until then, and is returned until the run is resumed.
    ///
    /// # Errors
    /// As for [`Run::finish`].
    pub fn went_away(mut self, reason: &str, result: &str) -> Result<(), StoreError> {
        self.writer.close();
        let nobody = Owner::nobody();
        self.shared()
            .connection()
            .execute(
                "UPDATE runs SET away = ?2, result = ?3, pid = ?4, pid_start = ?5, boot = ?6 WHERE id = ?1",
                params![self.id().0, reason, result, nobody.pid, nobody.start_ticks, nobody.boot],
            )
            .map_err(|error| StoreError::sqlite(&self.shared().path, "leaving a run", error))?;
        self.ended = true;
        Ok(())
    }

    fn end(
        &mut self,
        how: &str,
        result: Option<&str>,
        reason: Option<&str>,
    ) -> Result<(), StoreError> {
        self.writer.close();
        let doing = "ending a run";
        room::check(
            &self.shared().path,
            result.or(reason).map_or(0, str::len),
            doing,
        )?;
        let end = |connection: &mut Connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction.execute(
                "UPDATE runs SET ended = ?2, result = ?3, reason = ?4 WHERE id = ?1",
                params![self.id().0, how, result, reason],
            )?;
            if how == "finished" {
                transaction.execute("DELETE FROM phases WHERE run = ?1", [self.id().0])?;
            }
            transaction.commit()
        };
        end(&mut self.shared().connection())
            .map_err(|error| StoreError::sqlite(&self.shared().path, doing, error))?;
        self.ended = true;
        if how == "finished" {
            progress::remove(&self.shared().path, self.id());
        }
        Ok(())
    }

    fn shared(&self) -> &Shared {
        &self.writer.shared
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.writer.close();
        if !self.ended {
            let nobody = Owner::nobody();
            // If it fails the run is known as interrupted when this process has ended.
            let _ = self.shared().connection().execute(
                "UPDATE runs SET pid = ?2, pid_start = ?3, boot = ?4 WHERE id = ?1",
                params![self.id().0, nobody.pid, nobody.start_ticks, nobody.boot],
            );
        }
    }
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run")
            .field("id", &self.id())
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
