//! Stores of several machines in one.
//!
//! Numbers of runs and plans are a store's own, so what is copied gets new ones, in the order of the old. The same run
//! must not arrive twice, however often a store is merged: a run is known again by its header (method, target, settings,
//! environment, start to the millisecond) and, where both have one, by its result. A run that was interrupted when it
//! was copied, and has gone on since, replaces the earlier copy.
//!
//! Everything of one source is copied in one transaction, so a merge that is cut off has copied all of it or nothing.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, Row, Transaction, TransactionBehavior, params};

use crate::process::Owner;
use crate::progress::{self, ProgressFiles};
use crate::read::RunState;
use crate::{PlanId, RunId, Store, StoreError, labels, room};

/// What a merge did with the runs of one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Runs that were copied.
    pub added: usize,
    /// Runs that were here unfinished, and are further in the source.
    pub completed: usize,
    /// Runs that were here already.
    pub known: usize,
    /// Plans that were copied.
    pub plans: usize,
    /// Runs that a living process still writes: not copied.
    pub under_way: Vec<RunId>,
    /// Runs whose unfinished phase could not be copied: it is measured again when they are resumed.
    pub phase_lost: Vec<RunId>,
    /// Names that another run here has: the name in the source, and the one it has here now.
    pub renamed: Vec<(String, String)>,
}

/// By what a run is known again.
#[derive(PartialEq, Eq, Hash)]
struct Header {
    started_unix_ms: i64,
    method: String,
    target: String,
    settings: String,
    environment: String,
}

/// How far a run has come; the later the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Progress {
    /// 3 finished, 2 a result of what was measured until its drive went away, 1 failed, 0 interrupted.
    end: u8,
    phases: u32,
}

const DOING: &str = "merging stores";

impl Store {
    /// Copies the runs and plans of another store that are not here yet. Names, tags and notes come with a new run; of a
    /// run that is known they stay as they are here.
    ///
    /// # Errors
    /// Where one of the two cannot be read or written; then nothing of the source has been copied.
    pub fn merge(&self, from: &Store) -> Result<Merged, StoreError> {
        room::check(self.path(), 0, DOING)?;
        let fail = |error| self.cannot(DOING, error);
        let transaction =
            Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)
                .map_err(fail)?;
        let mut merged = Merged::default();
        let mut unfinished = Vec::new();
        let plans = copy_plans(&transaction, &from.connection, &mut merged).map_err(fail)?;
        let mut here = headers(&transaction).map_err(fail)?;
        for run in from.list()?.into_iter().rev() {
            if run.state == RunState::Running {
                merged.under_way.push(run.id);
                continue;
            }
            let (same, copied) =
                counterpart(&transaction, &mut here, &from.connection, run.id).map_err(fail)?;
            match (copied, same) {
                (None, _) => merged.known += 1,
                (Some(_), None) => merged.added += 1,
                (Some(_), Some(_)) => merged.completed += 1,
            }
            let Some(to) = copied else { continue };
            copy_content(&transaction, to, &from.connection, run.id).map_err(fail)?;
            if same.is_none() {
                let step = from.step_of(run.id)?;
                let step = step.and_then(|step| Some((plans.get(&step.plan)?, step.number)));
                place(&transaction, to, step).map_err(fail)?;
                let renamed = name(&transaction, to, run.name.as_deref()).map_err(fail)?;
                merged.renamed.extend(renamed);
            }
            if run.state != RunState::Finished {
                unfinished.push((run.id, to));
            }
        }
        transaction.commit().map_err(fail)?;
        let lost = unfinished
            .into_iter()
            .filter(|(was, is)| !self.copy_progress(from, *was, *is));
        merged.phase_lost = lost.map(|(was, _)| was).collect();
        Ok(merged)
    }

    /// What the last phase of an unfinished run had measured is in files beside the store; false where it could not be
    /// copied.
    fn copy_progress(&self, from: &Store, was: RunId, is: RunId) -> bool {
        progress::remove(self.path(), is);
        let Some(phase) = progress::newest(from.path(), was) else {
            return true;
        };
        let mut files = ProgressFiles::of(self.path(), is);
        files
            .write(&phase.name, &phase.workload, &phase.record)
            .is_ok()
    }
}

