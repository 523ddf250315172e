//! Runs the fuzz targets under libFuzzer, which watches which branches an input takes.
//!
//! The instrumentation is an LLVM pass that the stable compiler has (`-Cpasses=sancov-module`); it counts each branch,
//! shows libFuzzer both sides of comparisons, and needs no sanitizer: in safe Rust an invalid access is a panic. The
//! program is built in the folder `fuzz`, a separate workspace. Each target runs for some seconds on a copy of its
//! corpus; new branches are then merged into the corpus, with as few and short inputs as reach all branches. An input
//! that finds a defect stays in `fuzz/artifacts`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cargo::cargo;
use crate::metadata::Workspace;

/// Default seconds per target.
const SECONDS: u64 = 60;
/// What makes the compiler count branches and comparisons.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";
/// Megabytes of the whole process: the program with its counters, libFuzzer's corpus, and what an input may take,
/// which the program itself bounds.
const MOST_MEGABYTES: u32 = 1_024;
/// An input that takes longer than this many seconds is a finding.
const SLOWEST: u32 = 10;

/// Runs targets, all of them where none is named; gives those that failed. The first argument may be the seconds.
///
/// # Errors
/// Where the program cannot be built or started, or there is no such target.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<Vec<String>> {
    let (seconds, named) = match arguments.split_first() {
        Some((first, rest)) if first.parse::<u64>().is_ok() => (first.parse()?, rest),
        _ => (SECONDS, arguments),
    };
    let fuzz = root.join("fuzz");
    let all = targets(&fuzz)?;
    if let Some(unknown) = named.iter().find(|name| !all.contains(name)) {
        bail!(
            "there is no fuzz target {unknown}: they are {}",
            all.join(", ")
        );
    }
    let program = build(&fuzz)?;
    let chosen = if named.is_empty() { &all } else { named };
    let mut failed = Vec::new();
    for target in chosen {
        println!("fuzz: {target}: {seconds} s");
        if !fuzz_one(&fuzz, &program, target, seconds)? {
            failed.push(target.clone());
        }
    }
    Ok(failed)
}

/// Prints how it ended; true where nothing was found.
pub(crate) fn report(ended: Result<Vec<String>>) -> bool {
    match ended {
        Ok(failed) if failed.is_empty() => println!("fuzz: nothing found"),
        Ok(failed) => {
            println!(
                "fuzz: FAILED: {}: the inputs are in fuzz/artifacts",
                failed.join(", ")
            );
            return false;
        }
        Err(error) => {
            println!("fuzz: {error:#}");
            return false;
        }
    }
    true
}

/// Workspaces of their own over our packages.
const OTHER_WORKSPACES: [&str; 2] = ["fuzz", "python"];

/// Whether the lock files of the other workspaces match our packages: cargo updates the workspace's own lock file, and
/// theirs only when they are built.
///
/// # Errors
/// Where it cannot be read.
pub(crate) fn outdated(root: &Path, workspace: &Workspace) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for folder in OTHER_WORKSPACES {
        let lock = std::fs::read_to_string(root.join(folder).join("Cargo.lock"))
            .with_context(|| format!("{folder}/Cargo.lock cannot be read"))?;
        found.extend(missing_in(folder, &lock, workspace));
    }
    Ok(found)
}

fn missing_in(folder: &str, lock: &str, workspace: &Workspace) -> Vec<String> {
    let mut found = Vec::new();
    for package in lock.split("[[package]]") {
        let is_in = |package: &str, line: &str| package.lines().any(|other| other == line);
        let ours = workspace
            .packages
            .iter()
            .find(|ours| ours.ours && is_in(package, &format!("name = \"{}\"", ours.name)));
        let needs = ours.iter().flat_map(|ours| &ours.dependencies);
        for needed in needs.filter(|needed| !needed.for_tests && !needed.is_optional) {
            let name = format!(" \"{}", needed.name);
            let is_there = ["\",", " "]
                .iter()
                .any(|end| package.contains(&format!("{name}{end}")));
            if !is_there {
                let ours = ours.map_or("", |ours| &ours.name);
                found.push(format!(
                    "{folder}/Cargo.lock: {ours} needs {}: run `cargo update --workspace` in the folder {folder}",
                    needed.name
                ));
            }
        }
    }
    found
}

/// Every target has a corpus.
fn targets(fuzz: &Path) -> Result<Vec<String>> {
    let folders = std::fs::read_dir(fuzz.join("corpus")).context("fuzz/corpus cannot be read")?;
    let mut names = Vec::new();
    for folder in folders {
        names.push(folder?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn build(fuzz: &Path) -> Result<PathBuf> {
    let triple = crate::metadata::host_triple()?;
    let folder =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| fuzz.join("target"), PathBuf::from);
    // With a target named, build scripts and macros are built without the counters.
    let built = cargo(fuzz)
        .args(["build", "--release", "--locked", "--target", &triple])
        .env("CARGO_TARGET_DIR", &folder)
        .env("RUSTFLAGS", COVERAGE)
        .status()
        .context("cargo does not start")?;
    if !built.success() {
        bail!("the fuzz targets cannot be built: see above");
    }
    Ok(folder.join(triple).join("release/parsers"))
}

/// Fuzzes a target, then merges new inputs; true if no input failed.
fn fuzz_one(fuzz: &Path, program: &Path, target: &str, seconds: u64) -> Result<bool> {
    let corpus = fuzz.join("corpus").join(target);
    let artifacts = fuzz.join("artifacts");
    let (grown, found) = (artifacts.join("grown").join(target), artifacts.join(target));
    for folder in [&grown, &found] {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let prefix = format!("-artifact_prefix={}/", found.display());
    let limits = [
        "-max_len=65536".to_owned(),
        format!("-rss_limit_mb={MOST_MEGABYTES}"),
        format!("-timeout={SLOWEST}"),
        prefix,
    ];
    let start = |arguments: &[String], folders: &[&PathBuf]| {
        let mut command = Command::new(program);
        command.env("FUZZ_TARGET", target).args(&limits);
        command.args(arguments).args(folders);
        command.status().context("the fuzz target does not start")
    };
    let time = [
        format!("-max_total_time={seconds}"),
        format!("-dict={}", fuzz.join("dictionaries").join(target).display()),
        "-print_final_stats=1".to_owned(),
    ];
    let good = start(&time, &[&grown, &corpus])?.success();
    // What takes no new branch is left out, so the corpus grows by little.
    start(&["-merge=1".to_owned()], &[&corpus, &grown])?;
    Ok(good)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::{Dependency, Package};

    #[test]
    fn a_lock_that_lacks_what_a_package_of_ours_needs_is_outdated() {
        let needs = |name: &str, for_tests| Dependency {
            name: name.to_owned(),
            for_tests,
            is_optional: name == "resvg",
        };
        let workspace = Workspace {
            packages: vec![Package {
                name: "emulate".to_owned(),
                ours: true,
                dependencies: vec![
                    needs("rand", false),
                    needs("vhost", false),
                    needs("cap", true),
                    needs("resvg", false),
                ],
                ..Package::default()
            }],
        };
        let lock = "[[package]]\nname = \"emulate\"\ndependencies = [\n \"rand 0.9.5\",\n \"vhost-more\",\n]\n";
        let found = missing_in("fuzz", lock, &workspace);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("emulate needs vhost:"), "{found:?}");
        assert!(missing_in("fuzz", &lock.replace("-more", ""), &workspace).is_empty());
    }
}
