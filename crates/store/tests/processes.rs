//! Several processes on one store: killed at any moment, writing side by side, read meanwhile.
//!
//! The other processes are this test binary again, directed by environment variables to run a part of the test of the
//! given name. (A test's own process cannot be killed, and threads would share its fate.)
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use store::{RunHeader, RunState, Store, Which};

/// Set to the store's path in a process that plays a part.
const PART: &str = "DRIVELAB_TEST_STORE_OF_PART";

const HEADER: RunHeader = RunHeader {
    method: "m",
    target: "t",
    settings: "{}",
    environment: "{}",
    started_unix_ms: 1,
};

/// Starts this binary again, to run one test with the part's variable set.
fn start_part(test: &str, store: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(PART, store)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The store, when this process plays a part.
fn part() -> Option<Store> {
    std::env::var_os(PART).map(|path| Store::open(Path::new(&path)).unwrap())
}

fn say(line: &str) {
    let mut out = std::io::stdout();
    out.write_all(format!("{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

/// The numbers of the part's lines `done N`, as they come.
fn done_lines(child: &mut Child) -> impl Iterator<Item = usize> + use<> {
    let out = BufReader::new(child.stdout.take().unwrap());
    out.lines()
        .map_while(Result::ok)
        .filter_map(|line| line.strip_prefix("done ")?.parse().ok())
}

/// Polls until there is an answer; a part that never gives one fails the test.
fn until<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    for _ in 0..60_000 {
        if let Some(answer) = ask() {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("no answer within a minute")
}

/// A record of many pages, so that a kill can fall between them; all of it follows from its number.
fn record(number: usize) -> String {
    format!("{number} ").repeat(3000 + number % 7 * 1000)
}

#[test]
fn a_kill_at_any_moment_never_loses_a_finished_phase() {
    if let Some(store) = part() {
        let run = store.begin_run(&HEADER).unwrap();
        for number in 0.. {
            let name = format!("phase {number}");
            run.phase_progress(&name, "{}", move || record(number));
            run.phase_done(&name, "{}", &record(number)).unwrap();
            say(&format!("done {number}"));
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("results.sqlite3");
    for round in 0..12 {
        let mut child = start_part("a_kill_at_any_moment_never_loses_a_finished_phase", &path);
        let mut lines = done_lines(&mut child);
        // The moment is spread over the first hundred phases; where in the next one it falls is up to chance.
        let first = lines
            .by_ref()
            .nth(round * 37 % 100)
            .expect("the part goes on until it is killed");
        child.kill().unwrap(); // SIGKILL
        child.wait().unwrap();
        let last_said = lines.last().unwrap_or(first);

        let store = Store::open(&path).unwrap();
        let run = store.run(Which::Last).unwrap();
        assert_eq!(run.state, RunState::Interrupted);
        let phases = store.phases(run.id).unwrap();
        let done: Vec<_> = phases.iter().filter(|phase| phase.done).collect();
        assert!(
            done.len() > last_said,
            "round {round}: {} stored, {last_said} said",
            done.len()
        );
        for (number, phase) in done.iter().enumerate() {
            assert_eq!(phase.name, format!("phase {number}"));
            assert!(
                phase.record == record(number),
                "round {round}: phase {number} is not what was written"
            );
        }
    }
    assert_eq!(Store::open(&path).unwrap().interrupted().unwrap().len(), 12);
}

#[test]
fn a_kill_in_mid_phase_keeps_what_was_measured_and_the_run_can_be_resumed() {
    if let Some(store) = part() {
        let run = store.begin_run(&HEADER).unwrap();
        for number in 0_u64.. {
            run.phase_progress("scan", "{}", move || number.to_string());
            std::thread::sleep(Duration::from_millis(1)); // a phase's own pace
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("results.sqlite3");
    let store = Store::open(&path).unwrap();
    let mut child = start_part(
        "a_kill_in_mid_phase_keeps_what_was_measured_and_the_run_can_be_resumed",
        &path,
    );
    let stored = || -> Option<u64> {
        let run = store.run(Which::Last).ok()?;
        assert_eq!(run.state, RunState::Running);
        store
            .phases(run.id)
            .unwrap()
            .first()
            .map(|phase| phase.record.parse().unwrap())
    };
    let first = until(stored);
    let second = until(|| stored().filter(|number| *number > first)); // a second later, the newest
    child.kill().unwrap();
    child.wait().unwrap();

    let runs = store.interrupted().unwrap();
    let (run, phases) = store.resume(runs[0].id).unwrap();
    assert!(phases[0].record.parse::<u64>().unwrap() >= second);
    assert!(!phases[0].done);
    run.phase_done("scan", "{}", "all").unwrap();
    run.finish("{}").unwrap();
    assert!(store.interrupted().unwrap().is_empty());
}

#[test]
fn processes_write_side_by_side_and_are_read_meanwhile() {
    const PHASES: u32 = 25;
    if let Some(store) = part() {
        let run = store.begin_run(&HEADER).unwrap();
        for number in 0..PHASES {
            let name = number.to_string();
            run.phase_progress(&name, "{}", || "0".to_string());
            run.phase_done(&name, "{}", &record(number as usize))
                .unwrap();
        }
        run.finish("{}").unwrap();
        store.rest().unwrap();
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("results.sqlite3");
    let mut children: Vec<Child> = (0..4)
        .map(|_| start_part("processes_write_side_by_side_and_are_read_meanwhile", &path))
        .collect();
    let store = Store::open(&path).unwrap();
    until(|| {
        for run in store.list().unwrap() {
            // It may have ended since it was listed, and has its phases in its result then.
            let phases = store.phases(run.id).unwrap();
            let done = phases.iter().filter(|phase| phase.done).count();
            let ended = store.run(Which::Id(run.id)).unwrap().state == RunState::Finished;
            assert!(ended || done >= run.phases_done as usize);
        }
        children
            .iter_mut()
            .all(|child| child.try_wait().unwrap().is_some())
            .then_some(())
    });
    assert!(
        children
            .iter_mut()
            .all(|child| child.wait().unwrap().success())
    );
    let runs = store.list().unwrap();
    assert_eq!(runs.len(), 4);
    assert!(
        runs.iter()
            .all(|run| run.state == RunState::Finished && run.phases_done == 0),
        "{runs:?}"
    );
    assert!(store.rest().unwrap());
}
