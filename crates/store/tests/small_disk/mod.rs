//! A disk so small that a test can fill it.
#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fixtures::skip::{root, skip};

/// A small ext4 in a file, mounted; taken down at the end of the test.
pub(crate) struct SmallDisk {
    dir: tempfile::TempDir,
}

impl SmallDisk {
    /// # Errors
    /// Why there is none here, in words.
    pub(crate) fn mount() -> Result<SmallDisk, String> {
        let disk = SmallDisk {
            dir: tempfile::tempdir().map_err(|error| error.to_string())?,
        };
        let image = disk.dir.path().join("image");
        fs::File::create(&image)
            .and_then(|file| file.set_len(4 << 20))
            .map_err(|error| error.to_string())?;
        fs::create_dir(disk.path()).map_err(|error| error.to_string())?;
        command(
            "mkfs.ext4",
            &["-q".as_ref(), "-F".as_ref(), "-m0".as_ref(), &image],
        )?;
        command(
            "mount",
            &["-o".as_ref(), "loop".as_ref(), &image, &disk.path()],
        )?;
        Ok(disk)
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().join("disk")
    }

    /// Deletes a large file and waits until its space is free: a process started by another test has all files of this
    /// one open until it executes its program.
    pub(crate) fn remove(&self, file: &Path) {
        let length = fs::metadata(file).unwrap().len();
        let before = self.free();
        fs::remove_file(file).unwrap();
        for _ in 0..2_000 {
            // The file system's own blocks about the file come on top.
            if self.free() >= before + length / 2 {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        panic!("{} is removed, and its room is not free", file.display());
    }

    /// Mounts it as `ro` or `rw`.
    pub(crate) fn remount(&self, how: &str) {
        let options = format!("remount,{how}");
        command("mount", &["-o".as_ref(), options.as_ref(), &self.path()]).unwrap();
    }

    fn free(&self) -> u64 {
        let told = rustix::fs::statvfs(self.path()).unwrap();
        told.f_bfree * told.f_frsize
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Fails where the mount had failed.
        let _ = command("umount", &[&self.path()]);
    }
}

fn command(program: &str, arguments: &[&Path]) -> Result<(), String> {
    let path = format!(
        "{}:/usr/sbin:/sbin",
        std::env::var("PATH").unwrap_or_default()
    );
    let output = Command::new("env")
        .env("PATH", path)
        .arg(program)
        .args(arguments)
        .output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!(
            "{program}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
        Err(error) => Err(format!("{program}: {error}")),
    }
}

/// Writes until there is no space left at all.
pub(crate) fn fill(path: &Path) {
    let piece = [0x5A; 512];
    let mut file = fs::File::create(path).unwrap();
    while std::io::Write::write_all(&mut file, &piece).is_ok() {}
}

impl SmallDisk {
    /// A memory file system without limit that reports no size, like an initial one (ramfs).
    ///
    /// # Errors
    /// Why there is none here, in words.
    pub(crate) fn without_size() -> Result<SmallDisk, String> {
        let disk = SmallDisk {
            dir: tempfile::tempdir().map_err(|error| error.to_string())?,
        };
        fs::create_dir(disk.path()).map_err(|error| error.to_string())?;
        let of_kind = ["-t", "ramfs", "ramfs"].map(Path::new);
        command("mount", &[&of_kind[..], &[&disk.path()]].concat())?;
        Ok(disk)
    }

    /// One for a test, which is skipped where there is none.
    pub(crate) fn for_test(test: &str) -> Option<SmallDisk> {
        if !root() {
            skip(test, "a loop device needs root");
            return None;
        }
        match SmallDisk::mount() {
            Ok(disk) => Some(disk),
            Err(why) => {
                skip(test, &why);
                None
            }
        }
    }
}
