//! Stores of every version that there was, made by the SQL of that version: each is opened by this program,
//! and nothing in it is lost.
//!
//! The tables are written down here once more, so that a change of an old step of the schema is seen.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use std::path::Path;

use rusqlite::Connection;
use store::{PlanHeader, PlanId, PlanStep, RunHeader, RunId, RunState, Store, Which};

/// The tables of version 1: runs and phases.
const RUNS_AND_PHASES: &str = "
    CREATE TABLE runs (id INTEGER PRIMARY KEY AUTOINCREMENT, method TEXT NOT NULL, target TEXT NOT NULL,
        settings TEXT NOT NULL, environment TEXT NOT NULL, started_unix_ms INTEGER NOT NULL,
        pid INTEGER NOT NULL, pid_start INTEGER NOT NULL, boot TEXT NOT NULL,
        ended TEXT CHECK (ended IN ('finished', 'failed')), result TEXT, reason TEXT);
    CREATE TABLE phases (number INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, name TEXT NOT NULL,
        done INTEGER NOT NULL, workload TEXT NOT NULL, record TEXT NOT NULL, UNIQUE (run, name));
    INSERT INTO runs (id, method, target, settings, environment, started_unix_ms, pid, pid_start, boot, ended,
        result, reason) VALUES
        (1, 'full-scan', './a', '{}', '{}', 10, 4711, 1, 'a boot', 'finished', '{\"phases\":[1,2]}', NULL),
        (2, 'full-scan', './b', '{\"seed\":2}', '{}', 20, 4712, 1, 'a boot', NULL, NULL, NULL),
        (3, 'full-scan', './c', '{}', '{}', 30, 4713, 1, 'a boot', 'failed', NULL, 'the cable'),
        (5, 'full-scan', './d', '{}', '{}', 50, 4713, 1, 'a boot', 'finished', '{\"phases\":[]}', NULL);
    INSERT INTO phases (run, name, done, workload, record) VALUES
        (1, 'read', 1, '{}', '1'), (1, 'write', 1, '{}', '2'),
        (2, 'read', 1, '{}', '3'), (2, 'write', 0, '{}', '4'), (3, 'read', 1, '{}', '5');
    DELETE FROM runs WHERE id = 5;";

/// What version 2 added: plans.
const PLANS: &str = "
    CREATE TABLE plans (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, document TEXT NOT NULL,
        started_unix_ms INTEGER NOT NULL, pid INTEGER NOT NULL, pid_start INTEGER NOT NULL,
        boot TEXT NOT NULL, ended TEXT CHECK (ended IN ('finished', 'failed')));
    ALTER TABLE runs ADD COLUMN plan INTEGER REFERENCES plans (id) ON DELETE SET NULL;
    ALTER TABLE runs ADD COLUMN step INTEGER;
    CREATE UNIQUE INDEX runs_of_plans ON runs (plan, step) WHERE plan IS NOT NULL;
    INSERT INTO plans (id, name, document, started_unix_ms, pid, pid_start, boot, ended) VALUES
        (1, 'quick', '{\"steps\":2}', 5, 4712, 1, 'a boot', NULL);
    UPDATE runs SET plan = 1, step = id WHERE id <= 2;";

/// What version 3 changed: phases of finished runs are in their results alone.
const PHASES_ONCE: &str =
    "DELETE FROM phases WHERE run IN (SELECT id FROM runs WHERE ended = 'finished');";

/// What version 4 added: how a run's drive went away.
const AWAY: &str = "ALTER TABLE runs ADD COLUMN away TEXT;";

/// What leads from each version to the next, with rows of its own.
const VERSIONS: [&str; 4] = [RUNS_AND_PHASES, PLANS, PHASES_ONCE, AWAY];

const HEADER: RunHeader = RunHeader {
    method: "m",
    target: "t",
    settings: "{}",
    environment: "{}",
    started_unix_ms: 60,
};

/// Makes a store of a version.
fn make(path: &Path, version: usize) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection
        .pragma_update(None, "journal_mode", "WAL")
        .unwrap();
    for sql in &VERSIONS[..version] {
        connection.execute_batch(sql).unwrap();
    }
    let number = |name, value: i64| connection.pragma_update(None, name, value).unwrap();
    number("application_id", 0x6472_766c);
    number("user_version", version as i64);
    connection
}

/// All that is in a store, for comparison: what another opening must find again.
fn told(store: &Store) -> String {
    let runs = store.list().unwrap();
    let of = |id| (store.phases(id).unwrap(), store.step_of(id).unwrap());
    let parts: Vec<_> = runs.iter().map(|run| of(run.id)).collect();
    let results: Vec<_> = runs
        .iter()
        .map(|run| store.result(Which::Id(run.id)).ok())
        .collect();
    format!(
        "{runs:?} {parts:?} {results:?} {:?}",
        store.plans().unwrap()
    )
}

