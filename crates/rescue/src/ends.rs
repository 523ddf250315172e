//! The two ends of a rescue: where bytes come from, and where they go.
//!
//! Real ends are a device or file opened read-only, and a file or a device that may be overwritten. Modelled ends store
//! no bytes: only time and losses are simulated. The faults of `fault(...)` apply to both.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use base::fault::{Faults, Faulty};
use base::io::Io;
use base::null::Null;
use base::size::Bytes;
use base::target::{Outcome, Tag, Target};
use base::time::Duration;
use inspect::{Presence, Root, identify, open_file_for_destruction};

use crate::error::RescueError;
use targets::{RealDrive, open_confirmed_file};

/// Buffers of direct I/O begin at multiples of this.
const ALIGN: usize = 4_096;
/// Error numbers that mean an invalid request, and say nothing about the medium: EBADF, ENOMEM, EFAULT, EINVAL.
const NOT_OF_THE_MEDIUM: [i32; 4] = [9, 12, 14, 22];

/// Where bytes come from, and where they go.
pub(super) enum Ends {
    Real(Box<RealEnds>),
    Model(ModelEnds),
}

impl Ends {
    /// Copies from `start` to before `end`; false where that cannot be read.
    ///
    /// # Errors
    /// If the source is gone or the destination cannot be written.
    pub(super) fn copy(&mut self, start: u64, end: u64) -> Result<bool, RescueError> {
        match self {
            Ends::Real(real) => real.copy(start, end),
            Ends::Model(model) => model.copy(start, end),
        }
    }

    /// Whether source and copy hold the same bytes from `start` to before `end`; nothing where that cannot be
    /// read, or there are no bytes.
    ///
    /// # Errors
    /// If the source is gone.
    pub(super) fn is_same(&mut self, start: u64, end: u64) -> Result<Option<bool>, RescueError> {
        match self {
            Ends::Real(real) => real.is_same(start, end),
            Ends::Model(_) => Ok(None),
        }
    }

    /// Brings all that was copied to stable storage.
    ///
    /// # Errors
    /// Where the destination fails.
    pub(super) fn settle(&mut self) -> Result<(), RescueError> {
        match self {
            Ends::Real(real) => real.settle(),
            Ends::Model(_) => Ok(()),
        }
    }

    /// Time on the clocks of modelled ends.
    pub(super) fn took(&self) -> Option<Duration> {
        match self {
            Ends::Real(_) => None,
            Ends::Model(model) => {
                let since = |target: &dyn Target| target.now().since(base::time::Instant::ZERO);
                Some(since(model.source.as_ref()) + since(model.destination.as_ref()))
            }
        }
    }
}

/// A file that bytes go to.
pub(super) enum Sink {
    /// A file that was created for it, or continues an earlier rescue.
    Own(File),
    /// What the user allowed to be overwritten.
    Allowed(Box<RealDrive>),
}

impl Sink {
    fn file(&self) -> &File {
        match self {
            Sink::Own(file) => file,
            Sink::Allowed(drive) => drive.file(),
        }
    }
}

/// The destination file, of the source's length: created, or continuing an earlier rescue, or one that may be
/// overwritten if its path was `typed`.
///
/// # Errors
/// Where it is in use, was not confirmed, or cannot be made.
pub(super) fn open_file(
    path: &Path,
    typed: Option<&String>,
    size: u64,
) -> Result<File, RescueError> {
    let failed = |source| RescueError::of_file(path, source);
    let file = if path.exists() {
        let root = Root::new("/");
        let identity = identify(&root, path)?;
        match typed {
            Some(typed) => open_confirmed_file(&identity, typed)?,
            None => open_file_for_destruction(&root, &identity)?,
        }
    } else {
        // Follows no link, also one that leads nowhere.
        let made = File::options().write(true).create_new(true).open(path);
        made.map_err(failed)?
    };
    if typed.is_some() {
        // What was there is lost, where nothing arrives, too.
        file.set_len(0).map_err(failed)?;
    }
    file.set_len(size).map_err(failed)?;
    Ok(file)
}

/// A device or a file, and its destination.
pub(super) struct RealEnds {
    /// How the source was when it was opened.
    presence: Option<Presence>,
    source: File,
    source_path: PathBuf,
    /// Determines which reads fail, if faults were requested.
    faults: Option<Faulty<Null>>,
    sink: Sink,
    sink_path: PathBuf,
    /// Writes are of whole blocks of this.
    sink_block: u64,
    buffer: Vec<u8>,
    /// Where the aligned part of the buffer begins.
    from: usize,
}

