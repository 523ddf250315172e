//! The folder of a drive that is kept: what stands on it, what it was asked, and who it is.
//!
//! ```text
//! drive.json   the target's name, its seed and length: what the model is built from
//! data         what stands on the drive, sparse
//! undo         what stood there before, of what is not known to be on stable storage
//! log          what the drive was asked, and when
//! lock         held by the process that serves it, with its number
//! ```
//!
//! Whoever kills that process cuts the drive's power.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

use base::size::Bytes;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

/// The form of the folder that this program writes.
const FORM: u32 = 2;
/// The longest `drive.json` that is read.
const MOST_TEXT: Bytes = Bytes::kib(64);

/// Who the drive is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Who {
    /// The form of the folder.
    pub form: u32,
    /// The target's name, as it was typed.
    pub target: String,
    /// Draws all that is drawn in it.
    pub seed: u64,
    /// Bytes of it.
    pub capacity: Bytes,
}

impl Who {
    /// A drive of this name.
    pub fn new(target: &str, seed: u64, capacity: Bytes) -> Who {
        Who {
            form: FORM,
            target: target.to_owned(),
            seed,
            capacity,
        }
    }
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    /// The kernel refused.
    #[error("{}: {cause}", path.display())]
    File {
        /// What.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// Another process serves it.
    #[error("{}: process {process} serves this drive now (`drivelab emulate --power-cut {}` ends it)", folder.display(), folder.display())]
    Served {
        /// The folder.
        folder: PathBuf,
        /// Which process.
        process: String,
    },
    /// Nobody serves it.
    #[error("{}: nobody serves this drive: there is no power to cut", folder.display())]
    NotServed {
        /// The folder.
        folder: PathBuf,
    },
    /// It is another drive's.
    #[error("{} is kept for {was}, not for {now} (take another folder, or delete it)", folder.display())]
    AnotherDrive {
        /// The folder.
        folder: PathBuf,
        /// Whose it is.
        was: String,
        /// Who was asked for.
        now: String,
    },
    /// The folder is not one of ours.
    #[error("{}: not the folder of an emulated drive: {why}", folder.display())]
    NotOurs {
        /// The folder.
        folder: PathBuf,
        /// Why.
        why: String,
    },
}

/// A folder that this process has for itself.
#[derive(Debug)]
pub struct Kept {
    folder: PathBuf,
    _lock: File,
}

impl Kept {
    /// Makes the folder, or takes the one that is there, for this process alone.
    ///
    /// # Errors
    /// [`KeptError`].
    pub fn open(folder: &Path) -> Result<Kept, KeptError> {
        let file = |cause| error(folder, cause);
        std::fs::create_dir_all(folder).map_err(file)?;
        let has_more = std::fs::read_dir(folder).map_err(file)?.next().is_some();
        if has_more && !folder.join("lock").exists() {
            return Err(KeptError::NotOurs {
                folder: folder.to_owned(),
                why: "it holds other files".to_owned(),
            });
        }
        let mut lock = open(&folder.join("lock"))?;
        if flock(&lock, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK) {
            return Err(KeptError::Served {
                folder: folder.to_owned(),
                process: process_in(&mut lock).unwrap_or_default(),
            });
        }
        let number = format!("{}\n", std::process::id());
        let said = lock
            .set_len(0)
            .and_then(|()| lock.rewind())
            .and_then(|()| lock.write_all(number.as_bytes()));
        said.map_err(file)?;
        Ok(Kept {
            folder: folder.to_owned(),
            _lock: lock,
        })
    }

    /// Who the drive is; nothing where the folder is new.
    ///
    /// # Errors
    /// [`KeptError`].
    pub fn who(&self) -> Result<Option<Who>, KeptError> {
        who_of(&self.folder)
    }

    /// Says who the drive is, and that it is the same one where the folder is not new.
    ///
    /// # Errors
    /// [`KeptError`]: another drive's folder, for one.
    pub fn is_for(&self, who: &Who) -> Result<(), KeptError> {
        match self.who()? {
            None => {
                let path = self.folder.join("drive.json");
                let text = serde_json::to_string_pretty(who).unwrap_or_default();
                std::fs::write(&path, text + "\n").map_err(|cause| KeptError::File { path, cause })
            }
            Some(was) if was == *who => Ok(()),
            Some(was) => Err(KeptError::AnotherDrive {
                folder: self.folder.clone(),
                was: was.words(),
                now: who.words(),
            }),
        }
    }

    /// The file of the drive's data.
    ///
    /// # Errors
    /// [`KeptError::File`].
    pub fn data(&self) -> Result<File, KeptError> {
        open(&self.folder.join("data"))
    }

