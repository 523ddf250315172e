//! What a kept drive was asked, as a trace: for the method `replay`, for fio, for whoever studies a boot or a database.

use std::io::{self, Write};
use std::path::Path;

use traces::{Event, Format, Writer};

use crate::kept::{KeptError, log_of};
use crate::log::{BadLog, Record, records};

/// Why there is no trace.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The folder.
    #[error(transparent)]
    Kept(#[from] KeptError),
    /// The log.
    #[error("the log: {0}")]
    Log(#[from] BadLog),
    /// Where it was to go.
    #[error("the trace: {0}")]
    Write(#[from] io::Error),
}

/// Writes all that a drive was asked as fio's iolog, version 3, which has trims and flushes, with times from when the
/// drive was new; gives the number of requests. Times at which it was switched off are left out: none passed for it.
///
/// # Errors
/// [`TraceError`].
pub fn write_trace(folder: &Path, out: &mut dyn Write) -> Result<u64, TraceError> {
    let log = log_of(folder)?;
    let mut writer = Writer::new(Format::FioV3);
    let mut requests = 0;
    out.write_all(writer.head().as_bytes())?;
    let mut line = String::new();
    for record in records(log) {
        if let Record::Arrived { at, io } = record? {
            line.clear();
            writer.event(&Event::Sent { at, io }, &mut line);
            out.write_all(line.as_bytes())?;
            requests += 1;
        }
    }
    out.write_all(writer.tail().as_bytes())?;
    Ok(requests)
}
