//! Opening what is copied off: for reading alone.
//!
//! A device is opened with direct I/O, so that each sector is asked for on its own: through the page cache
//! the kernel reads whole pages and ahead, and a bad sector takes its neighbours with it. A file is opened as
//! it is. Neither can be written through what is returned.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a device or a file for reading.
///
/// # Errors
/// Where it cannot be opened.
pub fn open_for_reading(path: &Path) -> io::Result<File> {
    let is_device = std::fs::metadata(path)?.file_type().is_block_device();
    let direct = if is_device {
        OFlags::DIRECT
    } else {
        OFlags::empty()
    };
    let flags = direct | OFlags::CLOEXEC;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn what_is_opened_cannot_be_written() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut opened = open_for_reading(file.path()).unwrap();
        assert!(opened.write(b"x").is_err());
        assert!(open_for_reading(Path::new("/no/such/file")).is_err());
    }
}
