//! Magic numbers of file systems, tables and arrays on a drive of 4 MiB that is zero except for some pieces: three
//! bytes of address, two of length, the bytes; or, if an input does not begin with the letters of a piece, its bytes
//! from the start.

use std::io::{Read, Seek, SeekFrom};

use inspect::signature::{Content, probe};

const BYTES: usize = 4 << 20;

pub(crate) fn run(input: &[u8]) {
    let drive = Drive {
        pieces: pieces(input),
        at: 0,
    };
    let mut content = Content::whole(drive).expect("its end is known");
    let found = probe(&mut content).expect("all of it can be read");
    for signature in found {
        let line = signature.to_string();
        assert!(!line.chars().any(char::is_control), "{line:?}");
    }
}

/// Pieces of the drive with their addresses.
fn pieces(mut input: &[u8]) -> Vec<(usize, &[u8])> {
    let mut pieces = Vec::new();
    while let Some((&[a, b, c, low, high], rest)) = input.split_first_chunk::<5>() {
        let at = usize::from(a) | usize::from(b) << 8 | usize::from(c) << 16;
        let length = usize::from(u16::from_le_bytes([low, high])).min(rest.len());
        let (piece, rest) = rest.split_at(length);
        pieces.push((at % BYTES, piece));
        input = rest;
    }
    pieces
}

struct Drive<'a> {
    pieces: Vec<(usize, &'a [u8])>,
    at: usize,
}

impl Read for Drive<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = buffer.len().min(BYTES.saturating_sub(self.at));
        let buffer = &mut buffer[..length];
        buffer.fill(0);
        for (start, piece) in &self.pieces {
            for (byte, at) in piece.iter().zip(*start..) {
                if let Some(slot) = at.checked_sub(self.at).and_then(|i| buffer.get_mut(i)) {
                    *slot = *byte;
                }
            }
        }
        self.at += length;
        Ok(length)
    }
}

impl Seek for Drive<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => i128::from(at),
            SeekFrom::End(by) => BYTES as i128 + i128::from(by),
            SeekFrom::Current(by) => self.at as i128 + i128::from(by),
        };
        let at = u64::try_from(at).map_err(|_| std::io::ErrorKind::InvalidInput)?;
        self.at = usize::try_from(at).unwrap_or(usize::MAX);
        Ok(at)
    }
}
