//! Kinds of request: a total hides errors that cancel each other.
//!
//! What a read costs depends on where the one before it was. A *sequential* read begins where the
//! request before it ended: it shows the buffer and the reading ahead. A *near* one begins within
//! [`NEAR_BLOCKS`] of that point: short seeks, rotation, and hits that only a buffer which keeps old
//! data has. A *random* one is anywhere else: seek curve and rotation. Writes are one kind.

use base::io::Op;

use crate::trace::Measured;

/// A read that begins no further than this from the end of the request before it is near: 2 MiB, a few
/// cylinders of the disks of the 1990s.
pub const NEAR_BLOCKS: u64 = 4_096;

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A read somewhere else.
    RandomRead,
    /// A read close by.
    NearRead,
    /// A read that goes on.
    SequentialRead,
    /// A write.
    Write,
}

impl Class {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Class; 4] = [
        Class::RandomRead,
        Class::NearRead,
        Class::SequentialRead,
        Class::Write,
    ];

    /// Its name in a document.
    pub const fn name(self) -> &'static str {
        match self {
            Class::RandomRead => "random-read",
            Class::NearRead => "near-read",
            Class::SequentialRead => "sequential-read",
            Class::Write => "write",
        }
    }
}

/// The kind of each request of a trace; a first read is random.
pub fn classes(trace: &[Measured]) -> Vec<Class> {
    let mut end_before = None;
    let kind = |request: &Measured| {
        let from = end_before.replace(request.block + request.blocks);
        match (request.op, from) {
            (Op::Read, Some(from)) if from == request.block => Class::SequentialRead,
            (Op::Read, Some(from)) if request.block.abs_diff(from) <= NEAR_BLOCKS => {
                Class::NearRead
            }
            (Op::Read, _) => Class::RandomRead,
            _ => Class::Write,
        }
    };
    trace.iter().map(kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_is_judged_by_the_end_of_the_request_before() {
        let at = |op, block| Measured {
            op,
            block,
            blocks: 8,
            response_ms: 1.0,
            think_ms: 0.0,
        };
        let trace = [
            at(Op::Read, 0),
            at(Op::Read, 8),
            at(Op::Write, 16),
            at(Op::Read, 24),
            at(Op::Read, 25),
            at(Op::Read, 33 + NEAR_BLOCKS + 1),
        ];
        use Class::*;
        let expected = [
            RandomRead,
            SequentialRead,
            Write,
            SequentialRead,
            NearRead,
            RandomRead,
        ];
        assert_eq!(classes(&trace), expected);
    }
}
