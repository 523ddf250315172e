//! `verify` and its family: written data is read back and compared with what it should be.
//!
//! Whatever checksum a job names, the data consists of drivelab's labelled sectors ([`base::label`]): each contains its
//! address, its generation, and a checksum of all of it, so that lost, old and misplaced data is detected, too.

use super::{Options, Read};

/// How a job verifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verify {
    /// Behind each loop, all that it wrote.
    pub after: bool,
    /// Already when this many writes are not verified.
    pub backlog: Option<u64>,
    /// Then this many of them.
    pub batch: u64,
    /// Nothing is written: what would be is expected to be there.
    pub only: bool,
}

const CHECKSUMS: [&str; 19] = [
    "1",
    "md5",
    "crc64",
    "crc32c",
    "crc32c-intel",
    "crc32",
    "crc16",
    "crc7",
    "xxhash",
    "sha512",
    "sha256",
    "sha1",
    "sha3-224",
    "sha3-256",
    "sha3-384",
    "sha3-512",
    "meta",
    "pattern",
    "pattern_hdr",
];

pub(super) fn verify(o: &mut Options<'_>, sizes_fit: bool) -> Option<Verify> {
    let wanted = o.take("verify", false, |text, _| named(text));
    let backlog = o.number("verify_backlog", 0, 0, u64::MAX);
    let verify = Verify {
        after: o.flag("do_verify", true),
        backlog: Some(backlog).filter(|n| *n > 0),
        batch: match o.number("verify_backlog_batch", 0, 0, u64::MAX) {
            0 => backlog.max(1),
            batch => batch,
        },
        only: o.flag("verify_only", false),
    };
    if wanted && !sizes_fit {
        o.wrong(
            "verify",
            "labels are of 512 bytes: sizes and alignment are multiples of 512".to_owned(),
        );
    }
    wanted.then_some(verify)
}

fn named(text: &str) -> Read<bool> {
    match text {
        // fio's null verification checks nothing.
        "0" | "none" | "null" => Ok(false),
        text if CHECKSUMS.contains(&text) => Ok(true),
        text if text.starts_with("pattern:") => Err("a pattern is verify_pattern=...".to_owned()),
        _ => Err(format!(
            "'{text}' is none of fio's checksums (crc32c, md5, meta, pattern, ...)"
        )),
    }
}
