//! Plans: lists of runs that are worked through in order, and which of their runs there are.
//!
//! A plan's row contains the whole plan as it was begun (opaque JSON) and, like a run's row, its process. Which steps
//! have been begun is not stored separately, where a kill could come between the two, but in the rows of their runs:
//! `plan` and `step` are stored with a run's first row. A step always has the same run, which is resumed after an
//! interruption. So after a kill at any moment the state of a plan is that of its runs.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use crate::process::Owner;
use crate::{RunId, RunState, Store, StoreError, Which, room, schema};

/// The number of a plan in its store, counted from 1 and never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlanId(pub i64);

impl std::fmt::Display for PlanId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A step of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanStep {
    pub plan: PlanId,
    /// Which of its steps, counted from 1.
    pub number: u32,
}

/// What is known of a plan before its first step.
#[derive(Clone, Copy, Debug)]
pub struct PlanHeader<'a> {
    pub name: &'a str,
    /// The whole plan, JSON.
    pub document: &'a str,
    /// Start, in milliseconds since 1970-01-01 UTC.
    pub started_unix_ms: i64,
}

/// A plan as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPlan {
    /// Its number.
    pub id: PlanId,
    pub name: String,
    /// The whole plan as it was begun, JSON.
    pub document: String,
    /// Start, in milliseconds since 1970-01-01 UTC.
    pub started_unix_ms: i64,
    /// Its state; failed if a step has no result.
    pub state: RunState,
}

/// A run that is a step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredStep {
    /// Which step, counted from 1.
    pub number: u32,
    pub run: RunId,
    /// The state of the run.
    pub state: RunState,
}

/// A plan that this process works at. Dropped without an end, it counts as interrupted.
#[derive(Debug)]
pub struct PlanUnderWay {
    id: PlanId,
    path: PathBuf,
    connection: Connection,
    ended: bool,
}

const PLANS: &str =
    "SELECT id, name, document, started_unix_ms, pid, pid_start, boot, ended FROM plans";

impl Store {
    /// Begins a plan: its row is stored when this returns.
    ///
    /// # Errors
    /// The disk is full, fails, or another process holds the store.
    pub fn begin_plan(&self, header: &PlanHeader) -> Result<PlanUnderWay, StoreError> {
        let connection = schema::open(self.path())?;
        room::check(self.path(), header.document.len(), "beginning a plan")?;
        let me = Owner::this_process();
        connection
            .execute(
                "INSERT INTO plans (name, document, started_unix_ms, pid, pid_start, boot)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![
                    header.name,
                    header.document,
                    header.started_unix_ms,
                    me.pid,
                    me.start_ticks,
                    me.boot
                ],
            )
            .map_err(|error| StoreError::sqlite(self.path(), "beginning a plan", error))?;
        let id = PlanId(connection.last_insert_rowid());
        Ok(PlanUnderWay::new(id, self.path(), connection))
    }

    /// Takes up a plan that was interrupted, or that ended with steps that have no result.
    ///
    /// # Errors
    /// [`StoreError::NoSuchPlan`]; [`StoreError::PlanUnderWay`] while the process that works at it lives;
    /// [`StoreError::PlanEnded`] when it is finished; or the store cannot be written.
    pub fn resume_plan(&self, id: PlanId) -> Result<PlanUnderWay, StoreError> {
        let mut connection = schema::open(self.path())?;
        take_over(&mut connection, self.path(), id)?;
        Ok(PlanUnderWay::new(id, self.path(), connection))
    }

    /// Every plan, the newest first.
    ///
    /// # Errors
    /// The store is damaged or cannot be read.
    pub fn plans(&self) -> Result<Vec<StoredPlan>, StoreError> {
        let read = || {
            let mut statement = self
                .connection
                .prepare_cached(&format!("{PLANS} ORDER BY id DESC"))?;
            let plans = statement.query_map([], plan_of)?;
            plans.collect::<rusqlite::Result<_>>()
        };
        read().map_err(|error| StoreError::sqlite(self.path(), "reading the list of plans", error))
    }

    /// One plan.
    ///
    /// # Errors
    /// [`StoreError::NoSuchPlan`], or the store cannot be read.
    pub fn plan(&self, id: PlanId) -> Result<StoredPlan, StoreError> {
        let read = self
            .connection
            .query_row(&format!("{PLANS} WHERE id = ?1"), [id.0], plan_of)
            .optional();
        read.map_err(|error| StoreError::sqlite(self.path(), "reading a plan", error))?
            .ok_or_else(|| no_such_plan(self.path(), id))
    }

    /// The steps of a plan that have been begun, in order.
    ///
    /// # Errors
    /// The store is damaged or cannot be read.
    pub fn steps(&self, id: PlanId) -> Result<Vec<StoredStep>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare_cached(
                "SELECT step, id FROM runs WHERE plan = ?1 AND step IS NOT NULL ORDER BY step",
            )?;
            let rows = statement.query_map([id.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<rusqlite::Result<Vec<(u32, i64)>>>()
        };
        let rows =
            read().map_err(|error| StoreError::sqlite(self.path(), "reading a plan", error))?;
        rows.into_iter()
            .map(|(number, run)| {
                let run = self.run(Which::Id(RunId(run)))?;
                Ok(StoredStep {
                    number,
                    run: run.id,
                    state: run.state,
                })
            })
            .collect()
    }

    /// Removes a plan; its runs are no longer steps of one.
    ///
    /// # Errors
    /// [`StoreError::NoSuchPlan`]; [`StoreError::PlanUnderWay`] while the process that works at it lives.
    pub fn delete_plan(&self, id: PlanId) -> Result<(), StoreError> {
        let (owner, ended) = owner(&self.connection, self.path(), id)?;
        if ended.is_none() && owner.lives() {
            return Err(StoreError::PlanUnderWay { id, pid: owner.pid });
        }
        room::for_deletion(self.path(), || {
            let deleted = self
                .connection
                .execute("DELETE FROM plans WHERE id = ?1", [id.0]);
            deleted.map_err(|error| self.cannot("deleting a plan", error))
        })?;
        Ok(())
    }

    /// The plan of which a run is a step, if any.
    ///
    /// # Errors
    /// The store is damaged or cannot be read.
    pub fn step_of(&self, run: RunId) -> Result<Option<PlanStep>, StoreError> {
        let step = |row: &Row| {
            let (plan, number): (Option<i64>, Option<u32>) = (row.get(0)?, row.get(1)?);
            Ok(plan.map(PlanId).zip(number))
        };
        let read = self
            .connection
            .query_row("SELECT plan, step FROM runs WHERE id = ?1", [run.0], step)
            .optional();
        let found =
            read.map_err(|error| StoreError::sqlite(self.path(), "reading a run", error))?;
        Ok(found
            .flatten()
            .map(|(plan, number)| PlanStep { plan, number }))
    }
}

