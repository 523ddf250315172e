//! Measured traces of `validate`: the text, then the same bytes as a packed file.

use std::path::Path;

use accuracy::trace::parse;

pub(crate) const WORDS: &[&str] = &[
    "op,lba_512,blocks,response_us,think_us\n",
    "R,",
    "W,",
    ",",
    "\n",
    "\r",
    "nan",
    "1e400",
    "281474976710656",
];

/// Requests that are read: the bound is met, too.
const MOST: usize = 100;

pub(crate) fn run(input: &[u8]) {
    let path = Path::new("fuzz.csv");
    match parse(path, input, MOST) {
        Ok(requests) => assert!((1..=MOST).contains(&requests.len())),
        Err(bad) => super::refusal(&bad),
    }
    let unpacked = flate2::read::MultiGzDecoder::new(input);
    if let Err(bad) = parse(path, unpacked, MOST) {
        super::refusal(&bad);
    }
}
