//! The project's chores, in Rust so that they need nothing but the toolchain: `cargo run -p xtask -- check`.
//!
//! `check` runs every check and then reports all failures together, so that they can be fixed in one go. `test` runs
//! the same checks, then every test, and ends with one line `N passed, N failed, N skipped`. `tidy`, `licences` and
//! `layering` are single checks for the impatient. `docs` writes the methods' pages and the table of the drive files'
//! keys from the code's own documentation; `check` fails if they are stale. `fuzz` runs the fuzz targets under
//! libFuzzer. People and continuous integration call the same commands (through the Makefile), so every check is run.
//!
//! # How a test says that it was skipped
//!
//! A test that needs what a machine may lack (Chromium, a loop device, root) must not fail there and must not vanish
//! either. `xtask test` sets the environment variable `DRIVELAB_SKIPS` to the path of a file; such a test appends one
//! line to it and returns:
//!
//! ```text
//! skipped: <name of the test>: <why>
//! ```
//!
//! One `write` of one line to a file opened for appending, so that tests running side by side do not mix their
//! lines. The harness has counted the test as passed, so the summary moves it from passed to skipped, and
//! prints its name and the reason. Tests marked `#[ignore]` are counted and named as skipped too.
#![allow(clippy::print_stdout, reason = "a command line program")]

mod cargo;
mod circles;
mod counts;
mod docs;
mod drive_files;
mod fuzz;
mod layering;
mod licences;
mod links;
mod metadata;

mod side_by_side;
mod steps;
mod test_binaries;
mod tests_run;
mod tidy;

use std::path::PathBuf;
use std::process::ExitCode;

use steps::Step;

const USAGE: &str = "usage: cargo run -p xtask -- check | tidy | licences | layering | docs | test [ARGUMENTS OF CARGO TEST] | fuzz [SECONDS] [TARGET ...]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = workspace_root();
    let good = match arguments.first().map(String::as_str) {
        Some("check") => steps::report(&steps::run_all(&root, steps::ALL)),
        Some("tidy") => steps::report(&steps::run_all(&root, &[Step::Tidy])),
        Some("licences") => steps::report(&steps::run_all(&root, &[Step::Licences])),
        Some("layering") => steps::report(&steps::run_all(&root, &[Step::Layering])),
        Some("docs") => steps::report(&[(Step::Pages, steps::findings(write_pages(&root)))]),
        Some("test") => check_and_test(&root, &arguments[1..]),
        Some("fuzz") => fuzz::report(fuzz::run(&root, &arguments[1..])),
        Some(test_binaries::NOTE) => {
            return test_binaries::note(&arguments[1..]).unwrap_or_else(|error| {
                eprintln!("xtask {}: {error:#}", test_binaries::NOTE);
                ExitCode::FAILURE
            });
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Writes every generated page; returns errors in the sources.
fn write_pages(root: &std::path::Path) -> anyhow::Result<Vec<String>> {
    drive_files::write(root)?;
    docs::write(root)
}

/// Tests run even when a check fails: the developer sees everything in one go.
fn check_and_test(root: &std::path::Path, arguments: &[String]) -> bool {
    let checks = steps::run_all(root, steps::ALL);
    let summary = tests_run::run(root, arguments);
    let checks_good = steps::report(&checks);
    tests_run::report(&summary) && checks_good
}

/// Cargo passes the manifest's directory to a program that it runs; without cargo, the current directory is used.
fn workspace_root() -> PathBuf {
    match std::env::var_os("CARGO_MANIFEST_DIR") {
        Some(manifest) => PathBuf::from(manifest).join("../.."),
        None => PathBuf::from("."),
    }
}
