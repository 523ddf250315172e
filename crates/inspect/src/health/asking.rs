//! Running smartctl: which options, how long to wait, and the second try through a USB bridge.
//!
//! A dying drive may block a command for minutes, and smartctl with it: after [`PATIENCE`] it is abandoned, and the
//! drive counts as unreadable. A bridge that smartctl's database does not know is queried once more as SAT (SCSI / ATA
//! translation), a standard; the vendor-specific commands of NVMe bridges are never guessed.

use base::message::{Argument, Message};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use base::health::HealthReading;

use super::interpret;

/// Timeout of smartctl. A stopped disk needs 10 to 20 s to spin up.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is looked whether it has ended.
const LOOK: Duration = Duration::from_millis(5);
/// Longer output is truncated; with all logs it is about 100 KiB.
const MOST_BYTES: u64 = 8 << 20;
/// Its locations besides the search path: ordinary users have no `sbin` in it.
const PLACES: [&str; 4] = [
    "smartctl",
    "/usr/sbin/smartctl",
    "/usr/local/sbin/smartctl",
    "/sbin/smartctl",
];
const NVME_PLACES: [&str; 3] = ["nvme", "/usr/sbin/nvme", "/usr/local/sbin/nvme"];

/// The amount of data queried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// Identity, attributes, statistics and logs (`-x`).
    Everything,
    /// Attributes or the health log (`-A`).
    Attributes,
}

/// What became of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ran {
    /// It ended by itself: its standard output and its exit status (none where a signal ended it).
    Ended(Vec<u8>, Option<u8>),
    /// There is no such program.
    Missing,
    /// It did not end in time.
    Late,
    /// It could not be started.
    Failed(String),
}

/// Asks a drive with the machine's smartctl.
pub(super) fn ask(device: &Path, device_type: Option<&str>, depth: Depth) -> HealthReading {
    ask_by(
        &|arguments| run_first(&PLACES, arguments),
        device,
        device_type,
        depth,
    )
}

/// Runs the machine's nvme-cli.
pub(super) fn nvme_cli(arguments: &[&str]) -> Ran {
    run_first(&NVME_PLACES, arguments)
}

/// Asks a drive with any smartctl.
pub(super) fn ask_by(
    smartctl: &dyn Fn(&[&str]) -> Ran,
    device: &Path,
    device_type: Option<&str>,
    depth: Depth,
) -> HealthReading {
    let Some(name) = device.to_str().filter(|name| name.starts_with('/')) else {
        return unreadable(
            Message::new(
                "health-device-path",
                [("device", Argument::text(device.display()))],
            ),
            None,
        );
    };
    let what = match depth {
        Depth::Everything => "-x",
        Depth::Attributes => "-A",
    };
    let with = |device_type: Option<&str>| {
        let mut arguments = vec!["--json=c", what];
        arguments.extend(device_type.iter().flat_map(|kind| ["-d", kind]));
        arguments.push(name);
        reading(smartctl(&arguments), name)
    };
    let first = with(device_type);
    if device_type.is_some() || !is_unknown_bridge(&first) {
        return first;
    }
    match with(Some("sat")) {
        HealthReading::Read { mut health } => {
            health.remarks.push(Message::of("health-asked-as-sat"));
            HealthReading::Read { health }
        }
        HealthReading::Unreadable { .. } => first,
    }
}

fn is_unknown_bridge(reading: &HealthReading) -> bool {
    let HealthReading::Unreadable { reason, .. } = reading else {
        return false;
    };
    let reason = reason.to_ascii_lowercase();
    reason.contains("usb bridge") && !reason.contains("permission")
}

fn reading(ran: Ran, name: &str) -> HealthReading {
    match ran {
        Ran::Ended(document, status) => interpret(&document, status),
        Ran::Missing => unreadable(Message::of("health-not-installed"), Some("health-install")),
        Ran::Late => unreadable(
            Message::new(
                "health-late",
                [
                    ("device", name.into()),
                    ("seconds", PATIENCE.as_secs().into()),
                ],
            ),
            Some("health-may-hang"),
        ),
        Ran::Failed(why) => unreadable(
            Message::new("health-cannot-be-run", [("why", Argument::text(why))]),
            None,
        ),
    }
}

fn unreadable(reason: Message, remedy: Option<&'static str>) -> HealthReading {
    HealthReading::Unreadable {
        reason,
        remedy: remedy.map(Message::of),
    }
}

fn run_first(programs: &[&str], arguments: &[&str]) -> Ran {
    for program in programs {
        match run(program, arguments, PATIENCE) {
            Ran::Missing => {}
            ran => return ran,
        }
    }
    Ran::Missing
}

/// Runs a program with a timeout.
fn run(program: &str, arguments: &[&str], patience: Duration) -> Ran {
    let mut command = Command::new(program);
    command.args(arguments).env("LC_ALL", "C");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ran::Missing,
        Err(error) => return Ran::Failed(error.to_string()),
    };
    let Some(output) = child.stdout.take() else {
        return Ran::Failed("its output cannot be read".to_owned());
    };
    let reader = thread::spawn(move || {
        let mut document = Vec::new();
        let read = output.take(MOST_BYTES).read_to_end(&mut document);
        read.map(|_| document)
    });
    match end_of(&mut child, patience) {
        Ok(Some(status)) => match reader.join() {
            Ok(Ok(document)) => Ran::Ended(document, status),
            Ok(Err(error)) => Ran::Failed(error.to_string()),
            Err(_) => Ran::Failed("its output cannot be read".to_owned()),
        },
        Ok(None) => {
            // Within a system call that the drive does not answer it cannot be ended, nor waited for.
            let _ = child.kill();
            thread::spawn(move || child.wait());
            Ran::Late
        }
        Err(error) => Ran::Failed(error.to_string()),
    }
}

/// The exit status, or nothing where the process still runs after `patience`.
fn end_of(child: &mut Child, patience: Duration) -> std::io::Result<Option<Option<u8>>> {
    let mut waited = Duration::ZERO;
    loop {
        if let Some(status) = child.try_wait()? {
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            return Ok(Some(code));
        }
        if waited >= patience {
            return Ok(None);
        }
        thread::sleep(LOOK);
        waited += LOOK;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_there_is_missing_and_one_that_hangs_is_late() {
        let none = ["/nowhere/smartctl", "/nowhere/else"];
        assert_eq!(run_first(&none, &[]), Ran::Missing);
        let late = run("sleep", &["30"], Duration::from_millis(20));
        assert_eq!(late, Ran::Late);
        let ended = run("sh", &["-c", "echo '{}'; exit 4"], PATIENCE);
        assert_eq!(ended, Ran::Ended(b"{}\n".to_vec(), Some(4)));
    }

    #[test]
    fn a_missing_smartctl_is_said_with_how_to_get_it() {
        let reading = ask_by(
            &|_| Ran::Missing,
            Path::new("/dev/sdx"),
            None,
            Depth::Everything,
        );
        let HealthReading::Unreadable { reason, remedy } = reading else {
            panic!("nothing was read");
        };
        assert!(reason.contains("not installed"), "{reason}");
        assert!(remedy.unwrap().contains("smartmontools"));
    }

    #[test]
    fn a_path_that_could_be_taken_for_an_option_is_not_handed_on() {
        let never = |_: &[&str]| -> Ran { panic!("smartctl was called") };
        let reading = ask_by(&never, Path::new("--scan"), None, Depth::Attributes);
        assert!(reading.health().is_none());
    }
}
