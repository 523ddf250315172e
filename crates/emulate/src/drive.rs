//! An emulated drive: its time ([`crate::paced`]), its data ([`crate::image`]) and its log ([`crate::log`]).
//!
//! A write takes effect when the drive acknowledges it, a read finds what stands there when it is answered. A
//! request that the power failed on was never answered and left nothing.

use std::collections::{BTreeMap, VecDeque};
use std::io;

use base::io::{Fill, Io, Op};
use base::size::Bytes;
use base::target::{Info, Outcome, Target};
use base::time::{Duration, Instant};
use base::workload::Span;

use crate::image::Image;
use crate::log::{self, BadLog, Record, Writer};
use crate::paced::{Ended, Paced, Ticket};
use crate::versions::Versions;

/// EIO of Linux.
pub const EIO: i32 = 5;

/// Who asked, and which of his requests it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asker {
    /// The connection.
    pub connection: u64,
    /// The client's own number of it.
    pub cookie: u64,
}

/// What is asked of a drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Bytes.
    Read(Span),
    /// Bytes to be written from an offset on; durable where they must be on stable storage when it is answered.
    Write {
        /// First byte.
        offset: Bytes,
        /// The bytes.
        bytes: Vec<u8>,
        /// True for "force unit access".
        durable: bool,
    },
    /// A range is to be zeros; where it may, the drive forgets it as in a trim.
    Zero {
        /// Where.
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

/// An answer of the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Who asked.
    pub asker: Asker,
    /// When the drive answered.
    pub at: Instant,
    /// Of a read: what was asked for.
    pub asked: Bytes,
    /// Of a read that succeeded: what is to be sent.
    pub read: Option<Span>,
    /// The error number, as in `errno.h`; zero where all is well.
    pub error: i32,
}

/// What playing a log brought back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// Requests that the drive had been asked.
    pub requests: u64,
    /// The drive's time at its end.
    pub at: Instant,
    /// True where the power had failed.
    pub cut: bool,
    /// Bytes that had been acknowledged, and that the power cut lost.
    pub lost: Bytes,
}

