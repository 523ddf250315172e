//! A file for a drive that the catalogue lacks.
//!
//! Its contents come from the catalogue ([`sim::catalogue::new_file`]); here it is written, never over an existing
//! file.

use std::io;
use std::path::{Path, PathBuf};

pub use sim::catalogue::new_file::{KindCard, NewDrive};
pub use sim::interface::Interface;

use crate::LabError;
use crate::whole_file::write_whole;

/// The kinds that a new drive may be of.
///
/// # Errors
/// If a file of the catalogue is invalid: a test prevents that.
pub fn kinds() -> Result<Vec<KindCard>, LabError> {
    Ok(sim::catalogue::new_file::kinds()?)
}

/// Writes a new drive's file, and gives its path: a name without an ending gets `.toml`.
///
/// # Errors
/// Where there is no such kind, a file of that name is there, or it cannot be written.
pub fn write(name: &str, new: &NewDrive) -> Result<PathBuf, LabError> {
    write_text(name, &sim::catalogue::new_file::new_file(new)?)
}

/// Writes a new file of a text, and gives its path.
///
/// # Errors
/// Where a file of that name is there, or it cannot be written.
pub fn write_text(name: &str, text: &str) -> Result<PathBuf, LabError> {
    let path = path_of(name);
    let failed = |source| LabError::File {
        path: path.clone(),
        source,
    };
    if path.symlink_metadata().is_ok() {
        let why = io::Error::new(
            io::ErrorKind::AlreadyExists,
            "there is one of that name, which is left as it is: give another name, or move it away",
        );
        return Err(failed(why));
    }
    write_whole(&path, text.as_bytes()).map_err(failed)?;
    Ok(path)
}

/// The path that a name refers to.
pub fn path_of(name: &str) -> PathBuf {
    match Path::new(name).extension().is_some_and(|end| end == "toml") {
        true => PathBuf::from(name),
        false => PathBuf::from(format!("{name}.toml")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::size::Bytes;

    #[test]
    fn a_file_that_is_there_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("mine");
        let name = name.to_str().unwrap();
        let new = NewDrive {
            title: "Mine".to_owned(),
            kind: "sata-tlc".to_owned(),
            capacity: Bytes::new(500_107_862_016),
            interface: None,
            year: 2026,
        };
        let path = write(name, &new).unwrap();
        std::fs::write(&path, "kept").unwrap();
        let error = write(name, &new).unwrap_err().to_string();
        assert!(error.contains("there is one of that name"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "kept");
    }
}
