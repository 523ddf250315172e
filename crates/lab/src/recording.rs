//! Recording: a trace of a run, written while it runs.
//!
//! A layer between the run loop and the target (`Recorded`) notes submissions and completions; a thread formats the
//! lines and writes the file. The loop hands over batches and continues; it waits only if the file cannot keep up for
//! longer than a quarter of a million events, and this is counted and reported in the result. Phases follow one another
//! in the trace as in the run, with the idle time between them; the time that a method takes between phases on a real
//! drive is omitted.
//!
//! A submission is noted when the loop requests it. A real target submits in batches, a few microseconds later.

use base::{Argument, Duration, Info, Instant, Io, Message, Target};
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use base::target::{Busy, Done, Outcome, Tag};
use traces::{Event, Format, Writer};

use crate::error::LabError;

/// Events handed over at once, and such batches that may wait to be written.
const BATCH: usize = 1_024;
const BATCHES: usize = 256;

/// What a run is recorded into.
#[derive(Clone, Debug)]
pub struct RecordTo {
    /// The file; it must not be there yet.
    pub path: PathBuf,
    pub format: Format,
}

impl RecordTo {
    /// Checks whether the file can be made; it is not.
    ///
    /// # Errors
    /// Where it is there already, or its folder is not, or its format is only read.
    pub(crate) fn check_place(&self) -> Result<(), LabError> {
        self.writer()?;
        let folder = match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if self.path.symlink_metadata().is_ok() {
            Err(failed(&self.path, ErrorKind::AlreadyExists.into()))
        } else if folder.is_dir() {
            Ok(())
        } else {
            Err(failed(&self.path, ErrorKind::NotFound.into()))
        }
    }

    fn writer(&self) -> Result<Writer, LabError> {
        Writer::new(self.format).ok_or_else(|| {
            let name = self.format.name();
            let why = format!("traces in the format {name} are read, and not written");
            failed(&self.path, std::io::Error::other(why))
        })
    }
}

/// A trace that is being written.
pub(crate) struct Recorder {
    path: PathBuf,
    sender: Option<SyncSender<Vec<Event>>>,
    thread: Option<JoinHandle<std::io::Result<u64>>>,
    batch: Vec<Event>,
    /// Where the present phase begins in the trace.
    base: Duration,
    /// Time of the last event.
    last: Duration,
    waits: u64,
}

impl Recorder {
    /// Makes the file.
    ///
    /// # Errors
    /// Where it cannot be made, or is there already.
    pub(crate) fn begin(to: &RecordTo) -> Result<Recorder, LabError> {
        let file = File::options()
            .write(true)
            .create_new(true)
            .open(&to.path)
            .map_err(|source| failed(&to.path, source))?;
        let (sender, receiver) = sync_channel(BATCHES);
        let writer = to.writer()?;
        let thread = std::thread::spawn(move || write(file, writer, &receiver));
        Ok(Recorder {
            path: to.path.clone(),
            sender: Some(sender),
            thread: Some(thread),
            batch: Vec::with_capacity(BATCH),
            base: Duration::ZERO,
            last: Duration::ZERO,
            waits: 0,
        })
    }

    /// A phase begins on a target with this time on its clock, which begins anew with each phase on a real
    /// target and with each new modelled drive.
    fn phase_begins(&mut self, now: Instant) {
        let now = now.since(Instant::ZERO);
        if self.base + now < self.last {
            self.base = self.last - now;
        }
    }

    /// Time passes without I/Os.
    pub(crate) fn rest(&mut self, time: Duration) {
        self.last += time;
    }

