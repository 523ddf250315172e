//! A trace: requests that were run on a real disk, each with the response time that it had.
//!
//! The file is CSV, plain or packed by gzip, with the columns `op,lba_512,blocks,response_us,think_us`
//! in any order. The loop was closed: each request was issued `think_us` after the one before it had
//! ended, so a replay waits as long after its own end and not at recorded moments.

use std::io::Read;
use std::path::{Path, PathBuf};

use base::io::Op;
use serde::Deserialize;

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
        /// Which.
        path: PathBuf,
        /// Why.
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

/// Reads a trace.
///
/// # Errors
/// Where the file cannot be read or unpacked, or a row makes no sense.
pub fn read(path: &Path) -> Result<Vec<Measured>, BadTrace> {
    let text = contents(path).map_err(|source| BadTrace::File {
        path: path.to_owned(),
        source,
    })?;
    let mut requests = Vec::new();
    for (index, row) in csv::Reader::from_reader(text.as_slice())
        .deserialize()
        .enumerate()
    {
        let wrong = |what: String| BadTrace::Row {
            path: path.to_owned(),
            what: what.lines().next().unwrap_or_default().to_owned(),
        };
        let row: Row = row.map_err(|error| wrong(error.to_string()))?;
        let request = row
            .request()
            .map_err(|what| wrong(format!("line {}: {what}", index + 2)))?;
        requests.push(request);
    }
    if requests.is_empty() {
        return Err(BadTrace::Empty {
            path: path.to_owned(),
        });
    }
    Ok(requests)
}

fn contents(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = std::fs::read(path)?;
    if path.extension().is_some_and(|e| e == "gz") {
        let mut unpacked = Vec::new();
        flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut unpacked)?;
        bytes = unpacked;
    }
    Ok(bytes)
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
    use std::io::Write;

    const HEAD: &str = "op,lba_512,blocks,response_us,think_us\n";

    fn reading(name: &str, bytes: &[u8]) -> Result<Vec<Measured>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let folder = format!("{}/", folder.path().display());
        read(&path).map_err(|e| e.to_string().replace(&folder, ""))
    }

    #[test]
    fn a_trace_is_read_plain_or_packed() {
        let text = format!("{HEAD}R,265552,2,14901,4757.71\nW,8,4,1000,0\n");
        let plain = reading("a.csv", text.as_bytes()).unwrap();
        assert_eq!(plain.len(), 2);
        assert_eq!(plain[0].op, Op::Read);
        assert_eq!((plain[1].block, plain[1].blocks), (8, 4));
        assert!((plain[0].response_ms - 14.901).abs() < 1e-9);
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(text.as_bytes()).unwrap();
        assert_eq!(
            reading("a.csv.gz", &packer.finish().unwrap()).unwrap(),
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