/// Why a kept drive cannot be had back.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The log.
    #[error("the log: {0}")]
    Log(#[from] BadLog),
    /// A request in the log does not fit the drive.
    #[error("the log asks for {asked:?}, which this drive does not have: it is another drive's")]
    Outside {
        /// Where.
        asked: Span,
    },
    /// A file.
    #[error("the data: {0}")]
    File(#[from] io::Error),
}

/// What becomes of a request when it is answered.
#[derive(Debug)]
enum Effect {
    Read,
    Write(Vec<u8>),
    Zero,
    Trim,
    /// Everything before this position of the undo file is kept then.
    Flush(u64),
}

impl Effect {
    /// Bytes that it holds in memory.
    fn bytes(&self) -> u64 {
        match self {
            Effect::Write(bytes) => bytes.len() as u64,
            Effect::Read | Effect::Zero | Effect::Trim | Effect::Flush(_) => 0,
        }
    }
}

struct Open {
    asker: Asker,
    span: Span,
    effect: Effect,
}

/// A modelled drive that answers in time, with data.
pub struct Emulated {
    paced: Paced,
    image: Image,
    log: Option<Writer>,
    ignores_flushes: bool,
    open: BTreeMap<Ticket, Open>,
    next: u64,
    ended: Vec<Ended>,
    /// What is answered without the drive.
    at_once: Vec<Answer>,
    /// Bytes of writes that are not answered.
    held: u64,
    /// Of a drive that is kept: which version of each place is on stable storage.
    versions: Option<Versions>,
    /// Versions, and where the undo file ended when they were the newest.
    marks: VecDeque<(u64, u64)>,
    /// What stands before this position of the undo file is not needed, which the log is going to say.
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

    /// The same drive after all that stands in its log, which is appended to from now on. Where the log does not end
    /// with the power switched off, it failed then.
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

    /// Answers flushes without asking the drive, as drives do that lie.
    pub fn ignore_flushes(&mut self) {
        self.ignores_flushes = true;
    }

    /// What the drive says of itself.
    pub fn info(&self) -> Info {
        self.paced.info()
    }

    /// The drive's time.
    pub fn now(&self) -> Instant {
        self.paced.now()
    }

    /// What stands on it.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// Requests that are not answered.
    pub fn open(&self) -> usize {
        self.paced.open() + self.at_once.len()
    }

    /// Bytes of writes that are not answered: what they take of memory.
    pub fn held(&self) -> Bytes {
        Bytes::new(self.held)
    }

    /// What was answered until now was told, when the log was written.
    fn told_again(&mut self) {
        let honest = self.paced.honours_flushes();
        for ended in std::mem::take(&mut self.ended) {
            if let Some(versions) = &mut self.versions {
                versions.answered(ended.ticket, ended.outcome == Outcome::Complete, honest);
            }
        }
    }

    /// Hands a request to the drive. What the drive holds stable of the places that it changes is noted before: after
    /// that, nobody can say it.
    fn submit(&mut self, io: &Io) -> Ticket {
        let ticket = Ticket(self.next);
        self.next += 1;
        if let Some(versions) = &mut self.versions {
            if matches!(io.op, Op::Write | Op::Trim) {
                let open = versions.open_in(Span::new(io.offset, io.len));
                note_stable(versions, &mut self.paced, &open);
            }
            versions.asked(ticket, io);
        }
        self.paced.submit(ticket, io);
        ticket
    }

    /// Asks the drive what it holds stable of everything.
    fn look(&mut self) {
        if let Some(versions) = &mut self.versions {
            let open = versions.open();
            note_stable(versions, &mut self.paced, &open);
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

    /// A request arrives at `now`. The caller has seen to it that it lies within the drive.
    ///
    /// # Errors
    /// None of the request itself: that is an answer. Those of the drive's files.
    pub fn ask(&mut self, now: Instant, asker: Asker, asked: Asked) -> io::Result<()> {
        // What ended until now is for `advance` to tell.
        let mut ended = std::mem::take(&mut self.ended);
        self.paced.advance(now, &mut ended);
        self.ended = ended;
        let now = self.paced.now();
        if self.ignores_flushes && asked == Asked::Flush {
            self.at_once.push(Answer {
                asker,
                at: now,
                asked: Bytes::ZERO,
                read: None,
                error: 0,
            });
            return Ok(());
        }
        self.look_now_and_then();
        let (io, effect) = self.understood(asked);
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
        Ok(())
    }

    fn understood(&self, asked: Asked) -> (Io, Effect) {
        let trim = |span: Span| Io {
            op: Op::Trim,
            ..Io::read(span.start, span.len)
        };
        match asked {
            Asked::Read(span) => (Io::read(span.start, span.len), Effect::Read),
            Asked::Write {
                offset,
                bytes,
                durable,
            } => {
                let mut io = Io::write(offset, Bytes::new(bytes.len() as u64), 0);
                io.durable = durable && !self.ignores_flushes;
                // A drive that compresses has less to write of these.
                if is_zero(&bytes) {
                    io.fill = Fill::ZEROS;
                }
                (io, Effect::Write(bytes))
            }
            Asked::Zero {
                span,
                may_forget: true,
                durable: false,
            } => (trim(span), Effect::Zero),
            Asked::Zero { span, durable, .. } => {
                let mut io = Io::write(span.start, span.len, 0);
                io.fill = Fill::ZEROS;
                io.durable = durable && !self.ignores_flushes;
                (io, Effect::Zero)
            }
            Asked::Trim(span) => (trim(span), Effect::Trim),
            Asked::Flush => (Io::flush(), Effect::Flush(self.image.undo_end())),
        }
    }

    /// It is `now`: what the drive has answered until then takes effect, and is told.
    ///
    /// # Errors
    /// Those of the log: nothing may be told that it does not have.
    pub fn advance(&mut self, now: Instant, answers: &mut Vec<Answer>) -> io::Result<()> {
        self.paced.advance(now, &mut self.ended);
        answers.append(&mut self.at_once);
        for ended in std::mem::take(&mut self.ended) {
            if let Some(open) = self.open.remove(&ended.ticket) {
                self.held -= open.effect.bytes();
                answers.push(self.takes_effect(&ended, open));
            }
        }
        if let Some(log) = self.log.as_mut().filter(|_| !answers.is_empty()) {
            log.push(&Record::Reached {
                at: self.paced.now(),
            });
            log.hand_over()?;
            self.image.log_is(log.length());
            // Not before the log says so: whoever plays it without these bytes could put nothing back.
            self.image.keep(self.not_needed);
        }
        Ok(())
    }

    fn takes_effect(&mut self, ended: &Ended, open: Open) -> Answer {
        let honest = self.paced.honours_flushes();
        let version = self.versions.as_mut().map_or(0, |versions| {
            versions.answered(ended.ticket, ended.outcome == Outcome::Complete, honest)
        });
        let done = match ended.outcome {
            Outcome::Complete => self.change(&open, version),
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
            Effect::Zero => self.image.zero(open.span, version),
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

    /// When the drive answers next at the earliest, as long as something is open.
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
            let undo = self.image.undo_end();
            log.push(&Record::Kept { at, undo });
            log.push(&Record::Cut { at });
            log.hand_over()?;
        }
        Ok(taken)
    }

    /// Switches the drive off as a computer does that is shut down: a flush, and the power when it is done. Whoever
    /// still waits is not answered. A drive that ignores flushes is switched off in the middle of things.
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
            connection: u64::MAX,
            cookie: 0,
        };
        self.ask(self.paced.now(), asker, Asked::Flush)?;
        while self.open() > 0 {
            let Some(next) = self.next() else { break };
            self.advance(next, &mut answers)?;
        }
        self.cut()?;
        self.image.sync()
    }
}

/// Whether a request of a log is one that a drive can have been asked.
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

/// So much can be undone before the drive is asked what it holds stable.
const LOOK_AFTER: u64 = 64 << 20;

/// Asks the drive what of these ranges it holds stable.
fn note_stable(versions: &mut Versions, paced: &mut Paced, open: &[Span]) {
    let told = versions.told();
    for part in open {
        let mut at = part.start;
        for risk in paced.at_risk(*part) {
            if at < risk.start {
                versions.stable(Span::new(at, risk.start - at), told);
            }
            at = at.max(risk.end());
        }
        if at < part.end() {
            versions.stable(Span::new(at, part.end() - at), told);
        }
    }
}

/// Longest time without a look at the drive, which works on when nobody asks.
pub const LONGEST_REST: Duration = Duration::from_millis(100);

fn is_zero(bytes: &[u8]) -> bool {
    let (head, words, tail) = (bytes.first(), bytes.chunks_exact(4096), bytes.last());
    // Most data show at their first or last byte that they are none.
    head == Some(&0) && tail == Some(&0) && {
        let rest = words.remainder();
        words.into_iter().all(|page| page == [0; 4096]) && rest.iter().all(|byte| *byte == 0)
    }
}

#[cfg(test)]
mod tests;
