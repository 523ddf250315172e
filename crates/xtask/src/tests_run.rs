//! Runs `cargo test` over the workspace, passes its output through, and ends with the counts.
//!
//! The exit status of cargo and the counts must both be good: a test binary that is killed prints no
//! `test result:` line, and a pipe would have swallowed the status. The run has an end in any case: a test
//! that hangs is named by the harness after a minute, and when no test has ended for [`SILENCE`] the run counts as
//! failed. What is limited is a standstill and never the whole: a slow machine builds for long, and each of its tests
//! takes long, but one ends after the other. So everything is built first, and without a limit.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use crate::cargo::cargo;
use crate::counts::Counts;

/// The longest single test takes two minutes on two cores, and a tenth of the machine is left for it where eight others
/// build; no test that ends takes this long.
const SILENCE: Duration = Duration::from_secs(30 * 60);

/// Runs every test of the workspace; `arguments` go to `cargo test`.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Counts {
    let skips = std::env::temp_dir().join(format!("drivelab-skips-{}", std::process::id()));
    let mut counts = Counts::default();
    if let Err(error) = std::fs::write(&skips, "") {
        counts.take_failure_outside(&format!("{} cannot be written: {error}", skips.display()));
        return counts;
    }
    println!("\ntests: cargo test --workspace");
    if is_built(root, arguments, &mut counts) {
        run_cargo(root, arguments, &skips, &mut counts);
    }
    counts.take_skips(&std::fs::read_to_string(&skips).unwrap_or_default());
    // Nothing depends on it being gone.
    let _ = std::fs::remove_file(&skips);
    counts
}

/// Builds all tests; false if that fails, which is reported.
fn is_built(root: &Path, arguments: &[String], counts: &mut Counts) -> bool {
    let own = arguments.iter().take_while(|argument| *argument != "--");
    let built = cargo(root)
        .args(["test", "--workspace", "--locked", "--no-run"])
        .args(own)
        .stdin(Stdio::null())
        .status();
    match built {
        Ok(status) if status.success() => return true,
        Ok(status) => counts.take_failure_outside(&format!(
            "the tests cannot be built: cargo ended with {status} (see above)"
        )),
        Err(error) => {
            counts.take_failure_outside(&format!("cargo test does not start: {error}"));
        }
    }
    false
}

fn run_cargo(root: &Path, arguments: &[String], skips: &Path, counts: &mut Counts) {
    let child = cargo(root)
        .args(["test", "--workspace", "--locked", "--no-fail-fast"])
        .args(arguments)
        .env("DRIVELAB_SKIPS", skips)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => {
            return counts.take_failure_outside(&format!("cargo test does not start: {error}"));
        }
    };
    let output = child
        .stdout
        .take()
        .expect("standard output was asked for as a pipe, above");
    if !pass_through(&lines(output), SILENCE, counts) {
        counts.take_failure_outside(&format!(
            "no test has ended for {} minutes: one that was named above as running hangs",
            SILENCE.as_secs() / 60
        ));
        // It may have ended this instant: that is what we want.
        let _ = child.kill();
    }
    match child.wait() {
        Ok(status) if status.success() || counts.failed > 0 => {}
        Ok(status) => counts.take_failure_outside(&format!(
            "cargo test ended with {status} though no test failed: a test binary died, or a documentation test did not compile (see above)"
        )),
        Err(error) => counts.take_failure_outside(&format!("cargo test cannot be waited for: {error}")),
    }
}

/// Reads lines in a separate thread, so that waiting for the next one can end.
fn lines(output: ChildStdout) -> Receiver<String> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        // A test may print anything; what is not text is no line of the harness.
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            if send
                .send(String::from_utf8_lossy(&line).into_owned())
                .is_err()
            {
                break;
            }
        }
    });
    receive
}

/// Prints and counts line by line; false when there was no line for so long.
fn pass_through(lines: &Receiver<String>, silence: Duration, counts: &mut Counts) -> bool {
    loop {
        match lines.recv_timeout(silence) {
            Ok(line) => {
                println!("{line}");
                counts.take_line(&line);
            }
            Err(RecvTimeoutError::Disconnected) => return true,
            Err(RecvTimeoutError::Timeout) => return false,
        }
    }
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
    fn only_a_standstill_ends_the_run_and_lines_begin_the_wait_anew() {
        let mut counts = Counts::default();
        let (send, receive) = channel();
        for line in ["running 2 tests", "test one ... ok", "test two ... ok"] {
            send.send(line.to_owned()).expect("the receiver is here");
        }
        // Nobody has ended, and nothing more comes.
        assert!(!pass_through(
            &receive,
            Duration::from_millis(1),
            &mut counts
        ));
        drop(send);
        assert!(pass_through(&receive, Duration::ZERO, &mut counts));
    }
}
