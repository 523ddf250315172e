//! Runs the binary like a user at a terminal: in its own directory, with its own store.
//!
//! Output goes to files, not pipes, so that a run with much output never waits for its reader, and a hung process is
//! ended and reported with its output so far.
#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(
    clippy::disallowed_methods,
    reason = "a test that waits for a process must end some day"
)]

pub(crate) mod documented;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use fixtures::skip::skip;

/// Longer than any command of these tests takes on a busy machine: reached only by a hung one.
const PATIENCE: Duration = Duration::from_secs(120);
/// Polling interval for a process or the store.
const LOOK: Duration = Duration::from_millis(5);

/// A folder on a disk, with the store that all commands run in it share.
pub(crate) struct Place {
    folder: TempDir,
}

/// A command that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit code; `None` for a process that a signal ended.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A running command; killed when dropped.
pub(crate) struct UnderWay {
    child: Child,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Place {
    /// A directory next to the build's own files: `/tmp` is in memory on many machines.
    pub(crate) fn new() -> Place {
        Place {
            folder: tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap(),
        }
    }

    /// The same where the file system has direct I/O; else `test` is skipped.
    pub(crate) fn on_disk_or_skip(test: &str) -> Option<Place> {
        let place = Place::new();
        place.file("probe", 1 << 20);
        let probe = place.run(&["run", "full-scan", "./probe", "--no-store"]);
        if probe.stderr.contains("no direct I/O") {
            skip(
                test,
                &format!("{} has no direct I/O", place.path("").display()),
            );
            return None;
        }
        std::fs::remove_file(place.path("probe")).unwrap();
        Some(place)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.path("store/results.sqlite3")
    }

    /// A file without holes; every 4 KiB block of it is another one.
    pub(crate) fn file(&self, name: &str, bytes: usize) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content(bytes)).unwrap();
        path
    }

    pub(crate) fn directory(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir(&path).unwrap();
        path
    }

    /// The command, to be changed before it is started with [`Place::start`].
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_drivelab"));
        command.args(arguments);
        self.at_home(&mut command);
        command
    }

    /// Sets folder and environment of a command.
    pub(crate) fn at_home(&self, command: &mut Command) {
        command
            .current_dir(self.folder.path())
            .env("DRIVELAB_STORE", self.store())
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("LC_ALL", "C")
            .env("COLUMNS", "100")
            .stdin(Stdio::null());
    }

    pub(crate) fn start(&self, mut command: Command) -> UnderWay {
        let (stdout, stdout_path) = output_file();
        let (stderr, stderr_path) = output_file();
        let child = command.stdout(stdout).stderr(stderr).spawn().unwrap();
        UnderWay {
            child,
            stdout: stdout_path,
            stderr: stderr_path,
        }
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        self.start(self.command(arguments)).end()
    }

    /// Runs a command that must succeed.
    pub(crate) fn ok(&self, arguments: &[&str]) -> Ended {
        let ended = self.run(arguments);
        assert_eq!(ended.code, Some(0), "{arguments:?}: {ended:?}");
        ended
    }

    /// Runs a command that must fail with `code` and one line on standard error that contains all
    /// of `says`, and print nothing.
    pub(crate) fn fails(&self, arguments: &[&str], code: i32, says: &[&str]) -> Ended {
        let ended = self.run(arguments);
        assert_eq!(ended.code, Some(code), "{arguments:?}: {ended:?}");
        ended.is_one_line(says);
        ended
    }

    /// The only JSON document that a successful command prints.
    /// A run on a drive that fails: it is shown whole, and ends with the code of a rejected drive.
    pub(crate) fn finds_it_failing(&self, arguments: &[&str]) -> Ended {
        let ended = self.run(arguments);
        assert_eq!(ended.code, Some(3), "{arguments:?}: {ended:?}");
        assert!(
            ended.stderr.contains("This drive is failing: "),
            "{arguments:?}: {ended:?}"
        );
        ended
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        self.ok(arguments).json()
    }

    /// All stored runs, the newest first.
    pub(crate) fn stored(&self) -> Vec<Value> {
        let listing = self.json(&["results", "--json"]);
        listing["results"].as_array().unwrap().clone()
    }

    /// The state of the newest stored run.
    pub(crate) fn last_state(&self) -> String {
        self.stored()[0]["state"].as_str().unwrap().to_owned()
    }

    /// Waits until a run is in the store.
    pub(crate) fn wait_for_a_run(&self, under_way: &mut UnderWay) {
        let began = Instant::now();
        while self.stored().is_empty() {
            let gone = under_way.child.try_wait().unwrap();
            assert!(gone.is_none(), "it ended early: {}", under_way.said());
            assert!(began.elapsed() < PATIENCE, "no run is stored");
            std::thread::sleep(LOOK);
        }
    }

    /// Names of the files in a directory.
    pub(crate) fn names_in(&self, folder: &str) -> Vec<String> {
        names_in(&self.path(folder))
    }
}

