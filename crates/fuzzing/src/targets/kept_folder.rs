//! The folder of a kept emulated drive: whatever its files contain, the drive is restored or refused.
//!
//! A line that begins with `@` and a file's name gives its contents; the others are as after a power cut. If the first
//! line is `+`, the records of log and undo file get valid checksums: otherwise every change would be rejected there.

use std::cell::OnceCell;
use std::path::Path;

use base::null::Null;
use base::size::Bytes;
use base::target::{Busy, Done, Info, Tag, Target};
use base::time::{Duration, Instant};
use base::workload::Span;
use emulate::condense::condense;
use emulate::drive::{Asked, Asker, Emulated, Restored};
use emulate::kept::Who;
use emulate::offer::{OfferError, had_back};
use emulate::salvage::salvage;
use tempfile::TempDir;

const FILES: [&str; 4] = ["log", "undo", "data", "drive.json"];
const CAPACITY: Bytes = Bytes::kib(64);

/// A drive that keeps everything in its cache until a flush.
struct Cached(Null);

impl Target for Cached {
    fn info(&self) -> Info {
        self.0.info()
    }

    fn now(&self) -> Instant {
        self.0.now()
    }

    fn submit(&mut self, tag: Tag, io: &base::io::Io) -> Result<(), Busy> {
        self.0.submit(tag, io)
    }

    fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        self.0.wait(until, done);
    }

    fn next(&self) -> Option<Instant> {
        self.0.next()
    }

    fn lost(&self) -> Vec<Span> {
        vec![Span::new(Bytes::ZERO, CAPACITY)]
    }
}

struct Left {
    folder: TempDir,
    files: Vec<Vec<u8>>,
}

thread_local! {
    static LEFT: OnceCell<Left> = const { OnceCell::new() };
}

pub(crate) fn run(input: &[u8]) {
    LEFT.with(|left| {
        let left = left.get_or_init(|| leave().expect("a temporary folder takes small files"));
        let folder = left.folder.path();
        lay(left, input).expect("as before");
        let data = || std::fs::read(folder.join("data")).ok();
        let before = data();
        match back(folder) {
            Err(bad) => {
                super::refusal(&bad);
                assert_eq!(before, data(), "a drive that is refused is as it was");
            }
            Ok(_) => {
                let after = data();
                let length = after.as_ref().map(|data| data.len() as u64);
                assert_eq!(length, Some(CAPACITY.get()));
                let (_, again) = back(folder).expect("what was had back is had back again");
                assert!(!again.cut || again.lost.is_zero(), "{again:?}");
                assert_eq!(after, data(), "a drive that nobody asked anything changed");
                condense(folder, input.len() % 9).expect("it is switched off");
                let (_, condensed) = back(folder).expect("what was condensed is had back");
                assert_eq!((condensed.cut, after), (false, data()), "{condensed:?}");
            }
        }
        let out = folder.with_extension("out");
        if let Ok(salvaged) = salvage(folder, &out) {
            assert!(salvaged.copied <= salvaged.length);
        }
        let _ = std::fs::remove_file(out);
    });
}

fn back(folder: &Path) -> Result<(Emulated, Restored), OfferError> {
    let drive = Null::new(CAPACITY, Duration::from_micros(10));
    let who = Who::new("model:cached", 1, CAPACITY, "digest");
    let (drive, restored, _) = had_back(Box::new(Cached(drive)), folder, &who)?;
    Ok((drive, restored))
}

/// The folder of a drive whose power failed in the middle of things.
fn leave() -> Result<Left, Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let (mut drive, _) = back(folder.path())?;
    for number in 0..16_u64 {
        let span = Span::new(Bytes::kib(4 * (number % 3)), Bytes::kib(4));
        let write = |durable| Asked::Write {
            offset: span.start,
            bytes: vec![number as u8; 4096],
            durable,
        };
        let asker = Asker {
            frontend: 0,
            connection: 0,
            cookie: number,
        };
        let asked = match number % 6 {
            4 => Asked::Flush,
            5 => Asked::Trim(span),
            other => write(other == 1),
        };
        drive.ask(drive.now(), asker, asked);
        let mut answers = Vec::new();
        while answers.is_empty() {
            let next = drive.next().ok_or("nothing is open")?;
            drive.advance(next, &mut answers)?;
        }
    }
    drop(drive);
    let files = FILES.map(|name| std::fs::read(folder.path().join(name)));
    let files = files.into_iter().collect::<std::io::Result<_>>()?;
    Ok(Left { folder, files })
}

/// Writes the files as the input says.
fn lay(left: &Left, input: &[u8]) -> std::io::Result<()> {
    let mut files = left.files.clone();
    let mut into = None;
    for line in input.split_inclusive(|byte| *byte == b'\n') {
        let name = line.strip_prefix(b"@").map(<[u8]>::trim_ascii_end);
        let named = FILES.iter().position(|file| name == Some(file.as_bytes()));
        if let Some(at) = named {
            files[at].clear();
            into = Some(at);
        } else if let Some(at) = into {
            files[at].extend_from_slice(line);
        }
    }
    if input.first() == Some(&b'+') {
        seal_log(&mut files[0]);
        seal_undo(&mut files[1]);
    }
    for (name, content) in FILES.iter().zip(files) {
        std::fs::write(left.folder.path().join(name), content)?;
    }
    Ok(())
}

/// Gives each record of a log its checksum: bytes 4 to 8, over the others.
fn seal_log(log: &mut [u8]) {
    for record in log.chunks_exact_mut(32) {
        let sum = crc32fast::hash(&[&record[..4], &record[8..]].concat());
        record[4..8].copy_from_slice(&sum.to_le_bytes());
    }
}

/// Gives each record of an undo file its checksums, as far as its lengths lead: of the bytes, and of the header.
fn seal_undo(undo: &mut [u8]) {
    const HEADER: usize = 56;
    let mut at = 0;
    while at + HEADER <= undo.len() {
        let (header, bytes) = undo[at..].split_at_mut(HEADER);
        let length = header[24..32].iter().rev();
        let length = length.fold(0, |sum: usize, byte| sum << 8 | usize::from(*byte));
        let length = length.min(bytes.len());
        header[8..16].copy_from_slice(&(at as u64).to_le_bytes());
        header[48..52].copy_from_slice(&crc32fast::hash(&bytes[..length]).to_le_bytes());
        let sum = crc32fast::hash(&header[..52]).to_le_bytes();
        header[52..56].copy_from_slice(&sum);
        at += HEADER + length;
    }
}
