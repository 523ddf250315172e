//! A run from its beginning to its end, within one process. (Kills, full disks and other processes: `tests/`.)

use std::sync::mpsc::channel;

use super::*;
use crate::{RunState, StoredRun, Which};

/// Longer than any test: the writer writes what it finds first, and then sleeps until the run closes.
const NEVER_AGAIN: Duration = Duration::from_secs(3600);

const HEADER: RunHeader = RunHeader {
    method: "full-scan",
    target: "./file",
    settings: r#"{"span":1}"#,
    environment: r#"{"kernel":"6"}"#,
    started_unix_ms: 1_700_000_000_123,
};

fn store() -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(&dir.path().join("results.sqlite3")).unwrap();
    (dir, store)
}

/// Hands progress over and waits until the writer has begun to write it.
fn progress_taken(run: &Run, name: &str, record: &'static str) {
    let (taken, by_writer) = channel();
    run.phase_progress(name, "{}", move || {
        taken.send(()).unwrap();
        record.to_string()
    });
    by_writer.recv().unwrap();
}

fn records(store: &Store, id: RunId) -> Vec<(String, String, bool)> {
    store
        .phases(id)
        .unwrap()
        .into_iter()
        .map(|phase| (phase.name, phase.record, phase.done))
        .collect()
}

