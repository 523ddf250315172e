//! The tour, walked: every command in the fenced blocks of README, guide and targets, in order, in one folder, as somebody
//! types them.
//!
//! What cannot be as written stands in [`CHANGED`], and nowhere else: devices are files here, what takes minutes is
//! shortened by an option of its own, and what is answered by a person is answered. A command of the tour that is not in
//! the table runs as it stands and must end well.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use std::path::Path;
use std::process::Command;

use command::{Ended, Place};

/// What is changed in a line, wherever it stands: the words of the README, and those of the test.
const CHANGED: &[(&str, &str)] = &[
    // Devices are files of the test; what they are asked is the same.
    ("/dev/sd{b,c,d,e}", "./sd{b,c,d,e}.img"),
    ("/dev/sdb", "./sdb.img"),
    ("/dev/nvme0n1", "./sdc.img"),
    ("/tmp/qlc.sock", "./qlc.sock"),
    // Minutes become seconds.
    ("drivelab review\n", "drivelab review --scale quick\n"),
    ("review . --class", "review . --scale quick --class"),
    ("review . --beside", "review . --scale quick --beside"),
    ("profile=nvme ", "profile=nvme --scale quick "),
    ("time=1min", "time=1s"),
    ("--scale full", "--scale full --dry-run"),
    ("run nas-disks-2016", "run nas-disks-2016 --dry-run"),
    ("run quick . ", "run quick . --scale quick "),
    (
        "run slc-fill model:./my-drive.toml",
        "run slc-fill model:./my-drive.toml --scale quick",
    ),
    // Whether a file on a busy machine is accepted is chance.
    ("run screen ", "run screen --dry-run "),
    (
        "run full-scan ./sdb.img\n",
        "run full-scan ./sdb.img --scale quick\n",
    ),
    ("record iometer .", "record iometer . --scale quick"),
    ("-b4K -d10", "-b4K -d1"),
    (
        "predict docs/examples/questions.csv",
        "predict docs/examples/questions.csv --drawings 4",
    ),
    ("delete tag:desk", "delete tag:desk --yes"),
];

/// Commands that do not end with 0 here, and what they say: nothing is interrupted on the tour, so nothing goes on.
const NOT_WELL: &[(&str, i32, &str)] = &[
    ("resume last", 1, "there is nothing to resume"),
    ("drivelab resume\n", 1, "there is nothing to resume"),
];

/// Commands that serve until they are told to end, and what they say when they are ready.
const SERVES: &[(&str, &str)] = &[("drivelab emulate ", "qlc.sock")];

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// The commands of the tour's pages.
fn tour() -> Vec<String> {
    let pages = ["README.md", "docs/guide.md", "docs/targets.md"];
    pages.iter().flat_map(|name| commands(&page(name))).collect()
}

/// The commands of a page's fenced blocks, in order, each with its line's end: those of the program, and what prepares
/// a file for one. A block that shows what is printed begins its commands with `$`, and is another test's.
fn commands(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let blocks = page.split("```").skip(1).step_by(2);
    for block in blocks {
        let (language, block) = block.split_once('\n').unwrap();
        if !["", "sh"].contains(&language) {
            continue;
        }
        for line in block.replace("\\\n", "").lines() {
            let line = line
                .split(" # ")
                .next()
                .unwrap()
                .split("  #")
                .next()
                .unwrap();
            if ["drivelab ", "sed "]
                .iter()
                .any(|word| line.starts_with(word))
                || line == "drivelab"
            {
                found.push(format!("{}\n", line.trim_end()));
            }
        }
    }
    found
}

fn changed(line: &str) -> String {
    CHANGED
        .iter()
        .fold(line.to_owned(), |line, (from, to)| line.replace(from, to))
}

fn shell(place: &Place, line: &str) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_drivelab"));
    let path = std::env::var("PATH").unwrap();
    let mut shell = Command::new("bash");
    shell.args(["-c", line]);
    place.at_home(&mut shell);
    shell.env(
        "PATH",
        format!("{}:{path}", program.parent().unwrap().display()),
    );
    shell.env("BROWSER", "true");
    shell
}

/// A folder as a clone is, as far as the tour needs it, with what a user of it has.
fn clone() -> Place {
    let place = Place::new();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    std::os::unix::fs::symlink(docs, place.path("docs")).unwrap();
    for file in ["some.file", "disk.img"] {
        place.file(file, 16 << 20);
    }
    for drive in ["sdb.img", "sdc.img", "sdd.img", "sde.img"] {
        let file = std::fs::File::create(place.path(drive)).unwrap();
        file.set_len(1 << 30).unwrap();
    }
    place
}

fn walked(place: &Place, line: &str) -> Ended {
    let command = changed(line);
    let under_way = place.start(shell(place, &command));
    let Some((_, ready)) = SERVES.iter().find(|(word, _)| line.starts_with(word)) else {
        return under_way.end();
    };
    let mut under_way = under_way;
    under_way.wait_for(ready);
    under_way.signal("TERM");
    under_way.end()
}

#[test]
fn every_command_of_the_tour_runs_in_order_as_it_stands() {
    let place = clone();
    let commands = tour();
    assert!(commands.len() > 45, "{commands:?}");
    let mut wrong = Vec::new();
    for line in &commands {
        let ended = walked(&place, line);
        let serves = SERVES.iter().any(|(word, _)| line.starts_with(word));
        let expected = NOT_WELL.iter().find(|(words, ..)| line.contains(words));
        let is_right = match expected {
            Some((_, code, says)) => ended.code == Some(*code) && ended.stderr.contains(says),
            None => ended.code == Some(0) || serves,
        };
        if !is_right {
            let last: Vec<&str> = ended.stderr.lines().rev().take(3).collect();
            wrong.push(format!("{line}  {:?}: {last:?}", ended.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for made in [
        "r.html",
        "watch.json",
        "scan.html",
        "both.html",
        "review",
        "sweep.html",
        "iometer.blkparse",
    ] {
        assert!(place.path(made).exists(), "{made} was not made");
    }
}

#[test]
fn every_change_of_the_tour_is_of_something_that_is_in_it() {
    let mut before = tour().concat();
    for (from, to) in CHANGED {
        assert!(before.contains(from), "the tour has no '{from}' any more");
        before = before.replace(from, to);
    }
    for words in NOT_WELL
        .iter()
        .map(|(words, ..)| words)
        .chain(SERVES.iter().map(|(words, _)| words))
    {
        assert!(
            before.contains(words),
            "the tour has no '{words}' any more"
        );
    }
}

#[test]
fn what_is_shown_of_a_dry_run_is_what_is_printed() {
    let place = clone();
    let page = page("docs/safety.md");
    let (_, shown) = page.split_once("$ drivelab ").unwrap();
    let (line, printed) = shown.split_once('\n').unwrap();
    let (printed, _) = printed.split_once("```").unwrap();
    let ended = place
        .start(shell(&place, &format!("drivelab {line}")))
        .end();
    // How long it takes depends on the class of the drive that it is run on.
    let but_the_time = |text: &str| -> Vec<String> {
        let lines = text
            .lines()
            .map(|line| match line.contains("  takes about ") {
                true => "  takes about ...".to_owned(),
                false => line.to_owned(),
            });
        lines.collect()
    };
    assert_eq!(
        but_the_time(&ended.stdout),
        but_the_time(printed),
        "{ended:?}"
    );
}
