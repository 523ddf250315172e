//! Runs every test of the workspace, two binaries at once, and ends with the counts.
//!
//! The exit status of each binary and its counts must both be good: a test binary that is killed prints no
//! `test result:` line. The run has an end in any case: a test that hangs is named by the harness after a minute, and
//! when no test has ended for [`SILENCE`] the run counts as failed. What is limited is a standstill and never the
//! whole: a slow machine builds for long, and each of its tests takes long, but one ends after the other. So everything
//! is built first, and without a limit.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::cargo::cargo;
use crate::counts::Counts;
use crate::side_by_side::{Ended, SideBySide};
use crate::test_binaries::{self, Binary};

/// The longest single test takes two minutes on two cores, and a tenth of the machine is left for it where eight others
/// build; no test that ends takes this long.
const SILENCE: Duration = Duration::from_secs(30 * 60);
/// Each binary has a thread for each processor: more than a few at once wait for each other.
const MOST_AT_ONCE: usize = 4;

/// What takes longest is begun first, so that it does not run alone at the end: package and binary. Measured on two
/// processors: 101, 64, 56, 43 and 42 s, all others 40 s or less.
const LONGEST: [[&str; 2]; 5] = [
    ["drivelab", "tour"],
    ["sim", "sim"],
    ["lab", "said_beforehand"],
    ["drivelab", "documents"],
    ["drivelab", "ask"],
];

/// What runs with nobody beside it, package and binary.
///
/// All of them but the last show files as loop devices, and test that a device is taken only when nobody has it open.
/// But a run on a file, which most tests of the command line begin, opens every loop device for a moment to see which
/// shows that file.
/// The last stops the program for three seconds and looks for just that time in the figures.
const ALONE: [[&str; 2]; 9] = [
    ["drivelab", "targets"],
    ["drivelab", "test_files"],
    ["drivelab", "faults"],
    ["drivelab", "found_again"],
    ["drivelab", "rescue_devices"],
    ["inspect", "inspect"],
    ["uring", "uring"],
    ["uring", "given_back"],
    ["drivelab", "own_time"],
];

/// Runs every test of the workspace; `arguments` go to `cargo test`.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Counts {
    let mut counts = Counts::default();
    let folder = std::env::temp_dir().join(format!("drivelab-tests-{}", std::process::id()));
    if let Err(error) = run_in(root, &folder, arguments, &mut counts) {
        counts.take_failure_outside(&format!("{error:#}"));
    }
    let skips = std::fs::read_to_string(folder.join("skips"));
    counts.take_skips(&skips.unwrap_or_default());
    // Nothing depends on it being gone.
    let _ = std::fs::remove_dir_all(&folder);
    counts
}

fn run_in(root: &Path, folder: &Path, arguments: &[String], counts: &mut Counts) -> Result<()> {
    // Building the tests may replace the file of this program: its path stays good.
    let xtask = std::env::current_exe().context("where this program is")?;
    std::fs::create_dir_all(folder).with_context(|| format!("{}", folder.display()))?;
    for file in ["skips", "list"] {
        std::fs::write(folder.join(file), "")
            .with_context(|| format!("{} cannot be written", folder.join(file).display()))?;
    }
    println!("\ntests: cargo test --workspace");
    build(root, arguments)?;
    let binaries = list(root, &xtask, folder, arguments, counts)?;
    let (alone, together) = in_order(binaries);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let mut run = SideBySide::new(folder, SILENCE, counts)?;
    if run.run(together, processors.min(MOST_AT_ONCE)) == Ended::All {
        run.run(alone, 1);
    }
    Ok(())
}

/// Builds all tests.
fn build(root: &Path, arguments: &[String]) -> Result<()> {
    let own = arguments.iter().take_while(|argument| *argument != "--");
    let built = cargo(root)
        .args(["test", "--workspace", "--locked", "--no-run"])
        .args(own)
        .stdin(Stdio::null())
        .status()
        .context("cargo test does not start")?;
    if !built.success() {
        bail!("the tests cannot be built: cargo ended with {built} (see above)");
    }
    Ok(())
}

/// Has cargo note the test binaries, and run the documentation tests.
fn list(
    root: &Path,
    xtask: &Path,
    folder: &Path,
    arguments: &[String],
    counts: &mut Counts,
) -> Result<Vec<Binary>> {
    let mut cargo: Command = cargo(root);
    cargo.args(["test", "--workspace", "--locked", "--no-fail-fast"]);
    test_binaries::note_instead(&mut cargo, xtask, &folder.join("list"))?;
    // There cargo names each binary, which does not run yet.
    let errors = folder.join("errors");
    let output = cargo
        .args(arguments)
        .env("DRIVELAB_SKIPS", folder.join("skips"))
        .stdin(Stdio::null())
        .stderr(File::create(&errors)?)
        .output()
        .context("cargo test does not start")?;
    let failed_before = counts.failed;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        println!("{line}");
        counts.take_line(line);
    }
    if !output.status.success() {
        eprint!("{}", std::fs::read_to_string(&errors).unwrap_or_default());
        if counts.failed == failed_before {
            counts.take_failure_outside(&format!(
                "cargo test ended with {} though no documentation test failed: one did not compile (see above)",
                output.status
            ));
        }
    }
    test_binaries::read(&std::fs::read_to_string(folder.join("list"))?)
}

/// Those that run alone, and all others, the longest first.
fn in_order(binaries: Vec<Binary>) -> (Vec<Binary>, Vec<Binary>) {
    let (alone, mut together): (Vec<_>, Vec<_>) = binaries
        .into_iter()
        .partition(|binary| ALONE.contains(&binary.name()));
    together.sort_by_key(|binary| {
        let rank = LONGEST.iter().position(|name| *name == binary.name());
        rank.unwrap_or(LONGEST.len())
    });
    (alone, together)
}

/// Prints skips and failures by name and the closing line, and returns whether nothing failed.
pub(crate) fn report(counts: &Counts) -> bool {
    println!();
    for (name, why) in &counts.skips {
        println!("skipped: {name}: {why}");
    }
    for name in &counts.failures {
        println!("failed: {name}");
    }
    println!("{}", counts.line());
    counts.failed == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_begin_first_and_what_must_be_alone_is_apart() {
        let named = |[package, name]: [&str; 2]| {
            let line = serde_json::json!({
                "program": format!("/t/deps/{name}-0123456789abcdef"),
                "arguments": [],
                "folder": "/p",
                "environment": {"CARGO_PKG_NAME": package},
            });
            format!("{line}\n")
        };
        let list = [["a", "sim"], ALONE[0], ["b", "b"], LONGEST[1], LONGEST[0]];
        let binaries = test_binaries::read(&list.map(named).concat()).unwrap();
        let (alone, together) = in_order(binaries);
        let names = |binaries: &[Binary]| -> Vec<String> {
            binaries.iter().map(|one| one.name().join(" ")).collect()
        };
        assert_eq!(names(&alone), ["drivelab targets"]);
        assert_eq!(
            names(&together),
            ["drivelab tour", "sim sim", "a sim", "b b"],
            "of the others cargo's order is kept"
        );
    }

    #[test]
    fn every_binary_named_here_exists() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for [package, name] in ALONE.into_iter().chain(LONGEST) {
            let folder = crates.join(package);
            let file = match package == name {
                true => folder.join("src/lib.rs"),
                false => folder.join(format!("tests/{name}.rs")),
            };
            assert!(file.exists(), "{}", file.display());
        }
    }
}
