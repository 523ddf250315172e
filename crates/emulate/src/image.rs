//! The contents of an emulated drive: a sparse file, and its previous contents.
//!
//! The file contains a write as soon as the drive has acknowledged it. A drive with a volatile cache may lose such data
//! at a power cut; then the previous contents must be restored. So before a range is overwritten, its old bytes are
//! appended to an *undo file*: a header of 56 bytes (a magic number, its own position, the range, the
//! [version](crate::versions) that replaces it, the length of the log at that time, checksums of the bytes and of the
//! header) and the bytes. Once everything up to a version is on stable storage, older contents are never needed again,
//! and their blocks are freed.
//!
//! After a power cut the records are processed from the last one on, and each restores its bytes wherever the version
//! that replaced them is lost: so each position gets the newest version that the drive had made stable. Changes of
//! requests that never completed are undone in any case.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use base::{Bytes, Span};

use crate::versions::Versions;
use rustix::fs::{FallocateFlags, SeekFrom, fallocate, seek};
use rustix::io::Errno;

/// Begins a header of the undo file.
const MARK: u64 = u64::from_le_bytes(*b"undo-of:");
/// Bytes of a header.
const HEADER: usize = 56;
/// Maximum size of the old contents in one record: zeros may be written over gigabytes at once.
const MOST_RECORD: Bytes = Bytes::mib(4);
/// The undo file's blocks are given back in portions of this.
const GIVEN_BACK: u64 = 16 << 20;

/// The data of a drive.
#[derive(Debug)]
pub struct Image {
    data: File,
    undo: Option<Undo>,
    /// For zeros, where the file system cannot make holes.
    zeros: Vec<u8>,
}

#[derive(Debug)]
struct Undo {
    file: File,
    end: u64,
    /// Nothing before it is needed.
    kept: u64,
    given_back: u64,
    record: Vec<u8>,
    /// Bytes of the log that the kernel has.
    log: u64,
}

impl Undo {
    /// Appends the contents of a range, which a version of this number is going to replace.
    fn keep(&mut self, data: &File, span: Span, version: u64) -> io::Result<()> {
        self.record.resize(HEADER + span.len.get() as usize, 0);
        let (header, bytes) = self.record.split_at_mut(HEADER);
        data.read_exact_at(bytes, span.start.get())?;
        let (start, len) = (span.start.get(), span.len.get());
        let says = [MARK, self.end, start, len, version, self.log];
        for (place, number) in header.chunks_exact_mut(8).zip(says) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        let sum = crc32fast::hash(bytes).to_le_bytes();
        header[HEADER - 8..HEADER - 4].copy_from_slice(&sum);
        let sum = crc32fast::hash(&header[..HEADER - 4]).to_le_bytes();
        header[HEADER - 4..].copy_from_slice(&sum);
        self.file.write_all_at(&self.record, self.end)?;
        self.end += self.record.len() as u64;
        Ok(())
    }
}

/// A part of the drive, and whether it holds data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Bytes of it.
    pub len: u64,
    /// True where nothing was written: it reads as zeros.
    pub hole: bool,
}

impl Image {
    /// An image of this length in a file, which keeps its contents.
    ///
    /// # Errors
    /// Those of the file: too long for its file system, for one.
    pub fn new(data: File, capacity: Bytes) -> io::Result<Image> {
        if data.metadata()?.len() != capacity.get() {
            data.set_len(capacity.get())?;
        }
        Ok(Image {
            data,
            undo: None,
            zeros: Vec::new(),
        })
    }

    /// The same, appending overwritten data to an undo file from its end on; none of its contents are known to be on
    /// stable storage.
    ///
    /// # Errors
    /// Those of the file.
    pub fn with_undo(mut self, file: File) -> io::Result<Image> {
        let end = file.metadata()?.len();
        self.undo = Some(Undo {
            file,
            end,
            kept: 0,
            given_back: 0,
            record: Vec::new(),
            log: 0,
        });
        Ok(self)
    }

    /// True if a non-empty range is a hole: it reads as zeros, and need not be read. A read would make the kernel fill
    /// its page cache with zeros, which takes longer than the data takes on a fast drive.
    ///
    /// # Errors
    /// Those of the file.
    pub fn is_hole(&self, span: Span) -> io::Result<bool> {
        match seek(&self.data, SeekFrom::Data(span.start.get())) {
            Ok(data) => Ok(data >= span.end().get()),
            Err(Errno::NXIO) => Ok(true),
            Err(other) => Err(other.into()),
        }
    }

