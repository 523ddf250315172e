//! Replies to a client.
//!
//! A *simple* reply is an error number, and the data of a successful read. If client and server agreed on *structured*
//! replies, those to reads are chunks that describe their contents; ours are one chunk each.

use std::io;

use base::workload::Span;

use super::handshake::{ALLOCATION_NUMBER, Agreed};
use crate::image::Extent;

const SIMPLE: u32 = 0x6744_6698;
const STRUCTURED: u32 = 0x668e_33ef;
/// The chunk is the reply's last.
const DONE: u16 = 1;

/// Kinds of chunks.
const OFFSET_DATA: u16 = 1;
const OFFSET_HOLE: u16 = 2;
const BLOCK_STATUS: u16 = 5;
const ERROR: u16 = (1 << 15) | 1;

/// The reply to something without data: zero, or an error number of Linux.
pub fn plain(out: &mut Vec<u8>, cookie: u64, error: i32) {
    out.extend_from_slice(&SIMPLE.to_be_bytes());
    out.extend_from_slice(&known(error).to_be_bytes());
    out.extend_from_slice(&cookie.to_be_bytes());
}

/// The reply to a read that failed, or to a question about extents.
pub fn failed(out: &mut Vec<u8>, agreed: Agreed, cookie: u64, error: i32) {
    if agreed.structured {
        chunk(out, ERROR, cookie, 6);
        out.extend_from_slice(&known(error).to_be_bytes());
        out.extend_from_slice(&0_u16.to_be_bytes());
    } else {
        plain(out, cookie, error);
    }
}

/// The reply to a read: `fill` puts the data into the output buffer. If it fails the reply says so.
pub fn data(
    out: &mut Vec<u8>,
    agreed: Agreed,
    cookie: u64,
    span: Span,
    fill: impl FnOnce(&mut [u8]) -> io::Result<()>,
) {
    let before = out.len();
    head_of_data(out, agreed, cookie, span);
    let from = out.len();
    out.resize(from + span.len.get() as usize, 0);
    if let Err(error) = fill(&mut out[from..]) {
        out.truncate(before);
        failed(out, agreed, cookie, error.raw_os_error().unwrap_or(5));
    }
}

/// The head of a reply to a read that went well, which its data follow.
pub fn head_of_data(out: &mut Vec<u8>, agreed: Agreed, cookie: u64, span: Span) {
    if agreed.structured {
        chunk(out, OFFSET_DATA, cookie, 8 + span.len.get() as u32);
        out.extend_from_slice(&span.start.get().to_be_bytes());
    } else {
        plain(out, cookie, 0);
    }
}

/// The reply to a read of a hole: for structured replies, one that says so in a few bytes.
pub fn zeros(out: &mut Vec<u8>, agreed: Agreed, cookie: u64, span: Span) {
    if agreed.structured {
        chunk(out, OFFSET_HOLE, cookie, 12);
        out.extend_from_slice(&span.start.get().to_be_bytes());
        out.extend_from_slice(&(span.len.get() as u32).to_be_bytes());
    } else {
        plain(out, cookie, 0);
        out.resize(out.len() + span.len.get() as usize, 0);
    }
}

/// The reply that says which parts of a range hold data.
pub fn extents(out: &mut Vec<u8>, cookie: u64, extents: &[Extent]) {
    const HOLE_AND_ZEROS: u32 = 3;
    chunk(out, BLOCK_STATUS, cookie, 4 + 8 * extents.len() as u32);
    out.extend_from_slice(&ALLOCATION_NUMBER.to_be_bytes());
    for extent in extents {
        // A request is at most 4 GiB long, and so is each part of it.
        out.extend_from_slice(&(extent.len as u32).to_be_bytes());
        let flags = if extent.hole { HOLE_AND_ZEROS } else { 0 };
        out.extend_from_slice(&flags.to_be_bytes());
    }
}

fn chunk(out: &mut Vec<u8>, kind: u16, cookie: u64, len: u32) {
    out.extend_from_slice(&STRUCTURED.to_be_bytes());
    out.extend_from_slice(&DONE.to_be_bytes());
    out.extend_from_slice(&kind.to_be_bytes());
    out.extend_from_slice(&cookie.to_be_bytes());
    out.extend_from_slice(&len.to_be_bytes());
}

/// The protocol's number of an error: those that it does not have are EIO.
fn known(error: i32) -> u32 {
    match error {
        0 | 1 | 5 | 12 | 22 | 28 | 75 | 95 | 108 => error as u32,
        // The device is gone: what a client is to do is to leave.
        6 | 19 | 123 => 108,
        // A drive that has turned read-only: writing is not permitted.
        30 => 1,
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use base::size::Bytes;

    use super::*;

    #[test]
    fn what_was_never_written_leaves_in_a_few_bytes_where_the_client_understands_them() {
        let span = Span::new(Bytes::new(0x1000), Bytes::kib(64));
        let agreed = |structured| Agreed {
            structured,
            ..Agreed::default()
        };
        let mut out = Vec::new();
        zeros(&mut out, agreed(true), 5, span);
        let head = b"\x66\x8e\x33\xef\0\x01\0\x02\0\0\0\0\0\0\0\x05\0\0\0\x0c";
        let tail = b"\0\0\0\0\0\0\x10\0\0\x01\0\0";
        assert_eq!(out, [&head[..], tail].concat());
        let mut out = Vec::new();
        zeros(&mut out, agreed(false), 5, span);
        assert_eq!(out.len(), 16 + (64 << 10));
        assert!(out[16..].iter().all(|byte| *byte == 0));
    }
}
