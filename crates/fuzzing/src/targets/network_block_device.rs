//! What a client of an emulated drive sends: the handshake, then requests.

use base::size::Bytes;
use emulate::drive::Asked;
use emulate::nbd::Export;
use emulate::nbd::handshake::{Handshake, Progress};
use emulate::nbd::request::{Wants, take};

pub(crate) fn run(input: &[u8]) {
    let export = Export {
        capacity: Bytes::mib(1),
        block: Bytes::SECTOR,
        preferred: Bytes::kib(4),
        read_only: input.len() % 2 == 1,
        rotational: false,
        description: String::new(),
    };
    let mut out = Vec::new();
    let mut handshake = Handshake::greet(&mut out);
    let Ok((taken, progress)) = handshake.take(input, &export, &mut out) else {
        return;
    };
    assert!(taken <= input.len(), "more was taken than there was");
    // Requests are understood without a handshake, too: most inputs never end one.
    let mut rest = if progress == Progress::More {
        input
    } else {
        &input[taken..]
    };
    while let Ok(Some((bytes, request))) = take(rest, &export) {
        let end = match request.wants {
            Wants::Drive(Asked::Read(span) | Asked::Trim(span) | Asked::Zero { span, .. })
            | Wants::Extents { span, .. } => span.end(),
            Wants::Drive(Asked::Write { offset, bytes, .. }) => {
                assert!(!export.read_only, "a read-only drive is written");
                offset + Bytes::new(bytes.len() as u64)
            }
            _ => Bytes::ZERO,
        };
        assert!(end <= export.capacity, "outside of the drive");
        rest = &rest[bytes..];
    }
}
