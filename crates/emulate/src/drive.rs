//! An emulated drive: its time ([`crate::paced`]), its data ([`crate::image`]) and its log ([`crate::log`]).
//!
//! A write takes effect when the drive acknowledges it, a read returns the contents at its completion. A request in
//! flight at a power cut never completes and has no effect.

use std::collections::{BTreeMap, VecDeque};
use std::io;

use base::target::Outcome;
use base::{Bytes, Duration, Info, Instant, Io, Op, Span, Target};

use crate::image::Image;
use crate::log::{self, BadLog, Record, Writer};
use crate::paced::{Ended, Paced, Ticket};
use crate::versions::Versions;

mod effect;

use effect::{Effect, Heeds, understood};

/// EIO of Linux.
pub const EIO: i32 = 5;
/// ENOSPC and EOPNOTSUPP of Linux.
const ENOSPC: i32 = 28;
const EOPNOTSUPP: i32 = 95;

/// The requester, and which of its requests it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asker {
    /// The frontend, by its index in the server.
    pub frontend: usize,
    /// The frontend's own number of who it is.
    pub connection: u64,
    /// The client's own number of it.
    pub cookie: u64,
}

/// A request to a drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Bytes.
    Read(Span),
    /// Bytes to write at an offset; with FUA they must be on stable storage at completion.
    Write {
        /// First byte.
        offset: Bytes,
        bytes: Vec<u8>,
        /// True for "force unit access".
        durable: bool,
    },
    /// A range is to be zeros; where it may, the drive forgets it as in a trim.
    Zero {
        span: Span,
        /// True where it may be forgotten.
        may_forget: bool,
        /// As for a write.
        durable: bool,
    },
    /// A range is no longer needed.
    Trim(Span),
    /// Everything acknowledged is to be on stable storage.
    Flush,
}

/// A completion from the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub asker: Asker,
    /// When the drive completed it.
    pub at: Instant,
    /// For a read: the requested range.
    pub asked: Bytes,
    /// For a successful read: the data to send.
    pub read: Option<Span>,
    /// The error number, as in `errno.h`; zero where all is well.
    pub error: i32,
}

/// What playing a log brought back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// Requests sent to the drive.
    pub requests: u64,
    /// Number of earlier requests that were [condensed](crate::condense): its data is complete, but it is less worn,
    /// and its flash less fragmented, than it was.
    pub left_out: u64,
    /// The drive's time at its end.
    pub at: Instant,
    /// True where the power had failed.
    pub cut: bool,
    /// Bytes that had been acknowledged, and that the power cut lost.
    pub lost: Bytes,
    /// True if there was no room for the log: reads are missing in it, and the drive's condition is as before them.
    pub missed: bool,
}

/// Why a kept drive cannot be restored.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    #[error("the log: {0}")]
    Log(#[from] BadLog),
    /// A request in the log does not fit the drive.
    #[error(
        "the log contains {asked:?}, which this drive does not support: it belongs to another drive"
    )]
    Outside { asked: Span },
    #[error("the data: {0}")]
    File(#[from] io::Error),
}

struct Open {
    asker: Asker,
    span: Span,
    effect: Effect,
}

/// A modelled drive that serves requests in real time, with data.
pub struct Emulated {
    paced: Paced,
    image: Image,
    log: Option<Writer>,
    ignores_flushes: bool,
    /// False once it has rejected a trim as unsupported.
    trims: bool,
    open: BTreeMap<Ticket, Open>,
    next: u64,
    ended: Vec<Ended>,
    /// Completions that do not involve the drive.
    at_once: Vec<Answer>,
    /// Bytes of outstanding writes.
    held: u64,
    /// For a kept drive: which version of each position is on stable storage.
    versions: Option<Versions>,
    /// Versions, and where the undo file ended when they were the newest.
    marks: VecDeque<(u64, u64)>,
    /// Undo records before this position are not needed, which the log will record.
    not_needed: u64,
}

impl Emulated {
    /// A drive whose data are forgotten with the process.
    pub fn new(target: Box<dyn Target>, image: Image) -> Emulated {
        Emulated {
            paced: Paced::new(target),
            image,
            log: None,
            ignores_flushes: false,
            trims: true,
            open: BTreeMap::new(),
            next: 0,
            ended: Vec::new(),
            at_once: Vec::new(),
            held: 0,
            versions: None,
            marks: VecDeque::new(),
            not_needed: 0,
        }
    }

