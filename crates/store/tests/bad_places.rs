//! A store without room, or without write permission: one clear line, and nothing lost.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod older;
mod small_disk;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use fixtures::skip::{root, skip};
use older::make;
use small_disk::{SmallDisk, fill};
use store::{RunHeader, RunId, RunState, Store, Which};

const HEADER: RunHeader = RunHeader {
    method: "m",
    target: "t",
    settings: "{}",
    environment: "{}",
    started_unix_ms: 1,
};

#[test]
fn a_full_disk_is_one_clear_error_and_the_store_stays_readable() {
    const NAME: &str = "a_full_disk_is_one_clear_error_and_the_store_stays_readable";
    let Some(disk) = SmallDisk::for_test(NAME) else {
        return;
    };
    let store = Store::open(&disk.path().join("results.sqlite3")).unwrap();
    let run = store.begin_run(&HEADER).unwrap();
    run.phase_done("one", "{}", "1").unwrap();
    let ballast = disk.path().join("ballast");
    fill(&ballast);

    let large = "x".repeat(1 << 20);
    let said = run.phase_done("two", "{}", &large).unwrap_err().to_string();
    assert!(
        said.contains("no room left for results") && !said.contains('\n'),
        "{said}"
    );
    assert_eq!(store.phases(run.id()).unwrap().len(), 1);
    let again = Store::open(store.path()).unwrap();
    assert_eq!(again.run(Which::Last).unwrap().phases_done, 1);

    disk.remove(&ballast);
    run.phase_done("two", "{}", &large).unwrap();
    assert_eq!(again.run(Which::Last).unwrap().phases_done, 2);
    run.finish("{}").unwrap();
    assert_eq!(again.result(Which::Last).unwrap(), "{}");
}

#[test]
fn a_store_on_a_full_or_read_only_disk_is_read_and_deleted_from_where_a_little_is_left() {
    const NAME: &str =
        "a_store_on_a_full_or_read_only_disk_is_read_and_deleted_from_where_a_little_is_left";
    let Some(disk) = SmallDisk::for_test(NAME) else {
        return;
    };
    let path = disk.path().join("results.sqlite3");
    let store = Store::open(&path).unwrap();
    for result in ["first", "second"] {
        store.begin_run(&HEADER).unwrap().finish(result).unwrap();
    }
    store.rest().unwrap();
    drop(store);
    let ballast = disk.path().join("ballast");
    fill(&ballast);
    let reads = |runs: usize, last: &str| {
        let store = Store::open_to_read(&path).unwrap();
        assert_eq!(store.list().unwrap().len(), runs);
        assert_eq!(store.result(Which::Last).unwrap(), last);
        store
    };
    drop(reads(2, "second"));
    // Not room enough for a result, and enough to delete one.
    let file = fs::File::options().write(true).open(&ballast).unwrap();
    let full = file.metadata().unwrap().len();
    file.set_len(full - (200 << 10)).unwrap();
    file.sync_all().unwrap();
    drop(file);
    assert!(Store::open(&path).is_err());
    reads(2, "second").delete(RunId(2)).unwrap();
    drop(reads(1, "first"));
    // A log that is left, as after a kill, has the newest.
    disk.remove(&ballast);
    let store = Store::open(&path).unwrap();
    store.begin_run(&HEADER).unwrap().finish("third").unwrap();
    let log = disk.path().join("results.sqlite3-wal");
    let kept = fs::read(&log).unwrap();
    drop(store);
    assert!(!kept.is_empty());
    fs::write(&log, &kept).unwrap();
    disk.remount("ro");
    let store = reads(2, "third");
    assert!(store.delete(RunId(1)).is_err());
    drop(store);
    disk.remount("rw");
    fs::remove_file(&log).unwrap();
    disk.remount("ro");
    let listed = Store::open_to_read(&path).unwrap().list().unwrap().len();
    assert_eq!(listed, 2);
}

