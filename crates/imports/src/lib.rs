//! Results of other tools, read beside our own.
//!
//! A reader is a pure function from a file's text to [`Imported`]: which tool and version measured what, when, and the
//! figures with the conditions that the file states. It says "not mine" of a file of another tool by its content, never by
//! its name. A file that is some tool's but not as this reader knows it is an error with the line, and no half result.
//! One place ([`into_result`]) makes a [`RunResult`] of it.
//!
//! What a file does not state (the state of the drive, how full it is, which computer) stays not stated: a default in
//! its place would let a comparison say what nobody knows. Numbers are converted exactly, from the digits as they stand.

mod as_ssd;
mod backblaze;
mod crystaldiskmark;
mod crystaldiskmark_lines;
mod ddrescue;
mod diskspd;
mod diskspd_text;
mod error;
mod fio;
mod fio_log;
mod hd_tune;
mod imported;
mod iometer;
mod kdiskmark;
mod known;
mod number;
mod result;
mod text;

pub use error::{FileError, ImportError};
pub use imported::{Imported, When};
pub use result::{Source, into_result};

use std::path::Path;

use base::size::Bytes;
use results::RunResult;

use text::Text;

/// The largest file that is taken: a day of a large operator's drives has some 100 MB.
pub const LARGEST: Bytes = Bytes::mib(128);

/// What a reader gives of a file: nothing where it is not its tool's.
type Outcome = Result<Option<Imported>, ImportError>;

/// A kind of file that is read.
pub struct Reader {
    /// What it reads, for people.
    pub reads: &'static str,
    read: fn(&Text) -> Outcome,
}

const fn reader(reads: &'static str, read: fn(&Text) -> Outcome) -> Reader {
    Reader { reads, read }
}

/// All readers, in the order in which they are asked.
pub const READERS: &[Reader] = &[
    reader("CrystalDiskMark 3 to 9 (text)", crystaldiskmark::read),
    reader("KDiskMark 2 and 3 (text)", kdiskmark::read),
    reader("fio 2 and 3 (JSON, json+)", fio::read),
    reader("fio (logs of bandwidth, IOPS, latency)", fio_log::read),
    reader("DiskSpd (XML)", diskspd::read),
    reader("DiskSpd (text)", diskspd_text::read),
    reader("AS SSD Benchmark (text)", as_ssd::read),
    reader("Iometer (results as CSV)", iometer::read),
    reader("HD Tune (benchmark, text)", hd_tune::read),
    reader("GNU ddrescue (map)", ddrescue::read),
    reader("Backblaze drive stats (CSV)", backblaze::read),
];

/// Reads a file of any known tool.
///
/// # Errors
/// [`ImportError`]: what is no text, a tool's output that is known and not supported, a layout that its reader does not
/// know, and anything else.
pub fn read(bytes: &[u8]) -> Result<Imported, ImportError> {
    let text = Text::of(bytes)?;
    for reader in READERS {
        if let Some(imported) = (reader.read)(&text)? {
            return Ok(imported);
        }
    }
    Err(match known::tool_of(&text) {
        Some(tool) => ImportError::NotSupported { tool },
        None => ImportError::Unknown,
    })
}

/// The result that a file holds; `drivelab` is the version that reads it, `command` what asked for it.
///
/// # Errors
/// [`FileError`]: the file cannot be read, or [`read`] fails.
pub fn result_of(path: &Path, drivelab: &str, command: &[String]) -> Result<RunResult, FileError> {
    let bytes = base::whole_file::bytes(path, LARGEST);
    let bytes = bytes.map_err(|why| FileError::unreadable(path, why))?;
    let imported = read(&bytes).map_err(|why| FileError::import(path, why))?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    let source = Source {
        file: &name.to_string_lossy(),
        bytes: &bytes,
        drivelab,
        command,
    };
    Ok(into_result(imported, source))
}
