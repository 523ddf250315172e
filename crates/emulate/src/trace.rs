//! The requests to a kept drive as a trace: for the method `replay`, for fio, for studying a boot or a database.
//!
//! The log has no completions, since they follow from the requests: to determine when each completed, a drive in the
//! kept drive's initial state gets the same requests at the same times ([`write_answered_trace`]).

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use base::target::Outcome;
use base::{Instant, Interrupt, Io};
use traces::{Event, Format, Writer};

use crate::drive::{RestoreError, fits};
use crate::kept::{KeptError, log_of, who_of};
use crate::log::{BadLog, Record, records};
use crate::offer::{OfferError, modelled};
use crate::paced::{Ended, Paced, Ticket};

/// Why there is no trace.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The folder.
    #[error(transparent)]
    Kept(#[from] KeptError),
    /// The drive.
    #[error(transparent)]
    Offer(#[from] OfferError),
    /// Nobody's folder.
    #[error("{0}: contains no emulated drive")]
    Empty(String),
    /// A request that the drive cannot have received.
    #[error("the log: {0}")]
    NotIts(#[from] RestoreError),
    #[error("the log: {0}")]
    Log(#[from] BadLog),
    /// Where it was to go.
    #[error("the trace: {0}")]
    Write(#[from] io::Error),
}

/// What was written of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traced {
    /// Requests of the trace.
    pub requests: u64,
    /// Requests that the log does not have any more.
    pub left_out: u64,
}

/// Writes all requests to a drive as fio's iolog, version 3, which has trims and flushes, with times since the drive
/// was new. Times at which it was switched off are omitted: none passed for it.
///
/// # Errors
/// [`TraceError`].
pub fn write_trace(folder: &Path, out: &mut dyn Write) -> Result<Traced, TraceError> {
    let log = log_of(folder)?;
    let mut writer = Writer::new(Format::FioV3).expect("iologs are written");
    let mut traced = Traced::default();
    out.write_all(writer.head().as_bytes())?;
    let mut line = String::new();
    for record in records(log) {
        match record? {
            Record::Arrived { at, io } => {
                line.clear();
                writer.event(&Event::Sent { at, io }, &mut line);
                out.write_all(line.as_bytes())?;
                traced.requests += 1;
            }
            Record::Condensed { left_out } => traced.left_out += left_out,
            _ => {}
        }
    }
    out.write_all(writer.tail().as_bytes())?;
    Ok(traced)
}

/// Outstanding requests.
struct Asked {
    writer: Writer,
    open: BTreeMap<Ticket, (Instant, Io)>,
    ended: Vec<Ended>,
    line: String,
}

impl Asked {
    /// Appends the drive's completions.
    fn tell(&mut self) {
        for ended in self.ended.drain(..) {
            if let Some((sent, io)) = self.open.remove(&ended.ticket) {
                let done = Event::Done {
                    sent,
                    at: ended.at,
                    io,
                    failed: ended.outcome != Outcome::Complete,
                };
                self.writer.event(&done, &mut self.line);
            }
        }
    }
}

/// As [`write_trace`], as blkparse text, with completion times. Requests in flight at a power cut never completed, nor
/// did those outstanding at the log's end.
///
/// # Errors
/// [`TraceError`].
pub fn write_answered_trace(
    folder: &Path,
    interrupt: &Interrupt,
    out: &mut dyn Write,
) -> Result<Traced, TraceError> {
    let who = who_of(folder)?.ok_or_else(|| TraceError::Empty(folder.display().to_string()))?;
    let mut drive = Paced::new(modelled(&who.target, who.seed, interrupt)?.target);
    let mut asked = Asked {
        writer: Writer::new(Format::Blkparse).expect("blkparse is written"),
        open: BTreeMap::new(),
        ended: Vec::new(),
        line: String::new(),
    };
    let mut traced = Traced::default();
    for record in records(log_of(folder)?) {
        let record = record?;
        drive.advance(record.at(), &mut asked.ended);
        asked.tell();
        match record {
            Record::Arrived { at, io } => {
                fits(&drive.info(), &io)?;
                let ticket = Ticket(traced.requests);
                asked.open.insert(ticket, (at, io));
                asked.writer.event(&Event::Sent { at, io }, &mut asked.line);
                drive.submit(ticket, &io);
                traced.requests += 1;
            }
            Record::Condensed { left_out } => traced.left_out += left_out,
            Record::Cut { .. } => {
                drive.power_cut();
                asked.open.clear();
            }
            Record::Reached { .. }
            | Record::Kept { .. }
            | Record::Looked { .. }
            | Record::Missed { .. } => {}
        }
        out.write_all(asked.line.as_bytes())?;
        asked.line.clear();
    }
    Ok(traced)
}
