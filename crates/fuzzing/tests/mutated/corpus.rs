//! What the inputs of a target are made of, in the sources: its corpus, one file per input, in `fuzz/corpus/TARGET`, and
//! the words of its format, in `fuzz/dictionaries/TARGET`, which is a dictionary as libFuzzer reads it.
//!
//! Inputs are seeds that people wrote, what libFuzzer found to take a new branch, and, under names that begin with
//! `found-`, every input that a defect was found with.

use std::path::{Path, PathBuf};

/// The corpus of a target, by file name.
///
/// # Errors
/// Where there are none, or one cannot be read.
pub(crate) fn corpus(target: &str) -> std::io::Result<Vec<Vec<u8>>> {
    let files = std::fs::read_dir(path("corpus", target))?.map(|entry| Ok(entry?.path()));
    let mut files: Vec<PathBuf> = files.collect::<std::io::Result<_>>()?;
    files.sort();
    files.iter().map(std::fs::read).collect()
}

/// The words of a target's format: a line each, in quotes, with `\\`, `\"` and `\xAB` in them.
///
/// # Errors
/// Where there is no dictionary.
pub(crate) fn dictionary(target: &str) -> std::io::Result<Vec<Vec<u8>>> {
    let text = std::fs::read_to_string(path("dictionaries", target))?;
    let quoted = |line: &str| line.strip_prefix('"')?.strip_suffix('"').map(word);
    Ok(text.lines().filter_map(quoted).collect())
}

fn word(escaped: &str) -> Vec<u8> {
    let mut word = Vec::new();
    let mut rest = escaped.bytes();
    while let Some(byte) = rest.next() {
        word.push(match byte {
            b'\\' => match rest.next().unwrap() {
                b'x' => {
                    let digits = [rest.next().unwrap(), rest.next().unwrap()].map(char::from);
                    u8::from_str_radix(&String::from_iter(digits), 16).unwrap()
                }
                itself => itself,
            },
            byte => byte,
        });
    }
    word
}

fn path(kind: &str, target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz")
        .join(kind)
        .join(target)
}
