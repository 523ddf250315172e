//! The folder of a kept drive: its contents, its request log, and its identity.
//!
//! ```text
//! drive.json   the target's name, its seed and length, a digest of the files that the name leads to, and the program's
//!              version: what the model is built from. Written last, so that where it is the others are
//! data         what stands on the drive, sparse
//! undo         what stood there before, of what is not known to be on stable storage
//! log          what the drive was asked, and when
//! lock         held by the process that serves it, with its number
//! ```
//!
//! Whoever kills that process cuts the drive's power.
//!
//! A missing file is never recreated: that would give an empty drive with the name of a used one. Records of log and
//! undo file have checksums, data has its length, and the undo file records the length of the log. Data has no
//! checksums: written separately from the data, they would be wrong after each `kill -9`. [`crate::salvage`] extracts
//! what remains in a damaged folder.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use base::size::Bytes;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

/// The form of the folder that this program writes.
const FORM: u32 = 2;
/// The program, whose mechanisms are a part of each drive.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");
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
    pub capacity: Bytes,
    /// A digest of the name and of the files that it leads to.
    pub digest: String,
    /// The version of the program that made it.
    pub program: String,
    /// Bytes of the log when it was last switched off: it never has fewer.
    pub log: u64,
}

impl Who {
    /// A drive of this name, and with this digest of its files.
    pub fn new(target: &str, seed: u64, capacity: Bytes, digest: &str) -> Who {
        Who {
            form: FORM,
            target: target.to_owned(),
            seed,
            capacity,
            digest: digest.to_owned(),
            program: PROGRAM.to_owned(),
            log: 0,
        }
    }

    /// Whether it is the same drive.
    fn is(&self, other: &Who, folder: &Path) -> Result<(), KeptError> {
        let named = |who: &Who| (who.target.clone(), who.seed, who.capacity);
        let folder = folder.to_owned();
        if named(self) != named(other) {
            return Err(KeptError::AnotherDrive {
                folder,
                was: self.words(),
                now: other.words(),
            });
        }
        if self.program != other.program {
            return Err(KeptError::AnotherProgram {
                folder,
                was: self.program.clone(),
                now: other.program.clone(),
            });
        }
        if self.digest != other.digest {
            return Err(KeptError::AnotherContent {
                folder,
                target: self.target.clone(),
            });
        }
        Ok(())
    }
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    /// The kernel refused.
    #[error("{}: {cause}", path.display())]
    File { path: PathBuf, cause: io::Error },
    /// Another process serves it.
    #[error("{}: process {process} serves this drive now (`drivelab emulate --power-cut {}` ends it)", folder.display(), folder.display())]
    Served { folder: PathBuf, process: String },
    /// Nobody serves it.
    #[error("{}: this drive is not being served: there is no power to cut", folder.display())]
    NotServed { folder: PathBuf },
    #[error("{} belongs to {was}, not to {now} (use another folder, or delete it)", folder.display())]
    AnotherDrive {
        folder: PathBuf,
        was: String,
        now: String,
    },
    /// The name leads to something else now.
    #[error("{} belongs to {target}, but the files of that drive have changed since, so its log cannot be replayed (restore the files, or use another folder)", folder.display())]
    AnotherContent {
        folder: PathBuf,
        /// The name.
        target: String,
    },
    /// Another version's models may behave differently.
    #[error("{} was written by drivelab {was}, and the models of this version ({now}) may behave differently (`drivelab emulate --salvage {} OUT` extracts its data)", folder.display(), folder.display())]
    AnotherProgram {
        folder: PathBuf,
        /// The version that made it.
        was: String,
        now: String,
    },
    /// Something is missing, or cut.
    #[error("{} is damaged: {why} (`drivelab emulate --salvage {} OUT` copies all readable data)", folder.display(), folder.display())]
    Damaged { folder: PathBuf, why: String },
    /// The folder is not one of ours.
    #[error("{}: not the folder of an emulated drive: {why}", folder.display())]
    NotOurs { folder: PathBuf, why: String },
}

/// A folder that this process has for itself.
#[derive(Debug)]
pub struct Kept {
    folder: PathBuf,
    _lock: File,
}

