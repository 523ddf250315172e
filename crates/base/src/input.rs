//! Files that a method reads: a trace to replay, a list of access specifications.
//!
//! A method does no I/O of its own. A setting of [`crate::method::Kind::File`] names the file; whoever runs
//! the method opens it, keeps its digest beside the setting, and hands a reader in. A file is read twice:
//! once before anything is opened or asked for ([`crate::method::Method::survey`]), so that a malformed line
//! is found before a drive is touched, and once while the method runs ([`crate::bench::Bench::input`]).

use std::io::BufRead;

use serde::{Deserialize, Serialize};

/// A reader of a file, which may be handed to another thread.
pub type Reader = Box<dyn BufRead + Send>;

/// What is kept of a file that a setting names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// Its absolute path.
    pub path: String,
    /// 128 bits over all its bytes, in hexadecimal digits: tells one content from another, and is no
    /// protection against somebody who forges one.
    pub digest: String,
    /// Number of bytes.
    pub bytes: u64,
    /// What the method found in it, in a form of the method's own.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub noted: serde_json::Value,
}

/// Where a method gets its files from before it runs.
pub trait Inputs {
    /// The file that a setting names, from its beginning.
    ///
    /// # Errors
    /// [`BadInput`] where it cannot be opened.
    fn open(&self, key: &str) -> Result<Reader, BadInput>;
}

/// Why a file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadInput {
    /// It cannot be opened or read.
    #[error("{key}={path}: {why}")]
    Unreadable {
        /// The setting.
        key: String,
        /// The file.
        path: String,
        /// What the system says.
        why: String,
    },
    /// A line makes no sense.
    #[error("{path}: line {line}: {what}")]
    Line {
        /// The file.
        path: String,
        /// Which line, from 1.
        line: u64,
        /// What was found, and what was expected.
        what: String,
    },
    /// The file as a whole does not fit.
    #[error("{path}: {what}")]
    Unfit {
        /// The file.
        path: String,
        /// Why not, and what to do.
        what: String,
    },
}

/// A digest under way.
#[derive(Clone, Debug)]
pub struct Digest {
    lanes: [u64; 2],
    /// Bytes that do not fill a word yet.
    rest: Vec<u8>,
    bytes: u64,
}

impl Default for Digest {
    fn default() -> Digest {
        Digest {
            // The first 128 bits of the fraction of pi: any numbers that nobody chose.
            lanes: [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344],
            rest: Vec::with_capacity(8),
            bytes: 0,
        }
    }
}

impl Digest {
    /// Takes more bytes in; how they are cut into pieces makes no difference.
    pub fn take(&mut self, mut bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        if !self.rest.is_empty() {
            let (fill, tail) = bytes.split_at(bytes.len().min(8 - self.rest.len()));
            self.rest.extend_from_slice(fill);
            bytes = tail;
            if self.rest.len() < 8 {
                return;
            }
            let word = std::mem::take(&mut self.rest);
            self.word(&word);
        }
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.word(word);
        }
        self.rest.extend_from_slice(words.remainder());
    }

    fn word(&mut self, bytes: &[u8]) {
        let word = bytes
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u64::from(*byte));
        let [a, b] = self.lanes;
        self.lanes = [
            crate::rng::splitmix64(a ^ word),
            crate::rng::splitmix64(b.rotate_left(23) ^ word).wrapping_add(a),
        ];
    }

    /// The digest of what was taken in, in 32 hexadecimal digits.
    pub fn finish(mut self) -> String {
        let rest = std::mem::take(&mut self.rest);
        self.word(&rest);
        let bytes = self.bytes;
        self.word(&bytes.to_le_bytes());
        format!("{:016x}{:016x}", self.lanes[0], self.lanes[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(pieces: &[&[u8]]) -> String {
        let mut digest = Digest::default();
        for piece in pieces {
            digest.take(piece);
        }
        digest.finish()
    }

    #[test]
    fn a_digest_does_not_depend_on_the_pieces_and_tells_every_change() {
        let text = b"0 4096 read, and so on to the end of it";
        let whole = digest(&[text]);
        assert_eq!(whole.len(), 32);
        for cut in 0..text.len() {
            assert_eq!(digest(&[&text[..cut], &text[cut..]]), whole);
            let mut other = text.to_vec();
            other[cut] ^= 1;
            assert_ne!(digest(&[&other]), whole);
        }
        // Zeros at the end count.
        assert_ne!(digest(&[b"a"]), digest(&[b"a\0"]));
        assert_ne!(digest(&[b""]), digest(&[b"\0\0\0\0\0\0\0\0"]));
    }
}
