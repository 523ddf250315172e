//! Loop devices for tests: made on a temporary file, unmounted and detached when dropped. Without
//! root or without loop devices a test says so and ends.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{NamedTempFile, TempDir};

/// One attaches or detaches at a time: two that look for a free device find the same one, and the
/// loser has the winner's device open for a moment, which its test would see as a use of it.
static LOOKING_FOR_A_DEVICE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    LOOKING_FOR_A_DEVICE
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file shown as a block device.
pub(crate) struct LoopDevice {
    pub(crate) node: PathBuf,
    pub(crate) file: NamedTempFile,
}

impl LoopDevice {
    /// Attaches a file of that length, or says why `test` is skipped.
    pub(crate) fn attach(test: &str, mib: u64) -> Option<LoopDevice> {
        if !rustix::process::geteuid().is_root() {
            crate::skip::skip(test, "needs root for a loop device");
            return None;
        }
        let file = NamedTempFile::new().unwrap();
        file.as_file().set_len(mib << 20).unwrap();
        let path = file.path().to_str().unwrap();
        let _alone = alone();
        match Command::new("losetup")
            .args(["--find", "--show", "--partscan", path])
            .output()
        {
            Ok(output) if output.status.success() => {
                settle();
                Some(LoopDevice {
                    node: PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()),
                    file,
                })
            }
            Ok(output) => {
                crate::skip::skip(
                    test,
                    &format!(
                        "gets no loop device: {}",
                        String::from_utf8_lossy(&output.stderr).trim()
                    ),
                );
                None
            }
            Err(error) => {
                crate::skip::skip(test, &format!("needs losetup: {error}"));
                None
            }
        }
    }

    /// Makes an ext4 file system on it, or says why `test` is skipped.
    pub(crate) fn make_ext4(&self, test: &str) -> bool {
        make_ext4(&self.node, test)
    }

    /// Makes a GPT with one partition that has an ext4 file system, and mounts that; or says why
    /// `test` is skipped.
    pub(crate) fn mount_partition(&self, test: &str) -> Option<(PathBuf, Mounted)> {
        let mut sfdisk = Command::new("sfdisk");
        sfdisk
            .args(["--quiet", "--label", "gpt"])
            .arg(&self.node)
            .stdin(Stdio::piped());
        let Ok(mut child) = sfdisk.spawn() else {
            crate::skip::skip(test, "needs sfdisk");
            return None;
        };
        child
            .stdin
            .take()
            .unwrap()
            .write_all(b"start=1MiB, size=12MiB\n")
            .unwrap();
        assert!(child.wait().unwrap().success());
        // Where the kernel reads no partition tables itself, partx tells it.
        let _ = Command::new("partx").arg("--add").arg(&self.node).output();
        settle();
        let node = PathBuf::from(format!("{}p1", self.node.display()));
        if !node.exists() {
            crate::skip::skip(test, "this kernel shows no partitions of loop devices");
            return None;
        }
        if !make_ext4(&node, test) {
            return None;
        }
        let mounted =
            mount(&node, "auto", "rw").unwrap_or_else(|message| panic!("mount: {message}"));
        Some((node, mounted))
    }

    /// Mounts it on a temporary directory with that option (`rw`, `ro`).
    pub(crate) fn mount(&self, option: &str) -> Mounted {
        self.try_mount(option)
            .unwrap_or_else(|message| panic!("mount: {message}"))
    }

    /// The same where it may fail: what `mount` said.
    pub(crate) fn try_mount(&self, option: &str) -> Result<Mounted, String> {
        self.try_mount_as("auto", option)
    }

    /// The same with a type of file system.
    pub(crate) fn try_mount_as(&self, kind: &str, option: &str) -> Result<Mounted, String> {
        mount(&self.node, kind, option)
    }
}

fn make_ext4(node: &Path, test: &str) -> bool {
    let made = Command::new("mkfs.ext4")
        .args(["-q", "-F", "-m", "0"])
        .arg(node)
        .output();
    settle();
    match made {
        Ok(output) => {
            assert!(
                output.status.success(),
                "mkfs.ext4: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            true
        }
        Err(error) => {
            crate::skip::skip(test, &format!("needs mkfs.ext4: {error}"));
            false
        }
    }
}

fn mount(node: &Path, kind: &str, option: &str) -> Result<Mounted, String> {
    let directory = TempDir::new().unwrap();
    let mount = Command::new("mount")
        .args(["-t", kind, "-o", option])
        .arg(node)
        .arg(directory.path())
        .output()
        .unwrap();
    if mount.status.success() {
        Ok(Mounted { directory })
    } else {
        Err(String::from_utf8_lossy(&mount.stderr).into_owned())
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _alone = alone();
        // While something else fails, a second panic would hide it.
        let _ = Command::new("losetup")
            .arg("--detach")
            .arg(&self.node)
            .status();
    }
}

/// A mounted file system, unmounted when dropped.
pub(crate) struct Mounted {
    directory: TempDir,
}

impl Mounted {
    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.directory.path()).status();
        settle();
    }
}

/// Waits for udev, where it runs, to be done with looking at new devices: it has them open.
fn settle() {
    let _ = Command::new("udevadm")
        .args(["settle", "--timeout=10"])
        .output();
}
