//! Damaged stores: truncated, with wrong bytes, of another kind; and clocks that jump.
//!
//! In every case there is one line that says what to do, or everything works; never a panic, and never an overwritten
//! foreign file.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use std::fs;
use std::path::{Path, PathBuf};

use store::{PlanHeader, PlanId, PlanStep, RunHeader, RunId, RunState, Store, StoreError, Which};

const HEADER: RunHeader = RunHeader {
    method: "full-scan",
    target: "./a.file",
    settings: "{}",
    environment: "{}",
    started_unix_ms: 1,
};

/// Numbers that look random and are the same each time (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}

/// A store with finished, interrupted and failed runs, and a plan; with its log copied back or not.
fn make(path: &Path, rested: bool) {
    let store = Store::open(path).unwrap();
    let plan = PlanHeader {
        name: "quick",
        document: "{}",
        started_unix_ms: 1,
    };
    let plan = store.begin_plan(&plan).unwrap();
    for number in 1..=6_u32 {
        let step = PlanStep {
            plan: plan.id(),
            number,
        };
        let run = store.begin_step(&HEADER, step).unwrap();
        run.phase_done("read", "{}", &"r".repeat(3_000)).unwrap();
        match number % 3 {
            0 => run.finish(&"f".repeat(9_000)).unwrap(),
            1 => drop(run),
            _ => run.fail("the cable").unwrap(),
        }
    }
    drop(plan);
    if rested {
        assert!(store.rest().unwrap());
    }
    // The log is kept as a kill would leave it: the last connection that closes would copy it back.
    let copies = ["", "-wal"].map(|ending| fs::read(with(path, ending)).unwrap());
    drop(store);
    for (ending, copy) in ["", "-wal"].iter().zip(copies) {
        fs::write(with(path, ending), copy).unwrap();
    }
}

fn with(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(ending);
    PathBuf::from(path)
}

/// Does everything that can be done with a store; returns the errors.
fn exercise(path: &Path) -> Vec<StoreError> {
    let mut told = Vec::new();
    let store = match Store::open(path) {
        Ok(store) => store,
        Err(error) => return vec![error],
    };
    told.extend(store.list().err());
    told.extend(store.plans().err());
    told.extend(store.steps(PlanId(1)).err());
    told.extend(store.resume_plan(PlanId(1)).err());
    for id in (1..=7).map(RunId) {
        told.extend(store.run(Which::Id(id)).err());
        told.extend(store.result(Which::Id(id)).err());
        told.extend(store.phases(id).err());
        told.extend(store.step_of(id).err());
    }
    let resumed = store.resume(RunId(1));
    told.extend(resumed.and_then(|(run, _)| run.finish("{}")).err());
    let begun = store.begin_run(&HEADER);
    told.extend(
        begun
            .and_then(|run| run.phase_done("read", "{}", "1"))
            .err(),
    );
    told.extend(store.delete(RunId(3)).err());
    told.extend(store.rest().err());
    told
}

/// One line, which names the store or the run, and for a damaged store what to do.
fn is_clear(told: &[StoreError], what: &str) {
    for error in told {
        let line = error.to_string();
        assert!(!line.chars().any(char::is_control), "{what}: {line:?}");
        assert!(
            line.contains("results.sqlite3") || line.contains("run ") || line.contains("plan "),
            "{what}: {line}"
        );
        if let StoreError::Damaged { .. } = error {
            assert!(
                line.contains("the store is damaged") && line.contains(".recover"),
                "{line}"
            );
        }
    }
}

#[test]
fn a_store_that_is_cut_off_is_said_to_be_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("results.sqlite3");
    make(&path, true);
    let whole = fs::read(&path).unwrap();
    let mut damaged = 0;
    let pages = (1..whole.len() / 4096).map(|page| page * 4096);
    let others = [1, 17, 99, 100, 101, 511, 512, 1024, 4095, 4097, 20_001];
    for length in pages.chain(others) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("results.sqlite3");
        fs::write(&path, &whole[..length.min(whole.len())]).unwrap();
        let told = exercise(&path);
        is_clear(&told, &format!("cut off at {length}"));
        let is_said = |error: &StoreError| {
            matches!(
                error,
                StoreError::Damaged { .. } | StoreError::NotAStore { .. }
            )
        };
        assert!(told.iter().any(is_said), "cut off at {length}: {told:?}");
        damaged += 1;
    }
    assert!(damaged > 10);
}

#[test]
fn wrong_bytes_anywhere_are_one_clear_line_or_do_no_harm() {
    let dir = tempfile::tempdir().unwrap();
    let original = dir.path().join("results.sqlite3");
    let mut numbers = Numbers(7);
    let mut refused = 0;
    for rested in [true, false] {
        make(&original, rested);
        let whole = ["", "-wal"].map(|ending| fs::read(with(&original, ending)).unwrap());
        for round in 0..150 {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("results.sqlite3");
            for (ending, bytes) in ["", "-wal"].iter().zip(&whole) {
                let mut bytes = bytes.clone();
                let flips = if bytes.is_empty() {
                    0
                } else {
                    1 + numbers.below(40)
                };
                // Half of them in the first page, where the schema is.
                let range = if round % 2 == 0 {
                    bytes.len().min(4_096)
                } else {
                    bytes.len()
                };
                for _ in 0..flips {
                    let at = numbers.below(range);
                    bytes[at] ^= 1 << numbers.below(8);
                }
                fs::write(with(&path, ending), bytes).unwrap();
            }
            let told = exercise(&path);
            is_clear(&told, &format!("round {round}, rested {rested}"));
            refused += usize::from(told.iter().any(|e| matches!(e, StoreError::Damaged { .. })));
        }
        fs::remove_file(&original).unwrap();
        fs::remove_file(with(&original, "-wal")).unwrap();
    }
    assert!(refused > 50, "{refused}");
}

