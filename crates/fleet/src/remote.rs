//! What is done on a host: a handful of POSIX shell scripts.
//!
//! Everything is below `~/.cache/drivelab/fleet`: the program, named by its digest, and a folder for each run, named by what
//! is run. In it: `plan.toml`, `run.sh`, the lock that the run holds as long as it lives, `store.sqlite3`, `log`, and at
//! the end `exit` with the exit code. A run that a signal ended has no `exit`: it is begun again, and resumes.

use std::path::Path;

use serde_json::Value;

use crate::error::FleetError;
use crate::hosts::Host;
use crate::ssh::{Ssh, quoted};

/// A host, reached.
pub(crate) struct Remote<'a> {
    pub(crate) ssh: &'a Ssh,
    pub(crate) host: &'a Host,
    /// SHA-256 of the program, in hexadecimal digits.
    pub(crate) digest: &'a str,
    /// The name of the run's folder.
    pub(crate) run: &'a str,
}

/// How far a run is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Nothing was begun.
    New,
    /// It was begun, and its process is gone.
    Stopped,
    /// It goes on; the last line of its log.
    Running(String),
    /// Its exit code.
    Ended(u8),
}

/// What every script begins with.
const PLACES: &str = r#"
base="${XDG_CACHE_HOME:-$HOME/.cache}/drivelab/fleet"
umask 077
program="$base/drivelab-$digest"
folder="$base/$run"
"#;

