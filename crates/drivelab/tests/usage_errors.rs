//! Invalid requests are refused: one line on standard error, exit code 2 (or 1 for failures), and nothing printed,
//! stored or left behind.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use command::Place;
use fixtures::skip::{root, skip};

/// A directory with a user's file and a subdirectory, to which nothing may be added.
fn place() -> Place {
    let place = Place::new();
    place.file("own.img", 1 << 20);
    place.directory("dir");
    place
}

/// Refused, and nothing is different afterwards.
fn refused(place: &Place, arguments: &[&str], code: i32, says: &[&str]) {
    let before = std::fs::read(place.path("own.img")).unwrap();
    place.fails(arguments, code, says);
    assert!(place.stored().is_empty(), "{arguments:?} is stored");
    assert_eq!(place.names_in("dir"), [""; 0], "{arguments:?}");
    assert_eq!(
        place.names_in(""),
        ["dir", "own.img", "store"],
        "{arguments:?}"
    );
    assert!(
        std::fs::read(place.path("own.img")).unwrap() == before,
        "{arguments:?}"
    );
}

#[test]
fn a_file_that_is_no_file_or_has_no_end_is_refused_wherever_one_is_asked_for() {
    let place = Place::new();
    let fifo = place.path("fifo.toml");
    let made = Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(made.success());
    std::os::unix::fs::symlink("/dev/zero", place.path("zero.toml")).unwrap();
    let long = File::create(place.path("long.toml")).unwrap();
    long.set_len(1 << 40).unwrap();
    for (name, why) in [
        ("fifo.toml", "is a FIFO, but a regular file is needed"),
        ("zero.toml", "is a character device, but a regular"),
        ("long.toml", "is larger than 1 MiB, the limit"),
    ] {
        let path = format!("./{name}");
        let spec_file = format!("spec-file={path}");
        let trace = format!("trace={path}");
        let says: &[&str] = &[name, why];
        place.fails(&["run", &path], 1, says);
        place.fails(&["show", &path], 2, says);
        place.fails(&["run", "full-scan", &format!("model:{path}")], 2, says);
        if name != "long.toml" {
            let model = "model:seagate-nas-st3000vn000-3tb";
            place.fails(&["run", "iometer", model, "--set", &spec_file], 2, says);
            place.fails(&["run", "replay", model, "--set", &trace], 2, says);
        }
    }
}

#[test]
fn an_unknown_name_is_refused_and_the_nearest_is_offered() {
    let place = place();
    for (arguments, says) in [
        (["run", "ful-scan", "null:"], "did you mean full-scan?"),
        (
            ["run", "zzz", "null:"],
            "there is no method 'zzz'; `drivelab methods` lists them",
        ),
        (
            ["run", "full-scan", "model:samsung-840-ev0-750gb"],
            "did you mean samsung-840-evo-750gb",
        ),
        (
            ["run", "full-scan", "null:?servic=3us"],
            "did you mean service?",
        ),
        (
            ["run", "full-scan", "./own.img?bufered=yes"],
            "did you mean buffered?",
        ),
        (
            ["run", "full-scan", "fault(null:)?eror=3"],
            "did you mean errors?",
        ),
        (
            ["run", "full-scan", "model:samsung-840-evo-750gb?stat=fresh"],
            "did you mean state?",
        ),
        (["run", "full-scan", "fualt(null:)"], "did you mean fault?"),
        (
            ["run", "full-scan", "raid7(null:,null:)"],
            "there is no layer 'raid7'",
        ),
    ] {
        refused(&place, &arguments, 2, &[says]);
    }
    refused(
        &place,
        &["run", "full-scan", "null:", "--set", "blok=4KiB"],
        2,
        &["did you mean block?"],
    );
    refused(
        &place,
        &["show", "hgst-deskstar"],
        2,
        &["did you mean hgst-deskstar-nas-hdn724030-3tb"],
    );
    refused(
        &place,
        &[
            "review",
            "./dir",
            "--beside",
            "model:nothing",
            "--scale",
            "quick",
        ],
        2,
        &["there is no drive 'nothing'"],
    );
}

#[test]
fn a_malformed_setting_says_what_it_takes() {
    let place = place();
    for (setting, says) in [
        ("block", "write key=value"),
        ("block=", "expected a size from 512 B to 16 MiB"),
        ("block=3", "expected a size from 512 B to 16 MiB"),
        ("block=-4KiB", "expected a size"),
        ("block=1e999", "expected a size"),
        ("block=99999999999999999999GiB", "expected a size"),
        ("ops=erase", "one of as-allowed, read-write, read, write"),
        ("extent=half", "or whole"),
    ] {
        refused(
            &place,
            &["run", "full-scan", "null:", "--set", setting],
            2,
            &[setting, says],
        );
    }
    let unaligned = ["run", "full-scan", "null:", "--set", "block=1000"];
    refused(&place, &unaligned, 2, &["block=1000", "multiple"]);
}

#[test]
fn a_malformed_target_is_refused() {
    let place = place();
    for (target, says) in [
        ("", "no name"),
        ("model:", "no name"),
        ("fault(null:", "brackets"),
        ("fault(null:))", "brackets"),
        ("null:?service", "key=value"),
        ("null:?service=1us&service=2us", "twice"),
        ("null:?service=0", "1ns at least"),
        ("null:?service=soon", "service"),
        ("./own.img?buffered=maybe", "yes or no"),
        ("./own.img?engine=steam", "auto, uring or psync"),
        ("./own.img?size=1MiB", "span"),
        ("./own.img?span=0", "size of 0"),
        ("./dir?size=0", "size of 0"),
        ("./dir?span=1MiB", "size says how large"),
        ("fault(null:)?bad=1MiB", "START+LENGTH"),
        ("fault(fault(null:))", "layer"),
    ] {
        refused(&place, &["run", "full-scan", target], 2, &[says]);
    }
}

