//! Runs of a shell in place of the program: what it says, how it is stopped, what is kept of it.

use super::*;
use crate::asked::Run;

const PATIENCE: Duration = Duration::from_secs(60);

/// The script gets the program's own arguments, and looks at none of them.
fn program(script: &str) -> Program {
    Program {
        path: "drivelab".into(),
        before: ["/bin/sh", "-c", script].map(str::to_owned).to_vec(),
        store: None,
    }
}

fn asked() -> Start {
    Start::Run(Run {
        what: "quick-scan".to_owned(),
        targets: vec!["model:a".to_owned()],
        ..Run::default()
    })
}

fn started(script: &str) -> (Runs, u64) {
    let runs = Runs::default();
    let id = runs.start(&program(script), asked(), Lang::En, 7).unwrap();
    (runs, id)
}

/// The same without other rights, so that the signal is our own.
fn started_as_ourselves(folder: &tempfile::TempDir, script: &str) -> (Runs, u64) {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.path().join("program");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    let program = Program {
        path,
        before: Vec::new(),
        store: None,
    };
    let runs = Runs::default();
    let id = runs.start(&program, asked(), Lang::En, 7).unwrap();
    (runs, id)
}

#[test]
fn lines_are_kept_for_whoever_comes_late_and_the_end_says_where_results_are() {
    let script = r#"echo '{"phase":"a"}' >&2; echo stored as 12 >&2; echo '{"id": 12}'"#;
    let (runs, id) = started(script);
    assert!(runs.wait_for_all(PATIENCE));
    let (lines, is_over) = runs.lines_after(id, 0).unwrap();
    assert!(is_over && lines.len() == 2, "{lines:?}");
    assert_eq!(lines[1].value["message"], "stored as 12");
    assert_eq!(runs.lines_after(id, 1).unwrap().0.len(), 1);
    let run = runs.run(id).unwrap();
    assert_eq!((run.code, run.results), (Some(0), vec![12]));
    assert_eq!(run.progress.unwrap()["phase"], "a");
    assert!(runs.lines_after(id + 1, 0).is_none());
}

#[test]
fn a_plan_is_found_by_its_number_and_an_answer_in_words_is_kept() {
    let (runs, id) = started(r#"echo '{"id": 3, "steps": [], "results": [{"id": 5}, {"id": 0}]}'"#);
    assert!(runs.wait_for_all(PATIENCE));
    let run = runs.run(id).unwrap();
    assert_eq!(run.plan.as_deref(), Some("plan-3"));
    assert_eq!(run.results, [5]);
    // A review prints its results, with the plan that its report is made of.
    let (runs, id) = started(r#"echo '{"plan": 4, "results": [{"id": 5}]}'"#);
    assert!(runs.wait_for_all(PATIENCE));
    assert_eq!(runs.run(id).unwrap().plan.as_deref(), Some("plan-4"));
    let (runs, id) = started("echo It is good.");
    assert!(runs.wait_for_all(PATIENCE));
    assert_eq!(runs.run(id).unwrap().text.as_deref(), Some("It is good."));
}

#[test]
fn a_refusal_of_the_command_line_is_shown_word_for_word() {
    let (runs, id) = started("echo 'drivelab: no such method' >&2; exit 2");
    assert!(runs.wait_for_all(PATIENCE));
    let run = runs.run(id).unwrap();
    assert_eq!((run.code, run.state), (Some(2), State::Ended));
    assert_eq!(run.words, ["drivelab: no such method"]);
}

#[test]
fn a_run_that_is_stopped_gets_one_interrupt_and_ends_itself() {
    let folder = tempfile::tempdir().unwrap();
    let script = "trap 'echo kept >&2; exit 130' INT; echo begun >&2; while :; do sleep 0.05; done";
    let (runs, id) = started_as_ourselves(&folder, script);
    let mut seen = 0;
    while runs.lines_after(id, 0).unwrap().0.is_empty() {
        seen = runs.wait(seen, PATIENCE);
    }
    runs.stop(id).unwrap();
    runs.stop(id).unwrap();
    assert!(runs.wait_for_all(PATIENCE));
    let run = runs.run(id).unwrap();
    assert_eq!(run.words, ["begun", "kept"]);
    assert_eq!(run.code, Some(130));
    assert!(runs.stop(id).is_ok() && runs.stop(id + 1).is_err());
}

#[test]
fn so_many_runs_at_once_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let (runs, _) = started_as_ourselves(
        &folder,
        "trap 'exit 130' INT; echo begun >&2; while :; do sleep 0.05; done",
    );
    let program = Program {
        path: folder.path().join("program"),
        before: Vec::new(),
        store: None,
    };
    let mut ids = vec![1];
    for _ in 1..MOST_AT_ONCE {
        ids.push(runs.start(&program, asked(), Lang::En, 7).unwrap());
    }
    let refused = runs.start(&program, asked(), Lang::En, 7);
    assert!(matches!(refused, Err(NotStarted::TooMany)));
    let mut seen = 0;
    while ids
        .iter()
        .any(|id| runs.lines_after(*id, 0).unwrap().0.is_empty())
    {
        seen = runs.wait(seen, PATIENCE);
    }
    assert_eq!(runs.stop_all(), MOST_AT_ONCE);
    assert!(runs.wait_for_all(PATIENCE));
}
