//! Stores of several machines in one: nothing twice, nothing lost, and numbers that stay apart.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod older;

use std::path::Path;

use store::{Labels, PlanHeader, PlanStep, RunHeader, RunId, RunState, Store, Which};

fn header(target: &str, started_unix_ms: i64) -> RunHeader<'_> {
    RunHeader {
        method: "full-scan",
        target,
        settings: "{}",
        environment: "{\"host\":\"a\"}",
        started_unix_ms,
    }
}

fn store(dir: &Path, name: &str) -> Store {
    Store::open(&dir.join(name)).unwrap()
}

/// Targets and states, the oldest first.
fn told(store: &Store) -> Vec<(i64, String, RunState)> {
    let mut runs = store.list().unwrap();
    runs.reverse();
    let of = |run: store::StoredRun| (run.id.0, run.target, run.state);
    runs.into_iter().map(of).collect()
}

#[test]
fn runs_of_two_machines_get_numbers_of_their_own_and_come_once_however_often_they_are_merged() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b, into) = (
        store(dir.path(), "a"),
        store(dir.path(), "b"),
        store(dir.path(), "c"),
    );
    for (store, host) in [(&a, "{\"on\":\"a\"}"), (&b, "{\"on\":\"b\"}")] {
        for started in [10, 20] {
            store
                .begin_run(&header("t", started))
                .unwrap()
                .finish(host)
                .unwrap();
        }
    }
    let first = into.merge(&a).unwrap();
    assert_eq!((first.added, first.known), (2, 0));
    // The same headers with other results are other runs: two machines of one image begin in one millisecond.
    let second = into.merge(&b).unwrap();
    assert_eq!((second.added, second.known), (2, 0));
    let once_more = into.merge(&a).unwrap();
    assert_eq!((once_more.added, once_more.known), (0, 2));
    let results: Vec<String> = (1..=4)
        .map(|id| into.result(Which::Id(RunId(id))).unwrap())
        .collect();
    assert_eq!(
        results,
        [
            "{\"on\":\"a\"}",
            "{\"on\":\"a\"}",
            "{\"on\":\"b\"}",
            "{\"on\":\"b\"}"
        ]
    );
    assert_eq!(into.list().unwrap().len(), 4);
}

#[test]
fn two_runs_of_one_source_that_look_alike_stay_two() {
    let dir = tempfile::tempdir().unwrap();
    let (a, into) = (store(dir.path(), "a"), store(dir.path(), "c"));
    for _ in 0..2 {
        a.begin_run(&header("t", 10)).unwrap().finish("{}").unwrap();
    }
    assert_eq!(into.merge(&a).unwrap().added, 2);
    assert_eq!(into.merge(&a).unwrap().known, 2);
}

#[test]
fn an_interrupted_run_comes_with_what_it_had_can_go_on_here_and_is_completed_by_a_later_merge() {
    let dir = tempfile::tempdir().unwrap();
    let (a, into) = (store(dir.path(), "a"), store(dir.path(), "c"));
    let run = a.begin_run(&header("t", 10)).unwrap();
    run.phase_done("read", "{}", "1").unwrap();
    run.phase_progress("write", "{}", || "2".to_owned());
    assert_eq!(
        into.merge(&a).unwrap().under_way,
        [RunId(1)],
        "it is being written"
    );
    drop(run);
    assert_eq!(into.merge(&a).unwrap().added, 1);
    let phases = into.phases(RunId(1)).unwrap();
    assert_eq!(phases, a.phases(RunId(1)).unwrap());
    assert_eq!(phases.len(), 2);
    let (run, kept) = into.resume(RunId(1)).unwrap();
    assert_eq!(kept.len(), 2);
    drop(run);
    // It goes on where it was begun.
    let (run, _) = a.resume(RunId(1)).unwrap();
    run.finish("{\"figures\":[]}").unwrap();
    let later = into.merge(&a).unwrap();
    assert_eq!((later.added, later.completed, later.known), (0, 1, 0));
    assert_eq!(into.result(Which::Last).unwrap(), "{\"figures\":[]}");
    assert_eq!(told(&into), [(1, "t".to_owned(), RunState::Finished)]);
    assert_eq!(into.phases(RunId(1)).unwrap(), []);
}

