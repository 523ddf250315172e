//! The life of a test file: created if there is room, never over an existing file, and removed afterwards.
//!
//! If the file system supports it the file is unnamed (`O_TMPFILE`): it is in no directory, and when the last process
//! that has it open ends, however it ends, its space is freed. Elsewhere (FAT, exFAT, NFS, some FUSE file systems) it
//! has the name `drivelab-test-PID-N.tmp`, an advisory lock as long as its creator lives, and a magic number in one
//! block *after* the tested bytes, where no workload writes. A file with such a name and no lock was left by a killed
//! creator; [`remove_stale`] removes it, if it has the magic number or is still empty.
//!
//! Space is reserved (`fallocate`) before the first byte is written, so that a full disk is detected at once. Reserved
//! space has no content: the file system answers reads of it with zeros and never accesses the drive. **To measure
//! reads, write the whole file first**; nothing here does that, and nothing hides that it has not been done.
//!
//! On file systems without unwritten extents (FAT, exFAT, NTFS) the magic number after the tested bytes makes the file
//! system fill the gap before it with zeros, so that creating a named file there takes as long as writing it once.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use base::size::Bytes;
use rustix::fs::{Access, CWD, FallocateFlags, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

mod error;
pub use error::TestFileError;

/// Share of a file system that stays free next to a test file, as a divisor, but at most [`MOST_KEPT_FREE`].
pub const KEPT_FREE_ONE_IN: u64 = 10;

/// Enough room for everything else on a computer: a tenth of a file system of many terabytes would refuse harmless
/// tests.
pub const MOST_KEPT_FREE: Bytes = Bytes::gib(4);

/// The block after the tested bytes of a named file.
const MARK_BLOCK: Bytes = Bytes::kib(4);

/// What the mark begins with; the length of the tested bytes follows, little-endian.
const MARK: &[u8; 24] = b"drivelab test file v1\n\0\0";

/// Names tried before giving up; more can only be taken on purpose.
const NAMES_TRIED: u32 = 1000;

/// How a test file is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// Without a name where the file system allows it, else with one.
    NamelessIfPossible,
    /// With a name, always.
    Named,
}

/// An open test file, removed when dropped.
#[derive(Debug)]
pub struct TestFile {
    file: File,
    directory: PathBuf,
    path: Option<PathBuf>,
    bytes: Bytes,
    free_after: Bytes,
    reserved: bool,
}

impl TestFile {
    /// Makes a test file of `bytes` bytes in `directory`. Its content is unspecified zeros.
    ///
    /// # Errors
    /// Where the directory is none or may not be written, and where less than a tenth of the file
    /// system would stay free, or less than 4 GiB of a large one.
    pub fn create(
        directory: &Path,
        bytes: Bytes,
        naming: Naming,
    ) -> Result<TestFile, TestFileError> {
        check_directory(directory)?;
        let free_after = check_room(directory, bytes)?;
        let nameless = match naming {
            Naming::NamelessIfPossible => create_nameless(directory)?,
            Naming::Named => None,
        };
        let (file, path) = match nameless {
            Some(file) => (file, None),
            None => {
                let (file, path) = create_named(directory)?;
                (file, Some(path))
            }
        };
        // From here on an error drops it, which removes it.
        let mut made = TestFile {
            file,
            directory: directory.to_owned(),
            path,
            bytes,
            free_after,
            reserved: false,
        };
        made.give_length()?;
        Ok(made)
    }

    /// The file, open for reading and writing through the page cache.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The number of bytes to be tested, from offset 0. A named file is 4 KiB longer: the magic number after them must
    /// stay.
    pub fn bytes(&self) -> Bytes {
        self.bytes
    }

    /// What is left free on the file system next to the whole file.
    pub fn free_after(&self) -> Bytes {
        self.free_after
    }

    /// The path, or `None` for a nameless file.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// True where the file system has set the space aside; false where it cannot (then writing may
    /// still end with a full disk).
    pub fn is_reserved(&self) -> bool {
        self.reserved
    }

    /// Opens the same file once more, for reading and writing with further flags (`O_DIRECT`,
    /// `O_SYNC`). Works for a nameless file too, through `/proc/self/fd`.
    ///
    /// # Errors
    /// `EINVAL` where the file system has no direct I/O; where `/proc` is not mounted.
    #[cfg(test)]
    pub fn open_again(&self, flags: OFlags) -> io::Result<File> {
        use std::os::fd::AsRawFd;
        let link = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        let opened = rustix::fs::open(link, OFlags::RDWR | OFlags::CLOEXEC | flags, Mode::empty())?;
        Ok(File::from(opened))
    }