#[test]
fn a_run_is_read_back_as_it_was_written() {
    let (_dir, store) = store();
    let run = store.begin_run(&HEADER).unwrap();
    run.phase_done("read", r#"{"depth":1}"#, r#"{"ios":7}"#)
        .unwrap();
    let id = run.id();
    let phase = &store.phases(id).unwrap()[0];
    assert_eq!(
        (&*phase.workload, &*phase.record),
        (r#"{"depth":1}"#, r#"{"ios":7}"#)
    );
    run.finish(r#"{"figures":[]}"#).unwrap();

    let expected = StoredRun {
        id,
        method: "full-scan".to_string(),
        target: "./file".to_string(),
        settings: HEADER.settings.to_string(),
        environment: HEADER.environment.to_string(),
        started_unix_ms: HEADER.started_unix_ms,
        state: RunState::Finished,
        early: None,
        phases_done: 0,
        headline: None,
        name: None,
        tags: Vec::new(),
        note: None,
    };
    assert_eq!(store.list().unwrap(), std::slice::from_ref(&expected));
    assert_eq!(store.run(Which::Last).unwrap(), expected);
    assert_eq!(store.result(Which::Id(id)).unwrap(), r#"{"figures":[]}"#);
}

#[test]
fn a_finished_run_keeps_its_phases_once_and_a_failed_one_keeps_them_to_go_on() {
    let (_dir, store) = store();
    let rows = || -> i64 {
        let count = "SELECT count(*) FROM phases";
        let row = store.connection.query_row(count, [], |row| row.get(0));
        row.unwrap()
    };
    let run = store.begin_run(&HEADER).unwrap();
    run.phase_done("read", "{}", "1").unwrap();
    run.phase_progress("write", "{}", || "half".to_string());
    run.finish(r#"{"phases":[1]}"#).unwrap();
    assert_eq!(rows(), 0);
    let run = store.begin_run(&HEADER).unwrap();
    run.phase_done("read", "{}", "1").unwrap();
    let id = run.id();
    run.fail("the cable").unwrap();
    assert_eq!(store.run(Which::Id(id)).unwrap().phases_done, 1);
}

#[test]
fn a_file_that_is_mostly_free_is_made_shorter_between_runs() {
    let (dir, store) = store();
    let kept = store.begin_run(&HEADER).unwrap();
    kept.finish("kept").unwrap();
    let run = store.begin_run(&HEADER).unwrap();
    run.phase_done("read", "{}", &"x".repeat(24 << 20)).unwrap();
    run.fail("the cable").unwrap();
    let bytes = || {
        std::fs::metadata(dir.path().join("results.sqlite3"))
            .unwrap()
            .len()
    };
    assert!(store.rest().unwrap());
    assert!(bytes() > 24 << 20);
    store.delete(RunId(2)).unwrap();
    assert!(store.rest().unwrap());
    assert!(bytes() < 1 << 20);
    assert_eq!(store.result(Which::Last).unwrap(), "kept");
}

#[test]
fn the_newest_run_comes_first_and_is_the_last() {
    let (_dir, store) = store();
    for _ in 0..3 {
        store.begin_run(&HEADER).unwrap().finish("{}").unwrap();
    }
    let ids: Vec<i64> = store.list().unwrap().iter().map(|run| run.id.0).collect();
    assert_eq!(ids, [3, 2, 1]);
    assert_eq!(store.run(Which::Last).unwrap().id, RunId(3));
}

#[test]
fn the_newest_progress_wins_and_the_rest_is_never_written() {
    let (_dir, store) = store();
    let run = store.begin_run_at_pace(&HEADER, None, NEVER_AGAIN).unwrap();
    progress_taken(&run, "read", "1");
    // The writer rests now: of these two, only the newest may be made into text at all.
    run.phase_progress("read", "{}", || panic!("replaced before the writer looked"));
    run.phase_progress("read", "{}", || "3".to_string());
    let id = run.id();
    drop(run);
    assert_eq!(
        records(&store, id),
        [("read".to_string(), "3".to_string(), false)]
    );
}

#[test]
fn progress_that_comes_late_does_not_set_a_phase_back() {
    let (_dir, store) = store();
    let run = store.begin_run_at_pace(&HEADER, None, NEVER_AGAIN).unwrap();
    progress_taken(&run, "other", "0");
    run.phase_progress("read", "{}", || "half".to_string());
    run.phase_done("read", "{}", "whole").unwrap();
    let id = run.id();
    drop(run); // now the writer comes to what lies in the slot
    assert!(records(&store, id).contains(&("read".to_string(), "whole".to_string(), true)));
}

#[test]
fn phases_are_given_in_the_order_in_which_they_began() {
    let (_dir, store) = store();
    let run = store.begin_run(&HEADER).unwrap();
    for name in ["z", "a", "m"] {
        run.phase_done(name, "{}", "1").unwrap();
    }
    run.phase_done("z", "{}", "2").unwrap();
    let names: Vec<String> = records(&store, run.id())
        .into_iter()
        .map(|(name, ..)| name)
        .collect();
    assert_eq!(names, ["z", "a", "m"]);
}

#[test]
fn a_run_goes_on_while_its_process_lives_and_is_interrupted_when_given_up() {
    let (_dir, store) = store();
    let run = store.begin_run(&HEADER).unwrap();
    assert_eq!(store.run(Which::Last).unwrap().state, RunState::Running);
    assert!(store.interrupted().unwrap().is_empty());
    drop(run);
    assert_eq!(store.interrupted().unwrap().len(), 1);
}

#[test]
fn a_failed_run_says_why_it_has_no_result() {
    let (_dir, store) = store();
    store
        .begin_run(&HEADER)
        .unwrap()
        .fail("the device went away")
        .unwrap();
    let said = store.result(Which::Last).unwrap_err().to_string();
    assert_eq!(said, "run 1 has no result: it failed: the device went away");
}

#[test]
fn an_interrupted_run_is_taken_up_with_its_phases() {
    let (_dir, store) = store();
    let run = store.begin_run(&HEADER).unwrap();
    run.phase_done("one", "{}", "1").unwrap();
    run.phase_progress("two", "{}", || "half".to_string());
    let id = run.id();
    drop(run);

    let (run, phases) = store.resume(id).unwrap();
    let found: Vec<(&str, bool)> = phases
        .iter()
        .map(|phase| (&*phase.name, phase.done))
        .collect();
    assert_eq!(found, [("one", true), ("two", false)]);
    assert_eq!(store.run(Which::Id(id)).unwrap().state, RunState::Running);
    run.phase_done("two", "{}", "whole").unwrap();
    assert_eq!(store.run(Which::Id(id)).unwrap().phases_done, 2);
    run.finish("{}").unwrap();
    assert_eq!(store.run(Which::Id(id)).unwrap().state, RunState::Finished);
}

#[test]
fn a_run_that_goes_on_or_is_finished_is_not_taken_up() {
    let (_dir, store) = store();
    let run = store.begin_run(&HEADER).unwrap();
    let id = run.id();
    assert!(
        matches!(store.resume(id), Err(StoreError::UnderWay { pid, .. }) if pid == std::process::id())
    );
    run.finish("{}").unwrap();
    assert!(matches!(store.resume(id), Err(StoreError::Ended { .. })));
    assert!(matches!(
        store.resume(RunId(99)),
        Err(StoreError::NoSuchRun { .. })
    ));
}

#[test]
fn a_failed_run_may_be_taken_up_when_its_cause_is_mended() {
    let (_dir, store) = store();
    let run = store.begin_run(&HEADER).unwrap();
    let id = run.id();
    run.fail("the cable").unwrap();
    let (run, _) = store.resume(id).unwrap();
    run.finish("{}").unwrap();
    assert_eq!(store.run(Which::Id(id)).unwrap().state, RunState::Finished);
}

#[test]
fn a_run_whose_drive_went_away_answers_with_what_it_has_until_it_goes_on() {
    let (_dir, store) = store();
    let run = store.begin_run(&HEADER).unwrap();
    let id = run.id();
    run.phase_done("one", "{}", "1").unwrap();
    run.phase_progress("two", "{}", || "half".to_string());
    run.went_away("its size is 0", "a part").unwrap();
    let state = store.run(Which::Id(id)).unwrap().state;
    assert_eq!(
        state,
        RunState::WentAway {
            reason: "its size is 0".to_string()
        }
    );
    assert_eq!(state.to_string(), "lost its drive: its size is 0");
    assert_eq!(store.interrupted().unwrap().len(), 1);
    assert_eq!(store.result(Which::Id(id)).unwrap(), "a part");
    assert!(store.rest().unwrap(), "nobody writes it any more");

    let (run, phases) = store.resume(id).unwrap();
    let found: Vec<(&str, bool)> = phases
        .iter()
        .map(|phase| (&*phase.name, phase.done))
        .collect();
    assert_eq!(found, [("one", true), ("two", false)]);
    assert_eq!(store.run(Which::Id(id)).unwrap().state, RunState::Running);
    assert!(
        store.result(Which::Id(id)).is_err(),
        "the part is of before"
    );
    drop(run);
    let state = store.run(Which::Id(id)).unwrap().state;
    assert_eq!(state, RunState::Interrupted);
    store.resume(id).unwrap().0.finish("whole").unwrap();
    assert_eq!(store.run(Which::Id(id)).unwrap().state, RunState::Finished);
}

#[test]
fn a_run_that_was_cut_off_for_good_has_a_part_and_is_not_offered_again() {
    let (_dir, store) = store();
    let run = store.begin_run(&HEADER).unwrap();
    let id = run.id();
    run.finish_early("a part", "Ctrl-C").unwrap();
    let stored = store.run(Which::Id(id)).unwrap();
    assert_eq!(stored.state, RunState::Finished);
    assert_eq!(stored.early.as_deref(), Some("Ctrl-C"));
    assert_eq!(store.result(Which::Id(id)).unwrap(), "a part");
    assert!(store.interrupted().unwrap().is_empty());
}

#[test]
fn a_deleted_run_is_gone_with_its_phases_and_its_number_is_not_used_again() {
    let (_dir, store) = store();
    let run = store.begin_run(&HEADER).unwrap();
    run.phase_done("one", "{}", "1").unwrap();
    let id = run.id();
    assert!(matches!(store.delete(id), Err(StoreError::UnderWay { .. })));
    run.finish("{}").unwrap();
    store.delete(id).unwrap();
    assert!(matches!(
        store.phases(id),
        Err(StoreError::NoSuchRun { .. })
    ));
    let left: i64 = store
        .connection
        .query_row("SELECT count(*) FROM phases", [], |row| row.get(0))
        .unwrap();
    assert_eq!(left, 0);
    assert_ne!(store.begin_run(&HEADER).unwrap().id(), id);
}

#[test]
fn what_is_not_there_is_named() {
    let (_dir, store) = store();
    assert!(
        store
            .run(Which::Last)
            .unwrap_err()
            .to_string()
            .contains("no result is stored yet")
    );
    assert!(
        store
            .delete(RunId(7))
            .unwrap_err()
            .to_string()
            .contains("there is no run 7")
    );
    assert!(
        "lats"
            .parse::<Which>()
            .unwrap_err()
            .to_string()
            .contains("write its number")
    );
    assert_eq!("12".parse::<Which>().unwrap(), Which::Id(RunId(12)));
    assert_eq!("last".parse::<Which>().unwrap(), Which::Last);
}

#[test]
fn the_log_is_copied_back_between_runs_and_never_during_one() {
    let (dir, store) = store();
    let log = || {
        std::fs::metadata(dir.path().join("results.sqlite3-wal"))
            .unwrap()
            .len()
    };
    let run = store.begin_run(&HEADER).unwrap();
    // More than the thousand pages after which SQLite would make a checkpoint by itself.
    run.phase_done("read", "{}", &"x".repeat(5 << 20)).unwrap();
    assert!(log() > 5 << 20);
    assert!(!store.rest().unwrap(), "a run goes on");
    assert!(log() > 5 << 20);
    run.finish("{}").unwrap();
    assert!(store.rest().unwrap());
    assert_eq!(log(), 0);
}

#[test]
fn no_room_is_an_error_that_keeps_what_was_there() {
    let (_dir, store) = store();
    let run = store.begin_run(&HEADER).unwrap();
    run.phase_done("one", "{}", "1").unwrap();
    let limit = |pages| {
        run.shared()
            .connection()
            .pragma_update(None, "max_page_count", pages)
            .unwrap()
    };
    limit(10);
    let said = run
        .phase_done("two", "{}", &"x".repeat(1 << 20))
        .unwrap_err()
        .to_string();
    assert!(
        said.contains("no room left for results") && !said.contains('\n'),
        "{said}"
    );
    assert_eq!(records(&store, run.id()).len(), 1);
    limit(10_000);
    run.phase_done("two", "{}", &"x".repeat(1 << 20)).unwrap();
}

#[test]
fn progress_that_cannot_be_stored_does_not_stop_the_run_and_is_told() {
    let (dir, store) = store();
    let run = store
        .begin_run_at_pace(&HEADER, None, Duration::ZERO)
        .unwrap();
    assert_eq!(run.progress_trouble(), None);
    let in_the_way = dir.path().join("results.sqlite3-run-1.1");
    std::fs::create_dir(&in_the_way).unwrap();
    progress_taken(&run, "read", "large");
    // When the writer takes the next one it is through with this one; then it is held, to look at it.
    let (taken, by_writer) = channel();
    let (let_go, held) = channel();
    run.phase_progress("read", "{}", move || {
        taken.send(()).unwrap();
        held.recv().unwrap();
        "small".to_string()
    });
    by_writer.recv().unwrap();
    let trouble = run.progress_trouble().expect("a folder is not a file");
    assert!(
        trouble.contains("could not be stored") && !trouble.contains('\n'),
        "{trouble}"
    );
    std::fs::remove_dir(&in_the_way).unwrap();
    let_go.send(()).unwrap();
    progress_taken(&run, "read", "next");
    progress_taken(&run, "read", "and next");
    assert_eq!(run.progress_trouble(), None);
    run.finish("{}").unwrap();
    assert_eq!(store.run(Which::Last).unwrap().state, RunState::Finished);
}

#[test]
fn progress_of_a_day_takes_the_room_of_two_documents() {
    let (dir, store) = store();
    let run = store
        .begin_run_at_pace(&HEADER, None, Duration::ZERO)
        .unwrap();
    let bytes = || -> u64 {
        let entries = std::fs::read_dir(dir.path()).unwrap();
        entries.map(|e| e.unwrap().metadata().unwrap().len()).sum()
    };
    let record: &str = Box::leak("x".repeat(10_000).into_boxed_str());
    for _ in 0..3 {
        progress_taken(&run, "watch", record);
    }
    let early = bytes();
    for _ in 0..1_000 {
        progress_taken(&run, "watch", record);
    }
    assert_eq!(bytes(), early);
    assert_eq!(records(&store, run.id()).len(), 1);
    run.finish("{}").unwrap();
    let names: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .filter(|name| name.to_string_lossy().contains("-run-"))
        .collect();
    assert_eq!(names, [""; 0], "they are gone with the run's end");
}

#[test]
fn progress_is_wanted_when_it_would_be_written_at_once() {
    let (_dir, store) = store();
    let run = store.begin_run_at_pace(&HEADER, None, NEVER_AGAIN).unwrap();
    assert!(run.wants_progress());
    progress_taken(&run, "read", "1");
    assert!(!run.wants_progress(), "the writer rests");
}

#[test]
fn what_an_older_store_or_a_kill_left_beside_the_store_is_never_another_run_s() {
    let (dir, store) = store();
    let stray = dir.path().join("results.sqlite3-run-1.0");
    std::fs::write(&stray, "of a store that was moved away").unwrap();
    let run = store.begin_run(&HEADER).unwrap();
    assert!(!stray.exists());
    run.phase_progress("read", "{}", || "half".to_string());
    drop(run);
    // Killed between the end of the run and that of its files.
    std::fs::copy(dir.path().join("results.sqlite3-run-1.1"), &stray).unwrap();
    let (run, _) = store.resume(RunId(1)).unwrap();
    run.finish("{}").unwrap();
    std::fs::write(&stray, "left").unwrap();
    assert_eq!(records(&store, RunId(1)), []);
    store.rest().unwrap();
    assert!(!stray.exists());
}
