//! A directory of measured disks: one file of parameters a disk, and a trace beside it.
//!
//! `NAME.toml` holds the parameters, which are the model's business; what is read here is the disk's
//! name and what other simulations reach on its trace. The trace is `NAME.csv.gz` or `NAME.csv`.

use std::path::{Path, PathBuf};

use base::size::Bytes;
use base::whole_file;
use serde::Deserialize;

/// The most that is read of a file of parameters; long lists of defects take some 100 KB.
const MOST_TEXT: Bytes = Bytes::mib(1);

/// A disk of a directory.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredDisk {
    /// Its name.
    pub name: String,
    /// The demerit figure that DiskSim reaches on the trace, in milliseconds.
    pub disksim_rms_ms: Option<f64>,
    /// The file of parameters, and its text.
    pub parameters: PathBuf,
    /// The text of that file.
    pub text: String,
    /// The trace.
    pub trace: PathBuf,
}

/// Why a directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadDirectory {
    /// It, or a file in it, cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// There is no disk in it.
    #[error("{}: no disk is described here: a NAME.toml and a NAME.csv.gz are needed", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A file of parameters that is not TOML, or names nothing.
    #[error("{}:{line}: {what}", path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// Parameters without a trace.
    #[error("{}: no trace next to it: {} (or .csv) is needed", path.display(), wanted.display())]
    NoTrace {
        /// The file of parameters.
        path: PathBuf,
        /// The trace that is not there.
        wanted: PathBuf,
    },
}

#[derive(Deserialize)]
struct Head {
    name: String,
    disksim_rms_ms: Option<f64>,
}

/// The disks of a directory, by the names of their files: each as it was read, or why it cannot be used.
///
/// # Errors
/// Where the directory cannot be read, or holds no disk.
pub fn find(directory: &Path) -> Result<Vec<Result<MeasuredDisk, BadDirectory>>, BadDirectory> {
    let failed = |source| BadDirectory::File {
        path: directory.to_owned(),
        source,
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|e| e == "toml") {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(BadDirectory::Empty {
            path: directory.to_owned(),
        });
    }
    Ok(files.into_iter().map(read).collect())
}

fn read(path: PathBuf) -> Result<MeasuredDisk, BadDirectory> {
    let text = whole_file::text(&path, MOST_TEXT).map_err(|source| BadDirectory::File {
        path: path.clone(),
        source,
    })?;
    let head: Head = toml::from_str(&text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start).min(text.len());
        let before = &text.as_bytes()[..at];
        BadDirectory::Text {
            path: path.clone(),
            line: 1 + before.iter().filter(|b| **b == b'\n').count(),
            what: error
                .message()
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned(),
        }
    })?;
    let packed = path.with_extension("csv.gz");
    let plain = path.with_extension("csv");
    let trace = if packed.is_file() {
        packed
    } else if plain.is_file() {
        plain
    } else {
        return Err(BadDirectory::NoTrace {
            path,
            wanted: packed,
        });
    };
    Ok(MeasuredDisk {
        name: head.name,
        disksim_rms_ms: head.disksim_rms_ms.filter(|rms| rms.is_finite()),
        parameters: path,
        text,
        trace,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found; the first error where there is one.
    fn finding(files: &[(&str, &str)]) -> Result<Vec<MeasuredDisk>, String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let there = format!("{}", folder.path().display());
        let found = find(folder.path()).and_then(|disks| disks.into_iter().collect());
        found.map_err(|e: BadDirectory| e.to_string().replace(&there, "DIR"))
    }

    #[test]
    fn a_disk_is_a_file_and_its_trace_and_other_files_do_not_matter() {
        let disks = finding(&[
            ("b.toml", "name = \"B\"\nanything = 1\n"),
            ("b.csv", ""),
            ("a.toml", "name = \"A\"\ndisksim_rms_ms = 0.5\n"),
            ("a.csv.gz", ""),
            ("README.md", "words"),
        ])
        .unwrap();
        let names: Vec<&str> = disks.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names, ["A", "B"]);
        assert_eq!(disks[0].disksim_rms_ms, Some(0.5));
        assert_eq!(disks[1].disksim_rms_ms, None);
    }

    #[test]
    fn what_is_missing_is_said_in_one_line() {
        assert!(
            finding(&[])
                .unwrap_err()
                .starts_with("DIR: no disk is described here")
        );
        let alone = finding(&[("a.toml", "name = \"A\"\n")]).unwrap_err();
        assert!(
            alone.starts_with("DIR/a.toml: no trace next to it: DIR/a.csv.gz"),
            "{alone}"
        );
        let broken = finding(&[("a.toml", "\nname = \n"), ("a.csv", "")]).unwrap_err();
        assert!(broken.starts_with("DIR/a.toml:2: "), "{broken}");
        let nameless = finding(&[("a.toml", "x = 1\n"), ("a.csv", "")]).unwrap_err();
        assert!(nameless.contains("missing field `name`"), "{nameless}");
        assert!(find(Path::new("nowhere/at/all")).is_err());
    }
}
