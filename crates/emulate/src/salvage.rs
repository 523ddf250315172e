//! Extracts what remains in a damaged folder of a kept drive.
//!
//! A drive whose log cannot be replayed cannot be restored: the contents of its memory at the power cut are unknown.
//! But its data file contains everything that was acknowledged, unless the file was truncated. So the data is copied as
//! it is, holes as holes, and the damage of the folder is reported.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use base::size::Bytes;
use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;

use crate::kept::{KeptError, log_of, who_of};
use crate::log::records;

/// Bytes that are copied at once.
const PORTION: u64 = 1 << 20;

/// What was got out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Salvaged {
    /// Bytes that were copied; the rest of the drive reads as zeros.
    pub copied: Bytes,
    /// Bytes that could not be read, and are zeros now.
    pub unreadable: Bytes,
    /// The length of the output: the drive's, if known.
    pub length: Bytes,
    /// What is wrong with the folder, a line each.
    pub wrong: Vec<String>,
}

/// Why nothing was got out.
#[derive(Debug, thiserror::Error)]
pub enum SalvageError {
    #[error("no readable data: {}: {cause}", path.display())]
    NoData {
        /// The file.
        path: PathBuf,
        cause: io::Error,
    },
    /// Nothing can be written there.
    #[error("cannot write {}: {cause}", path.display())]
    Out { path: PathBuf, cause: io::Error },
}

/// Copies what can be read of a folder's data into a new file.
///
/// # Errors
/// [`SalvageError`]: no data, or no room for it.
pub fn salvage(folder: &Path, out: &Path) -> Result<Salvaged, SalvageError> {
    let path = folder.join("data");
    let data = base::whole_file::open(&path);
    let data = data.map_err(|cause| SalvageError::NoData { path, cause })?;
    let out_error = |cause| SalvageError::Out {
        path: out.to_owned(),
        cause,
    };
    let mut options = File::options();
    let opened = options.write(true).create_new(true).mode(0o600).open(out);
    let written = opened.map_err(out_error)?;
    let has = data.metadata().map_err(out_error)?.len();
    let (capacity, wrong) = what_is_wrong(folder, has);
    let length = capacity.map_or(has, Bytes::get);
    written.set_len(length).map_err(out_error)?;
    let mut salvaged = Salvaged {
        copied: Bytes::ZERO,
        unreadable: Bytes::ZERO,
        length: Bytes::new(length),
        wrong,
    };
    let end = has.min(length);
    let mut at = 0;
    while let Some((from, to)) = data_from(&data, at, end).map_err(out_error)? {
        copy(&data, &written, from, to, &mut salvaged).map_err(out_error)?;
        at = to;
    }
    written.sync_all().map_err(out_error)?;
    Ok(salvaged)
}

/// The next range that holds data.
fn data_from(file: &File, at: u64, end: u64) -> io::Result<Option<(u64, u64)>> {
    match seek(file, SeekFrom::Data(at)) {
        Ok(from) if from >= end => Ok(None),
        Ok(from) => Ok(Some((from, seek(file, SeekFrom::Hole(from))?.min(end)))),
        Err(Errno::NXIO) => Ok(None),
        Err(other) => Err(other.into()),
    }
}

fn copy(from: &File, to: &File, start: u64, end: u64, salvaged: &mut Salvaged) -> io::Result<()> {
    let mut bytes = vec![0; PORTION.min(end - start) as usize];
    let mut at = start;
    while at < end {
        let part = (end - at).min(PORTION);
        let bytes = &mut bytes[..part as usize];
        if from.read_exact_at(bytes, at).is_ok() {
            to.write_all_at(bytes, at)?;
            salvaged.copied += Bytes::new(part);
        } else {
            salvaged.unreadable += Bytes::new(part);
        }
        at += part;
    }
    Ok(())
}

/// The drive's length, if the folder records it, and its damage.
fn what_is_wrong(folder: &Path, has: u64) -> (Option<Bytes>, Vec<String>) {
    let mut wrong = Vec::new();
    let who = match who_of(folder) {
        Ok(Some(who)) => Some(who),
        Ok(None) => {
            wrong.push("drive.json is missing".to_owned());
            None
        }
        Err(why) => {
            wrong.push(why.to_string());
            None
        }
    };
    if let Some(who) = who.as_ref().filter(|who| who.capacity.get() != has) {
        let has = Bytes::new(has);
        wrong.push(format!("data has {has} of {}", who.capacity));
    }
    if !folder.join("undo").exists() {
        wrong.push("undo is missing".to_owned());
    }
    match log_of(folder) {
        Err(KeptError::File { cause, .. }) if cause.kind() == io::ErrorKind::NotFound => {
            wrong.push("log is missing".to_owned());
        }
        Err(why) => wrong.push(why.to_string()),
        Ok(log) => {
            if let Some(why) = records(log).find_map(Result::err) {
                wrong.push(format!("log: {why}"));
            }
        }
    }
    (who.map(|who| who.capacity), wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kept::{Kept, Who};

    #[test]
    fn the_data_are_copied_and_what_is_wrong_is_told() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("drive");
        let kept = Kept::open(&folder).unwrap();
        let who = Who::new("model:a", 1, Bytes::mib(8), "digest");
        kept.is_for(&who).unwrap();
        let data = kept.data().unwrap();
        data.write_all_at(&[7; 4096], 2 << 20).unwrap();
        data.set_len(3 << 20).unwrap();
        std::fs::remove_file(folder.join("undo")).unwrap();
        std::fs::write(folder.join("log"), [9; 64]).unwrap();
        let out = place.path().join("out");
        let salvaged = salvage(&folder, &out).unwrap();
        assert_eq!(salvaged.length, Bytes::mib(8));
        assert!(salvaged.copied >= Bytes::kib(4) && salvaged.unreadable.is_zero());
        let text = salvaged.wrong.join("; ");
        for part in [
            "data has 3 MiB of 8 MiB",
            "undo is missing",
            "log: record 1",
        ] {
            assert!(text.contains(part), "{text}");
        }
        let mut found = [0; 4096];
        let out_file = File::open(&out).unwrap();
        out_file.read_exact_at(&mut found, 2 << 20).unwrap();
        assert_eq!(found, [7; 4096]);
        assert!(matches!(
            salvage(&folder, &out),
            Err(SalvageError::Out { .. })
        ));
    }
}