/// The run here that is the source's, if there is one; and the one to copy it into: a new one, the same where the source
/// is further, none where it is not.
fn counterpart(
    to: &Connection,
    here: &mut HashMap<Header, Vec<RunId>>,
    from: &Connection,
    run: RunId,
) -> rusqlite::Result<(Option<RunId>, Option<RunId>)> {
    let candidates = here.entry(header(from, run)?).or_default();
    for at in 0..candidates.len() {
        if is_same_result(to, candidates[at], from, run)? {
            // It stands for one run of the source: the next with the same header is another one.
            let same = candidates.remove(at);
            let is_further = progress(to, same)? < progress(from, run)?;
            return Ok((Some(same), is_further.then_some(same)));
        }
    }
    Ok((None, Some(insert(to, &header(from, run)?)?)))
}

/// Plans that are not here yet, in their order; under which number each is here.
fn copy_plans(
    to: &Connection,
    from: &Connection,
    merged: &mut Merged,
) -> rusqlite::Result<HashMap<PlanId, i64>> {
    let nobody = Owner::nobody();
    let mut numbers = HashMap::new();
    let mut known = HashSet::new();
    let mut statement =
        from.prepare("SELECT id, name, document, started_unix_ms, ended FROM plans ORDER BY id")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (id, name, document) = (
            row.get::<_, i64>(0)?,
            row.get::<_, String>(1)?,
            row.get::<_, String>(2)?,
        );
        let (started, ended) = (row.get::<_, i64>(3)?, row.get::<_, Option<String>>(4)?);
        let mut same = to.prepare_cached(
            "SELECT id FROM plans WHERE started_unix_ms = ?1 AND name = ?2 AND document = ?3 ORDER BY id",
        )?;
        let same: Vec<i64> = same
            .query_map(params![started, name, document], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let number = match same.into_iter().find(|number| known.insert(*number)) {
            Some(number) => {
                to.execute(
                    "UPDATE plans SET ended = coalesce(?2, ended) WHERE id = ?1 AND ended IS NOT 'finished'",
                    params![number, ended],
                )?;
                number
            }
            None => {
                to.execute(
                    "INSERT INTO plans (name, document, started_unix_ms, pid, pid_start, boot, ended)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                    params![name, document, started, nobody.pid, nobody.start_ticks, nobody.boot, ended],
                )?;
                merged.plans += 1;
                let number = to.last_insert_rowid();
                known.insert(number);
                number
            }
        };
        numbers.insert(PlanId(id), number);
    }
    Ok(numbers)
}

const HEADER: &str = "SELECT started_unix_ms, method, target, settings, environment, id FROM runs";

fn header_of(row: &Row<'_>) -> rusqlite::Result<Header> {
    Ok(Header {
        started_unix_ms: row.get(0)?,
        method: row.get(1)?,
        target: row.get(2)?,
        settings: row.get(3)?,
        environment: row.get(4)?,
    })
}

fn header(connection: &Connection, run: RunId) -> rusqlite::Result<Header> {
    let mut statement = connection.prepare_cached(&format!("{HEADER} WHERE id = ?1"))?;
    statement.query_row([run.0], header_of)
}

/// The runs that are here, by their headers.
fn headers(connection: &Connection) -> rusqlite::Result<HashMap<Header, Vec<RunId>>> {
    let mut all: HashMap<Header, Vec<RunId>> = HashMap::new();
    let mut statement = connection.prepare(&format!("{HEADER} ORDER BY id"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let run = RunId(row.get(5)?);
        all.entry(header_of(row)?).or_default().push(run);
    }
    Ok(all)
}

/// Whether two runs of one header may be the same run: where both are finished, only with the same result.
fn is_same_result(
    to: &Connection,
    here: RunId,
    from: &Connection,
    there: RunId,
) -> rusqlite::Result<bool> {
    let result = |connection: &Connection, run: RunId| {
        let mut statement = connection
            .prepare_cached("SELECT result FROM runs WHERE id = ?1 AND ended = 'finished'")?;
        let found = statement.query_map([run.0], |row| row.get::<_, Option<String>>(0))?;
        Ok::<_, rusqlite::Error>(found.flatten().next().flatten())
    };
    let (here, there) = (result(to, here)?, result(from, there)?);
    Ok(here.is_none() || there.is_none() || here == there)
}

fn progress(connection: &Connection, run: RunId) -> rusqlite::Result<Progress> {
    let read = |row: &Row<'_>| {
        Ok(Progress {
            end: row.get(0)?,
            phases: row.get(1)?,
        })
    };
    let mut statement = connection.prepare_cached(
        "SELECT CASE WHEN ended = 'finished' THEN 3 WHEN away IS NOT NULL THEN 2 WHEN ended = 'failed' THEN 1 ELSE 0 END,
            (SELECT count(*) FROM phases WHERE run = runs.id AND done) FROM runs WHERE id = ?1",
    )?;
    statement.query_row([run.0], read)
}

