//! The log of a kept emulation: all requests and their times.
//!
//! A model's completions, and its state afterwards, follow from its file, its seed and the arrivals. So the log of
//! arrivals is the drive's whole state, and it needs no format for each mechanism. It is appended to before a reply
//! leaves; what a process has written to the kernel survives its `kill -9`, so the log contains at least what any
//! client was told. Records have 32 bytes, integers in little-endian order:
//!
//! ```text
//! byte 0      kind: 1 read, 2 write, 3 trim, 4 flush, 5 reached, 6 kept, 7 power cut,
//!             8 looked, 9 missed, 10 condensed
//! byte 1      bit 0: a durable write; bit 1: all zeros
//! bytes 2-3   zero
//! bytes 4-7   checksum (CRC-32) of the others
//! bytes 8-15  the drive's time, in ns
//! bytes 16-31 offset and length in bytes; of "kept" the position in the undo file, and zero; of "condensed" how many
//!             requests were left out, and zero
//! ```
//!
//! A record that was cut off at the end of the file was never acted upon, and is dropped.
//!
//! A disk without room for the log does not end the drive. Its requests are collected in memory until there is room
//! again, up to about a million; requests that change data are refused meanwhile. If no room appears, the record
//! "missed" at the end says that something is missing: a small part of the disk is reserved for that.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

use base::{Bytes, Duration, Fill, Instant, Io, Op};
use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;

/// Bytes of a record.
pub(crate) const RECORD: usize = 32;
/// No two records are further apart: no drive is served for that long.
const MOST_APART: Duration = Duration::from_secs(10 * 365 * 86_400);
/// Space reserved after the log's end, for the records of a drive that is switched off.
const HELD_READY: u64 = 64 << 10;
/// Bytes of records that wait for room.
const MOST_GATHERED: usize = 64 << 20;
/// Flags of byte 1.
const DURABLE: u8 = 1;
const ZEROS: u8 = 2;

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// A request arrived.
    Arrived {
        at: Instant,
        /// The request, without a write's stamp.
        io: Io,
    },
    /// The drive was advanced to this time, and its completions until then were delivered.
    Reached {
        /// The moment.
        at: Instant,
    },
    /// Everything before this position of the undo file is on stable storage.
    Kept {
        /// When that was known.
        at: Instant,
        /// Bytes from the beginning of the undo file.
        undo: u64,
    },
    /// The power failed, or was switched off.
    Cut { at: Instant },
    /// The drive was queried for everything that a power cut would take.
    Looked { at: Instant },
    /// Requests since the previous record are missing here: there was no room. None of them changed data.
    Missed {
        /// When it was switched off.
        at: Instant,
    },
    /// Some requests have been dropped here: later writes overwrote what they wrote.
    Condensed {
        /// Requests.
        left_out: u64,
    },
}

/// Why a log cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum BadLog {
    /// Bytes that no record has.
    #[error("record {number} is not a log record: the file is damaged")]
    NoRecord {
        /// Which one, from 1.
        number: u64,
    },
    /// Time goes backwards.
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
            | Record::Looked { at }
            | Record::Missed { at } => at,
            Record::Condensed { .. } => Instant::ZERO,
        }
    }

    pub(crate) fn bytes(&self) -> [u8; RECORD] {
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
            Record::Missed { .. } => (9, 0, 0, 0),
            Record::Condensed { left_out } => (10, 0, left_out, 0),
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

    /// The record that these bytes are.
    pub(crate) fn of(bytes: &[u8]) -> Option<Record> {
        bytes.try_into().ok().and_then(Record::read)
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
            9 => Some(Record::Missed { at }),
            10 => Some(Record::Condensed { left_out: offset }),
            _ => None,
        }
    }
}

/// The records of a log, in order, read on demand: a log may be larger than memory. Bytes after the last whole record
/// are ignored.
///
/// # Errors
/// Each as an item: invalid records, time that goes backwards, a file that cannot be read. Nothing follows it.
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
    /// Up to there the file has blocks; all there are where its file system gives none beforehand.
    ready: u64,
    is_full: bool,
    /// More was collected than is kept, and is lost.
    has_missed: bool,
}

impl Writer {
    /// Appends to this file, which ends with a whole record.
    pub fn new(file: File) -> Writer {
        let length = file.metadata().map_or(0, |found| found.len());
        Writer {
            file,
            gathered: Vec::new(),
            length,
            ready: 0,
            is_full: false,
            has_missed: false,
        }
    }

    /// Bytes of the log that the kernel has.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// True if there was no room at the last flush to the kernel.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Gathers a record.
    pub fn push(&mut self, record: &Record) {
        self.has_missed |= self.gathered.len() >= MOST_GATHERED;
        if self.has_missed {
            self.gathered = Vec::new();
        } else {
            self.gathered.extend_from_slice(&record.bytes());
        }
    }

