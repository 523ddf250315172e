//! The store is readable by its owner only: results reveal a user's drives, their serial numbers, and what was run
//! when.
//!
//! The file is created before SQLite opens it, since SQLite would use the process's umask, and with mknod(2), which
//! returns no descriptor: closing a second descriptor of the same file would release the locks that SQLite holds
//! through the first (fcntl(2), POSIX locks). SQLite's files next to it (`-wal`, `-shm`) get the mode of the store
//! itself. If a file system has no modes, nothing here fails.
//!
//! Root makes its files in another user's folder for that user: a store that one run under sudo has made would be of no
//! use to its owner otherwise. SQLite does the same with its files next to the store.

use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, chownat, fstat, mknodat, openat};
use rustix::process::{Gid, Uid, geteuid};

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
            Ok(()) => {
                set_mode(above, 0o700);
                hand_over(above);
            }
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
        hand_over(path);
    }
}

/// Gives what root has just made in a user's folder to that user.
pub(crate) fn hand_over(path: &Path) {
    let Some(folder) = owner_of_folder(path).filter(|_| geteuid().is_root()) else {
        return;
    };
    // Closing a descriptor that is a path only releases no locks.
    let careful = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(made) = openat(CWD, path, careful, Mode::empty()) else {
        return;
    };
    let Ok(found) = fstat(&made) else { return };
    let file = FileType::from_raw_mode(found.st_mode);
    // The owner of the folder may have put something else there since: what we made is root's and has one name.
    if found.st_uid == 0 && (file == FileType::Directory || found.st_nlink == 1) {
        let (user, group) = (Uid::from_raw(folder.uid()), Gid::from_raw(folder.gid()));
        // Fails on file systems without owners.
        let _ = chownat(&made, "", Some(user), Some(group), AtFlags::EMPTY_PATH);
    }
}

/// Whether a file next to a store is one that we made, or that root made for the owner of its folder.
pub(crate) fn is_ours(path: &Path, owner: u32) -> bool {
    let me = geteuid();
    owner == me.as_raw()
        || (me.is_root() && owner_of_folder(path).is_some_and(|folder| folder.uid() == owner))
}

/// The folder that a file is in, also where its path does not name it.
pub(crate) fn folder_of(path: &Path) -> Option<&Path> {
    let folder = path.parent()?;
    let named = !folder.as_os_str().is_empty();
    Some(if named { folder } else { Path::new(".") })
}

fn owner_of_folder(path: &Path) -> Option<std::fs::Metadata> {
    std::fs::metadata(folder_of(path)?).ok()
}

/// Revokes others' access to a store and its files, if the files are ours.
pub(crate) fn tighten(store: &Path) {
    for path in [
        store.to_owned(),
        beside(store, "-wal"),
        beside(store, "-shm"),
        beside(store, "-room"),
    ] {
        let Ok(found) = std::fs::metadata(&path) else {
            continue;
        };
        if found.is_file() && is_ours(&path, found.uid()) && found.mode() & OTHERS != 0 {
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
    fn what_root_makes_in_a_user_s_folder_belongs_to_that_user() {
        if !geteuid().is_root() {
            let test = "what_root_makes_in_a_user_s_folder_belongs_to_that_user";
            return fixtures::skip::skip(test, "it needs root");
        }
        let dir = tempfile::tempdir().unwrap();
        let user = Some(1234);
        std::os::unix::fs::chown(dir.path(), user, user).unwrap();
        let folder = dir.path().join("share/drivelab");
        let (store, linked) = (folder.join("store"), folder.join("linked"));
        make_folder(&folder).unwrap();
        make_file(&store);
        for path in [&folder, &dir.path().join("share"), &store] {
            let found = std::fs::metadata(path).unwrap();
            assert_eq!((found.uid(), found.gid()), (1234, 1234), "{path:?}");
        }
        assert!(is_ours(&store, 1234) && is_ours(&store, 0) && !is_ours(&store, 99));
        // A file of root's that the user has linked to the place is not given away.
        std::fs::write(dir.path().join("secret"), "").unwrap();
        std::fs::hard_link(dir.path().join("secret"), &linked).unwrap();
        hand_over(&linked);
        assert_eq!(std::fs::metadata(&linked).unwrap().uid(), 0);
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