impl Remote<'_> {
    fn script(&self, body: &str) -> String {
        let (digest, run) = (quoted(self.digest), quoted(self.run));
        format!("digest={digest}; run={run}; {PLACES}{body}")
    }

    fn ask(&self, body: &str, doing: &'static str) -> Result<String, FleetError> {
        let script = self.script(body);
        self.ssh.script(&self.host.ssh, &script, None)?.good(doing)
    }

    /// Copies the program where it is not there yet; true if it was copied.
    pub(crate) fn bring_program(&self, program: &Path) -> Result<bool, FleetError> {
        let found = self.ask(
            r#"for tool in sha256sum flock setsid nohup; do
    command -v "$tool" > /dev/null || { echo "$tool is not installed there" >&2; exit 1; }
done
mkdir -p "$base" || exit
[ -x "$program" ] && echo "$digest  $program" | sha256sum -c --status && echo there
uname -sm"#,
            "preparing its folder",
        )?;
        let machine = found.lines().last().unwrap_or_default().to_owned();
        let wanted = format!("Linux {}", std::env::consts::ARCH);
        if machine != wanted {
            return Err(FleetError::OtherMachine {
                found: machine,
                wanted,
            });
        }
        if found.starts_with("there") {
            return Ok(false);
        }
        let script = self.script(
            r#"cat > "$program.new" || { rm -f "$program.new"; exit 1; }
echo "$digest  $program.new" | sha256sum -c --status || { rm -f "$program.new"; exit 9; }
chmod 700 "$program.new" && mv "$program.new" "$program""#,
        );
        let said = self.ssh.script(&self.host.ssh, &script, Some(program))?;
        match said.code {
            9 => Err(FleetError::WrongDigest),
            _ => said.good("copying the program").map(|_| true),
        }
    }

    /// The targets of the run: drives by their serial numbers, then those that are named.
    pub(crate) fn targets(&self) -> Result<Vec<String>, FleetError> {
        let mut targets = Vec::new();
        if !self.host.drives.is_empty() {
            let listed = self.ask(r#""$program" devices --json"#, "listing its drives")?;
            for serial in &self.host.drives {
                targets.push(device_of(&listed, serial)?);
            }
        }
        targets.extend(self.host.targets.iter().cloned());
        Ok(targets)
    }

    pub(crate) fn state(&self) -> Result<State, FleetError> {
        let said = self.ask(
            r#"cd "$folder" 2> /dev/null || { echo new; exit 0; }
if [ -e exit ]; then echo "ended $(cat exit)"
elif [ ! -e run.sh ]; then echo new
elif flock -n lock true; then echo stopped
else echo "running $(tail -c 2000 log 2> /dev/null | tr '\r' '\n' | grep . | tail -n 1)"
fi"#,
            "asking how far the run is",
        )?;
        Ok(state_of(&said))
    }

    /// Leaves the plan and the command there.
    pub(crate) fn bring_run(&self, plan: &Path, arguments: &Arguments) -> Result<(), FleetError> {
        let script = self.script(r#"mkdir -p "$folder" && cat > "$folder/plan.toml""#);
        let said = self.ssh.script(&self.host.ssh, &script, Some(plan))?;
        said.good("copying the plan")?;
        let text = quoted(&arguments.script());
        self.ask(
            &format!(
                r#"printf %s {text} > "$folder/run.new" && mv "$folder/run.new" "$folder/run.sh""#
            ),
            "leaving the command",
        )?;
        Ok(())
    }

    /// Begins the run, or goes on with it, detached from the connection: by systemd where that runs, since it may end what
    /// belongs to a session that is closed.
    pub(crate) fn begin(&self) -> Result<(), FleetError> {
        self.ask(
            r#"cd "$folder" || exit
if [ "$(id -u)" = 0 ] && [ -d /run/systemd/system ] && command -v systemd-run > /dev/null; then
    systemd-run --quiet --collect --working-directory="$folder" flock -n lock sh run.sh "$program"
else
    setsid nohup flock -n lock sh run.sh "$program" < /dev/null > /dev/null 2>&1 &
fi"#,
            "beginning the run",
        )?;
        Ok(())
    }

    /// Fetches the stored results as one file, whole also where the run was cut off.
    pub(crate) fn fetch(&self, into: &Path) -> Result<(), FleetError> {
        let wanted = self.ask(
            r#"cd "$folder" && rm -f fetched.sqlite3 || exit
"$program" merge store.sqlite3 --into fetched.sqlite3 > merged 2>&1 || { cat merged >&2; exit 1; }
sha256sum < fetched.sqlite3 | cut -d ' ' -f 1"#,
            "putting its results into one file",
        )?;
        let script = self.script(r#"cat "$folder/fetched.sqlite3""#);
        let said = self.ssh.fetch(&self.host.ssh, &script, into)?;
        said.good("sending its results")?;
        let found = crate::digest::sha256_of(into)?;
        match found == wanted.trim() {
            true => Ok(()),
            false => Err(FleetError::WrongResults),
        }
    }

    /// What the run said last.
    pub(crate) fn last_words(&self) -> Result<String, FleetError> {
        let log = self.ask(
            r#"tail -c 2000 "$folder/log" | tr '\r' '\n' | grep . | tail -n 1"#,
            "reading its log",
        )?;
        Ok(log.trim().to_owned())
    }

    /// Removes the run's folder; its results were fetched.
    pub(crate) fn clean(&self) -> Result<(), FleetError> {
        self.ask(r#"rm -r -- "$folder""#, "removing its folder")?;
        Ok(())
    }
}

/// What follows the program's name.
pub(crate) struct Arguments {
    /// Of `run`, behind the plan.
    pub(crate) run: Vec<String>,
    /// Of `run` and of `resume`.
    pub(crate) consent: Vec<String>,
}

impl Arguments {
    /// `run.sh`: begins the plan, or resumes it where it was begun. Signals end the program with 130 and the shell with
    /// more: then there is no exit, and the run is resumed.
    fn script(&self) -> String {
        let words = |words: &[String]| {
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            words.join(" ")
        };
        let (run, consent) = (words(&self.run), words(&self.consent));
        format!(
            r#"# Written by `drivelab fleet`: runs plan.toml, or resumes it; the program is the argument.
if [ -e store.sqlite3 ]; then set -- "$1" resume last {consent}; else set -- "$1" run ./plan.toml {run} {consent}; fi
program=$1
shift
"$program" --store ./store.sqlite3 "$@" > out 2> log < /dev/null
code=$?
[ "$code" -ge 128 ] || {{ echo "$code" > exit.new && mv exit.new exit; }}
"#
        )
    }
}

fn state_of(said: &str) -> State {
    let (word, rest) = said.trim().split_once(' ').unwrap_or((said.trim(), ""));
    match (word, rest.trim().parse()) {
        ("ended", Ok(code)) => State::Ended(code),
        ("running", _) => State::Running(rest.trim().to_owned()),
        ("stopped", _) => State::Stopped,
        _ => State::New,
    }
}

/// The device with this serial number in what `drivelab devices --json` printed.
fn device_of(listed: &str, serial: &str) -> Result<String, FleetError> {
    let listed: Value = serde_json::from_str(listed).map_err(|why| FleetError::Remote {
        doing: "listing its drives",
        said: why.to_string(),
    })?;
    let devices = listed["devices"].as_array().cloned().unwrap_or_default();
    let serial_of = |device: &Value| device["serial"].as_str().map(str::to_owned);
    let with: Vec<&Value> = devices
        .iter()
        .filter(|device| serial_of(device).as_deref() == Some(serial))
        .collect();
    let path = with.first().and_then(|device| device["path"].as_str());
    match (path, with.len()) {
        (Some(path), 1) => Ok(path.to_owned()),
        (None, _) => Err(FleetError::NoSuchDrive {
            serial: serial.to_owned(),
            present: devices.iter().filter_map(serial_of).collect(),
        }),
        (Some(_), _) => Err(FleetError::TwoDrives(serial.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_is_found_by_its_serial_number_alone() {
        let listed = r#"{"devices":[{"path":"/dev/sda","serial":"A1"},{"path":"/dev/sdb"},
            {"path":"/dev/sdc","serial":"C3"},{"path":"/dev/sdd","serial":"C3"}]}"#;
        assert_eq!(device_of(listed, "A1").unwrap(), "/dev/sda");
        let none = device_of(listed, "a1").unwrap_err().to_string();
        assert!(none.contains("it has A1, C3, C3"), "{none}");
        assert!(matches!(
            device_of(listed, "C3"),
            Err(FleetError::TwoDrives(_))
        ));
        assert!(device_of("cut", "A1").is_err());
    }

    #[test]
    fn the_answer_about_a_run_is_understood() {
        assert_eq!(state_of("new\n"), State::New);
        assert_eq!(state_of("stopped\n"), State::Stopped);
        assert_eq!(state_of("ended 4\n"), State::Ended(4));
        let goes_on = State::Running("full-scan 12 %".to_owned());
        assert_eq!(state_of("running full-scan 12 %\n"), goes_on);
    }
}