    /// Reads a range whole.
    ///
    /// # Errors
    /// Those of the file.
    pub fn read(&self, offset: Bytes, into: &mut [u8]) -> io::Result<()> {
        self.data.read_exact_at(into, offset.get())
    }

    /// Writes a range over with the version of this number.
    ///
    /// # Errors
    /// Those of the files: no room, for example.
    pub fn write(&mut self, offset: Bytes, bytes: &[u8], version: u64) -> io::Result<()> {
        let span = Span::new(offset, Bytes::new(bytes.len() as u64));
        self.remember(span, version)?;
        self.data.write_all_at(bytes, offset.get())
    }

    /// Makes a range zeros, which are the version of this number, by giving its blocks back where the file system can.
    ///
    /// # Errors
    /// Those of the files.
    pub fn zero(&mut self, span: Span, version: u64) -> io::Result<()> {
        for part in self.data_of(span)? {
            self.remember(part, version)?;
        }
        self.discard(span)
    }

    /// As [`Image::zero`], for data that is not needed any more: a trim.
    ///
    /// # Errors
    /// Those of the file.
    pub fn discard(&mut self, span: Span) -> io::Result<()> {
        if span.len.is_zero() {
            return Ok(());
        }
        let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        match fallocate(&self.data, hole, span.start.get(), span.len.get()) {
            Ok(()) => Ok(()),
            Err(Errno::OPNOTSUPP) => self.write_zeros(span),
            Err(other) => Err(other.into()),
        }
    }

    fn write_zeros(&mut self, span: Span) -> io::Result<()> {
        self.zeros.resize(1 << 20, 0);
        let mut at = span.start.get();
        while at < span.end().get() {
            let len = (span.end().get() - at).min(self.zeros.len() as u64);
            self.data.write_all_at(&self.zeros[..len as usize], at)?;
            at += len;
        }
        Ok(())
    }

    /// The data and holes of a range, in order; the extents cover the range, or there are `most` of them, or one more.
    ///
    /// # Errors
    /// Those of the file.
    pub fn extents(&self, span: Span, most: usize) -> io::Result<Vec<Extent>> {
        let mut found = Vec::new();
        let mut at = span.start.get();
        let end = span.end().get();
        while at < end && found.len() < most {
            let data = match seek(&self.data, SeekFrom::Data(at)) {
                Ok(data) => data.min(end),
                Err(Errno::NXIO) => end,
                Err(other) => return Err(other.into()),
            };
            if data > at {
                found.push(Extent {
                    len: data - at,
                    hole: true,
                });
            }
            if data < end {
                let hole = seek(&self.data, SeekFrom::Hole(data))?.min(end);
                found.push(Extent {
                    len: hole - data,
                    hole: false,
                });
                at = hole;
            } else {
                at = end;
            }
        }
        Ok(found)
    }

    fn data_of(&self, span: Span) -> io::Result<Vec<Span>> {
        let mut at = span.start;
        let extents = self.extents(span, usize::MAX)?;
        Ok(extents
            .iter()
            .filter_map(|extent| {
                let part = Span::new(at, Bytes::new(extent.len));
                at = part.end();
                (!extent.hole).then_some(part)
            })
            .collect())
    }

    /// Saves the contents of a range, in records that do not need much memory.
    fn remember(&mut self, span: Span, version: u64) -> io::Result<()> {
        let Some(undo) = &mut self.undo else {
            return Ok(());
        };
        let mut start = span.start;
        while start < span.end() {
            let part = Span::new(start, MOST_RECORD.min(span.end() - start));
            undo.keep(&self.data, part, version)?;
            start = part.end();
        }
        Ok(())
    }

    /// Sets the current length of the log: if a record of the undo file is found with a shorter log, the log was
    /// truncated.
    pub fn log_is(&mut self, bytes: u64) {
        if let Some(undo) = &mut self.undo {
            undo.log = bytes;
        }
    }

    /// Where the undo file ends now; zero without one.
    pub fn undo_end(&self) -> u64 {
        self.undo.as_ref().map_or(0, |undo| undo.end)
    }

    /// Everything before this position of the undo file is on stable storage.
    pub fn keep(&mut self, position: u64) {
        let Some(undo) = &mut self.undo else {
            return;
        };
        undo.kept = undo.kept.max(position);
        if undo.kept - undo.given_back >= GIVEN_BACK {
            let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            // Only room is lost where the file system cannot.
            let _ = fallocate(
                &undo.file,
                hole,
                undo.given_back,
                undo.kept - undo.given_back,
            );
            undo.given_back = undo.kept;
        }
    }

