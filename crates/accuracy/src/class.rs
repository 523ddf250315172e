//! Kinds of request: a total hides errors that cancel each other.
//!
//! What a read costs depends on where the one before it was. A *sequential* read begins where the
//! request before it ended: it shows the buffer and the reading ahead. A *near* one begins within
//! [`NEAR_BLOCKS`] of that point: short seeks, rotation, and hits that only a buffer which keeps old
//! data has. A *random* one is anywhere else: seek curve and rotation. Writes are one kind.

use base::io::Op;
use results::validation::RequestClass;

use crate::trace::Measured;

/// A read that begins no further than this from the end of the request before it is near: 2 MiB, a few
/// cylinders of the disks of the 1990s.
pub const NEAR_BLOCKS: u64 = 4_096;

/// The kind of each request of a trace; a first read is random.
pub fn classes(trace: &[Measured]) -> Vec<RequestClass> {
    let mut end_before = None;
    let kind = |request: &Measured| {
        let from = end_before.replace(request.block + request.blocks);
        match (request.op, from) {
            (Op::Read, Some(from)) if from == request.block => RequestClass::SequentialRead,
            (Op::Read, Some(from)) if request.block.abs_diff(from) <= NEAR_BLOCKS => {
                RequestClass::NearRead
            }
            (Op::Read, _) => RequestClass::RandomRead,
            _ => RequestClass::Write,
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
        use RequestClass::*;
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
