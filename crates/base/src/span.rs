//! A range of a target, in bytes: what a job works in, what a power cut lost, what is bad.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::size::Bytes;

/// A range of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// First byte.
    pub start: Bytes,
    /// Number of bytes.
    pub len: Bytes,
}

impl Span {
    /// `len` bytes from `start` on.
    pub const fn new(start: Bytes, len: Bytes) -> Span {
        Span { start, len }
    }
    /// The first `len` bytes.
    pub const fn first(len: Bytes) -> Span {
        Span {
            start: Bytes::ZERO,
            len,
        }
    }
    /// First byte after the span.
    pub fn end(&self) -> Bytes {
        self.start + self.len
    }

    /// What of it lies within another one; `None` where nothing does.
    pub fn within(self, other: Span) -> Option<Span> {
        let start = self.start.max(other.start);
        let end = self.end().min(other.end());
        (start < end).then(|| Span::new(start, end - start))
    }
}
