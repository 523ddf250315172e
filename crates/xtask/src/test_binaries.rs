//! Lists the test binaries, each with what cargo would run it with.
//!
//! Cargo runs test binaries one after another, and a binary rarely keeps all processors busy to its end. So cargo is
//! given a runner that runs nothing: it notes the binary, its arguments, directory and environment, and what is noted
//! is then run side by side. Nothing of what cargo gives to tests is repeated here, and so nothing can differ.
//! Documentation tests come through the same runner, and are run at once: rustdoc waits for them.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::metadata::host_triple;

/// Names the file that the runner adds a line to.
const LIST: &str = "DRIVELAB_TEST_LIST";
/// The word that makes this program the runner.
pub(crate) const NOTE: &str = "note-test";

/// A test binary, and how cargo would run it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Binary {
    pub(crate) program: PathBuf,
    arguments: Vec<String>,
    folder: PathBuf,
    environment: BTreeMap<String, String>,
}

/// Makes a `cargo test` note its binaries in the file `list` instead of running them.
///
/// # Errors
/// Where the compiler does not say for which machine it builds.
pub(crate) fn note_instead(cargo: &mut Command, xtask: &Path, list: &Path) -> Result<()> {
    // A string of JSON is one of TOML, too.
    let runner = json!([xtask.to_string_lossy(), NOTE]);
    cargo
        .arg("--config")
        .arg(format!("target.{}.runner={runner}", host_triple()?))
        .env(LIST, list);
    Ok(())
}

/// The runner: notes a test binary, or runs the program of a documentation test.
pub(crate) fn note(arguments: &[String]) -> Result<ExitCode> {
    let (program, arguments) = arguments.split_first().context("no program is named")?;
    if is_documentation(Path::new(program)) {
        let status = Command::new(program).args(arguments).status()?;
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        return Ok(code.map_or(ExitCode::FAILURE, ExitCode::from));
    }
    let list = std::env::var_os(LIST).with_context(|| format!("{LIST} names no file"))?;
    let text = |text: &OsStr| text.to_string_lossy().into_owned();
    let environment = std::env::vars_os()
        .filter(|(name, _)| name != LIST)
        .map(|(name, value)| (text(&name), text(&value)));
    let line = json!({
        "program": program,
        "arguments": arguments,
        "folder": std::env::current_dir()?,
        "environment": environment.collect::<BTreeMap<_, _>>(),
    });
    let mut file = std::fs::OpenOptions::new().append(true).open(list)?;
    writeln!(file, "{line}")?;
    Ok(ExitCode::SUCCESS)
}

/// Rustdoc builds its programs in a directory of that name.
fn is_documentation(program: &Path) -> bool {
    let parts = program.iter().filter_map(OsStr::to_str);
    parts
        .into_iter()
        .any(|part| part.starts_with("rustdoctest"))
}

/// The binaries noted in the text of a list.
pub(crate) fn read(list: &str) -> Result<Vec<Binary>> {
    let line = |line: &str| {
        let noted: Value = serde_json::from_str(line)?;
        Ok(Binary {
            program: serde_json::from_value(noted["program"].clone())?,
            arguments: serde_json::from_value(noted["arguments"].clone())?,
            folder: serde_json::from_value(noted["folder"].clone())?,
            environment: serde_json::from_value(noted["environment"].clone())?,
        })
    };
    let list = list.lines().map(line).collect::<serde_json::Result<_>>();
    list.context("the list of test binaries")
}

impl Binary {
    /// The package, and the name of the library, program or file of tests: `["drivelab", "targets"]`.
    pub(crate) fn name(&self) -> [&str; 2] {
        let file = self.program.file_name().and_then(OsStr::to_str);
        let file = file.unwrap_or_default();
        let name = file.rsplit_once('-').map_or(file, |(name, _)| name);
        let package = self.environment.get("CARGO_PKG_NAME");
        [package.map_or("", String::as_str), name]
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .current_dir(&self.folder)
            .env_clear()
            .envs(&self.environment)
            .stdin(Stdio::null());
        command
    }

    /// A shell script as a test binary.
    #[cfg(test)]
    pub(crate) fn script(name: &str, script: &str) -> Binary {
        Binary {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            folder: ".".into(),
            environment: BTreeMap::from([("CARGO_PKG_NAME".into(), name.into())]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_noted_binary_is_run_as_cargo_would() {
        let line = json!({
            "program": "/t/deps/some-tests-0123456789abcdef",
            "arguments": ["--exact", "a b"],
            "folder": "/p",
            "environment": {"CARGO_PKG_NAME": "p", "EMPTY": ""},
        });
        let binaries = read(&format!("{line}\n")).unwrap();
        let [binary] = &binaries[..] else {
            panic!("{binaries:?}")
        };
        assert_eq!(binary.name(), ["p", "some-tests"]);
        let command = binary.command();
        assert_eq!(command.get_args().collect::<Vec<_>>(), ["--exact", "a b"]);
        assert_eq!(command.get_current_dir(), Some(Path::new("/p")));
        assert_eq!(command.get_envs().count(), 2);
    }

    #[test]
    fn a_list_that_was_cut_off_is_an_error() {
        assert!(read("{\"program\": \"a\"").is_err());
        assert!(read("{\"program\": \"a\"}\n").is_err());
    }

    #[test]
    fn programs_of_documentation_tests_are_told_from_test_binaries() {
        assert!(is_documentation(Path::new("/tmp/rustdoctestXb1/rust_out")));
        assert!(!is_documentation(Path::new("/a/target/debug/deps/sim-01")));
    }
}