#[test]
fn what_was_finished_here_is_not_undone_by_an_older_copy() {
    let dir = tempfile::tempdir().unwrap();
    let (a, into) = (store(dir.path(), "a"), store(dir.path(), "c"));
    drop(a.begin_run(&header("t", 10)).unwrap());
    into.merge(&a).unwrap();
    into.resume(RunId(1)).unwrap().0.finish("{}").unwrap();
    assert_eq!(into.merge(&a).unwrap().known, 1);
    assert_eq!(told(&into), [(1, "t".to_owned(), RunState::Finished)]);
}

#[test]
fn names_stay_unique_and_labels_come_along() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b, into) = (
        store(dir.path(), "a"),
        store(dir.path(), "b"),
        store(dir.path(), "c"),
    );
    for (store, target) in [(&a, "x"), (&b, "y")] {
        store
            .begin_run(&header(target, 10))
            .unwrap()
            .finish("{}")
            .unwrap();
        let labels = Labels {
            name: Some("before".to_owned()),
            tag: vec!["desk".to_owned()],
            note: Some("new cable".to_owned()),
            ..Labels::default()
        };
        store.label(RunId(1), &labels).unwrap();
    }
    assert_eq!(into.merge(&a).unwrap().renamed, []);
    let renamed = into.merge(&b).unwrap().renamed;
    assert_eq!(renamed, [("before".to_owned(), "before-2".to_owned())]);
    let runs = into.choose(&["before-2".to_owned()]).unwrap();
    let run = into.run(Which::Id(runs[0])).unwrap();
    assert_eq!(
        (run.target.as_str(), run.tags, run.note.as_deref()),
        ("y", vec!["desk".to_owned()], Some("new cable"))
    );
}

#[test]
fn a_plan_keeps_its_steps_under_a_number_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b, into) = (
        store(dir.path(), "a"),
        store(dir.path(), "b"),
        store(dir.path(), "c"),
    );
    for (store, target) in [(&a, "x"), (&b, "y")] {
        let plan = store
            .begin_plan(&PlanHeader {
                name: "quick",
                document: "{}",
                started_unix_ms: 5,
            })
            .unwrap();
        let step = PlanStep {
            plan: plan.id(),
            number: 1,
        };
        store
            .begin_step(&header(target, 10), step)
            .unwrap()
            .finish("{}")
            .unwrap();
    }
    assert_eq!(into.merge(&a).unwrap().plans, 1);
    // One image, started at once: the plan is taken for the same, and its first step is there already.
    let second = into.merge(&b).unwrap();
    assert_eq!((second.plans, second.added), (0, 1));
    let plans = into.plans().unwrap();
    assert_eq!(plans.len(), 1);
    assert_eq!(into.steps(plans[0].id).unwrap().len(), 1);
    assert_eq!(
        into.merge(&a).unwrap(),
        store::Merged {
            known: 1,
            ..store::Merged::default()
        }
    );
}

#[test]
fn a_store_of_any_version_is_merged() {
    for version in 1..=older::VERSIONS.len() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("old.sqlite3");
        drop(older::make(&path, version));
        let into = store(dir.path(), "c");
        let merged = into.merge(&Store::open_existing(&path).unwrap()).unwrap();
        assert_eq!((merged.added, merged.known), (3, 0), "version {version}");
        assert_eq!(
            into.result(Which::Id(RunId(1))).unwrap(),
            "{\"phases\":[1,2]}"
        );
        assert_eq!(into.phases(RunId(2)).unwrap().len(), 2);
    }
}

#[test]
fn a_store_that_is_not_there_is_not_made() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("none.sqlite3");
    let said = Store::open_existing(&path).unwrap_err().to_string();
    assert!(said.contains("there is no such store"), "{said}");
    assert!(!path.exists());
}
