//! Stores of every version that there was, made by the SQL of that version: each is opened by this program,
//! and nothing in it is lost.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod older;

use older::{VERSIONS, make};
use store::{PlanHeader, PlanId, PlanStep, RunHeader, RunId, RunState, Store, Which};

const HEADER: RunHeader = RunHeader {
    method: "m",
    target: "t",
    settings: "{}",
    environment: "{}",
    started_unix_ms: 60,
};

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