/// Waits until something is so.
pub(crate) fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "in vain: {what}");
        std::thread::sleep(LOOK);
    }
}

pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Bytes with different contents in every 4 KiB block.
pub(crate) fn content(bytes: usize) -> Vec<u8> {
    let word = |at: usize| {
        (at as u64 / 8)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .to_le_bytes()[at % 8]
    };
    (0..bytes).map(word).collect()
}

/// A file outside the directory of the test, so that the directory contains only what the command creates.
fn output_file() -> (File, PathBuf) {
    let file = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    file.keep().unwrap()
}

impl UnderWay {
    pub(crate) fn signal(&self, name: &str) {
        let order = format!("kill -{name} {}", self.child.id());
        assert!(
            Command::new("sh")
                .args(["-c", &order])
                .status()
                .unwrap()
                .success()
        );
    }

    /// How many rings it has open.
    pub(crate) fn rings(&self) -> usize {
        let open = std::fs::read_dir(format!("/proc/{}/fd", self.child.id())).unwrap();
        let leads_to = open.flatten().flat_map(|fd| std::fs::read_link(fd.path()));
        let is_ring = |file: &PathBuf| file.to_string_lossy().contains("[io_uring]");
        leads_to.filter(is_ring).count()
    }

    pub(crate) fn kill(mut self) -> Ended {
        self.child.kill().unwrap();
        self.end()
    }

    pub(crate) fn said(&self) -> String {
        std::fs::read_to_string(&self.stderr).unwrap()
    }

    /// Waits until standard error contains `words`.
    pub(crate) fn wait_for(&mut self, words: &str) {
        let began = Instant::now();
        while !self.said().contains(words) {
            let gone = self.child.try_wait().unwrap();
            assert!(gone.is_none(), "it ended early: {}", self.said());
            assert!(
                began.elapsed() < PATIENCE,
                "it does not say '{words}': {}",
                self.said()
            );
            std::thread::sleep(LOOK);
        }
    }

    /// Waits for its end.
    pub(crate) fn end(mut self) -> Ended {
        let began = Instant::now();
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None if began.elapsed() > PATIENCE => {
                    let _ = self.child.kill();
                    panic!("it hangs; it had said: {}", self.said());
                }
                None => std::thread::sleep(LOOK),
            }
        };
        Ended {
            code: status.code(),
            stdout: String::from_utf8_lossy(&std::fs::read(&self.stdout).unwrap()).into_owned(),
            stderr: self.said(),
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        // A process that has ended takes no notice.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_file(&self.stdout);
        let _ = std::fs::remove_file(&self.stderr);
    }
}

impl Ended {
    /// Standard output as one JSON document; nothing may stand before or after it.
    /// The document on standard output, which is as its schema says.
    pub(crate) fn json(&self) -> Value {
        let document = serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", self.stdout));
        if let Err(why) = documented::is_documented(&document) {
            panic!("{why}");
        }
        document
    }

    /// One line on standard error that contains all of `says`, and nothing on standard output.
    pub(crate) fn is_one_line(&self, says: &[&str]) {
        assert_eq!(self.stdout, "", "{self:?}");
        assert_eq!(self.stderr.lines().count(), 1, "{self:?}");
        assert!(self.stderr.starts_with("drivelab: "), "{self:?}");
        for words in says {
            assert!(self.stderr.contains(words), "'{words}' is not in {self:?}");
        }
    }
}
