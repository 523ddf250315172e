//! An alternative to NBD: a file (FUSE), through QEMU's storage daemon.
//!
//! QEMU's storage daemon turns any NBD server into a file that other programs can open, mount or attach to a loop
//! device. It is well maintained, and available wherever QEMU is, so it is used instead of a library of our own: one
//! more process in the path, with at most 16 requests in flight.
//!
//! It is stopped before the server is, so that its cached writes are flushed; and before that, the kernel's writes to a
//! loop device over the file are. It does not outlive the server, however that ends: the kernel kills it with its
//! parent (`PR_SET_PDEATHSIG`, which `setpriv` sets, since a destructor does not run in a killed process). A killed one
//! leaves a mount without a server, which returns ENOTCONN: the next start removes it.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::io::Errno;

use crate::transport::Address;

/// The file system type that statfs(2) returns for a FUSE file (`FUSE_SUPER_MAGIC` of the kernel's `magic.h`).
const FUSE: i64 = 0x6573_5546;
/// Polling interval and timeout for a bridge that is about to exit.
const LAST_MOMENTS: u32 = 60;
const MOMENT: Duration = Duration::from_millis(50);
/// Runs another program, which the kernel ends with its parent (util-linux).
const WITH_PARENT: &str = "setpriv";

/// The program.
pub const PROGRAM: &str = "qemu-storage-daemon";

/// The file that it should offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriveFile {
    pub path: PathBuf,
    /// Writes are refused.
    pub read_only: bool,
}

/// Why the file cannot be provided.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    /// The program cannot be started.
    #[error("cannot start {PROGRAM} (Debian's qemu-system-common): {0}")]
    Start(std::io::Error),
    /// The file for the drive is not an empty one.
    #[error("{0} is not an empty file: name a new or an empty file")]
    InTheWay(PathBuf),
    /// That file cannot be made.
    #[error("cannot create {0}: {1}")]
    Make(PathBuf, std::io::Error),
    /// A path that the program's options cannot hold.
    #[error("the path {0} contains a comma or is not valid UTF-8")]
    Path(PathBuf),
    /// It has ended by itself.
    #[error("{PROGRAM} exited unexpectedly: see its output above")]
    Ended,
}

impl DriveFile {
    /// The program's arguments, for a drive that is served at an address.
    ///
    /// # Errors
    /// [`BridgeError::Path`].
    fn arguments(&self, server: &Address) -> Result<[String; 4], BridgeError> {
        let at = match server {
            Address::Unix(path) => format!("server.type=unix,server.path={}", text(path)?),
            Address::Tcp(at) => {
                let (host, port) = (at.ip(), at.port());
                format!("server.type=inet,server.host={host},server.port={port}")
            }
        };
        let (writable, read_only) = match self.read_only {
            true => ("off", "on"),
            false => ("on", "off"),
        };
        let file = text(&self.path)?;
        Ok([
            "--blockdev".to_owned(),
            format!("driver=nbd,node-name=drive,{at},discard=unmap,read-only={read_only}"),
            "--export".to_owned(),
            format!("type=fuse,id=file,node-name=drive,mountpoint={file},writable={writable}"),
        ])
    }
}

fn text(path: &Path) -> Result<&str, BridgeError> {
    let text = path.to_str().filter(|text| !text.contains(','));
    text.ok_or_else(|| BridgeError::Path(path.to_owned()))
}

/// The program at work.
#[derive(Debug)]
pub struct Bridge {
    process: Child,
    /// The file that was made for it.
    made: Option<PathBuf>,
    /// Where the drive is seen.
    file: PathBuf,
    /// Flushes what the kernel holds to the drive.
    syncing: Option<JoinHandle<()>>,
    is_told_to_end: bool,
    /// The file has been seen as the drive.
    is_mounted: bool,
}