    /// The same drive after replaying its log, which is appended to from now on. If the log does not end with a
    /// power-off, the power was cut there.
    ///
    /// # Errors
    /// [`RestoreError`].
    pub fn restored(
        mut self,
        log: impl io::Read,
        writer: Writer,
    ) -> Result<(Emulated, Restored), RestoreError> {
        let mut restored = Restored::default();
        self.versions = Some(Versions::default());
        let mut kept = 0;
        let mut is_off = true;
        for record in log::records(log) {
            let record = record?;
            self.paced.advance(record.at(), &mut self.ended);
            is_off = false;
            match record {
                Record::Arrived { io, .. } => {
                    fits(&self.info(), &io)?;
                    restored.requests += 1;
                    self.submit(&io);
                }
                Record::Reached { .. } => self.told_again(),
                Record::Kept { undo, .. } => kept = undo,
                Record::Looked { .. } => self.look(),
                Record::Missed { .. } => restored.missed = true,
                Record::Condensed { left_out } => restored.left_out += left_out,
                Record::Cut { .. } => {
                    self.ended.clear();
                    self.paced.power_cut();
                    self.versions.as_mut().map(Versions::power_cut);
                    is_off = true;
                }
            }
        }
        self.image.log_is(writer.length());
        self.log = Some(writer);
        self.image.keep(kept);
        if !is_off {
            restored.cut = true;
            restored.lost = self.cut()?;
        }
        restored.at = self.paced.now();
        Ok((self, restored))
    }

    /// Acknowledges flushes without sending them to the drive, as lying drives do.
    pub fn ignore_flushes(&mut self) {
        self.ignores_flushes = true;
    }

    /// The drive's properties.
    pub fn info(&self) -> Info {
        self.paced.info()
    }

    /// The drive's time.
    pub fn now(&self) -> Instant {
        self.paced.now()
    }

    /// Its contents.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// Outstanding requests.
    pub fn open(&self) -> usize {
        self.paced.open() + self.at_once.len()
    }

    /// Bytes of outstanding writes: their memory use.
    pub fn held(&self) -> Bytes {
        Bytes::new(self.held)
    }

    /// All completions so far had been delivered when the log was written.
    fn told_again(&mut self) {
        for ended in std::mem::take(&mut self.ended) {
            self.is_answered(&ended);
        }
    }

    /// Sends a request to the drive. What the drive has made stable at the positions that it changes is recorded
    /// before: afterwards it cannot be determined.
    fn submit(&mut self, io: &Io) -> Ticket {
        let ticket = Ticket(self.next);
        self.next += 1;
        if let Some(versions) = &mut self.versions {
            if matches!(io.op, Op::Write | Op::Trim) {
                let open = versions.open_in(Span::new(io.offset, io.len));
                versions.note_stable(&mut self.paced, &open);
            }
            versions.asked(ticket, io);
        }
        self.paced.submit(ticket, io);
        ticket
    }

    /// Queries the drive for everything that it has made stable.
    fn look(&mut self) {
        if let Some(versions) = &mut self.versions {
            let open = versions.open();
            versions.note_stable(&mut self.paced, &open);
        }
    }

    /// Looks once there is much that can be undone: most of it may be stable by now, flushed or not.
    fn look_now_and_then(&mut self) {
        let end = self.image.undo_end();
        let last = self.marks.back().map_or(0, |(_, end)| *end);
        if self.log.is_none() || end - last.max(self.not_needed) < LOOK_AFTER {
            return;
        }
        let at = self.paced.now();
        if let Some(log) = &mut self.log {
            log.push(&Record::Looked { at });
        }
        self.look();
        let Some(versions) = &self.versions else {
            return;
        };
        self.marks.push_back((versions.told(), end));
        let needed = versions.needed_from();
        let not_needed = self
            .marks
            .partition_point(|(version, _)| *version <= needed);
        let last = self.marks.drain(..not_needed).next_back();
        if let Some((_, position)) = last {
            self.kept(position);
        }
    }

