//! A trace: requests that were run on a real disk, each with the response time that it had.
//!
//! The file is CSV, plain or packed by gzip, with the columns `op,lba_512,blocks,response_us,think_us`
//! in any order. The loop was closed: each request was issued `think_us` after the one before it had
//! ended, so a replay waits as long after its own end and not at recorded moments.
//!
//! A packed file is unpacked as it is read, since 4 MB of gzip may hold 4 GB. What is kept is bounded by
//! [`MOST_REQUESTS`], what is read by [`MOST_TEXT`], what is held of a line by [`LONGEST_LINE`].

use std::io::{BufReader, Error, Read};
use std::path::{Path, PathBuf};

use base::io::Op;
use base::size::Bytes;
use base::whole_file::{self, Unfit};
use serde::Deserialize;

/// Requests that are validated at once, of all disks together; recorded traces have some 10,000 each.
pub const MOST_REQUESTS: usize = 2_000_000;
/// The text of a trace, unpacked: three times what so many requests need.
pub const MOST_TEXT: Bytes = Bytes::mib(128);
/// Bytes of a line; a request takes less than a hundred.
pub const LONGEST_LINE: usize = 4_096;

/// One request and what it took on the real disk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Read or write.
    pub op: Op,
    /// First block of 512 bytes.
    pub block: u64,
    /// Blocks, at least one.
    pub blocks: u64,
    /// Measured response time in milliseconds.
    pub response_ms: f64,
    /// Milliseconds from this request's end until the next one is issued.
    pub think_ms: f64,
}

/// Why a trace cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum BadTrace {
    /// The file.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Not a table of requests.
    #[error("{}: {what}", path.display())]
    Row {
        /// Which file.
        path: PathBuf,
        /// Where and why.
        what: String,
    },
    /// More than is kept.
    #[error(
        "{}: more than the {MOST_REQUESTS} requests that are validated at once: shorten the traces, or validate fewer disks at a time",
        path.display()
    )]
    TooMany {
        /// Which file is the one too many.
        path: PathBuf,
    },
    /// A table without rows.
    #[error("{}: there is no request in it", path.display())]
    Empty {
        /// Which file.
        path: PathBuf,
    },
}

#[derive(Deserialize)]
struct Row {
    op: String,
    lba_512: u64,
    blocks: u64,
    response_us: f64,
    think_us: f64,
}

/// The longest response or think time: a day, in microseconds.
const A_DAY_US: f64 = 86_400e6;

/// Reads a trace of at most `most` requests.
///
/// # Errors
/// Where the file cannot be read or unpacked, a row makes no sense, or there are more.
pub fn read(path: &Path, most: usize) -> Result<Vec<Measured>, BadTrace> {
    let file = whole_file::open(path).map_err(|source| BadTrace::File {
        path: path.to_owned(),
        source,
    })?;
    if path.extension().is_some_and(|e| e == "gz") {
        let unpacked = flate2::read::MultiGzDecoder::new(BufReader::new(file));
        parse(path, unpacked, most)
    } else {
        parse(path, file, most)
    }
}

/// Reads the text of a trace of at most `most` requests; `path` is its name in errors.
///
/// # Errors
/// Where it cannot be read, a row makes no sense, or there are more.
pub fn parse(path: &Path, from: impl Read, most: usize) -> Result<Vec<Measured>, BadTrace> {
    let path = || path.to_owned();
    let row_error = |what: &str| BadTrace::Row {
        path: path(),
        what: what.lines().next().unwrap_or_default().to_owned(),
    };
    // Without quotes a row is a line, which is bounded.
    let mut rows = csv::ReaderBuilder::new()
        .quoting(false)
        .from_reader(Bounded::new(from));
    let csv_error = |error: csv::Error| {
        let what = error.to_string();
        match error.into_kind() {
            csv::ErrorKind::Io(source) => BadTrace::File {
                path: path(),
                source,
            },
            _ => row_error(&what),
        }
    };
    // Asked for here, since reading rows passes over an error in the first line.
    rows.headers().map_err(csv_error)?;
    let mut requests = Vec::new();
    for (index, row) in rows.deserialize().enumerate() {
        let row: Row = row.map_err(csv_error)?;
        let request = row
            .request()
            .map_err(|what| row_error(&format!("line {}: {what}", index + 2)))?;
        if requests.len() == most {
            return Err(BadTrace::TooMany { path: path() });
        }
        requests.push(request);
    }
    if requests.is_empty() {
        return Err(BadTrace::Empty { path: path() });
    }
    Ok(requests)
}

/// A text that ends with an error where it, or one of its lines, is too long.
struct Bounded<R> {
    from: R,
    taken: u64,
    line: usize,
}