#[test]
fn a_run_is_deleted_where_not_one_block_is_free_and_the_others_stay() {
    const NAME: &str = "a_run_is_deleted_where_not_one_block_is_free_and_the_others_stay";
    let Some(disk) = SmallDisk::for_test(NAME) else {
        return;
    };
    let path = disk.path().join("results.sqlite3");
    let store = Store::open(&path).unwrap();
    let large = "x".repeat(300_000);
    for result in ["first", &large] {
        store.begin_run(&HEADER).unwrap().finish(result).unwrap();
    }
    store.rest().unwrap();
    drop(store);
    fill(&disk.path().join("ballast"));
    let store = Store::open_to_read(&path).unwrap();
    store.delete(RunId(2)).unwrap();
    drop(store);
    let store = Store::open_to_read(&path).unwrap();
    assert_eq!(store.list().unwrap().len(), 1);
    assert_eq!(store.result(Which::Last).unwrap(), "first");
}

#[test]
fn a_new_store_on_a_full_disk_is_one_clear_error() {
    const NAME: &str = "a_new_store_on_a_full_disk_is_one_clear_error";
    let Some(disk) = SmallDisk::for_test(NAME) else {
        return;
    };
    fill(&disk.path().join("ballast"));
    let said = Store::open(&disk.path().join("results.sqlite3"))
        .unwrap_err()
        .to_string();
    assert!(
        said.contains("no room left for results") && !said.contains('\n'),
        "{said}"
    );
}