    /// A request arrives at `now`. The caller has checked that it is within the drive. Without room for the log no
    /// request is accepted that changes data or makes data durable.
    pub fn ask(&mut self, now: Instant, asker: Asker, asked: Asked) {
        // What ended until now is for `advance` to tell.
        let mut ended = std::mem::take(&mut self.ended);
        self.paced.advance(now, &mut ended);
        self.ended = ended;
        let is_read = matches!(asked, Asked::Read(_));
        if self.has_no_room() && !is_read {
            self.answer_at_once(asker, ENOSPC);
        } else if self.ignores_flushes && asked == Asked::Flush {
            self.answer_at_once(asker, 0);
        } else {
            self.take(asker, asked);
        }
    }

    /// True if there is no room for the log.
    pub fn has_no_room(&self) -> bool {
        self.log.as_ref().is_some_and(Writer::is_full)
    }

    fn answer_at_once(&mut self, asker: Asker, error: i32) {
        self.at_once.push(Answer {
            asker,
            at: self.paced.now(),
            asked: Bytes::ZERO,
            read: None,
            error,
        });
    }

    /// Hands the drive a request that arrives now.
    fn take(&mut self, asker: Asker, asked: Asked) {
        let now = self.paced.now();
        self.look_now_and_then();
        let heeds = Heeds {
            flushes: !self.ignores_flushes,
            trims: self.trims,
        };
        let (io, effect) = understood(asked, heeds, self.image.undo_end());
        if let Some(log) = &mut self.log {
            log.push(&Record::Arrived { at: now, io });
        }
        self.held += effect.bytes();
        let span = Span::new(io.offset, io.len);
        let ticket = self.submit(&io);
        self.open.insert(
            ticket,
            Open {
                asker,
                span,
                effect,
            },
        );
    }

    /// Advances to `now`: what the drive has completed until then takes effect, and is delivered. Nothing may be
    /// delivered that the log does not have: without room for it, changes and flushes fail.
    ///
    /// # Errors
    /// Those of the log.
    pub fn advance(&mut self, now: Instant, answers: &mut Vec<Answer>) -> io::Result<()> {
        self.paced.advance(now, &mut self.ended);
        answers.append(&mut self.at_once);
        let mut refused = Vec::new();
        for ended in std::mem::take(&mut self.ended) {
            let version = self.is_answered(&ended);
            let Some(open) = self.open.remove(&ended.ticket) else {
                continue;
            };
            self.held -= open.effect.bytes();
            if open.effect == Effect::Forget && ended.outcome == Outcome::Failed(EOPNOTSUPP) {
                refused.push(open);
            } else {
                answers.push(self.takes_effect(&ended, &open, version));
            }
        }
        if answers.is_empty() && refused.is_empty() {
            return Ok(());
        }
        if let Some(log) = &mut self.log {
            let at = self.paced.now();
            log.push(&Record::Reached { at });
        }
        for open in refused {
            self.zeros_by_writing(&open);
        }
        self.hand_over(answers)
    }

    /// A drive without trim support has to write the zeros, as the kernel would; from now on immediately.
    fn zeros_by_writing(&mut self, open: &Open) {
        self.trims = false;
        let zero = Asked::Zero {
            span: open.span,
            may_forget: false,
            durable: false,
        };
        self.take(open.asker, zero);
    }

    /// The log is written before anything is delivered.
    fn hand_over(&mut self, answers: &mut [Answer]) -> io::Result<()> {
        if let Some(log) = &mut self.log {
            if log.hand_over()? {
                self.image.log_is(log.length());
                // Not before the log says so: whoever plays it without these bytes could put nothing back.
                self.image.keep(self.not_needed);
                return Ok(());
            }
            let changes = answers.iter_mut().filter(|answer| answer.asked.is_zero());
            let done = changes.filter(|answer| answer.error == 0);
            done.for_each(|answer| answer.error = ENOSPC);
        }
        Ok(())
    }

    /// Records a completion; returns its number.
    fn is_answered(&mut self, ended: &Ended) -> u64 {
        let honest = self.paced.honours_flushes();
        let versions = self.versions.as_mut();
        versions.map_or(0, |versions| {
            versions.answered(ended.ticket, ended.outcome == Outcome::Complete, honest)
        })
    }

