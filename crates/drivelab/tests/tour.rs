//! The pages that document the commands are executed: every command of their fenced blocks, in order, in one directory,
//! as typed; and if a page shows output, it is compared.
//!
//! Commands that cannot run as written are in [`CHANGED`], and nowhere else: devices are files here, long runs are
//! shortened by an option, and prompts are answered. A command that is not in the table runs as written and must
//! succeed.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use std::path::Path;
use std::process::Command;

use command::{Ended, Place};

/// The pages. Each is executed in its own directory.
const PAGES: &[&str] = &[
    "README.md",
    "docs/guide.md",
    "docs/targets.md",
    "docs/safety.md",
];

/// Maximum size of the README in bytes: longer text belongs on a page of its own.
const README_BYTES: usize = 6_000;

/// Replacements in a line, wherever they occur: the words of the page, and those of the test.
const CHANGED: &[(&str, &str)] = &[
    // Devices are files of the test; what they are asked is the same.
    ("/dev/sd{b,c,d,e}", "./sd{b,c,d,e}.img"),
    ("/dev/sdb", "./sdb.img"),
    ("/dev/nvme0n1", "./sdc.img"),
    ("/tmp/qlc.sock", "./qlc.sock"),
    ("/tmp/670p.sock", "./670p.sock"),
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

/// Commands that do not exit with 0 here, and their output: nothing is interrupted in this test, so nothing can be
/// resumed.
const NOT_WELL: &[(&str, i32, &str)] = &[
    ("resume last", 1, "there is nothing to resume"),
    ("drivelab resume\n", 1, "there is nothing to resume"),
    // No host is here; a fleet has tests of its own.
    ("drivelab fleet ", 2, "hosts.toml cannot be read"),
];

/// Commands that serve until they are ended, and their output when they are ready.
const SERVES: &[(&str, &str)] = &[
    ("drivelab emulate ", "socket="),
    ("drivelab window", "the window is at"),
];

/// A command, and the output shown on the page.
#[derive(Debug)]
struct Step {
    line: String,
    shown: Vec<String>,
}

fn page(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(name)).unwrap()
}

/// The commands of a page's fenced blocks, in order, each with the rest of its line: those of the program, and those
/// that prepare a file for one. A block that shows output begins its commands with `$`.
fn steps(page: &str) -> Vec<Step> {
    let mut found: Vec<Step> = Vec::new();
    let blocks = page.split("```").skip(1).step_by(2);
    for block in blocks {
        let (language, block) = block.split_once('\n').unwrap();
        if !["", "sh"].contains(&language) {
            continue;
        }
        let mut shows = false;
        for line in block.replace("\\\n", "").lines() {
            let typed = line.strip_prefix("$ ");
            if shows && typed.is_none() {
                found.last_mut().unwrap().shown.push(line.to_owned());
                continue;
            }
            shows = typed.is_some();
            let typed = typed.unwrap_or(line).split(" # ").next().unwrap();
            let typed = typed.split("  #").next().unwrap().trim_end();
            if typed.starts_with("drivelab ") || typed.starts_with("sed ") {
                found.push(Step {
                    line: format!("{typed}\n"),
                    shown: Vec::new(),
                });
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

/// A directory like a clone, as far as the test needs it, with a user's files.
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

/// A line without what depends on the machine: its pace, and the folder of the test.
fn on_any_machine(line: &str) -> String {
    let line = line.split("socket=").next().unwrap();
    if line.contains("  takes about ") || line.starts_with("transport: ") {
        line.replace(|sign: char| sign.is_ascii_digit() || sign == '.', "")
    } else {
        line.to_owned()
    }
}

/// The first shown line that was not printed after the previous one; `...` stands for omitted lines.
fn not_printed<'a>(shown: &'a [String], ended: &Ended) -> Option<&'a str> {
    let printed = format!("{}\n{}", ended.stderr, ended.stdout);
    let mut printed = printed.lines().map(on_any_machine);
    let mut shown = shown.iter().filter(|line| *line != "...");
    shown
        .find(|line| !printed.any(|there| there == on_any_machine(line)))
        .map(String::as_str)
}

fn what_is_wrong(place: &Place, step: &Step) -> Option<String> {
    let line = &step.line;
    let ended = walked(place, line);
    let serves = SERVES.iter().any(|(word, _)| line.starts_with(word));
    let expected = NOT_WELL.iter().find(|(words, ..)| line.contains(words));
    let is_right = match expected {
        Some((_, code, says)) => ended.code == Some(*code) && ended.stderr.contains(says),
        None => ended.code == Some(0) || serves,
    };
    if !is_right {
        let last: Vec<&str> = ended.stderr.lines().rev().take(3).collect();
        return Some(format!("{line}  {:?}: {last:?}", ended.code));
    }
    not_printed(&step.shown, &ended)
        .map(|missing| format!("{line}  does not print '{missing}': {ended:?}"))
}

/// Executes a page in its own directory.
fn walk(name: &str) -> Place {
    let place = clone();
    let steps = steps(&page(name));
    assert!(!steps.is_empty(), "{name} has no commands");
    let wrong: Vec<String> = steps
        .iter()
        .filter_map(|step| what_is_wrong(&place, step))
        .collect();
    assert!(wrong.is_empty(), "{name}\n{}", wrong.join("\n"));
    place
}

#[test]
fn every_command_of_the_readme_runs_and_prints_what_is_shown() {
    let place = walk("README.md");
    assert!(place.path("report.html").exists());
}

#[test]
fn every_command_of_the_guide_runs_in_order_as_it_stands() {
    assert!(steps(&page("docs/guide.md")).len() > 45);
    let place = walk("docs/guide.md");
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
fn every_command_of_the_page_of_targets_runs() {
    walk("docs/targets.md");
}

#[test]
fn a_dry_run_prints_what_the_page_of_safety_shows() {
    walk("docs/safety.md");
}

#[test]
fn every_change_of_the_tour_is_of_something_that_is_in_it() {
    let steps = PAGES.iter().flat_map(|name| steps(&page(name)));
    let mut before: String = steps.map(|step| step.line).collect();
    for (from, to) in CHANGED {
        assert!(before.contains(from), "no page has '{from}' any more");
        before = before.replace(from, to);
    }
    for words in NOT_WELL
        .iter()
        .map(|(words, ..)| words)
        .chain(SERVES.iter().map(|(words, _)| words))
    {
        assert!(before.contains(words), "no page has '{words}' any more");
    }
}

#[test]
fn the_readme_is_short_and_its_counts_are_right() {
    let readme = page("README.md");
    assert!(readme.len() <= README_BYTES, "{} bytes", readme.len());
    let place = clone();
    let drives = place.json(&["drives", "--json"])["drives"].clone();
    let drives = drives.as_array().unwrap();
    let known_by_sheet = drives
        .iter()
        .filter(|drive| drive["known_by"] == "data sheet")
        .count();
    let methods = place.json(&["methods", "--json"])["methods"].clone();
    let methods = methods.as_array().unwrap().len();
    let drives = drives.len();
    for said in [
        format!("on {drives} modelled drives"),
        format!("[{drives} modelled drives]"),
        format!("{known_by_sheet} of the drives are based on little more"),
        format!("[{methods} methods]"),
    ] {
        assert!(readme.contains(&said), "the README does not say '{said}'");
    }
    let accuracy = page("docs/accuracy.md");
    assert!(accuracy.contains(&format!("({known_by_sheet} of {drives})")));
}