/// Root may write anywhere, so the test runs in a process of the user "nobody".
#[test]
fn a_folder_that_may_not_be_written_is_one_clear_error() {
    const NAME: &str = "a_folder_that_may_not_be_written_is_one_clear_error";
    const PART: &str = "DRIVELAB_TEST_FOLDER_OF_PART";
    if let Some(folder) = std::env::var_os(PART) {
        let folder = PathBuf::from(folder);
        let said = |path: &str| Store::open(&folder.join(path)).unwrap_err().to_string();
        for (path, words) in [
            ("new.sqlite3", "the store cannot be opened"),
            ("deeper/new.sqlite3", "cannot create the folder for results"),
            ("old.sqlite3", "cannot write to the store"),
        ] {
            let said = said(path);
            assert!(
                said.contains(words) && said.contains("--store") && !said.contains('\n'),
                "{path}: {said}"
            );
        }
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("folder");
    fs::create_dir(&folder).unwrap();
    Store::open(&folder.join("old.sqlite3"))
        .unwrap()
        .begin_run(&HEADER)
        .unwrap()
        .finish("{}")
        .unwrap();
    let allow =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    allow(&folder.join("old.sqlite3"), 0o444);
    allow(&folder, 0o555);
    allow(dir.path(), 0o755);
    let program = dir.path().join("program");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    allow(&program, 0o755);

    let mut part = Command::new(&program);
    part.args(["--exact", NAME, "--nocapture"])
        .env(PART, &folder)
        .current_dir("/");
    if root() {
        part.uid(65534).gid(65534);
    }
    let output = part.output().unwrap();
    allow(&folder, 0o755); // so that it can be removed
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// What was acknowledged before the disk was full, and is there afterwards.
#[derive(Default)]
struct Acknowledged {
    runs: Vec<RunId>,
    phases: Vec<(RunId, String)>,
    results: Vec<RunId>,
}

/// Works on a store until it is done, however often it reports that there is no room; returns the reports.
fn work(path: &Path, acknowledged: &mut Acknowledged) -> Vec<String> {
    let mut told = Vec::new();
    let store = match Store::open(path) {
        Ok(store) => store,
        Err(error) => return vec![error.to_string()],
    };
    let record = "x".repeat(20_000);
    for _ in 0..2 {
        let run = match store.begin_run(&HEADER) {
            Ok(run) => run,
            Err(error) => {
                told.push(error.to_string());
                continue;
            }
        };
        let id = run.id();
        acknowledged.runs.push(id);
        for name in ["one", "two"] {
            run.phase_progress(name, "{}", || "half".repeat(1_000));
            match run.phase_done(name, "{}", &record) {
                Ok(()) => acknowledged.phases.push((id, name.to_owned())),
                Err(error) => told.push(error.to_string()),
            }
        }
        match run.finish(&record) {
            Ok(()) => acknowledged.results.push(id),
            Err(error) => told.push(error.to_string()),
        }
    }
    told.extend(store.rest().err().map(|error| error.to_string()));
    told
}

#[test]
fn a_disk_that_is_full_at_any_point_loses_nothing_that_was_stored() {
    const NAME: &str = "a_disk_that_is_full_at_any_point_loses_nothing_that_was_stored";
    let Some(disk) = SmallDisk::for_test(NAME) else {
        return;
    };
    let ballast = disk.path().join("ballast");
    let mut cut_short = 0;
    for room in (0..960).step_by(192).chain((960..1_280).step_by(8)) {
        let folder = disk.path().join("store");
        fs::create_dir(&folder).unwrap();
        let path = folder.join("results.sqlite3");
        let store = Store::open(&path).unwrap();
        let before = store.begin_run(&HEADER).unwrap();
        before.phase_done("before", "{}", "1").unwrap();
        before.finish("before").unwrap();
        store.rest().unwrap();
        drop(store);
        // So many KiB are left.
        fill(&ballast);
        let file = fs::File::options().write(true).open(&ballast).unwrap();
        let full = file.metadata().unwrap().len();
        file.set_len(full.saturating_sub(room << 10)).unwrap();
        file.sync_all().unwrap();
        drop(file); // so that its room is free when it is removed

        let mut acknowledged = Acknowledged::default();
        let told = work(&path, &mut acknowledged);
        for line in &told {
            assert!(
                line.contains("no room left for results") && !line.contains('\n'),
                "{room} KiB: {line}"
            );
        }
        cut_short += usize::from(!told.is_empty());
        // What is there can be read once there is room for the log's index, and goes on.
        disk.remove(&ballast);
        let store = Store::open(&path).unwrap();
        assert_eq!(store.result(Which::Id(RunId(1))).unwrap(), "before");
        for run in &acknowledged.runs {
            let finished = acknowledged.results.contains(run);
            let state = store.run(Which::Id(*run)).unwrap().state;
            assert_eq!(state == RunState::Finished, finished, "{room} KiB: {run}");
        }
        for (run, name) in &acknowledged.phases {
            let phases = store.phases(*run).unwrap();
            let is_there = phases.iter().any(|phase| phase.done && phase.name == *name);
            assert!(is_there || acknowledged.results.contains(run), "{room} KiB");
        }
        for run in store.interrupted().unwrap() {
            store.resume(run.id).unwrap().0.finish("{}").unwrap();
        }
        assert!(work(&path, &mut Acknowledged::default()).is_empty());
        drop(store);
        fs::remove_dir_all(&folder).unwrap();
    }
    assert!(cut_short >= 5, "{cut_short}");
}

#[test]
fn a_full_disk_leaves_an_older_store_as_it_was() {
    const NAME: &str = "a_full_disk_leaves_an_older_store_as_it_was";
    let Some(disk) = SmallDisk::for_test(NAME) else {
        return;
    };
    let path = disk.path().join("results.sqlite3");
    let older = make(&path, 2);
    older
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    let ballast = disk.path().join("ballast");
    fill(&ballast);
    let said = Store::open(&path).unwrap_err().to_string();
    assert!(
        said.contains("no room left for results") && said.contains("bringing the store up to date"),
        "{said}"
    );
    let number = |sql: &str| -> i64 { older.query_row(sql, [], |row| row.get(0)).unwrap() };
    assert_eq!(number("SELECT count(*) FROM phases"), 5);
    assert_eq!(number("PRAGMA user_version"), 2);
    disk.remove(&ballast);
    let store = Store::open(&path).unwrap();
    assert_eq!(number("SELECT count(*) FROM phases"), 3);
    let result = store.result(Which::Id(RunId(1))).unwrap();
    assert_eq!(result, "{\"phases\":[1,2]}");
}

#[test]
fn a_disk_that_tells_no_size_is_not_full() {
    const NAME: &str = "a_disk_that_tells_no_size_is_not_full";
    if !root() {
        return skip(NAME, "a mount needs root");
    }
    let disk = match SmallDisk::without_size() {
        Ok(disk) => disk,
        Err(why) => return skip(NAME, &why),
    };
    let store = Store::open(&disk.path().join("results.sqlite3")).unwrap();
    store.begin_run(&HEADER).unwrap().finish("{}").unwrap();
    assert_eq!(store.result(Which::Last).unwrap(), "{}");
}