    /// Restores the newest stable version of these ranges, which a power cut has taken, and the contents before changes
    /// that never completed; and discards the undo data. Returns how much acknowledged data was lost.
    ///
    /// # Errors
    /// Those of the files; an undo file or a log that is damaged, before anything is changed.
    pub fn put_back(&mut self, lost: &[Span], versions: &Versions) -> io::Result<Bytes> {
        let Some(undo) = &mut self.undo else {
            return Ok(Bytes::ZERO);
        };
        let capacity = self.data.metadata()?.len();
        let mut found = Vec::new();
        let mut position = undo.kept;
        while let Some(kept) = header_at(&undo.file, position)? {
            if kept.log > undo.log {
                return Err(damaged(format!(
                    "the log was cut: it had {} bytes at least, and has {}",
                    kept.log, undo.log
                )));
            }
            if kept.span.end().get() > capacity {
                let why = format!(
                    "the undo file is damaged: the record at {position} lies outside of the drive"
                );
                return Err(damaged(why));
            }
            kept.bytes(&undo.file, position + HEADER as u64)?;
            found.push((position + HEADER as u64, kept));
            position += HEADER as u64 + kept.span.len.get();
        }
        let wanted: Vec<(Span, u64)> = (disjoint(lost).into_iter())
            .flat_map(|span| versions.newest_stable(span))
            .collect();
        let mut taken = Vec::new();
        for (bytes, kept) in found.iter().rev() {
            let parts = parts_to_put_back(kept, &wanted, versions.told());
            if parts.is_empty() {
                continue;
            }
            let old = kept.bytes(&undo.file, *bytes)?;
            for part in parts {
                let from = (part.start.get() - kept.span.start.get()) as usize;
                let old = &old[from..from + part.len.get() as usize];
                self.data.write_all_at(old, part.start.get())?;
                if kept.version <= versions.told() {
                    taken.push(part);
                }
            }
        }
        undo.end = position;
        undo.file.set_len(position)?;
        self.keep(position);
        let taken = disjoint(&taken);
        Ok(Bytes::new(taken.iter().map(|span| span.len.get()).sum()))
    }

    /// Brings data and undo file to stable storage of the machine: for a clean end.
    ///
    /// # Errors
    /// Those of the files.
    pub fn sync(&self) -> io::Result<()> {
        self.data.sync_data()
    }
}

/// A header of the undo file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    span: Span,
    /// The version that replaces the bytes.
    version: u64,
    /// How long the log was then.
    log: u64,
    /// The bytes' checksum.
    sum: u32,
}

impl Header {
    /// The end (exclusive).
    fn bytes(&self, file: &File, position: u64) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; self.span.len.get() as usize];
        file.read_exact_at(&mut bytes, position)?;
        if crc32fast::hash(&bytes) != self.sum {
            let why = format!("the undo file is damaged: bytes at {position} have changed");
            return Err(damaged(why));
        }
        Ok(bytes)
    }
}

