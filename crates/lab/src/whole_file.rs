//! Writing a file whole or not at all.
//!
//! The content is written to a new file with a random name in the same directory (`O_EXCL`, so that a planted link is
//! never followed), flushed, and renamed with rename(2); then the directory is flushed. A kill, a full disk or a loss
//! of power leaves either the old file or the new one, never a part. A link of that name is replaced, and its target
//! stays unchanged. What is no file (`/dev/full`, a pipe, a socket, a link to one) is refused, and so is a link in `/dev`
//! (`/dev/stdout`): renaming would take its place.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Replaces the file at `path` by `content`. An existing file keeps its mode.
///
/// # Errors
/// The system's error; the file is then unchanged.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let is_link = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    let is_of_the_system = is_link && path.starts_with("/dev");
    if is_of_the_system || std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::other("it is not a file: name another place"));
    }
    let folder = folder_of(path);
    let before = std::fs::symlink_metadata(path).ok();
    let mut file = tempfile::Builder::new()
        .prefix(".drivelab-")
        .suffix(".new")
        // As any new file: the umask takes from it.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(&folder)?;
    file.write_all(content)?;
    if let Some(before) = before.filter(std::fs::Metadata::is_file) {
        file.as_file().set_permissions(before.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // Not every file system flushes folders.
    let _ = File::open(&folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// The directory of a file.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn names_in(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<String> = entries
            .map(|entry| name(entry).into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_and_keeps_its_mode() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("map");
        write_whole(&path, b"one").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        write_whole(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        assert_eq!(names_in(dir.path()), ["map"]);
    }

    #[test]
    fn a_planted_link_is_replaced_and_nothing_is_written_through_it() {
        let dir = tempfile::tempdir().unwrap();
        let (path, victim) = (dir.path().join("map"), dir.path().join("victim"));
        fs::write(&victim, "somebody's").unwrap();
        std::os::unix::fs::symlink(&victim, &path).unwrap();
        write_whole(&path, b"ours").unwrap();
        assert_eq!(fs::read(&victim).unwrap(), b"somebody's");
        assert!(fs::symlink_metadata(&path).unwrap().is_file());
        assert_eq!(fs::read(&path).unwrap(), b"ours");
    }

    #[test]
    fn what_is_no_file_is_refused_and_stays_what_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let (socket, link) = (dir.path().join("socket"), dir.path().join("link"));
        let _bound = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        std::os::unix::fs::symlink(&socket, &link).unwrap();
        for path in [&socket, &link] {
            let before = fs::symlink_metadata(path).unwrap().file_type();
            let said = write_whole(path, b"ours").unwrap_err().to_string();
            assert!(said.contains("it is not a file"), "{said}");
            assert_eq!(fs::symlink_metadata(path).unwrap().file_type(), before);
        }
        assert_eq!(names_in(dir.path()), ["link", "socket"]);
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("map")).unwrap();
        assert!(write_whole(&dir.path().join("map"), b"ours").is_err());
        assert_eq!(names_in(dir.path()), ["map"]);
        assert!(write_whole(&dir.path().join("no/map"), b"ours").is_err());
    }
}