    fn keep(&mut self, event: Event) {
        self.batch.push(event);
        if self.batch.len() == BATCH {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        let batch = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH));
        let Some(sender) = &self.sender else { return };
        match sender.try_send(batch) {
            Ok(()) => {}
            Err(TrySendError::Full(batch)) => {
                self.waits += 1;
                // Gone only where writing failed, which is said at the end.
                let _ = sender.send(batch);
            }
            Err(TrySendError::Disconnected(_)) => {}
        }
    }

    /// Writes the remainder; returns the messages about the trace.
    ///
    /// # Errors
    /// Where the file could not be written.
    pub(crate) fn end(mut self) -> Result<Vec<Message>, LabError> {
        self.hand_over();
        self.sender = None;
        let Some(thread) = self.thread.take() else {
            return Ok(Vec::new());
        };
        let written = match thread.join() {
            Ok(written) => written,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        let left_out = written.map_err(|source| failed(&self.path, source))?;
        let mut warnings = Vec::new();
        if left_out > 0 {
            let file = ("file", Argument::text(self.path.display()));
            let places = [("left-out", left_out.into()), file];
            warnings.push(Message::new("warning-trace-left-out", places));
        }
        if self.waits > 0 {
            let times = ("times", Argument::text(self.waits));
            warnings.push(Message::new("warning-trace-waits", [times]));
        }
        Ok(warnings)
    }
}

fn failed(path: &Path, source: std::io::Error) -> LabError {
    let source = if source.kind() == std::io::ErrorKind::AlreadyExists {
        std::io::Error::new(
            source.kind(),
            "is there already: name another file for the trace",
        )
    } else {
        source
    };
    LabError::File {
        path: path.to_owned(),
        source,
    }
}

/// The writing thread: returns the number of I/Os that the format does not support.
fn write(file: File, mut writer: Writer, events: &Receiver<Vec<Event>>) -> std::io::Result<u64> {
    let mut file = BufWriter::with_capacity(1 << 20, file);
    let mut text = writer.head();
    for batch in events {
        for event in &batch {
            writer.event(event, &mut text);
        }
        file.write_all(text.as_bytes())?;
        text.clear();
    }
    file.write_all(text.as_bytes())?;
    file.write_all(writer.tail().as_bytes())?;
    file.flush()?;
    Ok(writer.left_out())
}

/// A target whose I/Os are recorded.
pub(crate) struct Recorded<'a> {
    under: &'a mut dyn Target,
    recorder: &'a mut Recorder,
    /// I/Os in flight and their submission times, by tag.
    in_flight: Vec<(Instant, Io)>,
}

impl<'a> Recorded<'a> {
    pub(crate) fn new(under: &'a mut dyn Target, recorder: &'a mut Recorder) -> Recorded<'a> {
        recorder.phase_begins(under.now());
        Recorded {
            under,
            recorder,
            in_flight: Vec::new(),
        }
    }
}

impl Target for Recorded<'_> {
    fn info(&self) -> Info {
        self.under.info()
    }

    fn now(&self) -> Instant {
        self.under.now()
    }

    fn beneath(&self) -> Option<&dyn Target> {
        Some(self.under)
    }

    fn beneath_mut(&mut self) -> Option<&mut dyn Target> {
        Some(self.under)
    }

    fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
        let at = self.under.now().saturating_add(self.recorder.base);
        self.under.submit(tag, io)?;
        let slot = tag.0 as usize;
        if self.in_flight.len() <= slot {
            self.in_flight.resize(slot + 1, (at, Io::flush()));
        }
        self.in_flight[slot] = (at, *io);
        self.recorder.keep(Event::Sent { at, io: *io });
        Ok(())
    }

    fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        let before = done.len();
        self.under.wait(until, done);
        for d in &done[before..] {
            let at = d.at.saturating_add(self.recorder.base);
            self.recorder.last = self.recorder.last.max(at.since(Instant::ZERO));
            if let Some(&(sent, io)) = self.in_flight.get(d.tag.0 as usize) {
                self.recorder.keep(Event::Done {
                    sent,
                    at,
                    io,
                    failed: d.outcome != Outcome::Complete,
                });
            }
        }
    }
}