fn damaged(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// The header at a position of the undo file; `None` at its end, or if its bytes are truncated: then the write that
/// replaces them was never done.
fn header_at(file: &File, position: u64) -> io::Result<Option<Header>> {
    let length = file.metadata()?.len();
    let mut header = [0; HEADER];
    if length < position.saturating_add(HEADER as u64) {
        return Ok(None);
    }
    file.read_exact_at(&mut header, position)?;
    let number = |i: usize| {
        let mut eight = [0; 8];
        eight.copy_from_slice(&header[i * 8..i * 8 + 8]);
        u64::from_le_bytes(eight)
    };
    let [mark, own, start, len, version, log, sums] = std::array::from_fn(number);
    let whole = mark == MARK
        && own == position
        && (sums >> 32) as u32 == crc32fast::hash(&header[..HEADER - 4])
        && start.checked_add(len).is_some()
        && len <= MOST_RECORD.get();
    if !whole {
        let why = format!("the undo file is damaged: no record stands at {position}");
        return Err(damaged(why));
    }
    let is_all_there = (position + HEADER as u64)
        .checked_add(len)
        .is_some_and(|end| end <= length);
    Ok(is_all_there.then(|| Header {
        span: Span::new(Bytes::new(start), Bytes::new(len)),
        version,
        log,
        sum: sums as u32,
    }))
}

/// The part of a record's range to restore: where a version from this one on is lost (`wanted` has ranges in order,
/// each with its newest stable version), or all of it if its request never completed.
fn parts_to_put_back(kept: &Header, wanted: &[(Span, u64)], told: u64) -> Vec<Span> {
    if kept.version > told {
        return vec![kept.span];
    }
    let first = wanted.partition_point(|(span, _)| span.end() <= kept.span.start);
    (wanted[first..].iter())
        .take_while(|(span, _)| span.start < kept.span.end())
        .filter(|(_, stable)| kept.version > *stable)
        .filter_map(|(span, _)| span.within(kept.span))
        .collect()
}

/// The same ranges in order, none twice.
fn disjoint(spans: &[Span]) -> Vec<Span> {
    let mut sorted = spans.to_vec();
    sorted.sort_unstable_by_key(|span| span.start);
    let mut joined: Vec<Span> = Vec::new();
    for span in sorted {
        match joined.last_mut() {
            Some(last) if last.end() >= span.start => {
                last.len = last.end().max(span.end()) - last.start;
            }
            _ => joined.push(span),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paced::Ticket;
    use base::io::Io;

    fn image() -> Image {
        let data = tempfile::tempfile().unwrap();
        let undo = tempfile::tempfile().unwrap();
        let image = Image::new(data, Bytes::mib(4)).unwrap();
        image.with_undo(undo).unwrap()
    }

    fn block(image: &Image, number: u64) -> u8 {
        let mut bytes = [0; 4096];
        image.read(Bytes::new(number * 4096), &mut bytes).unwrap();
        assert!(bytes.iter().all(|byte| *byte == bytes[0]), "torn");
        bytes[0]
    }

    fn span(number: u64, blocks: u64) -> Span {
        Span::new(Bytes::new(number * 4096), Bytes::new(blocks * 4096))
    }

    #[test]
    fn what_was_lost_comes_back_in_its_newest_stable_version() {
        let mut image = image();
        let mut versions = Versions::default();
        let mut next = |span: Span| {
            versions.asked(Ticket(0), &Io::write(span.start, span.len, 0));
            versions.answered(Ticket(0), true, true)
        };
        image
            .write(Bytes::ZERO, &[1; 16384], next(span(0, 4)))
            .unwrap();
        let kept = image.undo_end();
        image.keep(kept);
        image
            .write(Bytes::new(4096), &[2; 8192], next(span(1, 2)))
            .unwrap();
        let stable = next(span(2, 1));
        image.write(Bytes::new(8192), &[3; 4096], stable).unwrap();
        image
            .write(Bytes::new(4096), &[4; 8192], next(span(1, 2)))
            .unwrap();
        image.zero(span(3, 1), next(span(3, 1))).unwrap();
        // Not told to anybody.
        image
            .write(Bytes::ZERO, &[5; 4096], versions.told() + 1)
            .unwrap();
        versions.stable(span(2, 1), stable);
        let lost = image.put_back(&[span(1, 3)], &versions).unwrap();
        let found: Vec<u8> = (0..5).map(|number| block(&image, number)).collect();
        assert_eq!((found, lost), (vec![1, 1, 3, 1, 0], Bytes::kib(12)));
    }

    #[test]
    fn a_record_that_was_cut_off_is_none() {
        let mut image = image();
        image.write(Bytes::ZERO, &[1; 4096], 1).unwrap();
        let undo = image.undo.as_ref().unwrap();
        undo.file.set_len(undo.end - 1).unwrap();
        image.put_back(&[span(0, 1)], &Versions::default()).unwrap();
        assert_eq!(block(&image, 0), 1);
    }

    #[test]
    fn holes_are_told_from_data() {
        let mut image = image();
        image.write(Bytes::mib(1), &[1; 1 << 20], 1).unwrap();
        let all = Span::first(Bytes::mib(4));
        let is_hole = |number, blocks| image.is_hole(span(number, blocks)).unwrap();
        assert!(is_hole(0, 256) && is_hole(512, 512) && is_hole(1023, 1));
        assert!(!is_hole(255, 2) && !is_hole(256, 1) && !is_hole(511, 2));
        let extents = image.extents(all, 9).unwrap();
        let mib = |len: u64, hole| Extent {
            len: len << 20,
            hole,
        };
        assert_eq!(extents, [mib(1, true), mib(1, false), mib(2, true)]);
        image.discard(all).unwrap();
        assert_eq!(image.extents(all, 9).unwrap(), [mib(4, true)]);
    }
}
