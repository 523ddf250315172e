//! The log of a kept emulation: what the drive was asked, and when.
//!
//! A model's answers, and what it is like afterwards, follow from its file, its seed and the arrivals. So the log of
//! arrivals is the drive's whole state, and it needs no format of its own for each mechanism. It is appended to
//! before a reply leaves; what a process has handed to the kernel survives its `kill -9`, so the log says at least
//! what any client was told. Records have 32 bytes, whole numbers in little-endian order:
//!
//! ```text
//! byte 0      kind: 1 read, 2 write, 3 trim, 4 flush, 5 reached, 6 kept, 7 power cut,
//!             8 looked
//! byte 1      bit 0: a durable write; bit 1: all zeros
//! bytes 2-3   zero
//! bytes 4-7   checksum (CRC-32) of the others
//! bytes 8-15  the drive's time, in ns
//! bytes 16-31 offset and length in bytes; of "kept" the position in the undo file, and zero
//! ```
//!
//! A record that was cut off at the end of the file was never acted upon, and is dropped.

use std::fs::File;
use std::io::{self, Read, Write as _};

use base::io::{Fill, Io, Op};
use base::size::Bytes;
use base::time::{Duration, Instant};

/// Bytes of a record.
const RECORD: usize = 32;
/// No two records are further apart: nobody serves a drive for so long.
const MOST_APART: Duration = Duration::from_secs(10 * 365 * 86_400);
/// Flags of byte 1.
const DURABLE: u8 = 1;
const ZEROS: u8 = 2;

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// A request arrived.
    Arrived {
        /// When.
        at: Instant,
        /// What was asked; a write's stamp is not kept.
        io: Io,
    },
    /// The drive was led to this moment, and what it had answered until then was told.
    Reached {
        /// The moment.
        at: Instant,
    },
    /// All that stands before this position of the undo file is on stable storage.
    Kept {
        /// When that was known.
        at: Instant,
        /// Bytes from the beginning of the undo file.
        undo: u64,
    },
    /// The power failed, or was switched off.
    Cut {
        /// When.
        at: Instant,
    },
    /// The drive was asked what of all that it was told a power cut would take.
    Looked {
        /// When.
        at: Instant,
    },
}

/// Why a log cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum BadLog {
    /// Bytes that no record has.
    #[error("record {number} is no record of a log: the file is damaged")]
    NoRecord {
        /// Which one, from 1.
        number: u64,
    },
    /// Time goes back.
    #[error("record {number} is earlier than the one before it: the file is damaged")]
    Backwards {
        /// Which one, from 1.
        number: u64,
    },
    /// Time leaps.
    #[error("record {number} is years after the one before it: the file is damaged")]
    Ahead {
        /// Which one, from 1.
        number: u64,
    },
    /// The file cannot be read.
    #[error(transparent)]
    Unread(io::Error),
}

impl Record {
    /// When it happened.
    pub const fn at(&self) -> Instant {
        match *self {
            Record::Arrived { at, .. }
            | Record::Reached { at }
            | Record::Kept { at, .. }
            | Record::Cut { at }
            | Record::Looked { at } => at,
        }
    }

    fn bytes(&self) -> [u8; RECORD] {
        let (kind, flags, offset, len) = match *self {
            Record::Arrived { io, .. } => {
                let durable = if io.durable { DURABLE } else { 0 };
                let zeros = if io.fill == Fill::ZEROS { ZEROS } else { 0 };
                (
                    1 + io.op as u8,
                    durable | zeros,
                    io.offset.get(),
                    io.len.get(),
                )
            }
            Record::Reached { .. } => (5, 0, 0, 0),
            Record::Kept { undo, .. } => (6, 0, undo, 0),
            Record::Cut { .. } => (7, 0, 0, 0),
            Record::Looked { .. } => (8, 0, 0, 0),
        };
        let mut bytes = [0; RECORD];
        bytes[0] = kind;
        bytes[1] = flags;
        bytes[8..16].copy_from_slice(&self.at().as_nanos().to_le_bytes());
        bytes[16..24].copy_from_slice(&offset.to_le_bytes());
        bytes[24..32].copy_from_slice(&len.to_le_bytes());
        let sum = checksum(&bytes).to_le_bytes();
        bytes[4..8].copy_from_slice(&sum);
        bytes
    }

    fn read(bytes: &[u8; RECORD]) -> Option<Record> {
        let number = |from: usize| {
            let mut eight = [0; 8];
            eight.copy_from_slice(&bytes[from..from + 8]);
            u64::from_le_bytes(eight)
        };
        let (at, offset, len) = (Instant::from_nanos(number(8)), number(16), number(24));
        let sum = checksum(bytes).to_le_bytes();
        if bytes[2..4] != [0; 2] || bytes[4..8] != sum || bytes[1] > DURABLE | ZEROS {
            return None;
        }
        let arrived = |op: Op| {
            offset.checked_add(len)?;
            let fill = if bytes[1] & ZEROS == 0 {
                Fill::FRESH
            } else {
                Fill::ZEROS
            };
            let io = Io {
                op,
                fill,
                offset: Bytes::new(offset),
                len: Bytes::new(len),
                stamp: 0,
                durable: bytes[1] & DURABLE != 0,
                zone: None,
            };
            Some(Record::Arrived { at, io })
        };
        match bytes[0] {
            kind @ 1..=4 => arrived(Op::ALL[usize::from(kind) - 1]),
            5 => Some(Record::Reached { at }),
            6 => Some(Record::Kept { at, undo: offset }),
            7 => Some(Record::Cut { at }),
            8 => Some(Record::Looked { at }),
            _ => None,
        }
    }
}

