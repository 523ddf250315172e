//! Writing a trace of a run, as it goes.
//!
//! Formats without completions (fio, MQSim, DiskSim) get a line when an I/O is sent, blkparse another when it
//! completes, the MSR csv one when it completes. What a format does not support (trims and flushes in MSR, MQSim and
//! DiskSim) is skipped and counted. Times are written in the format's unit: exact ns in blkparse, MQSim and DiskSim, us
//! in fio, 100 ns in the MSR csv.

use super::{Format, blkparse, disksim, fio, mqsim, msr};
use base::io::{Io, Op};
use base::time::Instant;

/// Something that happened to an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Sent {
        /// When, since the run began.
        at: Instant,
        /// The I/O.
        io: Io,
    },
    /// It was complete, or failed.
    Done {
        /// When it had been sent.
        sent: Instant,
        /// When it was complete.
        at: Instant,
        /// The I/O.
        io: Io,
        /// Whether it failed.
        failed: bool,
    },
}

/// Puts events into the lines of a format.
#[derive(Clone, Debug)]
pub struct Writer {
    format: Format,
    /// Events written so far.
    sequence: u64,
    /// Time of the last one, in us, for fio's waits.
    micros: u64,
    left_out: u64,
}

impl Writer {
    /// For a trace in this format; none where it is only read ([`Format::WRITTEN`]).
    pub fn new(format: Format) -> Option<Writer> {
        Format::WRITTEN.contains(&format).then_some(Writer {
            format,
            sequence: 0,
            micros: 0,
            left_out: 0,
        })
    }

    /// The text before the first event.
    pub fn head(&self) -> String {
        match self.format {
            Format::FioV2 => fio::head(2),
            Format::FioV3 => fio::head(3),
            _ => String::new(),
        }
    }

    /// The text after the last event.
    pub fn tail(&self) -> String {
        match self.format {
            Format::FioV2 => fio::tail(2, self.micros),
            Format::FioV3 => fio::tail(3, self.micros),
            _ => String::new(),
        }
    }

    /// I/Os that the format does not support.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Appends what an event is in the format.
    pub fn event(&mut self, event: &Event, out: &mut String) {
        let (Event::Sent { io, .. } | Event::Done { io, .. }) = event;
        let of_sends = !matches!(self.format, Format::Msr);
        let plain = matches!(io.op, Op::Read | Op::Write);
        let knows_all = matches!(
            self.format,
            Format::Blkparse | Format::FioV2 | Format::FioV3
        );
        if !plain && !knows_all {
            self.left_out += u64::from(matches!(event, Event::Sent { .. }));
            return;
        }
        match event {
            Event::Sent { at, io } if of_sends => self.sent(at.as_nanos(), io, out),
            Event::Done {
                sent,
                at,
                io,
                failed,
            } => self.done((sent.as_nanos(), at.as_nanos()), io, *failed, out),
            Event::Sent { .. } => {}
        }
    }

    fn sent(&mut self, nanos: u64, io: &Io, out: &mut String) {
        let micros = nanos / 1_000;
        self.sequence += 1;
        match self.format {
            Format::Blkparse => blkparse::write(out, (self.sequence, nanos), "D", io, false),
            Format::FioV2 => fio::write_v2(out, micros.saturating_sub(self.micros), io),
            Format::FioV3 => fio::write_v3(out, micros, io),
            Format::Mqsim => mqsim::write(out, nanos, io),
            Format::Disksim => disksim::write(out, nanos, io),
            Format::Msr | Format::Systor | Format::Alibaba | Format::Tencent | Format::Spc => {}
        }
        self.micros = micros.max(self.micros);
    }

    fn done(&mut self, (sent, at): (u64, u64), io: &Io, failed: bool, out: &mut String) {
        match self.format {
            Format::Blkparse => {
                self.sequence += 1;
                blkparse::write(out, (self.sequence, at), "C", io, failed);
            }
            Format::Msr => msr::write(out, sent / 100, io, at.saturating_sub(sent) / 100),
            _ => {}
        }
    }
}
