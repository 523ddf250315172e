//! A long log made short.
//!
//! A log grows by each request, and is replayed from its beginning whenever its drive is served. The *data* of a drive
//! depends only on the last write or trim of each position, so once a drive is switched off the others can be dropped.
//! The *condition* of a drive depends on all of them: overwrites wear it and leave stale pages behind. So a condensed
//! drive has its data, the last million records to the nanosecond, and its times; it is younger than before, which is
//! reported from then on.
//!
//! The log is scanned from its end: a write is kept if any part of it is not covered by later ones. A power cut is also
//! kept; but a write that it lost counts as covering the previous contents, so that the drive's map may hold another
//! version of that position than its data.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use base::{Bytes, Op, Span};

use crate::kept::{Kept, KeptError, log_of, who_of};
use crate::log::{BadLog, RECORD, Record, records};

/// Number of records at the end that are kept unchanged: they determine the contents of the drive's caches and its
/// pending work.
pub const EXACT: usize = 1 << 20;
/// So many records are read at once, from the end on.
const PORTION: usize = 1 << 15;
/// Maximum number of records between two points at which completions are collected.
const MOST_UNTOLD: u64 = 256;

/// What became of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Condensed {
    /// Requests that went.
    pub left_out: u64,
    /// Bytes of the log before.
    pub before: Bytes,
    /// Bytes of it now.
    pub after: Bytes,
}