    /// Removes the file now, and reports failure. Dropping does the same silently.
    ///
    /// # Errors
    /// Where the directory no longer allows it.
    pub fn remove(mut self) -> Result<(), TestFileError> {
        let directory = self.directory.clone();
        self.unlink()
            .map_err(|error| TestFileError::from_io("remove the test file from", &directory, error))
    }

    /// Reserves the space, marks a named file, sets the length.
    fn give_length(&mut self) -> Result<(), TestFileError> {
        let length = if self.path.is_some() {
            self.bytes.saturating_add(MARK_BLOCK)
        } else {
            self.bytes
        };
        self.reserved = self.lay_out(length).map_err(|error| match error.kind() {
            io::ErrorKind::StorageFull => self.no_room(length),
            _ => TestFileError::from_io("reserve space in", &self.directory, error),
        })?;
        Ok(())
    }

    /// The length stays 0 until the mark is there: an empty file needs no mark to be removed.
    fn lay_out(&self, length: Bytes) -> io::Result<bool> {
        let reserved = reserve(&self.file, length)?;
        if self.path.is_some() {
            self.file
                .write_all_at(&mark(self.bytes), self.bytes.get())?;
        }
        self.file.set_len(length.get())?;
        Ok(reserved)
    }

    fn no_room(&self, needed: Bytes) -> TestFileError {
        let (free, size) = space(&self.directory).unwrap_or_default();
        TestFileError::NoRoom {
            directory: self.directory.clone(),
            needed,
            free,
            kept: kept_free(size),
        }
    }

    /// Takes the name away, if it still is this file's.
    fn unlink(&mut self) -> io::Result<()> {
        match self.path.take() {
            Some(path) if names(&path, &self.file)? => fs::remove_file(path),
            _ => Ok(()),
        }
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        // Nobody is left to be told; the next start in this directory removes what stays.
        let _ = self.unlink();
    }
}

/// Removes test files that a killed process left in the directory, and returns them. Files that are locked, belong to
/// another user, or do not have the magic number stay.
///
/// # Errors
/// Where the directory cannot be read, or a stale file cannot be removed.
pub fn remove_stale(directory: &Path) -> Result<Vec<PathBuf>, TestFileError> {
    let fail = |error| TestFileError::from_io("look for stale test files in", directory, error);
    let mut stale = Vec::new();
    for entry in fs::read_dir(directory).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        if is_our_name(&entry.file_name()) {
            stale.push(entry.path());
        }
    }
    stale.sort();
    let mut removed = Vec::new();
    for path in stale {
        // A lock that we got is held until the file is gone: its maker cannot come in between.
        if let Some(file) = open_if_stale(&path)
            && names(&path, &file).map_err(fail)?
        {
            fs::remove_file(&path).map_err(fail)?;
            removed.push(path);
        }
    }
    Ok(removed)
}

/// `drivelab-test-PID-N.tmp`.
fn is_our_name(name: &OsStr) -> bool {
    let numbers = name
        .as_bytes()
        .strip_prefix(b"drivelab-test-")
        .and_then(|rest| rest.strip_suffix(b".tmp"));
    let is_number = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    numbers.is_some_and(|numbers| {
        numbers.split(|byte| *byte == b'-').count() == 2
            && numbers.split(|byte| *byte == b'-').all(is_number)
    })
}

/// The file, locked, if it was left by a creator of the same user.
fn open_if_stale(path: &Path) -> Option<File> {
    // NONBLOCK: a pipe of that name must not hold us up.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    let found = file.metadata().ok()?;
    let is_ours =
        found.is_file() && found.nlink() == 1 && found.uid() == rustix::process::geteuid().as_raw();
    if !is_ours || rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        return None;
    }
    // Looked at again under the lock: its maker may just have given it a length.
    let length = Bytes::new(file.metadata().ok()?.len());
    (length.is_zero() || has_mark(&file, length)).then_some(file)
}

/// The block after this many tested bytes.
fn mark(tested: Bytes) -> Vec<u8> {
    [&MARK[..], &tested.get().to_le_bytes()].concat()
}

/// True for a file that ends with the mark's block, or, where its maker was killed before it gave
/// the file its length, with the mark alone.
fn has_mark(file: &File, length: Bytes) -> bool {
    let mut found = mark(Bytes::ZERO);
    [MARK_BLOCK, Bytes::new(found.len() as u64)]
        .into_iter()
        .any(|behind| {
            let tested = length.saturating_sub(behind);
            file.read_exact_at(&mut found, tested.get()).is_ok() && found == mark(tested)
        })
}