impl RealEnds {
    /// Ends for pieces of at most `block` bytes.
    pub(super) fn new(
        (source, source_path): (File, PathBuf),
        faults: Option<(Faults, Bytes)>,
        (sink, sink_path, sink_block): (Sink, PathBuf, u64),
        block: u64,
    ) -> RealEnds {
        let room = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX / 2);
        let buffer = vec![0; room(block) + room(sink_block) + ALIGN];
        let from = buffer.as_ptr().align_offset(ALIGN);
        let faults = faults.map(|(faults, size)| {
            let null = Null::new(size.round_up(Bytes::SECTOR), Duration::from_micros(1));
            Faulty::new(null, faults)
        });
        RealEnds {
            presence: Presence::of(&Root::new("/"), &source),
            source,
            source_path,
            faults,
            sink,
            sink_path,
            sink_block,
            buffer,
            from,
        }
    }

    /// Reads into the buffer; false where that cannot be read.
    fn fetch(&mut self, start: u64, end: u64) -> Result<bool, RescueError> {
        if let Some(faults) = &mut self.faults {
            let io = Io::read(Bytes::new(start), Bytes::new(end - start));
            match one(faults, &io) {
                Outcome::Complete => {}
                gone if gone.is_gone() => return Err(self.lost_source("it is no longer there")),
                _ => return Ok(false),
            }
        }
        self.read(start, (end - start) as usize)
    }

    fn is_same(&mut self, start: u64, end: u64) -> Result<Option<bool>, RescueError> {
        if !self.fetch(start, end)? {
            return Ok(None);
        }
        let fetched = &self.buffer[self.from..self.from + (end - start) as usize];
        // By a file of its own: the copy's may be open for writing alone.
        let copy = File::open(&self.sink_path);
        let mut there = vec![0; fetched.len()];
        let read = copy.and_then(|copy| copy.read_exact_at(&mut there, start));
        read.map_err(|source| RescueError::of_file(&self.sink_path, source))?;
        Ok(Some(there == fetched))
    }

    fn copy(&mut self, start: u64, end: u64) -> Result<bool, RescueError> {
        let len = (end - start) as usize;
        if !self.fetch(start, end)? {
            return Ok(false);
        }
        let whole = (len as u64).next_multiple_of(self.sink_block) as usize;
        self.buffer[self.from + len..self.from + whole].fill(0);
        let bytes = &self.buffer[self.from..self.from + whole];
        let written = self.sink.file().write_all_at(bytes, start);
        written.map_err(|source| self.unwritten(source))?;
        Ok(true)
    }

    fn read(&mut self, start: u64, len: usize) -> Result<bool, RescueError> {
        let mut done = 0;
        while done < len {
            let into = &mut self.buffer[self.from + done..self.from + len];
            match self.source.read_at(into, start + done as u64) {
                Ok(0) => return Err(self.lost_source("it is shorter than it was")),
                Ok(read) => done += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let errno = error.raw_os_error().unwrap_or_default();
                    let gone = Outcome::Failed(errno).is_gone();
                    if gone || NOT_OF_THE_MEDIUM.contains(&errno) {
                        return Err(self.lost_source(&error.to_string()));
                    }
                    // A drive that is offline answers as a bad sector does; a bad sector takes long enough
                    // for one more look.
                    return match self
                        .presence
                        .as_ref()
                        .and_then(|was| was.lost(&self.source))
                    {
                        Some(how) => Err(self.lost_source(&how)),
                        None => Ok(false),
                    };
                }
            }
        }
        Ok(true)
    }

    fn lost_source(&self, why: &str) -> RescueError {
        RescueError::Ended(format!(
            "{}: {why}; the map is kept: run the same command again when the source is back",
            self.source_path.display()
        ))
    }

    fn settle(&mut self) -> Result<(), RescueError> {
        let settled = self.sink.file().sync_data();
        settled.map_err(|source| self.unwritten(source))
    }

    /// Why the destination accepts no more, and how to continue. A file without room is on a full disk; a device is
    /// never full, and reports if it has disappeared.
    fn unwritten(&self, source: io::Error) -> RescueError {
        let is_device = !self.sink_path.is_file();
        let is_gone = Outcome::Failed(source.raw_os_error().unwrap_or_default()).is_gone();
        let no_room = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
        let what = match no_room.contains(&source.kind()) {
            false if !is_gone => return RescueError::of_file(&self.sink_path, source),
            true if !is_device => "no room is left for the copy",
            _ => "the destination went away",
        };
        let then = if is_device {
            "it is back"
        } else {
            "there is room"
        };
        RescueError::Ended(format!(
            "{}: {what} ({source}); the map is kept: run the same command again when {then}",
            self.sink_path.display()
        ))
    }
}

/// A modelled drive, and its destination.
pub(super) struct ModelEnds {
    pub(super) source: Box<dyn Target>,
    pub(super) destination: Box<dyn Target>,
}

impl ModelEnds {
    fn copy(&mut self, start: u64, end: u64) -> Result<bool, RescueError> {
        let (offset, len) = (Bytes::new(start), Bytes::new(end - start));
        match one(&mut self.source, &Io::read(offset, len)) {
            Outcome::Complete => {}
            gone if gone.is_gone() => {
                let why = "the source is no longer there; the map is kept";
                return Err(RescueError::Ended(why.to_owned()));
            }
            _ => return Ok(false),
        }
        match one(&mut self.destination, &Io::write(offset, len, start)) {
            Outcome::Complete => Ok(true),
            _ => Err(RescueError::Ended(format!(
                "the destination takes no writes at byte {start}"
            ))),
        }
    }
}

/// One I/O, alone.
fn one(target: &mut dyn Target, io: &Io) -> Outcome {
    let mut done = Vec::new();
    // Nothing else is in flight: every target takes one.
    if target.submit(Tag(0), io).is_err() {
        return Outcome::Failed(base::fault::EIO);
    }
    while done.is_empty() {
        target.wait(None, &mut done);
    }
    done[0].outcome
}
