//! From bytes to text: a byte order mark says which encoding; else UTF-8 where it is valid; else what Windows calls
//! ANSI, which is cp932 in Japan and cp1252 in the West.
//!
//! Lines are numbered from 1, without their ends (LF or CRLF).

use std::borrow::Cow;

use base::size::Bytes;
use encoding_rs::{Encoding, SHIFT_JIS, UTF_8, WINDOWS_1252};

use crate::error::ImportError;

/// The largest file that must be decoded into a copy.
const LARGEST_DECODED: Bytes = Bytes::mib(16);

/// A file's text.
#[derive(Debug)]
pub(crate) struct Text<'a>(Cow<'a, str>);

impl<'a> Text<'a> {
    /// Decodes a file.
    pub(crate) fn of(bytes: &'a [u8]) -> Result<Text<'a>, ImportError> {
        if bytes.is_empty() {
            return Err(ImportError::Empty);
        }
        limited(bytes, crate::LARGEST)?;
        let text = match Encoding::for_bom(bytes) {
            Some((encoding, mark)) if encoding == UTF_8 => utf_8(&bytes[mark..]),
            Some((encoding, mark)) => decoded(encoding, limited(&bytes[mark..], LARGEST_DECODED)?),
            None => match utf_8(bytes) {
                Some(text) => Some(text),
                None => ansi(limited(bytes, LARGEST_DECODED)?),
            },
        };
        match text {
            Some(text) if text.trim().is_empty() => Err(ImportError::Empty),
            Some(text) if !text.contains('\0') => Ok(Text(text)),
            _ => Err(ImportError::NotText),
        }
    }

    /// All of it.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Its lines, with their numbers.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> + Clone {
        (1..).zip(self.0.lines())
    }

    /// The first lines that say something, without blanks around them.
    pub(crate) fn head(&self, lines: usize) -> impl Iterator<Item = &str> {
        let spoken = self
            .0
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty());
        spoken.take(lines)
    }

    /// Whether it may be read as a tree, which takes many times its size.
    pub(crate) fn within(&self, most: Bytes) -> Result<(), ImportError> {
        limited(self.0.as_bytes(), most).map(|_| ())
    }
}

fn limited(bytes: &[u8], most: Bytes) -> Result<&[u8], ImportError> {
    match bytes.len() as u64 > most.get() {
        true => Err(ImportError::TooLarge {
            bytes: bytes.len(),
            most,
        }),
        false => Ok(bytes),
    }
}

fn utf_8(bytes: &[u8]) -> Option<Cow<'_, str>> {
    std::str::from_utf8(bytes).ok().map(Cow::Borrowed)
}

fn decoded<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Option<Cow<'a, str>> {
    encoding.decode_without_bom_handling_and_without_replacement(bytes)
}

/// Text of Western Windows is seldom valid cp932: its letters with accents stand alone, where cp932 wants pairs.
fn ansi(bytes: &[u8]) -> Option<Cow<'_, str>> {
    decoded(SHIFT_JIS, bytes).or_else(|| decoded(WINDOWS_1252, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> String {
        Text::of(bytes).unwrap().as_str().to_owned()
    }

    #[test]
    fn the_encoding_is_told_by_its_mark_then_by_what_is_valid() {
        let utf_16: Vec<u8> = [0xfeff_u16]
            .into_iter()
            .chain("外付け".encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(read(&utf_16), "外付け");
        assert_eq!(read(b"\xef\xbb\xbfab"), "ab");
        assert_eq!(read("外付け".as_bytes()), "外付け");
        assert_eq!(read(&SHIFT_JIS.encode("外付け～①").0), "外付け～①");
        assert_eq!(read(b"1\xa0234 M\xfcller"), "1\u{a0}234 Müller");
    }

    #[test]
    fn what_is_no_text_is_refused() {
        assert_eq!(Text::of(b"").unwrap_err(), ImportError::Empty);
        assert_eq!(Text::of(b" \r\n").unwrap_err(), ImportError::Empty);
        assert_eq!(Text::of(b"a\0b").unwrap_err(), ImportError::NotText);
        assert_eq!(
            Text::of(b"\xff\xfe\x00\xd8").unwrap_err(),
            ImportError::NotText
        );
    }
}
