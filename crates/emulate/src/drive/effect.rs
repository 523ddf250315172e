//! The translation of requests to the drive, and their effect at completion.
//!
//! Zero writes become trims if allowed and supported by the drive: the kernel does the same, and it saves the drive the
//! write. A drive without trim support has to write them.

use base::{Bytes, Fill, Io, Op, Span};

use super::Asked;

/// The effect of a request at its completion.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Read,
    Write(Vec<u8>),
    Zero,
    /// The same, by a trim.
    Forget,
    Trim,
    /// Everything before this position of the undo file is stable then.
    Flush(u64),
}

impl Effect {
    /// Bytes that it holds in memory.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Effect::Write(bytes) => bytes.len() as u64,
            _ => 0,
        }
    }
}

/// Translates clients' requests for the drive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heeds {
    /// False if flushes and FUA are withheld from it.
    pub(super) flushes: bool,
    /// False if it does not support trims.
    pub(super) trims: bool,
}

/// The command to the drive; the end of the undo file at that time.
pub(super) fn understood(asked: Asked, heeds: Heeds, undo_end: u64) -> (Io, Effect) {
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
            io.durable = durable && heeds.flushes;
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
        } if heeds.trims => (trim(span), Effect::Forget),
        Asked::Zero { span, durable, .. } => {
            let mut io = Io::write(span.start, span.len, 0);
            io.fill = Fill::ZEROS;
            io.durable = durable && heeds.flushes;
            (io, Effect::Zero)
        }
        Asked::Trim(span) => (trim(span), Effect::Trim),
        Asked::Flush => (Io::flush(), Effect::Flush(undo_end)),
    }
}

fn is_zero(bytes: &[u8]) -> bool {
    let (head, words, tail) = (bytes.first(), bytes.chunks_exact(4096), bytes.last());
    // Most data show at their first or last byte that they are none.
    head == Some(&0) && tail == Some(&0) && {
        let rest = words.remainder();
        words.into_iter().all(|page| page == [0; 4096]) && rest.iter().all(|byte| *byte == 0)
    }
}