impl Kept {
    /// Creates the folder, or locks an existing one for this process.
    ///
    /// # Errors
    /// [`KeptError`].
    pub fn open(folder: &Path) -> Result<Kept, KeptError> {
        let file = |cause| error(folder, cause);
        // What stands on a drive is its owner's.
        let mut made = DirBuilder::new();
        made.recursive(true).mode(0o700);
        made.create(folder).map_err(file)?;
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

    /// Says who the drive is, and that it is the same one where the folder is not new; then all its files are there.
    ///
    /// # Errors
    /// [`KeptError`]: another drive's folder, or a damaged one.
    pub fn is_for(&self, who: &Who) -> Result<(), KeptError> {
        match self.who()? {
            Some(was) => {
                was.is(who, &self.folder)?;
                self.is_whole(&was)
            }
            None => self.begin(who),
        }
    }

    /// Creates the files of a new drive; the one that marks it as complete last.
    fn begin(&self, who: &Who) -> Result<(), KeptError> {
        let log = self.folder.join("log");
        if std::fs::metadata(log).is_ok_and(|found| found.len() > 0) {
            return Err(self.damaged("drive.json is missing".to_owned()));
        }
        for name in ["data", "undo", "log"] {
            let path = self.folder.join(name);
            let file = open(&path)?;
            let length = if name == "data" {
                who.capacity.get()
            } else {
                0
            };
            let made = file.set_len(0).and_then(|()| file.set_len(length));
            made.map_err(|cause| error(&path, cause))?;
        }
        self.write(who)
    }

    /// Whether all that must be there is.
    fn is_whole(&self, who: &Who) -> Result<(), KeptError> {
        let length = |name: &str| match std::fs::metadata(self.folder.join(name)) {
            Ok(found) => Ok(found.len()),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                Err(self.damaged(format!("{name} is missing")))
            }
            Err(cause) => Err(error(&self.folder.join(name), cause)),
        };
        length("undo")?;
        let (data, log) = (Bytes::new(length("data")?), length("log")?);
        if data != who.capacity {
            return Err(self.damaged(format!("data has {data} of {}", who.capacity)));
        }
        if log < who.log {
            let had = who.log;
            return Err(self.damaged(format!("log has {log} of {had} bytes at least")));
        }
        Ok(())
    }

    /// The drive was switched off: records the current length of its log, if there is room for that (the previous
    /// record stays valid), and returns it.
    ///
    /// # Errors
    /// [`KeptError`].
    pub fn ended(&self) -> Result<Bytes, KeptError> {
        let path = self.folder.join("log");
        let log = std::fs::metadata(&path).map_err(|cause| error(&path, cause))?;
        let log = log.len();
        let noted = match self.who()? {
            Some(who) => self.write(&Who { log, ..who }),
            None => Ok(()),
        };
        match noted {
            Err(KeptError::File { cause, .. }) if cause.kind() == io::ErrorKind::StorageFull => {}
            noted => noted?,
        }
        Ok(Bytes::new(log))
    }

    /// A new empty log next to the current one.
    ///
    /// # Errors
    /// [`KeptError::File`].
    pub fn log_beside(&self) -> Result<File, KeptError> {
        let path = self.folder.join("log.new");
        let file = open(&path)?;
        file.set_len(0).map_err(|cause| error(&path, cause))?;
        Ok(file)
    }

    /// Discards the new log.
    pub fn drops_log_beside(&self) {
        // Where it cannot be removed, it is in nobody's way, and the next one takes its place.
        let _ = std::fs::remove_file(self.folder.join("log.new"));
    }

    /// Replaces the current log by the new one of this many bytes.
    ///
    /// # Errors
    /// [`KeptError`].
    pub fn takes_log_beside(&self, log: Bytes) -> Result<(), KeptError> {
        if let Some(who) = self.who()? {
            // First, because it is true of both logs: the old one has more.
            let log = log.get().min(who.log);
            self.write(&Who { log, ..who })?;
        }
        let (beside, path) = (self.folder.join("log.new"), self.folder.join("log"));
        std::fs::rename(&beside, &path).map_err(|cause| error(&path, cause))
    }

    /// Writes `drive.json`, whole or not at all.
    fn write(&self, who: &Who) -> Result<(), KeptError> {
        let path = self.folder.join("drive.json");
        let beside = self.folder.join("drive.json.new");
        let text = serde_json::to_string_pretty(who).unwrap_or_default() + "\n";
        let written = open(&beside).and_then(|mut file| {
            let written = file
                .set_len(0)
                .and_then(|()| file.write_all(text.as_bytes()))
                .and_then(|()| file.sync_all());
            written.map_err(|cause| error(&beside, cause))
        });
        written?;
        std::fs::rename(&beside, &path).map_err(|cause| error(&path, cause))
    }

    fn damaged(&self, why: String) -> KeptError {
        KeptError::Damaged {
            folder: self.folder.clone(),
            why,
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

    /// The log's file, truncated to whole records; it is appended to from there. Blocks reserved there stay.
    ///
    /// # Errors
    /// [`KeptError::File`].
    pub fn log(&self) -> Result<File, KeptError> {
        let path = self.folder.join("log");
        let file = open(&path)?;
        let cut = file.metadata().and_then(|found| {
            let whole = super::log::whole_records(found.len());
            if whole < found.len() {
                file.set_len(whole)?;
            }
            Ok(())
        });
        cut.map_err(|cause| KeptError::File { path, cause })?;
        Ok(file)
    }
}

impl Who {
    fn words(&self) -> String {
        format!("{} (seed {}, {})", self.target, self.seed, self.capacity)
    }
}

/// Cuts the power of the drive in a folder: kills the process that serves it without a shutdown.
///
/// # Errors
/// [`KeptError`]: it is not being served, for example.
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
    let opened = opened.mode(0o600);
    opened.open(path).map_err(|cause| error(path, cause))
}

fn error(path: &Path, cause: io::Error) -> KeptError {
    KeptError::File {
        path: path.to_owned(),
        cause,
    }
}

#[cfg(test)]
mod tests;