/// Why it stays long.
#[derive(Debug, thiserror::Error)]
pub enum CondenseError {
    /// The folder.
    #[error(transparent)]
    Kept(#[from] KeptError),
    /// Nobody's folder.
    #[error("{0}: contains no emulated drive")]
    Empty(String),
    /// What the drive lost in a power cut is known when it is served again.
    #[error("{0}: its power was cut: serve it once and stop it with Ctrl-C, then condense it")]
    PowerFailed(String),
    #[error("the log: {0}")]
    Log(#[from] BadLog),
    #[error("the log: {0}")]
    File(#[from] io::Error),
}

/// Condenses the log of a drive that is switched off, except for this many records at its end; the old log stays until
/// the new one is complete.
///
/// # Errors
/// [`CondenseError`]; then the folder is as it was.
pub fn condense(folder: &Path, exact: usize) -> Result<Condensed, CondenseError> {
    let said = || folder.display().to_string();
    let who = who_of(folder)?.ok_or_else(|| CondenseError::Empty(said()))?;
    let kept = Kept::open(folder)?;
    kept.is_for(&who)?;
    let mut number = 0_usize;
    let mut last = None;
    for record in records(log_of(folder)?) {
        last = Some(record?);
        number += 1;
    }
    match last {
        Some(Record::Cut { .. }) => {}
        Some(_) => return Err(CondenseError::PowerFailed(said())),
        // It was never asked anything.
        None => return Ok(Condensed::default()),
    }
    let log = kept.log()?;
    let exact_from = number.saturating_sub(exact);
    let stay = what_stays(&log, number, exact_from)?;
    let left_out = left_out(folder, &stay)?;
    let before = Bytes::new(log.metadata()?.len());
    let beside = kept.log_beside()?;
    let after = match write(folder, &stay, exact_from, left_out, &beside) {
        Ok(after) if after < before => {
            kept.takes_log_beside(after)?;
            after
        }
        // All of it is needed: it stays as it is.
        Ok(_) => {
            kept.drops_log_beside();
            before
        }
        Err(why) => {
            kept.drops_log_beside();
            return Err(why);
        }
    };
    Ok(Condensed {
        left_out,
        before,
        after,
    })
}

/// Which records stay, a bit each.
fn what_stays(log: &File, number: usize, exact_from: usize) -> io::Result<Vec<u64>> {
    let mut stay = vec![0_u64; number.div_ceil(64)];
    let mut later = Covered::default();
    let mut undo_is_known = false;
    let mut bytes = vec![0; PORTION * RECORD];
    let mut end = number;
    while end > 0 {
        let start = end.saturating_sub(PORTION);
        let portion = &mut bytes[..(end - start) * RECORD];
        log.read_exact_at(portion, (start * RECORD) as u64)?;
        for (index, record) in (start..end).zip(portion.chunks_exact(RECORD)).rev() {
            let stays = match Record::of(record) {
                Some(Record::Arrived { io, .. }) => {
                    matches!(io.op, Op::Write | Op::Trim)
                        && later.covers_more(Span::new(io.offset, io.len))
                }
                Some(Record::Kept { .. }) => !std::mem::replace(&mut undo_is_known, true),
                Some(Record::Looked { .. }) | None => false,
                Some(_) => true,
            };
            if stays || index >= exact_from {
                stay[index / 64] |= 1 << (index % 64);
            }
        }
        end = start;
    }
    Ok(stay)
}

/// Requests that are dropped, and those dropped earlier.
fn left_out(folder: &Path, stay: &[u64]) -> Result<u64, CondenseError> {
    let mut sum = 0;
    for (index, record) in records(log_of(folder)?).enumerate() {
        sum += match record? {
            Record::Condensed { left_out } => left_out,
            Record::Arrived { .. } => u64::from(!is_set(stay, index)),
            _ => 0,
        };
    }
    Ok(sum)
}

/// Writes what stays; gives its length.
fn write(
    folder: &Path,
    stay: &[u64],
    exact_from: usize,
    left_out: u64,
    to: &File,
) -> Result<Bytes, CondenseError> {
    let mut out = BufWriter::new(to);
    out.write_all(&Record::Condensed { left_out }.bytes())?;
    let mut untold = 0;
    for (index, record) in records(log_of(folder)?).enumerate() {
        let record = record?;
        let is_moment = matches!(record, Record::Reached { .. }) && index < exact_from;
        let goes = matches!(record, Record::Condensed { .. })
            || !is_set(stay, index)
            || (is_moment && untold < MOST_UNTOLD);
        if goes {
            continue;
        }
        untold += 1;
        if is_moment {
            untold = 0;
        }
        out.write_all(&record.bytes())?;
    }
    out.flush()?;
    drop(out);
    to.sync_all()?;
    Ok(Bytes::new(to.metadata()?.len()))
}

fn is_set(bits: &[u64], index: usize) -> bool {
    bits[index / 64] & (1 << (index % 64)) != 0
}

/// What later writes cover: disjoint ranges that do not touch, by their first byte, with their end.
#[derive(Debug, Default)]
struct Covered {
    ranges: BTreeMap<u64, u64>,
}

impl Covered {
    /// Covers a range, too; true where a part of it was not.
    fn covers_more(&mut self, span: Span) -> bool {
        let (mut start, mut end) = (span.start.get(), span.end().get());
        let mut touching = self.ranges.range(..=end).rev();
        let mut gone = Vec::new();
        while let Some((&from, &to)) = touching.next().filter(|(_, to)| **to >= start) {
            if from <= start && end <= to {
                return false;
            }
            start = start.min(from);
            end = end.max(to);
            gone.push(from);
        }
        for from in gone {
            self.ranges.remove(&from);
        }
        let is_more = !span.len.is_zero();
        if is_more {
            self.ranges.insert(start, end);
        }
        is_more
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_range_is_more_where_any_byte_of_it_was_not_covered(asked in prop::collection::vec((0_u64..60, 0_u64..9), 0..40)) {
            let mut covered = Covered::default();
            let mut bytes = [false; 70];
            for (start, len) in asked {
                let span = Span::new(Bytes::new(start), Bytes::new(len));
                let part = &mut bytes[start as usize..(start + len) as usize];
                prop_assert_eq!(covered.covers_more(span), part.iter().any(|is| !is));
                part.fill(true);
            }
        }
    }
}
