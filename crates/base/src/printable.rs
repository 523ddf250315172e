//! Text from outside, made safe to show: none of its letters steers a terminal.
//!
//! A model name, a file name or a line of a trace may contain anything. ESC (and U+009B, its one-character form) begins
//! a sequence that moves the cursor, sets the window's title or, on some terminals, types for the user; a carriage
//! return overwrites the line; the bidirectional overrides (Unicode Standard Annex 9) reorder a name. Such characters
//! are shown escaped: `\u{1b}`.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text of one line: every letter that steers is spelled out.
pub fn printable(text: &str) -> Cow<'_, str> {
    spelled_out(text, |_| false)
}

/// The same for text of several lines: line feeds and tabs stay.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    spelled_out(text, |letter| matches!(letter, '\n' | '\t'))
}

/// The same for text that is coloured on purpose: `ESC [ 1;32 m`, which sets nothing but the look of
/// letters, stays, too.
pub fn printable_coloured(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return printable_lines(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        shown.push_str(&printable_lines(&rest[..at]));
        let len = colour(&rest[at..]).unwrap_or(0);
        if len == 0 {
            shown.push_str("\\u{1b}");
        }
        shown.push_str(&rest[at..at + len]);
        rest = &rest[at + len.max(1)..];
    }
    shown.push_str(&printable_lines(rest));
    Cow::Owned(shown)
}

/// The same for JSON: in its texts such letters are written as JSON writes them, `\u009b`, so that it stays
/// the same document. (Those below U+0020 are written so in any JSON.)
pub fn printable_json(text: &str) -> Cow<'_, str> {
    let is_bad = |letter: char| steers(letter) && letter != '\n';
    if !text.chars().any(is_bad) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_bad(letter) {
            // Writing into a text does not fail; all of these are below U+10000.
            let _ = write!(shown, "\\u{:04x}", u32::from(letter));
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

/// The length of the sequence `ESC [ digits and ; m` with which the text begins, if it does.
fn colour(text: &str) -> Option<usize> {
    let inside = text.strip_prefix("\u{1b}[")?;
    let end = inside.find(|letter: char| !letter.is_ascii_digit() && letter != ';')?;
    inside[end..].starts_with('m').then_some(2 + end + 1)
}

fn spelled_out(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_bad = |letter: char| steers(letter) && !stays(letter);
    if !text.chars().any(is_bad) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_bad(letter) {
            // Writing into a text does not fail.
            let _ = write!(shown, "{}", letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

/// True for controls (C0, DEL, C1), ends of lines and paragraphs, and what changes the direction of text.
pub fn steers(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            | '\u{fff9}'..='\u{fffb}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_spelled_out_and_everything_else_stays() {
        assert_eq!(
            printable("Samsung SSD 840 EVO, 東芝"),
            "Samsung SSD 840 EVO, 東芝"
        );
        assert_eq!(printable("a\u{1b}]0;x\u{7}b"), "a\\u{1b}]0;x\\u{7}b");
        assert_eq!(printable("a\u{9b}2Jb\r"), "a\\u{9b}2Jb\\u{d}");
        assert_eq!(printable("gpj\u{202e}.exe"), "gpj\\u{202e}.exe");
        assert_eq!(printable("one\ntwo"), "one\\u{a}two");
        assert_eq!(printable_lines("one\n\ttwo\r"), "one\n\ttwo\\u{d}");
    }

    #[test]
    fn json_stays_the_same_document() {
        let text = "bell \u{7} csi \u{9b} bidi \u{202e} delete \u{7f}".to_owned();
        let json = serde_json::to_string_pretty(&[&text]).unwrap();
        let shown = printable_json(&json);
        assert!(
            shown
                .chars()
                .all(|letter| letter == '\n' || !steers(letter))
        );
        assert_eq!(serde_json::from_str::<Vec<String>>(&shown).unwrap(), [text]);
    }

    #[test]
    fn colours_of_our_own_stay_and_no_other_sequence_does() {
        let green = "\u{1b}[1;32mgood\u{1b}[0m\n";
        assert_eq!(printable_coloured(green), green);
        assert_eq!(
            printable_coloured("\u{1b}[2Jx\u{1b}[31m"),
            "\\u{1b}[2Jx\u{1b}[31m"
        );
        assert_eq!(printable_coloured("x\u{1b}"), "x\\u{1b}");
        assert_eq!(printable_coloured("x\u{1b}[3"), "x\\u{1b}[3");
        assert_eq!(printable_coloured("\u{1b}\u{1b}[m"), "\\u{1b}\u{1b}[m");
        assert_eq!(printable_coloured("\u{9b}2J\u{1b}[m"), "\\u{9b}2J\u{1b}[m");
    }
}
