//! Another way out than NBD: a file (FUSE), by QEMU's storage daemon.
//!
//! A file that other programs open, mount or put a loop device on is what QEMU's storage daemon makes of any NBD
//! server. It is kept well, and is there wherever QEMU is, so it stands between instead of a library of our own: one
//! process more on the way, which has 16 requests in flight at most.
//!
//! It is ended before the server is, so that what it still holds is written.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::transport::Address;

/// The program.
pub const PROGRAM: &str = "qemu-storage-daemon";

/// The file that it should offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriveFile {
    /// Where.
    pub path: PathBuf,
    /// Writes are refused.
    pub read_only: bool,
}

/// Why there is no other way out.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    /// The program cannot be started.
    #[error("cannot start {PROGRAM} (Debian's qemu-system-common): {0}")]
    Start(std::io::Error),
    /// The file that should be the drive is more than a place for it.
    #[error("{0} is not an empty file: name one that is not there, or is empty")]
    InTheWay(PathBuf),
    /// That file cannot be made.
    #[error("cannot make {0}: {1}")]
    Make(PathBuf, std::io::Error),
    /// A path that the program's options cannot hold.
    #[error("the path {0} has a comma, or letters that are no text")]
    Path(PathBuf),
    /// It has ended by itself.
    #[error("{PROGRAM} has ended by itself: what it said stands above")]
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
    is_told_to_end: bool,
}

impl Bridge {
    /// Starts it, where a server listens that will answer.
    ///
    /// # Errors
    /// It cannot be started, or what was asked for is not to be had.
    pub fn start(file: &DriveFile, server: &Address) -> Result<Bridge, BridgeError> {
        let arguments = file.arguments(server)?;
        let made = place(&file.path)?;
        let started = Command::new(PROGRAM)
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
                is_told_to_end: false,
            }),
            Err(why) => {
                remove(made.as_deref());
                Err(BridgeError::Start(why))
            }
        }
    }

    /// Tells it to write what it holds, and to end; once is enough.
    pub fn end(&mut self) {
        if !self.is_told_to_end {
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

    /// What its end means: nothing, if it was told to.
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

/// Makes the file that the drive will be seen at; gives it if it was not there.
fn place(file: &Path) -> Result<Option<PathBuf>, BridgeError> {
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
