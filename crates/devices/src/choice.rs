//! Which fleets a run tries: all of them, or a quarter chosen by what changed.
//!
//! Running everything takes too long for each change. A quarter is a fourth of the work, starting with the fleets that
//! test what was changed since a revision; the remainder is rotated over the others, so that after some commits each
//! was run. Omitted fleets are reported.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// A fleet and the folders of the sources that it tries.
pub(crate) struct Line {
    /// The name of its file below `fleets/`.
    pub(crate) fleet: &'static str,
    /// Folders and files, with blanks between them.
    tries: &'static str,
    /// Its cost in addition to the others, about a minute of a machine each.
    cost: usize,
}

const fn line(fleet: &'static str, cost: usize, tries: &'static str) -> Line {
    Line { fleet, tries, cost }
}

impl Line {
    fn places(&self) -> impl Iterator<Item = &'static str> {
        self.tries.split(' ')
    }
}

/// All fleets.
pub(crate) const FLEETS: &[Line] = &[
    line("buses", 12, "crates/methods crates/base crates/uring"),
    line("daemons", 3, "crates/inspect crates/targets"),
    line("emulated", 5, "crates/emulate crates/sim crates/uring"),
    line(
        "endurance",
        5,
        "crates/plans crates/store crates/results crates/lab/src/recording.rs",
    ),
    line(
        "faults",
        4,
        "crates/lab/src/execute crates/uring crates/base",
    ),
    line("identity", 3, "crates/inspect crates/targets crates/plans"),
    line("newer", 4, "crates/emulate crates/uring crates/sim"),
    line("refusals", 4, "crates/inspect crates/targets"),
    line("rescue", 1, "crates/rescue"),
    line(
        "shapes",
        4,
        "crates/inspect crates/methods crates/lab/src/running",
    ),
    line(
        "speed",
        2,
        "crates/uring crates/lab/src/execute crates/lab/src/lab_bench",
    ),
    line("stacks", 3, "crates/inspect crates/targets"),
    line("stick", 6, "stick crates/window/src/menu setup"),
    line("stick-bios", 2, "stick"),
    line("stick-secure-boot", 3, "stick"),
    line("terminal", 1, "crates/drivelab crates/targets crates/plans"),
    line(
        "time",
        2,
        "crates/lab/src/execute crates/uring crates/lab/src/recording.rs",
    ),
    line(
        "zones",
        3,
        "crates/methods/src/zones.rs crates/inspect crates/lab/src/running",
    ),
];

/// The fleets of a quarter, and the omitted ones; `commits` determines the rotation.
pub(crate) fn quarter(
    changed: &[String],
    commits: usize,
) -> (Vec<&'static str>, Vec<&'static str>) {
    let touched = |line: &&Line| {
        let is_touched = |path: &String| line.places().any(|place| path.starts_with(place));
        changed.iter().any(is_touched)
    };
    let in_turn = || (0..FLEETS.len()).map(|place| &FLEETS[(place + commits) % FLEETS.len()]);
    let first = in_turn().filter(touched);
    let then = in_turn().filter(|line| !touched(line));
    let budget = FLEETS
        .iter()
        .map(|line| line.cost)
        .sum::<usize>()
        .div_ceil(4);
    let (mut taken, mut left_out, mut spent) = (Vec::new(), Vec::new(), 0);
    for line in first.chain(then) {
        if taken.is_empty() || spent + line.cost <= budget {
            spent += line.cost;
            taken.push(line.fleet);
        } else {
            left_out.push(line.fleet);
        }
    }
    (taken, left_out)
}

/// The paths that differ from a revision, and how many commits there are.
pub(crate) fn since(revision: &str, source: &Path) -> Result<(Vec<String>, usize)> {
    let git = |arguments: &[&str]| {
        let said = Command::new("git")
            .current_dir(source)
            .args(arguments)
            .output()
            .context("git does not start")?;
        if !said.status.success() {
            bail!(
                "git {}: {}",
                arguments[0],
                String::from_utf8_lossy(&said.stderr).trim()
            );
        }
        Ok(String::from_utf8_lossy(&said.stdout).into_owned())
    };
    let names = git(&["diff", "--name-only", revision])?;
    let commits = git(&["rev-list", "--count", "HEAD"])?;
    let commits = commits.trim().parse().context("git counts no commits")?;
    Ok((names.lines().map(str::to_owned).collect(), commits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_of_a_fleet_has_a_line_and_each_line_a_file() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fleets");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        let mut lines: Vec<String> = FLEETS
            .iter()
            .map(|line| format!("{}.toml", line.fleet))
            .collect();
        lines.sort();
        assert_eq!(files, lines);
    }

    #[test]
    fn what_a_fleet_tries_is_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for place in FLEETS.iter().flat_map(Line::places) {
            let beside = root.join(format!("{place}.rs"));
            assert!(root.join(place).exists() || beside.exists(), "{place}");
        }
    }

    #[test]
    fn a_quarter_begins_with_what_was_touched_and_names_what_it_leaves_out() {
        let (taken, left_out) = quarter(&["crates/rescue/src/map.rs".to_owned()], 5);
        assert_eq!(taken[0], "rescue");
        assert_eq!(taken.len() + left_out.len(), FLEETS.len());
        assert!(left_out.len() > FLEETS.len() / 3);
    }

    #[test]
    fn every_fleet_has_its_turn_though_nothing_was_touched() {
        for line in FLEETS {
            let tried =
                (0..FLEETS.len()).any(|commits| quarter(&[], commits).0.contains(&line.fleet));
            assert!(tried, "{}", line.fleet);
        }
    }
}