impl Bridge {
    /// Starts it, for a server that is listening and will answer.
    ///
    /// # Errors
    /// It cannot be started, or the requested file is not possible.
    pub fn start(file: &DriveFile, server: &Address) -> Result<Bridge, BridgeError> {
        let arguments = file.arguments(server)?;
        let made = place(&file.path)?;
        let mut command = match has_setpriv() {
            true => {
                let mut command = Command::new(WITH_PARENT);
                command.args(["--pdeathsig", "KILL", PROGRAM]);
                command
            }
            false => Command::new(PROGRAM),
        };
        let started = command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            // A Ctrl-C is the server's, which ends it first.
            .process_group(0)
            .spawn();
        match started {
            Ok(process) => Ok(Bridge {
                process,
                made,
                file: std::path::absolute(&file.path).unwrap_or_else(|_| file.path.clone()),
                syncing: None,
                is_told_to_end: false,
                is_mounted: false,
            }),
            Err(why) => {
                remove(made.as_deref());
                Err(BridgeError::Start(why))
            }
        }
    }

    /// The path of the drive, once: as soon as the kernel has mounted the file. Before that it is an empty file. The
    /// kernel's list of mounts is checked and not the file, since access to the file would wait for this server.
    pub fn newly_mounted(&mut self) -> Option<&Path> {
        if self.is_mounted {
            return None;
        }
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        self.is_mounted = mounts.lines().any(|line| is_mount_of(line, &self.file));
        self.is_mounted.then_some(&self.file)
    }

    /// Tells it to flush and exit; to be called until it has exited. If a loop device is attached to the file, which is
    /// reported once, the kernel's data for it is written first.
    pub fn end(&mut self, tells: impl FnOnce(&InUse)) {
        if self.is_told_to_end {
            return;
        }
        if self.syncing.is_none() {
            let users = loop_devices_over(&self.file);
            if !users.is_empty() {
                tells(&InUse(users));
                self.syncing = Some(std::thread::spawn(rustix::fs::sync));
            }
        }
        if self.syncing.as_ref().is_none_or(JoinHandle::is_finished) {
            self.is_told_to_end = true;
            if let Some(process) = rustix::process::Pid::from_raw(self.process.id().cast_signed()) {
                // One that has ended already is what was wanted.
                let _ = rustix::process::kill_process(process, rustix::process::Signal::TERM);
            }
        }
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.process.try_wait(), Ok(None))
    }

    /// The meaning of its exit: none, if it was told to.
    ///
    /// # Errors
    /// [`BridgeError::Ended`] if it was not.
    pub fn ended_well(&self) -> Result<(), BridgeError> {
        match self.is_told_to_end {
            true => Ok(()),
            false => Err(BridgeError::Ended),
        }
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        // It does not outlive the server, whatever became of that.
        let _ = self.process.kill();
        let _ = self.process.wait();
        remove(self.made.as_deref());
    }
}

/// Loop devices are attached to the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} over the drive's file: what the system has not written yet is written first (unmount and detach it, then the drive)",
    .0.join(", ")
)]
pub struct InUse(pub Vec<String>);

/// The loop devices over a file.
fn loop_devices_over(file: &Path) -> Vec<String> {
    let devices = std::fs::read_dir("/sys/block")
        .into_iter()
        .flatten()
        .flatten();
    let over = devices.filter(|device| {
        let backing = std::fs::read_to_string(device.path().join("loop/backing_file"));
        backing.is_ok_and(|backing| Path::new(backing.trim_end()) == file)
    });
    over.map(|device| format!("/dev/{}", device.file_name().display()))
        .collect()
}

/// Whether a line of `mountinfo` (proc(5)) is of a file in user space's hands at a path. The kernel writes a blank, a tab,
/// a line's end and a backslash in octal.
fn is_mount_of(line: &str, file: &Path) -> bool {
    let mut path = file.display().to_string().replace('\\', "\\134");
    for (letter, octal) in [(' ', "\\040"), ('\t', "\\011"), ('\n', "\\012")] {
        path = path.replace(letter, octal);
    }
    let fields: Vec<&str> = line.split(' ').collect();
    fields.get(4) == Some(&path.as_str()) && line.contains(" - fuse")
}

