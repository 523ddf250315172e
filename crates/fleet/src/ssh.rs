//! Commands on a host through the system's `ssh`, and what its failures mean.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::error::FleetError;

/// ssh's own exit code; those of the command there are passed through.
const OWN_FAILURE: i32 = 255;
/// The most of an answer that is kept in memory.
const LARGEST_ANSWER: u64 = 4 << 20;

/// How hosts are reached.
#[derive(Clone, Debug)]
pub struct Ssh {
    /// The program, and options before the destination.
    pub program: String,
    pub options: Vec<String>,
}

impl Default for Ssh {
    fn default() -> Ssh {
        Ssh {
            program: "ssh".to_owned(),
            options: Vec::new(),
        }
    }
}

/// What a command on a host came to.
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) error: String,
}

impl Said {
    /// Its output where it succeeded.
    pub(crate) fn good(self, doing: &'static str) -> Result<String, FleetError> {
        match self.code {
            0 => Ok(self.out),
            _ => Err(FleetError::Remote {
                doing,
                said: last_line(&self.error, &self.out),
            }),
        }
    }
}

/// The last line that says anything, of the errors first.
fn last_line(error: &str, out: &str) -> String {
    let lines = |text: &str| {
        let last = text
            .lines()
            .rev()
            .map(str::trim)
            .find(|line| !line.is_empty());
        last.map(str::to_owned)
    };
    lines(error)
        .or_else(|| lines(out))
        .unwrap_or_else(|| "nothing was said".to_owned())
}

impl Ssh {
    /// Runs a shell script on a host; `input` is a file for its standard input.
    pub(crate) fn script(
        &self,
        destination: &str,
        script: &str,
        input: Option<&Path>,
    ) -> Result<Said, FleetError> {
        let mut command = self.command(destination, script, input)?;
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(FleetError::NoSsh)?;
        // An answer without end must not fill memory: what is beyond the limit closes the pipe.
        let out = child.stdout.take().map(read_some);
        let error = child.stderr.take().map(read_some);
        let status = child.wait().map_err(FleetError::NoSsh)?;
        let joined = |thread: Option<std::thread::JoinHandle<String>>| {
            thread
                .and_then(|thread| thread.join().ok())
                .unwrap_or_default()
        };
        let (out, error) = (joined(out), joined(error));
        match status.code() {
            Some(OWN_FAILURE) | None => Err(failure(&error)),
            Some(code) => Ok(Said { code, out, error }),
        }
    }

    /// Runs a shell script whose output becomes a file here.
    pub(crate) fn fetch(
        &self,
        destination: &str,
        script: &str,
        into: &Path,
    ) -> Result<Said, FleetError> {
        let file = File::create(into).map_err(|source| FleetError::File {
            path: into.to_owned(),
            source,
        })?;
        let Output { status, stderr, .. } = self
            .command(destination, script, None)?
            .stdout(file)
            .stderr(Stdio::piped())
            .output()
            .map_err(FleetError::NoSsh)?;
        let error = String::from_utf8_lossy(&stderr).into_owned();
        match status.code() {
            Some(OWN_FAILURE) | None => Err(failure(&error)),
            Some(code) => Ok(Said {
                code,
                out: String::new(),
                error,
            }),
        }
    }

    fn command(
        &self,
        destination: &str,
        script: &str,
        input: Option<&Path>,
    ) -> Result<Command, FleetError> {
        let input = match input {
            None => Stdio::null(),
            Some(path) => File::open(path)
                .map_err(|source| FleetError::File {
                    path: path.to_owned(),
                    source,
                })?
                .into(),
        };
        let mut command = Command::new(&self.program);
        command
            .args(["-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes"])
            .args(["-o", "ConnectTimeout=20"])
            .args([
                "-o",
                "ServerAliveInterval=15",
                "-o",
                "ServerAliveCountMax=4",
            ])
            .args(&self.options)
            .arg(destination)
            .arg(format!("sh -c {}", quoted(script)))
            .stdin(input);
        Ok(command)
    }
}

fn read_some(from: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What could be read is shown; the exit code tells that it failed.
        let _ = from.take(LARGEST_ANSWER).read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// A word for a POSIX shell.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// What ssh means.
fn failure(error: &str) -> FleetError {
    let said = last_line(error, "");
    if error.contains("REMOTE HOST IDENTIFICATION HAS CHANGED") {
        FleetError::HostKeyChanged
    } else if error.contains("Host key verification failed") {
        FleetError::HostKeyUnknown
    } else if error.contains("Permission denied") {
        FleetError::Denied(said)
    } else {
        FleetError::Unreachable(said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_for_any_shell() {
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
    }

    #[test]
    fn what_ssh_says_is_told_apart() {
        let changed = "@@@\n@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.\n";
        assert!(matches!(failure(changed), FleetError::HostKeyChanged));
        let unknown = "No ED25519 host key is known for nas\nHost key verification failed.\n";
        assert!(matches!(failure(unknown), FleetError::HostKeyUnknown));
        let denied = failure("root@nas: Permission denied (publickey).\n");
        assert!(matches!(denied, FleetError::Denied(_)));
        let gone = failure("ssh: connect to host nas port 22: Connection refused\n");
        assert!(gone.is_of_the_connection() && gone.to_string().contains("refused"));
    }
}
