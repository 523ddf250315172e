//! Writing a report: whole or not at all, and never over a file that is not ours.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use crate::error::LabError;

/// What every report of ours has near its beginning.
const MARK: &str = "<meta name=\"generator\" content=\"drivelab";

/// Checks, before anything is measured, that a report may be written here.
///
/// # Errors
/// Where there is a file that is not a report of ours, or no folder.
pub fn check_report_place(path: &Path) -> Result<(), LabError> {
    let error = |what: &str| LabError::File {
        path: path.to_owned(),
        source: std::io::Error::other(what.to_owned()),
    };
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(error("is no file: name another place with --html")),
        Ok(_) if !is_ours(path) => Err(error(
            "is not a report of drivelab's: name another place with --html",
        )),
        Ok(_) => Ok(()),
        Err(_) => match folder_of(path) {
            folder if folder.is_dir() => Ok(()),
            _ => Err(error("there is no such folder")),
        },
    }
}

fn is_ours(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(4_096).read_to_end(&mut head));
    read.is_ok() && String::from_utf8_lossy(&head).contains(MARK)
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Writes a report beside its place, then moves it there: a full disk leaves the old one as it was.
///
/// # Errors
/// Where it cannot be written.
pub fn replace_report(path: &Path, html: &str) -> Result<(), LabError> {
    check_report_place(path)?;
    let failed = |source| LabError::File {
        path: path.to_owned(),
        source,
    };
    let mut file = tempfile::Builder::new()
        .prefix(".drivelab-report-")
        .tempfile_in(folder_of(path))
        .map_err(failed)?;
    file.write_all(html.as_bytes()).map_err(failed)?;
    let readable = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    file.as_file().set_permissions(readable).map_err(failed)?;
    file.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_replaces_a_report_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("report.html");
        let ours = format!("<!doctype html><head>{MARK} 0.1.0\"></head>");
        replace_report(&path, &ours).unwrap();
        replace_report(&path, &format!("{ours}more")).unwrap();
        assert!(fs::read_to_string(&path).unwrap().ends_with("more"));
        fs::write(&path, "<html>my own</html>").unwrap();
        assert!(replace_report(&path, &ours).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "<html>my own</html>");
        assert!(check_report_place(&dir.path().join("no/report.html")).is_err());
        assert!(check_report_place(dir.path()).is_err());
    }
}