#[test]
fn a_log_that_is_torn_costs_what_lies_behind_the_tear_and_no_more() {
    let dir = tempfile::tempdir().unwrap();
    let original = dir.path().join("results.sqlite3");
    make(&original, false);
    let (database, log) = (
        fs::read(&original).unwrap(),
        fs::read(with(&original, "-wal")).unwrap(),
    );
    let mut most = 0;
    for part in 1..=10 {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("results.sqlite3");
        fs::write(&path, &database).unwrap();
        fs::write(with(&path, "-wal"), &log[..log.len() * part / 10]).unwrap();
        let runs = Store::open(&path).unwrap().list().unwrap().len();
        assert!(runs >= most, "{part}: {runs}");
        most = runs;
    }
    assert_eq!(most, 6);
}

#[test]
fn a_log_whose_database_is_gone_is_refused_and_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("results.sqlite3");
    make(&path, false);
    let (database, log) = (
        fs::read(&path).unwrap(),
        fs::read(with(&path, "-wal")).unwrap(),
    );
    fs::remove_file(&path).unwrap();
    for _ in 0..2 {
        let said = Store::open(&path).unwrap_err().to_string();
        for words in [
            "results.sqlite3-wal",
            "whose database is missing",
            "move the log away",
        ] {
            assert!(said.contains(words) && !said.contains('\n'), "{said}");
        }
        assert!(fs::read(with(&path, "-wal")).unwrap() == log);
        // An empty file in its place makes no difference.
        fs::write(&path, "").unwrap();
    }
    fs::write(&path, database).unwrap();
    assert_eq!(Store::open(&path).unwrap().list().unwrap().len(), 6);
}

#[test]
fn an_empty_file_becomes_a_store_and_what_is_no_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("results.sqlite3");
    fs::write(&path, "").unwrap();
    assert_eq!(Store::open(&path).unwrap().list().unwrap(), []);
    let notes = dir.path().join("notes");
    fs::write(&notes, "few words of somebody's").unwrap();
    let said = Store::open(&notes).unwrap_err().to_string();
    assert!(said.contains("not an SQLite database"), "{said}");
    assert_eq!(fs::read(&notes).unwrap(), b"few words of somebody's");
    let said = Store::open(dir.path()).unwrap_err().to_string();
    assert!(said.contains("not a drivelab store: a folder"), "{said}");
    for device in ["/dev/null", "/dev/zero"] {
        let said = Store::open(Path::new(device)).unwrap_err().to_string();
        assert!(
            said.contains("a device or pipe") && !said.contains('\n'),
            "{said}"
        );
    }
}

#[test]
fn strange_bytes_beside_the_store_do_no_harm() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("results.sqlite3");
    make(&path, true);
    for ending in ["-shm", "-wal", "-run-1.0", "-run-1.1"] {
        fs::write(with(&path, ending), "strange bytes ".repeat(3_000)).unwrap();
    }
    let store = Store::open(&path).unwrap();
    assert_eq!(store.list().unwrap().len(), 6);
    let (run, phases) = store.resume(RunId(1)).unwrap();
    assert_eq!(phases.len(), 1);
    run.phase_progress("write", "{}", || "half".to_owned());
    drop(run);
    assert_eq!(store.phases(RunId(1)).unwrap().len(), 2);
}

#[test]
fn a_clock_that_jumps_changes_neither_order_nor_state_nor_numbers() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(&dir.path().join("results.sqlite3")).unwrap();
    let clock = [1_700_000_000_000, i64::MAX, 5, -1, i64::MIN];
    let begin = |started_unix_ms| {
        let header = RunHeader {
            started_unix_ms,
            ..HEADER
        };
        store.begin_run(&header).unwrap()
    };
    for at in clock {
        drop(begin(at));
    }
    let running = begin(0);
    let runs = store.list().unwrap();
    let told: Vec<_> = runs.iter().map(|r| (r.id.0, r.started_unix_ms)).collect();
    let last = (6, 0);
    let before = (1..).zip(clock).collect::<Vec<_>>();
    let expected: Vec<_> = [last].into_iter().chain(before.into_iter().rev()).collect();
    assert_eq!(told, expected);
    assert_eq!(store.run(Which::Last).unwrap().id, RunId(6));
    assert_eq!(store.interrupted().unwrap().len(), 5);
    assert!(matches!(
        store.resume(RunId(6)),
        Err(StoreError::UnderWay { .. })
    ));
    drop(running);
    store.delete(RunId(6)).unwrap();
    assert_eq!(begin(9).id(), RunId(7), "a number is never used again");
}

#[test]
fn a_run_of_an_earlier_boot_or_of_a_process_number_used_again_is_interrupted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("results.sqlite3");
    let store = Store::open(&path).unwrap();
    let run = store.begin_run(&HEADER).unwrap();
    let id = run.id();
    let change = rusqlite::Connection::open(&path).unwrap();
    let of_another = [
        "boot = 'an earlier one'",
        "pid_start = pid_start - 1",
        "pid = 1",
        "pid = 4294967295",
    ];
    for other in of_another {
        let before: (i64, i64, String) = change
            .query_row("SELECT pid, pid_start, boot FROM runs", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .unwrap();
        assert_eq!(store.run(Which::Id(id)).unwrap().state, RunState::Running);
        change
            .execute(&format!("UPDATE runs SET {other}"), [])
            .unwrap();
        let state = store.run(Which::Id(id)).unwrap().state;
        assert_eq!(state, RunState::Interrupted, "{other}");
        change
            .execute(
                "UPDATE runs SET pid = ?1, pid_start = ?2, boot = ?3",
                before,
            )
            .unwrap();
    }
}