/// What every version's store holds.
fn holds_all(store: &Store, version: usize) {
    let runs = store.list().unwrap();
    let ids: Vec<i64> = runs.iter().map(|run| run.id.0).collect();
    assert_eq!(ids, [3, 2, 1]);
    assert_eq!(runs[2].state, RunState::Finished);
    assert_eq!(runs[1].state, RunState::Interrupted);
    assert_eq!(runs[1].settings, "{\"seed\":2}");
    let reason = "the cable".to_owned();
    assert_eq!(runs[0].state, RunState::Failed { reason });
    let result = store.result(Which::Id(RunId(1))).unwrap();
    assert_eq!(result, "{\"phases\":[1,2]}");
    assert_eq!(
        store.phases(RunId(1)).unwrap(),
        [],
        "they are in its result"
    );
    let phases = store.phases(RunId(2)).unwrap();
    let phases: Vec<_> = phases
        .iter()
        .map(|phase| (&*phase.name, &*phase.record, phase.done))
        .collect();
    assert_eq!(phases, [("read", "3", true), ("write", "4", false)]);
    assert_eq!(store.phases(RunId(3)).unwrap().len(), 1);
    let steps = if version < 2 { 0 } else { 2 };
    assert_eq!(store.plans().unwrap().len(), steps / 2);
    assert_eq!(store.steps(PlanId(1)).unwrap().len(), steps);
}

#[test]
fn a_store_of_any_version_is_opened_with_all_that_is_in_it() {
    for version in 1..=VERSIONS.len() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("results.sqlite3");
        drop(make(&path, version));
        let store = Store::open(&path).unwrap();
        holds_all(&store, version);
        let first = told(&store);
        drop(store);
        let store = Store::open(&path).unwrap();
        assert_eq!(told(&store), first, "version {version}, opened again");
        // What was interrupted goes on, and what is new gets a number that was never used.
        let (run, phases) = store.resume(RunId(2)).unwrap();
        assert_eq!(phases.len(), 2);
        run.finish("{}").unwrap();
        let plan = PlanHeader {
            name: "p",
            document: "{}",
            started_unix_ms: 60,
        };
        let plan = store.begin_plan(&plan).unwrap();
        let step = PlanStep {
            plan: plan.id(),
            number: 1,
        };
        let run = store.begin_step(&HEADER, step).unwrap();
        assert_eq!(run.id(), RunId(6), "5 was used and deleted");
    }
}

#[test]
fn a_store_is_brought_up_to_date_by_many_at_once_and_while_an_older_program_has_it_open() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("results.sqlite3");
    let older = make(&path, 2);
    std::thread::scope(|scope| {
        let openers: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| Store::open(&path).map(drop)))
            .collect();
        for opener in openers {
            opener.join().unwrap().unwrap();
        }
    });
    holds_all(&Store::open(&path).unwrap(), 2);
    // Its statements are still good.
    let said = older.execute(
        "UPDATE runs SET ended = 'finished', result = '{}' WHERE id = 2",
        [],
    );
    assert_eq!(said.unwrap(), 1);
}

#[test]
fn a_migration_that_is_cut_off_leaves_the_store_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("results.sqlite3");
    let older = make(&path, 2);
    // As a full disk would: the first statement that needs a new page, or any at all, fails.
    older
        .execute_batch(
            "CREATE TRIGGER no BEFORE DELETE ON phases BEGIN SELECT RAISE(ABORT, 'no'); END",
        )
        .unwrap();
    let said = Store::open(&path).unwrap_err().to_string();
    assert!(
        said.contains("bringing the store up to date") && !said.contains('\n'),
        "{said}"
    );
    let number = |sql: &str| -> i64 { older.query_row(sql, [], |row| row.get(0)).unwrap() };
    assert_eq!(number("SELECT count(*) FROM phases"), 5);
    assert_eq!(number("PRAGMA user_version"), 2);
    older.execute_batch("DROP TRIGGER no").unwrap();
    holds_all(&Store::open(&path).unwrap(), 2);
}

#[test]
fn a_store_of_a_newer_version_is_refused_and_left_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("results.sqlite3");
    let newer = make(&path, 2);
    newer
        .execute_batch("CREATE TABLE drives (id INTEGER); PRAGMA user_version = 99")
        .unwrap();
    newer
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    drop(newer);
    let before = std::fs::read(&path).unwrap();
    let said = Store::open(&path).unwrap_err().to_string();
    for words in [
        "newer drivelab",
        "its version is 99",
        "update drivelab",
        "--store",
    ] {
        assert!(said.contains(words) && !said.contains('\n'), "{said}");
    }
    assert!(std::fs::read(&path).unwrap() == before);
}
