//! What a drive is told where somebody asks for something, and what becomes of it.
//!
//! Zeros are a trim where they may be one and the drive knows trims: that is what a kernel makes of them, and spares the
//! drive the writing. A drive that knows none has to write them.

use base::io::{Fill, Io, Op};
use base::size::Bytes;
use base::workload::Span;

use super::Asked;

/// What becomes of a request when it is answered.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Read,
    Write(Vec<u8>),
    Zero,
    /// The same, by a trim.
    Forget,
    Trim,
    /// Everything before this position of the undo file is kept then.
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

/// What the drive is told of what clients ask for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heeds {
    /// False where flushes are kept from it, and that a write is to be durable.
    pub(super) flushes: bool,
    /// False where it knows no trims.
    pub(super) trims: bool,
}

/// What the drive is told; the undo file ends there.
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