impl<R: Read> Bounded<R> {
    fn new(from: R) -> Bounded<R> {
        Bounded {
            from,
            taken: 0,
            line: 0,
        }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.from.read(buffer)?;
        self.taken += read as u64;
        if self.taken > MOST_TEXT.get() {
            return Err(Unfit::TooLong(MOST_TEXT).into());
        }
        for piece in buffer[..read].split_inclusive(|byte| *byte == b'\n') {
            self.line += piece.len();
            if self.line > LONGEST_LINE {
                let what = format!("a line is longer than {LONGEST_LINE} bytes");
                return Err(Error::new(std::io::ErrorKind::InvalidData, what));
            }
            if piece.ends_with(b"\n") {
                self.line = 0;
            }
        }
        Ok(read)
    }
}

impl Row {
    fn request(&self) -> Result<Measured, String> {
        let op = match self.op.as_str() {
            "R" => Op::Read,
            "W" => Op::Write,
            other => return Err(format!("op is '{other}', not R or W")),
        };
        if !(1..=1 << 32).contains(&self.blocks) || self.lba_512 >= 1 << 48 {
            let (block, blocks) = (self.lba_512, self.blocks);
            return Err(format!(
                "{blocks} blocks from block {block} on are no request"
            ));
        }
        let times = [
            ("response_us", self.response_us),
            ("think_us", self.think_us),
        ];
        for (column, time) in times {
            if !(0.0..=A_DAY_US).contains(&time) {
                return Err(format!("{column} is {time}, not between 0 and a day"));
            }
        }
        Ok(Measured {
            op,
            block: self.lba_512,
            blocks: self.blocks,
            response_ms: self.response_us / 1e3,
            think_ms: self.think_us / 1e3,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "op,lba_512,blocks,response_us,think_us\n";

    fn reading(name: &str, bytes: &[u8]) -> Result<Vec<Measured>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let folder = format!("{}/", folder.path().display());
        read(&path, 3).map_err(|e| e.to_string().replace(&folder, ""))
    }

    fn packed(bytes: impl Read) -> Vec<u8> {
        let fast = flate2::Compression::fast();
        let mut packed = Vec::new();
        flate2::read::GzEncoder::new(bytes, fast)
            .read_to_end(&mut packed)
            .unwrap();
        packed
    }

    #[test]
    fn a_small_file_that_unpacks_to_gigabytes_is_refused_at_a_bound() {
        let zeros = std::io::repeat(b'0').take(16 << 20);
        assert_eq!(
            reading("a.csv.gz", &packed(HEAD.as_bytes().chain(zeros))).unwrap_err(),
            "a.csv.gz: a line is longer than 4096 bytes"
        );
        let rows = HEAD.to_owned() + &"R,1,1,1,1\n".repeat(4);
        let said = reading("a.csv.gz", &packed(rows.as_bytes())).unwrap_err();
        assert!(
            said.starts_with("a.csv.gz: more than the 2000000 requests"),
            "{said}"
        );
        assert_eq!(
            reading("a.csv.gz", &packed(&rows.as_bytes()[..rows.len() - 10]))
                .unwrap()
                .len(),
            3
        );
        let empty_lines = std::io::repeat(b'\n').take(129 << 20);
        assert!(
            reading("a.csv.gz", &packed(HEAD.as_bytes().chain(empty_lines)))
                .unwrap_err()
                .starts_with("a.csv.gz: has more than 128 MiB")
        );
    }

    #[test]
    fn a_trace_is_read_plain_or_packed() {
        let text = format!("{HEAD}R,265552,2,14901,4757.71\nW,8,4,1000,0\n");
        let plain = reading("a.csv", text.as_bytes()).unwrap();
        assert_eq!(plain.len(), 2);
        assert_eq!(plain[0].op, Op::Read);
        assert_eq!((plain[1].block, plain[1].blocks), (8, 4));
        assert!((plain[0].response_ms - 14.901).abs() < 1e-9);
        assert_eq!(
            reading("a.csv.gz", &packed(text.as_bytes())).unwrap(),
            plain
        );
    }

    #[test]
    fn what_is_no_trace_is_one_line_that_says_where() {
        let row = |row: &str| reading("a.csv", format!("{HEAD}R,1,1,1,1\n{row}\n").as_bytes());
        assert_eq!(
            row("X,1,1,1,1").unwrap_err(),
            "a.csv: line 3: op is 'X', not R or W"
        );
        assert!(
            row("R,1,0,1,1")
                .unwrap_err()
                .contains("line 3: 0 blocks from block 1")
        );
        assert!(row("R,1,1,-1,1").unwrap_err().contains("response_us is -1"));
        assert!(row("R,1,1,1,nan").unwrap_err().contains("think_us is NaN"));
        assert!(row("R,1").unwrap_err().contains("line: 3"));
        assert!(row("R,one,1,1,1").unwrap_err().contains("line: 3"));
        assert_eq!(
            reading("a.csv", HEAD.as_bytes()).unwrap_err(),
            "a.csv: there is no request in it"
        );
        assert!(
            reading("a.csv.gz", b"not packed")
                .unwrap_err()
                .starts_with("a.csv.gz: ")
        );
    }
}
