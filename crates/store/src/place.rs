//! The location of the store, and its device: the XDG base directory rules for user data, and `st_dev`.

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::StoreError;

/// The default file of the store: `$DRIVELAB_STORE`, else `$XDG_DATA_HOME/drivelab/results.sqlite3`, else
/// `~/.local/share/drivelab/results.sqlite3` (XDG Base Directory Specification; it says that a relative `XDG_DATA_HOME`
/// is ignored).
///
/// # Errors
/// [`StoreError::NoPlace`] when none of these is set.
pub fn default_path() -> Result<PathBuf, StoreError> {
    path_from(|name| std::env::var_os(name))
}

fn path_from(variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, StoreError> {
    let set = |name: &str| {
        variable(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    if let Some(file) = set("DRIVELAB_STORE") {
        return Ok(file);
    }
    let data = match set("XDG_DATA_HOME").filter(|path| path.is_absolute()) {
        Some(folder) => folder,
        None => set("HOME").ok_or(StoreError::NoPlace)?.join(".local/share"),
    };
    Ok(data.join("drivelab/results.sqlite3"))
}

/// The number of the device that holds `path` (`st_dev` of stat(2)), or would hold it: of a file that is not
/// yet there, the nearest folder above it counts. Two paths of one number share a file system, and so a drive.
///
/// # Errors
/// The system's error if no directory above `path` can be examined.
pub fn device_of(path: &Path) -> io::Result<u64> {
    let absolute = std::path::absolute(path)?;
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for candidate in absolute.ancestors() {
        match std::fs::metadata(candidate) {
            Ok(metadata) => return Ok(metadata.dev()),
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path_with(variables: &[(&str, &str)]) -> Result<PathBuf, StoreError> {
        path_from(|name| {
            variables
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn the_variable_of_our_own_comes_first() {
        let path = path_with(&[
            ("DRIVELAB_STORE", "here.db"),
            ("XDG_DATA_HOME", "/x"),
            ("HOME", "/h"),
        ]);
        assert_eq!(path.unwrap(), Path::new("here.db"));
    }

    #[test]
    fn the_data_folder_comes_before_the_home_folder() {
        let path = path_with(&[
            ("DRIVELAB_STORE", ""),
            ("XDG_DATA_HOME", "/x"),
            ("HOME", "/h"),
        ]);
        assert_eq!(path.unwrap(), Path::new("/x/drivelab/results.sqlite3"));
        let path = path_with(&[("XDG_DATA_HOME", "relative"), ("HOME", "/h")]);
        assert_eq!(
            path.unwrap(),
            Path::new("/h/.local/share/drivelab/results.sqlite3")
        );
    }

    #[test]
    fn without_any_place_the_message_names_the_way_out() {
        assert!(path_with(&[]).unwrap_err().to_string().contains("--store"));
    }

    #[test]
    fn a_file_yet_to_be_made_lies_where_its_folder_lies() {
        let dir = tempfile::tempdir().unwrap();
        let of_dir = device_of(dir.path()).unwrap();
        assert_eq!(device_of(&dir.path().join("a/b/c")).unwrap(), of_dir);
        assert_ne!(device_of(Path::new("/proc/self")).unwrap(), of_dir);
    }
}
