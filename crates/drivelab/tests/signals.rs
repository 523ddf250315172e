//! What the shell or the terminal does to a process: limits, and signals that are no reason to end.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use std::process::Command;

use command::{Ended, Place};

/// The program, started by a shell in a certain way.
fn after(place: &Place, before: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    let order = format!("{before} \"$@\"");
    command.args(["-c", &order, "sh", env!("CARGO_BIN_EXE_drivelab")]);
    command.args(arguments);
    place.at_home(&mut command);
    command
}

fn ended_after(place: &Place, before: &str, arguments: &[&str]) -> Ended {
    place.start(after(place, before, arguments)).end()
}

#[test]
fn a_file_size_limit_fails_what_writes_and_is_named() {
    let place = Place::new();
    place.file("own.img", 4 << 20);
    place.ok(&["run", "quick-scan", "./own.img", "--scale", "quick"]);
    for (blocks, arguments) in [
        (1_000, &["rescue", "./own.img", "copy.img"][..]),
        (
            1_000,
            &[
                "run",
                "crystaldiskmark",
                ".",
                "--scale",
                "quick",
                "--no-store",
            ],
        ),
        (60, &["report", "last", "--html", "page.html"]),
        (60, &["report", "last", "--folder", "pages"]),
        (1, &["report", "last", "--json"]),
        (1, &["run", "quick-scan", "./own.img", "--scale", "quick"]),
    ] {
        // Of 512 bytes each.
        let limit = format!("ulimit -f {blocks}; exec");
        let ended = ended_after(&place, &limit, arguments);
        assert_eq!(ended.code, Some(1), "{arguments:?}: {ended:?}");
        assert!(
            ended.stderr.contains("ulimit -f"),
            "{arguments:?}: {ended:?}"
        );
    }
    assert!(!place.path("page.html").exists());
    // Without the limit the same command goes on.
    place.ok(&["rescue", "./own.img", "copy.img"]);
}

/// The tests themselves may have been started to outlive their terminal.
const HEARD: &str = "exec env --default-signal=HUP";

/// Long enough to be signalled while it runs.
const WATCH: &[&str] = &["run", "latency-watch", "./own.img", "--set", "time=3s"];

fn signalled(place: &Place, before: &str, signal: &str) -> Ended {
    let mut under_way = place.start(after(place, before, WATCH));
    place.wait_for_a_run(&mut under_way);
    under_way.signal(signal);
    under_way.end()
}

#[test]
fn a_terminal_that_closes_and_a_limit_of_time_stop_a_run_and_keep_what_it_has() {
    for (signal, says) in [("HUP", "resume"), ("XCPU", "ulimit -t")] {
        let place = Place::new();
        place.file("own.img", 4 << 20);
        let ended = signalled(&place, HEARD, signal);
        assert_eq!(ended.code, Some(130), "{ended:?}");
        assert!(ended.stderr.contains(says), "{ended:?}");
        assert_eq!(place.last_state(), "interrupted");
    }
}

#[test]
fn a_run_that_was_started_to_outlive_its_terminal_does() {
    let place = Place::new();
    place.file("own.img", 4 << 20);
    let ended = signalled(&place, "trap '' HUP; exec", "HUP");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(place.last_state(), "finished");
}