fn plan_of(row: &Row) -> rusqlite::Result<StoredPlan> {
    let owner = Owner::of(row, 4)?;
    let state = match row.get::<_, Option<String>>(7)?.as_deref() {
        Some("finished") => RunState::Finished,
        Some(_) => RunState::Failed {
            reason: "a step has no result".to_owned(),
        },
        None if owner.lives() => RunState::Running,
        None => RunState::Interrupted,
    };
    Ok(StoredPlan {
        id: PlanId(row.get(0)?),
        name: row.get(1)?,
        document: row.get(2)?,
        started_unix_ms: row.get(3)?,
        state,
    })
}

fn no_such_plan(path: &Path, id: PlanId) -> StoreError {
    StoreError::NoSuchPlan {
        path: path.to_path_buf(),
        id,
    }
}

/// Who works at a plan, and how it ended, if it has.
fn owner(
    connection: &Connection,
    path: &Path,
    id: PlanId,
) -> Result<(Owner, Option<String>), StoreError> {
    Owner::in_table(connection, "plans", id.0)
        .map_err(|error| StoreError::sqlite(path, "reading a plan", error))?
        .ok_or_else(|| no_such_plan(path, id))
}

/// In one transaction, so that of two who resume the same plan one is refused.
fn take_over(connection: &mut Connection, path: &Path, id: PlanId) -> Result<(), StoreError> {
    let fail = |error| StoreError::sqlite(path, "taking up a plan", error);
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(fail)?;
    let (owner, ended) = owner(&transaction, path, id)?;
    if ended.as_deref() == Some("finished") {
        return Err(StoreError::PlanEnded { id });
    }
    if ended.is_none() && owner.lives() {
        return Err(StoreError::PlanUnderWay { id, pid: owner.pid });
    }
    let me = Owner::this_process();
    transaction
        .execute(
            "UPDATE plans SET pid = ?2, pid_start = ?3, boot = ?4, ended = NULL WHERE id = ?1",
            params![id.0, me.pid, me.start_ticks, me.boot],
        )
        .map_err(fail)?;
    transaction.commit().map_err(fail)
}

impl PlanUnderWay {
    fn new(id: PlanId, path: &Path, connection: Connection) -> PlanUnderWay {
        PlanUnderWay {
            id,
            path: path.to_path_buf(),
            connection,
            ended: false,
        }
    }

    /// The plan's number.
    pub fn id(&self) -> PlanId {
        self.id
    }

    /// Ends the plan: finished where every step has its result, else failed.
    ///
    /// # Errors
    /// The disk is full or fails; the plan then counts as interrupted, with its runs.
    pub fn end(mut self, all_have_results: bool) -> Result<(), StoreError> {
        let how = if all_have_results {
            "finished"
        } else {
            "failed"
        };
        self.connection
            .execute(
                "UPDATE plans SET ended = ?2 WHERE id = ?1",
                params![self.id.0, how],
            )
            .map_err(|error| StoreError::sqlite(&self.path, "ending a plan", error))?;
        self.ended = true;
        Ok(())
    }
}

