//! What only looks like a file, and names that would steer the terminal.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use command::Place;

#[test]
fn a_pipe_or_an_endless_file_where_a_file_is_asked_is_refused_in_one_line() {
    let place = Place::new();
    for name in ["pipe", "pipe.toml"] {
        let made = Command::new("mkfifo").arg(place.path(name)).status();
        if !made.is_ok_and(|made| made.success()) {
            fixtures::skip::skip("a_pipe_or_an_endless_file", "needs mkfifo");
            return;
        }
    }
    std::os::unix::fs::symlink("/dev/zero", place.path("zero.toml")).unwrap();
    for arguments in [
        &["run", "full-scan", "./pipe"][..],
        &["run", "full-scan", "/dev/zero"],
        &["run", "full-scan", "/proc/kmsg"],
        &["run", "replay", "null:", "--set", "trace=./pipe"],
        &["run", "replay", "null:", "--set", "trace=/dev/zero"],
        &["run", "replay", "null:", "--set", "trace=/proc/kmsg"],
        &["run", "iometer", "null:", "--set", "access=./pipe"],
        &["run", "./pipe.toml"],
        &["run", "./zero.toml"],
        &["show", "./pipe.toml"],
        &["show", "./zero.toml"],
        &["run", "full-scan", "model:./pipe.toml"],
        &[
            "run",
            "full-scan",
            "model:samsung-840-evo-120gb?host=./pipe.toml",
        ],
        &["rescue", "./pipe", "./copy.img"],
    ] {
        let ended = place.run(arguments);
        assert!(
            matches!(ended.code, Some(1 | 2)),
            "{arguments:?}: {ended:?}"
        );
        ended.is_one_line(&[]);
    }
}

#[test]
fn no_name_of_a_file_and_no_word_of_one_steers_the_terminal() {
    let place = Place::new();
    let name = "a\u{1b}]0;title\u{7}\u{9b}2J\u{202e}b";
    let trace = format!("{name}.csv");
    std::fs::write(
        place.path(&trace),
        "fio version 3 iolog\n1 \u{1b}[2J open\n",
    )
    .unwrap();
    std::fs::write(place.path("plan.toml"), format!("targets = ['{name}']\n")).unwrap();
    std::fs::write(place.path(name), vec![7; 1 << 20]).unwrap();
    let target = format!("./{name}?buffered=yes");
    for arguments in [
        &["run", "full-scan", "./none\u{1b}[2J"][..],
        &["run", "nothing\u{1b}[2J", "null:"],
        &[
            "run",
            "replay",
            "null:",
            "--set",
            &format!("trace=./{trace}"),
        ],
        &["run", "plan.toml"],
        &["--no-such\u{1b}[2J"],
        &["run", "full-scan", &target, "--no-store"],
        &["run", "full-scan", &target, "--json"],
        &["results"],
        &["results", "--json"],
        &["report", "last"],
        &["report", "last", "--json"],
        &["report", "last", "--csv", "figures"],
    ] {
        let ended = place.run(arguments);
        for text in [&ended.stdout, &ended.stderr] {
            let steers = |letter: &char| base::printable::steers(*letter) && *letter != '\n';
            let found: Vec<char> = text.chars().filter(steers).filter(|c| *c != '\t').collect();
            assert!(found.is_empty(), "{arguments:?}: {found:?} in {text:?}");
        }
        if arguments.contains(&"--json") {
            ended.json();
        }
    }
}

#[test]
fn a_path_that_is_not_unicode_is_a_path_like_any_other() {
    let place = Place::new();
    let job: &[u8] = b"a\xff\xfeb.fio";
    let text = "[a]\nrw=read\nsize=1m\n";
    std::fs::write(place.path(".").join(OsStr::from_bytes(job)), text).unwrap();
    let run = ["run", "commit", "null:", "--scale", "quick"];
    for (arguments, path, code) in [
        (&["fio", "--target", "null:"][..], job, 0),
        (&["import"], job, 2),
        (&["results", "--store"], b"a\xff.sqlite3", 0),
        (&[&run[..], &["--html"]].concat(), b"a\xff.html", 0),
    ] {
        let mut command = place.command(arguments);
        command.arg(OsStr::from_bytes(path));
        let ended = place.start(command).end();
        assert_eq!(ended.code, Some(code), "{arguments:?}: {ended:?}");
    }
}
