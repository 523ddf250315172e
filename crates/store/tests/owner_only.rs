//! The store is readable by its owner alone, whatever the umask is and however it came to be.
//!
//! The umask belongs to a process, so each part is played by this test binary again, started by a shell that
//! sets it.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use store::{RunHeader, Store};

/// Set to the store's path in a process that plays a part.
const PART: &str = "DRIVELAB_TEST_STORE_OF_PART";

const HEADER: RunHeader = RunHeader {
    method: "m",
    target: "t",
    settings: "{}",
    environment: "{}",
    started_unix_ms: 1,
};

/// Modes of the files in a directory, by name.
fn modes(folder: &Path) -> Vec<(String, u32)> {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    let mode = |entry: &std::fs::DirEntry| entry.metadata().unwrap().mode() & 0o7777;
    let mut modes: Vec<_> = entries
        .map(|e| (e.file_name().into_string().unwrap(), mode(&e)))
        .collect();
    modes.sort();
    modes
}

/// Opens the store in a process of that umask, which leaves it as a kill would.
fn open_with_umask(umask: &str, store: &Path, test: &str) {
    let order = format!("umask {umask}; exec \"$0\" --exact {test} --nocapture");
    let part = Command::new("sh")
        .args(["-c", &order])
        .arg(std::env::current_exe().unwrap())
        .env(PART, store)
        .status();
    assert!(!part.unwrap().success(), "it ends without tidying up");
}

fn play() {
    if let Some(path) = std::env::var_os(PART) {
        let store = Store::open(&PathBuf::from(path)).unwrap();
        let run = store.begin_run(&HEADER).unwrap();
        run.phase_done("one", "{}", "1").unwrap();
        std::process::abort();
    }
}

#[test]
fn a_new_store_and_its_folder_are_the_owner_s_alone_whatever_the_umask() {
    play();
    for umask in ["0000", "0022", "0277"] {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("drivelab");
        let store = folder.join("results.sqlite3");
        open_with_umask(
            umask,
            &store,
            "a_new_store_and_its_folder_are_the_owner_s_alone_whatever_the_umask",
        );
        assert_eq!(modes(dir.path()), [("drivelab".to_owned(), 0o700)]);
        let names: Vec<String> = modes(&folder).into_iter().map(|(name, _)| name).collect();
        assert!(
            names.contains(&"results.sqlite3-wal".to_owned()),
            "{names:?}"
        );
        for (name, mode) in modes(&folder) {
            assert_eq!(mode, 0o600, "{name} with umask {umask}");
        }
    }
}

#[test]
fn a_store_that_others_could_read_is_tightened_with_the_files_beside_it() {
    play();
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("results.sqlite3");
    open_with_umask(
        "0022",
        &store,
        "a_store_that_others_could_read_is_tightened_with_the_files_beside_it",
    );
    for (name, _) in modes(dir.path()) {
        let open = std::fs::Permissions::from_mode(0o666);
        std::fs::set_permissions(dir.path().join(name), open).unwrap();
    }
    let opened = Store::open(&store).unwrap();
    assert_eq!(opened.interrupted().unwrap().len(), 1);
    for (name, mode) in modes(dir.path()) {
        assert_eq!(mode, 0o600, "{name}");
    }
}
