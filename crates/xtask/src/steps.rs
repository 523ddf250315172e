//! The list of checks, each either passed, failed with its findings, or skipped with the reason.
//!
//! Checks that are cargo's own work (formatting, lints, documentation) write their findings to the terminal
//! as they go; the rules that live in this crate return theirs, one a line.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::cargo::cargo;
use crate::{circles, docs, drive_files, fuzz, layering, licences, links, metadata, tidy};

/// One check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Formatting,
    Lints,
    Documentation,
    Licences,
    Advisories,
    Tidy,
    Layering,
    Pages,
}

/// Every check, the quick ones first.
pub(crate) const ALL: &[Step] = &[
    Step::Tidy,
    Step::Layering,
    Step::Pages,
    Step::Licences,
    Step::Formatting,
    Step::Advisories,
    Step::Lints,
    Step::Documentation,
];

/// How a check ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Good,
    /// The findings, one each; what cargo has printed already is only named.
    Failed(Vec<String>),
    /// Why it could not be done here.
    Skipped(String),
}

/// Runs the checks one after another; none prevents the next from running.
pub(crate) fn run_all(root: &Path, list: &[Step]) -> Vec<(Step, Outcome)> {
    list.iter()
        .map(|&step| {
            println!("check: {}", step.title());
            (step, run(root, step))
        })
        .collect()
}

/// Prints all outcomes together, and returns whether none failed.
pub(crate) fn report(outcomes: &[(Step, Outcome)]) -> bool {
    println!();
    for (step, outcome) in outcomes {
        match outcome {
            Outcome::Good => println!("check: {}: good", step.title()),
            Outcome::Skipped(why) => println!("check: {}: skipped: {why}", step.title()),
            Outcome::Failed(findings) => {
                println!("check: {}: FAILED", step.title());
                for finding in findings {
                    println!("  {finding}");
                }
            }
        }
    }
    outcomes
        .iter()
        .all(|(_, outcome)| !matches!(outcome, Outcome::Failed(_)))
}

impl Step {
    fn title(self) -> &'static str {
        match self {
            Step::Formatting => "formatting",
            Step::Lints => "lints",
            Step::Documentation => "documentation",
            Step::Licences => "licences of dependencies",
            Step::Advisories => "advisories on dependencies",
            Step::Tidy => "tidy rules",
            Step::Layering => "layering",
            Step::Pages => "pages made from the sources, and links between pages",
        }
    }
}

fn run(root: &Path, step: Step) -> Outcome {
    match step {
        Step::Formatting => tool(
            root,
            "fmt",
            &["fmt", "--all", "--", "--check"],
            "cargo fmt --all mends it",
        ),
        Step::Lints => tool(
            root,
            "clippy",
            &[
                "clippy",
                "--workspace",
                "--all-targets",
                "--locked",
                "--",
                "-D",
                "warnings",
            ],
            "see clippy's messages above",
        ),
        Step::Documentation => tool(
            root,
            "doc",
            &["doc", "--workspace", "--no-deps", "--locked"],
            "see rustdoc's messages above",
        ),
        Step::Licences => findings(licences::check(root)),
        Step::Advisories => advisories(root),
        Step::Tidy => findings(tidy::check(root)),
        Step::Layering => findings(metadata::read(root).and_then(|workspace| {
            let mut found = layering::violations(&workspace);
            found.extend(circles::violations(root)?);
            found.extend(fuzz::outdated(root, &workspace)?);
            let python = metadata::read(&root.join("python"))?;
            found.extend(layering::python_violations(&python, &workspace));
            Ok(found)
        })),
        Step::Pages => findings(docs::check(root).and_then(|mut found| {
            found.extend(drive_files::check(root)?);
            found.extend(links::check(root)?);
            Ok(found)
        })),
    }
}

/// What a check that returns its findings makes of them.
pub(crate) fn findings(found: anyhow::Result<Vec<String>>) -> Outcome {
    match found {
        Ok(list) if list.is_empty() => Outcome::Good,
        Ok(list) => Outcome::Failed(list),
        Err(error) => Outcome::Failed(vec![format!("{error:#}")]),
    }
}

/// Runs one of cargo's own checks; a missing part of the toolchain is a reported skip.
fn tool(root: &Path, subcommand: &str, arguments: &[&str], remedy: &str) -> Outcome {
    let installed = subcommand == "doc" || quiet_success(root, &[subcommand, "--version"]);
    if !installed {
        return Outcome::Skipped(format!(
            "cargo {subcommand} is not installed (rustup component add rustfmt clippy)"
        ));
    }
    match cargo(root)
        .args(arguments)
        .env("RUSTDOCFLAGS", "-D warnings")
        .status()
    {
        Ok(status) if status.success() => Outcome::Good,
        Ok(_) => Outcome::Failed(vec![remedy.to_string()]),
        Err(error) => Outcome::Failed(vec![format!("cargo {subcommand} does not start: {error}")]),
    }
}

/// Advisories need cargo-deny and its database: fetches first, to distinguish "no network" from "advisory found".
fn advisories(root: &Path) -> Outcome {
    if !quiet_success(root, &["deny", "--version"]) {
        return Outcome::Skipped("cargo-deny is not installed".to_string());
    }
    let fetched = Command::new("timeout")
        .current_dir(root)
        .args(["60", "cargo", "deny", "fetch", "db"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !fetched {
        return Outcome::Skipped(
            "the advisory database cannot be reached (no network?)".to_string(),
        );
    }
    tool(
        root,
        "deny",
        &["deny", "--offline", "check", "advisories"],
        "see cargo-deny's messages above",
    )
}

fn quiet_success(root: &Path, arguments: &[&str]) -> bool {
    cargo(root)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