impl Drop for PlanUnderWay {
    fn drop(&mut self) {
        if !self.ended {
            let nobody = Owner::nobody();
            // If it fails the plan is known as interrupted when this process has ended.
            let _ = self.connection.execute(
                "UPDATE plans SET pid = ?2, pid_start = ?3, boot = ?4 WHERE id = ?1",
                params![self.id.0, nobody.pid, nobody.start_ticks, nobody.boot],
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunHeader;

    fn store() -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("results.sqlite3")).unwrap();
        (dir, store)
    }

    const PLAN: PlanHeader<'_> = PlanHeader {
        name: "quick",
        document: "{}",
        started_unix_ms: 7,
    };
    const RUN: RunHeader<'_> = RunHeader {
        method: "full-scan",
        target: "null:",
        settings: "{}",
        environment: "{}",
        started_unix_ms: 7,
    };

    #[test]
    fn a_plan_is_where_its_runs_are() {
        let (_dir, store) = store();
        let plan = store.begin_plan(&PLAN).unwrap();
        let step = |number| PlanStep {
            plan: plan.id(),
            number,
        };
        store
            .begin_step(&RUN, step(1))
            .unwrap()
            .finish("{}")
            .unwrap();
        drop(store.begin_step(&RUN, step(2)).unwrap());
        store.begin_run(&RUN).unwrap().finish("{}").unwrap();
        let steps = store.steps(plan.id()).unwrap();
        let told: Vec<_> = steps
            .iter()
            .map(|s| (s.number, s.run.0, &s.state))
            .collect();
        assert_eq!(
            told,
            [(1, 1, &RunState::Finished), (2, 2, &RunState::Interrupted)]
        );
        assert_eq!(store.step_of(RunId(2)).unwrap(), Some(step(2)));
        assert_eq!(store.step_of(RunId(3)).unwrap(), None);
    }

    #[test]
    fn a_step_has_one_run() {
        let (_dir, store) = store();
        let plan = store.begin_plan(&PLAN).unwrap();
        let step = PlanStep {
            plan: plan.id(),
            number: 1,
        };
        drop(store.begin_step(&RUN, step).unwrap());
        assert!(store.begin_step(&RUN, step).is_err());
        assert_eq!(store.steps(plan.id()).unwrap().len(), 1);
    }

    #[test]
    fn a_plan_that_was_given_up_is_interrupted_and_one_that_is_worked_at_is_refused() {
        let (_dir, store) = store();
        let plan = store.begin_plan(&PLAN).unwrap();
        let id = plan.id();
        assert_eq!(store.plan(id).unwrap().state, RunState::Running);
        let refused = store.resume_plan(id).unwrap_err().to_string();
        assert!(refused.contains("is running in process"), "{refused}");
        drop(plan);
        assert_eq!(store.plan(id).unwrap().state, RunState::Interrupted);
        store.resume_plan(id).unwrap().end(false).unwrap();
        assert!(matches!(
            store.plan(id).unwrap().state,
            RunState::Failed { .. }
        ));
        store.resume_plan(id).unwrap().end(true).unwrap();
        let refused = store.resume_plan(id).unwrap_err().to_string();
        assert!(refused.contains("has ended"), "{refused}");
        let nowhere = store.plan(PlanId(9)).unwrap_err().to_string();
        assert!(nowhere.contains("there is no plan 9"), "{nowhere}");
    }

    #[test]
    fn a_store_without_plans_gets_their_table_and_keeps_its_runs() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("results.sqlite3");
        let store = Store::open(&path).unwrap();
        let result = r#"{"figures": [{"key": "a", "value": null, "unit": "s"},
            {"key": "b", "value": 2.5, "unit": "MB/s"}]}"#;
        store.begin_run(&RUN).unwrap().finish(result).unwrap();
        store
            .connection
            .execute_batch(
                "DROP INDEX runs_by_name; ALTER TABLE runs DROP COLUMN headline;
                 ALTER TABLE runs DROP COLUMN name; ALTER TABLE runs DROP COLUMN tags;
                 ALTER TABLE runs DROP COLUMN note; DROP INDEX runs_of_plans; ALTER TABLE runs DROP COLUMN plan;
                 ALTER TABLE runs DROP COLUMN step; DROP TABLE plans;
                 ALTER TABLE runs DROP COLUMN away; PRAGMA user_version = 1",
            )
            .unwrap();
        drop(store);
        let store = Store::open(&path).unwrap();
        let runs = store.list().unwrap();
        assert_eq!(runs.len(), 1);
        let figure = r#"{"key":"b","value":2.5,"unit":"MB/s"}"#;
        assert_eq!(runs[0].headline.as_deref(), Some(figure));
        assert_eq!(store.plans().unwrap(), []);
        store.begin_plan(&PLAN).unwrap().end(true).unwrap();
    }
}