/// The records of a log, in order, read as they are asked for: a log may be longer than memory. Bytes behind the last
/// whole record are left out.
///
/// # Errors
/// Each as an item: bytes that are no record, time that goes back, a file that cannot be read. Nothing follows it.
pub fn records(mut log: impl Read) -> impl Iterator<Item = Result<Record, BadLog>> {
    let mut last = Instant::ZERO;
    let mut is_over = false;
    (1..).map_while(move |number| {
        if is_over {
            return None;
        }
        let mut bytes = [0; RECORD];
        let record = match log.read_exact(&mut bytes) {
            Err(end) if end.kind() == io::ErrorKind::UnexpectedEof => return None,
            Err(cause) => Err(BadLog::Unread(cause)),
            Ok(()) => match Record::read(&bytes) {
                None => Err(BadLog::NoRecord { number }),
                Some(record) if record.at() < last => Err(BadLog::Backwards { number }),
                Some(record) if record.at().since(last) > MOST_APART => {
                    Err(BadLog::Ahead { number })
                }
                Some(record) => Ok(record),
            },
        };
        is_over = record.is_err();
        last = record.as_ref().map_or(last, Record::at);
        Some(record)
    })
}

/// Appends to a log.
#[derive(Debug)]
pub struct Writer {
    file: File,
    gathered: Vec<u8>,
    /// Bytes that the kernel has.
    length: u64,
}

impl Writer {
    /// Appends to this file, which ends with a whole record.
    pub fn new(file: File) -> Writer {
        let length = file.metadata().map_or(0, |found| found.len());
        Writer {
            file,
            gathered: Vec::new(),
            length,
        }
    }

    /// Bytes of the log that the kernel has.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Gathers a record.
    pub fn push(&mut self, record: &Record) {
        self.gathered.extend_from_slice(&record.bytes());
    }

    /// Hands what was gathered to the kernel.
    ///
    /// # Errors
    /// Those of the file: no room, for one.
    pub fn hand_over(&mut self) -> io::Result<()> {
        self.file.write_all(&self.gathered)?;
        self.length += self.gathered.len() as u64;
        self.gathered.clear();
        Ok(())
    }
}

fn checksum(record: &[u8; RECORD]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&record[..4]);
    sum.update(&record[8..]);
    sum.finalize()
}

/// Bytes of whole records in a log of this length.
pub const fn whole_records(bytes: u64) -> u64 {
    bytes - bytes % RECORD as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_written_is_read_again_and_a_torn_end_is_dropped() {
        let mut file = tempfile::tempfile().unwrap();
        let mut writer = Writer::new(file.try_clone().unwrap());
        let (at, offset) = (Instant::from_nanos(5), Bytes::kib(4));
        let write = Io::write(offset, Bytes::kib(8), 0).durably();
        let written = [
            Record::Arrived { at, io: write },
            Record::Arrived {
                at,
                io: Io {
                    op: Op::Trim,
                    fill: Fill::ZEROS,
                    durable: false,
                    ..write
                },
            },
            Record::Reached { at },
            Record::Kept { at, undo: 77 },
            Record::Cut { at },
            Record::Looked { at },
        ];
        written.iter().for_each(|record| writer.push(record));
        writer.hand_over().unwrap();
        file.write_all(&[1, 0, 0]).unwrap();
        io::Seek::rewind(&mut file).unwrap();
        let read: Vec<Record> = records(&file).map(Result::unwrap).collect();
        assert_eq!(read, written);
        let length = file.metadata().unwrap().len();
        assert_eq!(whole_records(length), 6 * RECORD as u64);
    }

    #[test]
    fn time_that_goes_back_ends_the_log() {
        let late = Record::Reached {
            at: Instant::from_nanos(9),
        };
        let early = Record::Reached {
            at: Instant::from_nanos(8),
        };
        let bytes = [late.bytes(), early.bytes(), late.bytes()].concat();
        let read: Vec<_> = records(&bytes[..]).collect();
        assert!(
            matches!(read[..], [Ok(_), Err(BadLog::Backwards { number: 2 })]),
            "{read:?}"
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_records_or_an_error_and_records_come_back(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            for (record, number) in records(&bytes[..]).zip(0..) {
                if let Ok(record) = record {
                    prop_assert_eq!(&record.bytes()[..], &bytes[number * RECORD..][..RECORD]);
                }
            }
        }
    }
}