fn has_setpriv() -> bool {
    let asked = Command::new(WITH_PARENT)
        .args(["--pdeathsig", "KILL", "true"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    asked.is_ok_and(|status| status.success())
}

/// Removes the mount of a bridge that was killed; its server is gone, and nothing else uses it.
fn take_away_if_left_behind(file: &Path) {
    // Not what the file is like: the kernel may know that for a while without asking.
    let has_no_server = || {
        let found = rustix::fs::statfs(file);
        found.is_err_and(|error| matches!(error, Errno::NOTCONN | Errno::CONNABORTED))
    };
    // One whose parent was killed a moment ago is about to end.
    let is_served = || rustix::fs::statfs(file).is_ok_and(|found| found.f_type == FUSE);
    for _ in 0..LAST_MOMENTS {
        if !is_served() {
            break;
        }
        std::thread::sleep(MOMENT);
    }
    if has_no_server() {
        let ways: [(&str, &[&str]); 3] = [
            ("fusermount3", &["-u", "-z"]),
            ("fusermount", &["-u", "-z"]),
            ("umount", &["-l"]),
        ];
        for (program, options) in ways {
            let taken = Command::new(program)
                .args(options)
                .arg(file)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            if taken.is_ok_and(|status| status.success()) {
                return;
            }
        }
    }
}

/// Makes the file that the drive will be seen at; gives it if it was not there.
fn place(file: &Path) -> Result<Option<PathBuf>, BridgeError> {
    take_away_if_left_behind(file);
    match std::fs::metadata(file) {
        Ok(found) if found.is_file() && found.len() == 0 => Ok(None),
        Ok(_) => Err(BridgeError::InTheWay(file.to_owned())),
        Err(_) => match std::fs::File::create_new(file) {
            Ok(_) => Ok(Some(file.to_owned())),
            Err(why) => Err(BridgeError::Make(file.to_owned(), why)),
        },
    }
}

/// Removes a file that was made, if it is as empty as it was.
fn remove(made: Option<&Path>) {
    if let Some(file) = made
        && std::fs::metadata(file).is_ok_and(|found| found.len() == 0)
    {
        let _ = std::fs::remove_file(file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> DriveFile {
        DriveFile {
            path: PathBuf::from(path),
            read_only: false,
        }
    }

    #[test]
    fn the_file_is_an_export_of_the_drive_that_is_served() {
        let server: Address = "unix:/run/a.sock".parse().unwrap();
        let arguments = file("/tmp/disk").arguments(&server).unwrap();
        assert!(arguments[1].contains("server.type=unix,server.path=/run/a.sock"));
        assert!(arguments[3].contains("mountpoint=/tmp/disk,writable=on"));
        let server: Address = "tcp:127.0.0.1:10809".parse().unwrap();
        let tcp = file("/tmp/disk").arguments(&server).unwrap();
        assert!(tcp[1].contains("server.host=127.0.0.1,server.port=10809"));
    }

    #[test]
    fn a_path_that_would_be_read_as_another_option_is_refused() {
        let server: Address = "unix:/run/a.sock".parse().unwrap();
        let refused = file("/tmp/disk,writable=off").arguments(&server);
        assert!(matches!(refused, Err(BridgeError::Path(_))));
    }

    #[test]
    fn the_file_is_the_drive_once_the_kernel_has_it_mounted_whatever_its_path() {
        let line =
            r"61 22 0:45 / /run/my\040disk rw,nosuid,nodev - fuse.qemu-storage-daemon fuse rw";
        assert!(is_mount_of(line, Path::new("/run/my disk")));
        assert!(!is_mount_of(line, Path::new("/run/my")));
        let folder = "61 22 0:45 / /run/disk rw - tmpfs tmpfs rw";
        assert!(!is_mount_of(folder, Path::new("/run/disk")));
    }

    #[test]
    fn a_file_with_something_in_it_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("letters");
        std::fs::write(&file, "dear").unwrap();
        assert!(matches!(place(&file), Err(BridgeError::InTheWay(_))));
        let made = place(&folder.path().join("new")).unwrap();
        assert!(made.as_deref().is_some_and(Path::exists));
        remove(made.as_deref());
        assert!(!folder.path().join("new").exists());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "dear");
    }
}
