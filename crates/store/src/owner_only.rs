//! The store is readable by its owner only: results reveal a user's drives, their serial numbers, and what was run
//! when.
//!
//! The file is created before SQLite opens it, since SQLite would use the process's umask, and with mknod(2), which
//! returns no descriptor: closing a second descriptor of the same file would release the locks that SQLite holds
//! through the first (fcntl(2), POSIX locks). SQLite's files next to it (`-wal`, `-shm`) get the mode of the store
//! itself. If a file system has no modes, nothing here fails.

use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, mknodat};

/// The bits of a mode that let others than the owner in.
const OTHERS: u32 = 0o077;

/// Creates a directory and its missing parents, each for its owner only whatever the umask is. An existing one is left
/// unchanged.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = folder
        .ancestors()
        .filter(|above| !above.as_os_str().is_empty())
        .take_while(|above| !above.exists())
        .collect();
    for above in missing.iter().rev() {
        match std::fs::create_dir(above) {
            Ok(()) => set_mode(above, 0o700),
            // Another process was quicker.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    // Something may be there that is no folder.
    std::fs::create_dir_all(folder)
}

/// Creates an empty file for its owner only if there is none. Failure is detected and reported when the file is opened.
pub(crate) fn make_file(path: &Path) {
    if mknodat(CWD, path, FileType::RegularFile, Mode::RUSR | Mode::WUSR, 0).is_ok() {
        set_mode(path, 0o600);
    }
}

/// Revokes others' access to a store and its files, if the files are ours.
pub(crate) fn tighten(store: &Path) {
    let me = rustix::process::geteuid().as_raw();
    for path in [
        store.to_owned(),
        beside(store, "-wal"),
        beside(store, "-shm"),
        beside(store, "-room"),
    ] {
        let Ok(found) = std::fs::metadata(&path) else {
            continue;
        };
        if found.is_file() && found.uid() == me && found.mode() & OTHERS != 0 {
            set_mode(&path, found.mode() & 0o7777 & !OTHERS);
        }
    }
}

/// One of the files next to a store: `-wal`, `-shm`.
pub(crate) fn beside(store: &Path, ending: &str) -> PathBuf {
    let mut path = store.as_os_str().to_owned();
    path.push(ending);
    PathBuf::from(path)
}

fn set_mode(path: &Path, mode: u32) {
    // Fails on file systems without modes.
    let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn folders_that_are_made_are_the_owner_s_alone_and_those_that_were_there_stay_as_they_are() {
        let dir = tempfile::tempdir().unwrap();
        set_mode(dir.path(), 0o755);
        let folder = dir.path().join("a/b");
        make_folder(&folder).unwrap();
        assert_eq!(mode(&folder), 0o700);
        assert_eq!(mode(&dir.path().join("a")), 0o700);
        set_mode(&folder, 0o750);
        make_folder(&folder).unwrap();
        assert_eq!((mode(dir.path()), mode(&folder)), (0o755, 0o750));
        std::fs::write(folder.join("file"), "").unwrap();
        assert!(make_folder(&folder.join("file")).is_err());
    }

    #[test]
    fn a_file_is_made_once_and_never_through_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (path, link) = (dir.path().join("file"), dir.path().join("link"));
        make_file(&path);
        assert_eq!(mode(&path), 0o600);
        std::fs::write(&path, "content").unwrap();
        make_file(&path);
        assert_eq!(std::fs::read(&path).unwrap(), b"content");
        std::os::unix::fs::symlink(dir.path().join("elsewhere"), &link).unwrap();
        make_file(&link);
        assert!(!dir.path().join("elsewhere").exists());
    }

    #[test]
    fn what_others_might_read_is_tightened_and_a_read_only_file_stays_so() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("results.sqlite3");
        for (ending, before, after) in [("", 0o444, 0o400), ("-wal", 0o664, 0o600)] {
            let path = beside(&store, ending);
            std::fs::write(&path, "").unwrap();
            set_mode(&path, before);
            tighten(&store);
            assert_eq!(mode(&path), after);
        }
    }
}