    fn takes_effect(&mut self, ended: &Ended, open: &Open, version: u64) -> Answer {
        let done = match ended.outcome {
            Outcome::Complete => self.change(open, version),
            Outcome::Failed(error) | Outcome::Broken(error) => Err(error),
            // A part of it is none: what it left is not known.
            Outcome::Short(_) | Outcome::Differs(_) => Err(EIO),
        };
        let is_read = matches!(open.effect, Effect::Read);
        Answer {
            asker: open.asker,
            at: ended.at,
            asked: if is_read { open.span.len } else { Bytes::ZERO },
            read: (is_read && done.is_ok()).then_some(open.span),
            error: done.err().unwrap_or(0),
        }
    }

    fn change(&mut self, open: &Open, version: u64) -> Result<(), i32> {
        let changed = match &open.effect {
            Effect::Read => Ok(()),
            Effect::Write(bytes) => self.image.write(open.span.start, bytes, version),
            Effect::Zero | Effect::Forget => self.image.zero(open.span, version),
            Effect::Trim => self.image.discard(open.span),
            Effect::Flush(position) => {
                if self.paced.honours_flushes() {
                    self.kept(*position);
                }
                Ok(())
            }
        };
        changed.map_err(|error| error.raw_os_error().unwrap_or(EIO))
    }

    fn kept(&mut self, position: u64) {
        if let Some(log) = &mut self.log {
            let at = self.paced.now();
            log.push(&Record::Kept { at, undo: position });
            self.not_needed = self.not_needed.max(position);
        }
    }

    /// The earliest time of the next completion, as long as something is outstanding.
    pub fn next(&self) -> Option<Instant> {
        // What ended before another request arrived waits to be told.
        if self.at_once.is_empty() && self.ended.is_empty() {
            self.paced.next()
        } else {
            Some(self.paced.now())
        }
    }

    /// The power fails now. Gives the bytes that were acknowledged and are lost.
    fn cut(&mut self) -> io::Result<Bytes> {
        let at = self.paced.now();
        let lost = self.paced.power_cut();
        self.open.clear();
        self.ended.clear();
        self.held = 0;
        let mut taken = Bytes::ZERO;
        if let Some(versions) = &mut self.versions {
            taken = self.image.put_back(&lost, versions)?;
            versions.power_cut();
        }
        self.marks.clear();
        self.not_needed = self.image.undo_end();
        if let Some(log) = &mut self.log {
            log.end(at, self.image.undo_end())?;
        }
        Ok(taken)
    }

    /// Switches the drive off like an orderly shutdown: a flush, then power off when it completes. Outstanding requests
    /// never complete. A drive that ignores flushes is switched off without one.
    ///
    /// # Errors
    /// Those of the drive's files.
    pub fn switch_off(&mut self, now: Instant) -> io::Result<()> {
        if self.log.is_none() {
            return Ok(());
        }
        let mut answers = Vec::new();
        self.advance(now, &mut answers)?;
        let asker = Asker {
            frontend: usize::MAX,
            connection: 0,
            cookie: 0,
        };
        if !self.ignores_flushes {
            self.take(asker, Asked::Flush);
        }
        while self.open() > 0 {
            let Some(next) = self.next() else { break };
            self.advance(next, &mut answers)?;
        }
        self.cut()?;
        self.image.sync()
    }
}

/// Whether a logged request is one that a drive can have received.
///
/// # Errors
/// [`RestoreError::Outside`].
pub(crate) fn fits(info: &Info, io: &Io) -> Result<(), RestoreError> {
    let is_whole = [io.offset, io.len]
        .iter()
        .all(|bytes| bytes.is_multiple_of(info.block));
    if !is_whole || io.end() > info.capacity {
        return Err(RestoreError::Outside {
            asked: Span::new(io.offset, io.len),
        });
    }
    Ok(())
}

/// Amount of undo data before the drive is queried for what it has made stable.
const LOOK_AFTER: u64 = 64 << 20;

/// Longest interval between advances of the drive, which also works while idle.
pub const LONGEST_REST: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests;
