//! A store where there is no room, and where one may not write: one clear line, and nothing lost.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod skip;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use skip::{root, skip};
use store::{RunHeader, Store, Which};

const HEADER: RunHeader = RunHeader {
    method: "m",
    target: "t",
    settings: "{}",
    environment: "{}",
    started_unix_ms: 1,
};

/// A small ext4 in a file, mounted; taken down at the end of the test.
struct SmallDisk {
    dir: tempfile::TempDir,
}

impl SmallDisk {
    fn mount() -> Result<SmallDisk, String> {
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

    fn path(&self) -> PathBuf {
        self.dir.path().join("disk")
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

/// Writes until there is no room left at all.
fn fill(path: &Path) {
    let piece = [0x5A; 512];
    let mut file = fs::File::create(path).unwrap();
    while std::io::Write::write_all(&mut file, &piece).is_ok() {}
}

#[test]
fn a_full_disk_is_one_clear_error_and_the_store_stays_readable() {
    const NAME: &str = "a_full_disk_is_one_clear_error_and_the_store_stays_readable";
    if !root() {
        return skip(NAME, "a loop device needs root");
    }
    let disk = match SmallDisk::mount() {
        Ok(disk) => disk,
        Err(why) => return skip(NAME, &why),
    };
    let store = Store::open(&disk.path().join("results.sqlite3")).unwrap();
    let run = store.begin_run(&HEADER).unwrap();
    run.phase_done("one", "{}", "1").unwrap();
    let ballast = disk.path().join("ballast");
    fill(&ballast);

    let large = "x".repeat(1 << 20);
    let said = run.phase_done("two", "{}", &large).unwrap_err().to_string();
    assert!(
        said.contains("no room left for results") && !said.contains('\n'),
        "{said}"
    );
    assert_eq!(store.phases(run.id()).unwrap().len(), 1);
    let again = Store::open(store.path()).unwrap();
    assert_eq!(again.run(Which::Last).unwrap().phases_done, 1);

    fs::remove_file(&ballast).unwrap();
    run.phase_done("two", "{}", &large).unwrap();
    assert_eq!(again.run(Which::Last).unwrap().phases_done, 2);
    run.finish("{}").unwrap();
    assert_eq!(again.result(Which::Last).unwrap(), "{}");
}

#[test]
fn a_new_store_on_a_full_disk_is_one_clear_error() {
    const NAME: &str = "a_new_store_on_a_full_disk_is_one_clear_error";
    if !root() {
        return skip(NAME, "a loop device needs root");
    }
    let disk = match SmallDisk::mount() {
        Ok(disk) => disk,
        Err(why) => return skip(NAME, &why),
    };
    fill(&disk.path().join("ballast"));
    let said = Store::open(&disk.path().join("results.sqlite3"))
        .unwrap_err()
        .to_string();
    assert!(
        said.contains("no room left for results") && !said.contains('\n'),
        "{said}"
    );
}

/// Root may write anywhere, so the test plays its part in a process of the user "nobody".
#[test]
fn a_folder_that_may_not_be_written_is_one_clear_error() {
    const NAME: &str = "a_folder_that_may_not_be_written_is_one_clear_error";
    const PART: &str = "DRIVELAB_TEST_FOLDER_OF_PART";
    if let Some(folder) = std::env::var_os(PART) {
        let folder = PathBuf::from(folder);
        let said = |path: &str| Store::open(&folder.join(path)).unwrap_err().to_string();
        for (path, words) in [
            ("new.sqlite3", "the store cannot be opened"),
            (
                "deeper/new.sqlite3",
                "the folder for results cannot be made",
            ),
            ("old.sqlite3", "the store may not be written"),
        ] {
            let said = said(path);
            assert!(
                said.contains(words) && said.contains("--store") && !said.contains('\n'),
                "{path}: {said}"
            );
        }
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("folder");
    fs::create_dir(&folder).unwrap();
    Store::open(&folder.join("old.sqlite3"))
        .unwrap()
        .begin_run(&HEADER)
        .unwrap()
        .finish("{}")
        .unwrap();
    let allow =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    allow(&folder.join("old.sqlite3"), 0o444);
    allow(&folder, 0o555);
    allow(dir.path(), 0o755);
    let program = dir.path().join("program");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    allow(&program, 0o755);

    let mut part = Command::new(&program);
    part.args(["--exact", NAME, "--nocapture"])
        .env(PART, &folder)
        .current_dir("/");
    if root() {
        part.uid(65534).gid(65534);
    }
    let output = part.output().unwrap();
    allow(&folder, 0o755); // so that it can be removed
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
