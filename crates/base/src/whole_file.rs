//! Files that are taken whole: a plan, a drive, a map, a list of specifications.
//!
//! A path given by a user may be anything: a FIFO, whose open blocks until there is a writer; `/dev/zero`, which never
//! ends; a directory; a log of gigabytes under the wrong name. So the file type is checked before and after opening (a
//! name may change in between), opening never blocks, and reading stops one byte beyond a limit that the caller sets.
//! The reported length is not trusted: a file may grow, and those of `/proc` report 0.

use std::fs::{File, FileType, OpenOptions};
use std::io::{Error, Read, Result};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use crate::size::Bytes;

/// Why a file is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// Another kind of thing has this name.
    #[error("is {0}, but a regular file is needed")]
    Kind(&'static str),
    /// More than any such file should have.
    #[error("is larger than {0}, the limit for such a file: is it the right one?")]
    TooLong(Bytes),
    /// Bytes that are no UTF-8.
    #[error("is not text: the byte at {0} is not UTF-8")]
    NoText(usize),
}

impl From<Unfit> for Error {
    fn from(unfit: Unfit) -> Error {
        let kind = match unfit {
            Unfit::Kind(_) => std::io::ErrorKind::InvalidInput,
            Unfit::TooLong(_) => std::io::ErrorKind::FileTooLarge,
            Unfit::NoText(_) => std::io::ErrorKind::InvalidData,
        };
        Error::new(kind, unfit)
    }
}

/// Opens a regular file for reading, without blocking.
///
/// # Errors
/// Where there is none, it may not be read, or it is another kind of thing ([`Unfit::Kind`]).
pub fn open(path: &Path) -> Result<File> {
    // Opening alone can do something to a device: a tape rewinds, a watchdog starts.
    regular(std::fs::metadata(path)?.file_type())?;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)?;
    regular(file.metadata()?.file_type())?;
    Ok(file)
}

fn regular(kind: FileType) -> std::result::Result<(), Unfit> {
    let words = [
        (kind.is_dir(), "a directory"),
        (kind.is_fifo(), "a FIFO"),
        (kind.is_char_device(), "a character device"),
        (kind.is_block_device(), "a block device"),
        (kind.is_socket(), "a socket"),
    ];
    match words.into_iter().find(|(is, _)| *is) {
        Some((_, words)) => Err(Unfit::Kind(words)),
        None => Ok(()),
    }
}

/// The bytes of a regular file of at most `most` bytes.
///
/// # Errors
/// As [`open`]; where it has more ([`Unfit::TooLong`]), or reading fails.
pub fn bytes(path: &Path, most: Bytes) -> Result<Vec<u8>> {
    let file = open(path)?;
    let said = file.metadata()?.len().min(most.get());
    read_on(file, most, Vec::with_capacity(said as usize + 1))
}

/// The text of a regular file of at most `most` bytes.
///
/// # Errors
/// As [`bytes`]; where it is no UTF-8 ([`Unfit::NoText`]).
pub fn text(path: &Path, most: Bytes) -> Result<String> {
    let bytes = bytes(path, most)?;
    String::from_utf8(bytes).map_err(|bad| Unfit::NoText(bad.utf8_error().valid_up_to()).into())
}

/// Everything that a reader gives, where that is at most `most` bytes.
///
/// # Errors
/// [`Unfit::TooLong`] where there is more; where reading fails.
pub fn up_to(from: impl Read, most: Bytes) -> Result<Vec<u8>> {
    read_on(from, most, Vec::new())
}

fn read_on(from: impl Read, most: Bytes, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
    from.take(most.get().saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most.get() {
        return Err(Unfit::TooLong(most).into());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(result: Result<String>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn a_file_is_read_up_to_its_bound_and_not_a_byte_further() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        std::fs::write(&path, "x".repeat(4_096)).unwrap();
        assert_eq!(text(&path, Bytes::kib(4)).unwrap().len(), 4_096);
        assert_eq!(
            said(text(&path, Bytes::new(4_095))),
            "is larger than 4095 B, the limit for such a file: is it the right one?"
        );
        assert_eq!(
            up_to(std::io::repeat(7), Bytes::kib(1)).unwrap_err().kind(),
            std::io::ErrorKind::FileTooLarge
        );
    }

    #[test]
    fn what_is_no_regular_file_is_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status();
        assert!(made.unwrap().success());
        let most = Bytes::mib(1);
        // Nobody ever writes to it.
        assert_eq!(
            said(text(&fifo, most)),
            "is a FIFO, but a regular file is needed"
        );
        assert!(said(text(Path::new("/dev/zero"), most)).contains("is a character device"));
        assert!(said(text(folder.path(), most)).contains("is a directory"));
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&fifo, &link).unwrap();
        assert!(said(text(&link, most)).contains("is a FIFO"));
        let missing = text(&folder.path().join("none"), most).unwrap_err();
        assert_eq!(missing.kind(), std::io::ErrorKind::NotFound);
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_with_their_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        std::fs::write(&path, b"name = \"\xff\"").unwrap();
        assert_eq!(
            said(text(&path, Bytes::kib(1))),
            "is not text: the byte at 8 is not UTF-8"
        );
        assert_eq!(bytes(&path, Bytes::kib(1)).unwrap().len(), 10);
    }

    #[test]
    fn a_file_that_says_it_is_empty_is_read_all_the_same() {
        let status = text(Path::new("/proc/self/status"), Bytes::mib(1)).unwrap();
        assert!(status.starts_with("Name:"), "{status}");
    }
}
