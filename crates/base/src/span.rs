//! A range of a target, in bytes: the area of a job, data lost in a power cut, bad sectors.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message::Message;
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
    /// In words: `1 GiB from 0 B`.
    pub fn said(&self) -> Message {
        let places = [("length", self.len.into()), ("start", self.start.into())];
        Message::new("span-from", places)
    }

    /// First byte after the span; the last address if a stored span reaches beyond it.
    pub fn end(&self) -> Bytes {
        self.start.saturating_add(self.len)
    }

    /// The intersection with another one; `None` if it is empty.
    pub fn within(self, other: Span) -> Option<Span> {
        let start = self.start.max(other.start);
        let end = self.end().min(other.end());
        (start < end).then(|| Span::new(start, end - start))
    }

    /// The same bytes in as few spans as there can be, in order.
    pub fn merged(mut spans: Vec<Span>) -> Vec<Span> {
        spans.sort_by_key(|span| (span.start, span.len));
        let mut merged: Vec<Span> = Vec::new();
        for span in spans {
            match merged.last_mut() {
                Some(last) if span.start <= last.end() => {
                    last.len = last.end().max(span.end()) - last.start;
                }
                _ => merged.push(span),
            }
        }
        merged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_that_touch_or_overlap_become_one() {
        let span = |start, len| Span::new(Bytes::new(start), Bytes::new(len));
        let spans = vec![span(8, 2), span(0, 4), span(2, 1), span(4, 2), span(9, 4)];
        assert_eq!(Span::merged(spans), [span(0, 6), span(8, 5)]);
        assert_eq!(Span::merged(Vec::new()), []);
    }
}