/// True where the path still leads to this very file.
fn names(path: &Path, file: &File) -> io::Result<bool> {
    let ours = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(found.dev() == ours.dev() && found.ino() == ours.ino()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// All checks of [`TestFile::create`] before it creates the file: nothing is created.
///
/// # Errors
/// As [`TestFile::create`].
pub fn would_fit(directory: &Path, bytes: Bytes) -> Result<(), TestFileError> {
    check_directory(directory)?;
    rustix::fs::access(directory, Access::WRITE_OK | Access::EXEC_OK)
        .map_err(|error| TestFileError::from_io("make a test file in", directory, error.into()))?;
    check_room(directory, bytes).map(|_| ())
}

fn check_directory(directory: &Path) -> Result<(), TestFileError> {
    let found = fs::metadata(directory)
        .map_err(|error| TestFileError::from_io("look at", directory, error))?;
    if found.is_dir() {
        Ok(())
    } else {
        Err(TestFileError::NotADirectory {
            path: directory.to_owned(),
        })
    }
}

/// What stays free next to the file, if that is enough. The few blocks that the file system needs for itself (extents,
/// bitmaps) are not counted: they are thousandths.
fn check_room(directory: &Path, bytes: Bytes) -> Result<Bytes, TestFileError> {
    let (free, size) = space(directory)
        .map_err(|error| TestFileError::from_io("ask for the free space of", directory, error))?;
    let needed = bytes.saturating_add(MARK_BLOCK);
    let kept = kept_free(size);
    if needed.saturating_add(kept) > free {
        return Err(TestFileError::NoRoom {
            directory: directory.to_owned(),
            needed,
            free,
            kept,
        });
    }
    Ok(free - needed)
}

/// What an ordinary user may still write, and the size of the file system. Root could also use the reserve that ext4
/// keeps for emergencies, which a test is not.
fn space(directory: &Path) -> io::Result<(Bytes, Bytes)> {
    let found = rustix::fs::statvfs(directory)?;
    let blocks = |count: u64| Bytes::new(count.saturating_mul(found.f_frsize));
    Ok((blocks(found.f_bavail), blocks(found.f_blocks)))
}

fn kept_free(size: Bytes) -> Bytes {
    Bytes::new(size.get().div_ceil(KEPT_FREE_ONE_IN)).min(MOST_KEPT_FREE)
}

/// A file without a name, or `None` where the file system has none such.
fn create_nameless(directory: &Path) -> Result<Option<File>, TestFileError> {
    // With O_EXCL nobody can give it a name later.
    let flags = OFlags::TMPFILE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
    match rustix::fs::openat(CWD, directory, flags, Mode::RUSR | Mode::WUSR) {
        Ok(file) => Ok(Some(File::from(file))),
        // Kernels before 3.11 answer EISDIR, file systems without it EOPNOTSUPP, some FUSE ones EINVAL or ENOSYS.
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOSYS) => Ok(None),
        Err(error) => Err(TestFileError::from_io(
            "make a test file in",
            directory,
            error.into(),
        )),
    }
}

/// A new, locked file with a name that nothing else has.
fn create_named(directory: &Path) -> Result<(File, PathBuf), TestFileError> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let fail = |error: io::Error| TestFileError::from_io("make a test file in", directory, error);
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for _ in 0..NAMES_TRIED {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = directory.join(OsString::from(format!(
            "drivelab-test-{}-{number}.tmp",
            std::process::id()
        )));
        let file = match rustix::fs::openat(CWD, &path, flags, Mode::RUSR | Mode::WUSR) {
            Ok(file) => File::from(file),
            Err(Errno::EXIST) => continue,
            Err(error) => return Err(fail(error.into())),
        };
        // Where the file system has no locks the file is never taken for stale, as no lock is got.
        let _ = rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive);
        // Somebody who looks for stale files may have been quicker than the lock.
        if names(&path, &file).map_err(fail)? {
            return Ok((file, path));
        }
    }
    Err(fail(io::ErrorKind::AlreadyExists.into()))
}

/// Sets space aside without giving the file a length; false where the file system cannot.
fn reserve(file: &File, bytes: Bytes) -> io::Result<bool> {
    if bytes.is_zero() {
        return Ok(true);
    }
    match rustix::fs::fallocate(file, FallocateFlags::KEEP_SIZE, 0, bytes.get()) {
        Ok(()) => Ok(true),
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests;