    /// Writes the collected records to the kernel; false if there is no room: then they stay collected.
    ///
    /// # Errors
    /// Those of the file, except for lack of room.
    pub fn hand_over(&mut self) -> io::Result<bool> {
        let handed_over = if self.has_missed {
            Ok(false)
        } else {
            no_room_is_false(self.hold_ready().and_then(|()| self.write()))
        };
        self.is_full = !matches!(handed_over, Ok(true));
        handed_over
    }

    /// Ends the log of a drive whose power is cut now, using the reserve if there is no other room.
    ///
    /// # Errors
    /// Those of the file.
    pub fn end(&mut self, at: Instant, undo: u64) -> io::Result<()> {
        let last = [Record::Kept { at, undo }, Record::Cut { at }];
        last.iter().for_each(|record| self.push(record));
        let has_room =
            no_room_is_false(self.hold_ready())? || self.gathered.len() as u64 <= HELD_READY;
        if !self.has_missed && has_room && no_room_is_false(self.write())? {
            return Ok(());
        }
        self.has_missed = false;
        self.gathered.clear();
        self.push(&Record::Missed { at });
        last.iter().for_each(|record| self.push(record));
        self.write()
    }

    /// Reserves blocks for the collected records, and for the end.
    fn hold_ready(&mut self) -> io::Result<()> {
        let needed = self.gathered.len() as u64 + HELD_READY;
        if self.length + needed <= self.ready {
            return Ok(());
        }
        let more = needed + HELD_READY;
        match fallocate(&self.file, FallocateFlags::KEEP_SIZE, self.length, more) {
            Ok(()) => self.ready = self.length + more,
            Err(error @ (Errno::NOSPC | Errno::DQUOT)) => return Err(error.into()),
            Err(_) => self.ready = u64::MAX,
        }
        Ok(())
    }

    /// Writes the collected records. If that ends early, whole records that were written need not be written again.
    fn write(&mut self) -> io::Result<()> {
        let mut written = 0;
        let mut ended = Ok(());
        while written < self.gathered.len() && ended.is_ok() {
            let at = self.length + written as u64;
            match self.file.write_at(&self.gathered[written..], at) {
                Ok(0) => ended = Err(io::ErrorKind::WriteZero.into()),
                Ok(bytes) => written += bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => ended = Err(error),
            }
        }
        let whole = whole_records(written as u64);
        self.gathered.drain(..whole as usize);
        self.length += whole;
        ended
    }
}

fn no_room_is_false(written: io::Result<()>) -> io::Result<bool> {
    let no_room = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
    match written {
        Err(error) if no_room.contains(&error.kind()) => Ok(false),
        written => written.map(|()| true),
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
        let file = tempfile::tempfile().unwrap();
        let mut writer = Writer::new(file.try_clone().unwrap());
        let (at, offset) = (Instant::from_nanos(5), Bytes::kib(4));
        let write = Io::write(offset, Bytes::kib(8), 0).durably();
        let written = [
            Record::Condensed { left_out: 3 },
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
            Record::Missed { at },
        ];
        written.iter().for_each(|record| writer.push(record));
        writer.hand_over().unwrap();
        file.write_all_at(&[1, 0, 0], writer.length()).unwrap();
        let read: Vec<Record> = records(&file).map(Result::unwrap).collect();
        assert_eq!(read, written);
        let length = file.metadata().unwrap().len();
        assert_eq!(whole_records(length), 8 * RECORD as u64);
    }

    /// A log that is always full.
    fn full() -> Writer {
        Writer::new(File::options().write(true).open("/dev/full").unwrap())
    }

    fn reached(nanos: u64) -> Record {
        Record::Reached {
            at: Instant::from_nanos(nanos),
        }
    }

    #[test]
    fn what_had_no_room_is_written_when_there_is_some() {
        let mut writer = full();
        for nanos in 0..3 {
            writer.push(&reached(nanos));
            assert!(!writer.hand_over().unwrap() && writer.is_full());
        }
        let file = tempfile::tempfile().unwrap();
        writer.file = file.try_clone().unwrap();
        assert!(writer.hand_over().unwrap() && !writer.is_full());
        let read: Vec<Record> = records(&file).map(Result::unwrap).collect();
        assert_eq!(read, [0, 1, 2].map(reached));
    }

    #[test]
    fn a_log_that_stayed_full_ends_with_what_is_held_ready_and_says_that_something_is_missing() {
        let mut writer = full();
        for _ in 0..=MOST_GATHERED / RECORD {
            writer.push(&reached(5));
        }
        let file = tempfile::tempfile().unwrap();
        writer.file = file.try_clone().unwrap();
        assert!(!writer.hand_over().unwrap(), "until it is served again");
        let at = Instant::from_nanos(9);
        writer.end(at, 77).unwrap();
        let read: Vec<Record> = records(&file).map(Result::unwrap).collect();
        let (missed, kept) = (Record::Missed { at }, Record::Kept { at, undo: 77 });
        assert_eq!(read, [missed, kept, Record::Cut { at }]);
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