    /// The file of what stood there before.
    ///
    /// # Errors
    /// [`KeptError::File`].
    pub fn undo(&self) -> Result<File, KeptError> {
        open(&self.folder.join("undo"))
    }

    /// The log's file, cut to whole records; whoever writes to it appends.
    ///
    /// # Errors
    /// [`KeptError::File`].
    pub fn log(&self) -> Result<File, KeptError> {
        let path = self.folder.join("log");
        let mut file = open(&path)?;
        let cut = file
            .metadata()
            .and_then(|found| file.set_len(super::log::whole_records(found.len())))
            .and_then(|()| file.seek(io::SeekFrom::End(0)));
        cut.map_err(|cause| KeptError::File { path, cause })?;
        Ok(file)
    }
}

impl Who {
    fn words(&self) -> String {
        format!("{} (seed {}, {})", self.target, self.seed, self.capacity)
    }
}

/// Cuts the power of the drive in a folder: kills the process that serves it, which has no time to bring anything to
/// rest.
///
/// # Errors
/// [`KeptError`]: nobody serves it, for one.
pub fn power_cut(folder: &Path) -> Result<(), KeptError> {
    let path = folder.join("lock");
    let mut lock = File::open(&path).map_err(|cause| KeptError::File { path, cause })?;
    let not_served = || KeptError::NotServed {
        folder: folder.to_owned(),
    };
    match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => {}
        Ok(()) => return Err(not_served()),
        Err(cause) => return Err(error(folder, cause.into())),
    }
    let number = process_in(&mut lock).and_then(|text| text.parse().ok());
    let process = number.and_then(Pid::from_raw).ok_or_else(not_served)?;
    kill_process(process, Signal::KILL).map_err(|cause| error(folder, cause.into()))?;
    // The lock falls with the process.
    flock(&lock, FlockOperation::LockExclusive).map_err(|cause| error(folder, cause.into()))
}

/// Who the drive in a folder is, which may be served meanwhile; nothing where the folder is new.
///
/// # Errors
/// [`KeptError`].
pub fn who_of(folder: &Path) -> Result<Option<Who>, KeptError> {
    let path = folder.join("drive.json");
    let text = match base::whole_file::text(&path, MOST_TEXT) {
        Ok(text) => text,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(KeptError::File { path, cause }),
    };
    let not_ours = |why: String| KeptError::NotOurs {
        folder: folder.to_owned(),
        why,
    };
    let who: Who = serde_json::from_str(&text).map_err(|why| not_ours(why.to_string()))?;
    if who.form != FORM {
        return Err(not_ours(format!(
            "it has form {}, this program knows {FORM}",
            who.form
        )));
    }
    Ok(Some(who))
}

/// The log of a drive from its beginning, to read; the drive may be served meanwhile.
///
/// # Errors
/// [`KeptError::File`].
pub fn log_of(folder: &Path) -> Result<BufReader<File>, KeptError> {
    let path = folder.join("log");
    let file = base::whole_file::open(&path);
    file.map(BufReader::new)
        .map_err(|cause| KeptError::File { path, cause })
}

fn process_in(lock: &mut File) -> Option<String> {
    let mut text = String::new();
    lock.rewind().ok()?;
    lock.read_to_string(&mut text).ok()?;
    Some(text.trim().to_owned())
}

fn open(path: &Path) -> Result<File, KeptError> {
    let mut options = OpenOptions::new();
    let opened = options.read(true).write(true).create(true).truncate(false);
    opened.open(path).map_err(|cause| error(path, cause))
}

fn error(path: &Path, cause: io::Error) -> KeptError {
    KeptError::File {
        path: path.to_owned(),
        cause,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_one_process_s_and_one_drive_s() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("drive");
        let who = Who::new("model:a", 1, Bytes::gib(1));
        let kept = Kept::open(&folder).unwrap();
        kept.is_for(&who).unwrap();
        kept.is_for(&who).unwrap();
        let other = Who::new("model:b", 1, Bytes::gib(1));
        assert!(matches!(
            kept.is_for(&other),
            Err(KeptError::AnotherDrive { .. })
        ));
        assert!(matches!(Kept::open(&folder), Err(KeptError::Served { .. })));
        drop(kept);
        assert!(matches!(
            power_cut(&folder),
            Err(KeptError::NotServed { .. })
        ));
        assert_eq!(Kept::open(&folder).unwrap().who().unwrap(), Some(who));
    }

    #[test]
    fn a_folder_with_other_files_is_left_alone() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("letter"), "dear").unwrap();
        assert!(matches!(
            Kept::open(place.path()),
            Err(KeptError::NotOurs { .. })
        ));
    }
}