#[test]
fn a_size_over_what_there_is_is_refused() {
    let place = place();
    for (target, setting, says) in [
        (
            "./own.img?span=1TiB",
            "block=4KiB",
            "a span of 1 TiB does not fit: there are 1 MiB",
        ),
        (
            "./own.img",
            "extent=1TiB",
            "has 1 MiB, but full-scan needs 1 TiB",
        ),
        ("null:", "extent=2TiB", "needs 2 TiB"),
        (
            "./dir?size=1MiB",
            "extent=2MiB",
            "has 1 MiB, but full-scan needs 2 MiB",
        ),
        ("./dir", "extent=1048576TiB", "./dir has "),
    ] {
        refused(
            &place,
            &["run", "full-scan", target, "--set", setting],
            2,
            &[says],
        );
    }
    refused(
        &place,
        &[
            "run",
            "full-scan",
            "./dir?size=1048576TiB",
            "--scale",
            "quick",
        ],
        1,
        &["no room", "reserve of"],
    );
}

#[test]
fn a_target_that_is_too_small_is_refused() {
    let place = place();
    refused(
        &place,
        &["run", "crystaldiskmark", "./own.img"],
        2,
        &["1 MiB", "needs", "--set"],
    );
    refused(
        &place,
        &["run", "crystaldiskmark", "./dir?size=1MiB"],
        2,
        &["needs"],
    );
    for bytes in [0, 100] {
        let place = Place::new();
        place.file("tiny", bytes);
        place.fails(&["run", "full-scan", "./tiny"], 2, &["less than one block"]);
        assert!(place.stored().is_empty());
    }
}

#[test]
fn an_argument_that_the_command_line_does_not_know_prints_nothing_on_standard_output() {
    let place = Place::new();
    for arguments in [
        &["run", "full-scan", "null:", "--scale", "huge"][..],
        &["run"],
        &["frobnicate"],
        &["compare"],
        &["run", "full-scan", "null:", "--confirm", "x"],
        &["report", "last", "--csv", "--json"],
        &["completions", "tcl"],
        &[],
    ] {
        let ended = place.run(arguments);
        assert_eq!(ended.code, Some(2), "{arguments:?}: {ended:?}");
        assert_eq!(ended.stdout, "", "{arguments:?}");
        assert!(!ended.stderr.is_empty());
    }
}

#[test]
fn what_is_not_there_fails_with_one_line() {
    let place = place();
    refused(
        &place,
        &["run", "full-scan", "./missing"],
        1,
        &["./missing", "no such"],
    );
    refused(
        &place,
        &["review", "./missing", "--scale", "quick"],
        1,
        &["./missing"],
    );
    refused(
        &place,
        &["run", "full-scan", "/dev/null"],
        1,
        &["character device"],
    );
    place.fails(&["report", "99"], 1, &["no run 99"]);
    place.fails(&["report", "last"], 1, &["no result"]);
    place.fails(&["report", "soon"], 2, &["number", "last"]);
    place.fails(&["resume", "3"], 1, &["no run 3"]);
    place.fails(&["--store", "/proc/x/results", "results"], 1, &["/proc/x"]);
    place.fails(
        &["run", "full-scan", "null:", "--html", "no/folder.html"],
        1,
        &["no such folder"],
    );
}

#[test]
fn an_empty_store_lists_nothing_and_says_what_makes_results() {
    let empty = Place::new().ok(&["results"]);
    assert_eq!(empty.stdout, "");
    assert!(empty.stderr.contains("drivelab review"));
}

/// As an ordinary user: root has every permission.
fn as_somebody(place: &Place, arguments: &[&str]) -> Command {
    let mut command = if root() {
        let mut setpriv = Command::new("setpriv");
        setpriv.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        setpriv.arg(env!("CARGO_BIN_EXE_drivelab")).args(arguments);
        setpriv
    } else {
        place.command(arguments)
    };
    place.at_home(&mut command);
    command.env("DRIVELAB_STORE", place.path("open/results.sqlite3"));
    command
}

fn permit(place: &Place, name: &str, mode: u32) {
    let permissions = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(place.path(name), permissions).unwrap();
}

#[test]
fn without_permission_it_fails_with_one_line() {
    let test = "without_permission_it_fails_with_one_line";
    let place = place();
    place.directory("open");
    permit(&place, "open", 0o777);
    permit(&place, "", 0o755);
    // Whether this user reaches the binary and the folder at all: a build may lie in a private one.
    let reachable = as_somebody(
        &place,
        &["run", "latency-watch", "null:", "--scale", "quick"],
    )
    .output();
    if !reachable
        .as_ref()
        .is_ok_and(|output| output.status.success())
    {
        return skip(
            test,
            &format!("no other user can run the binary here: {reachable:?}"),
        );
    }
    permit(&place, "own.img", 0o000);
    permit(&place, "dir", 0o000);
    for target in ["./own.img", "./dir", "./dir/inside"] {
        let ended = place
            .start(as_somebody(&place, &["run", "full-scan", target]))
            .end();
        permit(&place, "dir", 0o000);
        assert_eq!(ended.code, Some(1), "{target}: {ended:?}");
        ended.is_one_line(&[target, "ermission"]);
    }
    permit(&place, "dir", 0o755);
    assert_eq!(place.names_in("dir"), [""; 0]);
}
