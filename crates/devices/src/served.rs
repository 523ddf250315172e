//! Drives that the program itself serves to a machine: `drivelab emulate --vhost-user` on the host.
//!
//! The guest's virtio disk is then a modelled drive, with its volatile cache. It is kept in the fleet's directory, and
//! its server is killed with the machine: for the drive, that is a power cut, which the next boot finds.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::fleet::Drive;

/// A server that does not listen after this many tenths of a second has failed.
const PATIENCE: u32 = 1200;

/// A server of one drive.
pub(crate) struct Served(Child);

/// Where the machine finds a drive that is served.
pub(crate) fn socket(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.sock"))
}

/// Discards a drive's state from the previous session.
pub(crate) fn forget(folder: &Path, id: &str) {
    let _ = std::fs::remove_dir_all(kept(folder, id)); // the first time there is none
}

fn kept(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.kept"))
}

impl Served {
    /// Starts a drive's server, and waits until it listens.
    pub(crate) fn start(
        program: &Path,
        folder: &Path,
        drive: &Drive,
        model: &str,
    ) -> Result<Served> {
        let socket = socket(folder, &drive.id);
        let _ = std::fs::remove_file(&socket); // there may be none
        let said = folder.join(format!("{}.served.log", drive.id));
        let log = File::create(&said)?;
        let mut server = Served(
            Command::new("setpriv")
                .args(["--pdeathsig", "KILL"])
                .arg(program)
                .args(["emulate", model])
                .arg("--keep")
                .arg(kept(folder, &drive.id))
                .arg("--nbd")
                .arg(format!("unix:{}.nbd", socket.display()))
                .arg("--vhost-user")
                .arg(&socket)
                .stdin(Stdio::null())
                .stdout(log.try_clone()?)
                .stderr(log)
                .spawn()
                .context("setpriv (which starts the drive's server) does not start")?,
        );
        for _ in 0..PATIENCE {
            if socket.exists() {
                return Ok(server);
            }
            if server.0.try_wait()?.is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        let said = std::fs::read_to_string(said).unwrap_or_default();
        bail!("{} is not served: {}", drive.id, said.trim())
    }
}

impl Drop for Served {
    /// The power is cut.
    fn drop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
