//! Writing a report: whole or not at all, and never over a file that is not ours.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::LabError;
use crate::whole_file::{folder_of, write_whole};

/// What every report of ours has near its beginning.
const MARK: &str = "<meta name=\"generator\" content=\"drivelab";

/// What every picture of ours in PNG has near its beginning, as `report::png` writes it.
const PNG_MARK: &str = "tEXtSoftware\0drivelab";

/// Reports in one folder before the first name is taken again.
const MOST_REPORTS: u32 = 9_999;

/// How each other file of ours begins: a picture, and the two tables.
const BEGINNINGS: [&str; 3] = [
    "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\"",
    "result,method,method_version,",
    "method,key,figure,unit,",
];

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
        Ok(found) if !found.is_file() => {
            Err(error("is not a file: name another place with --html"))
        }
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
    let head = String::from_utf8_lossy(&head);
    let begins = BEGINNINGS.iter().any(|text| head.starts_with(text));
    let is_marked = head.contains(MARK) || head.contains(PNG_MARK);
    read.is_ok() && (begins || is_marked)
}

/// The name itself if it is free, else the first free one of `report-2.html`, `report-3.html` and so on: a report with
/// a default name never replaces another one.
pub fn free_report_name(path: &Path) -> PathBuf {
    let is_free = |path: &PathBuf| fs::symlink_metadata(path).is_err();
    let first = path.to_owned();
    if is_free(&first) {
        return first;
    }
    let part = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let (stem, extension) = (part(path.file_stem()), part(path.extension()));
    let mut names =
        (2..=MOST_REPORTS).map(|n| path.with_file_name(format!("{stem}-{n}.{extension}")));
    names.find(is_free).unwrap_or(first)
}

/// Writes a report, whole or not at all: a full disk leaves the old one as it was.
///
/// # Errors
/// Where it cannot be written.
pub fn replace_report(path: &Path, html: &str) -> Result<(), LabError> {
    replace_file(path, html.as_bytes())
}

fn replace_file(path: &Path, content: &[u8]) -> Result<(), LabError> {
    check_report_place(path)?;
    write_whole(path, content).map_err(|source| LabError::File {
        path: path.to_owned(),
        source,
    })
}

/// Writes the files of a report into a folder, which is created if missing. Nothing is written if one of them would
/// replace a foreign file.
///
/// # Errors
/// A foreign file in the way, or a folder or file that cannot be written.
pub fn replace_folder(folder: &Path, files: &[(&str, &[u8])]) -> Result<(), LabError> {
    for (name, _) in files {
        let path = folder.join(name);
        if fs::symlink_metadata(&path).is_ok() {
            check_report_place(&path)?;
        }
    }
    for (name, content) in files {
        let path = folder.join(name);
        let into = folder_of(&path);
        fs::create_dir_all(&into).map_err(|source| LabError::File { path: into, source })?;
        replace_file(&path, content)?;
    }
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

    #[test]
    fn a_report_without_a_name_of_its_own_takes_the_next_free_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("report.html");
        assert_eq!(free_report_name(&path), path);
        fs::write(&path, "anything").unwrap();
        assert_eq!(free_report_name(&path), dir.path().join("report-2.html"));
        fs::write(dir.path().join("report-2.html"), "").unwrap();
        assert_eq!(free_report_name(&path), dir.path().join("report-3.html"));
    }

    #[test]
    fn a_folder_is_written_again_but_never_over_somebody_s_file() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("review");
        let page = format!("<!doctype html><head>{MARK} 0.1.0\"></head>");
        let svg = format!("{} width=\"1\"/>", BEGINNINGS[0]);
        let png = format!("PNG {PNG_MARK}");
        let files = [
            ("index.html", page.as_bytes()),
            ("plots/p1.svg", svg.as_bytes()),
            ("plots/p1.png", png.as_bytes()),
        ];
        replace_folder(&folder, &files).unwrap();
        replace_folder(&folder, &files).unwrap();
        fs::write(folder.join("plots/p1.svg"), "<svg>my own</svg>").unwrap();
        fs::write(folder.join("index.html"), format!("{page}older")).unwrap();
        assert!(replace_folder(&folder, &files).is_err());
        let kept = fs::read_to_string(folder.join("index.html")).unwrap();
        assert!(kept.ends_with("older"), "nothing was written");
    }
}