fn insert(to: &Connection, header: &Header) -> rusqlite::Result<RunId> {
    let nobody = Owner::nobody();
    to.execute(
        "INSERT INTO runs (method, target, settings, environment, started_unix_ms, pid, pid_start, boot)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            header.method,
            header.target,
            header.settings,
            header.environment,
            header.started_unix_ms,
            nobody.pid,
            nobody.start_ticks,
            nobody.boot
        ],
    )?;
    Ok(RunId(to.last_insert_rowid()))
}

/// End, result, headline, tags, note and phases of a run.
fn copy_content(to: &Connection, is: RunId, from: &Connection, was: RunId) -> rusqlite::Result<()> {
    let mut read = from.prepare_cached(
        "SELECT ended, result, reason, away, headline, tags, note FROM runs WHERE id = ?1",
    )?;
    let texts = read.query_row([was.0], |row| {
        let text = |at| row.get::<_, Option<String>>(at);
        Ok([
            text(0)?,
            text(1)?,
            text(2)?,
            text(3)?,
            text(4)?,
            text(5)?,
            text(6)?,
        ])
    })?;
    let [ended, result, reason, away, headline, tags, note] = texts;
    to.execute(
        "UPDATE runs SET ended = ?2, result = ?3, reason = ?4, away = ?5, headline = ?6,
            tags = coalesce(tags, ?7), note = coalesce(note, ?8) WHERE id = ?1",
        params![is.0, ended, result, reason, away, headline, tags, note],
    )?;
    to.execute("DELETE FROM phases WHERE run = ?1", [is.0])?;
    let mut read = from.prepare_cached(
        "SELECT name, done, workload, record FROM phases WHERE run = ?1 ORDER BY number",
    )?;
    let mut write = to.prepare_cached(
        "INSERT INTO phases (run, name, done, workload, record) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    let mut rows = read.query([was.0])?;
    while let Some(row) = rows.next()? {
        let text = |at| row.get::<_, String>(at);
        write.execute(params![
            is.0,
            text(0)?,
            row.get::<_, i64>(1)?,
            text(2)?,
            text(3)?
        ])?;
    }
    Ok(())
}

/// Makes a run the step of a plan, where another one is not that step already.
fn place(to: &Connection, run: RunId, step: Option<(&i64, u32)>) -> rusqlite::Result<()> {
    if let Some((plan, number)) = step {
        to.execute(
            "UPDATE OR IGNORE runs SET plan = ?2, step = ?3 WHERE id = ?1",
            params![run.0, plan, number],
        )?;
    }
    Ok(())
}

/// Gives a run its name, or the next that is free: `name-2`.
fn name(
    to: &Connection,
    run: RunId,
    wanted: Option<&str>,
) -> rusqlite::Result<Option<(String, String)>> {
    let Some(wanted) = wanted else {
        return Ok(None);
    };
    let mut is_taken = to.prepare_cached("SELECT 1 FROM runs WHERE name = ?1")?;
    let mut given = wanted.to_owned();
    let mut number = 2;
    while is_taken.exists([&given])? {
        given = labels::numbered(wanted, number);
        number += 1;
    }
    to.execute(
        "UPDATE runs SET name = ?2 WHERE id = ?1",
        params![run.0, given],
    )?;
    Ok((given != wanted).then(|| (wanted.to_owned(), given)))
}
