//! The corpus of a target: one file per input, in `fuzz/corpus/TARGET` of the sources.
//!
//! They are seeds that people wrote, what libFuzzer found to take a new branch, and, under names that begin with
//! `found-`, every input that a defect was found with.

use std::path::{Path, PathBuf};

/// The corpus of a target, by file name.
///
/// # Errors
/// Where there are none, or one cannot be read.
pub fn corpus(target: &str) -> std::io::Result<Vec<Vec<u8>>> {
    let folder = folder(target);
    let files = std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path()));
    let mut files: Vec<PathBuf> = files.collect::<std::io::Result<_>>()?;
    files.sort();
    files.iter().map(std::fs::read).collect()
}

fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target)
}
